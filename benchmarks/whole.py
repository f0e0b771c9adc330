"""Whole runs of graphs.generate against a fake server: calls saved by the frugal schedule, memory by number of groups.

    python -m benchmarks.whole               # 2 and 12 groups, both schedules; two minutes
    python -m benchmarks.pipeline --whole    # the gateway's figures first, then these

Each run is a process of its own, as a user would start it; its peak resident memory is what the system counted.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.fakeserver import FakeServer, Policy
from tests.graphs.stories import HARBOUR, write_group, write_panel

GROUPS = (2, 12)
SCHEDULES = ("full", "frugal")


def main() -> None:
    """Run all and print a table and one line of JSON."""
    rows = [measured(groups, schedule) for groups in GROUPS for schedule in SCHEDULES]
    table = Table(title="graphs.generate, ten types a group, three judges", title_justify="left")
    for name in ("groups", "schedule", "judge calls", "saved", "peak MB"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*(str(row[name]) for name in ("groups", "schedule", "calls", "saved", "peak_mb")))
    Console().print(table)
    print(json.dumps(rows))


def measured(groups: int, schedule: str) -> dict[str, object]:
    """One run in a process of its own."""
    with tempfile.TemporaryDirectory() as text, FakeServer(Policy(confidence=0.5)) as server:
        folder = Path(text)
        for number in range(groups):
            words = {name: f"Report {number}. {said}" for name, said in HARBOUR.items()}
            write_group(folder / "groups" / f"ferry-{number}", words)
        panel = write_panel(folder / "panel.yaml", server.base_url, f"schedule: {schedule}")
        words = ["--groups", str(folder / "groups"), "--panel", str(panel), "--run", str(folder / "run"), "--json"]
        code = "import resource, sys; from graphs.generate import main; main(sys.argv[1:]); " + _PEAK
        done = subprocess.run(
            [sys.executable, "-c", code, *words, "--skip-preflight"],
            capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(Path.cwd())},
        )  # fmt: skip
        saved = json.loads(done.stdout)["funnel"]["calls_saved"]
        calls = sum(entry.schema != "DraftReply" for entry in server.log)
    return {
        "groups": groups, "schedule": schedule, "calls": calls, "saved": saved,
        "peak_mb": round(int(done.stderr.split()[-1]) / 1024),
    }  # fmt: skip


_PEAK = "sys.stderr.write(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))"

if __name__ == "__main__":
    main()
