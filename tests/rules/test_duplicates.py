"""Texts that say the same, or one that contains the other, in English and Chinese; and texts that only look alike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.questions import Option
from rules.duplicates import (
    content_tokens,
    fingerprint,
    option_overlap,
    option_overlaps,
    overlap,
    stem_overlap,
)


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("TAG_A says the pump failed.", "TAG_A says that the pump failed!", "same"),
        (
            "TAG_A says the pump failed, while TAG_B is silent.",
            "TAG_A says the pump failed and TAG_B is silent",
            "same",
        ),
        ("TAG_A：锅温 220 度。", "tag_a: 锅温２２０度", "same"),
        ("TAG_A ﬁlms a ship’s bow", "TAG_A films a ship's bow", "same"),
        ("TAG_A says the pump failed at night", "TAG_A says the pump failed", "contains"),
        ("TAG_A 说茶价上涨", "TAG_A 说今年春天茶价上涨", "contained"),
        ("TAG_A says 22 crew left", "TAG_A says 24 crew left", None),
        ("TAG_A says the gates were closed", "TAG_A says the gates were not closed", None),
        ("TAG_A reports the wave before the alert", "TAG_A reports the wave after the alert", None),
        ("TAG_A is earlier than TAG_B by a day", "TAG_B is earlier than TAG_A by a day", None),
        ("TAG_A shows a ship in the bay", "TAG_B shows a ship in the bay", None),
        ("TAG_A 说价格上涨", "TAG_A 说价格不上涨", None),
        ("TAG_A has the ship afloat", "TAG_A has the ship nearly afloat", None),
        ("TAG_A", "TAG_A says the pump failed", None),
        ("", "", None),
        ("8.5 km", "85 km", None),
    ],
)
def test_overlap(first: str, second: str, kind: str | None) -> None:
    assert overlap(first, second) == kind


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("TAG_A blames the pump, while TAG_B blames the wind.", "TAG_B blames the wind, while TAG_A blames the pump.",
         "same"),
        ("TAG_A 说价格上涨，而 TAG_B 说价格下跌。", "TAG_B 说价格下跌，而 TAG_A 说价格上涨。", "same"),
        ("TAG_A blames the old pump, while TAG_B blames the wind.",
         "TAG_B blames the wind, while TAG_A blames the pump",
         "contains"),
        ("TAG_A blames the pump, while TAG_B blames the wind.", "TAG_A blames the wind, while TAG_B blames the pump.",
         None),
        ("TAG_A blames the old pump, while TAG_B blames the wind.",
         "TAG_A blames the pump, while TAG_B blames the cold wind.", None),
    ],
)  # fmt: skip
def test_swapped_halves_are_seen(first: str, second: str, kind: str | None) -> None:
    assert option_overlap(Option(text=first), Option(text=second)) == kind


def test_pairs_come_in_order_of_letters() -> None:
    texts = {"A": "x is up", "B": "y is up", "C": "z", "D": "x is up"}
    options = {letter: Option(text=text) for letter, text in texts.items()}
    assert [(pair.first, pair.second, pair.kind) for pair in option_overlaps(options)] == [("A", "D", "same")]


STEM = "How do TAG_A and TAG_B compare on the reported number of jobs?"


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (STEM, True),
        (STEM.lower(), True),
        ("On the reported number of jobs, how does TAG_B compare with TAG_A?", True),
        ("How does the reported number of jobs compare (TAG_A vs TAG_B)?", True),
        ("How do TAG_A and TAG_B compare on the exact reported number of jobs?", True),
        ("How do TAG_A and TAG_C compare on the reported number of jobs?", False),
        ("How do TAG_A and TAG_B compare on the reported number of cars?", False),
        ("How do TAG_A, TAG_B and TAG_C compare on the reported number of jobs?", False),
        ("What do TAG_A and TAG_B show?", False),
    ],
)
def test_stems_that_ask_the_same(other: str, same: bool) -> None:
    assert stem_overlap(STEM, ["What else (TAG_A vs TAG_B)?", other]) == (other if same else None)


def test_chinese_stems() -> None:
    stem = "关于首日人数，TAG_A 与 TAG_C 的说法有何出入？"
    assert stem_overlap(stem, ["TAG_C 和 TAG_A 关于首日人数的说法有什么出入"])
    assert not stem_overlap(stem, ["关于古树年龄，TAG_A 与 TAG_C 的说法有何出入？"])


def test_fingerprint_groups_equal_texts() -> None:
    assert fingerprint("The pump failed.") == fingerprint("the  PUMP failed")
    assert fingerprint("…") != fingerprint("—")
    assert content_tokens("TAG_A says that it was 22") == ("tag_a", "say", "22")


WORDS = st.lists(
    st.sampled_from(["TAG_A", "TAG_B", "22", "24", "pump", "wind", "night", "not", "the", "价", "涨"]), max_size=9
)


@given(WORDS, WORDS)
def test_overlap_is_symmetric(first: list[str], second: list[str]) -> None:
    mirror = {"same": "same", "contains": "contained", "contained": "contains", None: None}
    one, two = " ".join(first), " ".join(second)
    assert overlap(two, one) == mirror[overlap(one, two)]
