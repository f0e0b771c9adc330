"""The packaged panels and the news track: valid, independent, priced or free, and named as LiteLLM names models."""

import importlib.util
import json
from pathlib import Path

import pytest

from graphs.configuration import load_panel, load_track, names_of
from judges.panel import family, seat_order, warnings
from records.config import ModelSpec, Panel
from records.errors import ConfigurationError

PANELS = ("local-llm", "mixed", "offline", "paper", "vllm")


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in [name for name in os.environ if name.startswith("BENCHWRIGHT_") and name.endswith(("_URL", "_MODEL"))]:
        monkeypatch.delenv(name)


def test_all_panels_are_packaged() -> None:
    assert set(PANELS) <= set(names_of("panels"))


@pytest.mark.parametrize("name", PANELS)
def test_a_panel_is_complete(name: str) -> None:
    panel = load_panel(name)
    assert panel.name == name
    assert panel.description
    assert len(panel.judges) == 3
    assert panel.drafters
    assert panel.summarizer
    assert (panel.schedule, panel.layout) == ("frugal", "shared-prefix")
    assert (panel.captioner is None) == (name == "offline")
    used = {*panel.drafters, panel.captioner, panel.summarizer, *(seat.model for seat in panel.judges)} - {None}
    assert {model.name for model in panel.models} == used


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mixed", []),
        ("vllm", []),
        ("local-llm", []),
        ("paper", ["gpt-4o is of the drafter's family (gpt)"]),
        ("offline", ["no language model is asked"]),
    ],
)
def test_the_warnings_of_each_panel_are_known(name: str, expected: list[str]) -> None:
    found = warnings(load_panel(name))
    assert len(found) == len(expected)
    assert all(words in line for words, line in zip(expected, found, strict=True))


@pytest.mark.parametrize("name", ["mixed", "paper", "vllm", "local-llm"])
def test_judges_are_of_three_families_and_see_frames(name: str) -> None:
    panel = load_panel(name)
    judges = [panel.model(seat.model) for seat in panel.judges]
    assert len({family(model) for model in judges}) == 3
    assert all(model.images for model in judges)


def is_local(model: ModelSpec) -> bool:
    return model.model.startswith("hosted_vllm/") or model.is_offline


@pytest.mark.parametrize("name", PANELS)
def test_local_models_are_free_and_have_an_address_that_can_be_moved(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for model in filter(is_local, load_panel(name).models):
        assert model.price is not None
        assert (model.price.input, model.price.output) == (0, 0)
        if not model.is_offline:
            assert model.api_base is not None
            assert model.api_base.startswith("http://127.0.0.1:")
            assert model.context_tokens
    variables = {"paper": "BENCHWRIGHT_QWEN_URL", "local-llm": "BENCHWRIGHT_JUDGE_1_URL"}
    if name in variables:
        monkeypatch.setenv(variables[name], "http://gpu:9000/v1")
        assert "http://gpu:9000/v1" in {model.api_base for model in load_panel(name).models}


def price_list() -> dict[str, dict[str, object]]:
    spec = importlib.util.find_spec("litellm")
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin).parent / "model_prices_and_context_window_backup.json"
    prices: dict[str, dict[str, object]] = json.loads(path.read_text())
    return prices


@pytest.mark.parametrize("name", ["mixed", "paper"])
def test_hosted_models_are_known_to_litellm_with_a_price_and_eyes(name: str) -> None:
    prices = price_list()
    hosted = [model for model in load_panel(name).models if not is_local(model)]
    assert hosted
    for model in hosted:
        entry = prices.get(model.model) or prices.get(model.model.partition("/")[2])
        assert entry, f"LiteLLM's price list has no {model.model}"
        assert entry["input_cost_per_token"]
        assert entry["supports_vision"]
        assert model.price is None
        assert model.max_output_tokens <= int(str(entry["max_output_tokens"]))


@pytest.mark.parametrize("name", names_of("panels"))
def test_every_model_takes_the_sampling_that_its_panel_sets(name: str) -> None:
    """What preflight would refuse before the first call must not stand in a packaged panel."""
    from gateway.litellm_setup import refused_parameters

    for model in load_panel(name).models:
        sampling = {"temperature": model.temperature, "top_p": model.top_p}
        wanted = {key: value for key, value in sampling.items() if value is not None and key not in model.drop_params}
        assert model.is_offline or refused_parameters(model.model, wanted) == (), model.name


def test_the_papers_panel() -> None:
    panel = load_panel("paper")
    assert [panel.model(name).model for name in panel.drafters] == ["openai/gpt-5"]
    assert {panel.model(seat.model).model for seat in panel.judges} == {
        "gemini/gemini-2.5-pro",
        "openai/gpt-4o-2024-08-06",
        "hosted_vllm/Qwen/Qwen3-VL-30B-A3B-Instruct",
    }
    assert [seat.seat for seat in seat_order(panel)] == ["qwen3-vl-30b", "gemini-2.5-pro", "gpt-4o"]
    assert (panel.checks.ambiguity.severity, panel.checks.difficulty.confidence) == (0.6, 0.8)


def test_the_offline_panel_needs_no_network() -> None:
    panel = load_panel("offline")
    assert all(model.is_offline for model in panel.models)
    assert [panel.model(seat.model).model for seat in panel.judges] == [
        "offline/bm25", "offline/ngrams", "offline/facts",
    ]  # fmt: skip
    assert panel.model(panel.drafters[0]).model == "offline/extractive"


def test_one_small_model_in_every_role_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    for role in ("DRAFTER", "JUDGE_1", "JUDGE_2", "JUDGE_3"):
        monkeypatch.setenv(f"BENCHWRIGHT_{role}_MODEL", "tiny-vl")
    panel: Panel = load_panel("local-llm")
    assert {model.model for model in panel.models} == {"hosted_vllm/tiny-vl"}
    found = " ".join(warnings(panel))
    assert "judges its own questions" in found
    assert "votes 3 times" in found


def test_the_news_track() -> None:
    track = load_track("news")
    assert track.types == tuple(f"T{number}" for number in range(1, 11))
    assert len(track.domains) == 7
    assert (track.min_sources, track.images.longer_side, track.images.jpeg_quality) == (2, 540, 65)
    assert (track.evidence_characters, track.evidence_sentences) == (160, 2)


def test_an_unknown_panel_lists_the_packaged_ones() -> None:
    with pytest.raises(ConfigurationError, match=r"local-llm, mixed, offline, paper, videovista, vllm"):
        load_panel("papre")
