import pytest

from eval.options import OptionsUnread, from_columns, read_options, strip_label

RED_BLUE = {"A": "red", "B": "blue"}


@pytest.mark.parametrize(
    "value",
    [
        ["red", "blue"],
        ("red", "blue"),
        ["A. red", "B. blue"],
        ["A) red", "B) blue"],
        ["(A) red", "(B) blue"],
        ["A: red", "B：blue"],
        ["A、red", "B、blue"],
        ["B. blue", "A. red"],
        ["1. red", "2. blue"],
        {"A": "red", "B": "blue"},
        {"a": "red", "b": "blue"},
        {"B": "blue", "A": "red"},
        {"0": "red", "1": "blue"},
        {"A": "red", "B": "blue", "C": None},
        {"A": "red", "B": "blue", "C": ""},
        {"text": ["red", "blue"], "label": ["A", "B"]},
        [{"label": "A", "text": "red"}, {"label": "B", "text": "blue"}],
        [{"text": "red"}, {"text": "blue", "is_correct": True}],
        '["red", "blue"]',
        "['red', 'blue']",
        '{"A": "red", "B": "blue"}',
        "A. red\nB. blue",
        "(A) red\n(B) blue",
    ],
)
def test_every_shape_of_options_gives_the_same_letters(value: object) -> None:
    assert read_options(value).texts == RED_BLUE


def test_a_list_whose_texts_only_look_labelled_is_left_alone() -> None:
    assert read_options(["A. Smith", "C. Jones"]).texts == {"A": "A. Smith", "B": "C. Jones"}
    assert read_options(["3. Mai", "4. Mai"]).texts == {"A": "3. Mai", "B": "4. Mai"}


def test_labels_that_answers_may_refer_to_are_kept() -> None:
    assert read_options({"0": "red", "1": "blue"}).labels == {"0": "A", "1": "B"}
    assert from_columns({"1": "red", "2": "blue"}).labels == {"1": "A", "2": "B"}


def test_an_option_marked_as_right_is_the_key() -> None:
    assert read_options([{"text": "red"}, {"text": "blue", "is_correct": True}]).flagged == "B"
    twice = [{"text": "red", "correct": True}, {"text": "blue", "correct": True}]
    assert read_options(twice).flagged is None


def test_numbers_boxes_and_empty_cells_become_text() -> None:
    assert read_options([1986, 2.5, [0.1, 0.2]]).texts == {"A": "1986", "B": "2.5", "C": "[0.1, 0.2]"}
    assert from_columns({"A": "x", "B": float("nan"), "C": "y", "D": None}).texts == {"A": "x", "B": "", "C": "y"}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("just one line", "neither a list nor lines"),
        (7, "int"),
        ([], "empty"),
        ({"A": None, "B": ""}, "empty"),
        ([{"x": "red"}, {"x": "blue"}], "none of the fields"),
        ({"text": ["a", "b"], "label": ["A", "A"]}, "repeat"),
        (["x"] * 27, "more than there are letters"),
    ],
)
def test_what_holds_no_options_says_why(value: object, why: str) -> None:
    with pytest.raises(OptionsUnread, match=why):
        read_options(value)


def test_a_label_is_taken_off() -> None:
    assert strip_label("(C) the text") == "the text"
    assert strip_label("the text") == "the text"
