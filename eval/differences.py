"""Is one model better than another? Paired differences with a cluster bootstrap, p-values corrected after Holm.

Only items that both models were scored on take part. Groups of videos are resampled together with both models' answers,
so that what is hard for both does not widen the interval.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from eval.intervals import FEWEST_GROUPS, by_cluster, percentile_interval, resample_weights
from eval.metrics import Candidate, Tally, tally
from eval.tables.table import Cell, Column, Line, Table
from records.base import Record
from records.benchmark import BenchmarkItem, Prediction
from records.errors import InputError

if TYPE_CHECKING:
    from eval.intervals import Floats

RESAMPLES = 10_000


class Difference(Record):
    """The first model's accuracy less the second's, on the items that both were scored on."""

    first: str
    second: str
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
    """All pairs of candidates. Raises InputError where statsmodels is not installed."""
    counted = tally(items, predictions)
    pairs = [_pair(a, b, counted[a], counted[b], items, seed) for a, b in combinations(counted, 2)]
    return _corrected(pairs)


def _pair(
    a: Candidate,
    b: Candidate,
    first: Sequence[Tally],
    second: Sequence[Tally],
    items: Sequence[BenchmarkItem],
    seed: int,
) -> Difference:
    import numpy as np

    names = {"first": _name(a), "second": _name(b)}
    common = [i for i in range(len(items)) if first[i].scored and second[i].scored]
    if not common:
        return Difference(**names, difference=None, n=0, groups=0, note="no item was scored for both")
    gaps = np.array([[_share(first[i]) - _share(second[i]), 1.0] for i in common])
    sums = by_cluster([items[i].cluster for i in common], gaps)
    seen = float(gaps[:, 0].mean())
    if len(sums) < FEWEST_GROUPS:
        note = f"too few groups ({len(sums)})"
        return Difference(**names, difference=seen, n=len(common), groups=len(sums), note=note)
    estimates = _resampled(sums, seed)
    interval = percentile_interval(estimates, groups=len(sums))
    extreme = int((np.abs(estimates - seen) >= abs(seen) - 1e-12).sum())
    return Difference(
        **names,
        difference=seen,
        low=interval.low,
        high=interval.high,
        p_value=(1 + extreme) / (1 + len(estimates)),
        n=len(common),
        groups=len(sums),
    )


def _name(candidate: Candidate) -> str:
    model, setting = candidate
    return f"{model} [{setting}]" if setting else model


def _share(counts: Tally) -> float:
    return counts.right / counts.scored


def _resampled(sums: "Floats", seed: int) -> "Floats":
    weights = resample_weights(len(sums), RESAMPLES, seed)
    totals = weights @ sums
    return totals[:, 0] / totals[:, 1]


def _corrected(pairs: Sequence[Difference]) -> tuple[Difference, ...]:
    tested = [i for i, pair in enumerate(pairs) if pair.p_value is not None]
    if not tested:
        return tuple(pairs)
    try:
        from statsmodels.stats.multitest import multipletests
    except ImportError as error:
        raise InputError(
            "comparing models needs statsmodels.", hint="Install it with `pip install 'benchwright[eval]'`."
        ) from error
    corrected = multipletests([pairs[i].p_value for i in tested], method="holm")[1]
    holm = {i: float(value) for i, value in zip(tested, corrected, strict=True)}
    return tuple(pair.model_copy(update={"p_holm": holm.get(i)}) for i, pair in enumerate(pairs))


def differences_table(found: Sequence[Difference]) -> Table:
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
    lines = tuple(Line(cells=_cells(difference)) for difference in ordered)
    return Table(
        name="differences", title="Differences between models", columns=columns, lines=lines, notes=tuple(notes),
        intervals=True,
    )  # fmt: skip


def _cells(d: Difference) -> tuple[Cell, ...]:
    return (
        Cell(value=d.first),
        Cell(value=d.second),
        Cell(value=d.difference, low=d.low, high=d.high, note=d.note),
        Cell(value=d.p_value),
        Cell(value=d.p_holm),
        Cell(value=d.n),
    )
