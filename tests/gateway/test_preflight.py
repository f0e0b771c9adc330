"""All problems before the first paid call, at once, each with what to do; and one small real call a model."""

from pathlib import Path
from typing import Any

import pytest

from gateway.preflight import Need
from gateway.transports import FunctionTransport
from records.config import ModelSpec
from records.errors import ConfigurationError
from records.replies import ChoiceReply
from tests.fakeserver import ChatRequest, FakeServer, Fault, Policy
from tests.gateway.support import MemorySink, gateway, spec


async def problems(needs: list[Need], folder: Path, **settings: Any) -> list[str]:
    async with gateway(MemorySink(), folder, **settings) as gate:
        with pytest.raises(ConfigurationError) as caught:
            await gate.preflight(needs)
    return [line.removeprefix("  - ") for line in caught.value.message.splitlines()[1:]]


def need(model: ModelSpec, **settings: Any) -> Need:
    return Need(**({"role": f"judge {model.name}", "model": model} | settings))


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "LITELLM_PROXY_API_KEY"):
        monkeypatch.delenv(name, raising=False)


async def test_every_problem_is_listed_at_once_with_what_to_do(tmp_path: Path) -> None:
    gpt = ModelSpec(name="gpt", model="openai/gpt-5", price={"input": 1, "output": 1})
    gemini = ModelSpec(name="gemini", model="gemini/gemini-2.5-pro")
    odd = ModelSpec(name="odd", model="nonsense/model", price={"input": 1, "output": 1})
    home = ModelSpec(name="home", model="hosted_vllm/qwen")
    own = ModelSpec(name="own", model="openai/mine", api_base="http://x/v1", api_key_env="OWN_KEY", price=None)
    proxied = ModelSpec(name="proxied", model="gpt-4o", transport="proxy", price={"input": 1, "output": 1})
    embedded = ModelSpec(name="embedded", model="offline/bm25", transport="offline")
    needs = [need(model) for model in (gpt, gemini, odd, home, own, proxied, embedded)]
    found = await problems(needs, tmp_path, budget_usd=1.0)
    listed = "\n".join(found)
    assert "gpt: no key for openai/gpt-5; set the environment variable OPENAI_API_KEY." in found
    assert "gpt: openai/gpt-5 does not take temperature, top_p; write drop_params: [temperature, top_p]." in found
    assert (
        "gemini: no key for gemini/gemini-2.5-pro; set the environment variable GOOGLE_API_KEY or GEMINI_API_KEY."
        in found
    )
    assert "odd: 'nonsense/model' names no provider that LiteLLM knows" in listed
    assert "home: hosted_vllm/ needs api_base, the server's address with /v1." in found
    assert "home: no price is known for hosted_vllm/qwen" in listed
    assert "own: no key; set the environment variable OWN_KEY." in found
    assert "own: no price is known for openai/mine" in listed
    assert "proxied: transport: proxy needs api_base" in listed
    assert "proxied: no key for the proxy; set the environment variable LITELLM_PROXY_API_KEY." in found
    assert "embedded: this command has no offline models; choose another panel." in found
    assert "gemini: no price" not in listed


async def test_what_a_role_needs_is_compared_with_what_its_model_takes(tmp_path: Path) -> None:
    small = spec("http://127.0.0.1:1/v1", name="small", max_images=8, context_tokens=10_000)
    blind = spec("http://127.0.0.1:1/v1", name="blind", model="hosted_vllm/blind", images=False)
    found = await problems(
        [
            need(small, images=24, where="calder", prompt_tokens=9_000),
            need(blind, must_see=True),
            need(blind, role="summarizer", images=2, where="wren"),
        ],
        tmp_path,
    )
    assert found == [
        "judge small: up to 24 images in one request (group calder), but small takes 8 (max_images); show fewer frames "
        "a source (views) or choose another model. Nothing is cut silently.",
        "judge small: about 9000 prompt tokens (group calder) and 4096 for the reply do not fit the 10000 tokens of "
        "small; use summaries or fewer frames (views), a smaller max_output_tokens, or a model with a larger window.",
        "judge blind: blind takes no images, and this role must see frames; choose another model.",
        "summarizer: blind takes no images, but would get 2 (group wren); set its view to frames: 0 or choose another "
        "model.",
    ]


async def test_one_name_at_two_addresses_is_refused(tmp_path: Path) -> None:
    one, two = (spec(f"http://127.0.0.1:{port}/v1", name=name) for port, name in ((1, "fp8"), (2, "bf16")))
    (found,) = await problems([need(one), need(two)], tmp_path)
    assert found.startswith("fp8 and bf16 both are hosted_vllm/fake, at two addresses")


async def test_litellms_own_window_counts_where_the_panel_is_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
    gpt = ModelSpec(name="gpt", model="openai/gpt-4o", price={"input": 1, "output": 1})
    (found,) = await problems([need(gpt, prompt_tokens=127_000)], tmp_path)
    assert "do not fit the 128000 tokens of gpt" in found


async def test_unused_models_need_no_key(tmp_path: Path) -> None:
    offline = ModelSpec(name="a", model="offline/x", transport="offline")
    transports = {"offline": FunctionTransport(lambda _: ChoiceReply(answer="A"))}
    async with gateway(MemorySink(), tmp_path, transports=transports, budget_usd=1.0) as gate:
        report = await gate.preflight([need(offline)])
    assert report.checked == ("a (offline/x)",)
    assert report.warnings == ()


def sees(color: str) -> Policy:
    return Policy(script=lambda asked: {"seen": "a square", "color": color if asked.images else "none"})


async def test_one_small_call_with_image_and_schema_a_model(tmp_path: Path) -> None:
    seen: list[ChatRequest] = []

    def script(asked: ChatRequest) -> dict[str, str]:
        seen.append(asked)
        return {"seen": "red", "color": "red"}

    sink = MemorySink()
    with FakeServer(Policy(script=script)) as server:
        judge = spec(server.base_url, price={"input": 10.0, "output": 10.0})
        words = spec(server.base_url, name="words", model="hosted_vllm/words", images=False)
        needs = [need(judge), need(judge, role="captioner"), need(words)]
        for session in range(2):
            async with gateway(sink, tmp_path) as gate:
                report = await gate.preflight(needs)
            assert len(server.log) == 2 * (session + 1)
    assert sorted(len(asked.images) for asked in seen) == [0, 0, 1, 1]
    assert {asked.schema_name for asked in seen} == {"ProbeReply"}
    assert report.warnings == ()
    assert report.cost_usd > 0
    assert sink.spent_usd() == pytest.approx(2 * report.cost_usd)


async def test_a_model_that_sees_another_color_gets_a_warning(tmp_path: Path) -> None:
    with FakeServer(sees("blue")) as server:
        async with gateway(MemorySink(), tmp_path) as gate:
            report = await gate.preflight([need(spec(server.base_url, price=None))])
    assert len(report.warnings) == 2
    assert "no price is known" in report.warnings[0]
    assert 'it replied {"seen":"a square","color":"blue"}' in report.warnings[1]


async def test_the_key_of_the_panel_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OWN_KEY", "sk-own-0123456789")
    with FakeServer(Policy(api_key="sk-own-0123456789")) as server:
        for model in ("hosted_vllm/fake", "openai/fake"):
            async with gateway(MemorySink(), tmp_path / model) as gate:
                await gate.preflight([need(spec(server.base_url, model=model, api_key_env="OWN_KEY"))])
        assert {entry.status for entry in server.log} == {200}


PROBES = [
    ("unauthorized", "Set the environment variable"),
    ("no-such-model", "the server does not know it"),
    ("bad-request", "drop_params"),
    ("truncated", "Raise max_output_tokens of judge"),
    ("prose", "Set json_mode: prompt for judge"),
    ("refusal-text", "Choose another model"),
    ("out-of-credit", "raise the limit"),
]


@pytest.mark.parametrize(("kind", "todo"), PROBES)
async def test_a_failed_probe_says_what_to_do_and_stops_nothing_else(kind: Any, todo: str, tmp_path: Path) -> None:
    with FakeServer(Policy(faults=(Fault(kind, model="fake"),))) as server:
        good = spec(server.base_url, name="good", model="hosted_vllm/good")
        async with gateway(MemorySink(), tmp_path) as gate:
            with pytest.raises(ConfigurationError) as caught:
                await gate.preflight([need(spec(server.base_url, retries=0)), need(good)])
            assert gate.stopped is None
    assert "1 problem before the first call" in caught.value.message
    assert todo in caught.value.message


async def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    (found,) = await problems([need(spec("http://127.0.0.1:9/v1", retries=0))], tmp_path)
    assert "Check that the server at http://127.0.0.1:9/v1 runs and can be reached." in found


async def test_without_a_probe_nothing_is_sent(tmp_path: Path) -> None:
    with FakeServer() as server:
        async with gateway(MemorySink(), tmp_path) as gate:
            await gate.preflight([need(spec(server.base_url))], probe=False)
        assert server.log == ()
