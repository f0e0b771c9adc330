"""The whole road over a real socket, through LiteLLM, to a server that answers well and badly."""

import asyncio
import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from records.calls import CallFailure, Reply
from records.errors import RunStopped
from records.replies import ChoiceReply, DraftReply, SeverityReply, SummaryReply
from tests.fakeserver import ChatRequest, FakeServer, Fault, FaultKind, Policy
from tests.gateway.support import HASHES, IMAGES, PATIENT, MemorySink, frame, gateway, question, request, spec

PROVIDERS = ["hosted_vllm/fake", "openai/fake"]


async def ask_once(base_url: str, folder: Path, sink: MemorySink, **settings: Any) -> Reply | CallFailure:
    model = spec(base_url, **({"retries": 2, "timeout_s": 1} | settings))
    async with gateway(sink, folder) as gate:
        return await gate.ask(request(model))


FAILURES: list[tuple[FaultKind, str, list[str]]] = [
    ("server-error", "unavailable", ["unavailable"] * 3),
    ("unavailable", "unavailable", ["unavailable"] * 3),
    ("drop", "unavailable", ["unavailable"] * 3),
    ("html-page", "unavailable", ["unavailable"] * 3),
    ("html-ok", "unavailable", ["unavailable"] * 3),
    ("bad-json-body", "unavailable", ["unavailable"] * 3),
    ("bad-request", "misconfigured", ["misconfigured"]),
    ("context-too-long", "context-too-long", ["context-too-long"]),
    ("too-many-images", "too-many-images", ["too-many-images"]),
    ("truncated", "truncated", ["truncated"]),
    ("refusal-field", "refused", ["refused"]),
    ("refusal-text", "refused", ["refused"]),
    ("content-filter", "filtered", ["filtered"]),
    ("filtered-400", "filtered", ["filtered"]),
    ("wrong-letter", "unparsed", ["unparsed"] * 3),
    ("empty", "unparsed", ["unparsed"] * 3),
    ("prose", "unparsed", ["unparsed"] * 3),
    ("wrong-schema", "unparsed", ["unparsed"] * 3),
]


@pytest.mark.parametrize("model", PROVIDERS)
@pytest.mark.parametrize(("kind", "outcome", "attempts"), FAILURES)
async def test_each_failure_is_told_apart(
    model: str, kind: FaultKind, outcome: str, attempts: list[str], tmp_path: Path
) -> None:
    sink = MemorySink()
    with FakeServer(Policy(faults=(Fault(kind, retry_after="0.01"),))) as server:
        got = await ask_once(server.base_url, tmp_path, sink, model=model)
        assert server.count(kind) == len(attempts)
    assert isinstance(got, CallFailure)
    assert got.outcome == outcome
    assert [attempt.outcome for attempt in sink.records[0].attempts] == attempts
    assert not got.message.startswith("litellm.")
    assert "Exception" not in got.message


@pytest.mark.parametrize("model", PROVIDERS)
async def test_a_429_without_retries_is_a_failure(model: str, tmp_path: Path) -> None:
    with FakeServer(Policy(faults=(Fault("rate-limit"),))) as server:
        got = await ask_once(server.base_url, tmp_path, MemorySink(), model=model, retries=0)
        assert server.count("rate-limit") == 1
    assert isinstance(got, CallFailure)
    assert (got.outcome, got.message) == ("rate-limited", "Rate limit reached.")


STOPS: list[tuple[FaultKind, str, str]] = [
    ("rate-limit", "rate-limit", "Wait until it is lifted"),
    ("unauthorized", "misconfigured", "Set the environment variable"),
    ("forbidden", "misconfigured", "may not use this model"),
    ("no-such-model", "misconfigured", "the server does not know it"),
    ("out-of-credit", "rate-limit", "Top up the account"),
]


@pytest.mark.parametrize("model", PROVIDERS)
@pytest.mark.parametrize(("kind", "reason", "hint"), STOPS)
async def test_what_every_further_call_would_meet_stops_the_run(
    model: str, kind: FaultKind, reason: str, hint: str, tmp_path: Path
) -> None:
    with FakeServer(Policy(faults=(Fault(kind),))) as server:
        with pytest.raises(RunStopped) as caught:
            await ask_once(server.base_url, tmp_path, MemorySink(), model=model)
        assert len(server.log) == 1 or kind == "rate-limit"
    assert caught.value.reason == reason
    assert hint in caught.value.hint


REPAIRED: list[tuple[FaultKind, float | None, str]] = [
    ("fenced", 0.9, "code fence removed"),
    ("lead-in", 0.9, "text around the JSON object ignored"),
    ("trailing-comma", 0.9, "broken JSON repaired"),
    ("smart-quotes", 0.9, "broken JSON repaired"),
    ("control-characters", 0.9, ""),
    ("think", 0.9, ""),
    ("confidence-percent", 0.85, "read as a percentage"),
    ("confidence-over", None, "taken as missing"),
    ("confidence-negative", None, "taken as missing"),
    ("confidence-missing", None, ""),
]


@pytest.mark.parametrize(("kind", "confidence", "repair"), REPAIRED)
async def test_odd_replies_are_read_and_their_repairs_recorded(
    kind: FaultKind, confidence: float | None, repair: str, tmp_path: Path
) -> None:
    sink = MemorySink()
    script = Policy(script=lambda asked: {"rationale": "r", "answer": "B", "confidence": 0.9}, faults=(Fault(kind),))
    with FakeServer(script) as server:
        got = await ask_once(server.base_url, tmp_path, sink)
        assert len(server.log) == 1
    assert isinstance(got, Reply)
    assert isinstance(got.value, ChoiceReply)
    assert (got.value.answer, got.value.confidence) == ("B", confidence)
    assert any(repair in note for note in got.repairs) if repair else got.repairs == ()
    if kind == "think":
        assert "compare the sources" in sink.records[0].reasoning


async def test_reasoning_is_kept_apart(tmp_path: Path) -> None:
    sink = MemorySink()
    with FakeServer(Policy(reasoning_tokens=40)) as server:
        got = await ask_once(server.base_url, tmp_path, sink)
    assert isinstance(got, Reply)
    assert got.reasoning == sink.records[0].reasoning == "Considered."
    assert got.usage.reasoning_tokens == 40


@pytest.mark.parametrize("model", PROVIDERS)
async def test_prompt_schema_images_and_parameters_arrive(model: str, tmp_path: Path) -> None:
    seen: list[ChatRequest] = []

    def script(asked: ChatRequest) -> dict[str, Any]:
        seen.append(asked)
        return {"rationale": "", "answer": asked.letter_of("Nine."), "confidence": 1.0}

    with FakeServer(Policy(script=script)) as server:
        got = await ask_once(server.base_url, tmp_path, MemorySink(), model=model, extra_params={"seed": 5})
    assert isinstance(got, Reply)
    assert got.value == ChoiceReply(answer="C", confidence=1.0)
    (asked,) = seen
    assert asked.model == "fake"
    assert asked.images == (IMAGES[HASHES[1]],)
    assert asked.frames == (("TAG_A", 1),)
    assert asked.transcripts == {"TAG_A": "The ferry carried twelve people. It left at nine."}
    assert asked.schema_name == "ChoiceReply"
    assert asked.schema is not None
    assert asked.schema["required"] == ["rationale", "answer", "confidence"]
    assert asked.params["temperature"] == 0
    assert asked.params["seed"] == 5
    assert 4096 in (asked.params.get("max_tokens"), asked.params.get("max_completion_tokens"))


async def test_json_in_the_prompt_for_models_without_a_schema(tmp_path: Path) -> None:
    with FakeServer() as server:
        sink = MemorySink()
        got = await ask_once(server.base_url, tmp_path, sink, json_mode="prompt")
        (entry,) = server.log
    assert isinstance(got, Reply)
    assert entry.schema == "ChoiceReply"
    assert "<reply-format>" in sink.records[0].messages[1]["content"][-1]["text"]
    assert sink.records[0].params["schema"] == "prompt"


async def test_usage_cost_and_cached_tokens_are_the_providers_own(tmp_path: Path) -> None:
    sink = MemorySink()
    price = {"input": 2.0, "output": 8.0, "cached_input": 0.5, "per_image": 0.001}
    with FakeServer() as server:
        model = spec(server.base_url, price=price)
        shared = request(model).parts[:2]
        async with gateway(sink, tmp_path) as gate:
            asks = [request(model, *shared, question(f"Q{n}?"), prefix_parts=2) for n in range(4)]
            replies = await asyncio.gather(*(gate.ask(item) for item in asks))
            spent = gate.spent_usd
        log = server.log
    assert all(isinstance(reply, Reply) for reply in replies)
    assert sum(reply.usage.prompt_tokens for reply in replies) == sum(entry.prompt_tokens for entry in log)
    assert [entry.cached_tokens > 0 for entry in log] == [False, True, True, True]
    cached, prompt = sum(e.cached_tokens for e in log), sum(e.prompt_tokens for e in log)
    completion = sum(entry.completion_tokens for entry in log)
    expected = ((prompt - cached) * 2 + cached * 0.5 + completion * 8) / 1e6 + 4 * 0.001
    assert spent == pytest.approx(expected)
    assert sink.spent_usd() == pytest.approx(expected)


async def test_a_drafter_is_driven_by_instructor_and_mended(tmp_path: Path) -> None:
    tries: list[ChatRequest] = []

    def script(asked: ChatRequest) -> dict[str, Any] | str | None:
        tries.append(asked)
        return '{"reasoning": "I forgot the question"' if len(tries) == 1 else None

    with FakeServer(Policy(script=script)) as server:
        sink = MemorySink()
        model = spec(server.base_url)
        parts = [
            part.model_copy(update={"tag": tag, "text": "One fact stands here. Another fact stands there."})
            for tag in ("TAG_A", "TAG_B")
            for part in request(model).parts[:1]
        ]
        async with gateway(sink, tmp_path) as gate:
            got = await gate.ask(
                request(model, *parts, frame(), reply_model=DraftReply, repair="instructor", task="draft")
            )
    assert isinstance(got, Reply)
    assert isinstance(got.value, DraftReply)
    assert got.value.question is not None
    assert [attempt.outcome for attempt in sink.records[0].attempts] == ["unparsed", "ok"]
    assert [message["role"] for message in tries[1].messages] == ["system", "user", "assistant", "user"]


async def test_a_dead_address_is_unavailable(tmp_path: Path) -> None:
    got = await ask_once("http://127.0.0.1:9/v1", tmp_path, MemorySink(), retries=1)
    assert isinstance(got, CallFailure)
    assert got.outcome == "unavailable"


async def test_a_slow_reply_runs_into_the_models_time_limit(tmp_path: Path) -> None:
    with FakeServer(Policy(faults=(Fault("slow", delay_s=2.0),))) as server:
        got = await ask_once(server.base_url, tmp_path, MemorySink(), retries=0, timeout_s=0.2)
    assert isinstance(got, CallFailure)
    assert got.outcome == "unavailable"


@pytest.mark.parametrize(("header", "least"), [({"retry_after": "date:2"}, 0.9), ({"retry_after_ms": "300"}, 0.29)])
async def test_retry_after_is_obeyed(header: dict[str, str], least: float, tmp_path: Path) -> None:
    fault = Fault("rate-limit", first=1, **header)  # type: ignore[arg-type]
    with FakeServer(Policy(faults=(fault,))) as server:
        got = await ask_once(server.base_url, tmp_path, MemorySink())
        first, second = server.log
    assert isinstance(got, Reply)
    assert second.arrived - first.ended >= least


async def test_a_rate_limit_met_by_many_calls_loses_none(tmp_path: Path) -> None:
    """The server refuses half of all tries at first and says when to come back; forty calls come at once."""
    limited = Policy(faults=(Fault("rate-limit", rate=0.5, first=3, retry_after="0.05"),), delay_s=0.005)
    with FakeServer(limited) as server:
        sink, model = MemorySink(), spec(server.base_url, concurrency=20)
        async with gateway(sink, tmp_path, timing=PATIENT) as gate:
            asks = [request(model, question(f"Q{n}?")) for n in range(40)]
            outcomes = await asyncio.gather(*(gate.ask(item) for item in asks))
        refused = server.count("rate-limit")
    assert all(isinstance(outcome, Reply) for outcome in outcomes)
    assert refused == sum(a.outcome == "rate-limited" for record in sink.records for a in record.attempts) > 5


MIXTURE: tuple[Fault, ...] = (
    Fault("rate-limit", rate=0.06, retry_after="0.02"),
    Fault("server-error", rate=0.06),
    Fault("drop", rate=0.05),
    Fault("slow", rate=0.02, delay_s=0.8),
    Fault("html-page", rate=0.03),
    Fault("truncated", rate=0.06),
    Fault("fenced", rate=0.06),
    Fault("think", rate=0.06),
    Fault("refusal-text", rate=0.06),
    Fault("content-filter", rate=0.05),
    Fault("wrong-letter", rate=0.06),
    Fault("confidence-over", rate=0.06),
    Fault("empty", rate=0.04),
    Fault("prose", rate=0.04),
)
ATTEMPT_OF = {
    "rate-limit": "rate-limited", "server-error": "unavailable", "drop": "unavailable", "slow": "unavailable",
    "html-page": "unavailable", "truncated": "truncated", "refusal-text": "refused", "content-filter": "filtered",
    "wrong-letter": "unparsed", "empty": "unparsed", "prose": "unparsed",
}  # fmt: skip


async def test_all_faults_at_once_are_counted_as_the_server_counts_them(tmp_path: Path) -> None:
    with FakeServer(Policy(faults=MIXTURE, script=_key_b)) as server:
        sink, model = MemorySink(), spec(server.base_url, timeout_s=0.4, concurrency=32, retries=8)
        async with gateway(sink, tmp_path, timing=PATIENT) as gate:
            asks = [request(model, question(f"Q{n}?")) for n in range(150)]
            outcomes = await asyncio.gather(*(gate.ask(item) for item in asks))
        served = Counter(ATTEMPT_OF[entry.fault] for entry in server.log if entry.fault in ATTEMPT_OF)
        total = len(server.log)
    attempts = [attempt for record in sink.records for attempt in record.attempts]
    assert Counter(attempt.outcome for attempt in attempts if attempt.outcome != "ok") == served
    assert len(attempts) == total
    assert len(sink.records) == 150
    assert len(served) == 6
    for outcome in outcomes:
        if isinstance(outcome, Reply):
            assert isinstance(outcome.value, ChoiceReply)
            assert outcome.value.answer == "B"
            assert outcome.value.confidence in (0.9, None)


def _key_b(asked: ChatRequest) -> dict[str, Any]:
    return {"rationale": "r", "answer": "B", "confidence": 0.9}


async def test_severities_and_summaries_over_the_wire(tmp_path: Path) -> None:
    with FakeServer(Policy(confidence=0.25)) as server:
        model = spec(server.base_url)
        async with gateway(MemorySink(), tmp_path) as gate:
            severity = await gate.ask(request(model, question(), reply_model=SeverityReply))
            summary = await gate.ask(request(model, request(model).parts[0], reply_model=SummaryReply))
    assert isinstance(severity, Reply)
    assert isinstance(severity.value, SeverityReply)
    assert severity.value.severity == 0.25
    assert isinstance(summary, Reply)


async def test_two_gateways_one_after_the_other(tmp_path: Path) -> None:
    """Leaving a gateway closes LiteLLM's connections; the next one opens them again."""
    with FakeServer() as server:
        for session in range(2):
            got = await ask_once(server.base_url, tmp_path / str(session), MemorySink())
            assert isinstance(got, Reply)


async def test_calls_overlap(tmp_path: Path) -> None:
    with FakeServer(Policy(delay_s=0.2)) as server:
        model = spec(server.base_url, concurrency=32)
        async with gateway(MemorySink(), tmp_path) as gate:
            await gate.ask(request(model, question("Warm up?")))
            await asyncio.gather(*(gate.ask(request(model, question(f"Q{n}?"))) for n in range(32)))
        assert server.stats["most_in_flight"] > 16


def test_the_fake_server_is_honest_about_images() -> None:
    data = IMAGES[HASHES[0]]
    assert hashlib.sha256(data).hexdigest() == HASHES[0]
