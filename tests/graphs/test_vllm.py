"""The judges' real prompts before a real vLLM server: how much of them its prefix cache serves, by layout.

Give the server's address (with ``/v1``) in BENCHWRIGHT_VLLM and its model in BENCHWRIGHT_VLLM_MODEL, then
``pytest -m vllm -s tests/graphs``. The figures stand in docs/performance.md.
"""

import os
import re
import time
import urllib.request
from pathlib import Path

import pytest

from graphs import judge
from records.calls import ImagePart
from store.run import Run
from tests.graphs.stories import HARBOUR, write_group

BASE = os.environ.get("BENCHWRIGHT_VLLM", "")
MODEL = os.environ.get("BENCHWRIGHT_VLLM_MODEL", "tiny")
pytestmark = [pytest.mark.vllm, pytest.mark.skipif(not BASE, reason="set BENCHWRIGHT_VLLM to a vLLM server's address")]

QUESTIONS = 8


def counters() -> tuple[float, float]:
    """Prompt tokens looked up in the prefix cache and served from it, since the server's start."""
    page = urllib.request.urlopen(BASE.removesuffix("/v1") + "/metrics", timeout=30).read().decode()

    def total(name: str) -> float:
        return sum(
            float(found) for found in re.findall(rf"^vllm:prefix_cache_{name}_total(?:{{[^}}]*}})? (\S+)$", page, re.M)
        )

    return total("queries"), total("hits")


def panel(path: Path, layout: str) -> Path:
    path.write_text(
        f"name: {layout}\nlayout: {layout}\nschedule: full\n"
        f"models:\n  vllm: {{model: hosted_vllm/{MODEL}, api_base: '{BASE}', max_output_tokens: 160, timeout_s: 600,"
        " concurrency: 4, price: {input: 0, output: 0}}\n"
        "judges: [vllm]\nviews: {judge: {frames: 2}}\n"
    )
    return path


def questions(path: Path) -> Path:
    """Questions of one group, no two alike in their opening."""
    import json

    subjects = ["passengers", "crowns", "minutes", "boats", "buoys", "hours", "days", "pilots"]
    rows = [
        {
            "group": "ferry", "type_id": "T2", "item_id": f"v{number}",
            "question": f"How do TAG_A and TAG_B report the {subject} of the accident at the north pier?",
            "options": {
                letter: f"TAG_A gives {number + 3 * place} {subject}, while TAG_B gives {number + 5 * place} {subject}."
                for place, letter in enumerate("ABCD")
            },
            "correct_answer": "ABCD"[number % 4], "sources": {"TAG_A": "north", "TAG_B": "south", "TAG_C": "west"},
        }
        for number, subject in enumerate(subjects[:QUESTIONS])
    ]  # fmt: skip
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


@pytest.mark.parametrize("layout", ["paper", "shared-prefix"])
def test_share_of_a_groups_judge_prompts_that_the_cache_serves(layout: str, tmp_path: Path) -> None:
    # Fresh words for each run, so that nothing is cached from an earlier one.
    texts = {name: f"Report {time.time_ns()}. {text}" for name, text in HARBOUR.items()}
    group = write_group(tmp_path / "ferry", texts)
    rendered_videos(group)
    file = questions(tmp_path / "questions.jsonl")
    before = counters()
    judge.main(
        ["--items", str(file), "--group", str(group), "--panel", str(panel(tmp_path / "p.yaml", layout)), "--run",
         str(tmp_path / "run"), "--quiet", "--skip-preflight"]
    )  # fmt: skip
    queries, hits = (after - begun for after, begun in zip(counters(), before, strict=True))
    with Run.open(tmp_path / "run") as run:
        calls = run.calls()
    print(f"{layout}: {hits:.0f} of {queries:.0f} judge prompt tokens from the cache ({hits / queries:.1%})")
    assert len(calls) == QUESTIONS * (3 + 3 + 1)
    assert sum(call.outcome in ("ok", "unparsed", "truncated") for call in calls) == len(calls)
    assert all(call.usage.prompt_tokens for call in calls)
    assert any(block.get("type") == ImagePart.model_fields["kind"].default for block in calls[0].messages[1]["content"])
    if layout == "shared-prefix":
        assert hits / queries >= 0.8


def rendered_videos(group: Path) -> None:
    """Gives each text source a short video, so that the judges get frames."""
    import av
    import numpy as np

    for number, text in enumerate(sorted(group.glob("*.txt"))):
        words = text.read_text()
        text.rename(text.with_suffix(".vtt"))
        text.with_suffix(".vtt").write_text(f"WEBVTT\n\n00:00:00.000 --> 00:00:04.000\n{words}\n")
        with av.open(str(text.with_suffix(".mp4")), "w") as container:
            stream = container.add_stream("mpeg4", rate=5)
            stream.width, stream.height, stream.pix_fmt = 64, 64, "yuv420p"
            for second in range(20):
                picture = np.full((64, 64, 3), (40 + 60 * number, 12 * second % 255, 120), dtype=np.uint8)
                picture[10 + second : 30 + second, 10:30] = 255 - 10 * second
                for packet in stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")):
                    container.mux(packet)
            for packet in stream.encode():
                container.mux(packet)
