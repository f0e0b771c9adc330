"""Slots have one fixed order, whatever the range asked for."""

from pathlib import Path

import pytest

from graphs.slots import group_names, plan_slots
from records.errors import ConfigurationError


def test_order_is_group_then_number_then_type() -> None:
    slots = plan_slots(["calder", "wren"], ("T2", "T7"), 2, ("m",))
    assert [slot.key for slot in slots] == [
        "calder/T2/1", "calder/T7/1", "calder/T2/2", "calder/T7/2",
        "wren/T2/1", "wren/T7/1", "wren/T2/2", "wren/T7/2",
    ]  # fmt: skip


def test_several_drafters_take_turns_and_a_range_does_not_shift_them() -> None:
    whole = plan_slots(["calder"], ("T1", "T2", "T3"), 1, ("gpt", "qwen"))
    assert [slot.drafter for slot in whole] == ["gpt", "qwen", "gpt"]
    assert plan_slots(["calder"], ("T1", "T2", "T3"), 1, ("gpt", "qwen"), (2, 3)) == whole[1:]


def test_two_folders_of_one_name_are_refused(tmp_path: Path) -> None:
    for place in ("a", "b"):
        (tmp_path / place / "calder").mkdir(parents=True)
    with pytest.raises(ConfigurationError, match="two groups are named 'calder'"):
        group_names([tmp_path / "a" / "calder", tmp_path / "b" / "calder"])
    assert list(group_names([tmp_path / "a" / "calder", tmp_path / "a" / "calder"])) == ["calder"]
