"""How close an evaluation comes to ideal time: 2,500 items × 12 candidates against a fake server in another process.

    python -m benchmarks.evaluate                         # 30,000 calls with replies of 2 s; some minutes
    python -m benchmarks.evaluate --items 300 --models 4  # a quick look

Ideal: every candidate keeps all its places busy from the first call to the last, so rounds × reply time of the slowest
candidate. Measured: from the first request that the server saw to its last reply, and the whole command with reading,
scoring and tables beside it. The command runs in a process of its own, as a user would start it.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.graphs.stories import HARBOUR, write_group


def main() -> None:
    """Run once and print what was measured."""
    options = _arguments()
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        log = folder / "server.log"
        policy = {"delay_s": options.reply_s, "confidence": 0.5}
        with subprocess.Popen(
            [sys.executable, "-m", "tests.fakeserver", "--policy", json.dumps(policy), "--log", str(log)],
            stdout=subprocess.PIPE, text=True,
        ) as server:  # fmt: skip
            try:
                assert server.stdout is not None
                address = server.stdout.readline().strip()
                print(json.dumps(_measured(options, folder, address, log)))
            finally:
                server.kill()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.evaluate", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--items", type=int, default=2500)
    parser.add_argument("--models", type=int, default=12)
    parser.add_argument("--per-group", type=int, default=6, help="items a group of videos")
    parser.add_argument("--places", type=int, default=16, help="requests in flight a model")
    parser.add_argument("--reply-s", type=float, default=2.0)
    parser.add_argument("--keep", type=Path, help="keep the run here")
    return parser.parse_args()


def _measured(options: argparse.Namespace, folder: Path, address: str, log: Path) -> dict[str, Any]:
    groups = math.ceil(options.items / options.per_group)
    for number in range(groups):
        write_group(folder / "groups" / f"g{number:04d}", {name: f"{text} {number}." for name, text in HARBOUR.items()})
    _write_items(folder / "items.jsonl", options)
    models = {
        f"m{number:02d}": {
            "model": f"hosted_vllm/m{number:02d}", "api_base": address, "price": {"input": 1, "output": 1},
            "concurrency": options.places,
        }
        for number in range(options.models)
    }  # fmt: skip
    (folder / "c.yaml").write_text(json.dumps({"models": models}), encoding="utf-8")
    run = options.keep or folder / "run"
    command = [
        sys.executable, "-m", "graphs.evaluate", "--items", str(folder / "items.jsonl"), "--groups",
        str(folder / "groups"), "--candidates", str(folder / "c.yaml"), "--run", str(run), "--quiet",
        "--skip-preflight", "--no-plots",
    ]  # fmt: skip
    begun = time.perf_counter()
    done = subprocess.Popen(command, env={**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"})
    _, status, usage = os.wait4(done.pid, 0)
    wall = time.perf_counter() - begun
    events = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    ended = [event for event in events if event.get("ended")]
    asking = max(event["ended"] for event in ended) - min(event["arrived"] for event in ended)
    calls = options.items * options.models
    ideal = math.ceil(options.items / options.places) * options.reply_s
    return {
        "exit_status": os.waitstatus_to_exitcode(status),
        "calls": calls,
        "requests_served": len(ended),
        "in_flight": options.places * options.models,
        "ideal_s": ideal,
        "asking_s": round(asking, 2),
        "asking_over_ideal": round(asking / ideal, 3),
        "command_s": round(wall, 2),
        "cpu_ms_per_call": round(1000 * (usage.ru_utime + usage.ru_stime) / calls, 2),
        "peak_rss_mb": round(usage.ru_maxrss / 1024),
    }


def _write_items(path: Path, options: argparse.Namespace) -> None:
    rows = (
        {
            "item_id": f"i{number:05d}", "group_id": f"g{number // options.per_group:04d}",
            "type_id": f"T{1 + number % 10}", "question": f"How many people does TAG_A count, by account {number}?",
            "options": {"A": "41 passengers", "B": "47 passengers", "C": "52 passengers", "D": "14 passengers"},
            "correct_answer": "ABCD"[number % 4], "sources": {"TAG_A": "north", "TAG_B": "south", "TAG_C": "west"},
        }
        for number in range(options.items)
    )  # fmt: skip
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
