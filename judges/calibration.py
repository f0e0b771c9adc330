"""The judges are judged: seats, thresholds and smaller panels against what is known about the questions. Pure.

``calibrate(items, panel, truths, costs)`` decides the same verdicts anew as each seat alone would, as each threshold
would, and as each subset of the seats would, and compares every decision with people's (or a labelled file's) verdict.
Needs complete verdicts: what a frugal schedule left out is not missing at random.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, product

from judges.agreement import refuse_incomplete
from judges.coefficients import cohen_kappa
from judges.decide import Judgement, decide
from records.base import Record
from records.config import Checks, Combiner, Panel
from records.verdicts import Check, Item, JudgeFailure

CONFIDENCES = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.99)
SEVERITIES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
COMBINERS: tuple[Combiner, ...] = ("median", "mean", "max")
ASKED: tuple[Check, ...] = ("solvability", "ambiguity", "difficulty", "blind")


class Truth(Record):
    """What is known about one question."""

    item_id: str
    bad: bool
    """Whether it should have been removed."""
    kind: str = ""
    """Such as ``ambiguous``, or who says so."""


class Fit(Record):
    """Decisions compared with the truth; removing is what is to be found."""

    removed_bad: int = 0
    removed_good: int = 0
    kept_bad: int = 0
    kept_good: int = 0
    undecided: int = 0
    """Without a decision; counted nowhere else."""

    @property
    def items(self) -> int:
        """Decided items."""
        return self.removed_bad + self.removed_good + self.kept_bad + self.kept_good

    @property
    def precision(self) -> float | None:
        """Share of the removed that deserved it; None where nothing was removed."""
        return _ratio(self.removed_bad, self.removed_bad + self.removed_good)

    @property
    def recall(self) -> float | None:
        """Share of the bad that was removed; None where there is none."""
        return _ratio(self.removed_bad, self.removed_bad + self.kept_bad)

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall."""
        return _ratio(2 * self.removed_bad, 2 * self.removed_bad + self.removed_good + self.kept_bad)

    @property
    def kappa(self) -> float | None:
        """Cohen's, of decision and truth; None where chance agreement is 1."""
        import numpy as np

        if not self.items:
            return None
        counts = (self.removed_bad, self.removed_good, self.kept_bad, self.kept_good)
        said = np.repeat(np.array([1, 1, 0, 0], dtype=np.intp), counts)
        true = np.repeat(np.array([1, 0, 1, 0], dtype=np.intp), counts)
        return cohen_kappa(said, true, 2)


class SeatFit(Record):
    """One seat as a panel of its own."""

    seat: str
    model: str
    fit: Fit
    by_check: dict[Check, Fit]
    """Each check's own removals against the truth."""
    failures: int
    """Calls that gave no verdict."""
    cost_usd: float


class RuleFit(Record):
    """One decision rule at one threshold, the other rules as the panel has them."""

    check: Check
    threshold: float
    combine: Combiner | None = None
    """Of severities, for the ambiguity check."""
    alone: Fit
    """Removals by this check alone."""
    panel: Fit
    """Removals by the whole panel."""
    current: bool = False
    """As the panel is set."""


class JointFit(Record):
    """The best thresholds of all checks together, on these very items."""

    thresholds: dict[Check, float]
    combine: Combiner
    fit: Fit


class SubsetFit(Record):
    """A smaller panel, deciding from the same verdicts."""

    seats: tuple[str, ...]
    alike: float | None
    """Share of the items on which it decides as the full panel does (keep or remove)."""
    fit: Fit
    cost_usd: float


class Calibration(Record):
    """Everything about one judgement set."""

    items: int
    bad: int
    panel: Fit
    by_kind: dict[str, dict[str, int]]
    """Kind of truth → what happened (kept, undecided, or the removing check) → items."""
    seats: tuple[SeatFit, ...]
    rules: tuple[RuleFit, ...]
    best: JointFit | None
    subsets: tuple[SubsetFit, ...]
    cheapest: SubsetFit | None
    """The cheapest panel that decides alike, the full one included."""


def calibrate(
    items: Sequence[Item], panel: Panel, truths: Iterable[Truth], costs: Mapping[str, float], *, alike: float = 1.0
) -> Calibration:
    """Compare a judgement set with the truth. `costs` are US dollars by request id; items without a truth are left out.

    `alike`: share of the items on which a smaller panel has to decide as the full one does. Raises RunError where
    verdicts are missing that the frugal schedule did not ask for.
    """
    known = {truth.item_id: truth for truth in truths}
    mine = tuple(item for item in items if item.item_id in known)
    refuse_incomplete(mine)
    outcomes = _outcomes(mine, panel)
    redecided = _redecided(mine, panel)
    subsets = _subsets(mine, panel, known, costs, outcomes)
    fitting = [one for one in subsets if one.alike is not None and one.alike >= alike]
    return Calibration(
        items=len(mine),
        bad=sum(known[item.item_id].bad for item in mine),
        panel=_fit(outcomes, mine, known),
        by_kind=_by_kind(mine, known, panel),
        seats=tuple(_seat(mine, panel, seat.seat, known, costs) for seat in panel.judges),
        rules=_rules(redecided, mine, panel, known),
        best=_best(redecided, mine, panel, known),
        subsets=subsets,
        cheapest=min(fitting, key=lambda one: (one.cost_usd, len(one.seats)), default=None),
    )


# --- deciding anew ---------------------------------------------------------------------------------------------------

Outcomes = tuple[bool | None, ...]
"""Removed, kept or (None) undecided, item by item."""


def judged(item: Item, panel: Panel, seats: Iterable[str] | None = None) -> Judgement:
    """What these verdicts say under another panel; with `seats`, what those seats alone would have decided."""
    said = item.verdicts
    if seats is not None:
        chosen = frozenset(seats)
        said = tuple(verdict for verdict in said if verdict.seat in chosen)
    return decide(item.question, said, panel, tuple(sorted(item.question.sources)))


def smaller(panel: Panel, seats: Iterable[str]) -> Panel:
    """The panel with only these seats, no reserves, and a majority of its own."""
    chosen = frozenset(seats)
    checks = panel.checks.model_copy(update={"min_votes": None})
    judges = tuple(seat for seat in panel.judges if seat.seat in chosen)
    return panel.model_copy(update={"judges": judges, "reserves": (), "checks": checks})


def _outcomes(items: Iterable[Item], panel: Panel, seats: Iterable[str] | None = None) -> Outcomes:
    return tuple(_removed(judged(item, panel, seats)) for item in items)


def _removed(made: Judgement) -> bool | None:
    return {"removed": True, "kept": False, "undecided": None}[made.outcome]


def _says(made: Judgement, check: Check) -> bool | None:
    """Whether one check removes."""
    outcome = next(decision.outcome for decision in made.decisions if decision.check == check)
    return {"removed": True, "passed": False}.get(outcome)


def _fit(outcomes: Outcomes, items: Sequence[Item], known: Mapping[str, Truth]) -> Fit:
    counts: Counter[str] = Counter()
    for item, removed in zip(items, outcomes, strict=True):
        bad = known[item.item_id].bad
        did = "undecided" if removed is None else f"{'removed' if removed else 'kept'}_{'bad' if bad else 'good'}"
        counts[did] += 1
    return Fit(**counts)


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _by_kind(items: Iterable[Item], known: Mapping[str, Truth], panel: Panel) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for item in items:
        made = judged(item, panel)
        counts.setdefault(known[item.item_id].kind, Counter())[made.removed_by or made.outcome] += 1
    return {kind: dict(found) for kind, found in sorted(counts.items())}


# --- seats and smaller panels ----------------------------------------------------------------------------------------


def _seat(
    items: Sequence[Item], panel: Panel, seat: str, known: Mapping[str, Truth], costs: Mapping[str, float]
) -> SeatFit:
    alone = smaller(panel, (seat,))
    made = tuple(judged(item, alone, (seat,)) for item in items)
    mine = [verdict for item in items for verdict in item.verdicts if verdict.seat == seat]
    return SeatFit(
        seat=seat,
        model=next(spec.model for spec in panel.judges if spec.seat == seat),
        fit=_fit(tuple(_removed(one) for one in made), items, known),
        by_check={check: _fit(_column(made, check), items, known) for check in _run(panel)},
        failures=sum(isinstance(verdict, JudgeFailure) for verdict in mine),
        cost_usd=sum(costs.get(verdict.request_id, 0.0) for verdict in mine),
    )


def _run(panel: Panel) -> tuple[Check, ...]:
    """The checks that the panel runs."""
    return tuple(check for check in ASKED if getattr(panel.checks, check).enabled)


def _subsets(
    items: Sequence[Item], panel: Panel, known: Mapping[str, Truth], costs: Mapping[str, float], full: Outcomes
) -> tuple[SubsetFit, ...]:
    names = [seat.seat for seat in panel.judges]
    spent = {name: _spent(items, name, costs) for name in names}
    found = []
    for size in range(1, len(names) + 1):
        for seats in combinations(names, size):
            whole = size == len(names)
            outcomes = full if whole else _outcomes(items, smaller(panel, seats), seats)
            found.append(
                SubsetFit(
                    seats=seats,
                    alike=_alike(outcomes, full),
                    fit=_fit(outcomes, items, known),
                    cost_usd=sum(spent[name] for name in seats),
                )
            )
    return tuple(found)


def _spent(items: Iterable[Item], seat: str, costs: Mapping[str, float]) -> float:
    return sum(costs.get(v.request_id, 0.0) for item in items for v in item.verdicts if v.seat == seat)


def _alike(one: Outcomes, other: Outcomes) -> float | None:
    return sum(a == b for a, b in zip(one, other, strict=True)) / len(one) if one else None


# --- decision rules over thresholds ----------------------------------------------------------------------------------


def _with(panel: Panel, check: Check, threshold: float, combine: Combiner | None = None) -> Panel:
    """The panel with another threshold of one check."""
    settings = getattr(panel.checks, check)
    if check == "ambiguity":
        settings = settings.model_copy(update={"severity": threshold, "combine": combine or settings.combine})
    else:
        settings = settings.model_copy(update={"confidence": threshold})
    checks: Checks = panel.checks.model_copy(update={check: settings})
    return panel.model_copy(update={"checks": checks})


def _grid(panel: Panel, check: Check) -> tuple[tuple[float, Combiner | None], ...]:
    """The thresholds that are tried, the panel's own among them."""
    if check == "ambiguity":
        own = panel.checks.ambiguity.severity
        return tuple((value, combine) for combine in COMBINERS for value in sorted({*SEVERITIES, own}))
    own = getattr(panel.checks, check).confidence
    return tuple((value, None) for value in sorted({*CONFIDENCES, own}))


def _is_current(panel: Panel, check: Check, threshold: float, combine: Combiner | None) -> bool:
    if check == "ambiguity":
        return (threshold, combine) == (panel.checks.ambiguity.severity, panel.checks.ambiguity.combine)
    return bool(threshold == getattr(panel.checks, check).confidence)


def _graded(panel: Panel) -> tuple[Check, ...]:
    """The checks that have a threshold; the blind check has none."""
    return tuple(check for check in _run(panel) if check != "blind")


Place = tuple[float, Combiner | None]
"""A threshold, and for the ambiguity check how severities are combined."""
Redecided = dict[Check, dict[Place, tuple[Judgement, ...]]]
"""Every item's judgement at every place of every check's grid."""


def _redecided(items: Sequence[Item], panel: Panel) -> Redecided:
    return {
        check: {
            place: tuple(judged(item, _with(panel, check, *place)) for item in items) for place in _grid(panel, check)
        }
        for check in _graded(panel)
    }


def _column(made: Iterable[Judgement], check: Check) -> Outcomes:
    return tuple(_says(judgement, check) for judgement in made)


def _rules(made: Redecided, items: Sequence[Item], panel: Panel, known: Mapping[str, Truth]) -> tuple[RuleFit, ...]:
    return tuple(
        RuleFit(
            check=check,
            threshold=threshold,
            combine=combine,
            alone=_fit(_column(judgements, check), items, known),
            panel=_fit(tuple(_removed(one) for one in judgements), items, known),
            current=_is_current(panel, check, threshold, combine),
        )
        for check, places in made.items()
        for (threshold, combine), judgements in places.items()
    )


def _best(made: Redecided, items: Sequence[Item], panel: Panel, known: Mapping[str, Truth]) -> JointFit | None:
    """The thresholds with the best F1 over the whole product; ties go to the fewest removals of good items.

    A removal by any check removes, so that each check is decided once a threshold and then combined.
    """
    if not made or not items:
        return None
    rest = tuple(_rest_removes(item, panel, made) for item in items)
    choices = [
        [(place, _column(judgements, check)) for place, judgements in places.items()] for check, places in made.items()
    ]
    best = max(product(*choices), key=_merit(items, known, rest))
    combine = next((place[1] for place, _ in best if place[1]), panel.checks.ambiguity.combine)
    return JointFit(
        thresholds={check: place[0] for check, (place, _) in zip(made, best, strict=True)},
        combine=combine,
        fit=_fit(_either(rest, [column for _, column in best]), items, known),
    )


Chosen = tuple[tuple[Place, Outcomes], ...]


def _rest_removes(item: Item, panel: Panel, checks: Iterable[Check]) -> bool | None:
    """What the checks without a threshold say (crossed, blind)."""
    graded = frozenset(checks)
    found = [decision.outcome for decision in judged(item, panel).decisions if decision.check not in graded]
    if "removed" in found:
        return True
    return None if "undecided" in found else False


def _either(rest: Outcomes, columns: Sequence[Outcomes]) -> Outcomes:
    """Removed if any check removes, else undecided if any lacks votes, else kept."""
    return tuple(True if True in row else (None if None in row else False) for row in zip(rest, *columns, strict=True))


def _merit(items: Sequence[Item], known: Mapping[str, Truth], rest: Outcomes) -> Callable[[Chosen], tuple[float, int]]:
    bad = tuple(known[item.item_id].bad for item in items)

    def merit(chosen: Chosen) -> tuple[float, int]:
        outcomes = _either(rest, [column for _, column in chosen])
        hit = sum(removed is True and wrong for removed, wrong in zip(outcomes, bad, strict=True))
        false = sum(removed is True and not wrong for removed, wrong in zip(outcomes, bad, strict=True))
        missed = sum(removed is False and wrong for removed, wrong in zip(outcomes, bad, strict=True))
        score = 2 * hit / (2 * hit + false + missed) if hit else 0.0
        return score, -false

    return merit
