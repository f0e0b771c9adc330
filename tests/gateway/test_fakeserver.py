"""The fake server itself: deterministic, schema-true, and the same in another process."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from records.replies import ChoiceReply, DraftReply
from tests.conftest import ROOT
from tests.fakeserver import ChatRequest, FakeServer, Fault, Policy
from tests.fakeserver.answers import reply_for
from tests.fakeserver.tokens import PrefixCache, by_rule, counter


def post(base_url: str, body: dict[str, Any], key: str = "none") -> tuple[int, dict[str, Any]]:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    call = urllib.request.Request(f"{base_url}/chat/completions", json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(call, timeout=5) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def chat(text: str = "hello", model: str = "fake") -> dict[str, Any]:
    schema = {"name": "ChoiceReply", "schema": ChoiceReply.model_json_schema()}
    return {
        "model": model,
        "messages": [{"role": "user", "content": text}],
        "response_format": {"type": "json_schema", "json_schema": schema},
    }


def test_the_same_request_gets_the_same_reply() -> None:
    with FakeServer() as one, FakeServer() as other:
        replies = [post(server.base_url, chat())[1]["choices"] for server in (one, one, other)]
        assert replies[0] == replies[1] == replies[2]
        assert post(one.base_url, chat("another"))[1]["choices"] != replies[0]
    with FakeServer(Policy(seed=7)) as seeded:
        assert post(seeded.base_url, chat())[1]["choices"] != replies[0]


def test_faults_that_heal_look_at_the_try_and_others_at_the_request() -> None:
    policy = Policy(faults=(Fault("server-error", rate=0.5), Fault("truncated", rate=0.3)))
    asked = [ChatRequest.parse(chat(str(number))) for number in range(400)]
    first = [policy.fault_for(item, 0, 0) for item in asked]
    second = [policy.fault_for(item, 1, 0) for item in asked]
    kinds = [fault.kind if fault else "" for fault in first]
    assert 160 < kinds.count("server-error") < 240
    assert any(a != b for a, b in zip(first, second, strict=True))
    for before, after in zip(first, second, strict=True):
        if before and before.kind == "truncated":
            assert after is None or after.kind in ("truncated", "server-error")


def test_an_honest_server_refuses() -> None:
    policy = Policy(models=("fake",), api_key="sk-right", context_tokens=50)
    with FakeServer(policy) as server:
        assert post(server.base_url, chat(), "sk-wrong")[0] == 401
        assert post(server.base_url, chat(model="other"), "sk-right")[0] == 404
        assert post(server.base_url, chat("word " * 200), "sk-right")[0] == 400
        assert post(server.base_url, chat(), "sk-right")[0] == 200
        assert [entry.status for entry in server.log] == [401, 404, 400, 200]


def test_prefixes_are_cached_in_whole_blocks() -> None:
    cache, count = PrefixCache(), counter("rule")
    shared = "A long common beginning of every prompt. " * 20
    one, two = (ChatRequest.parse(chat(shared + tail)) for tail in ("Q1", "Q2"))
    assert cache.cached(cache.chain(one, count, 400)) == 0
    cache.add(cache.chain(one, count, 400))
    cached = cache.cached(cache.chain(two, count, 400))
    assert cached % 16 == 0
    assert 0.8 * by_rule(shared) < cached <= by_rule(shared)


def test_a_drafted_question_is_complete_and_crossed() -> None:
    words = "Twelve people sailed. The boat left at nine. The pier was closed."
    text = "".join(
        f'<transcript tag="{tag}">\n{words.replace("Twelve", tag[-1])}\n</transcript>\n' for tag in ("TAG_A", "TAG_B")
    )
    asked = ChatRequest(
        "fake", ({"role": "user", "content": text + "\n[FRAME: TAG_B #2]"},), "DraftReply", {"type": "object"}
    )
    reply = DraftReply.model_validate(reply_for(asked, 0, None))
    assert reply.question is not None
    options = [tuple(claim.text for claim in option.claims) for option in reply.question.options.values()]
    assert len(set(options)) == 4
    assert len({first for first, _ in options}) == len({second for _, second in options}) == 2
    assert reply.question.evidence_frames == ["TAG_B #2"]


def test_unknown_policy_keys_are_refused() -> None:
    with pytest.raises(TypeError, match="unknown policy keys: dely"):
        Policy.from_json({"dely": 1})
    policy = Policy(faults=(Fault("drop", rate=0.5),), models=("a",))
    assert Policy.from_json(json.loads(json.dumps(policy.to_json()))) == policy


def test_in_another_process_with_a_log_that_can_be_followed(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    command = [sys.executable, "-m", "tests.fakeserver", "--policy", '{"confidence": 0.5}', "--log", str(log)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            base_url = server.stdout.readline().strip()
            _, reply = post(base_url, chat())
            assert json.loads(reply["choices"][0]["message"]["content"])["confidence"] == 0.5
            with urllib.request.urlopen(base_url.removesuffix("/v1") + "/stats", timeout=5) as page:
                assert json.load(page)["requests"] == 1
        finally:
            server.kill()
    assert [json.loads(line)["event"] for line in log.read_text().splitlines()] == ["begin", "end"]
