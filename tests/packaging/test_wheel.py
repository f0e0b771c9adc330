"""The wheel, installed alone in a clean environment, does the main job from an empty folder."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT

UV = shutil.which("uv", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
PACKAGED = (
    "configs/panels/offline.yaml", "configs/tracks/news.yaml", "configs/sheets/vnu.yaml",
    "configs/examples/world-calder-star/group.json", "prompts/taskheads/T1.md",
    "prompts/judges/system.md", "report/templates/", "eval/templates/",
)  # fmt: skip

pytestmark = [pytest.mark.slow, pytest.mark.skipif(UV is None, reason="needs uv, which dev.py installs")]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    run([str(UV), "build", "--wheel", "--quiet", "--out-dir", str(out), str(ROOT)])
    (built,) = out.glob("*.whl")
    return built


def run(words: list[str], cwd: Path | None = None) -> str:
    clean = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(words, capture_output=True, text=True, cwd=cwd, env=clean)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_the_wheel_holds_what_is_read_at_run_time_and_no_tests(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in PACKAGED:
        assert any(name.startswith(wanted) for name in names), wanted
    assert not [name for name in names if name.startswith(("tests/", "docs/", "benchmarks/"))]


def test_the_main_job_from_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    venv, empty = tmp_path / "venv", tmp_path / "empty"
    empty.mkdir()
    run([str(UV), "venv", "--quiet", "--python", sys.executable, str(venv)])
    python = str(venv / "bin" / "python")
    constraints = str(ROOT / "constraints.txt")
    run([str(UV), "pip", "install", "--quiet", "--python", python, "--constraint", constraints, str(wheel)])
    run([python, "-m", "graphs.generate", "--example", "--quiet"], cwd=empty)
    (folder,) = (empty / "runs").iterdir()
    kept = [json.loads(line) for line in (folder / "items.jsonl").read_text().splitlines()]
    assert len(kept) >= 3
    assert (folder / "report.html").is_file()
    installed = run([str(UV), "pip", "list", "--python", python])
    assert "torch" not in installed
