"""No key reaches a trace, an error, an event or a file, wherever it turns up."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.events import Event
from gateway.preflight import Need
from gateway.redact import _LOOKS, MASK, Redactor
from records.calls import CallFailure, Reply
from records.errors import ConfigurationError, RunStopped
from tests.fakeserver import FakeServer, Fault, Policy
from tests.gateway.support import MemorySink, gateway, question, request, spec

KEY = "unusual-Key-0123456789-without-a-known-look"


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer abcdef123456", "key sk-proj-abcdefghijklmnop",
        "AIzaSyA-1234567890abcdefghijklmnopqrstuv",
        "https://user:secretpass@host/v1", "GET /v1?key=abcdefgh1234", "gsk_abcdefghijklmnopqrstuvwxyz",
        "hf_abcdefghijklmnopqrstuvwxyz", "AKIAABCDEFGHIJKLMNOP", "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSM",
    ],
)  # fmt: skip
def test_what_looks_like_a_key_goes(text: str) -> None:
    assert MASK in Redactor().clean(text)


@pytest.mark.parametrize(
    "text", ["The risk-benefit task was skipped.", "OPENAI_API_KEY is not set", "sk-1", "12 tokens; max_tokens=4096"]
)
def test_ordinary_words_stay(text: str) -> None:
    assert Redactor().clean(text) == text


@given(st.text(alphabet=st.sampled_from(list("sk-AIzaBearer gsk_xai-hf_AKIA0123456789eyJ.?&key=://@:")), max_size=80))
def test_the_cheap_look_misses_nothing(text: str) -> None:
    assert Redactor().clean(text) == _LOOKS.sub(MASK, text)


def test_keys_of_the_environment_go_by_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", KEY)
    monkeypatch.setenv("SHORT_TOKEN", "abc")
    redactor = Redactor()
    assert redactor.clean(f"x{KEY}y abc") == f"x{MASK}y abc"
    messages = ({"role": "system", "content": "a"}, {"role": "user", "content": [{"type": "text", "text": KEY}]})
    assert KEY not in str(redactor.messages(messages))
    harmless = messages[:1]
    assert redactor.messages(harmless) is harmless


def test_secret_parameters_lose_their_value() -> None:
    params = {
        "api_key": "x",
        "extra_headers": {"X-A": "y"},
        "extra_body": {"secret_token": "z", "top_k": 3},
        "max_tokens": 9,
    }
    assert Redactor().deep(params) == {
        "api_key": MASK, "extra_headers": MASK, "extra_body": {"secret_token": MASK, "top_k": 3}, "max_tokens": 9,
    }  # fmt: skip


@pytest.mark.parametrize("model", ["hosted_vllm/fake", "openai/fake"])
async def test_a_key_that_the_server_echoes_is_nowhere(
    model: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The server repeats the key in errors and in replies; the panel names its variable; a header carries it too."""
    monkeypatch.setenv("MY_JUDGE_KEY", KEY)
    sink = MemorySink()
    events: list[Event] = []
    said: list[Reply | CallFailure | str] = []
    echo = Policy(
        script=lambda asked: (
            {"rationale": f"key {KEY}", "answer": "B", "confidence": 1.0} if "Q0" in asked.text else KEY
        ),
        faults=(Fault("key-echo", contains="Q2"), Fault("unauthorized", contains="Q3")),
    )
    with FakeServer(echo) as server:
        settings = {"model": model, "api_key_env": "MY_JUDGE_KEY", "extra_params": {"extra_headers": {"X-Also": KEY}}}
        judge = spec(server.base_url, **settings)
        async with gateway(sink, tmp_path / "cache", on_event=events.append) as gate:
            for number in range(4):
                try:
                    said.append(await gate.ask(request(judge, question(f"Q{number}?"))))
                except RunStopped as stop:
                    said.append(stop.message + stop.hint)
    assert [type(item).__name__ for item in said] == ["Reply", "CallFailure", "CallFailure", "str"]
    assert isinstance(said[2], CallFailure)
    assert MASK in said[2].message
    records = "".join(record.model_dump_json() for record in sink.records)
    assert records.count(MASK) >= 5
    files = b"".join(path.read_bytes() for path in (tmp_path / "cache").rglob("*") if path.is_file())
    printed = "".join(capfd.readouterr())
    told = "".join(item if isinstance(item, str) else item.message for item in said if not isinstance(item, Reply))
    for place in (records, str(events), told, printed, files.decode("latin-1")):
        assert KEY not in place
    (cached,) = [record for record in sink.records if record.outcome == "ok"]
    assert KEY not in cached.reply_json


async def test_preflight_hides_it_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MY_JUDGE_KEY", KEY)
    with FakeServer(Policy(faults=(Fault("unauthorized"),))) as server:
        judge = spec(server.base_url, api_key_env="MY_JUDGE_KEY")
        async with gateway(MemorySink(), tmp_path) as gate:
            with pytest.raises(ConfigurationError) as caught:
                await gate.preflight([Need(role="judge a", model=judge)])
    assert KEY not in str(caught.value)
    assert "MY_JUDGE_KEY" in str(caught.value)
