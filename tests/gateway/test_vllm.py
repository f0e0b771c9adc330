"""A real vLLM server, whose address (with ``/v1``) stands in BENCHWRIGHT_VLLM and its model in BENCHWRIGHT_VLLM_MODEL.

Images and JSON schemas go through ``hosted_vllm/…``; the server's own counters say how much of the prompts its prefix
cache served. Start it as docs/panels.md shows, then ``pytest -m vllm -s``.
"""

import asyncio
import os
import re
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from gateway.preflight import Need
from records.calls import CallFailure, Part, Reply, Request, TextPart, TranscriptPart
from records.config import ModelSpec
from records.errors import ConfigurationError
from records.replies import ChoiceReply
from tests.gateway.support import IMAGES, MemorySink, frame, gateway, question, request, spec

BASE = os.environ.get("BENCHWRIGHT_VLLM", "")
pytestmark = [pytest.mark.vllm, pytest.mark.skipif(not BASE, reason="set BENCHWRIGHT_VLLM to a vLLM server's address")]

WORDS = (
    "The ferry left the old harbour at nine with twelve passengers and two crew on board. Engineers had closed the "
    "eastern bridge on Tuesday after an inspection, and the council expects the repair to cost four million. "
)


def served() -> ModelSpec:
    """The server's model."""
    settings: dict[str, Any] = {"json_mode": "auto", "timeout_s": 600, "max_output_tokens": 200, "concurrency": 4}
    return spec(BASE, name="vllm", model=f"hosted_vllm/{os.environ.get('BENCHWRIGHT_VLLM_MODEL', 'tiny')}", **settings)


def counters() -> tuple[float, float]:
    """(prompt tokens looked up, prompt tokens served from the prefix cache) since the server's start."""
    page = urllib.request.urlopen(BASE.removesuffix("/v1") + "/metrics", timeout=30).read().decode()
    return tuple(  # type: ignore[return-value]
        sum(float(found) for found in re.findall(rf"^vllm:prefix_cache_{name}_total(?:{{[^}}]*}})? (\S+)$", page, re.M))
        for name in ("queries", "hits")
    )


def judge_requests(number: int, *, evidence_first: bool) -> list[Request]:
    """A group's judge calls: the same evidence, another question each."""
    evidence: list[Part] = [TranscriptPart(tag=f"TAG_{letter}", text=WORDS * 2) for letter in "ABC"]
    frames: list[Part] = [frame(index, "TAG_A") for index in (1, 2)]
    asks = []
    for index in range(number):
        instructions: list[Part] = [
            TextPart(text=f"Check {index}: reason first, then answer."),
            question(f"Question {index}?"),
        ]
        parts = [*evidence, *frames, *instructions] if evidence_first else [*instructions, *evidence, *frames]
        asks.append(request(served(), *parts, prefix_parts=len(evidence) + len(frames) if evidence_first else 0))
    return asks


async def test_images_and_a_schema_come_back_as_valid_replies(tmp_path: Path) -> None:
    sink = MemorySink()
    async with gateway(sink, tmp_path) as gate:
        outcomes = await asyncio.gather(*(gate.ask(item) for item in judge_requests(4, evidence_first=True)))
    print([getattr(outcome, "outcome", "ok") for outcome in outcomes])
    assert len(IMAGES) >= 2
    for outcome in outcomes:
        if isinstance(outcome, Reply):
            assert isinstance(outcome.value, ChoiceReply)
            assert outcome.usage.images == 2
        else:
            assert isinstance(outcome, CallFailure)
            assert outcome.outcome in ("unparsed", "truncated"), outcome.message
    assert all(record.usage.prompt_tokens > 300 for record in sink.records)


async def test_preflight_reaches_the_server(tmp_path: Path) -> None:
    """A model with random weights may never end its reply: that too is told, after the server has answered."""
    sink = MemorySink()
    need = Need(role="judge", model=served(), images=2, must_see=True, prompt_tokens=500)
    async with gateway(sink, tmp_path, budget_usd=1.0) as gate:
        try:
            report = await gate.preflight([need])
            assert report.checked
        except ConfigurationError as error:
            assert "the test call failed (truncated" in str(error)  # noqa: PT017
    assert sink.records[0].usage.prompt_tokens > 0


@pytest.mark.parametrize("evidence_first", [True, False])
async def test_the_prefix_cache_serves_a_groups_prompts(tmp_path: Path, evidence_first: bool) -> None:
    asks = judge_requests(12, evidence_first=evidence_first)
    before = counters()
    async with gateway(MemorySink(), tmp_path) as gate:
        await asyncio.gather(*(gate.ask(item) for item in asks))
    queries, hits = (after - begun for after, begun in zip(counters(), before, strict=True))
    print(f"evidence first: {evidence_first}; {hits:.0f} of {queries:.0f} prompt tokens from the cache")
    assert queries > 0
    if evidence_first:
        assert hits / queries >= 0.8
