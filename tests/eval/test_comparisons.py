import numpy as np
import pytest

from eval.calibration import binned, calibration_table, calibrations
from eval.circular import circular_drops, circular_table
from eval.differences import differences, differences_table
from eval.item_analysis import drafter_yields, item_statistics, item_table
from eval.letter_bias import letter_biases
from eval.metrics import evaluate
from records.benchmark import Prediction
from tests.eval import samples
from tests.eval.samples import item, predicted


def test_a_difference_is_paired_and_tested() -> None:
    items = samples.news(30)
    better, worse = samples.answers(items, "better", 0.8), samples.answers(items, "worse", 0.4)
    (found,) = differences(items, (*better, *worse))
    scores = {s.model: s.overall.accuracy or 0.0 for s in evaluate(items, (*better, *worse), groupings=())}
    assert found.difference == pytest.approx(scores["better"] - scores["worse"])
    assert found.low is not None
    assert found.low > 0
    assert found.p_value == pytest.approx(1 / 10_001)
    assert (found.n, found.groups) == (300, 30)


def test_a_model_does_not_differ_from_itself() -> None:
    items = samples.news(15)
    twin = [p.model_copy(update={"model": "twin"}) for p in samples.answers(items, "m", 0.5)]
    (found,) = differences(items, (*samples.answers(items, "m", 0.5), *twin))
    assert (found.difference, found.low, found.high, found.p_value) == (0.0, 0.0, 0.0, 1.0)


def test_p_values_agree_with_a_paired_t_test_over_groups() -> None:
    from scipy.stats import ttest_rel

    items = samples.news(40)
    first, second = samples.answers(items, "a", 0.56), samples.answers(items, "b", 0.5)
    (found,) = differences(items, (*first, *second))

    def by_group(found: tuple[Prediction, ...]) -> list[float]:
        right = [p.answer == one.key for p, one in zip(found, items, strict=True)]
        return np.array(right, dtype=float).reshape(40, 10).mean(axis=1).tolist()

    reference = ttest_rel(by_group(first), by_group(second)).pvalue
    assert found.p_value == pytest.approx(reference, abs=0.03)


def test_only_items_that_both_were_scored_on_count() -> None:
    items = samples.news(12)
    half = samples.failed(samples.answers(items, "half", 0.5), "unavailable", 2)
    (found,) = differences(items, (*samples.answers(items, "whole", 0.5), *half))
    assert found.n == 60


def test_few_groups_give_a_difference_without_a_test() -> None:
    items = samples.news(4)
    (found,) = differences(items, (*samples.answers(items, "a", 0.9), *samples.answers(items, "b", 0.1)))
    assert found.difference is not None
    assert (found.p_value, found.p_holm, found.note) == (None, None, "too few groups (4)")


def test_holm_is_that_of_statsmodels_and_never_lowers_p() -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    items = samples.news(20)
    models = [samples.answers(items, f"m{n}", 0.45 + 0.06 * n) for n in range(4)]
    found = differences(items, [p for model in models for p in model])
    reference = multitest.multipletests([d.p_value for d in found], method="holm")[1]
    assert [d.p_holm for d in found] == pytest.approx(list(reference))
    assert all((d.p_holm or 0) >= (d.p_value or 0) for d in found)
    assert len(differences_table(found).lines) == 6


def test_calibration_is_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    curve = pytest.importorskip("sklearn.calibration").calibration_curve
    items = samples.news(30)
    found = samples.answers(items, "m", 0.6, confident=True)
    (calibration,) = calibrations(items, found)
    keys = {one.item_id: one.key for one in items}
    right = np.array([float(p.answer == keys[p.item_id]) for p in found])
    confidence = np.array([p.confidence or 0.0 for p in found])
    assert calibration.brier == pytest.approx(metrics.brier_score_loss(right, confidence))
    accuracies, confidences = curve(right, confidence - 1e-9, n_bins=10)
    filled = [b for b in calibration.bins if b.n]
    assert [b.accuracy for b in filled] == pytest.approx(list(accuracies))
    assert [b.confidence for b in filled] == pytest.approx(list(confidences))
    weights = np.array([b.n for b in filled]) / len(right)
    assert calibration.ece == pytest.approx(float((weights * np.abs(accuracies - confidences)).sum()))


def test_perfect_confidence_has_no_error() -> None:
    items = tuple(item(f"q{n}") for n in range(4))
    found = [predicted(f"q{n}", "A" if n < 2 else "B", confidence=1.0 if n < 2 else 0.0) for n in range(4)]
    (calibration,) = calibrations(items, found)
    assert (calibration.ece, calibration.brier) == (0.0, 0.0)


def test_answers_without_a_confidence_and_failures_take_no_part() -> None:
    items = tuple(item(f"q{n}") for n in range(4))
    found = [predicted("q0", "A", confidence=0.9), predicted("q1", "A"), predicted("q2", None)]
    (calibration,) = calibrations(items, found)
    assert (calibration.n, calibration.without_confidence) == (1, 1)
    (none,) = calibrations(items, found[1:])
    assert (none.ece, none.brier, none.n) == (None, None, 0)
    assert calibration_table([none]) is None


@pytest.mark.parametrize(
    ("confidence", "place"), [(0.0, 0), (0.1, 0), (0.11, 1), (0.3, 2), (0.7, 6), (0.95, 9), (1.0, 9)]
)
def test_the_upper_bound_belongs_to_a_bin(confidence: float, place: int) -> None:
    assert [b.n for b in binned([(confidence, True)])].index(1) == place


def test_a_letter_that_is_favoured_is_named() -> None:
    items = tuple(item(f"q{n}", "ABCD"[n % 4]) for n in range(80))
    lazy = [predicted(one.item_id, "C" if n % 2 else one.key) for n, one in enumerate(items)]
    fair = [predicted(one.item_id, one.key, "fair") for one in items]
    first, second = letter_biases(items, (*lazy, *fair))
    assert first.favoured == "C"
    assert first.p_value is not None
    assert first.p_value < 1e-3
    assert (second.favoured, second.p_value) == (None, 1.0)
    assert first.recall == {"A": 1.0, "B": 0.0, "C": 1.0, "D": 0.0}


def test_letters_are_compared_with_the_keys_not_with_an_even_spread() -> None:
    items = tuple(item(f"q{n}", "A" if n < 40 else "B" if n < 50 else "C" if n < 60 else "D") for n in range(70))
    (found,) = letter_biases(items, [predicted(one.item_id, one.key) for one in items])
    assert found.p_value == 1.0


def test_too_few_keys_of_a_letter_have_no_test() -> None:
    items = tuple(item(f"q{n}", "ABCD"[n % 4]) for n in range(16))
    (found,) = letter_biases(items, [predicted(one.item_id, "A") for one in items])
    assert (found.p_value, found.favoured) == (None, None)


def rotations(item_id: str, *answers: str | None, outcome: str = "unparsed") -> list[Prediction]:
    return [
        predicted(item_id, answer, rotation=turn, **({} if answer else {"outcome": outcome}))
        for turn, answer in enumerate(answers)
    ]


def test_circular_accuracy_needs_every_rotation() -> None:
    items = tuple(item(f"q{n}") for n in range(4))
    found = [
        *rotations("q0", "A", "A", "A", "A"),
        *rotations("q1", "A", "A", "B", "A"),
        *rotations("q2", "A", "A", "A", None),
        *rotations("q3", "B", "A", "A", "A"),
    ]
    (drop,) = circular_drops(items, found)
    assert (drop.plain, drop.circular, drop.drop, drop.n) == (0.75, 0.25, 0.5, 4)
    assert drop.chance_circular == pytest.approx(0.25**4)
    assert circular_table([drop]) is not None


def test_a_missing_rotation_leaves_an_item_open_unless_another_is_wrong() -> None:
    items = tuple(item(f"q{n}") for n in range(3))
    found = [
        *rotations("q0", "A", "A", "A", None, outcome="unavailable"),
        *rotations("q1", "A", "B", "A", None, outcome="unavailable"),
        *rotations("q2", None, "A", "A", "A", outcome="unavailable"),
    ]
    (drop,) = circular_drops(items, found)
    assert (drop.n, drop.undecided, drop.plain, drop.circular) == (1, 2, 1.0, 0.0)


def test_a_rotation_that_was_not_asked_is_missing() -> None:
    (drop,) = circular_drops((item("q0"),), rotations("q0", "A", "A"))
    assert (drop.n, drop.undecided, drop.circular) == (0, 1, None)


def test_candidates_without_rotations_have_no_drop() -> None:
    assert circular_drops((item("q0"),), [predicted("q0", "A")]) == ()
    assert circular_table(()) is None


def test_discrimination_is_the_point_biserial_with_the_rest() -> None:
    from scipy.stats import pointbiserialr

    items = samples.news(6)
    models = [samples.answers(items, f"m{n}", 0.2 + 0.1 * n) for n in range(7)]
    found = item_statistics(items, [p for model in models for p in model])
    right = np.array([[p.answer == one.key for p, one in zip(model, items, strict=True)] for model in models], float)
    for place in (0, 7, 33):
        rest = np.delete(right, place, axis=1).mean(axis=1)
        if np.ptp(right[:, place]):
            expected = pointbiserialr(right[:, place], rest).statistic
            assert found[place].discrimination == pytest.approx(expected)
        assert found[place].difficulty == pytest.approx(1 - right[:, place].mean())


def test_distractors_that_nobody_chose_are_listed() -> None:
    items = (item("q0"),)
    (found,) = item_statistics(
        items, [predicted("q0", "A", "x"), predicted("q0", "C", "y"), predicted("q0", None, "z")]
    )
    assert found.unchosen == ("B", "D")
    assert found.chosen == {"A": 1, "B": 0, "C": 1, "D": 0}
    assert found.difficulty == pytest.approx(2 / 3)
    (nobody,) = item_statistics(items, [predicted("q0", None)])
    assert nobody.unchosen == ()


@pytest.mark.parametrize(
    ("answers", "note"),
    [(("A", "B"), "fewer than 3 candidates"), (("A", "A", "A"), "all candidates did alike")],
)
def test_where_discrimination_is_not_given_there_is_a_reason(answers: tuple[str, ...], note: str) -> None:
    items = (item("q0"), item("q1"))
    found = [predicted(q, a, f"m{n}") for n, a in enumerate(answers) for q in ("q0", "q1")]
    assert item_statistics(items, found)[0].discrimination is None
    assert item_statistics(items, found)[0].discrimination_note == note
    assert item_table(item_statistics(items, found)).lines


def test_drafters_are_compared_by_kept_rate_and_by_what_candidates_do_with_their_questions() -> None:
    items = samples.news(12)
    scores = evaluate(items, (*samples.answers(items, "a", 0.7), *samples.answers(items, "b", 0.5)))
    judged = {"gpt": {"kept": 30, "removed": 10}, "llama": {"kept": 0, "removed": 4, "undecided": 1}}
    found = {d.drafter: d for d in drafter_yields(scores, judged)}
    assert (found["gpt"].kept_rate, found["llama"].kept_rate, found["qwen"].kept_rate) == (0.75, 0.0, None)
    assert found["gpt"].low is not None
    assert found["llama"].accuracy is None
    expected = np.mean([s.by["drafter"]["qwen"].accuracy for s in scores])
    assert found["qwen"].accuracy == pytest.approx(float(expected))
    assert (found["qwen"].kept, found["llama"].undecided) == (60, 1)
