"""Removals to expect from guessing: the arithmetic equals enumeration, and cases worked by hand."""

import math
from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.config import BlindSettings, Checks, Panel
from records.verdicts import Decision, Item
from report.guessing import at_least, expected_by_guessing
from tests.store.building import Judged, panel, question, unit_decision

ASKED = question("When (TAG_A vs TAG_B)?")


def by_enumeration(needed: int, chances: Sequence[float]) -> float:
    return math.fsum(
        math.prod(chance if hit else 1 - chance for chance, hit in zip(chances, hits, strict=True))
        for hits in product((True, False), repeat=len(chances))
        if sum(hits) >= needed
    )


@given(st.integers(0, 7), st.lists(st.floats(0, 1), max_size=6))
def test_at_least_equals_enumeration(needed: int, chances: list[float]) -> None:
    assert at_least(needed, chances) == pytest.approx(by_enumeration(needed, chances))


def test_difficulty_needs_every_seat() -> None:
    all_sure = Judged(ASKED).difficulty(3).item()
    assert expected_by_guessing([all_sure], panel())["difficulty"] == pytest.approx((1 / 4) ** 3)
    one_unsure = Judged(ASKED).difficulty(2).item()
    assert expected_by_guessing([one_unsure], panel())["difficulty"] == 0.0


def test_solvability_needs_a_majority_on_some_source() -> None:
    two_sure_on_one_source = Judged(ASKED).solvability(2).item()
    assert expected_by_guessing([two_sure_on_one_source], panel())["solvability"] == pytest.approx(1 / 16)


def test_a_seat_that_was_not_asked_counts_with_its_usual_confidence() -> None:
    sure = Judged(ASKED).difficulty(3).item()
    failed = sure.model_copy(update={"verdicts": sure.verdicts[:2]})
    expected = expected_by_guessing([sure, failed], panel())["difficulty"]
    assert expected == pytest.approx(2 * (1 / 4) ** 3), "the third seat was sure wherever it was asked"


def test_blind_needs_a_majority_right_in_every_rotation() -> None:
    blind = Panel.model_validate(panel().model_dump() | {"checks": Checks(blind=BlindSettings(enabled=True))})
    made = Decision(check="blind", outcome="passed", units=(unit_decision("all", "passed", 0.0, 2),))
    item = Judged(ASKED).item().model_copy(update={"decisions": (made,)})
    lucky = (1 / 4) ** 4
    assert expected_by_guessing([item], blind)["blind"] == pytest.approx(by_enumeration(2, [lucky] * 3))
    pinned = item.model_copy(update={"question": ASKED.model_copy(update={"pinned": True})})
    assert expected_by_guessing([pinned], blind)["blind"] == pytest.approx(by_enumeration(2, [1 / 4] * 3))


@pytest.mark.parametrize("items", [[], [Judged(ASKED).skipped("solvability", "ambiguity", "difficulty").item()]])
def test_what_was_not_asked_expects_nothing(items: list[Item]) -> None:
    assert expected_by_guessing(items, panel()) == {}


def test_without_a_panel_nothing_is_said() -> None:
    assert expected_by_guessing([Judged(ASKED).difficulty(3).item()], None) == {}
