import numpy as np
import pytest
from scipy import stats

from eval.intervals import by_cluster, cluster_intervals, resampled_ratios, wilson
from eval.metrics import evaluate
from tests.eval import samples


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (10, 10), (3, 17), (120, 240), (1, 1000)])
def test_wilson_is_that_of_statsmodels(successes: int, trials: int) -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    low, high = proportion.proportion_confint(successes, trials, method="wilson")
    found = wilson(successes, trials)
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-9), pytest.approx(high, abs=1e-9))


def test_nothing_to_count_has_no_interval() -> None:
    assert wilson(0, 0).low is None


@pytest.mark.parametrize("groups", [12, 60, 300])
def test_cluster_intervals_are_those_of_scipys_bootstrap(groups: int) -> None:
    random = np.random.default_rng(groups)
    totals = random.integers(1, 9, groups).astype(float)
    correct = random.binomial(totals.astype(int), 0.6).astype(float)
    reference = stats.bootstrap(
        (correct, totals),
        lambda c, n, axis: c.sum(axis=axis) / n.sum(axis=axis),
        paired=True, vectorized=True, method="percentile", n_resamples=20_000, rng=1,
    ).confidence_interval  # fmt: skip
    (found,) = cluster_intervals(correct[:, None], totals[:, None], seed=3)
    spread = (reference.high - reference.low) / 12
    assert found.low == pytest.approx(reference.low, abs=spread)
    assert found.high == pytest.approx(reference.high, abs=spread)


def test_clustering_widens_the_interval_where_groups_agree_within_themselves() -> None:
    random = np.random.default_rng(0)
    shares = random.random(40) < 0.5
    correct, totals = np.where(shares, 10.0, 0.0)[:, None], np.full((40, 1), 10.0)
    (clustered,) = cluster_intervals(correct, totals)
    single = np.repeat(shares, 10).astype(float)[:, None]
    (naive,) = cluster_intervals(single, np.ones_like(single))
    assert (clustered.high or 0) - (clustered.low or 0) > 2 * ((naive.high or 0) - (naive.low or 0))


def test_fewer_than_ten_groups_have_no_interval_and_say_so() -> None:
    correct = np.arange(9.0)[:, None] % 2
    (found,) = cluster_intervals(correct, np.ones_like(correct))
    assert (found.low, found.note) == (None, "too few groups (9)")
    items = samples.news(9)
    score = evaluate(items, samples.answers(items, "m", 0.5), groupings=())[0].overall
    assert (score.low, score.high, score.interval_note) == (None, None, "too few groups (9)")
    ten = samples.news(10)
    assert evaluate(ten, samples.answers(ten, "m", 0.5), groupings=())[0].overall.low is not None


def test_groups_that_all_agree_have_no_interval() -> None:
    ones = np.ones((20, 1))
    (found,) = cluster_intervals(ones, ones)
    assert (found.low, found.note) == (None, "every group has the same accuracy")


def test_a_column_is_resampled_over_its_own_groups() -> None:
    correct = np.array([[1.0, 1.0], [0.0, 0.0]] * 12)
    totals = np.ones((24, 2))
    totals[8:, 1] = 0
    correct[8:, 1] = 0
    whole, part = cluster_intervals(correct, totals)
    assert (whole.groups, whole.note) == (24, "")
    assert (part.groups, part.note) == (8, "too few groups (8)")


def test_equal_data_and_seed_give_equal_intervals_whatever_the_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    correct, totals = random.random((50, 3)), np.ones((50, 3))
    whole = resampled_ratios(correct, totals, seed=7)
    assert np.array_equal(whole, resampled_ratios(correct, totals, seed=7))
    monkeypatch.setattr("eval.intervals._MOST_CELLS", 500)
    assert resampled_ratios(correct, totals, seed=7) == pytest.approx(whole)


def test_rows_are_summed_by_cluster() -> None:
    assert by_cluster(["b", "a", "b"], np.array([[1.0], [2.0], [3.0]])).tolist() == [[2.0], [4.0]]
