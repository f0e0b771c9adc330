"""The proxy transport: langchain-openai's ChatOpenAI against an OpenAI-compatible proxy, over a real socket."""

from pathlib import Path
from typing import Any

import pytest

from records.calls import CallFailure, Reply
from records.errors import RunStopped
from records.replies import ChoiceReply
from tests.fakeserver import ChatRequest, FakeServer, Fault, FaultKind, Policy
from tests.gateway.support import HASHES, IMAGES, MemorySink, gateway, request, spec

KEY = "sk-proxy-0123456789"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITELLM_PROXY_API_KEY", KEY)


def proxied(base_url: str, **settings: Any) -> Any:
    return spec(base_url, **({"model": "team-judge", "transport": "proxy", "retries": 1, "timeout_s": 2} | settings))


async def ask_once(model: Any, folder: Path, sink: MemorySink) -> Reply | CallFailure:
    async with gateway(sink, folder) as gate:
        return await gate.ask(request(model))


async def test_everything_arrives_and_comes_back(tmp_path: Path) -> None:
    seen: list[ChatRequest] = []

    def script(asked: ChatRequest) -> dict[str, Any]:
        seen.append(asked)
        return {"rationale": "r", "answer": asked.letter_of("None."), "confidence": 0.7}

    sink = MemorySink()
    with FakeServer(Policy(script=script, api_key=KEY)) as server:
        model = proxied(server.base_url, price={"input": 2, "output": 8}, extra_params={"top_k": 5})
        got = await ask_once(model, tmp_path, sink)
        (entry,) = server.log
    assert isinstance(got, Reply)
    assert got.value == ChoiceReply(rationale="r", answer="D", confidence=0.7)
    (asked,) = seen
    assert (asked.model, asked.schema_name, asked.images) == ("team-judge", "ChoiceReply", (IMAGES[HASHES[1]],))
    assert asked.params["top_k"] == 5
    assert asked.params["temperature"] == 0
    assert (got.usage.prompt_tokens, got.usage.completion_tokens) == (entry.prompt_tokens, entry.completion_tokens)
    assert got.cost_usd == pytest.approx((entry.prompt_tokens * 2 + entry.completion_tokens * 8) / 1e6)
    assert sink.records[0].transport == "proxy"
    assert KEY not in sink.records[0].model_dump_json()


FAILURES: list[tuple[FaultKind, str]] = [
    ("rate-limit", "rate-limited"),
    ("server-error", "unavailable"),
    ("drop", "unavailable"),
    ("truncated", "truncated"),
    ("content-filter", "filtered"),
    ("filtered-400", "filtered"),
    ("refusal-field", "refused"),
    ("refusal-text", "refused"),
    ("context-too-long", "context-too-long"),
    ("too-many-images", "too-many-images"),
    ("bad-request", "misconfigured"),
    ("prose", "unparsed"),
]


@pytest.mark.parametrize(("kind", "outcome"), FAILURES)
async def test_each_failure_is_told_apart(kind: FaultKind, outcome: str, tmp_path: Path) -> None:
    sink = MemorySink()
    with FakeServer(Policy(faults=(Fault(kind),))) as server:
        got = await ask_once(proxied(server.base_url, retries=0 if kind == "rate-limit" else 1), tmp_path, sink)
        assert server.count(kind) == len(sink.records[0].attempts)
    assert isinstance(got, CallFailure)
    assert got.outcome == outcome


@pytest.mark.parametrize("kind", ["unauthorized", "no-such-model"])
async def test_wrong_setup_stops(kind: FaultKind, tmp_path: Path) -> None:
    with FakeServer(Policy(faults=(Fault(kind),))) as server, pytest.raises(RunStopped) as caught:
        await ask_once(proxied(server.base_url), tmp_path, MemorySink())
    assert caught.value.reason == "misconfigured"
    if kind == "unauthorized":
        assert "LITELLM_PROXY_API_KEY" in caught.value.hint
        assert KEY not in str(caught.value)
