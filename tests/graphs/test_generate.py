"""The main job, from a group to audited questions: without a network, and through LiteLLM against a fake server."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphs import audit, generate, judge
from prompts import rendering
from store.run import Run
from tests.conftest import ROOT
from tests.fakeserver import FakeServer, Fault, FaultKind, Policy
from tests.graphs.stories import HARBOUR, write_group, write_panel

Lines = list[dict[str, Any]]


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(Policy(confidence=0.5)) as running:
        yield running


@pytest.fixture
def group(tmp_path: Path) -> Path:
    return write_group(tmp_path / "ferry")


def lines(run: Path, name: str = "items.jsonl") -> Lines:
    return [json.loads(line) for line in (run / name).read_text(encoding="utf-8").splitlines()]


def run_fake(group: Path, server: FakeServer, run: Path, *flags: str, more: str = "") -> int:
    panel = write_panel(run.parent / f"{run.name}.yaml", server.base_url, more)
    return generate.main(
        ["--group", str(group), "--panel", str(panel), "--run", str(run), "--quiet", "--skip-preflight", *flags]
    )


def test_offline_run_keeps_true_questions_with_their_reasons(group: Path, tmp_path: Path) -> None:
    assert generate.main(["--group", str(group), "--run", str(tmp_path / "run"), "--quiet"]) == 0
    kept = lines(tmp_path / "run")
    assert len(kept) >= 1
    for item in kept:
        words = " ".join(HARBOUR.values())
        right = item["options"][item["correct_answer"]]
        assert {decision["check"] for decision in item["decisions"]} >= {"solvability", "ambiguity", "difficulty"}
        assert len(item["support_map"][item["correct_answer"]]) >= 2
        numbers = [word.strip(".,:") for word in right.split() if word[0].isdigit()]
        assert numbers
        assert all(number in words for number in numbers)
    assert (tmp_path / "run" / "report.html").is_file()


def test_altering_a_number_changes_the_questions_that_rest_on_it(tmp_path: Path) -> None:
    other = {**HARBOUR, "south": HARBOUR["south"].replace("47 passengers", "53 passengers")}
    found = {}
    for name, texts in (("a", HARBOUR), ("b", other)):
        folder = write_group(tmp_path / name / "ferry", texts)
        generate.main(["--group", str(folder), "--run", str(tmp_path / f"run-{name}"), "--quiet"])
        found[name] = " ".join(
            json.dumps(item)
            for file in ("items.jsonl", "rejected.jsonl")
            for item in lines(tmp_path / f"run-{name}", file)
        )
    assert "47" in found["a"]
    assert "53 passengers" not in found["a"]
    assert "53" in found["b"]
    assert "47 passengers" not in found["b"]


def test_every_draft_ends_and_no_finished_call_is_paid_twice(group: Path, tmp_path: Path, server: FakeServer) -> None:
    run = tmp_path / "run"
    run_fake(group, server, run)
    asked = len(server.log)
    ended = [line for name in ("items", "rejected", "undecided") for line in lines(run, f"{name}.jsonl")]
    assert len(ended) == 10
    before = (run / "items.jsonl").read_bytes()
    assert run_fake(group, server, run) in (0, 2)
    assert len(server.log) == asked
    assert (run / "items.jsonl").read_bytes() == before
    with Run.open(run) as opened:
        calls = opened.calls()
        assert len(calls) == asked
        assert opened.spent_usd() == pytest.approx(sum(call.cost_usd for call in calls))
        assert opened.spent_usd() > 0


def test_another_configuration_on_the_same_run_is_refused(
    group: Path, tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    run_fake(group, server, tmp_path / "run", "--types", "T2")
    asked = len(server.log)
    assert run_fake(group, server, tmp_path / "run", "--types", "T2", "--seed", "5") == 1
    assert "seed: 0 in the run, 5 now" in capsys.readouterr().err.replace("nothing", "0")
    assert len(server.log) == asked


def test_types_per_type_and_limit_choose_the_slots(group: Path, tmp_path: Path, server: FakeServer) -> None:
    run_fake(group, server, tmp_path / "run", "--types", "T2,T7", "--per-type", "2", "--limit", "2-3")
    with Run.open(tmp_path / "run") as run:
        assert [entry.key for entry in run.index("draft")] == ["ferry/T2/2", "ferry/T7/1"]


def test_a_group_that_cannot_be_used_does_not_end_the_others(
    group: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = write_group(tmp_path / "alone", {"north": HARBOUR["north"]})
    flags = ["--group", str(alone), "--group", str(group), "--run", str(tmp_path / "run"), "--quiet"]
    assert generate.main(flags) == 1
    assert "alone" in capsys.readouterr().err
    assert lines(tmp_path / "run")


def test_a_problem_that_is_mended_is_told_no_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = write_group(tmp_path / "ferry", {"north": HARBOUR["north"]}, video_ids=["north", "south", "west"])
    flags = ["--group", str(folder), "--run", str(tmp_path / "run"), "--types", "T2"]
    assert generate.main(flags) == 1
    said = capsys.readouterr()
    assert "has 1 usable source" in said.err
    assert "usable source" not in said.out, "told once, as an error"
    for name in ("south", "west"):
        (folder / f"{name}.txt").write_text(HARBOUR[name])
    assert generate.main(flags) == 0
    said = capsys.readouterr()
    assert "usable source" not in said.out + said.err
    assert lines(tmp_path / "run")


def test_sources_that_are_left_out_are_named_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {f"s{number:02d}": f"Shed {number} holds {number * 3 + 2} crates. It is dry." for number in range(27)}
    folder = write_group(tmp_path / "many", texts)
    assert generate.main(["--group", str(folder), "--run", str(tmp_path / "run"), "--types", "T3"]) == 0
    assert "note  many: s26.txt (s26) is left out: a group has at most 26 sources." in capsys.readouterr().out
    assert "s26.txt (s26) is left out" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


def test_a_folder_that_is_not_there_begins_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = tmp_path / "run"
    assert generate.main(["--group", str(tmp_path / "clader"), "--run", str(run)]) == 1
    assert "clader: does not exist. Give the folder that holds the videos." in capsys.readouterr().err
    assert not run.exists()


def test_only_prompts_that_a_run_reads_bind_it(
    group: Path, tmp_path: Path, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: set[str] = set()
    template = rendering._template

    def recorded(name: str) -> Any:
        read.add(f"{name}.md")
        return template(name)

    monkeypatch.setattr(rendering, "_template", recorded)
    more = "captioner: judge-a\nsummarizer: judge-a\nviews: {draft: {transcript: summary, summary_characters: 100}}"
    assert run_fake(group, server, tmp_path / "run", "--types", "T2,T7", more=more) in (0, 2)
    with Run.open(tmp_path / "run") as run:
        bound = set(run.manifest.prompts)
    assert {"drafter/system.md", "judges/system.md", "summarizer/system.md"} <= read
    assert read <= bound
    assert {f"taskheads/T{number}" for number in range(1, 11)} <= bound
    assert not [name for name in bound if name.startswith(("video/", "solver/", "taskheads/video"))]


def test_a_change_to_a_task_head_of_ones_own_is_another_run(
    group: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "prompts" / "taskheads" / "T2.md").read_text(encoding="utf-8").replace("id: T2", "id: T11")
    codes = []
    for name, words in (("heads", text), ("changed", f"{text}\nMore words.\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "T11.md").write_text(words, encoding="utf-8")
        flags = ["--group", str(group), "--taskheads", str(tmp_path / name), "--types", "T11", "--quiet"]
        codes.append(generate.main([*flags, "--run", str(tmp_path / "run")]))
    assert codes == [0, 1]
    assert "prompts.taskheads/T11" in capsys.readouterr().err


def test_a_type_that_was_declined_is_not_asked_again(group: Path, tmp_path: Path, server: FakeServer) -> None:
    decline = {"reasoning": "No conflict.", "declined": "The sources agree.", "question": None}
    server.set_policy(Policy(script=lambda request: decline if request.schema_name == "DraftReply" else None))
    assert run_fake(group, server, tmp_path / "run", "--types", "T7", "--per-type", "3") == 0
    assert len(server.log) == 1
    rejected = lines(tmp_path / "run", "rejected.jsonl")
    assert [line["rejected_by"] for line in rejected] == ["declined"] * 3
    assert {line["reason"] for line in rejected} == {"The sources agree."}


def test_a_draft_that_breaks_rules_goes_back_twice_and_is_then_rejected(
    group: Path, tmp_path: Path, server: FakeServer
) -> None:
    seen: list[str] = []

    def twins(request: Any) -> Any:
        if request.schema_name != "DraftReply":
            return None
        seen.append(request.text)
        claims = [
            {"text": f"TAG_{tag} counts 41 passengers", "tags": [f"TAG_{tag}"], "modality": "spoken"} for tag in "AB"
        ]
        option = {"claims": claims, "fails_because": ""}
        question = {
            "stem": f"How many passengers do TAG_A and TAG_B count on board, reading {len(seen)}?",
            "joiner": "while",
            "options": dict.fromkeys("ABCD", option),
            "correct_answer": "A",
            "evidence": "Both count.",
            "support_map": {"A": ["TAG_A", "TAG_B"]},
            "evidence_frames": [],
        }
        return {"reasoning": "r", "declined": "", "question": question}

    server.set_policy(Policy(script=twins))
    assert run_fake(group, server, tmp_path / "run", "--types", "T2") == 0
    assert len(seen) == 3
    assert "<violations>" not in seen[0]
    assert "<violations>" in seen[1]
    assert "<previous-draft>" in seen[2]
    (rejected,) = lines(tmp_path / "run", "rejected.jsonl")
    assert rejected["rejected_by"] == "rules"
    assert rejected["attempt"] == 3
    assert any("option" in violation["rule_id"] for violation in rejected["violations"])


def test_all_faults_at_once_keep_nothing_wrongly(group: Path, tmp_path: Path) -> None:
    kinds: tuple[FaultKind, ...] = (
        "rate-limit", "server-error", "drop", "slow", "truncated", "fenced", "think", "refusal-field", "wrong-letter",
        "confidence-over", "empty", "prose", "content-filter",
    )  # fmt: skip
    healing = {"rate-limit", "server-error", "drop", "slow"}
    faults = tuple(
        Fault(
            kind, rate=0.05, first=1 if kind in healing else None, delay_s=0.05,
            retry_after="0.05" if kind == "rate-limit" else "",
        )
        for kind in kinds
    )  # fmt: skip
    with FakeServer(Policy(seed=3, faults=faults, confidence=0.5)) as server:
        run = tmp_path / "run"
        code = run_fake(group, server, run, "--types", "T1,T2,T4,T7,T8", more="schedule: full\nredrafts: 0")
        served = Counter(entry.fault for entry in server.log if entry.fault)
        with Run.open(run) as opened:
            calls = opened.calls()
        failed = Counter(call.outcome for call in calls if call.outcome != "ok")
        exchanges = sum(len(call.attempts) for call in calls)
        assert exchanges == len(server.log)
        assert failed["refused"] == served["refusal-field"]
        assert failed["filtered"] == served["content-filter"]
        assert failed["truncated"] == served["truncated"]
        undecided = lines(run, "undecided.jsonl")
        assert code == (2 if undecided or any(call.task == "draft" and call.outcome != "ok" for call in calls) else 0)
        for item in lines(run):
            for decision in item["decisions"]:
                assert decision["outcome"] in ("passed", "off")
                for unit in decision["units"]:
                    assert unit["votes"] >= (1 if decision["check"] == "difficulty" else 2)
        # Who is struck depends on the words of the prompts; with so many calls nearly every kind strikes somebody.
        assert len([kind for kind in kinds if served[kind]]) >= len(kinds) - 2


def test_failures_are_asked_again_only_on_request(
    group: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeServer(Policy(confidence=0.5, faults=(Fault("refusal-field", model="judge"),))) as server:
        run = tmp_path / "run"
        panel = write_panel(tmp_path / "run.yaml", server.base_url)
        flags = ["--group", str(group), "--panel", str(panel), "--run", str(run), "--types", "T2", "--skip-preflight"]
        assert generate.main(flags) == 2
        said = capsys.readouterr().out
        assert re.search(r"^failed \d+ times?  judge-a: refused: ", said, re.MULTILINE)
        (item,) = lines(run, "undecided.jsonl")
        assert item["decisions"]
        asked = len(server.log)
        assert run_fake(group, server, run, "--types", "T2") == 2
        assert len(server.log) == asked
        server.set_policy(
            Policy(confidence=0.5, script=lambda r: {"rationale": "no", "severity": 0.0} if r.gold else None)
        )
        assert run_fake(group, server, run, "--types", "T2", "--retry-failed") == 0
        assert not lines(run, "undecided.jsonl")
        (kept,) = lines(run)
        assert kept["item_id"] == item["item_id"]


def test_a_budget_stops_cleanly_and_the_same_command_goes_on(
    group: Path, tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    assert run_fake(group, server, run, "--budget-usd", "0.1") == 1
    assert "To go on" in capsys.readouterr().err
    with Run.open(run) as opened:
        assert 0 < opened.spent_usd() <= 0.1
    asked = len(server.log)
    assert run_fake(group, server, run) in (0, 2)
    keys = Counter(entry.key for entry in server.log)
    assert len(server.log) > asked
    assert max(keys.values()) == 1
    assert len(lines(run)) + len(lines(run, "rejected.jsonl")) + len(lines(run, "undecided.jsonl")) == 10


def test_questions_by_people_take_the_place_of_drafting(
    group: Path, tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {
        "group": "ferry", "type_id": "T2", "item_id": "people-1",
        "question": "How many passengers do TAG_A and TAG_B report on board (TAG_A vs TAG_B)?",
        "options": {
            "A": "TAG_A counts 41 passengers, while TAG_B lists 47.",
            "B": "TAG_A counts 41 passengers, while TAG_B lists 41.",
            "C": "TAG_A counts 47 passengers, while TAG_B lists 47.",
            "D": "TAG_A counts 47 passengers, while TAG_B lists 41.",
        },
        "correct_answer": "A", "evidence": "The office counts 41; the list shows 47.",
        "support_map": {"A": ["TAG_A", "TAG_B"]},
        "sources": {"TAG_A": "north", "TAG_B": "south", "TAG_C": "west"},
    }  # fmt: skip
    broken = {**row, "item_id": "people-2", "question": "How many were on board?"}
    file = tmp_path / "drafts.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in (row, broken)))
    panel = write_panel(tmp_path / "panel.yaml", server.base_url)
    flags = ["--group", str(group), "--panel", str(panel), "--drafts", str(file)]
    assert generate.main([*flags, "--run", str(tmp_path / "run")]) in (0, 2)
    said = " ".join(capsys.readouterr().out.split())
    assert "Panel fake · judges judge-a, judge-b, judge-c" in said
    assert "1 group, 2 questions from a file" in said
    assert not [entry for entry in server.log if entry.model == "drafter"], "not even tried out"
    with Run.open(tmp_path / "run") as run:
        assert [(entry.key, entry.outcome) for entry in run.index("draft")] == [
            ("ferry/T2/people-1", "accepted"), ("ferry/T2/people-2", "rejected-by-rules"),
        ]  # fmt: skip
        (item,) = run.index("item")
    assert item.outcome in ("kept", "removed", "undecided")


def people(tmp_path: Path, count: int) -> Path:
    """A file of questions on the ferry that differ in their numbers."""
    rows = [
        {
            "group": "ferry", "type_id": "T2", "item_id": f"people-{n}",
            "question": f"Counting boat {n}, how many passengers do TAG_A and TAG_B report (TAG_A vs TAG_B)?",
            "options": {
                letter: f"TAG_A counts {n * 10 + a} passengers, while TAG_B lists {n * 10 + b} of them."
                for letter, (a, b) in zip("ABCD", ((1, 7), (1, 1), (7, 7), (7, 1)), strict=True)
            },
            "correct_answer": "A", "evidence": "Both count.", "support_map": {"A": ["TAG_A", "TAG_B"]},
            "sources": {"TAG_A": "north", "TAG_B": "south", "TAG_C": "west"},
        }
        for n in range(1, count + 1)
    ]  # fmt: skip
    file = tmp_path / "people.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    return file


def test_the_forecast_of_questions_by_people_counts_their_judging(
    group: Path, tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = ["--drafts", str(people(tmp_path, 6))]
    run_fake(group, server, tmp_path / "run", *flags, "--dry-run", "--json", more="schedule: full")
    found = json.loads(capsys.readouterr().out)
    assert (found["drafts"], found["work"]) == (6, "questions from a file")
    run_fake(group, server, tmp_path / "run", *flags, more="schedule: full")
    assert len(server.log) == 6 * (3 * 3 + 3 * 3 + 3)
    assert found["total"]["expected"]["calls"] == len(server.log)
    prompt = sum(entry.prompt_tokens for entry in server.log)
    assert found["total"]["expected"]["prompt_tokens"] == pytest.approx(prompt, rel=0.2)


def test_a_pilot_with_questions_by_people_extrapolates(
    group: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_group(tmp_path / "other")
    file = people(tmp_path, 4)
    file.write_text(file.read_text().replace('"ferry"', '"other"', 1))
    flags = ["--group", str(group), "--group", str(tmp_path / "other"), "--drafts", str(file)]
    assert generate.main([*flags, "--run", str(tmp_path / "run"), "--pilot", "1"]) == 0
    assert "Pilot: 3 of 4 questions." in " ".join(capsys.readouterr().out.split())


def test_a_model_that_is_not_asked_needs_no_key(
    group: Path, tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    panel = write_panel(tmp_path / "panel.yaml", server.base_url)
    text = panel.read_text().replace("judges:", "captioner: small\nsummarizer: small\njudges:")
    text = text.replace("hosted_vllm/drafter, api_base", "anthropic/claude-sonnet-4-5, top_p: null, no_base")
    text = re.sub(r", no_base: \"[^\"]*\"", "", text).replace("models:", "models:\n  small: {model: openai/gpt-4o}")
    panel.write_text(text)
    flags = ["--group", str(group), "--panel", str(panel), "--quiet"]
    assert generate.main([*flags, "--run", str(tmp_path / "a"), "--drafts", str(people(tmp_path, 1))]) in (0, 2)
    assert generate.main([*flags, "--run", str(tmp_path / "b")]) == 1
    said = capsys.readouterr().err
    assert "ANTHROPIC_API_KEY" in said
    assert "OPENAI_API_KEY" not in said, "no video to caption, nothing long to summarise"
    assert generate.main([*flags, "--run", str(tmp_path / "c"), "--set", "views.judge.transcript=summary",
                          "--set", "views.judge.summary_characters=100"]) == 1  # fmt: skip
    assert "OPENAI_API_KEY" in capsys.readouterr().err


def test_another_panel_becomes_a_set_of_its_own(
    group: Path, tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    run_fake(group, server, run, "--types", "T2,T7")
    before = (run / "items.jsonl").read_bytes()
    with Run.open(run) as opened:
        first = {item.key: item.outcome for item in opened.index("item", set_name="fake")}
    capsys.readouterr()
    assert judge.main(["--run", str(run), "--panel", "offline"]) in (0, 2)
    said = capsys.readouterr().out
    assert f"python -m graphs.audit --run {run} --set offline --question ID" in said
    assert "No language model judged" in said, "language models drafted"
    with Run.open(run) as opened:
        assert set(opened.sets()) == {"fake", "offline"}
        assert {item.key: item.outcome for item in opened.index("item", set_name="fake")} == first
        assert {item.key for item in opened.index("item", set_name="offline")} == set(first)
    assert judge.main(["--run", str(run), "--complete", "--quiet", "--skip-preflight"]) in (0, 2)
    with Run.open(run) as opened:
        assert {item.key: item.outcome for item in opened.index("item", set_name="fake")} == first
    assert before


def test_audit_tells_one_question_and_all(
    group: Path, tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    run_fake(group, server, run, "--types", "T2")
    capsys.readouterr()
    assert audit.main(["--run", str(run), "--json"]) == 0
    (line,) = [json.loads(row) for row in capsys.readouterr().out.splitlines()]
    assert audit.main(["--run", str(run), "--question", line["item_id"][:8], "--json", "--prompts"]) == 0
    life = json.loads(capsys.readouterr().out)
    assert {trace["task"] for trace in life["traces"]} >= {"draft", "solvability"}
    assert audit.main(["--run", str(run), "--question", line["item_id"], "--prompts"]) == 0
    assert "<transcript tag=" in capsys.readouterr().out
    assert audit.main(["--run", str(run), "--question", "q-none"]) == 1
    assert "q-none" in capsys.readouterr().err


def test_a_dry_run_asks_and_writes_nothing(
    group: Path, tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    assert run_fake(group, server, run, "--dry-run", "--json", more="schedule: full") == 0
    assert not server.log
    assert not run.exists()
    total = json.loads(capsys.readouterr().out)["total"]
    assert total["low"]["cost_usd"] <= total["expected"]["cost_usd"] <= total["high"]["cost_usd"]


@pytest.mark.parametrize("panel", ["mixed", "paper"])
def test_the_forecast_fits_eighty_columns(group: Path, panel: str, capsys: pytest.CaptureFixture[str]) -> None:
    from rich.console import Console

    from graphs.configuration import load_panel, load_track
    from graphs.forecast import forecast, show
    from graphs.slots import plan_slots
    from media.groups import read_group
    from prompts.taskheads import load_taskheads

    track, chosen = load_track("news"), load_panel(panel)
    slots = plan_slots(["ferry"], track.types, 400, chosen.drafters)
    found = forecast([read_group(group, track)], slots[:40], chosen, track, load_taskheads(), seed=0)
    show(found, Console(width=80))
    said = capsys.readouterr().out
    for model in chosen.models:
        if f"{model.name} solvability" in found.lines:
            assert f"{model.name} " in said
    assert "…" not in said
    assert all(len(line) <= 80 for line in said.splitlines())


def test_the_forecast_is_within_a_fifth_of_what_the_server_counts(
    group: Path, tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    run_fake(group, server, tmp_path / "run", "--dry-run", "--json", more="schedule: full")
    expected = json.loads(capsys.readouterr().out)["total"]["expected"]
    run_fake(group, server, tmp_path / "run", more="schedule: full")
    prompt = sum(entry.prompt_tokens for entry in server.log)
    with Run.open(tmp_path / "run") as run:
        cost = run.spent_usd()
    assert expected["calls"] == pytest.approx(len(server.log), rel=0.2)
    assert expected["prompt_tokens"] == pytest.approx(prompt, rel=0.2)
    assert expected["cost_usd"] == pytest.approx(cost, rel=0.2)


def test_a_pilot_extrapolates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "two"):
        write_group(tmp_path / "groups" / name)
    flags = ["--groups", str(tmp_path / "groups"), "--run", str(tmp_path / "run")]
    assert generate.main([*flags, "--pilot", "1"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Pilot: 30 of 60 slots" in said
    assert "2 groups, 60 drafting slots" in said
    assert generate.main(flags) == 0
    assert "1 of 2 groups finished before" in " ".join(capsys.readouterr().out.split())
    assert {line["group_id"] for line in lines(tmp_path / "run")} == {"one", "two"}


def test_a_model_is_asked_about_the_rules_that_code_cannot_read(
    group: Path, tmp_path: Path, server: FakeServer
) -> None:
    row = {
        "group": "ferry", "type_id": "T2", "item_id": "x", "question": "How many passengers do TAG_A and TAG_B report?",
        "options": {letter: f"TAG_A counts {n}, and TAG_B lists {n + 1} people." for n, letter in enumerate("ABCD")},
        "correct_answer": "A", "sources": {"TAG_A": "north", "TAG_B": "south", "TAG_C": "west"},
    }  # fmt: skip
    file = tmp_path / "items.jsonl"
    file.write_text(json.dumps(row))
    said = {"rationale": "It asks two things.", "broken_rules": ["one-focus"], "fits": False}
    server.set_policy(Policy(confidence=0.5, script=lambda r: said if r.schema_name == "TypeFitReply" else None))
    panel = write_panel(tmp_path / "panel.yaml", server.base_url)
    flags = ["--items", str(file), "--group", str(group), "--panel", str(panel), "--type-fit", "judge-a"]
    assert judge.main([*flags, "--run", str(tmp_path / "run"), "--quiet", "--skip-preflight"]) in (0, 2)
    (line,) = [line for name in ("items", "rejected", "undecided") for line in lines(tmp_path / "run", f"{name}.jsonl")]
    assert any("one-focus" in warning and "It asks two things." in warning for warning in line["rule_warnings"])
    assert line["options"]["A"] == row["options"]["A"]  # type: ignore[index]


def test_a_source_that_states_the_number_zero_is_drafted_from(tmp_path: Path) -> None:
    texts = {
        "north": "The survey counted 0 leaks in the pipe. The crew repaired 12 valves. The lake holds 40 boats.",
        "south": "The survey counted 7 leaks in the pipe. The crew repaired 19 valves. The lake holds 52 boats.",
    }
    group = write_group(tmp_path / "pipe", texts)
    assert generate.main(["--group", str(group), "--run", str(tmp_path / "run"), "--quiet"]) == 0
    with Run.open(tmp_path / "run") as run:
        assert {entry.outcome for entry in run.index("draft")} <= {
            "accepted",
            "declined",
            "rejected-by-rules",
            "duplicate",
        }
        assert {call.outcome for call in run.calls()} == {"ok"}
