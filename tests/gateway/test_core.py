"""What `ask` promises, with models that are plain functions: nothing is asked twice, lost, or taken for an answer."""

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from gateway.core import Gateway
from gateway.events import Event
from gateway.journal import ReplyCache
from gateway.transports import Completion, Exchange, ExchangeFailed, FunctionTransport
from records.calls import CallFailure, CallRecord, Reply, Request, TextPart, Usage
from records.errors import RunError, RunStopped
from records.replies import ChoiceReply, SummaryReply
from tests.gateway.support import PATIENT, QUICK, MemorySink, frame, gateway, question, request, spec

GOOD = ChoiceReply(rationale="r", answer="B", confidence=0.9)


class Model:
    """A model that answers from a list (the last entry again and again) and counts what it is asked."""

    def __init__(self, *answers: Any, delay: float = 0.0) -> None:
        self.answers = list(answers)
        self.asked: list[Request] = []
        self.most = 0
        self._now = 0
        self._delay = delay

    async def send(self, exchange: Exchange) -> Completion:
        self.asked.append(exchange.request)
        self._now += 1
        self.most = max(self.most, self._now)
        try:
            await asyncio.sleep(self._delay)
        finally:
            self._now -= 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, ExchangeFailed):
            raise answer
        if isinstance(answer, str):
            return Completion(answer, usage=Usage(prompt_tokens=100, completion_tokens=10))
        return await FunctionTransport(lambda _: answer).send(exchange)


def busy(retry_after_s: float | None = None) -> ExchangeFailed:
    return ExchangeFailed("rate-limited", "slow down", status=429, can_heal=True, retry_after_s=retry_after_s)


def down() -> ExchangeFailed:
    return ExchangeFailed("unavailable", "no server", status=503, can_heal=True)


def opened(sink: MemorySink, folder: Path, model: Any, **settings: Any) -> Gateway:
    return gateway(sink, folder, transports={"litellm": model}, **settings)


def asked(number: int = 0, **settings: Any) -> Request:
    return request(spec(**settings.pop("model", {})), question(f"Question {number}?"), **settings)


async def test_a_reply_and_its_trace(tmp_path: Path) -> None:
    sink = MemorySink()
    events: list[Event] = []
    async with opened(sink, tmp_path, Model(GOOD), on_event=events.append) as gate:
        reply = await gate.ask(request(spec(), question(), frame(), seat="gpt", item_id="q", group_id="g", unit="all"))
    assert isinstance(reply, Reply)
    assert reply.value == GOOD
    assert not reply.cached
    (record,) = sink.records
    assert (record.outcome, record.seat, record.item_id, record.group_id, record.unit) == ("ok", "gpt", "q", "g", "all")
    assert record.reply_json == GOOD.model_dump_json()
    assert record.request_id == reply.request_id
    assert record.messages[1]["content"][1]["sha256"] == frame().sha256
    assert "base64" not in record.model_dump_json()
    assert record.params == {"temperature": 0.0, "top_p": 1.0, "max_tokens": 4096, "schema": "native"}
    assert [event.kind for event in events] == ["started", "finished"]
    assert all(isinstance(event, Event) and event.seat == "gpt" for event in events)


async def test_equal_requests_in_flight_share_one_call(tmp_path: Path) -> None:
    sink, model = MemorySink(), Model(GOOD, delay=0.01)
    async with opened(sink, tmp_path, model) as gate:
        replies = await asyncio.gather(*(gate.ask(asked(seat=seat)) for seat in "abc"), gate.ask(asked(1)))
    assert len(model.asked) == len(sink.records) == 2
    assert [reply.cached for reply in replies if isinstance(reply, Reply)] == [False, True, True, False]


async def test_another_sample_is_another_call(tmp_path: Path) -> None:
    model = Model(GOOD)
    async with opened(MemorySink(), tmp_path, model) as gate:
        await asyncio.gather(gate.ask(asked(sample=0)), gate.ask(asked(sample=1)))
    assert len(model.asked) == 2


async def test_ok_replies_are_reused_in_a_later_session_with_the_whole_record(tmp_path: Path) -> None:
    sink, model = MemorySink(), Model(GOOD)
    async with opened(sink, tmp_path, model) as gate:
        first = await gate.ask(asked(seat="a", item_id="one"))
    async with opened(sink, tmp_path, model) as gate:
        second = await gate.ask(asked(seat="b", item_id="two"))
    assert len(model.asked) == 1
    assert isinstance(first, Reply)
    assert isinstance(second, Reply)
    assert (second.cached, second.cost_usd, second.value) == (True, 0.0, first.value)
    assert [(hit.seat, hit.item_id) for hit in sink.hits] == [("b", "two")]
    assert sink.hits[0].messages == sink.records[0].messages


async def test_a_kill_between_cache_and_journal_loses_nothing(tmp_path: Path) -> None:
    class Killed(Exception):
        pass

    class DyingSink(MemorySink):
        def finished(self, record: CallRecord) -> None:
            raise Killed

    model = Model('{"rationale": "", "answer": "B", "confidence": 1}')
    priced: dict[str, Any] = {"model": {"price": {"input": 10.0, "output": 10.0}}}
    with pytest.raises(Killed):
        async with opened(DyingSink(), tmp_path, model) as gate:
            await gate.ask(asked(**priced))
    sink = MemorySink()
    async with opened(sink, tmp_path, model) as gate:
        reply = await gate.ask(asked(**priced))
    assert len(model.asked) == 1
    assert isinstance(reply, Reply)
    assert reply.cost_usd == 0.0
    assert sink.spent_usd() == pytest.approx(110 * 10 / 1e6)


async def test_the_cache_is_written_before_the_journal(tmp_path: Path) -> None:
    cached_when_journalled: list[bool] = []

    class WatchingSink(MemorySink):
        def finished(self, record: CallRecord) -> None:
            cache = ReplyCache(tmp_path)
            cached_when_journalled.append(cache.get(record.request_id, ()) is not None)
            super().finished(record)

    async with opened(WatchingSink(), tmp_path, Model(GOOD)) as gate:
        await gate.ask(asked(1))
        await asyncio.gather(gate.ask(asked(2)))
    assert cached_when_journalled == [True, True]


async def test_failures_are_values_and_stand_until_they_are_retried(tmp_path: Path) -> None:
    sink, model = MemorySink(), Model(ExchangeFailed("filtered", "no"))
    for session in range(2):
        async with opened(sink, tmp_path, model) as gate:
            outcome = await gate.ask(asked())
        assert isinstance(outcome, CallFailure)
        assert (outcome.outcome, outcome.journalled, outcome.attempts) == ("filtered", session == 1, 1)
    assert len(model.asked) == 1


async def test_retry_failed_asks_again_once_a_session_and_at_most_max_asks_in_all(tmp_path: Path) -> None:
    sink, model = MemorySink(), Model(ExchangeFailed("filtered", "no"))
    for session in range(5):
        async with opened(sink, tmp_path, model, retry_failed=True, max_asks=3) as gate:
            outcome = await gate.ask(asked())
            again = await gate.ask(asked())
        assert isinstance(outcome, CallFailure)
        assert isinstance(again, CallFailure)
        assert again.journalled
        assert outcome.attempts == min(session + 1, 3)
    assert [record.asked for record in sink.records] == [1, 2, 3]
    assert len(model.asked) == 3


async def test_a_retried_failure_can_become_a_reply(tmp_path: Path) -> None:
    sink, model = MemorySink(), Model(ExchangeFailed("truncated", "cut"), GOOD)
    async with opened(sink, tmp_path, model) as gate:
        assert isinstance(await gate.ask(asked()), CallFailure)
    async with opened(sink, tmp_path, model, retry_failed=True) as gate:
        assert isinstance(await gate.ask(asked()), Reply)
    assert [(record.outcome, record.asked) for record in sink.records] == [("truncated", 1), ("ok", 2)]


async def test_what_can_heal_is_retried(tmp_path: Path) -> None:
    sink = MemorySink()
    events: list[Event] = []
    model = Model(down(), busy(0.01), GOOD)
    async with opened(sink, tmp_path, model, on_event=events.append) as gate:
        assert isinstance(await gate.ask(asked()), Reply)
    assert [attempt.outcome for attempt in sink.records[0].attempts] == ["unavailable", "rate-limited", "ok"]
    assert [event.kind for event in events] == ["started", "retry", "slowed", "retry", "finished"]


async def test_a_busy_minute_does_not_use_up_a_calls_retries(tmp_path: Path) -> None:
    sink, model = MemorySink(), Model(*[busy(0.001)] * 12, GOOD)
    async with opened(sink, tmp_path, model, timing=PATIENT) as gate:
        assert isinstance(await gate.ask(asked(model={"retries": 2})), Reply)
    assert len(sink.records[0].attempts) == 13


async def test_a_call_that_is_refused_again_and_again_fails_alone(tmp_path: Path) -> None:
    class Unlucky:
        async def send(self, exchange: Exchange) -> Completion:
            if "Question 0?" in str(exchange.messages):
                raise busy(0.001)
            return await FunctionTransport(lambda _: GOOD).send(exchange)

    async with opened(MemorySink(), tmp_path, Unlucky(), timing=PATIENT) as gate:
        unlucky = asyncio.create_task(gate.ask(asked(0, model={"retries": 1})))
        for number in range(1, 6):
            assert isinstance(await gate.ask(asked(number)), Reply)
        outcome = await unlucky
    assert isinstance(outcome, CallFailure)
    assert outcome.outcome == "rate-limited"


async def test_a_dead_model_costs_few_retries_and_ends_no_run(tmp_path: Path) -> None:
    model = Model(down())
    async with opened(MemorySink(), tmp_path, model) as gate:
        for number in range(10):
            outcome = await gate.ask(asked(number, model={"retries": 2}))
            assert isinstance(outcome, CallFailure)
            assert outcome.outcome == "unavailable"
    assert len(model.asked) == 3 * 3 + 7


async def test_a_refusal_shows_that_the_provider_is_there(tmp_path: Path) -> None:
    """Three calls lost, then one that is filtered: the next one gets its retries again."""
    model = Model(*[down()] * 3, ExchangeFailed("filtered", "no"), down(), GOOD)
    async with opened(MemorySink(), tmp_path, model) as gate:
        outcomes = [await gate.ask(asked(n, model={"retries": 0 if n < 3 else 2})) for n in range(5)]
    assert [getattr(outcome, "outcome", "ok") for outcome in outcomes] == ["unavailable"] * 3 + ["filtered", "ok"]


async def test_a_hanging_model_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gateway.exchange._GRACE_S", 0.0)
    async with opened(MemorySink(), tmp_path, Model(GOOD, delay=5)) as gate:
        outcome = await gate.ask(asked(model={"retries": 0, "timeout_s": 0.05}))
    assert isinstance(outcome, CallFailure)
    assert outcome.message == "no reply within 0.05 s"


async def test_a_bug_in_a_model_function_is_a_failure_with_its_name(tmp_path: Path) -> None:
    def broken(asked: Request) -> ChoiceReply:
        raise ZeroDivisionError("oops")

    sink = MemorySink()
    async with gateway(sink, tmp_path, transports={"offline": FunctionTransport(broken)}) as gate:
        outcome = await gate.ask(asked(model={"model": "offline/x"}))
    assert isinstance(outcome, CallFailure)
    assert (outcome.outcome, outcome.message) == ("unavailable", "ZeroDivisionError: oops")
    assert len(sink.records[0].attempts) == 1


async def test_wrong_setup_stops_the_run_at_once_and_says_what_to_set(tmp_path: Path) -> None:
    wrong = ExchangeFailed("misconfigured", "bad key", status=401, stops=True)
    sink, model = MemorySink(), Model(wrong)
    async with opened(sink, tmp_path, model) as gate:
        with pytest.raises(RunStopped) as caught:
            await gate.ask(asked(model={"api_key_env": "MY_OWN_KEY"}))
        with pytest.raises(RunStopped):
            await gate.ask(asked(1))
    assert caught.value.reason == "misconfigured"
    assert "MY_OWN_KEY" in caught.value.hint
    assert len(model.asked) == 1
    model.answers = [GOOD]
    async with opened(sink, tmp_path, model) as gate:
        assert isinstance(await gate.ask(asked(model={"api_key_env": "MY_OWN_KEY"})), Reply)
    assert [(record.outcome, record.asked) for record in sink.records] == [("misconfigured", -1), ("ok", 1)]


async def test_a_model_without_a_transport_stops_the_run(tmp_path: Path) -> None:
    async with gateway(MemorySink(), tmp_path) as gate:
        with pytest.raises(RunStopped, match="this command has no offline models"):
            await gate.ask(asked(model={"model": "offline/x"}))


async def test_a_transport_is_prepared_once_a_model(tmp_path: Path) -> None:
    class Ready(Model):
        prepared: list[str] = []  # noqa: RUF012
        closed = False

        async def prepare(self, model: Any) -> None:
            await asyncio.sleep(0.01)
            self.prepared.append(model.model)

        async def close(self) -> None:
            self.closed = True

    model = Ready(GOOD)
    async with opened(MemorySink(), tmp_path, model) as gate:
        await asyncio.gather(*(gate.ask(asked(n, model={"model": name})) for n in range(3) for name in ("a/x", "b/x")))
    assert sorted(model.prepared) == ["a/x", "b/x"]
    assert model.closed


async def test_bad_requests_in_a_row_stop_the_run(tmp_path: Path) -> None:
    model = Model(ExchangeFailed("misconfigured", "no such parameter", status=400))
    async with opened(MemorySink(), tmp_path, model) as gate:
        for number in range(4):
            assert isinstance(await gate.ask(asked(number)), CallFailure)
        with pytest.raises(RunStopped, match="no such parameter"):
            await gate.ask(asked(4))


async def test_a_lasting_limit_ends_the_run_and_the_same_calls_are_asked_when_it_goes_on(tmp_path: Path) -> None:
    sink, model = MemorySink(), Model(busy())
    async with opened(sink, tmp_path, model) as gate:
        outcomes = await asyncio.gather(*(gate.ask(asked(number)) for number in range(6)), return_exceptions=True)
    assert all(isinstance(outcome, RunStopped) and outcome.reason == "rate-limit" for outcome in outcomes)
    assert all(record.outcome == "rate-limited" and record.asked < 1 for record in sink.records)
    model.answers = [GOOD]
    async with opened(sink, tmp_path, model) as gate:
        outcomes = await asyncio.gather(*(gate.ask(asked(number)) for number in range(6)))
    assert all(isinstance(outcome, Reply) for outcome in outcomes)


async def test_a_daily_quota_ends_the_run_at_once(tmp_path: Path) -> None:
    model = Model(busy(40_000.0))
    async with opened(MemorySink(), tmp_path, model) as gate:
        with pytest.raises(RunStopped, match=r"11\.1 h"):
            await gate.ask(asked())
    assert len(model.asked) == 1


async def test_a_pause_slows_only_its_provider(tmp_path: Path) -> None:
    class Two:
        async def send(self, exchange: Exchange) -> Completion:
            if exchange.request.model.name == "slow" and not paused:
                paused.append(1)
                raise busy(0.3)
            return await FunctionTransport(lambda _: GOOD).send(exchange)

    paused: list[int] = []
    slow = {"name": "slow", "model": "gemini/x"}
    async with opened(MemorySink(), tmp_path, Two()) as gate:
        waiting = asyncio.create_task(gate.ask(asked(model=slow)))
        await asyncio.sleep(0.01)
        also = asyncio.create_task(gate.ask(asked(1, model=slow)))
        await asyncio.wait_for(asyncio.gather(*(gate.ask(asked(n)) for n in range(20))), 0.2)
        assert not waiting.done()
        assert not also.done()
        assert isinstance(await waiting, Reply)
        assert isinstance(await also, Reply)


async def test_concurrency_is_kept(tmp_path: Path) -> None:
    model = Model(GOOD, delay=0.005)
    async with opened(MemorySink(), tmp_path, model) as gate:
        await asyncio.gather(*(gate.ask(asked(number, model={"concurrency": 3})) for number in range(12)))
    assert model.most == 3


async def test_the_budget_is_never_exceeded_and_the_run_goes_on_with_a_larger_one(tmp_path: Path) -> None:
    """Each call costs 110 tokens at $10 a million and might cost 4,096 for the reply alone."""
    sink, model = MemorySink(), Model('{"rationale": "", "answer": "B", "confidence": 1}', delay=0.001)
    priced = {"price": {"input": 10.0, "output": 10.0}}
    async with opened(sink, tmp_path, model, budget_usd=0.06) as gate:
        outcomes = await asyncio.gather(*(gate.ask(asked(n, model=priced)) for n in range(40)), return_exceptions=True)
    answered = [outcome for outcome in outcomes if isinstance(outcome, Reply)]
    stopped = [outcome for outcome in outcomes if isinstance(outcome, RunStopped)]
    assert len(answered) + len(stopped) == 40
    assert 10 < len(answered) < 20
    assert {stop.reason for stop in stopped} == {"budget"}
    assert sink.spent_usd() <= 0.06
    assert len(sink.records) == len(answered)
    async with opened(sink, tmp_path, model, budget_usd=1.0) as gate:
        outcomes = await asyncio.gather(*(gate.ask(asked(n, model=priced)) for n in range(40)))
    assert all(isinstance(outcome, Reply) for outcome in outcomes)
    assert len(model.asked) == 40


async def test_a_budget_without_a_price_stops_the_run_even_when_preflight_was_skipped(tmp_path: Path) -> None:
    model = Model(GOOD)
    async with opened(MemorySink(), tmp_path, model, budget_usd=1.0) as gate:
        with pytest.raises(RunStopped, match="no price is known") as caught:
            await gate.ask(asked(model={"price": None, "model": "hosted_vllm/unpriced"}))
    assert "price: {input: …, output: …}" in caught.value.hint
    assert model.asked == []


async def test_what_an_earlier_session_spent_counts(tmp_path: Path) -> None:
    paid = CallRecord(
        request_id="r", task="draft", model="m", transport="litellm", outcome="ok", messages=(), cost_usd=5.0
    )
    async with opened(MemorySink(paid), tmp_path, Model(GOOD), budget_usd=5.0) as gate:
        with pytest.raises(RunStopped, match="5.0000 spent"):
            await gate.ask(asked(model={"price": {"input": 1, "output": 1}}))


async def test_calls_of_a_session_can_be_limited(tmp_path: Path) -> None:
    model = Model(GOOD)
    async with opened(MemorySink(), tmp_path, model, max_calls=2) as gate:
        await gate.ask(asked(1))
        await gate.ask(asked(2))
        await gate.ask(asked(2))
        with pytest.raises(RunStopped) as caught:
            await gate.ask(asked(3))
    assert caught.value.reason == "call-limit"
    assert len(model.asked) == 2


async def test_a_stop_lets_calls_in_flight_finish_and_wakes_those_that_wait(tmp_path: Path) -> None:
    class Mixed:
        async def send(self, exchange: Exchange) -> Completion:
            if exchange.request.model.name == "bad":
                await asyncio.sleep(0.02)
                raise ExchangeFailed("misconfigured", "bad key", status=401, stops=True)
            await asyncio.sleep(0.06)
            return await FunctionTransport(lambda _: GOOD).send(exchange)

    sink = MemorySink()
    async with opened(sink, tmp_path, Mixed()) as gate:
        good = [asyncio.create_task(gate.ask(asked(n, model={"concurrency": 2}))) for n in range(4)]
        bad = asyncio.create_task(gate.ask(asked(9, model={"name": "bad", "model": "openai/x"})))
        outcomes = await asyncio.gather(*good, bad, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [Reply, Reply, RunStopped, RunStopped, RunStopped]
    assert [record.outcome for record in sink.records] == ["misconfigured", "ok", "ok"]


async def test_leaving_waits_for_calls_whose_caller_is_gone(tmp_path: Path) -> None:
    sink = MemorySink()
    async with opened(sink, tmp_path, Model(GOOD, delay=0.05)) as gate:
        caller = asyncio.create_task(gate.ask(asked()))
        await asyncio.sleep(0.01)
        caller.cancel()
    assert [record.outcome for record in sink.records] == ["ok"]


class Diary:
    """A model that writes down when each call begins and ends."""

    def __init__(self, *failing: int) -> None:
        self.entries: list[tuple[str, str]] = []
        self._failing = failing

    async def send(self, exchange: Exchange) -> Completion:
        number = len([kind for kind, _ in self.entries if kind == "begin"])
        evidence = next(part.text for part in exchange.request.parts if isinstance(part, TextPart))
        self.entries.append(("begin", evidence))
        await asyncio.sleep(0.02)
        self.entries.append(("end", evidence))
        if number in self._failing:
            raise ExchangeFailed("filtered", "no")
        return await FunctionTransport(lambda _: GOOD).send(exchange)


def of_prefix(evidence: str, number: int, **settings: Any) -> Request:
    return request(spec(**settings), TextPart(text=evidence), question(f"Q{number}?"), prefix_parts=1)


async def test_leaving_gives_up_calls_that_only_wait_and_keeps_account_of_their_money(tmp_path: Path) -> None:
    sink, model = MemorySink(), Model("nonsense", busy(4.0))
    priced = {"price": {"input": 10.0, "output": 10.0}}
    began = asyncio.get_running_loop().time()
    async with opened(sink, tmp_path, model) as gate:
        caller = asyncio.create_task(gate.ask(asked(model=priced)))
        while len(model.asked) < 2:
            await asyncio.sleep(0.005)
        caller.cancel()
    assert asyncio.get_running_loop().time() - began < 3
    (record,) = sink.records
    assert (record.asked, record.message) == (-1, "given up when the session ended")
    assert sink.spent_usd() == pytest.approx(110 * 10 / 1e6)


async def test_some_kinds_of_failure_alone_can_be_retried(tmp_path: Path) -> None:
    sink, model = MemorySink(), Model(ExchangeFailed("filtered", "no"), ExchangeFailed("truncated", "cut"))
    async with opened(sink, tmp_path, model) as gate:
        for number in range(2):
            await gate.ask(asked(number))
    async with opened(sink, tmp_path, model, retry_failed=True, retry_outcomes=frozenset({"truncated"})) as gate:
        outcomes = [await gate.ask(asked(number)) for number in range(2)]
    assert [outcome.journalled for outcome in outcomes if isinstance(outcome, CallFailure)] == [True, False]
    assert len(model.asked) == 3


async def test_without_repairs_an_unreadable_reply_is_a_failure_at_once(tmp_path: Path) -> None:
    model = Model("prose")
    async with opened(MemorySink(), tmp_path, model) as gate:
        outcome = await gate.ask(asked(repair="none"))
    assert isinstance(outcome, CallFailure)
    assert outcome.outcome == "unparsed"
    assert len(model.asked) == 1


async def test_plain_requests_send_no_schema_and_many_questions_come_back_by_name(tmp_path: Path) -> None:
    sent: list[Exchange] = []

    class Spying(Model):
        async def send(self, exchange: Exchange) -> Completion:
            sent.append(exchange)
            return await super().send(exchange)

    parts = [question(f"{name}?").model_copy(update={"name": name}) for name in ("q1", "q2", "q3")]
    many = request(spec(json_mode="prompt"), *parts, reply_model=Many, reader="answers", plain=True, repair="none")
    async with opened(MemorySink(), tmp_path, Spying('{"q1": "A", "q3": "(c)"}')) as gate:
        reply = await gate.ask(many.model_copy(update={"reader": "answers"}))
    assert isinstance(reply, Reply)
    assert reply.value == Many(q1="A", q2=None, q3="C")
    assert not sent[0].native_schema
    assert "reply-format" not in str(sent[0].messages)
    assert '<question id="q2">' in str(sent[0].messages)


class Many(BaseModel):
    """Answers to several questions."""

    q1: str | None
    q2: str | None
    q3: str | None


async def test_the_first_call_of_a_prefix_goes_ahead(tmp_path: Path) -> None:
    diary = Diary()
    async with opened(MemorySink(), tmp_path, diary) as gate:
        await asyncio.gather(*(gate.ask(of_prefix(group, number)) for group in "ab" for number in range(5)))
    for group in "ab":
        kinds = [kind for kind, evidence in diary.entries if evidence == group]
        assert kinds == ["begin", "end"] + ["begin"] * 4 + ["end"] * 4


@pytest.mark.parametrize("settings", [{"prefix_cache": False}, {"model": "offline/x"}])
async def test_without_a_prefix_cache_nobody_waits(settings: dict[str, Any], tmp_path: Path) -> None:
    diary = Diary()
    async with gateway(MemorySink(), tmp_path, transports={"litellm": diary, "offline": diary}) as gate:
        await asyncio.gather(*(gate.ask(of_prefix("c", number, **settings)) for number in range(5)))
    assert [kind for kind, _ in diary.entries] == ["begin"] * 5 + ["end"] * 5


async def test_when_a_leader_fails_unread_the_next_one_leads(tmp_path: Path) -> None:
    diary = Diary(0)
    async with opened(MemorySink(), tmp_path, diary) as gate:
        outcomes = await asyncio.gather(*(gate.ask(of_prefix("a", number)) for number in range(4)))
    assert [kind for kind, _ in diary.entries] == ["begin", "end"] * 2 + ["begin"] * 2 + ["end"] * 2
    assert [type(outcome) for outcome in outcomes] == [CallFailure, Reply, Reply, Reply]


async def test_a_judges_unreadable_reply_goes_back_with_the_error(tmp_path: Path) -> None:
    sink, model = MemorySink(), Model("Let me think.", '{"rationale": "", "answer": "Q"}', '{"answer": "B"}')
    seen: list[list[dict[str, Any]]] = []

    class Spying(Model):
        async def send(self, exchange: Exchange) -> Completion:
            seen.append(list(exchange.messages))
            return await model.send(exchange)

    async with opened(sink, tmp_path, Spying()) as gate:
        reply = await gate.ask(asked())
    assert isinstance(reply, Reply)
    assert reply.value == ChoiceReply(answer="B")
    assert reply.repairs == ("mended after 2 unreadable replies",)
    assert [len(messages) for messages in seen] == [2, 4, 6]
    assert seen[2][-2]["content"] == '{"rationale": "", "answer": "Q"}'
    assert "Q is not one of the letters A, B, C, D" in seen[2][-1]["content"]
    (record,) = sink.records
    assert [attempt.outcome for attempt in record.attempts] == ["unparsed", "unparsed", "ok"]
    assert [attempt.raw for attempt in record.attempts] == ["Let me think.", '{"rationale": "", "answer": "Q"}', ""]
    assert record.usage.prompt_tokens == 300


@pytest.mark.parametrize("repair", ["instructor", "schema"])
async def test_repairs_end_after_two(tmp_path: Path, repair: str) -> None:
    sink, model = MemorySink(), Model('{"summary": ""}')
    async with opened(sink, tmp_path, model) as gate:
        outcome = await gate.ask(request(spec(), TextPart(text="Sum up."), reply_model=SummaryReply, repair=repair))
    assert isinstance(outcome, CallFailure)
    assert (outcome.outcome, outcome.message) == ("unparsed", "summary: String should have at least 1 character")
    assert outcome.raw == '{"summary": ""}'
    assert len(model.asked) == len(sink.records[0].attempts) == 3


@pytest.mark.parametrize("repair", ["instructor", "schema"])
async def test_refusals_and_cut_replies_are_not_argued_with(tmp_path: Path, repair: str) -> None:
    refusing = Model("I'm sorry, but I can't help with that.")
    cutting = Model(Completion('{"summary": "Twelve', finish_reason="length"))
    async with opened(MemorySink(), tmp_path, refusing) as gate:
        outcome = await gate.ask(request(spec(), TextPart(text="Sum up."), reply_model=SummaryReply, repair=repair))
    assert isinstance(outcome, CallFailure)
    assert outcome.outcome == "refused"
    async with opened(MemorySink(), tmp_path, cutting) as gate:
        outcome = await gate.ask(request(spec(), TextPart(text="Sum."), reply_model=SummaryReply, repair=repair))
    assert isinstance(outcome, CallFailure)
    assert outcome.outcome == "truncated"
    assert len(refusing.asked) == len(cutting.asked) == 1


async def test_templates_in_untrusted_text_are_not_rendered_by_the_repair(tmp_path: Path) -> None:
    seen: list[Any] = []

    class Spying(Model):
        async def send(self, exchange: Exchange) -> Completion:
            seen.append(exchange.messages[1]["content"])
            return await super().send(exchange)

    async with opened(MemorySink(), tmp_path, Spying("no", '{"answer": "A"}')) as gate:
        await gate.ask(request(spec(), question("{{ 7 * 7 }} {% raw %}?"), repair="instructor"))
    assert all("{{ 7 * 7 }} {% raw %}?" in content for content in seen)


async def test_a_stop_during_a_repair_keeps_account_of_the_money(tmp_path: Path) -> None:
    sink = MemorySink()
    model = Model("nonsense", busy(40_000.0), GOOD)
    priced = {"price": {"input": 10.0, "output": 10.0}}
    async with opened(sink, tmp_path, model) as gate:
        with pytest.raises(RunStopped):
            await gate.ask(asked(model=priced))
    assert sink.spent_usd() == pytest.approx(110 * 10 / 1e6)
    async with opened(sink, tmp_path, model) as gate:
        assert isinstance(await gate.ask(asked(model=priced)), Reply)


async def test_what_cannot_fit_is_refused_before_it_is_sent(tmp_path: Path) -> None:
    model = Model(GOOD)
    async with opened(MemorySink(), tmp_path, model) as gate:
        images = await gate.ask(request(spec(max_images=1), frame(1), frame(2), question()))
        words = await gate.ask(request(spec(context_tokens=200), TextPart(text="word " * 400), question()))
        unseen = await gate.ask(request(spec(images=False), frame(1), question()))
    assert isinstance(images, CallFailure)
    assert isinstance(words, CallFailure)
    assert isinstance(unseen, CallFailure)
    assert unseen.message == "1 images, and judge takes none"
    assert (images.outcome, words.outcome) == ("too-many-images", "context-too-long")
    assert "max_images" in images.message
    assert model.asked == []


async def test_a_missing_or_damaged_frame_is_named(tmp_path: Path) -> None:
    gone = frame().model_copy(update={"sha256": "0" * 64})
    async with gateway(MemorySink(), tmp_path, transports={"litellm": Model(GOOD)}) as gate:
        outcome = await gate.ask(request(spec(), gone, question()))
    assert isinstance(outcome, CallFailure)
    assert (outcome.outcome, "000000000000… cannot be read" in outcome.message) == ("misconfigured", True)
    damaged = Gateway(MemorySink(), tmp_path / "2", lambda sha256: b"\xff\xd8\xffother", timing=QUICK,
                      transports={"litellm": Model(GOOD)})  # fmt: skip
    async with damaged as gate:
        outcome = await gate.ask(request(spec(), frame(), question()))
    assert isinstance(outcome, CallFailure)
    assert "damaged" in outcome.message


async def test_a_broken_sink_is_an_error_of_the_run(tmp_path: Path) -> None:
    class FullDisk(MemorySink):
        def finished(self, record: CallRecord) -> None:
            raise RunError("run.sqlite: disk full")

    async with opened(FullDisk(), tmp_path, Model(GOOD)) as gate:
        with pytest.raises(RunError, match="disk full"):
            await gate.ask(asked())


async def test_batches_use_the_sinks_transaction(tmp_path: Path) -> None:
    class Batching(MemorySink):
        batches = 0

        @contextlib.contextmanager
        def transaction(self) -> Iterator[None]:
            self.batches += 1
            yield

    sink = Batching()
    async with opened(sink, tmp_path, Model(GOOD)) as gate:
        await asyncio.gather(*(gate.ask(asked(number)) for number in range(16)))
    assert len(sink.records) == 16
    assert 1 <= sink.batches < 16


async def test_memory_does_not_grow_with_the_number_of_calls(tmp_path: Path) -> None:
    async with opened(MemorySink(), tmp_path, Model(GOOD)) as gate:
        for number in range(50):
            await gate.ask(asked(number))
        assert gate._flights == {}
        assert gate._calls == {}
