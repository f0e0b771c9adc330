"""The three files: everything is in exactly one of them, valid by the schema, and equal content gives equal bytes."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from records.base import Record
from records.media import Evidence
from records.questions import DraftRecord
from records.verdicts import Decision, Item
from store.exports import (
    FILES,
    decision_line,
    export_lines,
    natural,
    output_folder,
    removing_check,
    write_exports,
    write_lines,
)
from store.lines import RejectedLine
from store.run import Run
from store.schema import schema
from tests.store.building import SET, Judged, build_run, manifest, question, unit_decision


def lines(folder: Path, status: str) -> list[dict[str, Any]]:
    text = (folder / FILES[status]).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_every_slot_is_in_one_file(tmp_path: Path) -> None:
    with build_run(tmp_path / "run") as run:
        counts = write_exports(run, SET)
        drafts = len(run.all("draft", DraftRecord))
    assert (counts.kept, counts.rejected, counts.undecided) == (2, 7, 1)
    assert counts.kept + counts.rejected + counts.undecided == drafts
    reasons = {line["rejected_by"]: line for line in lines(tmp_path / "run", "rejected")}
    assert set(reasons) == {"rules", "duplicate", "declined", "failed", "solvability", "ambiguity", "difficulty"}
    assert reasons["rules"]["violations"][0]["rule_id"] == "names-tags"
    assert reasons["rules"]["reason"] == "The former is not allowed."
    assert reasons["rules"]["attempt"] == 3
    assert reasons["declined"]["reason"] == "The reports share no common summary."
    assert reasons["declined"]["cost_usd"] == pytest.approx(0.02)
    assert reasons["solvability"]["reason"] == "TAG_A: 2.0 against 2 from 3 of 3 seats"
    assert reasons["solvability"]["slot"] == "calder/T2/3"


def test_a_kept_line_has_the_papers_fields_ours_and_those_of_harnesses(tmp_path: Path) -> None:
    with build_run(tmp_path / "run") as run:
        write_exports(run, SET)
    line = lines(tmp_path / "run", "kept")[0]
    assert (line["layer"], line["type_id"], line["correct_answer"]) == ("hard", "T2", "C")
    assert list(line["options"]) == ["A", "B", "C", "D"]
    assert line["support_map"] == {"C": ["TAG_A", "TAG_B"]}
    assert line["evidence_frames"] == ["TAG_B #2"]
    assert line["sources"] == {"TAG_A": "calderOrb1", "TAG_B": "calderTid2", "TAG_C": "calderPal4"}
    assert (line["question_id"], line["answer"], line["answer_index"]) == (line["item_id"], "C", 2)
    assert (line["category"], line["src"], line["domain"]) == ("T2", "news/calder", "World")
    ambiguity = next(made for made in line["decisions"] if made["check"] == "ambiguity")
    assert (ambiguity["statistic"], ambiguity["threshold"], ambiguity["outcome"]) == (0.4, 0.6, "passed")
    assert [unit["unit"] for unit in ambiguity["units"]] == ["A", "B", "D"]


def test_a_judged_line_names_the_models_of_the_panel(tmp_path: Path) -> None:
    with build_run(tmp_path / "run") as run:
        panel = run.panel(SET)
        assert panel is not None
        seats = [panel.model(seat.model).model for seat in (*panel.judges, *panel.reserves)]
        judged = [line for line in export_lines(run, SET) if line.judgement_set]
        others = [line for line in export_lines(run, SET) if not line.judgement_set]
    assert judged
    assert all(list(line.judges) == list(dict.fromkeys(seats)) for line in judged)
    assert all(line.judges == () for line in others)


def test_an_undecided_line_says_what_lacks(tmp_path: Path) -> None:
    with build_run(tmp_path / "run") as run:
        write_exports(run, SET)
    (line,) = lines(tmp_path / "run", "undecided")
    assert line["reason"] == "TAG_B: None against 2 from 1 of 3 seats"
    assert line["decisions"][0]["units"][1]["statistic"] is None


def test_every_line_is_valid_by_the_schema_and_a_spoilt_one_is_not(tmp_path: Path) -> None:
    with build_run(tmp_path / "run") as run:
        write_exports(run, SET)
    validator = Draft202012Validator(schema())
    Draft202012Validator.check_schema(schema())
    for status in FILES:
        for line in lines(tmp_path / "run", status):
            validator.validate(line)
            for spoilt in ({**line, "surprise": 1}, {**line, "status": "maybe"}, {**line, "options": None}):
                assert not validator.is_valid(spoilt)


def test_equal_content_gives_equal_bytes_whatever_the_order_of_writing(tmp_path: Path) -> None:
    with build_run(tmp_path / "one", groups=("calder", "wren")) as run, Run.create(tmp_path / "two", manifest()) as two:
        write_exports(run, SET)
        for kind, shape in (("item", Item), ("draft", DraftRecord)):
            for entry in reversed(run.index(kind)):
                record = run.get(kind, entry.key, shape, set_name=entry.set_name)
                assert record is not None
                two.put(kind, entry.key, record, group_id=entry.group_id, set_name=entry.set_name)
        for record in run.calls():
            two.finished(record)
        for evidence in reversed(run.all("evidence", Evidence)):
            two.put("evidence", evidence.group_id, evidence, group_id=evidence.group_id)
        write_exports(two, SET)
    for name in FILES.values():
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    groups = [line["group_id"] for line in lines(tmp_path / "one", "kept")]
    assert groups == ["calder", "calder", "wren", "wren"]


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text("before\n", encoding="utf-8")

    def broken() -> Iterator[Record]:
        yield manifest()
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_lines(path, broken())
    assert path.read_text(encoding="utf-8") == "before\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["items.jsonl"]


def test_an_item_that_nothing_removed_is_a_fault_and_not_a_guess() -> None:
    kept = Judged(question("When (TAG_A vs TAG_B)?")).solvability().item()
    with pytest.raises(ValueError, match="no check removed it"):
        removing_check(kept)


def test_another_judgement_set_never_overwrites_the_first(tmp_path: Path) -> None:
    with build_run(tmp_path / "run") as run:
        write_exports(run, SET)
        before = {name: (run.folder / name).read_bytes() for name in FILES.values()}
        asked = question("When did the ship strike and how many were aboard (TAG_A vs TAG_B)?")
        other = Judged(asked).solvability(2).item(set_name="a/../panel")
        run.put("item", other.item_id, other, group_id="calder", set_name="a/../panel")
        write_exports(run, "a/../panel")
        folder = output_folder(run, "a/../panel")
    assert {name: (tmp_path / "run" / name).read_bytes() for name in FILES.values()} == before
    assert folder.parent == tmp_path / "run" / "sets"
    assert re.fullmatch(r"a-panel-[0-9a-f]{6}", folder.name), "a name of safe characters, and another for each set"
    assert "solvability" in {line["rejected_by"] for line in lines(folder, "rejected")}


def test_types_sort_by_number() -> None:
    assert sorted(["T10", "T2", "T1", "a/T2/10", "a/T2/9"], key=natural) == ["T1", "T2", "T10", "a/T2/9", "a/T2/10"]


def test_a_decision_line_gives_the_unit_nearest_to_removal_and_its_arithmetic() -> None:
    units = tuple(
        unit_decision(f"TAG_{n}", "passed", float(value), 2) for n, value in zip("ABC", (0, 1, 0), strict=True)
    )
    passed = decision_line(Decision(check="solvability", outcome="passed", units=units, explanation="nothing proven"))
    assert (passed.statistic, passed.threshold, passed.explanation) == (1.0, 2.0, "nothing proven")
    more = (*units, unit_decision("TAG_D", "removed", 3.0, 2))
    removed = decision_line(Decision(check="solvability", outcome="removed", units=more, explanation="by TAG_D"))
    assert (removed.statistic, removed.explanation) == (3.0, "TAG_D: 3.0 against 2 from 3 of 3 seats")
    assert decision_line(Decision(check="blind", outcome="off")).statistic is None


def test_a_slot_without_a_question_says_where_it_belongs(tmp_path: Path) -> None:
    with build_run(tmp_path / "run") as run:
        lines = [line for line in export_lines(run, SET) if isinstance(line, RejectedLine) and not line.item_id]
    assert {line.rejected_by for line in lines} == {"declined", "failed"}
    for line in lines:
        assert (line.track, line.language, line.src) == ("news", "en", "news/calder")
