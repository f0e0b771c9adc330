"""Coefficients against published worked examples, the cases without a value, and judges and panels compared."""

import builtins
import random
from typing import Any

import pytest

from judges.agreement import (
    Rating,
    agreement,
    compare_panels,
    is_complete,
    judge_agreement,
    judge_ratings,
    severity_band,
)
from judges.coefficients import LEAST_CLUSTERS, UNANIMOUS, strength
from judges.decide import decide
from judges.schedule import PlannedCall
from records.config import Panel
from records.errors import ConfigurationError, RunError
from records.verdicts import Item
from tests.judges.builders import Answer, a_panel, a_question, run

_PATIENTS = (
    "444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333 144444 224445 "
    "333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224 111155 224444 133333 555555"
)
FLEISS_1971 = _PATIENTS.split()
"""Table 1 of Fleiss (1971): six psychiatrists' diagnoses of thirty patients, in five categories."""

KRIPPENDORFF_C = [
    "123321412   ",
    "1233224125 3",
    " 3332342251 ",
    "12332441251 ",
]
"""Example C of Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability": 4 observers, 12 units, gaps."""


def matrix(rows: list[str], dimension: str = "") -> list[Rating]:
    """Ratings from one string a rater, one character an item; blanks are missing."""
    return [
        Rating(item=f"u{number:02}", rater=f"r{rater}", value=value, dimension=dimension)
        for rater, row in enumerate(rows)
        for number, value in enumerate(row)
        if value != " "
    ]


def by_item(rows: list[str], dimension: str = "") -> list[Rating]:
    """Ratings from one string an item, one character a rater."""
    return matrix(["".join(row[rater] for row in rows) for rater in range(len(rows[0]))], dimension)


def test_fleiss_1971() -> None:
    (found,) = agreement(by_item(FLEISS_1971), resamples=0).dimensions
    assert found.fleiss.value == pytest.approx(0.430, abs=0.0005)
    assert found.fleiss.observed == pytest.approx(0.556, abs=0.0005)
    assert found.pairwise.value == found.fleiss.observed
    assert (found.fleiss.items, found.fleiss.ratings, len(found.raters)) == (30, 180, 6)


def test_krippendorff_2011_with_missing_values() -> None:
    (found,) = agreement(matrix(KRIPPENDORFF_C), scale="12345", resamples=0).dimensions
    assert found.alpha.value == pytest.approx(0.743, abs=0.0005)
    assert found.alpha_ordinal is not None
    assert found.alpha_ordinal.value == pytest.approx(0.815, abs=0.0005)
    assert found.rated_once == 1


def test_krippendorff_2011_two_observers() -> None:
    """Examples A (binary, alpha 0.095) and B (nominal, alpha 0.692)."""
    (binary,) = agreement(matrix(["0100000010", "1110010000"]), resamples=0).dimensions
    assert binary.alpha.value == pytest.approx(0.095, abs=0.0005)
    (nominal,) = agreement(matrix(["aabbdcccedda", "babbbccceddd"]), resamples=0).dimensions
    assert nominal.alpha.value == pytest.approx(0.692, abs=0.0005)


def test_cohen() -> None:
    """Fifty proposals, two readers: 20 yes/yes, 5 yes/no, 10 no/yes, 15 no/no: observed 0.7, chance 0.5, kappa 0.4."""
    first, second = "y" * 25 + "n" * 25, "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15
    (pair,) = agreement(matrix([first, second]), resamples=0).dimensions[0].pairs
    assert (pair.items, pair.agreement) == (50, 0.7)
    assert pair.kappa.value == pytest.approx(0.4)


def test_unequal_numbers_of_raters() -> None:
    """By hand: items aa, ab, abb; item agreements 1, 0, 1/3; shares a 4/7, b 3/7."""
    (found,) = agreement(matrix(["aaa", "abb", "  b"]), resamples=0).dimensions
    expected = (4 / 7) ** 2 + (3 / 7) ** 2
    assert found.fleiss.value == pytest.approx(((1 + 0 + 1 / 3) / 3 - expected) / (1 - expected))
    assert found.pairwise.value == pytest.approx((1 + 0 + 1) / (1 + 1 + 3))
    assert [pair.items for pair in found.pairs] == [3, 1, 1]


def test_equal_numbers_by_the_general_formula_equal_the_library() -> None:
    """An item that one rater alone rated is left out, so that the rest has equal numbers again."""
    rows = by_item(FLEISS_1971)
    extra = [*rows, Rating(item="lonely", rater="r0", value="1")]
    assert agreement(extra, resamples=0).dimensions[0].fleiss == agreement(rows, resamples=0).dimensions[0].fleiss


@pytest.mark.parametrize("rows", [["aaa", "aaa"], ["a", "a"], ["aaaa", "aa  ", "a  a"]])
def test_unanimity_is_said_and_never_nan(rows: list[str]) -> None:
    report = agreement(matrix(rows))
    (found,) = report.dimensions
    for coefficient in (found.fleiss, found.alpha, report.overall, report.pooled):
        assert (coefficient.value, coefficient.observed, coefficient.undefined) == (None, 1.0, UNANIMOUS)
        assert coefficient.items > 0
        assert coefficient.ratings >= 2 * coefficient.items
        assert coefficient.low is coefficient.high is None
    assert found.pairwise.value == 1.0
    assert "nan" not in report.model_dump_json().casefold()


def test_nothing_rated_twice() -> None:
    report = agreement(matrix(["ab  ", "  ab"]))
    (found,) = report.dimensions
    assert (found.fleiss.value, found.fleiss.observed, found.rated_once) == (None, None, 4)
    assert report.overall.undefined == "no item was rated by two raters"
    assert (found.pairs[0].agreement, found.pairs[0].kappa.value) == (None, None)
    assert agreement([]).dimensions == ()


def test_complete_disagreement_is_not_undefined() -> None:
    (found,) = agreement(matrix(["aaaa", "bbbb"]), resamples=0).dimensions
    assert (found.pairwise.value, found.fleiss.value) == (0.0, pytest.approx(-1.0))
    assert found.pairs[0].kappa.value == 0.0


def noisy(items: int, raters: int, accuracy: float, dimension: str = "", seed: int = 3) -> list[Rating]:
    rng = random.Random(seed)
    truth = [rng.choice("pf") for _ in range(items)]
    rows = ["".join(true if rng.random() < accuracy else "u" for true in truth) for _ in range(raters)]
    return matrix(rows, dimension)


def test_intervals_hold_the_value_and_are_the_same_on_every_run() -> None:
    ratings = noisy(80, 3, 0.8)
    (found,) = agreement(ratings, scale="fup", resamples=300).dimensions
    assert found.alpha_ordinal is not None
    for coefficient in (found.pairwise, found.fleiss, found.alpha, found.alpha_ordinal, found.pairs[0].kappa):
        assert coefficient.value is not None
        assert coefficient.low is not None
        assert coefficient.high is not None
        assert coefficient.low < coefficient.value < coefficient.high
        assert coefficient.high - coefficient.low < 0.4
    again = agreement(ratings, scale="fup", resamples=300).dimensions[0]
    assert again == found
    assert agreement(ratings, scale="fup", resamples=300, seed=1).dimensions[0].fleiss.low != found.fleiss.low


def test_few_items_have_no_interval() -> None:
    (found,) = agreement(noisy(LEAST_CLUSTERS - 1, 3, 0.6)).dimensions
    assert found.fleiss.low is None
    assert found.fleiss.no_interval.startswith("too few for an interval: 9")


def test_items_of_a_group_are_drawn_together() -> None:
    """Forty items that are ten times the same four widen the interval to that of ten groups."""
    base = noisy(12, 3, 0.6)
    copies = [
        rating.model_copy(update={"item": f"{rating.item}-{copy}", "cluster": rating.item})
        for rating in base
        for copy in range(6)
    ]
    loose = [rating.model_copy(update={"cluster": ""}) for rating in copies]
    tight, wide = (agreement(ratings, resamples=200).dimensions[0].fleiss for ratings in (loose, copies))
    assert tight.value == pytest.approx(wide.value)
    assert tight.low is not None
    assert tight.high is not None
    assert wide.low is not None
    assert wide.high is not None
    assert wide.high - wide.low > 1.5 * (tight.high - tight.low)


def test_overall_is_the_mean_over_dimensions_and_pooled_is_not() -> None:
    ratings = noisy(40, 3, 0.9, "correctness", 1) + noisy(40, 3, 0.5, "naturalness", 2)
    report = agreement(ratings, resamples=100)
    first, second = (found.fleiss.value for found in report.dimensions)
    assert first is not None
    assert second is not None
    assert report.overall.value == pytest.approx((first + second) / 2)
    assert report.overall.name.endswith("mean over dimensions")
    assert report.pooled.name.endswith("pooled over dimensions")
    assert report.pooled.value != pytest.approx(report.overall.value, abs=1e-6)
    assert report.pooled.items == 80
    assert report.overall.low is not None
    assert report.overall.high is not None
    assert report.overall.low < report.overall.value < report.overall.high  # type: ignore[operator]


def test_an_undefined_dimension_is_left_out_of_the_mean_and_named() -> None:
    ratings = noisy(40, 3, 0.9, "correctness") + matrix(["p" * 40] * 3, "naturalness")
    report = agreement(ratings, resamples=50)
    assert report.overall.value == pytest.approx(report.dimensions[0].fleiss.value)
    assert "without naturalness (undefined)" in report.overall.no_interval


def test_doubled_ratings_and_labels_off_the_scale_are_refused() -> None:
    doubled = [Rating(item="q1", rater="ann", value="a", dimension="d")] * 2
    with pytest.raises(ValueError, match="ann rated q1 2 times in d"):
        agreement(doubled)
    with pytest.raises(ValueError, match="the labels x are not on the scale a, b"):
        agreement(matrix(["ax", "ab"]), scale=("a", "b"))


@pytest.mark.parametrize("library", ["statsmodels", "krippendorff"])
def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith(library):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ConfigurationError, match=rf"{library}.*benchwright\[eval\]"):
        agreement(matrix(["ab", "ba"]), resamples=0)


@pytest.mark.parametrize(
    ("value", "word"),
    [(-0.1, "poor"), (0.0, "slight"), (0.2, "slight"), (0.21, "fair"), (0.41, "moderate"), (0.62, "substantial"),
     (0.6, "moderate"), (0.81, "almost perfect"), (1.0, "almost perfect")],
)  # fmt: skip
def test_the_words_of_landis_and_koch(value: float, word: str) -> None:
    assert strength(value) == word


TAGS = ("TAG_A", "TAG_B")


def an_item(number: int, panel: Panel, says: Any, judgement_set: str = "one") -> Item:
    question = a_question("A", question_id=f"q-{number:02}", group_id=f"g{number % 12}")
    verdicts = run(question, panel, TAGS, lambda call: says(number, call))
    judged = decide(question, verdicts, panel, TAGS)
    return Item(
        item_id=question.question_id, judgement_set=judgement_set, question=question, verdicts=verdicts,
        decisions=judged.decisions, outcome=judged.outcome, removed_by=judged.removed_by, schedule=panel.schedule,
        calls_saved=judged.calls_saved,
    )  # fmt: skip


def opinion(seed: int) -> Any:
    def says(number: int, call: PlannedCall) -> Answer:
        rng = random.Random(f"{number} {call.check} {call.unit}")
        own = random.Random(f"{seed} {number} {call.seat} {call.check} {call.unit}")
        if own.random() < 0.05:
            return None
        rng = rng if own.random() < 0.8 else own
        if call.check == "ambiguity":
            return rng.choice([0.0, 0.1, 0.2, 0.4, 0.7])
        return (rng.choice("AABC"), rng.choice([0.5, 0.9]))

    return says


def test_judges_are_compared_on_complete_verdicts_only() -> None:
    full, frugal = a_panel(3, schedule="full"), a_panel(3)
    items = [an_item(number, full, opinion(1)) for number in range(30)]
    assert all(is_complete(item) for item in items)
    report = judge_agreement(items, full, resamples=100)
    assert [found.dimension for found in report.dimensions] == ["solvability", "ambiguity", "difficulty"]
    assert all(found.raters == ("s0", "s1", "s2") for found in report.dimensions)
    assert report.overall.value is not None
    assert 0.2 < report.overall.value < 0.95
    assert report.overall.low is not None
    short = [an_item(number, frugal, opinion(1)) for number in range(30)]
    assert not all(is_complete(item) for item in short)
    with pytest.raises(RunError, match="--complete"):
        judge_agreement(short, frugal)


def test_failures_are_no_ratings() -> None:
    def says(number: int, call: PlannedCall) -> Answer:
        if call.seat == "s0":
            return None
        return 0.65 if call.check == "ambiguity" else ("A", 0.9)

    item = an_item(1, a_panel(2, schedule="full"), says)
    ratings = judge_ratings([item], a_panel(2))
    assert {rating.rater for rating in ratings} == {"s1"}
    assert {rating.value for rating in ratings} == {"key", "defensible"}
    assert is_complete(item)


@pytest.mark.parametrize(
    ("severity", "band"),
    [(0.0, "wrong"), (0.2, "wrong"), (0.29, "wrong"), (0.3, "leans wrong"), (0.59, "leans wrong"),
     (0.6, "defensible"), (0.99, "defensible"), (1.0, "also right")],
)  # fmt: skip
def test_bands(severity: float, band: str) -> None:
    assert severity_band(severity) == band


def test_two_panels() -> None:
    full = a_panel(3, schedule="full")
    before = [an_item(number, full, opinion(1)) for number in range(40)]
    after = [an_item(number, full, opinion(2), "two") for number in range(5, 45)]
    found = compare_panels(before, after, resamples=100)
    assert (found.before, found.after, found.items, found.only_before, found.only_after) == ("one", "two", 35, 5, 5)
    assert sum(count for row in found.table.values() for count in row.values()) == 35
    decided = ("kept", "removed")
    same = sum(found.table[row][row] for row in decided)  # type: ignore[index]
    total = sum(found.table[one][two] for one in decided for two in decided)  # type: ignore[index]
    assert found.agreement.value == pytest.approx(same / total)
    assert found.agreement.items == total
    assert found.kappa.value is not None
    assert {change.item_id for change in found.changes} >= {
        a.item_id for a in before for b in after if a.item_id == b.item_id and a.outcome != b.outcome
    }
    assert [line.check for line in found.checks] == ["solvability", "ambiguity", "difficulty"]
    assert found.note == ""


def test_a_panel_compared_with_itself() -> None:
    full = a_panel(3, schedule="full")
    items = [an_item(number, full, opinion(1)) for number in range(20)]
    found = compare_panels(items, items, resamples=50)
    assert (found.agreement.value, found.changes) == (1.0, ())
    assert found.kappa.value in (None, pytest.approx(1.0))


def test_frugal_panels_compare_outcomes_and_not_checks() -> None:
    frugal = a_panel(3)
    items = [an_item(number, frugal, opinion(1)) for number in range(20)]
    found = compare_panels(items, items, resamples=0)
    assert found.checks == ()
    assert "--complete" in found.note
    assert compare_panels([], [], resamples=0).items == 0
