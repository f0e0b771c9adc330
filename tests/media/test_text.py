"""Cleaning, sentences, words and names in both languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from media.text import clean, content_tokens, count_characters, is_chinese, names, split_sentences, tokens


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("A grain carrier has run\r\naground.", "A grain carrier has run aground."),
        ("  two   spaces\n\n\nand lines ", "two spaces and lines"),
        ("zero\u200bwidth \ufeffmark\x07", "zerowidth mark"),
        ("锅温一百八\n十度左右", "锅温一百八十度左右"),
        ("已经上山了\n。清明前后", "已经上山了。清明前后"),
        ("茶节 TAG_A 开幕", "茶节 TAG_A 开幕"),
        ("大家好 今天开幕", "大家好 今天开幕"),
        ("", ""),
    ],
)
def test_clean(raw: str, cleaned: str) -> None:
    assert clean(raw) == cleaned


@given(st.text())
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@pytest.mark.parametrize(
    ("text", "language", "sentences"),
    [
        ("The U.S. fleet left at 4 p.m. on Monday. Mr. Oduya waited.", "en", 2),
        ("It drove 6.5 km. Then it stopped!", "en", 2),
        ("“火太大，茶就焦了。”他说。真的吗？是的。", "zh", 4),
        ("四斤鲜叶，才做得出一斤干茶。", "zh-Hans", 1),
        ("One line without an end", "und", 1),
        ("   ", "en", 0),
    ],
)
def test_sentences(text: str, language: str, sentences: int) -> None:
    found = split_sentences(text, language)
    assert len(found) == sentences
    assert all(piece == piece.strip() and piece for piece in found)


@given(st.text(alphabet="ab .!?。！？\n中文\"”'", max_size=60), st.sampled_from(["en", "zh", "und"]))
def test_splitting_loses_no_character_but_space(text: str, language: str) -> None:
    assert "".join("".join(split_sentences(text, language)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("The Calder Star's crew, at 4:20.", "en", ("the", "calder", "star's", "crew", "at", "4:20")),
        ("1,200 jobs and 8%", "en", ("1,200", "jobs", "and", "8%")),
        ("Ｆｕｌｌ width", "en", ("full", "width")),
        ("茶农采茶", "zh", ("茶农", "采茶")),
        ("TAG_A 的锅温", "zh", ("tag", "a", "的", "锅温")),
    ],
)
def test_tokens(text: str, language: str, words: tuple[str, ...]) -> None:
    assert tokens(text, language) == words


def test_content_tokens_leave_out_function_words() -> None:
    assert content_tokens("The ship was pushed off its course by the storm", "en") == (
        "ship", "pushed", "course", "storm",
    )  # fmt: skip
    assert content_tokens("茶的价格在涨", "zh") == ("茶", "价格", "涨")


@pytest.mark.parametrize(
    ("language", "text", "chinese"),
    [
        ("zh-Hans", "", True), ("yue", "", True), ("en", "中文", False), ("und", "锅温", True), ("", "pan", False),
        ("de", "中文", False),
    ],
)  # fmt: skip
def test_is_chinese(language: str, text: str, chinese: bool) -> None:
    assert is_chinese(language, text) is chinese


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Transport minister Ilsa Brandt blamed the weather.", "en", ("Ilsa Brandt",)),
        ("The Calder Star left Port Maren for Vesk.", "en", ("Calder Star", "Port Maren", "Vesk")),
        ("Heron 2 is on the Moon! Lower, slower.", "en", ("Heron 2", "Moon")),
        ("Newton's law holds on Tuesday in March.", "en", ()),
        ("It follows Newton's law.", "en", ("Newton",)),
        ("About 40 ships. Bakers wait.", "en", ()),
        ("THE CALDER STAR LEFT PORT MAREN.", "en", ()),
        ("林秀珍已经上山了，青岚县坐落在云岭南坡。", "zh", ("林秀珍", "青岚县", "云岭")),
        ("师傅不用铲子，只用双手。", "zh", ()),
    ],
)
def test_names(text: str, language: str, expected: tuple[str, ...]) -> None:
    assert names(text, language) == expected


def test_every_script_is_counted_by_characters() -> None:
    assert count_characters("火太大，茶就焦了。") == 9
    assert count_characters("  a\n b ") == 3
