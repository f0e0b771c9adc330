"""Questions that people wrote: every form of file, every fault with its line, and the move into a group's tags."""

import json
from pathlib import Path
from typing import Any

import pytest

from agents.drafter import read_draft
from agents.imported import adopt, read_drafts
from prompts.taskheads import load_taskheads
from records.errors import InputError
from records.questions import Question
from rules import RuleContext, check
from tests.agents.samples import MODEL, draft, evidence
from tests.conftest import shared_data

ROW: dict[str, Any] = {
    "layer": "hard",
    "type_id": "T2",
    "group": "ferry",
    "item_id": "ferry-1",
    "question": "How do the hours compare (TAG_A vs TAG_B)?",
    "options": {letter: f"TAG_A says {n}, while TAG_B says {n + 1}." for n, letter in enumerate("ABCD", start=5)},
    "correct_answer": "B",
    "evidence": "TAG_A: six [FRAME: TAG_A #2]; option A has TAG_B's hour wrong.",
    "support_map": {"B": ["TAG_A", "TAG_B"]},
    "evidence_frames": ["TAG_A #2"],
    "sources": {"TAG_A": "v2", "TAG_B": "v1"},
}


def row(**changes: Any) -> dict[str, Any]:
    return {key: value for key, value in {**ROW, **changes}.items() if value is not ...}


def write(path: Path, *rows: Any, form: str = "lines") -> Path:
    texts = {
        "lines": "\n".join(json.dumps(each) for each in rows),
        "array": json.dumps(list(rows), indent=1),
        "items": json.dumps({"items": list(rows), "version": 1}),
        "one": json.dumps(rows[0], indent=2) if rows else "",
    }
    path.write_text(texts[form], encoding="utf-8")
    return path


@pytest.mark.parametrize("form", ["lines", "array", "items", "one"])
def test_every_form_of_file_is_read(tmp_path: Path, form: str) -> None:
    (question,) = read_drafts(write(tmp_path / "drafts.json", row(), form=form))
    assert (question.group_id, question.type_id, question.key, question.language) == ("ferry", "T2", "B", "en")
    assert question.options["B"].text == "TAG_A says 6, while TAG_B says 7."
    assert question.provenance.drafter == "people"
    assert question.provenance.external_id == "ferry-1"


@pytest.mark.parametrize(
    "changes",
    [
        {"options": list(ROW["options"].values())},
        {"options": {letter: {"text": text} for letter, text in ROW["options"].items()}},
        {"correct_answer": "(b)"},
        {"correct_answer": ..., "answer": "B"},
        {"question": ..., "stem": ROW["question"]},
        {"group": ..., "group_id": "ferry"},
        {"sources": ["v2", "v1"]},
        {"item_id": ..., "id": "ferry-1", "note": "unknown keys are ignored"},
        {"layer": None},
    ],
)
def test_other_spellings_give_the_same_question(tmp_path: Path, changes: dict[str, Any]) -> None:
    plain = read_drafts(write(tmp_path / "a.jsonl", row()))
    assert read_drafts(write(tmp_path / "b.jsonl", row(**changes))) == plain


def test_structured_options_keep_their_claims(tmp_path: Path) -> None:
    claims = [{"text": "TAG_A says six", "modality": "spoken"}, {"text": "TAG_B shows seven", "tags": ["TAG_B"]}]
    options = {letter: {"claims": claims} for letter in "ABCD"}
    (question,) = read_drafts(write(tmp_path / "a.jsonl", row(options=options, joiner="but")))
    assert question.options["A"].text == "TAG_A says six, but TAG_B shows seven."
    assert [(claim.tags, claim.modality) for claim in question.options["A"].claims] == [
        (("TAG_A",), "spoken"),
        (("TAG_B",), "both"),
    ]


def test_an_exported_item_is_read_back_with_its_structure(tmp_path: Path) -> None:
    question = read_draft(draft(), load_taskheads()["T2"], evidence(), MODEL, seed=3)
    assert isinstance(question, Question)
    claims = {letter: [claim.model_dump(mode="json") for claim in o.claims] for letter, o in question.options.items()}
    line = {
        "item_id": question.question_id, "question_id": question.question_id, "group_id": "ferry", "type_id": "T2",
        "question": question.stem, "options": {letter: o.text for letter, o in question.options.items()},
        "correct_answer": question.key, "answer": question.key, "answer_index": 0, "evidence": question.evidence,
        "support_map": question.support_map, "evidence_frames": question.evidence_frames, "sources": question.sources,
        "option_claims": claims, "drafter": "test/writer", "decisions": [], "cost_usd": 0.1, "status": "kept",
        "language": "en", "track": "news", "layer": "hard", "extra": {"span": "a day"},
    }  # fmt: skip
    (read,) = read_drafts(write(tmp_path / "items.jsonl", line))
    again = adopt(read, evidence())
    kept = {"provenance": question.provenance, "extra": {}}
    assert again.extra == {"span": "a day"}
    assert again.model_copy(update=kept) == question


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ({"question": ...}, "line 3: question: is missing"),
        ({"type_id": ...}, "line 3: type_id: is missing"),
        ({"options": ...}, "line 3: options: is missing"),
        ({"options": {"A": "x"}}, "line 3: options"),
        ({"options": {"A": "x", "B": 3}}, "line 3: options.B"),
        ({"options": {"A": "x", "B": ""}}, "line 3: an option has no text"),
        ({"options": {"A": "x", "B": {"claims": [{"text": "y"}]}}}, "line 3: an option has no text"),
        ({"correct_answer": "E"}, "line 3: correct_answer is 'E'"),
        ({"correct_answer": 2}, "line 3: correct_answer"),
        ({"support_map": ["TAG_A"]}, "line 3: support_map"),
        ({"group": ...}, "line 3: no group"),
        ({"item_id": "ferry-1"}, "line 3: the id ferry-1 was used before"),
    ],
)
def test_faults_name_file_line_and_field(tmp_path: Path, second: dict[str, Any], words: str) -> None:
    path = tmp_path / "drafts.jsonl"
    fault = {**row(item_id="ferry-2"), **second}
    lines = [row(), {key: value for key, value in fault.items() if value is not ...}]
    path.write_text("\n\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    with pytest.raises(InputError, match=r"drafts\.jsonl") as error:
        read_drafts(path)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no question in this file"),
        ("[]", "no question"),
        ("{\n", "line 1: not JSON"),
        ("3\n4", "line 1: a question is"),
        ('["x"]', "question 1: a question is"),
    ],
)
def test_files_that_hold_no_questions(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "drafts.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=words):
        read_drafts(path)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_drafts(tmp_path / "missing.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b"\xe9")
    with pytest.raises(InputError, match="cannot be read"):
        read_drafts(tmp_path / "latin.jsonl")


def one(tmp_path: Path, **changes: Any) -> Question:
    (question,) = read_drafts(write(tmp_path / "drafts.jsonl", row(**changes)), default_group="ferry")
    return question


def test_tags_follow_the_videos(tmp_path: Path) -> None:
    adopted = adopt(one(tmp_path), evidence())
    assert adopted.stem == "How do the hours compare (TAG_B vs TAG_A)?"
    assert adopted.options["B"].text == "TAG_B says 6, while TAG_A says 7."
    assert adopted.support_map == {"B": ("TAG_B", "TAG_A")}
    assert adopted.evidence == "TAG_B: six [FRAME: TAG_B #2]; option A has TAG_A's hour wrong."
    assert adopted.evidence_frames == ("TAG_B #2",)
    assert adopted.sources == {"TAG_A": "v1", "TAG_B": "v2", "TAG_C": "v3"}
    assert (adopted.key, adopted.group_id) == ("B", "ferry")
    assert adopt(adopted, evidence()) == adopted


def test_video_ids_that_are_written_out_become_tags(tmp_path: Path) -> None:
    named = one(
        tmp_path,
        question="How do the hours compare (v2 vs v1)?",
        options={letter: f"v2 says {n}, while v1 says v12." for n, letter in enumerate("ABCD")},
        evidence="v2: six.",
        support_map={"B": ["v2", "v1"]},
        evidence_frames=[],
        sources=...,
    )
    adopted = adopt(named, evidence())
    assert adopted.stem == "How do the hours compare (TAG_B vs TAG_A)?"
    assert adopted.options["A"].text == "TAG_B says 0, while TAG_A says v12."
    assert adopted.support_map == {"B": ("TAG_B", "TAG_A")}


def test_bare_tags_stand_for_the_groups_order(tmp_path: Path) -> None:
    bare = one(tmp_path, sources=...)
    assert adopt(bare, evidence(), order=("v2", "v1", "v3")).stem == "How do the hours compare (TAG_B vs TAG_A)?"
    with pytest.raises(InputError, match=r"TAG_A, TAG_B is no usable source.*`sources`"):
        adopt(bare, evidence())


def test_a_video_that_the_group_lacks_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ferry-1: TAG_B \(gone\) is no usable source"):
        adopt(one(tmp_path, sources={"TAG_A": "v2", "TAG_B": "gone"}), evidence())
    unused = {"TAG_A": "v2", "TAG_B": "v1", "TAG_C": "gone"}
    assert adopt(one(tmp_path, sources=unused), evidence()).key == "B"


def test_frames_are_found_again_by_their_times(tmp_path: Path) -> None:
    timed = one(
        tmp_path,
        evidence="[FRAME: TAG_A #9] and [FRAME: TAG_B #7]",
        evidence_frames=["TAG_A #9", "TAG_B #7"],
        frame_times={"TAG_A #9": 14.0, "TAG_B #7": 1.0},
    )
    adopted = adopt(timed, evidence())
    assert adopted.evidence == "[FRAME: TAG_B #3] and [FRAME: TAG_A #1]"
    assert adopted.evidence_frames == ("TAG_B #3", "TAG_A #1")
    assert "frame_times" not in adopted.extra


def test_a_seed_arranges_the_options_and_a_pinned_question_stays(tmp_path: Path) -> None:
    keys = {adopt(one(tmp_path), evidence(), seed=seed).key for seed in range(30)}
    assert keys == set("ABCD")
    assert adopt(one(tmp_path), evidence(), seed=4) == adopt(adopt(one(tmp_path), evidence()), evidence(), seed=4)
    fixed = one(tmp_path, options={**ROW["options"], "D": "Both of the above."})
    adopted = adopt(fixed, evidence(), seed=4)
    assert (adopted.pinned, adopted.key) == (True, "B")


def test_the_labelled_items_are_read_and_judged_by_the_rules() -> None:
    questions = read_drafts(shared_data("labelled_items.jsonl"))
    assert len(questions) == 72
    assert {question.language for question in questions} == {"en", "zh"}
    broken = [q.provenance.external_id for q in questions if check(q, RuleContext()).violations]
    assert broken == ["world-12", "business-10", "science-04", "culture-08", "lecture-01", "lecture-06"]
