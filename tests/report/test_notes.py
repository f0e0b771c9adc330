"""Notes on groups: what reading and preparing found reaches the user, once, and a settled problem is told no more."""

from pathlib import Path

from records.media import Evidence, Frame, FrameSignals, Group, LeftOut, Source, SourceEvidence, Transcript
from report.notes import NO_CAPTIONER, Note, run_notes
from report.page import report_html
from store.run import Run
from tests.store.building import SET, manifest

WORDS = Transcript(language="en", origin="captions", text="The ship struck.")
SIGNALS = FrameSignals(text_density=0.1, sharpness=0.2, novelty=0.3)
FRAME = Frame(
    sha256="a" * 64, video_id="Orb1", number=1, time_s=1.0, width=540, height=304, rank=1, signals=SIGNALS
)  # fmt: skip
GROUP = Group(
    group_id="calder", folder="videos/calder", topic="t", domain="World", language="en",
    sources=(Source(video_id="Orb1", transcript=WORDS, notes=("Orb1.mp4: has no audio.",)),),
    left_out=(LeftOut(video_id="Tid2", file="videos/calder/Tid2.mp4", reason="is cut off", action="Fetch it again."),),
    warnings=("group.json: domain 'Wrld' is none of the track's domains.",),
)  # fmt: skip


def evidence(source: SourceEvidence) -> Evidence:
    return Evidence(evidence_id="e", group_id="calder", topic="t", domain="World", language="en", sources=(source,))


def test_what_was_found_in_a_group_is_told_with_its_files(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", manifest()) as run:
        run.put("group", "calder", GROUP, group_id="calder")
        lines = [note.line() for note in run_notes(run)]
        assert lines == [
            "calder: Tid2.mp4 (Tid2) is left out: is cut off. Fetch it again.",
            "calder: group.json: domain 'Wrld' is none of the track's domains.",
            "calder: Orb1.mp4: has no audio.",
        ]
        page = "".join(report_html(run, SET))
        assert "Tid2.mp4 (Tid2) is left out: is cut off." in page
        assert "3 notes on the groups and their files" in page


def test_frames_that_no_captioner_ranked_and_doubtful_summaries_are_told(tmp_path: Path) -> None:
    flags = ("cut", "unknown-number: 12")
    source = SourceEvidence(
        tag="TAG_A", video_id="Orb1", transcript=WORDS, summary="…", summary_flags=flags, frames=(FRAME,)
    )
    with Run.create(tmp_path / "run", manifest()) as run:
        run.put("evidence", "calder", evidence(source.model_copy(update={"ranking": "signals"})), group_id="calder")
        assert [note.line() for note in run_notes(run)] == [
            NO_CAPTIONER,
            "calder: Orb1: its summary was too long twice and is cut at a sentence",
            "calder: Orb1: its summary has an unknown number: 12 (not in the transcript)",
        ]
        ranked = source.model_copy(update={"ranking": "captioner", "summary_flags": ()})
        run.put("evidence", "calder", evidence(ranked), group_id="calder")
        assert run_notes(run) == ()


def test_a_note_is_told_once_and_a_settled_problem_not_at_all(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", manifest()) as run:
        for key in ("one", "two"):
            run.put("note", key, Note(group_id="calder", text="frames not captioned"), group_id="calder")
        run.put("note", "problem", Note(group_id="calder", text="too few sources"), group_id="calder")
        assert [note.text for note in run_notes(run)] == ["frames not captioned", "too few sources"]
        run.put("note", "problem", Note(group_id="calder", text=""), group_id="calder")
        assert [note.text for note in run_notes(run)] == ["frames not captioned"]
