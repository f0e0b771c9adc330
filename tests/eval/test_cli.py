import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from eval.lint.__main__ import CHECKS
from eval.lint.__main__ import main as lint
from eval.score import main as score
from tests.conftest import ROOT, shared_data
from tests.eval import samples
from tests.eval.samples import INFOS


@pytest.mark.parametrize("module", ["eval.lint", "eval.score", "eval.export"])
def test_help_answers_at_once_and_imports_nothing_heavy(module: str) -> None:
    heavy = "numpy scipy pandas matplotlib statsmodels pyarrow av rich pydantic jinja2"
    code = (
        f"import runpy, sys\nsys.argv = ['x', '--help']\n"
        f"try: runpy.run_module({module!r}, run_name='__main__')\n"
        f"except SystemExit: pass\n"
        f"sys.stderr.write(','.join(m for m in {heavy.split()!r} if m in sys.modules))"
    )
    best = 9.0
    for _ in range(3):
        started = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
        best = min(best, time.perf_counter() - started)
    assert f"usage: python -m {module}" in done.stdout
    assert done.stderr == ""
    assert best < 0.5


def write(path: Path, value: Any) -> str:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return str(path)


def benchmark(tmp_path: Path) -> str:
    return write(
        tmp_path / "items.json",
        [
            {
                "question_id": one.item_id, "question": one.stem, "options": list(one.options.values()),
                "answer": one.key, "video_id": one.video_ids[0], "subcategory": one.type_id, "category": one.category,
                "language": one.language,
            }
            for one in samples.videos(6)
        ],
    )  # fmt: skip


def predictions(tmp_path: Path, name: str, skill: float) -> str:
    found = samples.answers(samples.videos(6), name, skill)
    return write(tmp_path / f"{name}.json", [{"question_id": p.item_id, "pred": p.answer} for p in found])


def test_scores_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items, one = benchmark(tmp_path), predictions(tmp_path, "one", 0.7)
    assert score(["--items", items, "--predictions", one, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["overall"]["n"] == 84
    assert 0 < found["overall"]["low"] < found["overall"]["accuracy"] < found["overall"]["high"] < 1
    assert set(found["by"]["family"]) == {"event", "object", "culture", "science"}
    assert found["by"]["type"] == found["by"]["subcategory"]
    cell = found["by"]["type"]["Event Sequence"]
    assert (cell["n"], cell["low"], cell["interval_note"]) == (6, None, "too few groups (6)")
    assert found["overall"]["rates"] == {"refused": 0.0, "truncated": 0.0, "unparsed": 0.0, "unavailable": 0.0}
    assert found["models"]["one"]["overall"] == found["overall"]


def test_several_models_with_names_presets_and_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("pyarrow")
    items = benchmark(tmp_path)
    models = tmp_path / "models.yaml"
    models.write_text(f"first: {{label: First One, llm: Base-7B, frames: 16f, section: {INFOS['open7'].section}}}\n")
    arguments = ["--items", items, "--predictions", f"first={predictions(tmp_path, 'a', 0.8)}"]
    arguments += ["--predictions", predictions(tmp_path, "second", 0.4), "--models", str(models)]
    out = tmp_path / "out"
    shown = ["--preset", "vv-table2,vv-table6", "--intervals", "--out", str(out), "--format", "md,latex,csv,parquet"]
    assert score([*arguments, *shown]) == 0
    text = capsys.readouterr().out
    assert "First One" in text
    assert "16f" in text
    names = {path.name for path in out.iterdir()}
    assert {"vv-table2.tex", "vv-table6.parquet", "leaderboard.md", "by-type.csv", "scores.json", "scores.csv"} <= names
    assert {"report.html", "bars-by-type.svg", "bars-by-type.png"} <= names
    assert "\\begin{tabular}{lll" in (out / "vv-table2.tex").read_text()
    assert set(json.loads((out / "scores.json").read_text())["models"]) == {"first", "second"}


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--preset", "vv-table9"], "there is no preset 'vv-table9'. Presets: vnu-table2"),
        (["--by", "colour"], "--by: there is no 'colour'. Known: type, family"),
        (["--format", "docx"], "--format: there is no 'docx'. Known: md, latex, csv, parquet"),
        (["--models", "gone.yaml"], "gone.yaml: no such file"),
        (["--metadata", "gone.csv"], "gone.csv: no such file"),
        (["--mapping", "gone.yaml"], "gone.yaml: no such file"),
        (["--preset", "vnu-table2"], "no item has one of the types T1–T10"),
        (["--out", "/dev/null/x"], "/dev/null/x: Not a directory"),
        (["--json", "/dev/null/x"], "/dev/null/x: Not a directory"),
    ],
)
def test_mistakes_are_one_line_and_status_1(
    extra: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--items", benchmark(tmp_path), "--predictions", predictions(tmp_path, "one", 0.5)]
    assert score([*arguments, *extra]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert message in error
    assert error.count("\n") == 1


def test_models_that_made_the_items_are_marked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = {"question": "Who?", "options": ["a pilot", "a clerk"], "answer": "B", "drafter": "gemini/gemini-2.5-pro"}
    items = write(tmp_path / "i.json", [{"id": "q", "judges": ["openrouter/qwen/qwen3-vl-30b"], **row}])
    for name, said in (
        ("Gemini-2.5-Pro", "drafted these items"), ("hosted_vllm/Qwen/qwen3-vl-30b", "judged these items"),
        ("other", ""),
    ):  # fmt: skip
        found = write(tmp_path / "p.json", [{"id": "q", "pred": "B"}])
        assert score(["--items", items, "--predictions", f"{name}={found}"]) == 0
        out = capsys.readouterr().out
        assert ("‡" in out, f"‡ {name}: {said}." in out) == (bool(said), bool(said))


def test_two_files_of_one_name_are_refused_with_the_way_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, items = predictions(tmp_path, "one", 0.5), benchmark(tmp_path)
    assert score(["--items", items, "--predictions", first, "--predictions", f"one={first}"]) == 1
    assert "are both of a model named 'one'. Tell them apart: --predictions NAME=FILE." in capsys.readouterr().err
    assert score(["--items", items, "--predictions", first, "--predictions", f"two={first}", "--json", "-"]) == 0
    assert set(json.loads(capsys.readouterr().out)["models"]) == {"one", "two"}


def test_a_check_that_there_is_not_never_passes_for_a_clean_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for flag in ("--only", "--skip"):
        assert lint([benchmark(tmp_path), flag, "length-bias,duplicate-option"]) == 1
        assert f"{flag}: there is no check 'duplicate-option'. Known: options-missing" in capsys.readouterr().err


def test_every_check_that_is_found_is_one_that_can_be_named() -> None:
    folder = ROOT / "eval" / "lint"
    source = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py") if path.name != "__main__.py")
    assert {check for check in CHECKS if f'"{check}"' not in source} == set()


def test_a_clean_small_file_gives_no_empty_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"id": "a", "question": "Who spoke?", "options": ["the pilot", "a clerk"], "answer": "B"}]
    assert lint([write(tmp_path / "clean.json", rows)]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "No findings.", "No baselines: they need at least 20 items with a key.",
    ]  # fmt: skip


def test_items_without_a_key_are_refused_unless_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = json.loads(Path(benchmark(tmp_path)).read_text())
    items[3]["answer"] = ""
    arguments = ["--items", write(tmp_path / "i.json", items), "--predictions", predictions(tmp_path, "one", 0.5)]
    assert score(arguments) == 1
    assert "--skip-without-key" in capsys.readouterr().err
    assert score([*arguments, "--skip-without-key"]) == 0
    assert "1 items without a key are left out" in capsys.readouterr().out


def test_metadata_fill_what_the_file_does_not_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    meta = [
        {"video_id": one.video_ids[0], "duration": one.duration_s, "discipline": one.discipline}
        for one in samples.videos(6)
    ]
    arguments = ["--items", benchmark(tmp_path), "--predictions", predictions(tmp_path, "one", 0.5)]
    joined = ["--metadata", write(tmp_path / "meta.json", meta), "--preset", "vv-table7,vv-discipline,vv-early-late"]
    assert score([*arguments, *joined]) == 0
    text = capsys.readouterr().out
    assert "metadata for 84 of 84 items" in text
    assert "3 pairs of questions" in text


def test_lint_writes_findings_and_fails_above_the_threshold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = str(shared_data("videovista_culturallingo_sample.json")), tmp_path / "findings.jsonl"
    assert lint([source, "--json", str(out)]) == 2
    captured = capsys.readouterr()
    assert "above the threshold (--fail-on error)" in captured.err
    assert "error: European Culture_61: duplicate-options: options B and C are equal: 'Diane Nelmes'" in captured.out
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert all(list(line) == ["item_id", "check", "severity", "message"] for line in lines)
    assert {line["check"] for line in lines} >= {"duplicate-options", "key-text-mismatch", "lexical-shortcut"}
    assert lint([source, "--fail-on", "error:0.05", "--quiet"]) == 0
    assert lint([source, "--fail-on", "never", "--quiet"]) == 0
    assert lint([source, "--only", "prompt-mismatch", "--fail-on", "warning"]) == 2
    assert lint([source, "--only", "prompt-mismatch", "--fail-on", "warning:0.1"]) == 0
    assert lint([source, "--fail-on", "sometimes"]) == 1


def test_lint_looks_for_videos(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = str(shared_data("labelled_items.jsonl"))
    assert lint([items, "--videos", str(shared_data("news")), "--quiet"]) == 0
    assert lint([items, "--videos", str(tmp_path), "--quiet", "--only", "missing-video", "--json", "-"]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert '"check": "missing-video"' in lines[-1]


def test_a_foreign_module_in_the_current_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text("x = 1\n")
    done = subprocess.run(
        [sys.executable, "-m", "eval.lint", "--help"], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.returncode == 1
    assert "rules.py in the current folder hides a part of Benchwright" in done.stderr
