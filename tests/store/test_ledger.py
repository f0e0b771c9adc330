"""The ledger adds up, however it is split."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.calls import Attempt, Usage
from store.ledger import JUDGE_TASKS, Column, item_costs, ledger, percentile, request_costs, total
from store.run import Run, RunManifest
from tests.store.building import build_run, call


def test_a_row_counts_calls_failures_tokens_cost_and_time(tmp_path: Path) -> None:
    retried = (
        Attempt(started="", latency_s=1.0, outcome="rate-limited"),
        Attempt(started="", latency_s=1, outcome="ok"),
    )
    usage = Usage(prompt_tokens=10, completion_tokens=3, reasoning_tokens=2, cached_tokens=5, images=1)
    with Run.create(tmp_path / "run", RunManifest()) as run:
        run.finished(call("r-1", "draft", latency_s=1.0, usage=usage, attempts=retried))
        run.finished(call("r-2", "draft", latency_s=3.0, usage=usage, outcome="refused", cost_usd=0.02))
        run.finished(call("r-3", "difficulty", latency_s=9.0, usage=usage, outcome="unparsed"))
        run.cache_hit(call("r-1", "draft"))
        row = ledger(run, ("task",))[1]
    assert row.key == {"task": "draft"}
    assert (row.calls, row.ok, row.failed, row.cache_hits, row.exchanges) == (2, 1, {"refused": 1}, 1, 3)
    assert (row.prompt_tokens, row.completion_tokens, row.reasoning_tokens, row.cached_tokens) == (20, 6, 4, 10)
    assert (row.images, row.cost_usd) == (2, pytest.approx(0.03))
    assert (row.latency_p50_s, row.latency_p95_s, row.latency_max_s) == (1.0, 3.0, 3.0)


@pytest.mark.parametrize("by", [("model",), ("task",), ("seat", "task"), ("item_id",), ("group_id",), ("unit",)])
def test_every_split_adds_up_to_the_whole(tmp_path: Path, by: tuple[Column, ...]) -> None:
    with build_run(tmp_path / "run", groups=("calder", "wren")) as run:
        parts, whole = ledger(run, by), total(run)
        assert sum(row.calls for row in parts) == whole.calls == len(run.calls())
        assert sum(row.cost_usd for row in parts) == pytest.approx(whole.cost_usd) == pytest.approx(run.spent_usd())
        assert sum(row.prompt_tokens for row in parts) == whole.prompt_tokens


def test_an_empty_run_has_one_row_of_zeros(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", RunManifest()) as run:
        assert total(run).calls == 0
        assert total(run).latency_p50_s is None
        assert ledger(run, ("model",)) == ()


def test_one_judgement_set_can_be_counted_alone(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", RunManifest()) as run:
        run.finished(call("r-draft", "draft"))
        run.finished(call("r-mine", "ambiguity", item_id="q-1"))
        run.finished(call("r-other", "ambiguity", item_id="q-1"))
        only = ledger(run, ("task",), request_ids={"r-mine"}, tasks=JUDGE_TASKS)
        assert {row.key["task"]: row.calls for row in only} == {"ambiguity": 1, "draft": 1}
        assert item_costs(run) == {"q-1": pytest.approx(0.02)}
        assert request_costs(run)["r-mine"] == pytest.approx(0.01)


@given(st.lists(st.floats(0, 100), min_size=1), st.floats(0, 1))
def test_a_percentile_is_one_of_the_values_with_that_share_at_or_below(values: list[float], share: float) -> None:
    found = percentile(values, share)
    assert found in values
    assert sum(value <= found for value in values) >= share * len(values)
