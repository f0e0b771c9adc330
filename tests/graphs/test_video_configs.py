"""The packaged panel and track of the video track: every model and number of the paper, and the docs kept true."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

from agents.roles import ROLES, model_for, unknown_roles
from graphs.annotating import video_settings
from graphs.configuration import load_panel, load_track
from graphs.video import build_video_graph
from graphs.video_objects import build_object_graph
from graphs.video_slot import build_video_slot_graph
from prompts.taskheads import load_taskheads
from rules.video import VIDEO_RULES

DOC = (Path(__file__).resolve().parents[2] / "docs" / "video-track.md").read_text(encoding="utf-8")


def test_the_papers_models_do_the_papers_steps() -> None:
    panel = load_panel("videovista")
    models = {role: model_for(panel, role) for role in ROLES}
    names = {role: model.model.rpartition("/")[2] for role, model in models.items() if model}
    assert names == {
        "quality": "Qwen2.5-32B-Instruct",
        **dict.fromkeys(("segmenter", "refiner", "concepts"), "Qwen2.5-72B-Instruct"),
        **dict.fromkeys(("annotator", "classifier", "extractor", "grounder", "describer"), "Qwen2-VL-72B-Instruct"),
        "presence": "InternVL2-8B",
        "science-drafter": "DeepSeek-R1",
    }
    assert [panel.model(name).model.rpartition("/")[2] for name in panel.drafters] == ["DeepSeek-V3"]
    assert [panel.model(seat.model).model.rpartition("/")[2] for seat in panel.judges] == ["Qwen2.5-7B-Instruct"]
    assert not unknown_roles(panel)
    used = {*panel.drafters, *panel.roles.values(), *(seat.model for seat in panel.judges)}
    assert {model.name for model in panel.models} == used


def test_the_blind_filter_alone_is_on() -> None:
    checks = load_panel("videovista").checks
    assert (checks.blind.enabled, checks.blind.with_article) == (True, True)
    assert not any((checks.solvability.enabled, checks.ambiguity.enabled, checks.difficulty.enabled))


def test_hosted_models_are_known_to_litellm_and_local_ones_have_an_address() -> None:
    spec = importlib.util.find_spec("litellm")
    assert spec is not None
    assert spec.origin is not None
    prices = json.loads((Path(spec.origin).parent / "model_prices_and_context_window_backup.json").read_text())
    for model in load_panel("videovista").models:
        if model.model.startswith("hosted_vllm/"):
            assert model.api_base
            assert model.context_tokens
            assert model.price is not None
        else:
            assert prices[model.model]["input_cost_per_token"]
            assert "deprecation_date" not in prices[model.model]


def test_the_track_names_every_model_and_number_of_the_paper() -> None:
    track = load_track("videovista")
    settings = video_settings(track)
    named = " ".join(settings.paper_models.values())
    for name in (
        "Whisper-Large-v3", "Qwen2.5-32B", "Qwen2.5-72B", "Qwen2-VL-72B", "InternVL2-8B", "Grounding-DINO", "SAM 2",
        "paraphrase-multilingual-MiniLM-L12-v2", "DeepSeek-V3", "DeepSeek-R1", "Qwen2.5-7B with CircularEval",
        "Panda-70M",
    ):  # fmt: skip
        assert name in named
    assert (settings.speech.model, settings.objects.per_second, settings.culture.concepts) == ("large-v3", 1.0, 2)
    assert settings.culture.cultures == ("chinese", "american", "european")
    assert list(settings.science.disciplines) == ["mathematics", "physics", "chemistry", "computer science"]
    assert all(len(branches) == 4 for branches in settings.science.disciplines.values())
    assert set(track.types) == set(load_taskheads(kind="video"))
    assert track.min_sources == 1


def test_the_drawings_are_those_of_the_graphs() -> None:
    built = {"video": build_video_graph(), "objects": build_object_graph(), "video-slot": build_video_slot_graph()}
    for name, graph in built.items():
        found = re.search(rf"<!-- graph: {name} -->\n```mermaid\n(.*?)\n```\n<!-- end -->", DOC, re.DOTALL)
        assert found, name
        assert found[1] == graph.get_graph().draw_mermaid().strip(), "run python docs/generate.py"


@pytest.mark.parametrize("rule", VIDEO_RULES, ids=lambda rule: rule.rule_id)
def test_the_docs_list_every_rule_and_whether_code_checks_it(rule: object) -> None:
    (row,) = re.findall(rf"^\| `{rule.rule_id}` \|.*$", DOC, re.MULTILINE)
    assert ("| people |" in row) == (rule.check is None)
    assert ("warning" in row) == (rule.level == "warning")


@pytest.mark.parametrize("role", ROLES)
def test_the_docs_name_every_role(role: str) -> None:
    assert f"`{role}`" in DOC
