"""Even key letters with the fewest permutations: laws, and a comparison with trying everything."""

import random
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from records.questions import Option, Provenance, Question
from release.balance import BalanceItem, balanced, key_moves, letter_counts, unevenness

ITEM = st.tuples(st.sampled_from(["T1", "T2", "T3"]), st.sampled_from("ABCD"))


def items(rows: list[tuple[Any, ...]], letters: str = "ABCD") -> list[BalanceItem]:
    return [
        BalanceItem(
            item_id=f"q{number:03}", type_id=row[0], letters=tuple(letters), key=row[1],
            pinned=bool(row[2]) if len(row) > 2 else False,
        )
        for number, row in enumerate(rows)
    ]  # fmt: skip


def after(given_items: list[BalanceItem]) -> list[tuple[str, str]]:
    moves = key_moves(given_items)
    return [(item.type_id, moves.get(item.item_id, item.key)) for item in given_items]


def counts(pairs: list[tuple[str, str]], letters: str = "ABCD") -> dict[str, dict[str, int]]:
    names = {"": pairs, **{name: [pair for pair in pairs if pair[0] == name] for name in {pair[0] for pair in pairs}}}
    return {
        name: {letter: sum(key == letter for _, key in found) for letter in letters} for name, found in names.items()
    }


@given(st.lists(ITEM, max_size=70))
@settings(max_examples=80, deadline=None)
def test_every_type_and_the_whole_are_within_one_of_even(rows: list[tuple[str, str]]) -> None:
    assert all(unevenness(found) <= 1 for found in counts(after(items(rows))).values())


@given(st.lists(ITEM, max_size=40), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_the_order_of_the_items_does_not_matter(rows: list[tuple[str, str]], shuffled: random.Random) -> None:
    given_items = items(rows)
    mixed = list(given_items)
    shuffled.shuffle(mixed)
    assert key_moves(mixed) == key_moves(given_items)


@given(st.lists(ITEM, max_size=60))
@settings(max_examples=40, deadline=None)
def test_what_is_even_stays(rows: list[tuple[str, str]]) -> None:
    given_items = items(rows)
    moves = key_moves(given_items)
    moved = [item.model_copy(update={"key": moves.get(item.item_id, item.key)}) for item in given_items]
    assert key_moves(moved) == {}


@given(st.lists(st.tuples(st.sampled_from(["T1", "T2"]), st.sampled_from("ABC"), st.booleans()), max_size=7))
@settings(max_examples=60, deadline=None)
def test_no_other_choice_is_more_even_or_moves_less(rows: list[tuple[str, str, bool]]) -> None:
    """Brute force over all assignments of three letters: evenness first (sums of squares), then moves."""
    given_items = items(rows, "ABC")

    def cost(keys: tuple[str, ...]) -> tuple[int, int]:
        found = counts([(item.type_id, key) for item, key in zip(given_items, keys, strict=True)], "ABC")
        squares = sum(count**2 for by_letter in found.values() for count in by_letter.values())
        return squares, sum(key != item.key for item, key in zip(given_items, keys, strict=True))

    allowed = ["ABC" if not item.pinned else item.key for item in given_items]
    best = min(map(cost, product(*allowed)))
    moves = key_moves(given_items)
    assert cost(tuple(moves.get(item.item_id, item.key) for item in given_items)) == best


def test_pinned_items_stay_and_the_others_make_up_for_them() -> None:
    rows = [("T1", "A", True)] * 3 + [("T1", "A", False)] * 9
    given_items = items(rows)
    moves = key_moves(given_items)
    assert not set(moves) & {item.item_id for item in given_items if item.pinned}
    assert counts(after(given_items))["T1"] == {"A": 3, "B": 3, "C": 3, "D": 3}
    assert len(moves) == 9


def test_too_many_pinned_leave_the_rest_as_even_as_can_be() -> None:
    given_items = items([("T1", "A", True)] * 6 + [("T1", "A", False)] * 3)
    assert counts(after(given_items))["T1"] == {"A": 6, "B": 1, "C": 1, "D": 1}


def test_types_with_other_numbers_of_options_are_balanced_apart() -> None:
    four, two = items([("T1", "A")] * 8), items([("T1", "A")] * 4, "AB")
    both = [*four, *(item.model_copy(update={"item_id": "x" + item.item_id}) for item in two)]
    moves = key_moves(both)
    small = [moves.get(item.item_id, item.key) for item in both if len(item.letters) == 2]
    assert sorted(small) == ["A", "A", "B", "B"]


def test_thousands_of_items_take_seconds() -> None:
    chance = random.Random(7)
    rows = [(f"T{chance.randint(1, 14)}", chance.choice("AAAABBCD")) for _ in range(3000)]
    assert all(unevenness(found) <= 1 for found in counts(after(items(rows))).values())


def test_a_doubled_id_is_refused() -> None:
    with pytest.raises(ValueError, match="occurs twice"):
        key_moves([*items([("T1", "A")]), *items([("T1", "B")])])


def question(number: int, key: str, *, pinned: bool = False) -> Question:
    return Question(
        question_id=f"q{number}", group_id="g", type_id="T1", language="en", stem="Who?", key=key, pinned=pinned,
        options={letter: Option(text=f"{number}{letter}") for letter in "ABCD"},
        evidence=f"Option {key} is right.", support_map={key: ("TAG_A",)}, provenance=Provenance(drafter="people"),
    )  # fmt: skip


def test_a_moved_key_takes_its_text_support_and_evidence_along() -> None:
    before = {f"q{number}": question(number, "B") for number in range(4)}
    made = balanced(before)
    assert letter_counts(made.values()).total == {"A": 1, "B": 1, "C": 1, "D": 1}
    for item_id, one in made.items():
        assert one.options[one.key].text == before[item_id].options["B"].text
        assert one.support_map == {one.key: ("TAG_A",)}
        assert one.evidence == f"Option {one.key} is right."
        assert {option.text for option in one.options.values()} == {o.text for o in before[item_id].options.values()}
    assert sum(one != before[item_id] for item_id, one in made.items()) == 3


def test_a_pinned_question_is_not_touched() -> None:
    before = {f"q{number}": question(number, "B", pinned=True) for number in range(4)}
    assert balanced(before) == before
    assert letter_counts(before.values()).by_type == {"T1": {"A": 0, "B": 4, "C": 0, "D": 0}}
