"""Moving options: laws that hold for every order, and everything that names a letter moving along."""

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.questions import Question
from rules.permutation import arranged, drawn_order, inverse, permute, relabelled, with_key_at
from tests.rules.samples import plain, sound

ORDERS = st.permutations("ABCD").map(tuple)
TEXTS = st.lists(st.text("ABCD option选项and和 ,()'_TAG12", max_size=12), min_size=1, max_size=6).map(" ".join)


def lettered(**changes: object) -> Question:
    note = {"A": ("TAG_C",), "C": ("TAG_A", "TAG_B")}
    return sound(
        evidence="Options A and B ignore TAG_B; option C keeps it [FRAME: TAG_B #4].", support_map=note, **changes
    )


@given(ORDERS)
def test_an_order_and_its_inverse_give_the_same_record(order: tuple[str, ...]) -> None:
    assert permute(permute(lettered(), order), inverse(order)) == lettered()
    assert permute(permute(lettered(), inverse(order)), order) == lettered()


@given(ORDERS, st.integers(0, 99))
def test_arranging_is_idempotent_and_blind_to_the_incoming_order(order: tuple[str, ...], seed: int) -> None:
    once = arranged(lettered(), seed)
    assert arranged(once, seed) == once
    assert arranged(permute(lettered(), order), seed) == once


@given(TEXTS, ORDERS)
def test_relabelling_can_be_undone(text: str, order: tuple[str, ...]) -> None:
    moves = dict(zip(order, "ABCD", strict=True))
    back = {new: old for old, new in moves.items()}
    assert relabelled(relabelled(text, moves), back) == text


def test_everything_follows() -> None:
    moved = permute(lettered(), ("C", "A", "D", "B"))
    assert moved.key == "A"
    assert moved.options["A"] == lettered().options["C"]
    assert moved.support_map == {"A": ("TAG_A", "TAG_B"), "B": ("TAG_C",)}
    assert moved.evidence == "Options B and D ignore TAG_B; option A keeps it [FRAME: TAG_B #4]."
    assert moved.question_id == lettered().question_id


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("option A", "option B"),
        ("Option (A) and TAG_A", "Option (B) and TAG_A"),
        ("options A, B and D are false", "options B, C and A are false"),
        ("the answer B; a plan B elsewhere", "the answer C; a plan B elsewhere"),
        ("选项A和C都错", "选项B和D都错"),
        ("A person in TAG_B", "A person in TAG_B"),
        ("answer a question", "answer a question"),
        ("Option A's clause", "Option A's clause"),
        ("Chances: C 0.93, B 0.03, D 0.03, A 0.00.", "Chances: D 0.93, C 0.03, A 0.03, B 0.00."),
        ("A: 0.7; B: 0.2 and C: .1", "B: 0.7; C: 0.2 and D: .1"),
        ("vitamin C 0.5 g, TAG_A 0.7", "vitamin C 0.5 g, TAG_A 0.7"),
    ],
)
def test_only_named_options_are_relabelled(text: str, expected: str) -> None:
    assert relabelled(text, {"A": "B", "B": "C", "C": "D", "D": "A"}) == expected


def test_keys_are_spread_evenly() -> None:
    keys = Counter(arranged(sound(question_id=f"q-{number}"), 7).key for number in range(2000))
    assert set(keys) == set("ABCD")
    assert max(keys.values()) - min(keys.values()) < 120, keys
    orders = Counter(drawn_order(sound(question_id=f"q-{number}"), 7) for number in range(2400))
    assert set(orders) == set(permutations("ABCD"))


def test_another_seed_gives_another_order() -> None:
    assert len({drawn_order(sound(), seed) for seed in range(20)}) > 5


def test_equal_options_still_have_one_order() -> None:
    question = plain("x", "x", "x", "y", key="B")
    assert arranged(question, 3).options[arranged(question, 3).key].text == "x"
    assert arranged(arranged(question, 3), 3) == arranged(question, 3)


def test_pinned_questions_stay() -> None:
    pinned = sound(pinned=True)
    assert arranged(pinned, 1) == pinned
    assert permute(pinned, ("A", "B", "C", "D")) == pinned
    with pytest.raises(ValueError, match="pinned"):
        permute(pinned, ("B", "A", "C", "D"))


@pytest.mark.parametrize("order", [("A", "B", "C"), ("A", "A", "B", "C"), ("A", "B", "C", "E")])
def test_a_wrong_order_is_refused(order: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="order"):
        permute(sound(), order)


@pytest.mark.parametrize("letter", ["A", "B", "C", "D"])
def test_a_key_is_moved_by_one_exchange(letter: str) -> None:
    moved = with_key_at(lettered(), letter)
    assert moved.key == letter
    assert moved.options[letter] == lettered().options["C"]
    changed = [each for each in "ABCD" if moved.options[each] != lettered().options[each]]
    assert len(changed) == (0 if letter == "C" else 2)
