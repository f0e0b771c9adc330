"""Coefficients of agreement on a table of counts, and their bootstrap intervals. Needs the extra [eval].

A table has one row an item and one column a label: how many raters gave that label. Numbers come from statsmodels
(Fleiss, Cohen) and krippendorff (alpha); what is written here is the case that they leave out (unequal numbers of
raters) and the cases in which a coefficient has no value, which are said in words and are never NaN.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from records.base import Record
from records.errors import ConfigurationError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Table = NDArray[np.float64]
    Indexes = NDArray[np.intp]

LEAST_CLUSTERS = 10
"""With fewer independent items (or groups) an interval would be a pretence."""
UNANIMOUS = "every rating is the same, so agreement by chance is certain too"
NO_PAIRS = "no item was rated by two raters"


class Coefficient(Record):
    """One number about agreement, or the reason why there is none."""

    name: str
    """Such as ``Fleiss' kappa``."""
    value: float | None
    low: float | None = None
    """95 % percentile bootstrap interval; None where there is none."""
    high: float | None = None
    observed: float | None = None
    """Observed agreement, 0.0–1.0: the share of equal pairs of ratings of the same item."""
    undefined: str = ""
    """Why there is no value, such as unanimity (then `observed` is 1.0)."""
    no_interval: str = ""
    """Why there is no interval, or how many resamples had to be left out of it."""
    items: int = 0
    """Items with at least two ratings."""
    ratings: int = 0
    """Ratings of these items."""


def pairwise(table: "Table") -> float:
    """Observed agreement: equal pairs of ratings of the same item over all such pairs. Every pair weighs alike."""
    raters = table.sum(axis=1)
    return float((table * (table - 1)).sum() / (raters * (raters - 1)).sum())


def fleiss_kappa(table: "Table") -> float | None:
    """Fleiss' kappa (Fleiss 1971); None where chance agreement is 1.

    With unequal numbers of raters the item's agreement is taken over its own pairs and the labels' shares over all
    ratings, which is the same formula with n_i for n (as in Gwet, Handbook of Inter-Rater Reliability, 2014, ch. 2).
    """
    shares = table.sum(axis=0) / table.sum()
    if (shares == 1).any():
        return None
    raters = table.sum(axis=1)
    if (raters == raters[0]).all():
        return float(_statsmodels().fleiss_kappa(table))
    expected = float((shares**2).sum())
    by_item = ((table**2).sum(axis=1) - raters) / (raters * (raters - 1))
    return float((by_item.mean() - expected) / (1 - expected))


def krippendorff_alpha(table: "Table", level: Literal["nominal", "ordinal"]) -> float | None:
    """Krippendorff's alpha (Krippendorff 2011); columns in the order of the scale. None with one label alone."""
    used = table.sum(axis=0) > 0
    if used.sum() < 2:
        return None
    domain = list(range(table.shape[1]))
    return float(_krippendorff().alpha(value_counts=table, value_domain=domain, level_of_measurement=level))


def cohen_kappa(first: "Indexes", second: "Indexes", labels: int) -> float | None:
    """Cohen's kappa (Cohen 1960) of two raters' label numbers, item by item; None where chance agreement is 1."""
    import numpy as np

    table = np.zeros((labels, labels))
    np.add.at(table, (first, second), 1.0)
    if table.max() == table.sum():
        return None if table.trace() else 0.0
    return float(_statsmodels().cohens_kappa(table, return_results=False))


def measured(
    name: str,
    clusters: Sequence[str],
    statistic: "Callable[[Indexes], float | None]",
    *,
    observed: float | None,
    ratings: int,
    resamples: int,
    seed: int,
) -> Coefficient:
    """A statistic of items with its interval; items of one cluster are drawn together.

    `statistic` takes the numbers of the items that are in the sample (with repeats) and gives None where it has no
    value. Without any item the coefficient is undefined.
    """
    import numpy as np

    if not clusters:
        return Coefficient(name=name, value=None, undefined=NO_PAIRS)
    value = statistic(np.arange(len(clusters)))
    shape = Coefficient(name=name, value=value, observed=observed, items=len(clusters), ratings=ratings)
    if value is None:
        return shape.model_copy(update={"undefined": UNANIMOUS})
    low, high, why = interval(clusters, statistic, resamples=resamples, seed=seed)
    return shape.model_copy(update={"low": low, "high": high, "no_interval": why})


def interval(
    clusters: Sequence[str], statistic: "Callable[[Indexes], float | None]", *, resamples: int, seed: int
) -> tuple[float | None, float | None, str]:
    """95 % percentile interval by bootstrap over clusters: (low, high, why there is none or what was left out)."""
    import numpy as np

    names = sorted(set(clusters))
    if len(names) < LEAST_CLUSTERS:
        return None, None, f"too few for an interval: {len(names)} of at least {LEAST_CLUSTERS} independent items"
    if not resamples:
        return None, None, "no resamples were asked for"
    members = [np.flatnonzero(np.array([cluster == name for cluster in clusters])) for name in names]
    random = np.random.default_rng(seed)
    draws = random.integers(0, len(names), size=(resamples, len(names)))
    values = [statistic(np.concatenate([members[index] for index in draw])) for draw in draws]
    defined = [value for value in values if value is not None]
    if len(defined) < resamples / 2:
        return None, None, f"undefined in {resamples - len(defined)} of {resamples} resamples"
    low, high = np.quantile(defined, [0.025, 0.975])
    left_out = resamples - len(defined)
    note = f"{left_out} of {resamples} resamples were unanimous and are left out" if left_out else ""
    return float(low), float(high), note


def strength(value: float) -> str:
    """The words of Landis and Koch (1977) for a kappa: poor, slight, fair, moderate, substantial, almost perfect."""
    bounds = ((0.0, "poor"), (0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))
    if value < 0:
        return "poor"
    return next((word for bound, word in bounds[1:] if value <= bound), "almost perfect")


def _statsmodels() -> Any:
    try:
        from statsmodels.stats import inter_rater
    except ImportError as error:
        raise _missing("statsmodels") from error
    return inter_rater


def _krippendorff() -> Any:
    try:
        import krippendorff
    except ImportError as error:
        raise _missing("krippendorff") from error
    return krippendorff


def _missing(library: str) -> ConfigurationError:
    return ConfigurationError(
        f"agreement statistics need the library {library}, which is not installed.",
        hint='Install the extra: pip install "benchwright[eval]".',
    )
