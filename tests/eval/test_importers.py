import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from eval.export.base import About
from eval.export.own import JSONL
from eval.importers import load_items
from eval.mapping import Columns, read_mapping
from records.errors import ConfigurationError, InputError
from tests.conftest import shared_data
from tests.eval import samples

OPTIONS = ["red", "blue", "green", "white"]
KEYS = "ABCD"


def rows(**changes: Any) -> list[dict[str, Any]]:
    """Four questions whose keys are A, B, C, D; a change is a constant or a function of the row's number."""
    base: dict[str, Any] = {
        "question_id": lambda n: f"q{n}", "question": lambda n: f"Which colour is thing {n}?", "options": OPTIONS,
        "answer": lambda n: KEYS[n], "video_id": lambda n: f"v{n}",
    }  # fmt: skip
    base |= changes
    made = [{name: value(n) if callable(value) else value for name, value in base.items()} for n in range(4)]
    return [{name: value for name, value in row.items() if value is not ...} for row in made]


def write_json(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def columns_of_options(letters: str = "ABCD") -> dict[str, Any]:
    return {"options": ..., **dict(zip(letters, OPTIONS, strict=True))}


SHAPES: dict[str, list[dict[str, Any]]] = {
    "list and letter": rows(),
    "labelled list": rows(options=[f"{x}. {text}" for x, text in zip(KEYS, OPTIONS, strict=True)]),
    "mapping": rows(options=dict(zip(KEYS, OPTIONS, strict=True))),
    "columns A-D": rows(**columns_of_options()),
    "columns option_a": rows(options=..., **{f"option_{x.lower()}": t for x, t in zip(KEYS, OPTIONS, strict=True)}),
    "columns a0 and index from 0": rows(
        options=..., answer=lambda n: n, **{f"a{n}": text for n, text in enumerate(OPTIONS)}
    ),
    "columns option1 and label": rows(
        options=..., answer=lambda n: n + 1, **{f"option{n}": text for n, text in enumerate(OPTIONS, 1)}
    ),
    "index from 0": rows(answer=lambda n: n),
    "index from 1": rows(answer=lambda n: n + 1),
    "text": rows(answer=lambda n: OPTIONS[n]),
    "other names": rows(
        question_id=..., qid=lambda n: f"q{n}", question=..., query=lambda n: f"Which colour is thing {n}?",
        options=..., candidates=OPTIONS, answer=..., correct_choice=lambda n: n,
        video_id=..., video=lambda n: f"v{n}.mp4",
    ),
    "letter and index agree": rows(answer_index=lambda n: n),
    "letter and text agree": rows(correct_answer=lambda n: KEYS[n], answer=lambda n: OPTIONS[n]),
    "marked options": rows(
        answer=..., options=lambda n: [{"text": t, "is_correct": i == n} for i, t in enumerate(OPTIONS)]
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_gives_the_same_items(shape: str, tmp_path: Path) -> None:
    found = load_items(write_json(tmp_path / "b.json", SHAPES[shape]))
    assert [item.key for item in found.items] == list(KEYS)
    assert [list(item.options.values()) for item in found.items] == [OPTIONS] * 4
    assert [item.item_id for item in found.items] == ["q0", "q1", "q2", "q3"]
    assert [item.video_ids for item in found.items] == [("v0",), ("v1",), ("v2",), ("v3",)]


def as_text(kind: str, values: list[dict[str, Any]]) -> str:
    if kind == "jsonl":
        return "".join(json.dumps(row) + "\n" for row in values)
    if kind == "json":
        return json.dumps(values)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(values[0]), delimiter="\t" if kind == "tsv" else ",")
    writer.writeheader()
    writer.writerows({k: json.dumps(v) if isinstance(v, list) else v for k, v in row.items()} for row in values)
    return text.getvalue()


@pytest.mark.parametrize("kind", ["json", "jsonl", "csv", "tsv"])
@pytest.mark.parametrize("named", [True, False], ids=["by name", "by content"])
@pytest.mark.parametrize("bom", ["", "\ufeff"], ids=["plain", "bom"])
def test_every_format(kind: str, named: bool, bom: str, tmp_path: Path) -> None:
    path = tmp_path / (f"b.{kind}" if named else "benchmark")
    path.write_text(bom + as_text(kind, rows()), encoding="utf-8")
    found = load_items(path)
    assert [item.key for item in found.items] == list(KEYS)
    assert found.items[0].options == dict(zip(KEYS, OPTIONS, strict=True))


def test_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    parquet.write_table(pyarrow.Table.from_pylist(rows()), tmp_path / "b.parquet")
    assert [item.key for item in load_items(tmp_path / "b.parquet").items] == list(KEYS)


def test_without_pyarrow_parquet_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "b.parquet").write_bytes(b"PAR1....PAR1")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    with pytest.raises(InputError, match=r"needs pyarrow.*benchwright\[eval\]"):
        load_items(tmp_path / "b.parquet")


def published(path: Path, name: str) -> Path:
    """Two questions each in the form of a published benchmark, with keys B and C (of the same texts)."""
    texts = ["red", "blue", "green", "white"]
    forms: dict[str, Any] = {
        "Video-MME": [
            {"video_id": "001", "duration": "short", "domain": "Knowledge", "sub_category": "History", "url": "u",
             "videoID": f"yt{n}", "question_id": f"001-{n}", "task_type": "Counting", "question": f"Q{n}?",
             "options": [f"{x}. {t}." for x, t in zip(KEYS, texts, strict=True)], "answer": key}
            for n, key in ((1, "B"), (2, "C"))
        ],
        "NExT-QA": "video,frame_count,question,answer,qid,type,a0,a1,a2,a3\n"
                   "7,100,Q1?,1,0,CW,red,blue,green,white\n8,100,Q2?,2,0,CW,red,blue,green,white\n",
        "EgoSchema": [
            {"q_uid": f"u{n}", "question": f"Q{n}?", **{f"option {i}": t for i, t in enumerate(texts)}} for n in (1, 2)
        ],
        "MVBench": [
            {"video": f"{n}.mp4", "question": f"Q{n}?", "candidates": texts, "answer": t}
            for n, t in ((1, "blue"), (2, "green"))
        ],
        "MLVU": [
            {"video": f"{n}.mp4", "duration": 480.0, "question": f"Q{n}?", "candidates": texts, "answer": t,
             "question_type": "count"}
            for n, t in ((1, "blue"), (2, "green"))
        ],
        "LongVideoBench": [
            {"id": f"{n}_0", "video_id": f"v{n}", "video_path": f"v{n}.mp4", "question": f"Q{n}?", "candidates": texts,
             "correct_choice": n, "duration": 10.0}
            for n in (1, 2, 0)
        ],
        "MMBench": "index\tquestion\tA\tB\tC\tD\tanswer\tcategory\n"
                   "1\tQ1?\tred\tblue\tgreen\twhite\tB\tc\n2\tQ2?\tred\tblue\tgreen\twhite\tC\tc\n",
        "MMLU-Pro": [
            {"question_id": n, "question": f"Q{n}?", "options": texts, "answer": KEYS[n], "answer_index": n, "src": "s"}
            for n in (1, 2)
        ],
    }  # fmt: skip
    form = forms[name]
    if isinstance(form, str):
        file = path / ("b.tsv" if "\t" in form else "b.csv")
        file.write_text(form, encoding="utf-8")
        return file
    return write_json(path / "b.json", form)


@pytest.mark.parametrize(
    "name", ["Video-MME", "NExT-QA", "EgoSchema", "MVBench", "MLVU", "LongVideoBench", "MMBench", "MMLU-Pro"]
)
def test_the_forms_of_published_benchmarks(name: str, tmp_path: Path) -> None:
    answers = write_json(tmp_path / "a.json", {"u1": 1, "u2": 2}) if name == "EgoSchema" else None
    found = load_items(published(tmp_path, name), answers=answers).items
    assert [(one.stem, one.key_text.rstrip(".")) for one in found[:2]] == [("Q1?", "blue"), ("Q2?", "green")]
    assert len({one.item_id for one in found}) == len(found)
    if name == "Video-MME":
        assert (found[0].type_id, found[0].domain, found[0].duration_s) == ("Counting", "Knowledge", None)
        assert found[0].extra["duration"] == "short"
    if name == "NExT-QA":
        assert [one.item_id for one in found] == ["7/0", "8/0"]
    if name == "MLVU":
        assert (found[0].type_id, found[0].duration_s, found[0].video_files) == ("count", 480, ("1.mp4",))


def test_a_file_of_one_question(tmp_path: Path) -> None:
    (found,) = load_items(write_json(tmp_path / "b.json", rows()[2])).items
    assert (found.item_id, found.key) == ("q2", "C")


NESTED = {
    "a list under a name": {"version": 2, "data": rows()},
    "an object of objects": {row.pop("question_id"): row for row in rows()},
    "questions under videos": [
        {"video_id": row.pop("video_id"), "url": "u", "questions": [row]} for row in rows()
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", NESTED)
def test_nested_json(name: str, tmp_path: Path) -> None:
    found = load_items(write_json(tmp_path / "b.json", NESTED[name]))
    assert [(item.item_id, item.key, item.video_ids) for item in found.items] == [
        (f"q{n}", KEYS[n], (f"v{n}",)) for n in range(4)
    ]


def test_a_list_deep_inside_is_named_in_the_mapping(tmp_path: Path) -> None:
    path = write_json(tmp_path / "b.json", {"splits": {"test": rows(), "dev": rows()}})
    assert len(load_items(path, mapping=Columns(rows="splits.dev")).items) == 4
    with pytest.raises(InputError, match=r"no 'splits.prod' \(stopped at 'prod'\)"):
        load_items(path, mapping=Columns(rows="splits.prod"))


@pytest.mark.parametrize(
    "answers",
    [
        [{"question_id": f"q{n}", "answer": KEYS[n]} for n in range(4)],
        {f"q{n}": n for n in range(4)},
        [{"id": f"q{n}", "gt": OPTIONS[n]} for n in range(4)],
    ],
)
def test_answers_in_a_second_file(answers: Any, tmp_path: Path) -> None:
    path = write_json(tmp_path / "b.json", rows(answer=...))
    found = load_items(path, answers=write_json(tmp_path / "a.json", answers))
    assert [item.key for item in found.items] == list(KEYS)


def test_an_answer_that_is_missing_or_unused_is_told(tmp_path: Path) -> None:
    path = write_json(tmp_path / "b.json", rows(answer=...))
    answers = write_json(tmp_path / "a.json", {"q0": "A", "q1": "B", "q2": "C", "other": "D"})
    found = load_items(path, answers=answers)
    assert [item.key for item in found.items] == ["A", "B", "C", None]
    assert "3 of 4 items have an answer" in found.notes[0]
    assert "1 answers are unused" in found.notes[0]


def test_answers_of_another_benchmark_are_refused(tmp_path: Path) -> None:
    path = write_json(tmp_path / "b.json", rows(answer=...))
    with pytest.raises(InputError, match="none of its ids"):
        load_items(path, answers=write_json(tmp_path / "a.json", {"x": "A"}))


REFUSED: dict[str, tuple[list[dict[str, Any]], str]] = {
    "indices that could start at 0 or 1": (rows(answer=lambda n: 1 + n % 3), "counted from 0.*counted from 1"),
    "two places for the options": (rows(A="x", B="y"), "could be in 'options' or in A, B"),
    "two answers that differ": (rows(correct_answer=lambda n: KEYS[n - 1]), "name different answers in 4 of 4"),
    "no question": (rows(question=...), "could be taken for: stem"),
    "no options": (rows(options=...), "could be taken for: options"),
    "no answer": (rows(answer=...), "could be taken for: answer"),
    "options of no shape": (rows(options="red or blue"), "row 1.*neither a list nor lines"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_ambiguous_or_missing_is_refused_with_its_name(case: str, tmp_path: Path) -> None:
    values, message = REFUSED[case]
    with pytest.raises(InputError, match=message) as error:
        load_items(write_json(tmp_path / "b.json", values))
    assert error.value.hint


def test_a_mapping_names_columns_that_no_name_tells(tmp_path: Path) -> None:
    made = [{"k": f"q{n}", "ask": f"Thing {n}?", "w": "red", "x": "blue", "right": n % 2 + 1} for n in range(4)]
    path = write_json(tmp_path / "b.json", made)
    mapping = tmp_path / "m.yaml"
    mapping.write_text(
        "id: k\nstem: ask\noptions: [w, x]\nanswer: right\nanswer_kind: index\nanswer_base: 1\n"
        "constants: {language: en, domain: World}\n"
    )
    found = load_items(path, mapping=read_mapping(mapping))
    assert [item.key for item in found.items] == ["A", "B", "A", "B"]
    assert {(item.language, item.domain) for item in found.items} == {("en", "World")}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("questoin: q", "unknown key 'questoin'.*Valid keys: rows, id, stem"),
        ("[1, 2]", "a mapping from roles"),
        ("answer_base: 2", "answer_base"),
        ("stem: [", "not YAML"),
    ],
)
def test_a_wrong_mapping_says_what_is_wrong(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "m.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=message):
        read_mapping(path)


def test_a_mapping_to_a_column_that_is_not_there_lists_the_columns(tmp_path: Path) -> None:
    path = write_json(tmp_path / "b.json", rows())
    with pytest.raises(InputError, match=r"'quest' is no column.*question_id, question"):
        load_items(path, mapping=Columns(stem="quest"))


def test_a_row_that_is_faulty_is_kept_for_lint(tmp_path: Path) -> None:
    values = rows()
    values[1]["answer"] = "F"
    values[2]["options"] = "one cell"
    found = load_items(write_json(tmp_path / "b.json", values)).items
    assert found[1].key is None
    assert "'F' is none of the options" in found[1].key_note
    assert found[2].options == {}
    assert "neither a list nor lines" in found[2].key_note


def test_ids_that_repeat_get_their_video_or_a_number(tmp_path: Path) -> None:
    by_video = load_items(write_json(tmp_path / "a.json", rows(question_id=lambda n: f"q{n % 2}")))
    assert [item.item_id for item in by_video.items] == ["v0/q0", "v1/q1", "v2/q0", "v3/q1"]
    numbered = load_items(write_json(tmp_path / "b.json", rows(question_id=lambda n: f"q{n % 2}", video_id="v")))
    assert [item.item_id for item in numbered.items] == ["q0", "q1", "q0#2", "q1#2"]
    none = load_items(write_json(tmp_path / "c.json", rows(question_id=...)))
    assert [item.item_id for item in none.items] == ["row-1", "row-2", "row-3", "row-4"]


def test_one_wrong_index_among_many_is_that_items_fault(tmp_path: Path) -> None:
    values = [dict(row, question_id=f"{row['question_id']}-{k}") for k in range(5) for row in rows()]
    for n, row in enumerate(values):
        row["answer_index"] = KEYS.index(row["answer"]) if n != 3 else 0
    found = load_items(write_json(tmp_path / "b.json", values)).items
    assert found[3].key == "D"
    assert found[3].key_note == "column 'answer_index' names A, not D"
    assert not any(item.key_note for n, item in enumerate(found) if n != 3)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("b.json", "{", "not JSON"),
        ("b.jsonl", '{"a": 1}\n{', "line 2: not JSON"),
        ("b.json", "[1, 2]", "entry 1 is int"),
        ("b.json", '"text"', "a list of questions is expected"),
        ("b.json", '{"a": [{"x": 1}], "b": [{"x": 1}]}', "not clear which list.*a, b"),
        ("b.csv", "a,b\n1,2,3\n", "row 2: 3 cells, but the header has 2"),
        ("b.csv", "a,a\n1,2\n", "'a' occurs twice"),
        ("b.csv", "", "not one row"),
        ("b.xyz", "hello", "format not recognised"),
    ],
)
def test_a_damaged_file_names_the_place(name: str, content: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        load_items(path)


def test_a_file_that_is_not_there_or_not_utf8(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        load_items(tmp_path / "nothing.json")
    (tmp_path / "latin.csv").write_bytes("id,question\nä".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        load_items(tmp_path / "latin.csv")


def test_our_own_lines_come_back_as_they_were(tmp_path: Path) -> None:
    for number, items in enumerate((samples.news(2), samples.videos(2))):
        (path,) = JSONL.write(items, tmp_path, About(name=f"b{number}"))
        assert load_items(path).items == items


def test_the_videovista_excerpt_with_its_faults() -> None:
    found = load_items(shared_data("videovista_culturallingo_sample.json"))
    assert (len(found.items), found.reading) == (240, "letters")
    by_id = {item.item_id: item for item in found.items}
    first = by_id["Object Spatial Localization_cn_17"]
    assert (first.type_id, first.family, first.language, first.key) == (
        "Object Spatial Localization", "object", "zh", "A",
    )  # fmt: skip
    assert (first.video_ids, first.video_files, first.platforms) == (
        ("65b72483000000002c010bb1",), ("65b72483000000002c010bb1.4.mp4",), ("Xiaohongshu",),
    )  # fmt: skip
    assert by_id["Event Localization_en_531"].event_start_s == 95
    assert by_id["Chinese Culture_1067"].culture == "Chinese"
    assert by_id["European Culture_61"].options["B"] == by_id["European Culture_61"].options["C"]
    platforms = [item.platforms[0] for item in found.items]
    assert {name: platforms.count(name) for name in set(platforms)} == {
        "YouTube": 128, "Xiaohongshu": 82, "BiliBili": 30,
    }  # fmt: skip


def test_the_labelled_items() -> None:
    found = load_items(shared_data("labelled_items.jsonl"))
    assert (len(found.items), found.reading, found.notes) == (72, "letters", ())
    item = found.items[0]
    assert (item.group_id, item.sources["TAG_A"], item.sources_used, item.frames_used, item.family) == (
        "world-calder-star", "wCalderTid2", 2, 1, "comparison",
    )  # fmt: skip
