"""A run killed with ``kill -9`` at many moments ends with the same items, and pays for no finished call twice."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from store.run import Run
from tests.conftest import ROOT
from tests.fakeserver import FakeServer, Policy, Served
from tests.graphs.stories import write_group, write_panel

KILLS = 4
SAME = ("item_id", "question", "options", "correct_answer", "decisions", "cost_usd", "slot", "reason")


@pytest.mark.slow
def test_killed_at_random_moments_it_ends_as_if_undisturbed(tmp_path: Path) -> None:
    group = write_group(tmp_path / "ferry")
    rng = random.Random(20261129)
    with FakeServer(Policy(confidence=0.5, delay_s=0.04)) as server:
        panel = write_panel(tmp_path / "panel.yaml", server.base_url)
        begun = time.monotonic()
        command(group, panel, tmp_path / "whole").wait()
        whole = [*server.log]
        seconds = time.monotonic() - begun
        after = len(server.log)
        moments: list[float] = []
        for _ in range(KILLS):
            killed = command(group, panel, tmp_path / "killed")
            time.sleep(rng.uniform(0.3, 1.0) * seconds / 2 + 1.0)
            os.killpg(killed.pid, signal.SIGKILL)
            killed.wait()
            moments.append(time.time())
        finished = command(group, panel, tmp_path / "killed")
        assert finished.wait() in (0, 2)
        log = [*server.log][after:]
    assert results(tmp_path / "killed") == results(tmp_path / "whole")
    asked = Counter(entry.key for entry in log)
    assert set(asked) == {entry.key for entry in whole}
    assert all(was_in_flight(key, log, moments) for key, count in asked.items() if count > 1)
    assert sum(asked.values()) - len(asked) <= KILLS * max(entry.in_flight for entry in log)
    with Run.open(tmp_path / "killed") as run:
        journalled = Counter(call.request_id for call in run.calls())
    assert len(journalled) == len(asked)
    assert max(journalled.values()) == 1


def command(group: Path, panel: Path, run: Path) -> "subprocess.Popen[bytes]":
    words = ["--group", str(group), "--panel", str(panel), "--run", str(run), "--quiet", "--skip-preflight"]
    return subprocess.Popen(
        [sys.executable, "-m", "graphs.generate", *words, "--types", "T1,T2,T4,T7", "--max-connections", "4"],
        cwd=group.parent, env={**os.environ, "PYTHONPATH": str(ROOT)}, start_new_session=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip


def results(run: Path) -> list[dict[str, object]]:
    """Every question with its end, whatever file it is in."""
    rows = []
    for name in ("items", "rejected", "undecided"):
        for line in (run / f"{name}.jsonl").read_text().splitlines():
            row = json.loads(line)
            rows.append({"file": name, **{key: row.get(key) for key in SAME}})
    return rows


def was_in_flight(key: str, log: list[Served], moments: list[float]) -> bool:
    """Whether each earlier exchange of a repeated request was under way at a kill, or had ended just before it."""
    times = sorted((entry.arrived, entry.ended) for entry in log if entry.key == key)
    return all(any(arrived <= moment and ended >= moment - 0.3 for moment in moments) for arrived, ended in times[:-1])
