"""Candidates files: strict, helpful, and the papers' own; flags, sweeps and independence."""

import argparse
from pathlib import Path

import pytest

from graphs import configuration
from graphs.eval_candidates import (
    choose_candidates,
    load_candidates,
    read_sweep,
    refuse_contaminated,
)
from graphs.evaluate import build_parser
from records.config import ModelSpec
from records.errors import ConfigurationError

FILE = """\
asking: {frames: 8f, side: null}
summarizer: short
helpers: {short: openai/small}
models:
  a: {model: openai/a, label: The A, llm: A-7B, section: Open, size_b: 7, asking: {side: 224}}
  b: openai/b
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(FILE)
    return path


def flags(*words: str) -> argparse.Namespace:
    return build_parser().parse_args(["--items", "x", *words])


def test_the_file_s_asking_holds_for_all_and_each_may_differ(file: Path) -> None:
    found = load_candidates(str(file))
    assert found.name == "mine"
    assert [(c.name, c.asking.frames, c.asking.side) for c in found.candidates] == [("a", "8f", 224), ("b", "8f", None)]
    assert (found.candidates[0].label, found.candidates[0].size_b) == ("The A", 7)
    assert found.model("short").model == "openai/small"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("side: 224", "sides: 224", r"models\.a\.asking\.sides: there is no such setting\. Valid here: .*side"),
        ("label:", "lable:", r"models\.a\.lable: there is no such setting\. Valid here: "),
        ("frames: 8f", "frames: eight", r"frames: 'eight' is not understood; write 4 \(top-ranked\)"),
        ("summarizer: short", "summarizer: tall", r"summarizer: no model named tall"),
        ("helpers: {short", "helpers: {a", r"names must differ; used twice: a"),
        ("side: 224", "side: 224, batch: 2, reply: letter", r"several questions in one call need reply: json"),
    ],
)
def test_a_fault_names_the_file_the_field_and_the_way_out(file: Path, old: str, new: str, message: str) -> None:
    file.write_text(FILE.replace(old, new))
    with pytest.raises(ConfigurationError, match=message) as caught:
        load_candidates(str(file))
    assert "mine.yaml" in str(caught.value)


@pytest.mark.parametrize("name", configuration.names_of("candidates"))
def test_every_packaged_file_loads(name: str) -> None:
    found = load_candidates(name)
    assert found.description
    assert all(candidate.label and candidate.section for candidate in found.candidates)


def test_the_papers_settings() -> None:
    vnu = load_candidates("vnu").candidates
    assert {(c.asking.frames, c.asking.side, c.asking.transcript) for c in vnu} == {("4", 540, "summary")}
    video = {c.name: c for c in load_candidates("videovista").candidates}
    assert len({c.label for c in video.values()}) == 24
    assert {name: video[name].asking.frames for name in ("internvideo2.5", "oryx-1.5", "videollama3")} == {
        "internvideo2.5": "1fps(512)", "oryx-1.5": "128f", "videollama3": "1fps(180)",
    }  # fmt: skip
    assert [video[name].asking.side for name in ("qwen2-vl", "qwen2.5-vl-72b", "gpt-4o-2024-11-20")] == [224, 224, 512]
    assert video["molmo-7b-d-8f"].asking.input == "strip"
    assert video["gemini-2.0-flash"].asking.batch == 0


def test_the_command_line_beats_the_file(file: Path) -> None:
    found = choose_candidates(
        flags("--candidates", str(file), "--side", "100", "--frames", "2", "--max-connections", "3")
    )
    assert {(c.asking.side, c.asking.frames, c.spec.concurrency) for c in found.candidates} == {(100, "2", 3)}


def test_models_are_picked_from_the_file_or_named_outright(file: Path) -> None:
    found = choose_candidates(flags("--candidates", str(file), "--model", "b,gemini/x", "--summarizer", "a"))
    assert [c.name for c in found.candidates] == ["b", "gemini/x"]
    assert found.model("a").model == "openai/a"
    packaged = choose_candidates(flags("--model", "gemini-2.5-pro"))
    assert packaged.candidates[0].spec.model == "gemini/gemini-2.5-pro"


def test_embedded_models_need_no_key_and_no_summarizer() -> None:
    found = choose_candidates(flags("--model", "offline/bm25", "--batch", "0"))
    (candidate,) = found.candidates
    assert candidate.spec.is_offline
    assert not candidate.spec.images
    assert candidate.asking.batch == 1
    assert found.summarizer
    assert found.model(found.summarizer).is_offline


@pytest.mark.parametrize("flag", [("--model", "offline/bm26"), ("--panel", "offline", "--model", "extractive")])
def test_embedded_models_that_answer_no_questions_are_refused(flag: tuple[str, ...]) -> None:
    with pytest.raises(
        ConfigurationError, match="is no embedded model that answers questions. These are: offline/bm25"
    ):
        choose_candidates(flags(*flag))


def test_sweeps() -> None:
    assert [point.name for point in read_sweep("frames=1, 2,4f")] == ["frames=1", "frames=2", "frames=4f"]
    assert [point.changes for point in read_sweep("side=270,540")] == [{"side": 270}, {"side": 540}]
    for text in ("frames", "frames=", "size=1", "side=big"):
        with pytest.raises(ConfigurationError, match="--sweep"):
            read_sweep(text)


@pytest.mark.parametrize(
    ("model", "aliases", "suspect"),
    [
        ("openai/gpt-4o-2024-08-06", (), {"m": "judged these items"}),
        ("openrouter/openai/gpt-4o", (), {"m": "judged these items"}),
        ("hosted_vllm/anything", ("GPT-4o",), {"m": "judged these items"}),
        ("openai/gpt-5", (), {"m": "drafted these items"}),
        ("openai/gpt-4o-mini", (), {}),
        ("gemini/gemini-2.5-pro", (), {}),
    ],
)
def test_makers_are_refused_by_name_and_alias(model: str, aliases: tuple[str, ...], suspect: dict[str, str]) -> None:
    from records.candidates import Candidate

    candidates = [Candidate(spec=ModelSpec(name="m", model=model, aliases=aliases))]
    makers = ([ModelSpec(name="gpt-5", model="openai/gpt-5")], [ModelSpec(name="j", model="openai/gpt-4o")])
    found, notes = refuse_contaminated(candidates, *makers, allow=True)
    assert found == suspect
    assert bool(notes) == (model == "openai/gpt-4o-mini")
    if suspect:
        with pytest.raises(ConfigurationError, match="m (judged|drafted) these items.*--allow-contaminated"):
            refuse_contaminated(candidates, *makers, allow=False)
