"""What the command lines share, and that they answer at once from any folder."""

import argparse
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from graphs import cli
from records.errors import InputError, RunStopped
from records.shadow import foreign_modules
from tests.conftest import ROOT

COMMANDS = ("generate", "judge", "audit", "list", "evaluate", "calibrate", "lint")


@pytest.mark.parametrize("text", ["0", "3-2", "a", "-1", "0-4"])
def test_a_bad_range_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        cli.number_range(text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (cli.positive, "0"), (cli.positive, "-1"), (cli.positive, "nan"), (cli.positive, "inf"), (cli.positive, "x"),
        (cli.whole, "0"), (cli.whole, "-4"), (cli.whole, "1.5"),
        (cli.comma_list, ","), (cli.comma_list, ""),
        (cli.postgres_address, "runs.db"), (cli.postgres_address, "sqlite:///runs.db"),
    ],
)  # fmt: skip
def test_a_flag_that_means_nothing_is_refused(kind: Callable[[str], object], text: str) -> None:
    with pytest.raises((argparse.ArgumentTypeError, ValueError)):
        kind(text)


def test_numbers_and_addresses() -> None:
    assert cli.positive("0.5") == 0.5
    assert cli.whole("3") == 3
    assert cli.postgres_address("postgresql://ann@db/runs") == "postgresql://ann@db/runs"


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("calder", "runs/calder"),  # a folder of videos of the same name stays what it is
        ("old", "old"),
        ("./calder", "calder"),
        ("sub/calder", "sub/calder"),
        (".", "."),
        (None, "runs/videos-offline"),
    ],
)
def test_a_bare_name_lies_under_runs_and_a_path_is_a_path(
    name: str | None, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for made in ("calder", "old", "videos-offline"):
        (tmp_path / made).mkdir()
    (tmp_path / "old" / "run.yaml").touch()
    flags = argparse.Namespace(run=name, runs=Path("runs"))
    assert cli.run_folder(flags, "videos-offline") == Path(folder)


def test_ranges_and_lists() -> None:
    assert cli.number_range("5") == (1, 5)
    assert cli.number_range("10-20") == (10, 20)
    assert cli.comma_list("T1, T7,") == ("T1", "T7")
    assert cli.comma_list("T2,T1,T2") == ("T2", "T1")


def test_errors_become_one_line_and_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    def fail(_: argparse.Namespace) -> int:
        raise InputError("videos/x: empty.", hint="Put videos there.")

    assert cli.start(fail, argparse.Namespace()) == 1
    assert capsys.readouterr().err == "error: videos/x: empty. Put videos there.\n"


def test_an_unwritable_place_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def write(_: argparse.Namespace) -> int:
        (tmp_path / "none" / "x").write_text("")
        return 0

    assert cli.start(write, argparse.Namespace()) == 1
    assert capsys.readouterr().err.startswith(f"error: {tmp_path / 'none' / 'x'}: No such file or directory.")


def test_a_stop_tells_how_to_go_on(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/x/graphs/generate.py", "--group", "a b"])

    def stop(_: argparse.Namespace) -> int:
        raise RunStopped("budget", "the budget of $2 is spent.")

    assert cli.start(stop, argparse.Namespace()) == 1
    said = capsys.readouterr().err
    assert "the budget of $2 is spent." in said
    assert "python -m graphs.generate --group 'a b'" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_help_imports_nothing_heavy(command: str, tmp_path: Path) -> None:
    code = (
        f"import sys; sys.argv = ['x', '--help']\nimport runpy\n"
        f"try: runpy.run_module('graphs.{command}', run_name='__main__')\nexcept SystemExit: pass\n"
        "heavy = {'litellm', 'instructor', 'langgraph', 'av', 'cv2', 'numpy', 'jieba', 'sqlalchemy', 'gradio'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=_environment(), check=True
    )
    assert done.stdout.rstrip().endswith("[]")
    assert f"python -m graphs.{command}" in done.stdout


def test_a_foreign_module_of_our_name_is_named(tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text("raise RuntimeError('not ours')")
    done = subprocess.run(
        [sys.executable, "-m", "graphs.generate", "--help"],
        capture_output=True, text=True, cwd=tmp_path, env=_environment(),
    )  # fmt: skip
    assert done.returncode == 1
    assert "rules.py in the current folder hides" in done.stderr
    assert foreign_modules(ROOT, ROOT) == ()


def _environment() -> dict[str, str]:
    import os

    return {**os.environ, "PYTHONPATH": str(ROOT)}


def test_progress_counts_calls_and_failures() -> None:
    from gateway.events import Event
    from graphs.progress import Progress

    progress = Progress()
    progress.on_event(Event("started", "r", "draft", "m"))
    assert progress.in_flight == 1
    progress.on_event(Event("finished", "r", "draft", "m", outcome="refused", cost_usd=0.5))
    progress.count("groups")
    progress.count("kept", 2)
    assert progress.line(3) == "group 2/3 · 0 drafts · 2 judged, 2 kept · 1 calls (0 in flight) · $0.50 · 1 refused"
