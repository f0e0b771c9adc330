"""How far raters agree: people, judges, people with a panel, or two panels. Needs the extra [eval].

``agreement([Rating(item="q1", rater="ann", dimension="correctness", value="pass"), …])`` gives pairwise agreement,
Fleiss' kappa, Krippendorff's alpha and Cohen's kappa a pair, for each dimension and overall, with intervals.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from judges.checks import CHECKS, check_named
from judges.coefficients import (
    NO_PAIRS,
    UNANIMOUS,
    Coefficient,
    cohen_kappa,
    fleiss_kappa,
    interval,
    krippendorff_alpha,
    measured,
    pairwise,
)
from records.base import Record
from records.config import Panel
from records.errors import RunError
from records.verdicts import Check, Item, ItemOutcome, JudgeFailure

if TYPE_CHECKING:
    import numpy as np

    from judges.coefficients import Indexes, Table

SEVERITY_BANDS = ("wrong", "leans wrong", "defensible", "also right")
"""The bands of E.3, for the agreement of judges about pairs: below 0.3, below 0.6, below 1.0, 1.0."""


class Rating(Record):
    """One rater's label for one item in one dimension."""

    item: str
    rater: str
    value: str
    dimension: str = ""
    cluster: str = ""
    """Items that are not independent (of one news group) share a cluster; an item is its own if this is empty."""


class RaterPair(Record):
    """Two raters on the items that both rated."""

    first: str
    second: str
    items: int
    agreement: float | None
    """Share of equal labels; None where no item was rated by both."""
    kappa: Coefficient
    """Cohen's."""


class DimensionAgreement(Record):
    """Everything about one dimension."""

    dimension: str
    labels: tuple[str, ...]
    raters: tuple[str, ...]
    rated_once: int
    """Items that only one rater rated; they say nothing about agreement and are left out."""
    pairwise: Coefficient
    fleiss: Coefficient
    alpha: Coefficient
    """Krippendorff's, nominal."""
    alpha_ordinal: Coefficient | None = None
    """Only where the labels' order is given."""
    pairs: tuple[RaterPair, ...] = ()


class AgreementReport(Record):
    """Agreement by dimension and overall."""

    dimensions: tuple[DimensionAgreement, ...]
    overall: Coefficient
    """Fleiss' kappa, the mean over the dimensions that have one (as VNU-Bench D.2 reports it)."""
    pooled: Coefficient
    """Fleiss' kappa of all dimensions' ratings taken as one table."""


def agreement(
    ratings: Iterable[Rating], *, scale: Sequence[str] = (), resamples: int = 1000, seed: int = 0
) -> AgreementReport:
    """Agreement among raters (VNU-Bench 2.5 and D.2), with 95 % bootstrap intervals over items or clusters.

    `scale` gives the labels from worst to best: ordinal alpha is computed with it, and a label outside it is refused.
    Raters may have rated different items and in different numbers; only items with two ratings or more count.
    Unanimous ratings have no kappa or alpha: the coefficient is undefined with observed agreement 1.0.

    Raises ValueError for two ratings of one item by one rater in one dimension, and for a label outside `scale`;
    ConfigurationError where the extra [eval] is not installed.
    """
    rated = tuple(ratings)
    _refuse_doubles(rated)
    names = tuple(dict.fromkeys(rating.dimension for rating in rated))
    tables = [_Ratings([r for r in rated if r.dimension == name], scale) for name in names]
    bootstrap = {"resamples": resamples, "seed": seed}
    dimensions = tuple(_dimension(name, table, scale, bootstrap) for name, table in zip(names, tables, strict=True))
    return AgreementReport(
        dimensions=dimensions,
        overall=_overall(dimensions, tables, bootstrap),
        pooled=_pooled(rated, scale, bootstrap),
    )


class _Ratings:
    """One dimension's ratings as a table of counts over the items that have at least two."""

    def __init__(self, ratings: Sequence[Rating], scale: Sequence[str]) -> None:
        import numpy as np

        self.labels = tuple(scale) or tuple(sorted({rating.value for rating in ratings}))
        outside = sorted({rating.value for rating in ratings} - set(self.labels))
        if outside:
            raise ValueError(f"the labels {', '.join(outside)} are not on the scale {', '.join(self.labels)}")
        counts = Counter(rating.item for rating in ratings)
        self.items = [item for item, count in counts.items() if count > 1]
        self.rated_once = len(counts) - len(self.items)
        self.raters = tuple(dict.fromkeys(rating.rater for rating in ratings))
        numbers = {item: number for number, item in enumerate(self.items)}
        columns = {label: number for number, label in enumerate(self.labels)}
        self.codes = np.full((len(self.items), len(self.raters)), -1)
        self.table: Table = np.zeros((len(self.items), len(self.labels)))
        clusters = {rating.item: rating.cluster or rating.item for rating in ratings}
        self.clusters = [clusters[item] for item in self.items]
        for rating in ratings:
            if rating.item in numbers:
                row, column = numbers[rating.item], columns[rating.value]
                self.table[row, column] += 1
                self.codes[row, self.raters.index(rating.rater)] = column

    @property
    def observed(self) -> float | None:
        return pairwise(self.table) if self.items else None

    def kappa(self, rows: "Indexes") -> float | None:
        return fleiss_kappa(self.table[rows])


def _dimension(name: str, found: _Ratings, scale: Sequence[str], bootstrap: dict[str, int]) -> DimensionAgreement:
    common = {"observed": found.observed, "ratings": int(found.table.sum()), **bootstrap}

    def of(title: str, statistic: "object") -> Coefficient:
        return measured(title, found.clusters, statistic, **common)  # type: ignore[arg-type]

    ordinal = of("Krippendorff's alpha, ordinal", lambda rows: krippendorff_alpha(found.table[rows], "ordinal"))
    return DimensionAgreement(
        dimension=name,
        labels=found.labels,
        raters=found.raters,
        rated_once=found.rated_once,
        pairwise=of("pairwise agreement", lambda rows: pairwise(found.table[rows])),
        fleiss=of("Fleiss' kappa", found.kappa),
        alpha=of("Krippendorff's alpha, nominal", lambda rows: krippendorff_alpha(found.table[rows], "nominal")),
        alpha_ordinal=ordinal if scale else None,
        pairs=tuple(_pair(found, first, second, bootstrap) for first, second in combinations(found.raters, 2)),
    )


def _pair(found: _Ratings, first: str, second: str, bootstrap: dict[str, int]) -> RaterPair:
    """Two raters; items that only one of them rated are left out."""
    import numpy as np

    one, two = (found.codes[:, found.raters.index(rater)] for rater in (first, second))
    both = np.flatnonzero((one >= 0) & (two >= 0))
    share = float((one[both] == two[both]).mean()) if len(both) else None
    kappa = measured(
        "Cohen's kappa",
        [found.clusters[row] for row in both],
        lambda rows: cohen_kappa(one[both][rows], two[both][rows], len(found.labels)),
        observed=share,
        ratings=2 * len(both),
        **bootstrap,
    )
    return RaterPair(first=first, second=second, items=len(both), agreement=share, kappa=kappa)


def _overall(
    dimensions: Sequence[DimensionAgreement], tables: Sequence[_Ratings], bootstrap: dict[str, int]
) -> Coefficient:
    """The mean of the dimensions' kappas; items are drawn once a resample for all dimensions."""
    name = "Fleiss' kappa, mean over dimensions"
    defined = [table for table, found in zip(tables, dimensions, strict=True) if found.fleiss.value is not None]
    observed = [found.fleiss.observed for found in dimensions if found.fleiss.observed is not None]
    mean_observed = sum(observed) / len(observed) if observed else None
    if not defined:
        why = UNANIMOUS if observed else NO_PAIRS
        items, ratings = _extent(tables)
        return Coefficient(name=name, value=None, observed=mean_observed, undefined=why, items=items, ratings=ratings)
    items, ratings = _extent(defined)
    value = sum(table.kappa(_all_rows(table)) or 0.0 for table in defined) / len(defined)
    low, high, why = _overall_interval(defined, bootstrap)
    left_out = [found.dimension for found in dimensions if found.fleiss.value is None]
    note = f"without {', '.join(left_out)} (undefined)" if left_out else ""
    return Coefficient(
        name=name,
        value=value,
        low=low,
        high=high,
        observed=mean_observed,
        no_interval="; ".join(filter(None, (why, note))),
        items=items,
        ratings=ratings,
    )


def _extent(tables: Sequence[_Ratings]) -> tuple[int, int]:
    """Different items with two ratings or more, and their ratings, over several dimensions."""
    return len({item for table in tables for item in table.items}), sum(int(table.table.sum()) for table in tables)


def _all_rows(table: _Ratings) -> "Indexes":
    import numpy as np

    return np.arange(len(table.items))


def _overall_interval(tables: Sequence[_Ratings], bootstrap: dict[str, int]) -> tuple[float | None, float | None, str]:
    """Rows of all dimensions side by side; a cluster's rows go together through all of them."""
    import numpy as np

    clusters = [cluster for table in tables for cluster in table.clusters]
    starts = np.cumsum([0, *(len(table.items) for table in tables)])

    def mean(rows: "np.ndarray[tuple[int], np.dtype[np.intp]]") -> float | None:
        values = []
        for table, start, end in zip(tables, starts, starts[1:], strict=False):
            own = rows[(rows >= start) & (rows < end)] - start
            value = table.kappa(own) if len(own) else None
            if value is None:
                return None
            values.append(value)
        return sum(values) / len(values)

    return interval(clusters, mean, **bootstrap)


def _pooled(ratings: Sequence[Rating], scale: Sequence[str], bootstrap: dict[str, int]) -> Coefficient:
    """All dimensions in one table: an item counts once for each dimension."""
    one = _Ratings(
        [
            rating.model_copy(
                update={
                    "item": f"{rating.item}\0{rating.dimension}",
                    "cluster": rating.cluster or rating.item,
                    "dimension": "",
                }
            )
            for rating in ratings
        ],
        scale,
    )
    return measured(
        "Fleiss' kappa, pooled over dimensions",
        one.clusters,
        one.kappa,
        observed=one.observed,
        ratings=int(one.table.sum()),
        **bootstrap,
    )


def _refuse_doubles(ratings: Sequence[Rating]) -> None:
    counts = Counter((rating.dimension, rating.item, rating.rater) for rating in ratings)
    for (dimension, item, rater), count in counts.items():
        if count > 1:
            where = f" in {dimension}" if dimension else ""
            raise ValueError(f"{rater} rated {item} {count} times{where}; keep the rating that holds")


# --- judges ----------------------------------------------------------------------------------------------------------


def judge_agreement(items: Sequence[Item], panel: Panel, *, resamples: int = 1000, seed: int = 0) -> AgreementReport:
    """Agreement between the seats of one panel; the dimensions are the checks, the clusters the groups.

    Solvability and difficulty compare votes (key with confidence, or not), blind the right letter, ambiguity the bands
    of severity. Raises RunError where calls were left out by the frugal schedule: what was not asked depends on what
    the cheap seats said, so a statistic of the rest would be biased.
    """
    refuse_incomplete(items)
    return agreement(judge_ratings(items, panel), resamples=resamples, seed=seed)


def judge_ratings(items: Iterable[Item], panel: Panel) -> tuple[Rating, ...]:
    """Every verdict as a rating: one item a call unit, one rater a seat. Failures are no ratings."""
    return tuple(
        Rating(
            item=f"{item.item_id}/{verdict.check}/{verdict.unit}",
            rater=verdict.seat,
            value=label,
            dimension=verdict.check,
            cluster=item.question.group_id or item.item_id,
        )
        for item in items
        for verdict in item.verdicts
        if not isinstance(verdict, JudgeFailure)
        and (label := _label(verdict.check, check_named(verdict.check).vote_of(verdict, item.question, panel)))
    )


def _label(check: Check, vote: float | None) -> str:
    if vote is None:
        return ""
    if check == "ambiguity":
        return severity_band(vote)
    return "key" if vote else "other"


def severity_band(severity: float) -> str:
    """The band of a severity, the gaps between the paper's bands going to the lower one."""
    wrong, leans, defensible, right = SEVERITY_BANDS
    if severity >= 1.0:
        return right
    return wrong if severity < 0.3 else leans if severity < 0.6 else defensible


def is_complete(item: Item) -> bool:
    """Whether every configured seat was asked everything about this item (failures count as asked)."""
    asked = Counter((verdict.check, verdict.unit) for verdict in item.verdicts if not verdict.replaces)
    decided = {decision.check: decision for decision in item.decisions if decision.units}
    return all(
        asked[(check.name, call)] >= unit.seats
        for check in CHECKS
        if check.name in decided
        for unit in decided[check.name].units
        for call in check.calls(unit.unit, item.question)
    )


def refuse_incomplete(items: Iterable[Item]) -> None:
    """Raises RunError where statistics about judges would rest on verdicts that the frugal schedule chose."""
    lacking = [item.item_id for item in items if item.removed_by != "crossed" and not is_complete(item)]
    if lacking:
        raise RunError(
            f"{len(lacking)} items lack verdicts that the frugal schedule did not ask for (such as {lacking[0]}).",
            hint="Statistics about judges need all of them: run again with --complete.",
        )


# --- panels ----------------------------------------------------------------------------------------------------------


class Change(Record):
    """An item on which two panels differ."""

    item_id: str
    before: ItemOutcome
    before_by: Check | None = None
    after: ItemOutcome
    after_by: Check | None = None


class CheckComparison(Record):
    """One check on the items that both panels put to it."""

    check: Check
    items: int
    agreement: float
    kappa: Coefficient


class PanelComparison(Record):
    """What changed from one judgement set to another, and how far the panels agree."""

    before: str
    """Judgement set."""
    after: str
    items: int
    """Items that both panels judged."""
    only_before: int = 0
    only_after: int = 0
    table: dict[ItemOutcome, dict[ItemOutcome, int]]
    """Outcome before → outcome after → items."""
    changes: tuple[Change, ...] = ()
    """In order of item id; also items that both remove, by different checks."""
    agreement: Coefficient
    """Share of items that both panels keep, or both remove; items that one leaves undecided are not counted."""
    kappa: Coefficient
    """Cohen's, on the same items."""
    checks: tuple[CheckComparison, ...] = ()
    """Empty where a frugal run asked one of the panels too little (`note` says so)."""
    note: str = ""


def compare_panels(
    items_a: Sequence[Item], items_b: Sequence[Item], *, resamples: int = 1000, seed: int = 0
) -> PanelComparison:
    """Compare two judgements of the same drafts, matched by item id.

    Outcomes and removing checks are the same under both schedules, so they can always be compared. Agreement check by
    check needs complete verdicts, since a frugal run puts fewer items to the later checks.
    """
    before, after = ({item.item_id: item for item in items} for items in (items_a, items_b))
    both = sorted(before.keys() & after.keys())
    pairs = [(before[name], after[name]) for name in both]
    decided = [(a, b) for a, b in pairs if "undecided" not in (a.outcome, b.outcome)]
    bootstrap = {"resamples": resamples, "seed": seed}
    share, kappa = _two_raters(
        [(a.outcome, b.outcome, a.question.group_id or a.item_id) for a, b in decided], bootstrap
    )
    complete = all(is_complete(item) for pair in pairs for item in pair)
    return PanelComparison(
        before=_set_name(items_a),
        after=_set_name(items_b),
        items=len(both),
        only_before=len(before) - len(both),
        only_after=len(after) - len(both),
        table=_cross_table(pairs),
        changes=tuple(_change(a, b) for a, b in pairs if (a.outcome, a.removed_by) != (b.outcome, b.removed_by)),
        agreement=share,
        kappa=kappa,
        checks=tuple(_check_comparisons(pairs, bootstrap)) if complete else (),
        note="" if complete else "check by check the panels can be compared on complete verdicts only (--complete)",
    )


def _set_name(items: Sequence[Item]) -> str:
    return items[0].judgement_set if items else ""


def _change(a: Item, b: Item) -> Change:
    return Change(item_id=a.item_id, before=a.outcome, before_by=a.removed_by, after=b.outcome, after_by=b.removed_by)


def _cross_table(pairs: Sequence[tuple[Item, Item]]) -> dict[ItemOutcome, dict[ItemOutcome, int]]:
    counts = Counter((a.outcome, b.outcome) for a, b in pairs)
    outcomes: tuple[ItemOutcome, ...] = ("kept", "removed", "undecided")
    return {one: {two: counts[(one, two)] for two in outcomes} for one in outcomes}


def _check_comparisons(pairs: Sequence[tuple[Item, Item]], bootstrap: dict[str, int]) -> Iterable[CheckComparison]:
    for check in CHECKS:
        found = []
        for a, b in pairs:
            one, two = (
                next((decision.outcome for decision in item.decisions if decision.check == check.name), "off")
                for item in (a, b)
            )
            if {one, two} <= {"passed", "removed"}:
                found.append((one, two, a.question.group_id or a.item_id))
        if found:
            share, kappa = _two_raters(found, bootstrap)
            yield CheckComparison(check=check.name, items=len(found), agreement=share.value or 0.0, kappa=kappa)


def _two_raters(labels: Sequence[tuple[str, str, str]], bootstrap: dict[str, int]) -> tuple[Coefficient, Coefficient]:
    """Agreement and Cohen's kappa of (first label, second label, cluster)."""
    import numpy as np

    names = sorted({label for one, two, _ in labels for label in (one, two)})
    one, two = (np.array([names.index(row[side]) for row in labels], dtype=np.intp) for side in (0, 1))
    clusters = [row[2] for row in labels]
    observed = float((one == two).mean()) if labels else None
    common = {"observed": observed, "ratings": 2 * len(labels), **bootstrap}
    share = measured("agreement", clusters, lambda rows: float((one[rows] == two[rows]).mean()), **common)  # type: ignore[arg-type]
    kappa = measured("Cohen's kappa", clusters, lambda rows: cohen_kappa(one[rows], two[rows], len(names)), **common)  # type: ignore[arg-type]
    return share, kappa
