"""How far a model's stated confidences can be believed: expected calibration error, Brier score, and the curve.

Only readable answers with a readable confidence take part; how many do not is said beside.
"""

from collections.abc import Iterable, Sequence

from eval.candidates import Infos, name_of, suspect_notes
from eval.metrics import Candidate
from eval.tables.table import Cell, Column, Line, Table
from records.base import Record
from records.benchmark import BenchmarkItem, Prediction

BINS = 10


class Bin(Record):
    """Answers whose confidence lies in one tenth; the upper bound belongs to the bin, 0.0 to the first."""

    low: float
    high: float
    n: int
    confidence: float | None
    """Mean confidence; None in an empty bin."""
    accuracy: float | None


class Calibration(Record):
    """One candidate's calibration."""

    model: str
    setting: str = ""
    n: int
    """Answers with a confidence."""
    without_confidence: int
    """Readable answers without one."""
    ece: float | None
    """Expected calibration error over ten equal bins: mean |accuracy − confidence|, weighted by the bins' answers."""
    brier: float | None
    """Mean squared difference between confidence and rightness."""
    mean_confidence: float | None
    accuracy: float | None
    """Of the answers that take part."""
    bins: tuple[Bin, ...] = ()


def calibrations(items: Sequence[BenchmarkItem], predictions: Iterable[Prediction]) -> tuple[Calibration, ...]:
    """One record a candidate, from replies in the benchmark's own order of options."""
    keys = {item.item_id: item.key for item in items}
    answered: dict[Candidate, list[tuple[float | None, bool]]] = {}
    for p in predictions:
        found = answered.setdefault((p.model, p.setting), [])
        if p.answer is not None and not p.rotation and p.item_id in keys:
            found.append((p.confidence, p.answer == keys[p.item_id]))
    return tuple(_calibration(candidate, pairs) for candidate, pairs in answered.items())


def _calibration(candidate: Candidate, answers: Sequence[tuple[float | None, bool]]) -> Calibration:
    pairs = [(confidence, right) for confidence, right in answers if confidence is not None]
    names = {"model": candidate[0], "setting": candidate[1]}
    if not pairs:
        none = dict.fromkeys(("ece", "brier", "mean_confidence", "accuracy"))
        return Calibration(**names, n=0, without_confidence=len(answers), **none)
    bins = binned(pairs)
    gaps = [b.n * abs(b.accuracy - b.confidence) for b in bins if b.accuracy is not None and b.confidence is not None]
    return Calibration(
        **names,
        n=len(pairs),
        without_confidence=len(answers) - len(pairs),
        ece=sum(gaps) / len(pairs),
        brier=sum((confidence - right) ** 2 for confidence, right in pairs) / len(pairs),
        mean_confidence=sum(confidence for confidence, _ in pairs) / len(pairs),
        accuracy=sum(right for _, right in pairs) / len(pairs),
        bins=bins,
    )


def binned(pairs: Sequence[tuple[float, bool]], count: int = BINS) -> tuple[Bin, ...]:
    """Equal bins of the confidences."""
    sorted_in: list[list[tuple[float, bool]]] = [[] for _ in range(count)]
    for confidence, right in pairs:
        place = 0 if confidence <= 0 else _ceiling(confidence * count) - 1
        sorted_in[place].append((confidence, right))
    return tuple(_bin(i / count, (i + 1) / count, members) for i, members in enumerate(sorted_in))


def _ceiling(value: float) -> int:
    """Ceiling that takes 0.7 * 10 for 7."""
    nearest = round(value)
    return nearest if abs(value - nearest) < 1e-9 else int(value) + 1


def _bin(low: float, high: float, members: Sequence[tuple[float, bool]]) -> Bin:
    n = len(members)
    confidence = sum(c for c, _ in members) / n if n else None
    return Bin(low=low, high=high, n=n, confidence=confidence, accuracy=sum(r for _, r in members) / n if n else None)


def calibration_table(found: Sequence[Calibration], infos: Infos | None = None) -> Table | None:
    """One line a candidate that gave confidences; None where none did."""
    if not any(c.n for c in found):
        return None
    columns = (
        Column(header="Model", kind="text"),
        Column(header="ECE", kind="number"),
        Column(header="Brier", kind="number"),
        Column(header="Mean confidence"),
        Column(header="Accuracy"),
        Column(header="Answers", kind="count"),
        Column(header="Without confidence", kind="count"),
    )
    lines = tuple(Line(cells=_cells(c, infos or {})) for c in found)
    explained = "Over readable answers with a confidence; ten equal bins. Lower is better for ECE and Brier."
    notes = (explained, *suspect_notes((c.model for c in found), infos or {}))
    return Table(name="calibration", title="Calibration of confidences", columns=columns, lines=lines, notes=notes)


def _cells(c: Calibration, infos: Infos) -> tuple[Cell, ...]:
    name = name_of(c.model, c.setting, infos)
    values: tuple[float | int | str | None, ...] = (
        name, c.ece, c.brier, c.mean_confidence, c.accuracy, c.n, c.without_confidence,
    )  # fmt: skip
    return tuple(Cell(value=value) for value in values)
