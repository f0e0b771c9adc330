"""Summaries: facts that their transcript lacks, and cuts at a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from media.files import files_of
from media.metadata import Metadata
from media.summaries import cut_at_sentence, unknown_facts
from media.transcripts import read_transcript
from tests.conftest import shared_data

SAID = (
    "Good morning from Orbis 24. At 4:20 local time the Calder Star struck a sandbank 4 kilometres south of "
    "Port Maren. All twenty-two crew were taken off on Tuesday. The lane closes until the 21st of March. "
    "It costs 1,200 jobs."
)
GESAGT = "青岚县坐落在云岭南坡，海拔一千一百五十米。林秀珍说，第一天就来了十二万名游客。"


@pytest.mark.parametrize(
    ("summary", "flags"),
    [
        ("The Calder Star struck a sandbank at 04:20.", ()),
        ("22 crew were taken off.", ()),
        ("It lies four km off Port Maren.", ()),
        ("1200 jobs are at risk until 21 March.", ()),
        ("24 crew were taken off.", ("unknown-number: 24",)),
        ("It struck at 3:52.", ("unknown-number: 3:52",)),
        ("It opens again on 18 March.", ("unknown-number: 18 March",)),
        ("Ilsa Brandt spoke of Calder Star.", ("unknown-name: Ilsa Brandt",)),
        ("The crew left on Friday.", ("unknown-name: Friday",)),
        ("The Star of Calder sank.", ()),
        ("12 ships wait, 12 ships.", ("unknown-number: 12",)),
        ("", ()),
    ],
)
def test_unknown_facts(summary: str, flags: tuple[str, ...]) -> None:
    assert unknown_facts(summary, SAID) == flags


@pytest.mark.parametrize(
    ("summary", "flags"),
    [
        ("首日游客12万，海拔1150米。", ()),
        ("首日游客83,416人。", ("unknown-number: 83,416",)),
        ("林秀珍在青岚县。", ()),
        ("周望山在青岚县。", ("unknown-name: 周望山",)),
    ],
)
def test_unknown_facts_in_chinese(summary: str, flags: tuple[str, ...]) -> None:
    assert unknown_facts(summary, GESAGT) == flags


def test_a_transcript_has_no_fact_that_it_lacks_itself() -> None:
    for folder in sorted(shared_data("news").glob("*-*")):
        for files in files_of(folder)[0].values():
            text = read_transcript(files, Metadata(), "").transcript.text
            assert text
            assert unknown_facts(text, text) == ()


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("One. Two. Three.", 100, "One. Two. Three."),
        ("One. Two. Three.", 10, "One. Two."),
        ("One. Two. Three.", 9, "One. Two."),
        ("One. Two. Three.", 8, "One."),
        ("A sentence that is too long by itself", 20, "A sentence that is…"),
        ("火太大，茶就焦了。水温八十度正好。", 10, "火太大，茶就焦了。"),
        ("火太大，茶就焦了。水温八十度正好。", 5, "火太大…"),
        ("At 4 p.m. it ended. Then rain.", 20, "At 4 p.m. it ended."),
        ("abcdefgh", 4, "abc…"),
        ("", 5, ""),
    ],
)
def test_cut_at_sentence(text: str, limit: int, cut: str) -> None:
    assert cut_at_sentence(text, limit) == cut


@given(st.text(alphabet="ab .!?。，中文\n", max_size=80), st.integers(min_value=1, max_value=60))
def test_a_cut_is_never_longer_than_its_limit(text: str, limit: int) -> None:
    assert len(cut_at_sentence(text, limit)) <= limit


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot be cut to 0"):
        cut_at_sentence("One.", 0)
