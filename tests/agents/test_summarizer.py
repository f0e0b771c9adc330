"""Summaries: asked, asked again when too long, cut, and flagged where they say what was not said."""

import pytest

from agents.summarizer import read_summary, summary_request
from records.calls import QuotedPart, SpecPart, TextPart, TranscriptPart
from records.media import Transcript
from records.replies import SummaryReply
from tests.agents.samples import MODEL, reply, transcript

WORDS = transcript("TAG_B")


def summary(text: str, limit: int = 60, *, last: bool = False) -> tuple[str, tuple[str, ...]]:
    return read_summary(reply(SummaryReply(summary=text)), WORDS, limit, last=last)


def test_the_request_states_the_limit_and_the_language() -> None:
    asked = summary_request(WORDS, MODEL, 1000, group_id="ferry")
    text = "".join(part.text for part in asked.parts if isinstance(part, TextPart))
    assert "in English, in at most 1000 characters" in text
    assert "earlier summary" not in text
    assert [part.text for part in asked.parts if isinstance(part, TranscriptPart)] == [WORDS.text]
    assert (asked.task, asked.group_id) == ("summarize", "ferry")
    unknown = Transcript(language="und", origin="captions", text="渡轮上有二十二人。")
    chinese = summary_request(unknown, MODEL, 10)
    assert "in Chinese" in "".join(part.text for part in chinese.parts if isinstance(part, TextPart))


def test_asked_again_it_states_the_length_and_quotes_the_summary() -> None:
    first, second = summary_request(WORDS, MODEL, 60), summary_request(WORDS, MODEL, 60, previous="x" * 75)
    assert first.parts[0] == second.parts[0]
    text = "".join(part.text for part in second.parts if isinstance(part, TextPart))
    assert "has 75 characters, which is 15 too many" in text
    assert [(part.name, part.text) for part in second.parts if isinstance(part, QuotedPart)] == [
        ("too-long-summary", "x" * 75)
    ]
    spec = next(part.values for part in second.parts if isinstance(part, SpecPart))
    assert (spec["limit"], spec["previous_length"]) == (60, 75)


@pytest.mark.parametrize(
    ("text", "last", "expected"),
    [
        ("The ferry left at five past seven.", False, ("The ferry left at five past seven.", ())),
        ("  The ferry\n left. ", False, ("The ferry left.", ())),
        ("x" * 60, False, ("x" * 60, ())),
        ("The storm came. " * 4 + "x", False, (("The storm came. " * 4 + "x"), ("too-long",))),
        (
            "The storm warning came at six. The ferry left at five past seven.",
            True,
            ("The storm warning came at six.", ("cut",)),
        ),
    ],
)
def test_length(text: str, last: bool, expected: tuple[str, tuple[str, ...]]) -> None:
    assert summary(text, last=last) == expected


def test_numbers_and_names_that_were_not_said_are_flagged() -> None:
    kept, flags = summary("The ferry left at seven for Vesk with 300 aboard.")
    assert kept.startswith("The ferry")
    assert "unknown-number: 300" in flags
    assert "unknown-name: Vesk" in flags
    assert not [flag for flag in flags if "too-long" in flag or "cut" in flag]
