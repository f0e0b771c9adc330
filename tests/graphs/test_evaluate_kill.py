"""An evaluation killed with ``kill -9`` at many moments ends with the same predictions, and pays nothing twice."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from records.benchmark import Prediction
from tests.conftest import ROOT
from tests.fakeserver import FakeServer, Policy
from tests.graphs.questions import right, write_candidates, write_items
from tests.graphs.stories import write_group
from tests.graphs.test_kill import was_in_flight

KILLS = 3


@pytest.mark.slow
def test_killed_at_random_moments_it_ends_as_if_undisturbed(tmp_path: Path) -> None:
    group = write_group(tmp_path / "ferry")
    items = write_items(tmp_path / "items.jsonl", 24)
    rng = random.Random(20261130)
    with FakeServer(Policy(script=right, delay_s=0.1)) as server:
        models = {"one": {"concurrency": 2}, "two": {"concurrency": 2, "asking": {"batch": 4, "circular": True}}}
        candidates = write_candidates(tmp_path / "c.yaml", server.base_url, models)
        begun = time.monotonic()
        assert command(group, items, candidates, tmp_path / "whole").wait() == 0
        seconds, after = time.monotonic() - begun, len(server.log)
        moments: list[float] = []
        for _ in range(KILLS):
            killed = command(group, items, candidates, tmp_path / "killed")
            time.sleep(rng.uniform(0.4, 1.0) * seconds)
            os.killpg(killed.pid, signal.SIGKILL)
            killed.wait()
            moments.append(time.time())
        assert command(group, items, candidates, tmp_path / "killed").wait() == 0
        whole, log = server.log[:after], server.log[after:]
    assert results(tmp_path / "killed") == results(tmp_path / "whole")
    asked = Counter(entry.key for entry in log)
    assert set(asked) == {entry.key for entry in whole}
    assert all(was_in_flight(key, list(log), moments) for key, count in asked.items() if count > 1)


def command(group: Path, items: Path, candidates: Path, run: Path) -> "subprocess.Popen[bytes]":
    words = ["--items", str(items), "--group", str(group), "--candidates", str(candidates), "--run", str(run)]
    return subprocess.Popen(
        [sys.executable, "-m", "graphs.evaluate", *words, "--quiet", "--skip-preflight", "--no-plots"],
        cwd=group.parent, env={**os.environ, "PYTHONPATH": str(ROOT)}, start_new_session=True,
    )  # fmt: skip


def results(run: Path) -> list[Prediction]:
    lines = (run / "predictions.jsonl").read_text(encoding="utf-8").splitlines()
    return [Prediction.model_validate_json(line).model_copy(update={"latency_s": 0.0}) for line in lines]
