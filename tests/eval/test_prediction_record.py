from typing import get_args

import pytest
from pydantic import ValidationError

from records.benchmark import STANDING, BenchmarkItem, Prediction
from records.verdicts import CallOutcome
from tests.eval import samples


@pytest.mark.parametrize("outcome", [name for name in get_args(CallOutcome) if name != "ok"])
def test_a_failed_call_cannot_carry_an_answer(outcome: CallOutcome) -> None:
    with pytest.raises(ValidationError, match="an answer stands exactly with the outcome ok"):
        Prediction(model="m", item_id="q", outcome=outcome, answer="A")
    assert Prediction(model="m", item_id="q", outcome=outcome).standing in ("wrong", "unavailable")


def test_an_ok_call_must_carry_one() -> None:
    with pytest.raises(ValidationError, match="a reply without a readable answer is `unparsed`"):
        Prediction(model="m", item_id="q")


def test_every_outcome_has_a_standing_and_only_ok_is_answered() -> None:
    assert set(STANDING) == set(get_args(CallOutcome))
    assert [name for name, standing in STANDING.items() if standing == "answered"] == ["ok"]
    assert {name for name, standing in STANDING.items() if standing == "wrong"} == {
        "refused", "filtered", "truncated", "unparsed",
    }  # fmt: skip


def test_a_key_must_be_an_option() -> None:
    with pytest.raises(ValidationError, match="'E' is not among A, B, C, D"):
        samples.item(key="E")
    assert samples.item(key=None).key_text == ""


def test_items_are_clustered_by_group_then_video_then_alone() -> None:
    alone = samples.item("q7")
    assert alone.cluster == "q7"
    video = alone.model_copy(update={"video_ids": ("b", "a")})
    assert video.cluster == "a+b"
    assert video.model_copy(update={"group_id": "g"}).cluster == "g"
    assert isinstance(video, BenchmarkItem)
