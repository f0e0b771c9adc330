"""Families and names, the order of asking, warnings, independence, guessing."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.panel import (
    at_least,
    confident_shares,
    contaminated,
    family,
    family_of_name,
    guess_rate,
    related,
    seat_order,
    warnings,
)
from records.config import ModelSpec, Panel, Price, SeatSpec
from records.model_names import canonical_name
from records.verdicts import ChoiceVerdict
from tests.judges.builders import a_panel


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("openai/gpt-5", "gpt"),
        ("azure/gpt-4o-mini", "gpt"),
        ("openai/o3", "gpt"),
        ("openai/o4-mini", "gpt"),
        ("openai/gpt-oss-120b", "gpt"),
        ("gemini/gemini-2.5-pro", "gemini"),
        ("vertex_ai/gemini-3.8-flash", "gemini"),
        ("google/gemma-3-27b-it", "gemma"),
        ("anthropic/claude-sonnet-5-5", "claude"),
        ("bedrock/anthropic.claude-opus-4-5-20251101-v1:0", "claude"),
        ("hosted_vllm/Qwen/Qwen3-VL-30B-A3B-Instruct", "qwen"),
        ("ollama/qwen2.5vl:7b", "qwen"),
        ("hosted_vllm/meta-llama/Llama-4-Scout", "llama"),
        ("hosted_vllm/OpenGVLab/InternVL3_5-38B", "internvl"),
        ("zai/glm-4.5v", "glm"),
        ("hosted_vllm/zai-org/GLM-4.5V-FP8", "glm"),
        ("ollama/minicpm-v:8b", "minicpm"),
        ("deepseek/deepseek-v4-flash", "deepseek"),
        ("hosted_vllm/deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "deepseek"),
        ("mistral/pixtral-large-latest", "mistral"),
        ("hosted_vllm/mistralai/Mistral-Small-3.2-24B-Instruct-2506", "mistral"),
        ("xai/grok-4.7", "grok"),
        ("moonshot/kimi-k3", "kimi"),
        ("hosted_vllm/lmms-lab/LLaVA-OneVision-qwen2-7b", "llava"),
        ("hosted_vllm/DAMO/VideoLLaMA2-7B", "videollama"),
        ("offline/bm25", "offline"),
        ("hosted_vllm/acme/tower-9b", "tower-9b"),
    ],
)
def test_family(name: str, expected: str) -> None:
    assert family_of_name(name) == expected


def test_a_configured_family_wins() -> None:
    assert family(ModelSpec(name="x", model="openai/my-tune", family="Qwen")) == "qwen"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("openai/gpt-4o-2024-08-06", "GPT-4o"),
        ("azure/gpt-4o", "openai/gpt-4o"),
        ("gemini/gemini-2.5-pro", "vertex_ai/gemini-2.5-pro-preview-05-06"),
        (
            "hosted_vllm/Qwen/Qwen3-VL-30B-A3B-Instruct",
            "fireworks_ai/accounts/fireworks/models/qwen3-vl-30b-a3b-instruct",
        ),
        ("hosted_vllm/Qwen/Qwen3-VL-30B-A3B-Instruct-FP8", "Qwen3-VL-30B-A3B-Instruct"),
        ("anthropic/claude-opus-4-5-20251101", "bedrock/us.anthropic.claude-opus-4-5-20251101-v1:0"),
        ("anthropic/claude-sonnet-5-5", "claude-sonnet-5-5@20260901"),
        ("hosted_vllm/google/gemma-3-27b-it", "google/gemma-3-27b-it-gguf"),
    ],
)
def test_two_spellings_of_one_model(one: str, other: str) -> None:
    assert canonical_name(one) == canonical_name(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("openai/gpt-4o", "openai/gpt-4o-mini"),
        ("gemini/gemini-2.5-pro", "gemini/gemini-2.5-flash"),
        ("Qwen/Qwen3-VL-30B-A3B-Instruct", "Qwen/Qwen3-VL-8B-Instruct"),
        ("openai/gpt-5", "openai/gpt-5.1"),
        ("Qwen/Qwen3-VL-30B-A3B-Instruct", "Qwen/Qwen3-VL-30B-A3B-Thinking"),
        ("offline/bm25", "offline/ngrams"),
        ("meta/llama-3.1-8b", "meta/llama-3.1-70b"),
    ],
)
def test_two_models_stay_two(one: str, other: str) -> None:
    assert canonical_name(one) != canonical_name(other)


def test_a_candidate_that_judged_is_found_by_name_and_by_alias() -> None:
    judge = ModelSpec(name="qwen", model="hosted_vllm/Qwen/Qwen3-VL-30B-A3B-Instruct", aliases=("qwen3-vl-30b",))
    drafter = ModelSpec(name="gpt-5", model="openai/gpt-5")
    used = (drafter, judge)
    assert contaminated(ModelSpec(name="c", model="fireworks_ai/qwen3-vl-30b-a3b-instruct"), used)
    assert contaminated(ModelSpec(name="c", model="x/y", aliases=("Qwen3-VL-30B",)), used)
    assert contaminated(ModelSpec(name="c", model="azure/gpt-5-2025-08-07"), used) == ("c is gpt-5 (openai/gpt-5)",)
    small = ModelSpec(name="c", model="hosted_vllm/Qwen/Qwen3-VL-8B-Instruct")
    assert contaminated(small, used) == ()
    assert related(small, used) == ("c and qwen are of one family (qwen)",)
    assert related(ModelSpec(name="c", model="gemini/gemini-3.8-flash"), used) == ()


def priced(*prices: float | None, ranks: tuple[int | None, ...] = ()) -> Panel:
    panel = a_panel(len(prices))
    models = tuple(
        model.model_copy(update={"price": None if price is None else Price(input=price, output=price)})
        for model, price in zip(panel.models, prices, strict=True)
    )
    seats = tuple(
        SeatSpec(seat=seat.seat, model=seat.model, cost_rank=rank)
        for seat, rank in itertools.zip_longest(panel.judges, ranks)
    )
    return panel.model_copy(update={"models": models, "judges": seats})


@pytest.mark.parametrize(
    ("panel", "order"),
    [
        (priced(3.0, 1.0, 2.0), ["s1", "s2", "s0"]),
        (priced(None, 1.0, 0.0), ["s2", "s1", "s0"]),  # unknown prices last
        (priced(None, None, None), ["s0", "s1", "s2"]),
        (priced(3.0, 1.0, 2.0, ranks=(1, 2, 3)), ["s0", "s1", "s2"]),
        (priced(3.0, 1.0, 2.0, ranks=(None, None, 1)), ["s2", "s1", "s0"]),
        (priced(1.0, 1.0, 1.0), ["s0", "s1", "s2"]),
    ],
)
def test_the_order_of_asking(panel: Panel, order: list[str]) -> None:
    assert [seat.seat for seat in seat_order(panel)] == order


def panel_of(judges: list[str], drafter: str = "anthropic/claude-sonnet-5-5", **model: object) -> Panel:
    names = [drafter, *judges]
    models = tuple(ModelSpec.model_validate({"name": f"m{i}", "model": name} | model) for i, name in enumerate(names))
    seats = tuple(SeatSpec(seat=f"s{i}", model=f"m{i}") for i in range(1, len(names)))
    return Panel(name="p", models=models, drafters=("m0",), judges=seats)


THREE = ["openai/gpt-4o", "gemini/gemini-2.5-pro", "hosted_vllm/Qwen/Qwen3-VL-30B"]


@pytest.mark.parametrize(
    ("panel", "words"),
    [
        (panel_of(THREE), []),
        (panel_of(THREE, drafter="azure/gpt-4o-2024-08-06"), ["judges its own questions"]),
        (panel_of(THREE, drafter="openai/gpt-5"), ["of the drafter's family (gpt)"]),
        (panel_of(["openai/gpt-4o", "openai/gpt-4o-mini", "openai/o3"]), ["one family (gpt)"]),
        (panel_of([*THREE[:2], "azure/gpt-4o"]), ["the same model: it votes 2 times"]),
        (panel_of(THREE[:2]), ["even number of judges (2)"]),
        (panel_of(THREE[:1]), ["One judge is no panel"]),
        (panel_of([]), ["no judges"]),
        (panel_of(THREE, images=False), ["cannot see frames"]),
    ],
)
def test_warnings(panel: Panel, words: list[str]) -> None:
    found = warnings(panel)
    assert len(found) == len(words)
    assert all(word in line for word, line in zip(words, found, strict=True))


def test_a_judge_in_reserve_that_drafts_is_warned_of() -> None:
    panel = panel_of(THREE)
    reserve = panel.model_copy(update={"reserves": (SeatSpec(seat="spare", model="m0"),)})
    assert warnings(reserve) == ("m0 drafts and sits on the panel as spare: it judges its own questions.",)


def test_guessing_three_always_sure_judges() -> None:
    """By hand: q = 1/4; two or three of three: 3·(1/4)²·(3/4) + (1/4)³ = 10/64. Three sources: 1 - (54/64)³."""
    rate = guess_rate(a_panel(3), 4, {}, sources=[3, 3])
    assert rate.per_source == pytest.approx(10 / 64)
    assert rate.per_question == pytest.approx(1 - (54 / 64) ** 3)
    assert rate.expected == pytest.approx(2 * (1 - (54 / 64) ** 3))


def test_guessing_with_unequal_confidences() -> None:
    """By hand for two seats (majority 2): both vote with q1·q2 = (0.8/4)·(0.4/4)."""
    rate = guess_rate(a_panel(2), 4, {"s0": 0.8, "s1": 0.4}, sources=[2])
    assert rate.per_source == pytest.approx(0.2 * 0.1)
    assert rate.per_question == pytest.approx(1 - 0.98**2)
    assert guess_rate(a_panel(3), 4, dict.fromkeys(("s0", "s1", "s2"), 0.0), sources=[5]).expected == 0.0


@pytest.mark.parametrize(("options", "share"), [(1, 0.5), (4, 1.1), (4, -0.1)])
def test_guessing_refuses_nonsense(options: int, share: float) -> None:
    with pytest.raises(ValueError, match=r"options|shares"):
        guess_rate(a_panel(1), options, {"s0": share})


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.integers(0, 7))
def test_at_least_equals_the_sum_over_all_outcomes(chances: list[float], successes: int) -> None:
    total = 0.0
    for hits in itertools.product([0, 1], repeat=len(chances)):
        if sum(hits) >= successes:
            weight = 1.0
            for hit, chance in zip(hits, chances, strict=True):
                weight *= chance if hit else 1 - chance
            total += weight
    assert at_least(successes, chances) == pytest.approx(total, abs=1e-9)


def test_confident_shares_count_right_and_wrong_answers() -> None:
    def verdict(seat: str, unit: str, sure: float | None, check: str = "solvability") -> ChoiceVerdict:
        return ChoiceVerdict(check=check, seat=seat, model="m", unit=unit, answer="B", confidence=sure)  # type: ignore[arg-type]

    verdicts = [
        verdict("s0", "TAG_A", 0.9), verdict("s0", "TAG_B", 0.8), verdict("s0", "TAG_C", 0.79),
        verdict("s0", "TAG_D", None), verdict("s1", "TAG_A", 0.1), verdict("s1", "all", 1.0, "difficulty"),
    ]  # fmt: skip
    assert confident_shares(a_panel(3), verdicts) == {"s0": 0.5, "s1": 0.0}
