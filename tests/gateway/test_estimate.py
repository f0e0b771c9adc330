"""Forecasts beside what real tokenizers and the fake server count."""

import asyncio
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from gateway.estimate import estimate, images_in, prompt_tokens, text_tokens
from gateway.pricing import FREE, Rates, cost_usd, rates_of
from gateway.render import render
from records.calls import Reply, Request, TextPart, TranscriptPart, Usage
from records.config import ModelSpec
from tests.conftest import ROOT, shared_data
from tests.fakeserver import FakeServer, Policy
from tests.fakeserver.tokens import counter
from tests.gateway.support import MemorySink, frame, gateway, question, request, spec


@lru_cache
def corpus() -> list[str]:
    """Transcripts, items and prompts, English and Chinese, in pieces of some thousand characters."""
    news = shared_data("news")
    texts = [path.read_text() for path in sorted(news.rglob("*.vtt"))]
    texts = [" ".join(line for line in text.splitlines() if "-->" not in line) for text in texts]
    texts += [path.read_text() for path in sorted((ROOT / "prompts").rglob("*.md"))]
    texts += [shared_data("labelled_items.jsonl").read_text()[:20_000]]
    pieces = [text[at : at + 3000] for text in texts for at in range(0, len(text), 3000)]
    return [piece for piece in pieces if len(piece) > 500]


@pytest.mark.parametrize("tokenizer", ["cl100k_base", "o200k_base"])
def test_texts_are_counted_as_real_tokenizers_do(tokenizer: str) -> None:
    count = counter(tokenizer)
    ratios = [text_tokens(text) / count(text) for text in corpus()]
    assert len(ratios) > 20
    assert 0.9 < sum(ratios) / len(ratios) < 1.1
    assert sum(0.8 < ratio < 1.25 for ratio in ratios) / len(ratios) > 0.95


@pytest.mark.parametrize("text", ["", "a", "你好世界", "12345", "\ud800 lone", "naïve café", "🙂🙂"])
def test_any_text_can_be_counted(text: str) -> None:
    assert text_tokens(text) >= 0
    assert text_tokens(text * 100) >= text_tokens(text)


def judge_request(model: ModelSpec, number: int, words: str) -> Request:
    shown = [TranscriptPart(tag=f"TAG_{letter}", text=words[index * 900 : index * 900 + 1800])
             for index, letter in enumerate("ABC")]  # fmt: skip
    frames = [frame(index, f"TAG_{letter}") for letter in "ABC" for index in (1, 2)]
    return request(model, *shown, *frames, TextPart(text="Answer."), question(f"Question {number}?"), prefix_parts=9)


@pytest.mark.parametrize("tokenizer", ["rule", "cl100k_base", "o200k_base"])
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_forecasts_are_within_a_fifth_of_what_the_server_counts(
    tokenizer: Any, language: str, tmp_path: Path
) -> None:
    english = " ".join(json.loads(line)["question"] for line in shared_data("labelled_items.jsonl").open())
    words = (
        english
        if language == "en"
        else "渡轮上午九点离开旧港，船上载有十二名乘客和两名船员，其中三人来自邻近的岛屿。" * 100
    )
    with FakeServer(Policy(tokenizer=tokenizer, image_tokens=300)) as server:
        model = spec(server.base_url, image_tokens=300, price={"input": 2.0, "output": 8.0})
        asks = [judge_request(model, number, words) for number in range(5)]
        async with gateway(MemorySink(), tmp_path) as gate:
            replies = await asyncio.gather(*(gate.ask(item) for item in asks))
        counted = server.stats
    assert all(isinstance(reply, Reply) for reply in replies)
    assert sum(map(prompt_tokens, asks)) == pytest.approx(counted["prompt_tokens"], rel=0.2)
    assert sum(map(images_in, asks)) == counted["images"]
    shared = 4 * estimate(asks[0]).shared_tokens
    assert shared == pytest.approx(counted["cached_tokens"], rel=0.2)


def test_the_prompts_of_a_forecast_are_those_that_are_sent() -> None:
    """Every rendered word is counted: the sum over the parts is near the count of the whole."""
    asked = judge_request(spec(), 1, "word " * 2000)
    texts = [asked.system, *(block["text"] for block in render(asked).messages[1]["content"] if "text" in block)]
    whole = sum(map(text_tokens, texts)) + 6 * 400
    assert prompt_tokens(asked) == pytest.approx(whole, rel=0.05)
    in_words = asked.model_copy(update={"model": spec(json_mode="prompt")})
    assert prompt_tokens(in_words) > prompt_tokens(asked) + 60


def test_low_usual_and_high_costs() -> None:
    model = spec(price={"input": 10.0, "output": 20.0, "cached_input": 1.0, "per_image": 0.01}, max_output_tokens=500)
    asked = judge_request(model, 1, "word " * 2000)
    got = estimate(asked)
    assert (got.images, got.completion_tokens) == (6, 120)
    assert got.cost_usd == pytest.approx(got.prompt_tokens * 10e-6 + 120 * 20e-6 + 0.06)
    assert got.cost_usd is not None
    saved = got.shared_tokens * 9e-6
    assert got.cost_low_usd == pytest.approx(got.cost_usd - saved)
    assert got.cost_high_usd is not None
    assert got.cost_high_usd > got.prompt_tokens * 13e-6 + 500 * 20e-6
    assert estimate(asked, usual_reply=10_000).completion_tokens == 500
    assert estimate(asked.model_copy(update={"model": spec(price=None)})).cost_usd is None


def test_prices() -> None:
    assert rates_of(ModelSpec(name="o", model="offline/x", transport="offline")) is FREE
    assert rates_of(spec(price=None)) is None
    assert cost_usd(spec(price=None), Usage(prompt_tokens=10**6)) == 0.0
    listed = rates_of(ModelSpec(name="g", model="openai/gpt-4o"))
    assert listed is not None
    assert 0 < listed.cached_input < listed.input < listed.output < 1e-3
    tiered = rates_of(ModelSpec(name="g", model="gemini/gemini-2.5-pro"))
    assert tiered is not None
    small, large = Usage(prompt_tokens=100_000), Usage(prompt_tokens=250_000)
    assert tiered.cost(large) == pytest.approx(2 * 2.5 * tiered.cost(small))


def test_cached_tokens_are_part_of_the_prompt() -> None:
    rates = Rates(input=2.0, output=3.0, cached_input=0.5)
    assert rates.cost(Usage(prompt_tokens=10, cached_tokens=4, completion_tokens=2)) == 6 * 2 + 4 * 0.5 + 2 * 3
    assert rates.cost(Usage(prompt_tokens=1, cached_tokens=4)) == 0.5
