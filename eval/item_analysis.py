"""What the candidates' answers say about the items: difficulty, discrimination, distractors that nobody chose.

Also which sources and frames items use, and how each drafter's questions fared. Discrimination is the point-biserial
correlation of being right on an item with the accuracy on all other items; with few candidates it is rough, and below
three it is not given.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from eval.intervals import wilson
from eval.metrics import ModelScores, Tallies, tally
from eval.tables.table import Cell, Column, Line, Table
from records.base import Record
from records.benchmark import BenchmarkItem, Prediction
from records.questions import Letter
from records.verdicts import Item

if TYPE_CHECKING:
    from eval.intervals import Floats

FEWEST_CANDIDATES = 3
_SAME = 1e-12


class ItemStatistics(Record):
    """One item in the light of all candidates' answers (benchmark's own order, sweeps' settings as candidates)."""

    item_id: str
    type_id: str
    candidates: int
    """Candidates that were scored on it."""
    difficulty: float | None
    """Share of the candidates that were wrong, 0.0 easy to 1.0 hard; repeats averaged within a candidate."""
    discrimination: float | None = None
    """−1.0 to 1.0; negative: the better candidates get it wrong, which often means a wrong key."""
    discrimination_note: str = ""
    chosen: dict[Letter, int]
    """Readable answers by letter."""
    unchosen: tuple[Letter, ...]
    """Wrong options that nobody chose."""


def item_statistics(items: Sequence[BenchmarkItem], predictions: Iterable[Prediction]) -> tuple[ItemStatistics, ...]:
    """One record an item, in the order of the items."""
    predictions = tuple(predictions)
    counted = tally(items, predictions)
    chosen = _chosen(items, predictions)
    rightness = _matrix(counted)
    return tuple(_statistics(item, rightness, position, chosen[item.item_id]) for position, item in enumerate(items))


def _chosen(items: Sequence[BenchmarkItem], predictions: Sequence[Prediction]) -> dict[str, Counter[Letter]]:
    chosen: dict[str, Counter[Letter]] = {item.item_id: Counter() for item in items}
    for p in predictions:
        if p.answer is not None and not p.rotation:
            chosen[p.item_id][p.answer] += 1
    return chosen


def _matrix(counted: Tallies) -> "Floats":
    """Share right, candidates × items; NaN where a candidate was not scored."""
    import numpy as np

    return np.array([[t.right / t.scored if t.scored else np.nan for t in row] for row in counted.values()])


def _statistics(item: BenchmarkItem, rightness: "Floats", position: int, chosen: Counter[Letter]) -> ItemStatistics:
    import numpy as np

    column = rightness[:, position] if rightness.size else np.array([])
    scored = ~np.isnan(column)
    discrimination, note = _discrimination(rightness, position, scored)
    return ItemStatistics(
        item_id=item.item_id,
        type_id=item.type_id,
        candidates=int(scored.sum()),
        difficulty=1 - float(column[scored].mean()) if scored.any() else None,
        discrimination=discrimination,
        discrimination_note=note,
        chosen={letter: chosen[letter] for letter in item.options},
        unchosen=tuple(x for x in item.options if x != item.key and not chosen[x]) if chosen else (),
    )


def _discrimination(rightness: "Floats", position: int, scored: "Floats") -> tuple[float | None, str]:
    import numpy as np

    if scored.sum() < FEWEST_CANDIDATES:
        return None, f"fewer than {FEWEST_CANDIDATES} candidates"
    rows = rightness[scored]
    item = rows[:, position]
    known = (~np.isnan(rows)).sum(axis=1) - 1
    if not known.all():
        return None, "a candidate was scored on no other item"
    rest = (np.nansum(rows, axis=1) - item) / known
    if np.ptp(item) == 0:
        return None, "all candidates did alike"
    if np.ptp(rest) < _SAME:
        return None, "all candidates did alike on the other items"
    from scipy.stats import pearsonr

    return float(pearsonr(item, rest).statistic), ""


def item_table(found: Sequence[ItemStatistics], most: int = 20) -> Table:
    """The items that most need a look: negative discrimination first, then the hardest."""
    columns = (
        Column(header="Item", kind="text"),
        Column(header="Type", kind="text"),
        Column(header="Wrong"),
        Column(header="Discrimination", kind="number"),
        Column(header="Answers", kind="text"),
        Column(header="Nobody chose", kind="text"),
    )
    ordered = sorted(
        found, key=lambda s: (s.discrimination if s.discrimination is not None else 0, -(s.difficulty or 0))
    )
    lines = tuple(Line(cells=_item_cells(s)) for s in ordered[:most])
    idle = sum(len(s.unchosen) for s in found)
    wrong_options = sum(max(0, len(s.chosen) - 1) for s in found)
    notes = (
        f"{len(lines)} of {len(found)} items: negative discrimination first, then the hardest.",
        f"{idle} of {wrong_options} wrong options were chosen by nobody.",
    )
    return Table(name="items", title="Items that need a look", columns=columns, lines=lines, notes=notes)


def _item_cells(s: ItemStatistics) -> tuple[Cell, ...]:
    answers = " ".join(f"{letter}:{count}" for letter, count in s.chosen.items())
    return (
        Cell(value=s.item_id),
        Cell(value=s.type_id),
        Cell(value=s.difficulty),
        Cell(value=s.discrimination, note=s.discrimination_note),
        Cell(value=answers),
        Cell(value=" ".join(s.unchosen) or "–"),
    )


class DrafterYield(Record):
    """How one drafter's questions fared."""

    drafter: str
    kept: int = 0
    removed: int = 0
    undecided: int = 0
    kept_rate: float | None
    """Kept over all drafts that were judged; None where only kept items are known."""
    low: float | None = None
    high: float | None = None
    """Wilson 95 % interval of the kept rate."""
    accuracy: float | None = None
    """Mean accuracy of the candidates on its kept questions."""


def drafter_yields(
    scores: Sequence[ModelScores], judged: Mapping[str, Mapping[str, int]] | None = None
) -> tuple[DrafterYield, ...]:
    """One record a drafter. `judged`: drafter → kept, removed, undecided → count, from `judged_by_drafter`."""
    judged = judged or {}
    drafters = dict.fromkeys([*judged, *(name for s in scores for name in s.by.get("drafter", {}))])
    return tuple(_yield(name, scores, judged.get(name)) for name in drafters)


def judged_by_drafter(items: Iterable[Item]) -> dict[str, dict[str, int]]:
    """Drafter → outcome → number of questions, from a run's judged items."""
    found: dict[str, Counter[str]] = {}
    for item in items:
        found.setdefault(item.question.provenance.drafter, Counter())[item.outcome] += 1
    return {drafter: dict(counts) for drafter, counts in found.items()}


def _yield(name: str, scores: Sequence[ModelScores], judged: Mapping[str, int] | None) -> DrafterYield:
    cells = [s.by["drafter"][name] for s in scores if name in s.by.get("drafter", {})]
    accuracies = [cell.accuracy for cell in cells if cell.accuracy is not None]
    counts = judged or {}
    total = sum(counts.values())
    interval = wilson(counts.get("kept", 0), total)
    return DrafterYield(
        drafter=name,
        kept=counts.get("kept", cells[0].n if cells and not counts else 0),
        removed=counts.get("removed", 0),
        undecided=counts.get("undecided", 0),
        kept_rate=counts.get("kept", 0) / total if total else None,
        low=interval.low,
        high=interval.high,
        accuracy=sum(accuracies) / len(accuracies) if accuracies else None,
    )


def drafter_table(found: Sequence[DrafterYield]) -> Table | None:
    """Kept rate and candidate accuracy by drafter; None where no drafter is known."""
    if not found:
        return None
    columns = (
        Column(header="Drafter", kind="text"),
        Column(header="Kept", kind="count"),
        Column(header="Removed", kind="count"),
        Column(header="Undecided", kind="count"),
        Column(header="Kept rate"),
        Column(header="Candidates' accuracy"),
    )
    lines = tuple(
        Line(
            cells=(
                Cell(value=d.drafter),
                Cell(value=d.kept),
                Cell(value=d.removed),
                Cell(value=d.undecided),
                Cell(value=d.kept_rate, low=d.low, high=d.high),
                Cell(value=d.accuracy),
            )
        )
        for d in found
    )
    return Table(name="drafters", title="Questions by drafter", columns=columns, lines=lines, intervals=True)
