"""``kill -9`` at random moments: the database stays readable, and everything that was acknowledged is there."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from records.questions import DraftRecord
from store.run import Run, RunManifest
from tests.store.building import call

ROOT = Path(__file__).resolve().parents[2]

WRITER = """
import sys
from pathlib import Path
from records.questions import DraftRecord
from store.run import Run, RunManifest
from tests.store.building import call

run = Run.open_or_create(Path(sys.argv[1]), RunManifest(seed=7))
start = int(sys.argv[2])
for n in range(start, start + 100_000):
    run.finished(call(f"r-{n}", "draft", cost_usd=1.0, unit="x" * (n % 700)))
    run.put("draft", str(n), DraftRecord(slot=str(n), group_id="g", type_id="T1", drafter="d", outcome="declined"))
    print(n, flush=True)
"""


def write_until_killed(folder: Path, start: int, seconds: float) -> int:
    """The last number that the writer acknowledged before it was killed."""
    child = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), str(start)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert child.stdout is not None
    last = int(child.stdout.readline())
    time.sleep(seconds)
    child.send_signal(signal.SIGKILL)
    rest = child.stdout.read().splitlines()
    child.wait()
    return int(rest[-1]) if rest and rest[-1].isdigit() else int(rest[-2]) if len(rest) > 1 else last


def test_a_killed_writer_loses_nothing_that_it_acknowledged(tmp_path: Path) -> None:
    folder, chance, next_number = tmp_path / "run", random.Random(11), 0
    for _ in range(4):
        last = write_until_killed(folder, next_number, chance.uniform(0.0, 0.25))
        connection = sqlite3.connect(folder / "run.sqlite")
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
        with Run.open(folder) as run:
            numbers = {int(draft.slot) for draft in run.all("draft", DraftRecord)}
            records = run.calls()
        journalled = {int(record.request_id[2:]) for record in records}
        assert set(range(last + 1)) <= numbers
        assert set(range(last + 1)) <= journalled
        assert max(journalled) <= last + 1, "at most the write in progress is more than was acknowledged"
        assert all(record.messages == call("r", "draft").messages[:1] + record.messages[1:] for record in records)
        next_number = last + 1
    with Run.open_or_create(folder, RunManifest(seed=7)) as run:
        assert run.spent_usd() == float(len(run.calls()))
        assert len(run.sessions()) == 5
