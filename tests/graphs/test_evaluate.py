"""Candidates are asked and scored, through LiteLLM against a fake server: what counts how, and what is asked once."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphs import evaluate, generate
from graphs import list as list_command
from records.benchmark import Prediction
from report.runs import list_runs
from store.run import Run
from tests.fakeserver import ChatRequest, FakeServer, Fault, Policy
from tests.graphs.questions import always_a, right, write_candidates, write_items
from tests.graphs.stories import write_group
from tests.media.clips import Scene, make_clip


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(Policy(script=right)) as running:
        yield running


@pytest.fixture
def group(tmp_path: Path) -> Path:
    return write_group(tmp_path / "ferry")


def ask(items: Path, candidates: Path, run: Path, *flags: str) -> int:
    base = ["--items", str(items), "--candidates", str(candidates), "--run", str(run)]
    return evaluate.main([*base, "--quiet", "--skip-preflight", "--no-plots", *flags])


def predictions(run: Path) -> list[Prediction]:
    lines = (run / "predictions.jsonl").read_text(encoding="utf-8").splitlines()
    return [Prediction.model_validate_json(line) for line in lines]


def scores(run: Path) -> dict[str, Any]:
    found = json.loads((run / "scores.json").read_text(encoding="utf-8"))
    return dict(found["models"])


def test_right_answers_score_and_are_paid_once(group: Path, tmp_path: Path, server: FakeServer) -> None:
    items = write_items(tmp_path / "items.jsonl")
    candidates = write_candidates(tmp_path / "c.yaml", server.base_url, {"one": {"label": "The One"}, "two": {}})
    flags = ("--group", str(group))
    assert ask(items, candidates, tmp_path / "run", *flags) == 0
    assert len(server.log) == 8
    found = predictions(tmp_path / "run")
    assert [(p.model, p.item_id, p.answer) for p in found[:4]] == [("one", f"i{n}", "ABCD"[n]) for n in range(4)]
    assert scores(tmp_path / "run")["one"]["overall"]["accuracy"] == 1.0
    with Run.open(tmp_path / "run") as run:
        assert sum(p.cost_usd for p in found) == pytest.approx(run.spent_usd())
        assert run.spent_usd() > 0
    before = (tmp_path / "run" / "predictions.jsonl").read_bytes()
    assert ask(items, candidates, tmp_path / "run", *flags) == 0
    assert len(server.log) == 8
    assert (tmp_path / "run" / "predictions.jsonl").read_bytes() == before
    assert "The One" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert (tmp_path / "run" / "results" / "leaderboard.tex").is_file()


def test_a_candidate_and_items_can_be_added_but_not_changed(
    group: Path, tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    items, run, flags = write_items(tmp_path / "items.jsonl"), tmp_path / "run", ("--group", str(group))
    one = write_candidates(tmp_path / "one.yaml", server.base_url, {"one": {}})
    both = write_candidates(tmp_path / "both.yaml", server.base_url, {"one": {}, "two": {}})
    assert ask(items, one, run, *flags, "--limit", "2") == 0
    assert ask(items, both, run, *flags) == 0
    asked = Counter(entry.model for entry in server.log)
    assert asked == {"one": 4, "two": 4}
    assert ask(items, both, run, *flags, "--transcript", "full") == 1
    assert "transcript: 'summary' in the run, 'full' now" in capsys.readouterr().err
    assert ask(write_items(tmp_path / "items.jsonl", layer="x", correct_answer="A"), both, run, *flags) == 1
    assert "another item under the id i1" in capsys.readouterr().err
    assert len(server.log) == 8


FAILURES = {
    "refusal-field": "refused", "content-filter": "filtered", "truncated": "truncated", "prose": "unparsed",
    "wrong-letter": "unparsed", "empty": "unparsed", "server-error": "unavailable", "bad-request": "misconfigured",
}  # fmt: skip


def test_each_failure_counts_as_it_should(group: Path, tmp_path: Path, server: FakeServer) -> None:
    faults = tuple(Fault(kind, model=kind) for kind in FAILURES)  # type: ignore[arg-type]
    server.set_policy(Policy(script=right, faults=faults))
    models = {kind: {} for kind in (*FAILURES, "sound")}
    candidates = write_candidates(tmp_path / "c.yaml", server.base_url, models)
    run = tmp_path / "run"
    assert ask(write_items(tmp_path / "items.jsonl"), candidates, run, "--group", str(group)) == 2
    found = scores(run)
    for kind, outcome in FAILURES.items():
        overall = found[kind]["overall"]
        assert overall["outcomes"] == {outcome: 4}, kind
        missing = outcome in ("unavailable", "misconfigured")
        assert overall["accuracy"] == (None if missing else 0.0), kind
        assert overall["complete"] is not missing, kind
    assert found["sound"]["overall"]["accuracy"] == 1.0
    assert all(p.answer is None for p in predictions(run) if p.model != "sound")
    assert len(server.log) == 4 * len(models)


def test_the_list_of_runs_says_who_was_asked_what(
    tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.set_policy(Policy(script=right, faults=(Fault("server-error", model="away"),)))
    candidates = write_candidates(tmp_path / "c.yaml", server.base_url, {"away": {}, "here": {}})
    items = write_items(tmp_path / "items.jsonl")
    assert ask(items, candidates, tmp_path / "runs" / "night", "--frames", "none", "--transcript", "none") == 2
    (info,) = list_runs(tmp_path / "runs")
    assert (info.kind, info.items, info.candidates, info.replies, info.missing_replies) == ("evaluate", 4, 2, 8, 4)
    assert list_command.main(["--runs", str(tmp_path / "runs")]) == 0
    said = capsys.readouterr().out
    assert "night: evaluate: 2 candidates on 4 items, 8 predictions, 4 of them never came" in said
    assert "4/4" not in said


def test_only_what_never_came_is_asked_again(group: Path, tmp_path: Path, server: FakeServer) -> None:
    faults = (Fault("server-error", model="away"), Fault("refusal-field", model="shy"))
    server.set_policy(Policy(script=right, faults=faults))
    candidates = write_candidates(tmp_path / "c.yaml", server.base_url, {"away": {}, "shy": {}})
    items, run, flags = write_items(tmp_path / "items.jsonl"), tmp_path / "run", ("--group", str(group))
    assert ask(items, candidates, run, *flags) == 2
    server.set_policy(Policy(script=right))
    assert ask(items, candidates, run, *flags) == 2
    assert len(server.log) == 8
    assert ask(items, candidates, run, *flags, "--retry-failed") == 0
    assert Counter(entry.model for entry in server.log) == {"away": 8, "shy": 4}
    found = scores(run)
    assert (found["away"]["overall"]["accuracy"], found["shy"]["overall"]["accuracy"]) == (1.0, 0.0)


def test_rotations_are_mapped_back_and_circular_needs_them_all(group: Path, tmp_path: Path, server: FakeServer) -> None:
    server.set_policy(Policy(script=lambda request: right(request) if "know" in request.model else always_a(request)))
    candidates = write_candidates(tmp_path / "c.yaml", server.base_url, {"knows": {}, "guess": {}})
    run = tmp_path / "run"
    assert ask(write_items(tmp_path / "items.jsonl"), candidates, run, "--group", str(group), "--circular") == 0
    assert len(server.log) == 2 * 4 * 4
    found = predictions(run)
    assert all(p.answer == "ABCD"[int(p.item_id[1])] for p in found if p.model == "knows")
    assert [p.answer for p in found if (p.model, p.item_id) == ("guess", "i0")] == ["A", "B", "C", "D"]
    table = (run / "results" / "circular.csv").read_text(encoding="utf-8")
    assert re.search(r"knows.*1\.0.*1\.0", table)
    assert re.search(r"guess.*0\.25.*0\.0", table)


def test_many_questions_in_one_call(group: Path, tmp_path: Path, server: FakeServer) -> None:
    server.set_policy(Policy(script=lambda request: {"q1": "A", "q2": "(B)", "q4": "Z"}))
    candidates = write_candidates(tmp_path / "c.yaml", server.base_url, {"one": {"asking": {"batch": 0}}})
    run = tmp_path / "run"
    assert ask(write_items(tmp_path / "items.jsonl"), candidates, run, "--group", str(group)) == 0
    (entry,) = server.log
    assert entry.schema == "Answers"
    assert [(p.answer, p.outcome) for p in predictions(run)] == [
        ("A", "ok"), ("B", "ok"), (None, "unparsed"), (None, "unparsed"),
    ]  # fmt: skip
    with Run.open(run) as opened:
        (call,) = opened.calls()
        assert sum(p.cost_usd for p in predictions(run)) == pytest.approx(call.cost_usd)
        assert '<question id="q3">' in json.dumps(call.messages).replace('\\"', '"')


def test_a_plain_letter_is_asked_without_a_schema(group: Path, tmp_path: Path, server: FakeServer) -> None:
    replies = {"0": "(A)", "1": "Answer: B", "2": "It depends on what one counts.", "3": "D. 41 passengers"}
    seen: list[ChatRequest] = []

    def reply(request: ChatRequest) -> str:
        seen.append(request)
        return replies[re.search(r"number (\d)", request.stem)[1]]  # type: ignore[index]

    server.set_policy(Policy(script=reply))
    candidates = write_candidates(tmp_path / "c.yaml", server.base_url, {"one": {"asking": {"reply": "letter"}}})
    run = tmp_path / "run"
    assert ask(write_items(tmp_path / "items.jsonl"), candidates, run, "--group", str(group)) == 0
    assert [p.answer for p in predictions(run)] == ["A", "B", None, "D"]
    assert all(request.schema is None and "json" not in request.text.casefold() for request in seen)


# --- frames ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    folder = tmp_path / "videos"
    folder.mkdir()
    for number, name in enumerate(("first", "second")):
        colours = [(40 * place, 30 + 90 * number, 200 - 40 * place) for place in range(5)]
        scenes = [Scene(1.2, colour, (f"Board {n} of {name}", "Count 41")) for n, colour in enumerate(colours)]
        make_clip(folder / f"{name}.mp4", scenes, sound=False)
    return folder


def video_items(path: Path) -> Path:
    rows = [
        {
            "question_id": f"v{number}", "video_path": f"{name}.mp4", "question": f"How many are shown, take {number}?",
            "options": ["41 passengers", "47 passengers", "52 passengers", "14 passengers"], "answer": "A",
            "subcategory": "Event Description",
        }
        for number, name in enumerate(("first", "first", "second"))
    ]  # fmt: skip
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_a_sweep_pays_equal_inputs_once_and_says_so(clips: Path, tmp_path: Path, server: FakeServer) -> None:
    candidates = write_candidates(tmp_path / "c.yaml", server.base_url, {"one": {"asking": {"frames": "2f"}}})
    run, items = tmp_path / "run", video_items(tmp_path / "items.json")
    flags = ("--videos", str(clips), "--sweep", "side=160,320,1080", "--sweep", "frames=1f,3f")
    assert ask(items, candidates, run, *flags) == 0
    assert len(server.log) == 3 * 4
    assert Counter(entry.images for entry in server.log) == {2: 6, 1: 3, 3: 3}
    table = (run / "results" / "sweep.md").read_text(encoding="utf-8")
    assert "320 px (asked 1080)" in table
    assert "side=1080 gave the same inputs as side=320" in table
    assert "160 px" in table
    assert "3 frames a video" in table
    found = predictions(run)
    assert len(found) == 15
    twice = [p for p in found if p.setting == "side=1080"]
    assert all(p.cached and not p.cost_usd and p.answer == "A" for p in twice)
    with Run.open(run) as opened:
        assert sum(p.cost_usd for p in found) == pytest.approx(opened.spent_usd())


def test_a_strip_is_one_image_a_video(clips: Path, tmp_path: Path, server: FakeServer) -> None:
    import io

    from PIL import Image

    seen: list[ChatRequest] = []
    server.set_policy(Policy(script=lambda request: seen.append(request) or right(request)))
    asking = {"frames": "4f", "input": "strip", "transcript": "none", "reply": "letter", "side": None}
    candidates = write_candidates(tmp_path / "c.yaml", server.base_url, {"one": {"asking": asking}})
    assert ask(video_items(tmp_path / "i.json"), candidates, tmp_path / "run", "--videos", str(clips)) == 0
    assert {request.image_count for request in seen} == {1}
    assert "side by side" in seen[0].text
    assert Image.open(io.BytesIO(seen[0].images[0])).size == (4 * 320, 240)


def test_a_video_is_sent_as_it_is(clips: Path, tmp_path: Path, server: FakeServer) -> None:
    import base64

    seen: list[ChatRequest] = []
    server.set_policy(Policy(script=lambda request: seen.append(request) or right(request)))
    candidates = write_candidates(tmp_path / "c.yaml", server.base_url, {"one": {"asking": {"input": "video"}}})
    assert ask(video_items(tmp_path / "i.json"), candidates, tmp_path / "run", "--videos", str(clips)) == 0
    videos = {url.partition(",")[2] for request in seen for kind, url in request.blocks if kind == "video"}
    assert {base64.b64decode(data) for data in videos} == {path.read_bytes() for path in clips.glob("*.mp4")}
    assert "[VIDEO: TAG_A]" in seen[0].text


def test_missing_and_broken_videos_are_found_before_anything_is_paid(
    clips: Path, tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    (clips / "second.mp4").write_bytes(b"")
    candidates = write_candidates(tmp_path / "c.yaml", server.base_url, {"one": {}})
    items, run, flags = video_items(tmp_path / "i.json"), tmp_path / "run", ("--videos", str(clips))
    assert ask(items, candidates, run, *flags) == 1
    assert "1 items cannot be shown: 1 cannot be read (such as second.mp4" in capsys.readouterr().err
    assert ask(items, candidates, run) == 1
    assert "the items are about videos, and none were given" in capsys.readouterr().err
    assert not server.log
    assert ask(items, candidates, run, *flags, "--skip-missing") == 0
    assert [p.item_id for p in predictions(run)] == ["v0", "v1"]


def test_without_any_material(tmp_path: Path, server: FakeServer) -> None:
    candidates = write_candidates(tmp_path / "c.yaml", server.base_url, {"one": {}})
    flags = ("--frames", "none", "--transcript", "none")
    assert ask(video_items(tmp_path / "i.json"), candidates, tmp_path / "run", *flags) == 0
    assert {entry.images for entry in server.log} == {0}
    assert scores(tmp_path / "run")["one"]["overall"]["accuracy"] == 1.0


# --- money -----------------------------------------------------------------------------------------------------------


def test_a_table_of_another_benchmark_is_refused_before_anything_is_paid(
    tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    candidates = write_candidates(tmp_path / "c.yaml", server.base_url, {"one": {}})
    items = write_items(tmp_path / "items.jsonl")
    flags = ("--frames", "none", "--transcript", "none", "--preset", "vnu-table2,vv-table2")
    assert ask(items, candidates, tmp_path / "run", *flags) == 1
    assert "--preset vv-table2: no item is of the families event" in capsys.readouterr().err
    assert not server.log


def test_a_budget_stops_and_the_same_command_goes_on(
    group: Path, tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    models = {"one": {"concurrency": 1, "max_output_tokens": 100}}
    candidates = write_candidates(tmp_path / "c.yaml", server.base_url, models)
    items, run, flags = write_items(tmp_path / "items.jsonl", 8), tmp_path / "run", ("--group", str(group))
    assert ask(items, candidates, run, *flags, "--budget-usd", "0.003") == 1
    assert "the budget" in capsys.readouterr().err
    first = len(server.log)
    assert 0 < first < 8
    with Run.open(run) as opened:
        assert opened.spent_usd() <= 0.003
    assert ask(items, candidates, run, *flags) == 0
    assert len(server.log) == 8
    assert Counter(entry.key for entry in server.log).most_common(1)[0][1] == 1
    assert scores(run)["one"]["overall"]["accuracy"] == 1.0


def test_a_dry_run_asks_nothing_and_counts_the_calls(
    group: Path, tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    candidates = write_candidates(tmp_path / "c.yaml", server.base_url, {"one": {}, "two": {"asking": {"batch": 2}}})
    server.set_policy(Policy(script=right, tokenizer="o200k_base"))
    items, flags = write_items(tmp_path / "items.jsonl"), ("--group", str(group))
    assert ask(items, candidates, tmp_path / "run", *flags, "--dry-run", "--json") == 0
    forecast = json.loads(capsys.readouterr().out)
    assert {name: line["calls"] for name, line in forecast["lines"].items()} == {"one": 4, "two": 2}
    assert not server.log
    assert not (tmp_path / "run").exists()
    assert ask(items, candidates, tmp_path / "run", *flags) == 0
    counted = sum(entry.prompt_tokens for entry in server.log)
    assert forecast["total"]["prompt_tokens"] == pytest.approx(counted, rel=0.2)


# --- where items come from -------------------------------------------------------------------------------------------


def test_a_run_s_items_without_keys_and_the_makers_are_refused(
    group: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = tmp_path / "made"
    assert generate.main(["--group", str(group), "--run", str(made), "--quiet"]) == 0
    flags = ["--items", str(made), "--model", "offline/bm25", "--quiet", "--no-plots", "--run", str(tmp_path / "run")]
    assert evaluate.main(flags) == 1
    assert "offline/bm25 judged these items" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
    blind = ["--frames", "none", "--transcript", "none"]
    assert evaluate.main([*flags[2:], *blind, "--items", str(made / "items.jsonl")]) == 1
    assert "offline/bm25 judged these items" in capsys.readouterr().err
    assert evaluate.main([*flags, "--allow-contaminated", "--limit", "900-901"]) == 1
    assert "--limit begins at item 900; there are" in capsys.readouterr().err
    assert evaluate.main([*flags, "--allow-contaminated"]) == 0
    kept = (made / "items.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(predictions(tmp_path / "run")) == len(kept) > 0
    for name in ("leaderboard", "by-type", "by-family"):
        assert "‡" in (tmp_path / "run" / "results" / f"{name}.md").read_text(encoding="utf-8")
    assert "judged these items" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


def test_a_long_transcript_is_summarised_once_for_all_candidates(tmp_path: Path, server: FakeServer) -> None:
    words = " ".join(f"The harbour counts {number} passengers on pier {number}." for number in range(60))
    group = write_group(tmp_path / "ferry", {"north": words, "south": "The list shows 47 passengers."})
    script = Policy(script=lambda r: {"summary": "Short account."} if r.schema_name == "SummaryReply" else right(r))
    server.set_policy(script)
    items, flags = write_items(tmp_path / "items.jsonl"), ("--group", str(group))
    bare = write_candidates(tmp_path / "bare.yaml", server.base_url, {"one": {}, "two": {}})
    assert ask(items, bare, tmp_path / "run", *flags) == 1
    assert not server.log
    full = write_candidates(tmp_path / "c.yaml", server.base_url, {"one": {}, "two": {}}, summarizer="one")
    assert ask(items, full, tmp_path / "run", *flags) == 0
    assert Counter(entry.schema for entry in server.log) == {"SummaryReply": 1, "Answer": 8}


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--sweep", "size=1"), "--sweep size=1: write frames="),
        (("--sweep", "frames=x"), "frames: 'x' is not understood"),
        (("--by", "moon"), "--by: there is no 'moon'"),
        (("--preset", "moon"), "there is no preset 'moon'"),
        (("--batch", "3", "--reply", "letter"), "several questions in one call need reply: json"),
        (("--model", "nobody"), "--model nobody: no candidate of that name"),
    ],
)
def test_wrong_flags_are_told_before_anything_is_read(
    flags: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    candidates = write_candidates(tmp_path / "c.yaml", "http://127.0.0.1:1/v1", {"one": {}})
    assert ask(tmp_path / "none.jsonl", candidates, tmp_path / "run", *flags) == 1
    assert said in capsys.readouterr().err
