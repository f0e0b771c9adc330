"""Options that cross the facts of two sources, and each way of not doing so."""

import pytest

from records.questions import Question
from rules import check, crossed
from rules.crossing import holders
from tests.rules.samples import A_FALSE, A_TRUE, B_FALSE, B_TRUE, CONTEXT, claim, option, plain, sound, with_option

OTHER = "TAG_A reports 29 people on the ferry"


def test_the_sample_is_crossed() -> None:
    assert crossed(sound()) is None
    assert holders(claim(A_TRUE), sound().options) == ("A", "C")


def test_wording_may_differ_in_empty_words_only() -> None:
    same = with_option("A", option(claim("TAG_A reports that 22 people were on a ferry"), claim(B_FALSE)))
    assert crossed(same) is None
    other = with_option("A", option(claim("TAG_A counts 22 people aboard"), claim(B_FALSE)))
    assert crossed(other) is not None


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (with_option("A", option(claim(OTHER), claim(B_FALSE))), "TAG_A stands in no wrong option"),
        (with_option("B", option(claim(A_FALSE), claim("TAG_B has it stay"))), "TAG_B stands in no wrong option"),
        (
            sound(options={
                "A": option(claim(A_TRUE), claim(B_FALSE)),
                "B": option(claim(A_TRUE), claim("TAG_B has it stay in port")),
                "C": option(claim(A_TRUE), claim(B_TRUE)),
                "D": option(claim(A_TRUE), claim("TAG_B gives no hour")),
            }),
            "same in all options",
        ),
        (with_option("C", option(claim(A_TRUE), claim("TAG_A has it leave late"))), "rest on one source"),
        (
            sound(options={
                "A": option(claim(A_TRUE), claim("TAG_A gives no hour")),
                "B": option(claim(A_FALSE), claim(B_TRUE)),
                "C": option(claim(A_TRUE), claim(B_TRUE)),
                "D": option(claim(A_FALSE), claim(B_FALSE)),
            }),
            "TAG_A alone rules out",
        ),
    ],
)  # fmt: skip
def test_what_is_not_crossed_says_why(question: Question, words: str) -> None:
    found = crossed(question)
    assert found is not None
    assert words in found.message
    assert found.rule_id in {warning.rule_id for warning in check(question, CONTEXT).warnings}
    assert "crossed" not in {violation.rule_id for violation in check(question, CONTEXT).violations}


def test_a_claim_given_to_the_wrong_source_is_not_the_same_claim() -> None:
    moved = with_option("A", option(claim(A_TRUE, "TAG_B"), claim(B_FALSE)))
    assert crossed(moved) is not None


def test_plain_questions_are_not_blamed() -> None:
    assert crossed(plain("a", "b", "c", "d")) is None
