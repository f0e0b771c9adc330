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


def resample_weights(groups: int, resamples: int = RESAMPLES, seed: int = 0) -> "Floats":
    """How often each group is drawn in each resample: shape (resamples, groups), rows sum to `groups`."""
    import numpy as np

    random = np.random.default_rng(seed)
    return random.multinomial(groups, np.full(groups, 1 / groups), size=resamples).astype(np.float64)


def cluster_intervals(correct: "Floats", totals: "Floats", *, seed: int = 0) -> tuple[Interval, ...]:
    """Percentile bootstrap intervals of Σcorrect/Σtotals, groups resampled with replacement.

    `correct` and `totals` have shape (groups, columns), one column for each model; all columns are resampled alike.
    Groups in which a column counts nothing do not belong to that column's sample.
    """
    return tuple(_column_interval(correct[:, i], totals[:, i], seed) for i in range(correct.shape[1]))


def _column_interval(correct: "Floats", totals: "Floats", seed: int) -> Interval:
    present = totals > 0
    correct, totals = correct[present], totals[present]
    note = _no_interval(correct / totals)
    if note:
        return Interval(groups=len(totals), note=note)
    weights = resample_weights(len(totals), seed=seed)
    return percentile_interval((weights @ correct) / (weights @ totals), groups=len(totals))


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
    sums: Any = np.zeros((len(names), values.shape[1]))
    np.add.at(sums, index, values)
    return sums  # type: ignore[no-any-return]
