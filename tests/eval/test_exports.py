"""What each exporter writes, and that the tools themselves load it where they are installed."""

import csv
import importlib.util
import json
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from eval.export.base import About, checked, common_row, evidence_order
from eval.export.registry import EXPORTERS
from eval.export.vlmevalkit import class_name
from eval.importers import load_items
from records.benchmark import BenchmarkItem
from records.errors import InputError
from tests.conftest import shared_data
from tests.eval import samples
from tests.eval.samples import item

ABOUT = About(name="calder-bench", title='Calder: a "test"', license="cc0-1.0", videos="clips")


def sourced(items: tuple[BenchmarkItem, ...]) -> tuple[BenchmarkItem, ...]:
    """The items with tags for their videos, as news questions have them."""
    return tuple(
        one.model_copy(update={"sources": dict(zip(("TAG_A", "TAG_B"), one.video_ids, strict=False))}) for one in items
    )


NEWS = sourced(samples.news(2))
FIVE = item(
    "five", "E", options=dict(zip("ABCDE", ("1", "None", "n/a", "a\tb\nc", '"q"'), strict=True)), video_ids=("v",)
)
ITEMS = (*NEWS, *samples.videos(1), FIVE)


def prompt(one: BenchmarkItem) -> str:
    """What a harness should ask."""
    lines = [evidence_order(one), one.stem, *(f"{letter}. {text}" for letter, text in one.options.items())]
    return "\n".join([*filter(None, lines), f"Answer with one letter: {', '.join(one.options)}."])


def written(name: str, folder: Path, items: tuple[BenchmarkItem, ...] = ITEMS) -> tuple[Path, ...]:
    return EXPORTERS[name].write(checked(items), folder, ABOUT)


def as_module(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", EXPORTERS)
def test_what_was_exported_is_read_back_with_the_same_keys(name: str, tmp_path: Path) -> None:
    if name == "hf":
        pytest.importorskip("pyarrow")
    data = next(p for p in written(name, tmp_path) if p.suffix in (".jsonl", ".parquet", ".tsv"))
    if name == "inspect":
        lines = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines()]
        found = [(line["id"], line["choices"], line["choices"]["ABCDE".index(line["target"])]) for line in lines]
    else:
        read = load_items(data).items
        found = [(one.item_id, list(one.options.values()), one.key_text) for one in read]
    expected = [(one.item_id, list(one.options.values()), one.key_text) for one in ITEMS]
    if name == "vlmevalkit":
        expected[-1] = ("five", ["1", "None.", "n/a.", "a\tb\nc", '"q"'], '"q"')
    assert found == expected


def test_harnesses_find_the_columns_they_know() -> None:
    row = common_row(NEWS[0])
    assert list(row)[:7] == ["question_id", "question", "options", "answer", "answer_index", "category", "src"]
    assert (row["answer"], row["answer_index"], row["category"], row["src"]) == (NEWS[0].key, 1, "T1", "g00")


def test_questions_say_which_video_is_which() -> None:
    assert evidence_order(NEWS[0]) == "The videos in order: TAG_A is video 1, TAG_B is video 2."
    assert evidence_order(item()) == ""


def test_items_that_cannot_be_scored_are_not_exported() -> None:
    with pytest.raises(InputError, match="item q1 cannot be exported: no answer is given.*--skip-without-key"):
        checked([item("q1", None, key_note="no answer is given")])


def test_the_card_has_valid_front_matter(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import frontmatter

    written("hf", tmp_path)
    card = frontmatter.load(str(tmp_path / "README.md"))
    assert card["pretty_name"] == ABOUT.title
    assert (card["license"], card["language"]) == ("cc0-1.0", ["en", "zh"])
    assert card["configs"] == [
        {"config_name": "default", "data_files": [{"split": "test", "path": "data/test.parquet"}]}
    ]
    assert "| T10 | 2 |" in card.content


def test_datasets_loads_the_hugging_face_folder(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    written("hf", tmp_path / "d")
    loaded = datasets.load_dataset(str(tmp_path / "d"), split="test", cache_dir=str(tmp_path / "cache"))
    assert loaded.num_rows == len(ITEMS)
    assert loaded[0]["options"] == list(ITEMS[0].options.values())
    assert loaded[0]["video_id"] == list(ITEMS[0].video_ids)
    assert {loaded.features[name].dtype for name in ("duration_s", "event_start_s")} == {"float64"}


def test_inspect_runs_the_task(tmp_path: Path) -> None:
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    items = tuple(one for one in ITEMS if len(one.options) == 4)
    _, path = written("inspect", tmp_path, items)
    task = as_module(path, "calder_bench_task").calder_bench(videos="none")
    assert [sample.id for sample in task.dataset] == [one.item_id for one in items]

    def replies() -> Any:
        for _ in items:
            reply = ModelOutput.from_content("mockllm/model", "ANSWER: A")
            reply.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
            yield reply

    (log,) = inspect_ai.eval(
        task, model=get_model("mockllm/model", custom_outputs=replies()), log_dir=str(tmp_path / "logs"), display="none"
    )
    assert log.status == "success", log.error
    metrics = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    assert metrics["all"] == pytest.approx(sum(one.key == "A" for one in items) / len(items))
    news = [one.key == "A" for one in items if one.type_id == "T4"]
    assert metrics["T4"] == pytest.approx(sum(news) / len(news))


def test_inspect_shows_the_videos_and_refuses_formats_it_cannot_take(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    _, path = written("inspect", tmp_path)
    module = as_module(path, "calder_bench_videos")
    content = module.calder_bench(videos="folder").dataset[0].input[0].content
    assert [part.type for part in content] == ["video", "video", "text"]
    assert (content[0].video, content[0].format) == ("folder/v0a.mp4", "mp4")
    with pytest.raises(ValueError, match="MP4, MPEG and MOV"):
        module.video("folder", "clip.mkv")


def test_lmms_eval_loads_the_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("lmms_eval")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("CALDER_BENCH_VIDEOS", str(tmp_path))
    from lmms_eval.tasks import TaskManager, get_task_dict

    written("lmms-eval", tmp_path / "task")
    for video in ITEMS[0].video_ids:
        (tmp_path / f"{video}.mp4").write_bytes(b"")
    manager = TaskManager("INFO", include_path=str(tmp_path / "task"), include_defaults=False)
    task = get_task_dict(["calder_bench"], manager)["calder_bench"]
    docs = task.test_docs()
    assert len(docs) == len(ITEMS)
    assert task.doc_to_text(docs[0]) == prompt(ITEMS[0])
    assert task.doc_to_visual(docs[0]) == [str(tmp_path / f"{video}.mp4") for video in ITEMS[0].video_ids]
    results = [task.process_results(doc, [f"The answer is {doc['answer']}."])["accuracy"] for doc in docs]
    results[0] = task.process_results(docs[0], ["I cannot tell."])["accuracy"]
    assert task.aggregation()["accuracy"](results) == pytest.approx(1 - 1 / len(ITEMS))


def test_vlmevalkit_loads_the_tsv_and_asks_with_videos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("vlmeval")
    monkeypatch.setenv("LMUData", str(tmp_path / "lmu"))
    monkeypatch.setenv("CALDER_BENCH_VIDEOS", str(tmp_path / "b"))
    tsv, code = written("vlmevalkit", tmp_path / "b")
    (tmp_path / "lmu").mkdir()
    shutil.copy(tsv, tmp_path / "lmu")
    from vlmeval.dataset import build_dataset

    blind = build_dataset("calder-bench")
    assert len(blind) == len(ITEMS)
    dataset = as_module(code, "calder_bench_dataset").CalderBench(nframe=2)
    message = dataset.build_prompt(0, video_llm=True)
    assert [part["type"] for part in message] == ["text", "video", "text", "video", "text"]
    assert message[-1]["value"] == prompt(ITEMS[0])
    answered = dataset.data.assign(prediction=[f"The answer is {key}" for key in dataset.data["answer"]])
    answered.loc[0, "prediction"] = "I cannot tell"
    answered.to_excel(tmp_path / "m_calder-bench.xlsx", index=False)
    result = dataset.evaluate(str(tmp_path / "m_calder-bench.xlsx"))
    assert result["Overall"] == pytest.approx(1 - 1 / len(ITEMS))


def test_the_tsv_has_vlmevalkits_columns(tmp_path: Path) -> None:
    tsv, code = written("vlmevalkit", tmp_path)
    with tsv.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert list(rows[0])[:9] == ["index", "question", "A", "B", "C", "D", "E", "answer", "category"]
    assert [row["index"] for row in rows] == [str(n) for n in range(len(ITEMS))]
    assert rows[0]["E"] == ""
    assert (rows[0]["video"], rows[0]["video_path"]) == ("v0a|v0b", "v0a.mp4|v0b.mp4")
    compile(code.read_text(encoding="utf-8"), str(code), "exec")


@pytest.mark.parametrize(
    ("name", "python"), [("my-bench", "MyBench"), ("my_bench_2", "MyBench2"), ("2bench", "Benchmark2bench")]
)
def test_class_names(name: str, python: str) -> None:
    assert class_name(About(name=name)) == python


@pytest.mark.parametrize("target", EXPORTERS)
def test_the_command_writes_what_can_be_read_and_finds_the_videos(target: str, tmp_path: Path) -> None:
    if target == "hf":
        pytest.importorskip("pyarrow")
    from eval.export.__main__ import main

    items = shared_data("labelled_items.jsonl")
    videos = shared_data("news")
    out = tmp_path / "out"
    arguments = ["--items", str(items), "--to", target, "--out", str(out), "--name", "labelled"]
    assert main([*arguments, "--videos", str(videos)]) == 0
    text = "".join(path.read_text(encoding="utf-8", errors="ignore") for path in out.rglob("*") if path.is_file())
    assert "world-calder-star/wCalderTid2.mp4" in text
    for path in out.rglob("*.py"):
        compile(path.read_text(encoding="utf-8"), str(path), "exec")
    assert main([*arguments]) == 1, "a folder that is not empty is refused"
