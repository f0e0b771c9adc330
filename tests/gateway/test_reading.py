"""Raw replies: each way in which one can be more or less than the JSON object that was asked for."""

import json

import pytest

from gateway.reading import Unreadable, read
from records.replies import ChoiceReply, DraftReply, SeverityReply, SummaryReply
from tests.fakeserver import ChatRequest
from tests.fakeserver.answers import reply_for
from tests.gateway.support import request, spec

MODEL = spec("http://127.0.0.1:1/v1")
SUMMARY = request(MODEL, reply_model=SummaryReply)
GOOD = '{"summary": "Twelve sailed."}'

READABLE = {
    "plain": (GOOD, ()),
    "spaces": (f"\n  {GOOD} \n", ()),
    "unknown field": ('{"summary": "Twelve sailed.", "mood": "calm"}', ()),
    "raw line break in a string": ('{"summary": "Twelve\nsailed."}', ()),
    "fence": (f"```json\n{GOOD}\n```", ("code fence removed",)),
    "think block": (f"<think>a {{b}}</think>{GOOD}", ("think block removed",)),
    "think block without its opening tag": (f"a thought</think>\n{GOOD}", ("think block removed",)),
    "words around": (f"Here it is:\n{GOOD}\nDone.", ("text around the JSON object ignored",)),
    "trailing comma": ('{"summary": "Twelve sailed.",}', ("broken JSON repaired",)),
    "the same object twice": (f"{GOOD}\n{GOOD}", ("text around the JSON object ignored",)),
}
UNREADABLE = {
    "empty": ("", "The reply is empty."),
    "white space": (" \n", "The reply is empty."),
    "only a thought": ("<think>hm</think>", "The reply is empty."),
    "prose": ("Twelve people sailed.", "The reply holds no complete JSON object."),
    "list": ('["Twelve sailed."]', "The reply is JSON, but a list instead of an object."),
    "string": ('"Twelve sailed."', "The reply is JSON, but a string instead of an object."),
    "number": ("12", "The reply is JSON, but a number or null instead of an object."),
    "missing field": ('{"text": "x"}', "summary: Field required"),
    "wrong type": ('{"summary": 3}', "summary: Input should be a valid string"),
    "empty value": ('{"summary": ""}', "summary: String should have at least 1 character"),
    "cut off": ('{"summary": "Twelve sai', "The reply holds no complete JSON object."),
    "cut off after a lead-in": ('Sure: {"summary": "Twelve sailed.", "x": {"y":', "The reply holds no complete JSON"),
    "two different objects": (f'{GOOD} {{"summary": "Nine."}}', "The reply holds several different JSON objects."),
}


@pytest.mark.parametrize("case", READABLE)
def test_readable(case: str) -> None:
    text, repairs = READABLE[case]
    reading = read(SUMMARY, text)
    assert isinstance(reading.value, SummaryReply)
    assert reading.value.summary.replace("\n", " ") == "Twelve sailed."
    assert reading.repairs == repairs


@pytest.mark.parametrize("case", UNREADABLE)
def test_unreadable(case: str) -> None:
    text, message = UNREADABLE[case]
    with pytest.raises(Unreadable) as caught:
        read(SUMMARY, text)
    assert caught.value.message.startswith(message)
    assert caught.value.outcome == "unparsed"
    assert caught.value.mendable


@pytest.mark.parametrize(
    "text", ["I'm sorry, but I can't help with that.", "抱歉，我无法协助处理。", "I cannot do this."]
)
def test_a_refusal_is_told_from_an_unreadable_reply(text: str) -> None:
    for asked in (SUMMARY, request(MODEL)):
        with pytest.raises(Unreadable) as caught:
            read(asked, text)
        assert caught.value.outcome == "refused"
        assert not caught.value.mendable


def test_the_thought_is_kept() -> None:
    assert read(SUMMARY, f"<think>Count them.</think>{GOOD}").reasoning == "Count them."


def test_escapes_of_the_prompt_are_undone_only_where_there_were_any() -> None:
    text = '{"summary": "It says &lt;b &#91;FRAME: TAG_A #1]."}'
    assert read(SUMMARY, text, escaped=True).value == SummaryReply(summary="It says <b [FRAME: TAG_A #1].")
    assert read(SUMMARY, text, escaped=True).repairs == ("escapes of quoted text undone",)
    assert read(SUMMARY, text).value == SummaryReply(summary="It says &lt;b &#91;FRAME: TAG_A #1].")


def test_answers_go_through_the_one_answer_reader() -> None:
    asked = request(MODEL)
    reading = read(asked, "<think>B fits.</think>The answer is (b). Confidence: 85%")
    assert isinstance(reading.value, ChoiceReply)
    assert (reading.value.answer, reading.value.confidence) == ("B", 0.85)
    assert reading.reasoning == "B fits."
    with pytest.raises(Unreadable, match="not one of the letters"):
        read(asked, '{"answer": "Z", "confidence": 1}')


def test_severities_go_through_the_one_answer_reader() -> None:
    asked = request(MODEL, reply_model=SeverityReply)
    assert read(asked, '{"rationale": "r", "severity": "70%"}').value == SeverityReply(rationale="r", severity=0.7)
    with pytest.raises(Unreadable, match="outside"):
        read(asked, '{"severity": 7}')


def test_a_draft_in_strict_form_loses_its_empty_keys() -> None:
    tags = " ".join(f'<transcript tag="{tag}">\nA first fact here. A second fact here.\n</transcript>'
                    for tag in ("TAG_A", "TAG_B"))  # fmt: skip
    asked = ChatRequest("fake", ({"role": "user", "content": tags},), "DraftReply", {"type": "object"})
    reply = reply_for(asked, 0, None)
    reply["question"]["support_map"] |= {
        letter: None for letter in "ABCD" if letter not in reply["question"]["support_map"]
    }
    value = read(request(MODEL, reply_model=DraftReply), json.dumps(reply)).value
    assert isinstance(value, DraftReply)
    assert value.question is not None
    assert list(value.question.support_map) == [value.question.correct_answer]
