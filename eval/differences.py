"""Is one model better than another? Paired differences with a cluster bootstrap, p-values corrected after Holm.

Only items that both models were scored on take part. Groups of videos are resampled together with both models' answers,
so that what is hard for both does not widen the interval.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from eval.candidates import Infos, name_of, suspect_notes
from eval.intervals import FEWEST_GROUPS, alike, by_cluster, percentile_interval, resampled_ratios
from eval.metrics import Candidate, Tally, tally
from eval.tables.table import Cell, Column, Line, Table
from records.base import Record
from records.benchmark import BenchmarkItem, Prediction

if TYPE_CHECKING:
    from eval.intervals import Floats

RESAMPLES = 10_000


class Difference(Record):
    """The first model's accuracy less the second's, on the items that both were scored on."""

    first: tuple[str, str]
    """Model and setting."""
    second: tuple[str, str]
    difference: float | None
    """−1.0 to 1.0; None without a common item."""
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    """Two-sided: how often a resampled difference, centred at zero, is as far out as the one seen."""
    p_holm: float | None = None
    """Corrected for all pairs after Holm."""
    n: int
    groups: int
    note: str = ""


def differences(
    items: Sequence[BenchmarkItem], predictions: Iterable[Prediction], *, seed: int = 0
) -> tuple[Difference, ...]:
    """All pairs of candidates. Raises InputError as `eval.metrics.tally` does."""
    import numpy as np

    counted = tally(items, predictions)
    pairs = list(combinations(counted, 2))
    if not pairs:
        return ()
    gaps = np.array([_gaps(counted[a], counted[b]) for a, b in pairs])
    clusters = [item.cluster for item in items]
    sums, totals = by_cluster(clusters, np.nan_to_num(gaps).T), by_cluster(clusters, (~np.isnan(gaps)).T.astype(float))
    estimates = _estimates(sums, totals, seed)
    found = [_difference(a, b, sums[:, i], totals[:, i], estimates.get(i)) for i, (a, b) in enumerate(pairs)]
    return _corrected(found)


def _gaps(first: Sequence[Tally], second: Sequence[Tally]) -> list[float]:
    """The first's rightness less the second's, an item each; NaN where one of them was not scored."""
    both = zip(first, second, strict=True)
    return [a.right / a.scored - b.right / b.scored if a.scored and b.scored else float("nan") for a, b in both]


def _estimates(sums: "Floats", totals: "Floats", seed: int) -> dict[int, "Floats"]:
    """Resampled differences by pair, for pairs with enough groups."""
    found: dict[int, Floats] = {}
    for present, columns in alike(totals > 0):
        if present.sum() >= FEWEST_GROUPS:
            chosen = sums[present][:, columns], totals[present][:, columns]
            ratios = resampled_ratios(*chosen, resamples=RESAMPLES, seed=seed)
            found |= {column: ratios[:, place] for place, column in enumerate(columns)}
    return found


def _difference(a: Candidate, b: Candidate, sums: "Floats", totals: "Floats", estimates: "Floats | None") -> Difference:
    import numpy as np

    n, groups = int(totals.sum()), int((totals > 0).sum())
    if not n:
        return Difference(first=a, second=b, difference=None, n=0, groups=0, note="no item was scored for both")
    seen = float(sums.sum() / totals.sum())
    if estimates is None:
        return Difference(first=a, second=b, difference=seen, n=n, groups=groups, note=f"too few groups ({groups})")
    interval = percentile_interval(estimates, groups=groups)
    extreme = int((np.abs(estimates - seen) >= abs(seen) - 1e-12).sum())
    p = (1 + extreme) / (1 + len(estimates))
    return Difference(
        first=a, second=b, difference=seen, low=interval.low, high=interval.high, p_value=p, n=n, groups=groups
    )


def _corrected(pairs: Sequence[Difference]) -> tuple[Difference, ...]:
    tested = [i for i, pair in enumerate(pairs) if pair.p_value is not None]
    if not tested:
        return tuple(pairs)
    from statsmodels.stats.multitest import multipletests

    corrected = multipletests([pairs[i].p_value for i in tested], method="holm")[1]
    holm = {i: float(value) for i, value in zip(tested, corrected, strict=True)}
    return tuple(pair.model_copy(update={"p_holm": holm.get(i)}) for i, pair in enumerate(pairs))


def differences_table(found: Sequence[Difference], infos: Infos | None = None) -> Table:
    """The pairs as a table, the surest first."""
    columns = (
        Column(header="Model", kind="text"),
        Column(header="less", kind="text"),
        Column(header="Difference", kind="points"),
        Column(header="p", kind="probability"),
        Column(header="p (Holm)", kind="probability"),
        Column(header="Items", kind="count"),
    )
    ordered = sorted(found, key=lambda d: (d.p_holm is None, d.p_holm or 0.0, -(abs(d.difference or 0.0))))
    notes = [
        "Percentage points on common items; 95 % intervals and p-values by a paired bootstrap of the groups of videos, "
        "p-values corrected for all pairs after Holm."
    ]
    notes += sorted({f"No test where: {d.note}." for d in found if d.note})
    notes += suspect_notes((model for d in found for model, _ in (d.first, d.second)), infos or {})
    lines = tuple(Line(cells=_cells(difference, infos or {})) for difference in ordered)
    return Table(
        name="differences", title="Differences between models", columns=columns, lines=lines, notes=tuple(notes),
        intervals=True,
    )  # fmt: skip


def _cells(d: Difference, infos: Infos) -> tuple[Cell, ...]:
    return (
        Cell(value=name_of(*d.first, infos)),
        Cell(value=name_of(*d.second, infos)),
        Cell(value=d.difference, low=d.low, high=d.high, note=d.note),
        Cell(value=d.p_value),
        Cell(value=d.p_holm),
        Cell(value=d.n),
    )
