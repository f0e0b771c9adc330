"""The same work as a spreadsheet and as Label Studio tasks: round trips, and bad cells told by row and column."""

import json
from pathlib import Path
from xml.etree import ElementTree

import openpyxl
import pytest

from records.errors import InputError
from review.assigning import AssignmentSettings
from review.desk import Desk
from review.labelstudio import interface, read_export, tasks, write_tasks
from review.rows import Imported, apply, columns, keys, letters_of, parse, rows
from review.sheet import main
from review.tablefiles import read_table, shielded, unshielded, write_csv, write_xlsx
from tests.review.conftest import ANN, BOB, MEI

FORMS = ("csv", "xlsx")


@pytest.fixture
def planned(desk: Desk) -> Desk:
    desk.plan((ANN, BOB, MEI), AssignmentSettings(share=1.0))
    return desk


def write(desk: Desk, path: Path, table: list[dict[str, str]]) -> Path:
    head = columns(desk.sheet, letters_of(desk))
    if path.suffix == ".csv":
        write_csv(path, head, table, keys(desk, table))
    else:
        write_xlsx(path, head, table, keys(desk, table), desk.sheet, "en")
    return path


def score_rows(desk: Desk, table: list[dict[str, str]]) -> None:
    for number, row in enumerate(table):
        for dimension in desk.sheet.dimensions:
            row[dimension.id] = dimension.values[number % 3]
        row["comment"] = "=1+1; 注意\nsecond line" if number == 0 else ""


@pytest.mark.parametrize("form", FORMS)
def test_filled_in_scores_come_back(planned: Desk, tmp_path: Path, form: str) -> None:
    table = rows(planned)
    assert len(table) == 27
    score_rows(planned, table)
    path = write(planned, tmp_path / f"work.{form}", table)
    done = apply(planned, parse(planned, read_table(path)))
    assert done == Imported(rows=27, scores=81, comments=1, edits=0)
    assert [row["comment"] for row in rows(planned) if row["comment"]] == ["=1+1; 注意\nsecond line"]
    again = write(planned, tmp_path / f"again.{form}", rows(planned))
    assert read_table(again) == read_table(path)
    assert apply(planned, parse(planned, read_table(again))) == Imported(rows=27, scores=0, comments=0, edits=0)


@pytest.mark.parametrize("form", FORMS)
def test_an_empty_table_changes_nothing(planned: Desk, tmp_path: Path, form: str) -> None:
    path = write(planned, tmp_path / f"work.{form}", rows(planned))
    assert parse(planned, read_table(path)) == ()


def test_the_key_is_in_no_row(planned: Desk, tmp_path: Path) -> None:
    table = rows(planned, "ann")
    assert {row["reviewer"] for row in table} == {"ann"}
    assert not any("key" in name and not name.startswith("edit_") for name in table[0])
    assert {row["key"] for row in keys(planned, table)} <= set("ABCD")
    book = openpyxl.load_workbook(write(planned, tmp_path / "work.xlsx", table))
    assert book["keys"].sheet_state == "hidden"
    assert book["reviews"].data_validations.count == 3
    assert book["criteria"].max_row == 10


def test_a_named_reviewer_without_items_is_told(planned: Desk) -> None:
    with pytest.raises(InputError, match="zoe has no items in this run. There are: ann, bob, mei"):
        rows(planned, "zoe")


def test_bad_cells_are_told_by_row_and_column_and_nothing_is_taken(planned: Desk, tmp_path: Path) -> None:
    table = rows(planned, "ann")
    score_rows(planned, table)
    table[0]["naturalness"] = "okay"
    table[1]["item_id"] = "q-nothing"
    table[2]["revision"] = "4"
    table[3]["reviewer"] = "zoe"
    table[4]["edit_key"] = "X"
    path = tmp_path / "bad.csv"
    write_csv(path, columns(planned.sheet, letters_of(planned)), table, [])
    with pytest.raises(InputError) as caught:
        parse(planned, read_table(path))
    for line in (
        "row 2, column naturalness: 'okay' is not one of fail, uncertainty, pass",
        "row 3, column item_id: the run has no item 'q-nothing'",
        "row 4, column revision: '4' is no revision of this item (0 to 0)",
        "row 5, column reviewer: the item is not assigned to 'zoe'",
        "row 6, column edit_key: key: 'X' is not one of A, B, C, D.",
    ):
        assert line in str(caught.value)
    assert planned.journal.scores() == ()


def test_a_correction_in_the_table_is_a_new_revision(planned: Desk, tmp_path: Path) -> None:
    table = rows(planned, "ann")[:1]
    score_rows(planned, table)
    table[0]["edit_question"] = "What does the former say of TAG_A?"
    table[0]["edit_reason"] = "stiff"
    path = write(planned, tmp_path / "work.csv", table)
    done = apply(planned, parse(planned, read_table(path)))
    assert done.edits == 1
    assert any("no-deictics" in line for line in done.broken_rules)
    (edit,) = planned.journal.edits()
    assert (edit.author, edit.question.stem, edit.reason) == ("ann", table[0]["edit_question"], "stiff")
    again = apply(planned, parse(planned, read_table(path)))
    assert (again.scores, again.edits) == (0, 0)  # importing twice changes nothing
    table[0]["edit_question"] = "Something else about TAG_A?"
    with pytest.raises(InputError, match="row 2, column revision: revision 1 exists; correct that one"):
        parse(planned, read_table(write(planned, path, table)))


def test_rows_that_contradict_each_other_are_told_and_nothing_is_taken(planned: Desk) -> None:
    one, other = rows(planned, "ann")[0], rows(planned, "bob")[0]
    score_rows(planned, [one])
    score_rows(planned, [other])
    with pytest.raises(InputError, match="row 5, column item_id: ann's work on this item stands in row 2 already"):
        parse(planned, [(2, one), (5, {**one, "correctness": "pass"})])
    one["edit_question"] = other["edit_question"] = "Which figures do TAG_A and TAG_B give?"
    with pytest.raises(InputError, match="row 3, column edit_question: row 2 corrects this item already"):
        parse(planned, [(2, one), (3, other)])
    assert planned.journal.scores() == ()


@pytest.mark.parametrize("revision", ["²", "٣", "0.0", "-1", "x"])
def test_what_only_looks_like_a_number_is_no_revision(planned: Desk, revision: str) -> None:
    table = rows(planned, "ann")[:1]
    score_rows(planned, table)
    with pytest.raises(InputError, match="row 2, column revision"):
        parse(planned, [(2, {**table[0], "revision": revision})])


def test_a_correction_without_scores_is_refused(planned: Desk) -> None:
    table = rows(planned, "ann")[:1]
    table[0]["edit_A"] = "TAG_A is silent."
    with pytest.raises(InputError, match="row 2, column edit_question: give all scores"):
        parse(planned, [(2, table[0])])


def test_numbers_that_a_spreadsheet_changed_are_read(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["item_id", "revision", "reviewer", "correctness"])
    book.active.append(["q1", 0, "ann", 1.0])
    book.save(tmp_path / "own.xlsx")
    assert read_table(tmp_path / "own.xlsx") == [
        (2, {"item_id": "q1", "revision": "0", "reviewer": "ann", "correctness": "1"})
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_other_delimiters_are_read(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "own.csv"
    lines = (["item_id", "revision", "reviewer"], ["q1", "0", "ann"])
    path.write_text("\n".join(delimiter.join(line) for line in lines), encoding="utf-8")
    assert read_table(path) == [(2, {"item_id": "q1", "revision": "0", "reviewer": "ann"})]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b"item_id,reviewer\nq,a\n", "row 1 has no column revision"),
        ("a.csv", b"item_id,revision,reviewer,x,x\n", "has the column x twice"),
        ("a.csv", b"\xff\xfe\x00", "cannot be read"),
        ("a.xlsx", b"no workbook", "is no XLSX file"),
    ],
)
def test_unreadable_files_are_told(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_table(path)


@pytest.mark.parametrize("text", ["=cmd()", "+1", "-1", "@x", "plain", "'quoted", "'=x", ""])
def test_no_cell_is_a_formula_and_none_is_changed(text: str) -> None:
    assert not shielded(text).startswith(("=", "+", "-", "@"))
    assert unshielded(shielded(text)) == text or text == "'=x"


def annotated(made: list[dict[str, object]], level: str) -> list[dict[str, object]]:
    """What Label Studio exports after somebody has gone through the tasks."""
    done = []
    for number, task in enumerate(made, start=1):
        result = [
            {"from_name": name, "to_name": "question", "type": "choices", "value": {"choices": [level]}, "id": "x"}
            for name in ("correctness", "naturalness", "task_compliance")
        ]
        skipped = {"id": 1, "was_cancelled": True, "result": [], "completed_by": 1}
        done.append(
            {"id": number, **task, "annotations": [skipped, {"result": result, "completed_by": {"email": "a@b"}}]}
        )
    return done


def test_label_studio_tasks_come_back(planned: Desk, tmp_path: Path) -> None:
    path, config = write_tasks(tmp_path / "tasks.json", rows(planned, "ann"), planned.sheet, "zh")
    made = json.loads(path.read_text())
    assert len(made) == 9
    assert "annotations" not in made[0]
    path.write_text(json.dumps(annotated(made, "pass")))
    done = apply(planned, parse(planned, read_export(path)))
    assert (done.rows, done.scores) == (9, 27)
    assert tasks(rows(planned, "ann"), planned.sheet)[0]["annotations"][0]["result"][0]["value"] == {
        "choices": ["pass"]
    }
    names = [one.get("name") for one in ElementTree.parse(config).iter("Choices")]
    assert names == ["correctness", "naturalness", "task_compliance"]


def test_an_annotator_is_named_by_mail(planned: Desk, tmp_path: Path) -> None:
    made = tasks(rows(planned, "ann")[:1], planned.sheet)
    made[0]["data"]["reviewer"] = ""
    path = tmp_path / "e.json"
    path.write_text(json.dumps(annotated(made, "fail")))
    assert [row["reviewer"] for _, row in read_export(path, {"a@b": "bob"})] == ["bob"]


def test_markup_in_a_task_is_escaped(planned: Desk) -> None:
    (made, *_) = tasks(rows(planned, "ann"), planned.sheet)
    assert "<img" not in made["data"]["sources_html"]
    assert "&lt;img" in made["data"]["sources_html"]
    assert 'href="https://video.example.org/watch?v=calder-a"' in made["data"]["sources_html"]


def result(name: str, *texts: str, kind: str = "choices") -> dict[str, object]:
    return {"from_name": name, "type": kind, "value": {"choices" if kind == "choices" else "text": list(texts)}}


@pytest.mark.parametrize(
    "task",
    [
        1,
        {"data": None},
        *({"data": {}, "annotations": found} for found in ("x", [None], [{"x": 1}], [{"result": [None]}])),
        {"data": {}, "annotations": [{"result": [result("item_id", "q-other")]}]},
        {"data": {}, "annotations": [{"result": [result("correctness", "pass", "fail")]}]},
    ],
)
def test_a_wrong_export_is_told(tmp_path: Path, task: object) -> None:
    path = tmp_path / "e.json"
    for text in ("{", "{}", json.dumps([task])):
        path.write_text(text)
        with pytest.raises(InputError, match=r"e\.json"):
            read_export(path)


def test_of_several_annotations_the_last_change_counts(tmp_path: Path) -> None:
    path = tmp_path / "e.json"
    made = [
        {"updated_at": "2026-02-02", "result": [result("correctness", "pass"), result("naturalness")]},
        {"updated_at": "2026-01-01", "result": [result("correctness", "fail")]},
        {"updated_at": "2026-02-01", "result": [result("comment", "one", "two", kind="textarea")], "completed_by": 7},
    ]
    data = {"item_id": "q", "revision": 0}
    path.write_text(json.dumps([{"data": {**data, "reviewer": "ann"}, "annotations": made}]))
    (row,) = [row for _, row in read_export(path)]
    assert (row["correctness"], "naturalness" in row) == ("pass", False)
    path.write_text(json.dumps([{"data": data, "annotations": made}]))
    assert {row["reviewer"]: row.get("comment") for _, row in read_export(path)} == {"": None, "7": "one\ntwo"}


def test_the_interface_escapes_what_a_team_writes(planned: Desk) -> None:
    dimension = planned.sheet.dimensions[0].model_copy(update={"name": {"en": 'a "b" <c> & d'}})
    sheet = planned.sheet.model_copy(update={"dimensions": (dimension,)})
    assert 'a "b" <c> & d' in [one.get("value", "")[:13] for one in ElementTree.fromstring(interface(sheet, "en"))]


def test_the_command_exports_and_imports(run_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "work.csv"
    assert main(["--run", str(run_folder), "--export", str(path)]) == 0
    out = capsys.readouterr().out
    assert "9 rows" in out
    assert "Nobody is assigned yet" in out
    text = path.read_text(encoding="utf-8-sig").splitlines()
    assert main(["--run", str(run_folder), "--import", str(path), "--anyone"]) == 0
    assert "0 rows: 0 scores" in capsys.readouterr().out
    head = text[0].split(",")
    filled = [line.split(",") for line in text[1:] if line.startswith("q-")]
    for cells in filled:
        cells[head.index("reviewer")] = "ann"
    keep = [[*head[:3], "correctness"], *([*cells[:3], "pass"] for cells in filled)]
    path.write_text("\n".join(",".join(line) for line in keep), encoding="utf-8")
    assert main(["--run", str(run_folder), "--import", str(path)]) == 1
    assert "not assigned to 'ann'" in capsys.readouterr().err
    assert main(["--run", str(run_folder), "--import", str(path), "--anyone"]) == 0
    assert "9 rows: 9 scores" in capsys.readouterr().out
    assert main(["--run", str(run_folder), "--export", str(tmp_path / "x.pdf")]) == 1
    for name in ("x.csv", "x.xlsx", "x.json"):
        assert main(["--run", str(run_folder), "--export", str(tmp_path / "none" / name)]) == 1
        assert "cannot be written (No such file or directory)" in capsys.readouterr().err
