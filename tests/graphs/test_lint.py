"""``graphs.lint``: the blind check is asked in all rotations, counted by majority, and added to the other findings."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphs import lint
from tests.fakeserver import ChatRequest, FakeServer, Fault, Policy
from tests.graphs.questions import right, write_items
from tests.graphs.stories import write_panel


def guess(request: ChatRequest) -> dict[str, Any] | None:
    """Two judges know item 0, one judge knows item 1; otherwise the first letter."""
    knows = {"judge-a": "01", "judge-b": "0", "judge-c": ""}[request.model]
    number = request.stem.split("number ")[1][0]
    return right(request) if number in knows else {"rationale": "", "answer": "A", "confidence": 0.3}


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(Policy(script=guess)) as running:
        yield running


def findings(path: Path) -> list[tuple[str, str, str]]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [(row["item_id"], row["check"], row["severity"]) for row in rows if row["check"] == "answerable-blind"]


def test_a_majority_in_every_rotation_is_a_finding(tmp_path: Path, server: FakeServer) -> None:
    items, out = write_items(tmp_path / "items.jsonl"), tmp_path / "findings.jsonl"
    panel = write_panel(tmp_path / "panel.yaml", server.base_url)
    words = [str(items), "--panel", str(panel), "--run", str(tmp_path / "run"), "--skip-preflight", "--quiet"]
    assert lint.main([*words, "--json", str(out), "--only", "answerable-blind"]) == 0
    assert len(server.log) == 4 * 4 * 3
    assert {entry.images for entry in server.log} == {0}
    assert findings(out) == [("i0", "answerable-blind", "warning")]
    assert lint.main([*words, "--json", str(out), "--fail-on", "warning", "--only", "answerable-blind"]) == 2
    assert len(server.log) == 4 * 4 * 3


def test_missing_replies_leave_it_undecided(tmp_path: Path, server: FakeServer) -> None:
    server.set_policy(Policy(script=guess, faults=(Fault("bad-request", model="judge-b", contains="number 0"),)))
    items, out = write_items(tmp_path / "items.jsonl", 2), tmp_path / "findings.jsonl"
    panel = write_panel(tmp_path / "panel.yaml", server.base_url)
    words = [str(items), "--panel", str(panel), "--run", str(tmp_path / "run"), "--skip-preflight", "--quiet"]
    lint.main([*words, "--json", str(out), "--only", "answerable-blind"])
    assert findings(out) == [("i0", "answerable-blind", "info")]


def test_a_dry_run_asks_nothing(tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]) -> None:
    items, panel = write_items(tmp_path / "items.jsonl"), write_panel(tmp_path / "panel.yaml", server.base_url)
    assert lint.main([str(items), "--panel", str(panel), "--dry-run", "--run", str(tmp_path / "run")]) == 0
    assert "judge-a" in capsys.readouterr().out
    assert not server.log
    assert not (tmp_path / "run").exists()
