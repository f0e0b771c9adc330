"""Single videos, from the file to audited questions: without a network, and through LiteLLM against a fake server."""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from graphs import annotate, annotating, audit, evaluate, judge
from graphs.clips import evidence_of
from graphs.video_session import Tools
from media.wikipedia import build
from prompts.heads import FOLDERS
from records.annotation import CultureSettings, VideoAnnotation, VideoSettings
from records.errors import ConfigurationError
from records.media import Evidence
from records.questions import DraftRecord
from records.verdicts import Item
from records.video import Article
from store.run import Run
from tests.conftest import ROOT, shared_data
from tests.fakeserver import FakeServer, Fault, Policy
from tests.graphs.test_kill import was_in_flight
from tests.graphs.video_material import SECONDS, script, write_video
from tests.media.dumpfiles import WordEncoder, xml_dump

Lines = list[dict[str, Any]]
TYPES = ("ED", "EP", "ES", "EL", "OTL", "OTS", "OSL", "CC", "AC", "EC", "SS", "COM", "AP", "SP")
PANEL = """\
name: fake
models:
  writer: {{model: hosted_vllm/writer, api_base: "{address}", price: {{input: 1, output: 4}}, images: false}}
  reasoner: {{model: hosted_vllm/reasoner, api_base: "{address}", price: {{input: 2, output: 8}}, images: false}}
  seer: {{model: hosted_vllm/seer, api_base: "{address}", price: {{input: 0.5, output: 2}}}}
  small: {{model: hosted_vllm/small, api_base: "{address}", price: {{input: 0.1, output: 0.4}}, images: false}}
drafters: [writer]
captioner: seer
roles: {{science-drafter: reasoner}}
judges: [small]
checks:
  solvability: {{enabled: false}}
  ambiguity: {{enabled: false}}
  difficulty: {{enabled: false}}
  blind: {{enabled: true, with_article: true}}
{more}
"""


class WithArticles(Tools):
    """Tools whose encyclopedia holds one article; boxes come from the panel's grounder."""

    wikipedia = None  # type: ignore[assignment]
    detector = None  # type: ignore[assignment]

    def article_on(self, concept: str) -> Article | None:
        text = f"The {concept.lower()} was danced to ask for rain. It is 400 years old."
        return Article(title=concept, url="https://example.org/dance", lead=text, text=text, language="en", score=0.9)


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer(Policy(script=answers)) as running:
        yield running


def answers(request: Any) -> Any:
    """The notes and drafts of `script`; a blind judge that always says A, so that it is right in one rotation."""
    if request.schema_name == "ReasonedChoice":
        return {"rationale": "a guess", "answer": "A", "confidence": 0.3}
    return script(request)


@pytest.fixture(autouse=True)
def tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotating, "Tools", WithArticles)


def lines(run: Path, name: str = "items.jsonl") -> Lines:
    return [json.loads(line) for line in (run / name).read_text(encoding="utf-8").splitlines()]


def run_fake(video: Path, server: FakeServer, run: Path, *flags: str, more: str = "") -> int:
    panel = run.parent / f"{run.name}.yaml"
    panel.write_text(PANEL.format(address=server.base_url, more=more), encoding="utf-8")
    return annotate.main(
        ["--video", str(video), "--panel", str(panel), "--run", str(run), "--quiet", "--skip-preflight", *flags]
    )


@pytest.mark.parametrize("chinese", [False, True], ids=["en", "zh"])
def test_all_fourteen_subtasks_from_a_rendered_video(tmp_path: Path, server: FakeServer, chinese: bool) -> None:
    video = write_video(tmp_path / "videos", chinese=chinese)
    assert run_fake(video, server, tmp_path / "run") == 0
    assert not lines(tmp_path / "run", "rejected.jsonl")
    kept = {item["type_id"]: item for item in lines(tmp_path / "run")}
    assert set(kept) == set(TYPES)
    for item in kept.values():
        assert item["language"] == ("zh" if chinese else "en")
        assert (item["track"], item["domain"], item["sources"]) == ("videovista", "Education", {"TAG_A": "mobile"})
        assert item["extra"]["platform"] == "Youtube"
        assert float(item["extra"]["duration_s"]) == SECONDS
        assert float(item["extra"]["event_start_s"]) <= float(item["extra"]["event_end_s"])
    assert kept["EP"]["extra"]["clip_end_s"] == kept["EP"]["extra"]["event_start_s"]
    assert kept["OTL"]["options"][kept["OTL"]["correct_answer"]] == "0:00:06"
    assert kept["OSL"]["options"][kept["OSL"]["correct_answer"]].startswith("[0.1")
    assert kept["CC"]["extra"]["article_title"] == "Lantern dance"
    assert kept["CC"]["extra"]["culture"] == "chinese"
    assert (kept["SP"]["extra"]["discipline"], kept["SP"]["extra"]["sub_discipline"]) == (
        "physics", "university physics",
    )  # fmt: skip
    assert kept["SP"]["drafter"] == "hosted_vllm/reasoner"
    assert kept["ED"]["drafter"] == "hosted_vllm/writer"


def test_the_blind_filter_turns_the_options_and_reads_the_article(tmp_path: Path, server: FakeServer) -> None:
    video = write_video(tmp_path / "videos")
    assert run_fake(video, server, tmp_path / "run", "--types", "ED,CC", more="schedule: full") == 0
    with Run.open(tmp_path / "run") as run:
        items = {item.question.type_id: item for item in run.all("item", Item, set_name="fake")}
        traces = [call for call in run.calls() if call.task == "blind"]
    units = {kind: {verdict.unit for verdict in item.verdicts} for kind, item in items.items()}
    assert units["ED"] == {f"rotation-{n}" for n in range(4)}
    assert units["CC"] == units["ED"] | {f"article-rotation-{n}" for n in range(4)}
    assert len(traces) == 12
    shown = [json.dumps(call.messages) for call in traces]
    assert sum("to ask for rain" in text for text in shown) == 4
    assert not any("at the table" in text or "<transcript tag=" in text for text in shown)


def test_what_a_text_model_knows_without_the_video_is_removed(tmp_path: Path, server: FakeServer) -> None:
    def knowing(request: Any) -> Any:
        if request.schema_name != "ReasonedChoice":
            return script(request)
        with_article = "to ask for rain" in request.text
        letter = next(k for k, v in request.options.items() if ("cuts the thread" in v) or not with_article)
        wrong = next(k for k, v in request.options.items() if "cuts the thread" not in v)
        return {"rationale": "", "answer": letter if with_article else wrong, "confidence": 0.9}

    server.set_policy(Policy(script=knowing))
    video = write_video(tmp_path / "videos")
    run_fake(video, server, tmp_path / "run", "--types", "ED,CC")
    assert [item["type_id"] for item in lines(tmp_path / "run")] == ["ED"]
    (removed,) = lines(tmp_path / "run", "rejected.jsonl")
    assert (removed["type_id"], removed["rejected_by"]) == ("CC", "blind")
    assert "article" in removed["reason"]


def test_a_prediction_is_judged_on_its_clip_alone(tmp_path: Path, server: FakeServer) -> None:
    video = write_video(tmp_path / "videos")
    more = "views: {judge: {frames: 8}}"
    run_fake(video, server, tmp_path / "run", "--types", "EP", "--set", "checks.difficulty.enabled=true", more=more)
    with Run.open(tmp_path / "run") as run:
        (item,) = run.all("item", Item, set_name="fake")
        evidence = run.get("evidence", "mobile", Evidence)
        (asked,) = [call for call in run.calls() if call.task == "difficulty"]
    assert evidence is not None
    cut = evidence_of(item.question, evidence)
    end = float(item.question.extra["clip_end_s"])
    assert 0 < end < SECONDS
    assert all(sentence.end_s <= end for sentence in cut.sources[0].transcript.sentences)
    assert all(frame.time_s < end for frame in cut.sources[0].frames)
    shown = json.dumps(asked.messages)
    assert "Here comes the red board" in shown
    assert "everything is in balance" not in shown


@pytest.mark.parametrize("flags", [("--frames", "8"), ("--frames", "6f"), ("--input", "video")])
def test_candidates_see_no_more_than_the_clip(tmp_path: Path, server: FakeServer, flags: tuple[str, str]) -> None:
    video = write_video(tmp_path / "videos")
    run_fake(video, server, tmp_path / "run", "--types", "EP,ED")
    ep = next(item for item in lines(tmp_path / "run") if item["type_id"] == "EP")
    before = len(server.log)
    candidates = tmp_path / "candidates.yaml"
    candidates.write_text(
        f"models: {{one: {{model: hosted_vllm/one, api_base: '{server.base_url}', price: {{input: 0, output: 0}}}}}}"
    )
    evaluate.main(
        ["--items", str(tmp_path / "run"), "--candidates", str(candidates), "--run", str(tmp_path / "scores"),
         "--transcript", "full", *flags, "--quiet", "--skip-preflight"]
    )  # fmt: skip
    assert len(server.log) > before
    with Run.open(tmp_path / "scores") as run:
        calls = run.calls()
    asked = next(call for call in calls if ep["question"] in json.dumps(call.messages))
    other = next(call for call in calls if call is not asked)
    assert asked.outcome == "ok"
    assert "everything is in balance" not in json.dumps(asked.messages)
    assert "everything is in balance" in json.dumps(other.messages)
    shown = [block["sha256"] for block in asked.messages[1]["content"] if "sha256" in block]
    whole = [block["sha256"] for block in other.messages[1]["content"] if "sha256" in block]
    assert shown
    assert set(whole) - set(shown)


def test_resuming_pays_nothing_twice(tmp_path: Path, server: FakeServer) -> None:
    video = write_video(tmp_path / "videos")
    run = tmp_path / "run"
    assert run_fake(video, server, run, "--budget-usd", "0.05") == 1
    first = len(server.log)
    assert run_fake(video, server, run) == 0
    assert len(server.log) > first
    keys = Counter(entry.key for entry in server.log)
    assert max(keys.values()) == 1
    before, asked = (run / "items.jsonl").read_bytes(), len(server.log)
    assert run_fake(video, server, run) == 0
    assert len(server.log) == asked
    assert (run / "items.jsonl").read_bytes() == before
    assert len(before.splitlines()) == 14


def test_a_failed_stage_is_no_answer_and_is_asked_again_on_request(tmp_path: Path, server: FakeServer) -> None:
    faults = (
        Fault(kind="refusal-text", schema="ScienceClassReply"),
        Fault(kind="refusal-text", schema="PresenceReply"),
    )
    server.set_policy(Policy(script=answers, faults=faults))
    video = write_video(tmp_path / "videos")
    run = tmp_path / "run"
    flags = ("--types", "ED,OTL,SS")
    assert run_fake(video, server, run, *flags) == 2
    outcomes = {line["type_id"]: line["rejected_by"] for line in lines(run, "rejected.jsonl")}
    assert outcomes == {"OTL": "failed", "SS": "failed"}
    asked = len(server.log)
    assert run_fake(video, server, run, *flags) == 2
    assert len(server.log) == asked
    server.set_policy(Policy(script=answers))
    assert run_fake(video, server, run, *flags, "--retry-failed") == 0
    assert {item["type_id"] for item in lines(run)} == {"ED", "OTL", "SS"}
    assert not [entry for entry in server.log[asked:] if entry.schema in ("QualityReply", "SegmentReply", "EventReply")]


def test_a_bad_cut_goes_back_and_then_scenes_take_its_place(tmp_path: Path, server: FakeServer) -> None:
    cuts: list[str] = []

    def careless(request: Any) -> Any:
        if request.schema_name == "SegmentReply":
            cuts.append(request.text)
            return {
                "reasoning": "",
                "pieces": [{"topic": "x", "first": 1, "last": 4}, {"topic": "y", "first": 6, "last": 12}],
            }
        return answers(request)

    server.set_policy(Policy(script=careless))
    video = write_video(tmp_path / "videos")
    run_fake(video, server, tmp_path / "run", "--types", "ED")
    assert len(cuts) == 2, "the same cut sent back again would only bring the same reply"
    assert "sentences 5 to 5 are in no paragraph" in cuts[1]
    with Run.open(tmp_path / "run") as run:
        annotation = run.get("annotation", "mobile", VideoAnnotation)
    assert annotation is not None
    assert {segment.origin for segment in annotation.segments} == {"scenes"}
    assert annotation.segments[0].start_s == 0
    assert annotation.segments[-1].end_s >= SECONDS - 1


def test_chinese_words_are_refined_and_a_changed_number_is_not_taken(tmp_path: Path, server: FakeServer) -> None:
    def careless(request: Any) -> Any:
        reply = answers(request)
        if request.schema_name == "RefineReply":
            reply["sentences"][3]["text"] = "它重45克，用桦木做成。"
        return reply

    server.set_policy(Policy(script=careless))
    video = write_video(tmp_path / "videos", chinese=True)
    run_fake(video, server, tmp_path / "run", "--types", "ED")
    with Run.open(tmp_path / "run") as run:
        evidence = run.get("evidence", "mobile", Evidence)
        annotation = run.get("annotation", "mobile", VideoAnnotation)
    assert evidence is not None
    assert annotation is not None
    text = evidence.sources[0].transcript.text
    assert "吊式" in text
    assert "它重40克" in text
    assert "45" not in text
    assert any("吊式" in segment.text for segment in annotation.segments)
    assert sum(entry.schema == "RefineReply" for entry in server.log) == 2


def test_a_silent_video_is_cut_by_scenes(tmp_path: Path, server: FakeServer) -> None:
    video = write_video(tmp_path / "videos", captions=False)
    assert run_fake(video, server, tmp_path / "run", "--types", "ED,OTL", "--lang", "en") == 0
    with Run.open(tmp_path / "run") as run:
        annotation = run.get("annotation", "mobile", VideoAnnotation)
    assert annotation is not None
    assert annotation.quality is not None
    assert annotation.quality.audio == "audio-noisy"
    assert len(annotation.events) == len(annotation.segments) >= 2
    assert {item["type_id"] for item in lines(tmp_path / "run")} == {"ED", "OTL"}
    assert not [entry for entry in server.log if entry.schema == "QualityReply"]


def test_a_draft_that_breaks_rules_goes_back_with_reasons(tmp_path: Path, server: FakeServer) -> None:
    prompts: list[str] = []

    def learning(request: Any) -> Any:
        reply = answers(request)
        if request.schema_name == "RolesDraftReply":
            prompts.append(request.text)
            if len(prompts) == 1:
                reply["question"]["options"]["A"]["role"] = "dual-error"
        return reply

    server.set_policy(Policy(script=learning))
    run_fake(write_video(tmp_path / "videos"), server, tmp_path / "run", "--types", "SP")
    assert len(prompts) == 2
    assert "knowledge-error 0 times" in prompts[1]
    with Run.open(tmp_path / "run") as run:
        (draft,) = run.all("draft", DraftRecord)
    assert draft.question is not None
    assert [len(report.violations) for report in draft.attempts] == [1, 0]
    assert {option.role for option in draft.question.options.values()} == {
        "correct", "comprehension-error", "knowledge-error", "dual-error",
    }  # fmt: skip


def test_videos_side_by_side_and_one_that_cannot_be_used(
    tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "videos"
    write_video(folder, "one")
    write_video(folder, "two", chinese=True)
    (folder / "broken.mp4").write_bytes(b"no video at all")
    assert run_fake(folder, server, tmp_path / "run", "--types", "ES") == 1
    assert "broken.mp4" in capsys.readouterr().err
    assert {(item["group_id"], item["language"]) for item in lines(tmp_path / "run")} == {("one", "en"), ("two", "zh")}


def test_audit_tells_the_whole_life_of_an_item(
    tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    run_fake(write_video(tmp_path / "videos"), server, tmp_path / "run", "--types", "SP")
    (item,) = lines(tmp_path / "run")
    capsys.readouterr()
    assert audit.main(["--run", str(tmp_path / "run"), "--question", item["item_id"], "--json", "--prompts"]) == 0
    life = json.loads(capsys.readouterr().out)
    assert {trace["task"] for trace in life["traces"]} >= {"draft", "blind"}


def test_another_panel_judges_the_same_questions_on_the_same_clips(tmp_path: Path, server: FakeServer) -> None:
    run = tmp_path / "run"
    run_fake(write_video(tmp_path / "videos"), server, run, "--types", "ED,EP,OSL")
    assert judge.main(["--run", str(run), "--panel", "offline", "--quiet"]) in (0, 2)
    with Run.open(run) as opened:
        first = {item.item_id for item in opened.all("item", Item, set_name="fake")}
        again = opened.all("item", Item, set_name="offline")
    assert {item.item_id for item in again} == first
    assert all({d.check: d.outcome for d in item.decisions}["solvability"] == "off" for item in again)


async def test_the_encyclopedia_is_read_in_a_thread_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("usearch")
    monkeypatch.setattr("media.embeddings.SentenceEncoder", lambda *_, **__: WordEncoder())
    build(xml_dump(tmp_path / "wiki.xml"), tmp_path / "wiki", WordEncoder())
    culture = CultureSettings(wikipedia=str(tmp_path / "wiki"), least_score=0.4)
    tools = Tools(VideoSettings(culture=culture))
    found = await asyncio.gather(*(tools.consult(partial(tools.article_on, "Chinese New Year")) for _ in range(4)))
    assert {article.title for article in found if article} == {"Spring Festival"}
    assert await tools.consult(lambda: tools.article_on("steam engine valves")) is None


@pytest.mark.parametrize("section", ["quality: {leest: 4}", "objects: {notice_share: 2}", "weather: {}"])
def test_a_wrong_setting_of_the_track_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], section: str
) -> None:
    text = f"types: [ED]\nmin_sources: 1\noptions: {{{section}}}\n"
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    video = write_video(tmp_path / "videos")
    flags = ["--video", str(video), "--track", str(tmp_path / "mine.yaml"), "--run", str(tmp_path / "run")]
    assert annotate.main(flags) == 1
    assert f"options.{section.split(':')[0]}" in capsys.readouterr().err


def test_a_dry_run_asks_nothing_and_brackets_what_the_run_takes(
    tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]
) -> None:
    video = write_video(tmp_path / "videos")
    assert run_fake(video, server, tmp_path / "run", "--dry-run", "--json") == 0
    total = json.loads(capsys.readouterr().out)["total"]
    assert not server.log
    assert not (tmp_path / "run").exists()
    run_fake(video, server, tmp_path / "run")
    assert total["low"]["calls"] <= len(server.log) <= total["high"]["calls"]
    tokens = sum(entry.prompt_tokens for entry in server.log)
    assert total["low"]["prompt_tokens"] <= tokens <= total["high"]["prompt_tokens"]


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--tasks", "event", "--types", "SP"), "none of SP belongs to event"),
        (("--types", "T7"), "no task head for T7"),
        (("--panel", "nowhere"), "no panel named"),
    ],
)
def test_a_wrong_flag_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: tuple[str, ...], words: str
) -> None:
    video = write_video(tmp_path / "videos")
    assert annotate.main(["--video", str(video), "--run", str(tmp_path / "run"), *flags]) == 1
    assert words in capsys.readouterr().err


def test_an_unknown_role_is_named(tmp_path: Path, server: FakeServer, capsys: pytest.CaptureFixture[str]) -> None:
    video = write_video(tmp_path / "videos")
    assert run_fake(video, server, tmp_path / "run", "--set", "roles.painter=seer") == 1
    assert "no step named painter" in capsys.readouterr().err


def test_a_users_own_type_is_written_and_judged(tmp_path: Path, server: FakeServer) -> None:
    own = (FOLDERS["video"] / "ED.md").read_text(encoding="utf-8").replace("id: ED", "id: EW")
    (tmp_path / "types").mkdir()
    (tmp_path / "types" / "why.md").write_text(own.replace("Event description", "Event reason"), encoding="utf-8")
    video = write_video(tmp_path / "videos")
    flags = ("--taskheads", str(tmp_path / "types"), "--types", "EW")
    assert run_fake(video, server, tmp_path / "run", *flags) == 0
    (item,) = lines(tmp_path / "run")
    assert (item["type_id"], item["extra"]["family"]) == ("EW", "event")


@pytest.mark.slow
def test_killed_at_random_moments_it_ends_as_if_undisturbed(tmp_path: Path) -> None:
    video = write_video(tmp_path / "videos")
    panel = tmp_path / "panel.yaml"
    rng = random.Random(20261130)
    with FakeServer(Policy(script=answers, delay_s=0.03)) as server:
        panel.write_text(PANEL.format(address=server.base_url, more=""), encoding="utf-8")
        begun = time.monotonic()
        assert command(video, panel, tmp_path / "whole").wait() == 0
        seconds, whole = time.monotonic() - begun, {entry.key for entry in server.log}
        after, moments = len(server.log), []
        for _ in range(3):
            killed = command(video, panel, tmp_path / "killed")
            time.sleep(1.0 + rng.uniform(0.3, 1.0) * seconds / 2)
            os.killpg(killed.pid, signal.SIGKILL)
            killed.wait()
            moments.append(time.time())
        assert command(video, panel, tmp_path / "killed").wait() == 0
        log = [*server.log][after:]
    same = ("item_id", "question", "options", "correct_answer", "decisions", "extra", "option_roles")
    first, second = ([{key: line[key] for key in same} for line in lines(tmp_path / n)] for n in ("whole", "killed"))
    assert first == second
    assert len(first) == 11, "fourteen less three cultures: no encyclopedia is named"
    asked = Counter(entry.key for entry in log)
    assert set(asked) == whole
    assert all(was_in_flight(key, log, moments) for key, count in asked.items() if count > 1)


def command(video: Path, panel: Path, run: Path) -> "subprocess.Popen[bytes]":
    words = ["--video", str(video), "--panel", str(panel), "--run", str(run), "--quiet", "--skip-preflight"]
    return subprocess.Popen(
        [sys.executable, "-m", "graphs.annotate", *words, "--track", str(model_boxes(run.parent))],
        cwd=video.parent, env={**os.environ, "PYTHONPATH": str(ROOT)}, start_new_session=True,
        stdout=subprocess.DEVNULL,
    )  # fmt: skip


def model_boxes(folder: Path) -> Path:
    """The packaged track, with boxes by the panel's grounder whatever is installed."""
    text = (ROOT / "configs" / "tracks" / "videovista.yaml").read_text(encoding="utf-8")
    path = folder / "track.yaml"
    path.write_text(text.replace("detector: auto", "detector: model"), encoding="utf-8")
    return path


def test_a_limit_leaves_other_videos_and_families_alone(tmp_path: Path, server: FakeServer) -> None:
    folder = tmp_path / "videos"
    write_video(folder, "one")
    write_video(folder, "two")
    assert run_fake(folder, server, tmp_path / "run", "--limit", "2") == 0
    with Run.open(tmp_path / "run") as run:
        assert [entry.key for entry in run.index("draft")] == ["one/ED/1", "one/EP/1"]
        assert [entry.key for entry in run.index("annotation")] == ["one"]
    assert not [entry for entry in server.log if entry.schema in ("ScienceClassReply", "PresenceReply")]


def test_a_text_without_times_is_cut_by_scenes_and_put_under_no_segment(tmp_path: Path, server: FakeServer) -> None:
    video = write_video(tmp_path / "videos", captions=False)
    video.with_suffix(".txt").write_text("The host shows three boards. Each has a weight.", encoding="utf-8")
    assert run_fake(video, server, tmp_path / "run", "--types", "ED") == 0
    with Run.open(tmp_path / "run") as run:
        annotation = run.get("annotation", "mobile", VideoAnnotation)
    assert annotation is not None
    assert {(segment.origin, segment.text) for segment in annotation.segments} == {("scenes", "")}


def test_a_chinese_story_of_two_steps_declines_what_needs_three(tmp_path: Path, server: FakeServer) -> None:
    def short(request: Any) -> Any:
        reply = answers(request)
        if request.schema_name == "SegmentReply":
            reply["pieces"] = [{"topic": "a", "first": 1, "last": 6}, {"topic": "b", "first": 7, "last": 12}]
        return reply

    server.set_policy(Policy(script=short))
    video = write_video(tmp_path / "videos", chinese=True)
    run_fake(video, server, tmp_path / "run", "--types", "ED,EP,ES")
    reasons = {line["type_id"]: line["reason"] for line in lines(tmp_path / "run", "rejected.jsonl")}
    assert set(reasons) == {"EP", "ES"}
    assert "more than 2 events" in reasons["EP"]


def test_without_a_wikipedia_culture_is_declined_with_the_command_that_helps() -> None:
    with pytest.raises(ConfigurationError, match=r"media\.wikipedia build"):
        _ = Tools(VideoSettings()).wikipedia


@pytest.mark.parametrize(
    ("group", "video", "language"),
    [("lecture-pendulum", "lPendulOpb1.mp4", "en"), ("culture-yunling-tea", "zYunlinShs1.mp4", "zh")],
)
def test_offline_serves_order_and_times_of_what_is_said(tmp_path: Path, group: str, video: str, language: str) -> None:
    path = shared_data() / "news" / group / video
    run = tmp_path / "run"
    flags = ["--video", str(path), "--run", str(run), "--quiet", "--set", "checks.ambiguity.enabled=false"]
    assert annotate.main(flags) == 0
    kept, rejected = lines(run), lines(run, "rejected.jsonl")
    assert {item["type_id"] for item in kept} == {"ES", "EL"}
    declined = {line["type_id"]: line["reason"] for line in rejected if line["rejected_by"] == "declined"}
    assert set(declined) == set(TYPES) - {"ES", "EL"}
    assert all(declined.values())
    with Run.open(run) as opened:
        evidence = opened.get("evidence", path.stem, Evidence)
    assert evidence is not None
    said = evidence.sources[0].transcript.sentences
    for item in kept:
        assert item["language"] == language
        assert item["drafter"] == "offline/extractive"
        right = item["options"][item["correct_answer"]]
        if item["type_id"] == "EL":
            minutes, seconds = map(int, right.split(":")[1:])
            (sentence,) = [each for each in said if each.text.strip(" .。") in item["question"]]
            assert abs(sentence.start_s - (60 * minutes + seconds)) <= 1
        else:
            starts = [next(s.start_s for s in said if step in s.text) for step in right.split(" → ")]
            assert starts == sorted(starts)


def test_help_answers_at_once() -> None:
    best = 9.0
    for _ in range(3):
        begun = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", "graphs.annotate", "--help"], capture_output=True, text=True, check=True
        )
        best = min(best, time.monotonic() - begun)
    assert "--tasks" in done.stdout
    assert best < 0.5
