"""What a model is asked about the form of a foreign question, and which replies count."""

import pytest

from agents.typefit import TypeFit, asked_rules, read_typefit, typefit_request
from prompts.taskheads import load_taskheads
from records.calls import CallFailure, QuestionPart, SpecPart, TextPart
from records.replies import TypeFitReply
from rules import check
from tests.agents.samples import MODEL, reply
from tests.rules.samples import CONTEXT, plain, sound

HEADS = load_taskheads()
QUESTION = plain("TAG_A is early.", "TAG_B is late.", "TAG_A is brief.", "TAG_B is long.", type_id="T3")
REPORT = check(QUESTION, CONTEXT.model_copy(update={"visual_options": 2}))
REQUEST = typefit_request(QUESTION, HEADS["T3"], MODEL, REPORT, seat="clerk")


def test_only_what_code_left_open_is_asked() -> None:
    assert asked_rules(REPORT, HEADS["T3"]) == ("two-claims", "visual-claims", "one-focus")
    assert asked_rules(check(QUESTION, CONTEXT), HEADS["T2"]) == ("two-claims", "one-focus")
    assert asked_rules(check(sound(), CONTEXT), HEADS["T2"]) == ("one-focus",)


def test_the_request_shows_wording_and_no_key() -> None:
    text = "".join(part.text for part in REQUEST.parts if isinstance(part, TextPart))
    assert HEADS["T3"].body in text
    assert "- two-claims: Each option is the conjunction" in text
    assert "- type: " in text
    shown = next(part for part in REQUEST.parts if isinstance(part, QuestionPart))
    assert shown == QuestionPart(stem=QUESTION.stem, options={k: o.text for k, o in QUESTION.options.items()})
    spec = next(part.values for part in REQUEST.parts if isinstance(part, SpecPart))
    assert spec["rules"] == ["two-claims", "visual-claims", "one-focus", "type"]
    assert (REQUEST.task, REQUEST.seat, REQUEST.item_id) == ("type-fit", "clerk", QUESTION.question_id)


@pytest.mark.parametrize(
    ("fits", "broken", "expected"),
    [
        (True, [], ()),
        (False, ["visual-claims", "type"], ("visual-claims", "type")),
        (False, ["Two_Claims", "two-claims"], ("two-claims",)),
    ],
)
def test_replies_that_count(fits: bool, broken: list[str], expected: tuple[str, ...]) -> None:
    read = read_typefit(reply(TypeFitReply(rationale="so", broken_rules=broken, fits=fits)), QUESTION, REQUEST)
    assert isinstance(read, TypeFit)
    assert (read.fits, read.broken_rules, read.rationale) == (fits, expected, "so")


@pytest.mark.parametrize(
    ("fits", "broken", "words"),
    [
        (True, ["type"], "contradicts itself"),
        (False, [], "contradicts itself"),
        (False, ["beauty"], "not asked about: beauty"),
    ],
)
def test_replies_that_are_failures(fits: bool, broken: list[str], words: str) -> None:
    read = read_typefit(reply(TypeFitReply(broken_rules=broken, fits=fits)), QUESTION, REQUEST)
    assert isinstance(read, CallFailure)
    assert words in read.message
