"""docs/audit.md is true: its SQL and Python run on a run, and its table names every step of the funnel."""

import re
import sqlite3
from pathlib import Path

import pytest

from records.verdicts import CheckOutcome
from report.frames import FULL_BYTES, LIMIT_BYTES
from report.funnel import TITLES, UNCROSSED
from tests.store.building import build_run

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_questions_in_sql_have_answers(tmp_path: Path) -> None:
    build_run(tmp_path / "run").close()
    connection = sqlite3.connect(tmp_path / "run" / "run.sqlite")
    seats, rules, failures = (connection.execute(query).fetchall() for query in blocks("sql"))
    connection.close()
    accuracy = {seat: (answers, right, wrong) for seat, answers, right, wrong in seats}
    assert accuracy["gemini"] == (4, 0.75, pytest.approx(0.6))
    assert accuracy["qwen"] == (4, 0.25, pytest.approx(0.6))
    assert rules == [("names-tags", 2)]
    assert ("openai/gemini", "solvability", "truncated", 1, 0.01, 2.0) in failures


def test_the_python_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build_run(tmp_path / "run").close()
    (code,) = blocks("python")
    exec(code.replace('"runs/calder"', repr(str(tmp_path / "run"))), {})
    said = capsys.readouterr().out
    assert "kept" in said
    assert "Compare the reports." in said


def test_every_step_outcome_and_limit_is_explained() -> None:
    for title in (*TITLES.values(), UNCROSSED, *CheckOutcome.__args__):  # type: ignore[attr-defined]
        assert f"| {title} |" in PAGE, title
    assert f"{FULL_BYTES // 1_000_000} MB" in PAGE
    assert f"{LIMIT_BYTES // 1_000_000} MB" in PAGE
