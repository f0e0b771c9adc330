import pytest
from hypothesis import given
from hypothesis import strategies as st

from offline.numerals import read_numeral, write_like


@pytest.mark.parametrize(
    ("text", "amount", "other", "written"),
    [
        ("22", 22, 24, "24"),
        ("1,200", 1200, 1850, "1,850"),
        ("1,200", 1200, 900, "900"),
        ("950", 950, 1100, "1,100"),
        ("4 kilometres", 4, 6.5, "6.5 kilometres"),
        ("1.9 metres", 1.9, 2.4, "2.4 metres"),
        ("six and a half kilometres", 6.5, 4, "four kilometres"),
        ("six and a half kilometres", 6.5, 7.5, "seven and a half kilometres"),
        ("Three", 3, 14, "Fourteen"),
        ("twenty-two", 22, 45, "forty-five"),
        ("9 million dollars", 9, 12e6, "12 million dollars"),
        ("30th of June", 30, 22, "22nd of June"),
        ("half past 1", 1, 3, "half past 3"),
        ("十二万", 120000, 150000, "十五万"),
        ("一百零八", 108, 135, "一百三十五"),
        ("一千一百五十米", 1150, 860, "八百六十米"),
        ("七天", 7, 12, "十二天"),
        ("四斤", 4, 2, "两斤"),
        ("12万", 12, 15, "15万"),
    ],
)
def test_another_amount_is_written_in_the_same_manner(text: str, amount: float, other: float, written: str):
    form = read_numeral(text)
    assert form is not None
    assert form.amount == amount
    assert write_like(form, other) == written


@pytest.mark.parametrize(
    ("text", "amount"), [("six kilometres", 250), ("three", 2.25), ("three", 0), ("七天", 2.5), ("22", 3.14159)]
)
def test_what_a_form_cannot_write_is_refused(text: str, amount: float):
    form = read_numeral(text)
    assert form is not None
    assert write_like(form, amount) is None


def test_a_text_without_a_numeral_has_none():
    assert read_numeral("the harbour mouth") is None


@given(st.integers(1, 99), st.integers(1, 99))
def test_words_read_back_as_the_amount_that_was_written(start: int, other: int):
    form = read_numeral(write_like(read_numeral("three"), start) or "")
    assert form is not None
    assert form.amount == start
    again = read_numeral(write_like(form, other) or "")
    assert again is not None
    assert again.amount == other


@given(st.integers(1, 99_999_999))
def test_chinese_numerals_read_back(amount: int):
    written = write_like(read_numeral("七天"), amount)
    assert written is not None
    assert read_numeral(written).amount == amount


@given(st.integers(1, 10**9))
def test_digits_read_back(amount: int):
    written = write_like(read_numeral("1,200 jobs"), amount)
    assert written is not None
    assert read_numeral(written).amount == amount
