"""The journal: traces come back whole, texts are stored once, failures and spending are remembered."""

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from records.calls import CallRecord, Sink
from store.packing import LONG, Packer, unpack_blob, unpack_call
from store.run import Run, RunManifest
from tests.store.building import call

texts = st.text(st.characters(codec="utf-8"), max_size=40) | st.text("Aé水", min_size=LONG, max_size=LONG + 30)
plain: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**50), 2**50) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


def rows(run: Run, table: str) -> list[Any]:
    with run.reading() as connection:
        return list(connection.exec_driver_sql(f"SELECT * FROM {table}"))


@settings(max_examples=60, deadline=None)
@given(message=st.dictionaries(texts, plain, max_size=4), raw=texts)
def test_a_trace_comes_back_as_it_was(message: dict[str, Any], raw: str) -> None:
    record = call("r-1", "draft", messages=(message, {"content": message}), raw=raw)
    row, blobs = Packer().row(record, 1)
    stored = {blob.sha256: blob.data.decode() for blob in blobs}
    assert unpack_call(row["body"], lambda wanted: {key: stored[key] for key in wanted}) == record


def test_a_message_that_looks_like_a_reference_is_no_reference() -> None:
    record = call("r-1", "draft", messages=({"$blob": "9f"}, {"$plain": {"$blob": {"$plain": "x" * 999}}}))
    row, blobs = Packer().row(record, 1)
    assert unpack_call(row["body"], lambda wanted: {blob.sha256: blob.data.decode() for blob in blobs}) == record


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(raw=texts, outcome=st.sampled_from(["ok", "refused", "truncated"]))
def test_a_run_gives_the_record_back(tmp_path: Path, raw: str, outcome: str) -> None:
    with Run.open_or_create(tmp_path / "run", RunManifest()) as run:
        record = call(f"r-{time.monotonic_ns()}", "ambiguity", raw=raw, outcome=outcome, reasoning=raw * 5)
        run.finished(record)
        assert run.trace(record.request_id) == (record,)


def test_a_text_is_stored_once_for_all_calls(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", RunManifest()) as run:
        for n in range(50):
            run.finished(call(f"r-{n}", "difficulty"))
        assert len(rows(run, "blobs")) == 2, "the system text and the transcript; the question is short"
        sizes = {len(unpack_blob(row.data)) for row in rows(run, "blobs")}
        assert sizes == {len("Compare the reports. ") * 30, len("TAG_A says that the ship struck at 4:20. ") * 40}
    with Run.open(tmp_path / "run", write=True) as run:
        run.finished(call("r-later", "difficulty"))
        assert len(rows(run, "blobs")) == 2, "a later session finds them stored"
        assert len({repr(record.messages[0]) for record in run.calls()}) == 1


def test_the_same_call_is_not_doubled_and_another_asking_is_another_row(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", RunManifest()) as run:
        for _ in range(3):
            run.finished(call("r-1", "draft", cost_usd=0.5))
        run.finished(call("r-1", "draft", cost_usd=0.25, asked=2))
        assert [record.asked for record in run.trace("r-1")] == [1, 2]
        assert run.spent_usd() == pytest.approx(0.75)


def test_a_failure_is_remembered_until_an_ok(tmp_path: Path) -> None:
    first = call("r-1", "draft", outcome="refused", cost_usd=0.1)
    second = call("r-1", "draft", outcome="truncated", asked=2, cost_usd=0.2)
    with Run.create(tmp_path / "run", RunManifest()) as run:
        assert run.failure_of("r-1") is None
        run.finished(first)
        assert run.failure_of("r-1") == first
    with Run.open(tmp_path / "run", write=True) as run:
        assert run.failure_of("r-1") == first, "a later session knows it"
        run.finished(second)
        assert run.failure_of("r-1") == second
        run.finished(call("r-1", "draft", asked=3))
        assert run.failure_of("r-1") is None
        assert run.spent_usd() == pytest.approx(0.31)
    with Run.open(tmp_path / "run", write=True) as run:
        assert run.failure_of("r-1") is None
        assert run.spent_usd() == pytest.approx(0.31)
    with Run.open(tmp_path / "run") as run:
        assert run.spent_usd() == pytest.approx(0.31)


def test_a_cache_hit_is_counted_and_mends_a_journal_that_a_kill_cut_short(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", RunManifest()) as run:
        run.finished(call("r-1", "draft"))
        run.cache_hit(call("r-1", "draft"))
        run.cache_hit(call("r-1", "draft"))
        run.cache_hit(call("r-lost", "draft", cost_usd=0.5))
        assert run.spent_usd() == pytest.approx(0.51)
        assert len(run.calls()) == 2
        assert sorted((row.request_id, row.count) for row in rows(run, "hits")) == [("r-1", 2), ("r-lost", 1)]


def test_calls_are_found_by_item_task_and_outcome(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", RunManifest()) as run:
        run.finished(call("r-1", "difficulty", item_id="q-1", group_id="calder"))
        run.finished(call("r-2", "ambiguity", item_id="q-1", group_id="calder", outcome="filtered"))
        run.finished(call("r-3", "difficulty", item_id="q-2", group_id="wren"))
        assert [one.request_id for one in run.calls(item_id="q-1")] == ["r-1", "r-2"]
        assert [one.request_id for one in run.calls(task="difficulty", group_id="wren")] == ["r-3"]
        assert [one.request_id for one in run.calls(outcome="filtered")] == ["r-2"]
        assert [one.request_id for one in run.calls(request_ids=("r-3", "r-1"))] == ["r-1", "r-3"]
        assert run.calls(request_ids=()) == ()


def test_threads_may_write_side_by_side(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", RunManifest()) as run:
        work = [
            threading.Thread(target=lambda t=t: [run.finished(call(f"r-{t}-{n}", "draft")) for n in range(40)])
            for t in range(4)
        ]
        for thread in work:
            thread.start()
        for thread in work:
            thread.join()
        assert len(run.calls()) == 160
        assert run.spent_usd() == pytest.approx(1.6)


async def test_writing_hardly_holds_up_an_event_loop(tmp_path: Path) -> None:
    """Two hundred calls journalled between other work. CPU time, since other processes may hold up this one."""
    spent: list[float] = []

    async def one(run: Run, n: int) -> None:
        await asyncio.sleep(0)
        started = time.thread_time()
        run.finished(call(f"r-{n}", "draft"))
        spent.append(time.thread_time() - started)

    with Run.create(tmp_path / "run", RunManifest()) as run:
        await asyncio.gather(*(one(run, n) for n in range(200)))
        assert len(run.calls()) == 200
    assert sorted(spent)[100] < 0.002
    assert max(spent[1:]) < 0.05


def test_a_run_is_a_sink(tmp_path: Path) -> None:
    def used_by_gateway(sink: Sink, record: CallRecord) -> float:
        sink.finished(record)
        sink.cache_hit(record)
        return sink.spent_usd()

    with Run.create(tmp_path / "run", RunManifest()) as run:
        assert used_by_gateway(run, call("r-1", "draft")) == pytest.approx(0.01)
