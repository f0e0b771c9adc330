"""Accuracies of candidate models, so counted that a failed call can never score.

Refused, filtered, truncated and unparsed replies count as wrong; a reply that never came (`unavailable` standing) is
left out and makes the score incomplete. Repeats of an item are averaged within the item first. No intervals of single
items; circular evaluation is in `eval.circular`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import Field

from eval.groupings import GROUPINGS, Grouping, split
from eval.intervals import (
    FEWEST_GROUPS,
    Interval,
    by_cluster,
    cluster_intervals,
    percentile_interval,
    resampled_ratios,
)
from records.base import Record
from records.benchmark import BenchmarkItem, Prediction
from records.errors import InputError
from records.verdicts import CallOutcome

if TYPE_CHECKING:
    from eval.intervals import Floats

Candidate = tuple[str, str]
"""A model and the setting of its sweep (empty outside sweeps)."""


class Score(Record):
    """The accuracy of one candidate on one set of items."""

    accuracy: float | None
    """Right answers over scored items, 0.0–1.0; None where nothing could be scored (n/a)."""
    low: float | None = None
    high: float | None = None
    interval_note: str = ""
    """Why there is no interval."""
    n: int
    """Items asked."""
    scored: int
    """Items with at least one reply, right or wrong."""
    groups: int
    correct: float
    """Right answers; with repeats, the sum of each item's share of right answers."""
    accuracy_answered: float | None
    """Right answers over readable answers: refused, truncated and unparsed replies left out."""
    complete: bool
    """False when some reply never came; then `worst` and `best` say what the missing ones could change."""
    worst: float | None = None
    best: float | None = None
    chance: float
    """The accuracy of guessing, from the number of options of each item."""
    outcomes: dict[CallOutcome, int] = Field(default_factory=dict)
    """How many replies (not items) ended in which way."""

    def rate(self, outcome: CallOutcome) -> float:
        """The share of all replies that ended in this way, 0.0–1.0."""
        total = sum(self.outcomes.values())
        return self.outcomes.get(outcome, 0) / total if total else 0.0


class Unknown(Record):
    """Items that a grouping could not place."""

    n: int
    reason: str


class ModelScores(Record):
    """Everything that one candidate scored."""

    model: str
    setting: str = ""
    overall: Score
    macro: Score | None = None
    """The mean of the accuracies by type, each type weighing the same; None without types."""
    by: dict[str, dict[str, Score]] = Field(default_factory=dict)
    """Grouping → value → score."""
    unknown: dict[str, Unknown] = Field(default_factory=dict)
    """Grouping → the items that have no value in it, with the reason."""
    cost_usd: float = 0.0
    latency_s: float | None = None
    """Mean seconds a reply, replies from the cache left out."""


@dataclass
class Tally:
    """The replies of one candidate to one item (in the benchmark's own order of options)."""

    right: int = 0
    answered: int = 0
    wrong: int = 0
    unavailable: int = 0
    outcomes: Counter[CallOutcome] = field(default_factory=Counter)

    @property
    def scored(self) -> int:
        """Replies that count."""
        return self.answered + self.wrong

    def add(self, prediction: Prediction, key: str | None) -> None:
        """Count one reply."""
        self.outcomes[prediction.outcome] += 1
        if prediction.standing == "unavailable":
            self.unavailable += 1
        elif prediction.standing == "wrong":
            self.wrong += 1
        else:
            self.answered += 1
            self.right += prediction.answer == key


Tallies = dict[Candidate, list[Tally]]
"""One tally an item, in the order of the items."""


def candidates(predictions: Iterable[Prediction]) -> tuple[Candidate, ...]:
    """The models and settings that occur, in order of first appearance."""
    return tuple(dict.fromkeys((p.model, p.setting) for p in predictions))


def tally(items: Sequence[BenchmarkItem], predictions: Iterable[Prediction]) -> Tallies:
    """Count the replies of every candidate to every item; items without a reply have an empty tally.

    Raises InputError where an item id occurs twice, where an item has no key, or where a prediction is for an unknown
    item, answers with a letter that the item has not, or stands twice.
    """
    index = _index(items)
    counted: Tallies = {}
    seen: set[tuple[Candidate, str, int, int]] = set()
    for prediction in predictions:
        candidate = (prediction.model, prediction.setting)
        if candidate not in counted:
            counted[candidate] = [Tally() for _ in items]
        _refuse_doubled(prediction, candidate, seen)
        position = _position(prediction, index, items)
        if not prediction.rotation:
            counted[candidate][position].add(prediction, items[position].key)
    return counted


def _index(items: Sequence[BenchmarkItem]) -> dict[str, int]:
    keyless = [item.item_id for item in items if item.key is None]
    if keyless:
        raise InputError(
            f"{len(keyless)} item(s) have no key, first {keyless[0]}.",
            hint="Mend the file or leave them out (--skip-without-key); `python -m eval.lint` lists them.",
        )
    index = {item.item_id: position for position, item in enumerate(items)}
    if len(index) < len(items):
        doubled = next(name for name, count in Counter(item.item_id for item in items).items() if count > 1)
        raise InputError(f"the item id {doubled!r} occurs more than once.", hint="Ids must differ.")
    return index


def _position(prediction: Prediction, index: dict[str, int], items: Sequence[BenchmarkItem]) -> int:
    position = index.get(prediction.item_id)
    if position is None:
        raise InputError(
            f"prediction of {prediction.model} for {prediction.item_id!r}: no such item.",
            hint="Are items and predictions of the same benchmark?",
        )
    if prediction.answer is not None and prediction.answer not in items[position].options:
        raise InputError(
            f"prediction of {prediction.model} for {prediction.item_id}: {prediction.answer!r} is not among "
            f"{', '.join(items[position].options)}.",
            hint="Record a letter that the question does not have as outcome `unparsed`.",
        )
    return position


def _refuse_doubled(p: Prediction, candidate: Candidate, seen: set[tuple[Candidate, str, int, int]]) -> None:
    mark = (candidate, p.item_id, p.sample, p.rotation)
    if mark in seen:
        raise InputError(
            f"two predictions of {p.model} for {p.item_id} (sample {p.sample}, rotation {p.rotation}).",
            hint="Number repeats with `sample`, and sweeps with `setting`.",
        )
    seen.add(mark)


def score(tallies: Sequence[Tally], items: Sequence[BenchmarkItem], interval: Interval | None = None) -> Score:
    """The score of one candidate on these items (same length, same order), with an interval computed elsewhere."""
    shares = [t.right / t.scored if t.scored else None for t in tallies]
    scored = [share for share in shares if share is not None]
    answered = [t.right / t.answered for t in tallies if t.answered]
    complete = all(t.scored and not t.unavailable for t in tallies)
    worst, best = _bounds(tallies)
    interval = interval or Interval(groups=len({item.cluster for item in items}))
    return Score(
        accuracy=_mean(scored),
        low=interval.low,
        high=interval.high,
        interval_note=interval.note,
        n=len(items),
        scored=len(scored),
        groups=interval.groups,
        correct=float(sum(scored)),
        accuracy_answered=_mean(answered),
        complete=complete,
        worst=None if complete else worst,
        best=None if complete else best,
        chance=_mean([1 / len(item.options) for item in items]) or 0.0,
        outcomes=_outcomes(tallies),
    )


def _outcomes(tallies: Sequence[Tally]) -> dict[CallOutcome, int]:
    counted: Counter[CallOutcome] = Counter()
    for t in tallies:
        counted.update(t.outcomes)
    return dict(sorted(counted.items()))


def _bounds(tallies: Sequence[Tally]) -> tuple[float | None, float | None]:
    """The accuracy if every missing reply had been wrong, and if every one had been right."""
    asked = [(t.right, t.unavailable, max(1, t.scored + t.unavailable), t.scored) for t in tallies]
    worst = [right / total for right, _, total, _ in asked]
    best = [(right + (missing or (not scored))) / total for right, missing, total, scored in asked]
    return _mean(worst), _mean(best)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def evaluate(
    items: Sequence[BenchmarkItem],
    predictions: Iterable[Prediction],
    *,
    groupings: Iterable[Grouping] | None = None,
    seed: int = 0,
) -> tuple[ModelScores, ...]:
    """Score every candidate on all items and within every grouping (all known ones by default).

    Groupings in which no item has a value appear in `unknown` only. Raises InputError as `tally` does.
    """
    items = tuple(items)
    predictions = tuple(predictions)
    counted = tally(items, predictions)
    if not counted:
        return ()
    cells = {candidate: _Cells() for candidate in counted}
    _fill(cells, "", "", counted, items, tuple(range(len(items))), seed)
    unknown: dict[str, Unknown] = {}
    for grouping in GROUPINGS.values() if groupings is None else groupings:
        members = split(items, grouping)
        for value, positions in members.items():
            _fill(cells, grouping.name, value, counted, items, positions, seed)
        placed = {position for positions in members.values() for position in positions}
        if len(placed) < len(items):
            unknown[grouping.name] = Unknown(n=len(items) - len(placed), reason=grouping.missing)
    macros = _macros(counted, items, seed)
    spent = _spent(predictions)
    return tuple(
        ModelScores(
            model=candidate[0],
            setting=candidate[1],
            overall=cells[candidate].overall(),
            macro=macros.get(candidate),
            by=cells[candidate].by(),
            unknown=unknown,
            cost_usd=spent[candidate][0],
            latency_s=spent[candidate][1],
        )
        for candidate in counted
    )


@dataclass
class _Cells:
    scores: dict[tuple[str, str], Score] = field(default_factory=dict)

    def overall(self) -> Score:
        return self.scores["", ""]

    def by(self) -> dict[str, dict[str, Score]]:
        found: dict[str, dict[str, Score]] = {}
        for (grouping, value), cell in self.scores.items():
            if grouping:
                found.setdefault(grouping, {})[value] = cell
        return found


def _fill(
    cells: dict[Candidate, _Cells],
    grouping: str,
    value: str,
    counted: Tallies,
    items: Sequence[BenchmarkItem],
    positions: Sequence[int],
    seed: int,
) -> None:
    chosen = [items[i] for i in positions]
    picked = {candidate: [tallies[i] for i in positions] for candidate, tallies in counted.items()}
    correct, totals = clustered([picked[c] for c in picked], chosen)
    intervals = cluster_intervals(correct, totals, seed=seed) if picked else ()
    for candidate, interval in zip(picked, intervals, strict=True):
        cells[candidate].scores[grouping, value] = score(picked[candidate], chosen, interval)


def clustered(rows: Sequence[Sequence[Tally]], items: Sequence[BenchmarkItem]) -> tuple["Floats", "Floats"]:
    """Right and scored items a cluster, one column a candidate: two arrays of shape (clusters, candidates)."""
    import numpy as np

    shares = np.array([[t.right / t.scored if t.scored else 0.0 for t in row] for row in rows]).reshape(len(rows), -1)
    scored = np.array([[float(t.scored > 0) for t in row] for row in rows]).reshape(len(rows), -1)
    clusters = [item.cluster for item in items]
    return by_cluster(clusters, shares.T), by_cluster(clusters, scored.T)


def _macros(counted: Tallies, items: Sequence[BenchmarkItem], seed: int) -> dict[Candidate, Score]:
    members = split(tuple(items), GROUPINGS["type"])
    if not members:
        return {}
    positions = sorted({i for indices in members.values() for i in indices})
    return {
        c: _macro([tallies[i] for i in positions], [items[i] for i in positions], seed)
        for c, tallies in counted.items()
    }


def _macro(tallies: Sequence[Tally], items: Sequence[BenchmarkItem], seed: int) -> Score:
    import numpy as np

    types = [item.type_id for item in items]
    names = sorted(set(types))
    member = np.array([[float(name == wanted) for wanted in names] for name in types])
    shares = np.array([t.right / t.scored if t.scored else 0.0 for t in tallies])[:, None] * member
    scored = np.array([float(t.scored > 0) for t in tallies])[:, None] * member
    clusters = [item.cluster for item in items]
    correct, totals = by_cluster(clusters, shares), by_cluster(clusters, scored)
    plain = score(tallies, items)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = correct.sum(axis=0) / totals.sum(axis=0)
        interval = _macro_interval(correct, totals, seed)
    accuracy = None if np.isnan(means).all() else float(np.nanmean(means))
    update = {"accuracy": accuracy, "low": interval.low, "high": interval.high, "interval_note": interval.note}
    return plain.model_copy(update={**update, "groups": interval.groups, "worst": None, "best": None})


def _macro_interval(correct: "Floats", totals: "Floats", seed: int) -> Interval:
    import numpy as np

    present = totals.sum(axis=1) > 0
    groups = int(present.sum())
    if groups < FEWEST_GROUPS:
        return Interval(groups=groups, note=f"too few groups ({groups})")
    ratios = resampled_ratios(correct[present], totals[present], seed=seed)
    return percentile_interval(np.nanmean(ratios, axis=1), groups=groups)


def _spent(predictions: Iterable[Prediction]) -> dict[Candidate, tuple[float, float | None]]:
    cost: dict[Candidate, float] = defaultdict(float)
    times: dict[Candidate, list[float]] = defaultdict(list)
    for p in predictions:
        cost[p.model, p.setting] += p.cost_usd
        if p.latency_s and not p.cached:
            times[p.model, p.setting].append(p.latency_s)
    return {c: (cost[c], _mean(times[c])) for c in cost}
