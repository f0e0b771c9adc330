from typing import Any

import pytest

from eval.keys import read_keys
from eval.options import Options, read_options
from records.errors import InputError

COLOURS = read_options(["red", "blue", "green", "white"])
YEARS = read_options(["1", "2", "3", "4"])
LABELLED = read_options({"0": "red", "1": "blue", "2": "green"})


@pytest.mark.parametrize(
    ("values", "options", "keys", "reading"),
    [
        (["A", "d", "(B)", "C."], COLOURS, "ADBC", "letters"),
        (["Option B", "answer: C", "A) red", ["D"]], COLOURS, "BCAD", "letters"),
        ([0, 1, 3], COLOURS, "ABD", "indices counted from 0"),
        ([1, 4, 2], COLOURS, "ADB", "indices counted from 1"),
        (["0", "3"], COLOURS, "AD", "indices counted from 0"),
        ([0.0, 2.0], COLOURS, "AC", "indices counted from 0"),
        (["red", "White.", " BLUE "], COLOURS, "ADB", "the options' texts"),
        (["1", "2"], LABELLED, "BC", "the options' own labels"),
        ([True, False], read_options(["True", "False"]), "AB", "the options' texts"),
        (["2023"], read_options(["2021", "2023"]), "B", "the options' texts"),
    ],
)
def test_the_one_reading_that_fits(values: list[Any], options: Options, keys: str, reading: str) -> None:
    found = read_keys(values, [options] * len(values))
    assert (found.keys, found.reading) == (tuple(keys), reading)


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([1, 2, 3], COLOURS, "indices counted from 0.*indices counted from 1"),
        (["1", "2"], YEARS, "indices counted from 0.*indices counted from 1|the options' texts"),
        (["A", "B"], read_options(["B", "A"]), "letters.*the options' texts"),
    ],
)
def test_two_readings_are_refused_with_both(values: list[Any], options: Options, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        read_keys(values, [options] * len(values), column="gold")
    assert "gold" in error.value.message
    assert "answer_base" in error.value.hint or "answer_kind" in error.value.hint


def test_the_mapping_settles_two_readings() -> None:
    assert read_keys([1, 2], [COLOURS] * 2, kind="index", base=1).keys == ("A", "B")
    assert read_keys([1, 2], [COLOURS] * 2, base=0).keys == ("B", "C")
    assert read_keys(["A", "B"], [read_options(["B", "A"])] * 2, kind="text").keys == ("B", "A")


def test_two_readings_that_agree_are_one() -> None:
    assert read_keys(["A", "B"], [read_options(["A", "B"])] * 2).keys == ("A", "B")


@pytest.mark.parametrize(
    ("bad", "note"),
    [
        ("E", "'E' is none of the options"),
        ("", "no answer is given"),
        (None, "no answer is given"),
        (["A", "B"], "2 answers are given"),
        ("blue", "is the text of B, while the file's answers are letters"),
    ],
)
def test_rows_without_a_key_say_why(bad: Any, note: str) -> None:
    found = read_keys(["A", "B", "C", "D", bad], [COLOURS] * 5)
    assert found.keys == ("A", "B", "C", "D", None)
    assert note in found.notes[4]
    assert found.notes[:4] == ("", "", "", "")


def test_a_text_that_stands_twice_is_no_key() -> None:
    twice = read_options(["red", "blue", "blue"])
    found = read_keys(["red", "red", "blue"], [COLOURS, COLOURS, twice])
    assert found.keys[2] is None
    assert "stands under B and C" in found.notes[2]


def test_answers_of_no_kind_name_the_row_and_the_column() -> None:
    with pytest.raises(InputError, match=r"column 'gt': row 1 holds 'crimson'"):
        read_keys(["crimson", "azure"], [COLOURS] * 2, column="gt")
