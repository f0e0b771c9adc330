"""Intervals: Wilson for plain counts, and a bootstrap that resamples whole groups for accuracies.

Questions about one group of videos are not independent, so accuracies are resampled by group; below ten groups no
interval is given, because a percentile bootstrap of so few is too narrow. Seeded: equal data, equal intervals.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from records.base import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FEWEST_GROUPS = 10
RESAMPLES = 2000
CONFIDENCE = 0.95


class Interval(Record):
    """Bounds of an estimate, or the reason why there are none."""

    low: float | None = None
    high: float | None = None
    groups: int = 0
    """How many groups were resampled."""
    note: str = ""
    """Why there is no interval, such as ``too few groups (4)``."""


def wilson(successes: int, trials: int, confidence: float = CONFIDENCE) -> Interval:
    """The Wilson score interval of a share of independent trials; no bounds for no trials."""
    if not trials:
        return Interval(note="nothing to count")
    from scipy.stats import binomtest

    bounds = binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    return Interval(low=float(bounds.low), high=float(bounds.high), groups=trials)


def resampled_ratios(
    numerators: "Floats", denominators: "Floats", *, resamples: int = RESAMPLES, seed: int = 0
) -> "Floats":
    """Σnumerators/Σdenominators over groups drawn with replacement: shape (resamples, columns).

    Both inputs have shape (groups, columns); all columns see the same draws. NaN where a draw counts nothing.
    """
    import numpy as np

    groups, columns = numerators.shape
    random = np.random.default_rng(seed)
    values = np.hstack([numerators, denominators])
    sums = np.empty((resamples, 2 * columns))
    step = max(1, _MOST_CELLS // max(1, groups))
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        sums[start : start + rows] = _draw_counts(random, rows, groups) @ values
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums[:, :columns] / sums[:, columns:]


_MOST_CELLS = 4_000_000
"""Group counts held in memory at a time."""


def _draw_counts(random: Any, rows: int, groups: int) -> "Floats":
    """How often each group is drawn in each of `rows` resamples: shape (rows, groups), rows sum to `groups`."""
    import numpy as np

    drawn = random.integers(groups, size=(rows, groups)) + groups * np.arange(rows)[:, None]
    return np.bincount(drawn.ravel(), minlength=rows * groups).reshape(rows, groups).astype(np.float64)


def cluster_intervals(correct: "Floats", totals: "Floats", *, seed: int = 0) -> tuple[Interval, ...]:
    """Percentile bootstrap intervals of Σcorrect/Σtotals, groups resampled with replacement.

    `correct` and `totals` have shape (groups, columns), one column for each model. Groups in which a column counts
    nothing do not belong to that column's sample; columns with the same groups are resampled alike.
    """
    found: dict[int, Interval] = {}
    for present, columns in alike(totals > 0):
        shares = correct[present][:, columns] / totals[present][:, columns]
        estimates = None
        for place, column in enumerate(columns):
            note = _no_interval(shares[:, place])
            if not note and estimates is None:
                estimates = resampled_ratios(correct[present][:, columns], totals[present][:, columns], seed=seed)
            groups = len(shares)
            found[column] = (
                Interval(groups=groups, note=note)
                if note or estimates is None
                else percentile_interval(estimates[:, place], groups=groups)
            )
    return tuple(found[column] for column in range(correct.shape[1]))


def alike(present: Any) -> "list[tuple[Any, list[int]]]":
    """Columns of a boolean array (groups × columns) put together by equal content: (rows that are true, columns)."""
    together: dict[bytes, list[int]] = {}
    for column in range(present.shape[1]):
        together.setdefault(present[:, column].tobytes(), []).append(column)
    return [(present[:, columns[0]], columns) for columns in together.values()]


def _no_interval(shares: "Floats") -> str:
    if len(shares) < FEWEST_GROUPS:
        return f"too few groups ({len(shares)})"
    if shares.min() == shares.max():
        return "every group has the same accuracy"
    return ""


def percentile_interval(estimates: "Floats", *, groups: int, confidence: float = CONFIDENCE) -> Interval:
    """The middle `confidence` of bootstrap estimates; estimates that are not numbers are left out."""
    import numpy as np

    tail = 50 * (1 - confidence)
    low, high = np.nanpercentile(estimates, [tail, 100 - tail])
    return Interval(low=float(low), high=float(high), groups=groups)


def by_cluster(clusters: Sequence[str], values: "Floats") -> "Floats":
    """Sums the rows of `values` (items × columns) that share a cluster: shape (clusters, columns), clusters sorted."""
    import numpy as np

    names, index = np.unique(np.asarray(clusters, dtype=object).astype(str), return_inverse=True)
    sums: Floats = np.zeros((len(names), values.shape[1]))
    np.add.at(sums, index, values)
    return sums
