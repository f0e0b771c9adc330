import json
from pathlib import Path
from typing import Any

import pytest

from eval.importers import load_items
from eval.metrics import evaluate
from eval.predictions import load_predictions
from records.benchmark import BenchmarkItem
from records.errors import InputError
from tests.conftest import shared_data
from tests.eval import samples
from tests.eval.samples import item


def published(benchmark: list[dict[str, Any]], results: list[dict[str, Any]]) -> dict[str, float]:
    """What the published script of VideoVista-CulturalLingo prints, computed after its description: the first
    character of `pred` is compared with the answer, a question without a prediction is wrong."""
    said = {line["question_id"]: line["pred"] for line in results}
    found: dict[str, list[bool]] = {}
    for line in benchmark:
        right = line["question_id"] in said and said[line["question_id"]][0] == line["answer"]
        for name in ("overall", line["category"], line["subcategory"]):
            found.setdefault(name, []).append(right)
    return {name: sum(values) / len(values) for name, values in found.items()}


def write(tmp_path: Path, value: Any, name: str = "p.json") -> Path:
    path = tmp_path / name
    path.write_text(json.dumps(value))
    return path


WELL_FORMED = {
    "letters": lambda letter, text: letter,
    "letters with a full stop": lambda letter, text: f"{letter}.",
    "letters with their texts": lambda letter, text: f"{letter}. {text}",
    "lists of one": lambda letter, text: [letter],
}


@pytest.mark.parametrize("form", WELL_FORMED)
@pytest.mark.parametrize("reader", ["answers", "first-letter"])
@pytest.mark.parametrize("every", [1000, 7], ids=["complete", "some missing"])
def test_accuracies_are_those_of_the_published_script(form: str, reader: Any, every: int, tmp_path: Path) -> None:
    source = shared_data("videovista_culturallingo_sample.json")
    benchmark = json.loads(source.read_text(encoding="utf-8"))
    items = load_items(source).items
    results = []
    for n, (line, p) in enumerate(zip(benchmark, samples.answers(items, "m", 0.6), strict=True)):
        if n % every:
            text = line["options"]["ABCD".index(p.answer or "A")]
            results.append({"question_id": line["question_id"], "pred": WELL_FORMED[form](p.answer, text)})
    expected = published(benchmark, results)
    found = load_predictions(write(tmp_path, results), items, reader=reader)
    scores = evaluate(items, found.predictions)[0]
    assert scores.overall.accuracy == pytest.approx(expected["overall"])
    for grouping in ("category", "type"):
        for value, score in scores.by[grouping].items():
            assert score.accuracy == pytest.approx(expected[value]), value


ITEMS: tuple[BenchmarkItem, ...] = tuple(item(f"q{n}", "ABCD"[n]) for n in range(4))


@pytest.mark.parametrize(
    "value",
    [
        [{"question_id": f"q{n}", "pred": "ABCD"[n]} for n in range(4)],
        [{"item_id": f"q{n}", "prediction": f"({'ABCD'[n]})"} for n in range(4)],
        [{"id": f"q{n}", "response": f"The answer is {'ABCD'[n]}."} for n in range(4)],
        [{"qid": f"q{n}", "output": json.dumps({"answer": "ABCD"[n], "confidence": 0.9})} for n in range(4)],
        {f"q{n}": "ABCD"[n] for n in range(4)},
        {"results": [{"question_id": f"q{n}", "pred": "ABCD"[n], "answer": "ABCD"[-n]} for n in range(4)]},
    ],
)
def test_shapes_of_prediction_files(value: Any, tmp_path: Path) -> None:
    found = load_predictions(write(tmp_path, value), ITEMS)
    assert [p.answer for p in found.predictions] == list("ABCD")
    assert {p.model for p in found.predictions} == {"p"}
    assert (found.reader, found.missing) == ("answers", 0)


def test_our_own_predictions_keep_outcomes_and_names(tmp_path: Path) -> None:
    own = [p.model_dump(mode="json") for p in samples.failed(samples.answers(ITEMS, "qwen", 1.0), "unavailable", 2)]
    path = tmp_path / "p.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in own))
    found = load_predictions(path, ITEMS)
    assert found.reader == "records"
    assert [p.outcome for p in found.predictions] == ["unavailable", "ok", "unavailable", "ok"]
    score = evaluate(ITEMS, found.predictions, groupings=())[0].overall
    assert (score.accuracy, score.complete) == (1.0, False)


def test_a_prediction_that_breaks_our_record_names_its_row(tmp_path: Path) -> None:
    own = [{"model": "m", "item_id": "q0", "outcome": "refused", "answer": "A"}]
    with pytest.raises(InputError, match="row 1.*an answer stands exactly with the outcome ok"):
        load_predictions(write(tmp_path, own), ITEMS)


@pytest.mark.parametrize(("missing", "accuracy", "complete"), [("wrong", 0.5, True), ("unavailable", 1.0, False)])
def test_a_question_without_a_prediction(missing: Any, accuracy: float, complete: bool, tmp_path: Path) -> None:
    found = load_predictions(write(tmp_path, {"q0": "A", "q1": "B"}), ITEMS, missing=missing)
    score = evaluate(ITEMS, found.predictions, groupings=())[0].overall
    assert (score.accuracy, score.complete, found.missing) == (accuracy, complete, 2)
    assert f"2 items have no prediction: counted as {missing}" in found.notes


@pytest.mark.parametrize("reply", ["", None, "I think it shows a cat.", "A or B", "E", "None of these"])
def test_a_reply_without_a_letter_is_unparsed_and_wrong(reply: Any, tmp_path: Path) -> None:
    value = [{"question_id": "q0", "pred": reply}, *({"question_id": f"q{n}", "pred": "ABCD"[n]} for n in (1, 2, 3))]
    found = load_predictions(write(tmp_path, value), ITEMS)
    assert [p.outcome for p in found.predictions] == ["unparsed", "ok", "ok", "ok"]
    assert evaluate(ITEMS, found.predictions, groupings=())[0].overall.accuracy == 0.75


def test_a_failure_may_be_named_in_a_foreign_file(tmp_path: Path) -> None:
    value = [{"question_id": "q0", "pred": "", "outcome": "unavailable"}, {"question_id": "q1", "pred": "B"}]
    found = load_predictions(write(tmp_path, value), ITEMS[:2])
    assert [p.outcome for p in found.predictions] == ["unavailable", "ok"]
    value[0]["outcome"] = "exploded"
    with pytest.raises(InputError, match="unknown outcome 'exploded'"):
        load_predictions(write(tmp_path, value), ITEMS[:2])


def test_numbers_need_a_base(tmp_path: Path) -> None:
    path = write(tmp_path, {f"q{n}": n for n in range(4)})
    with pytest.raises(InputError, match="not clear from where they count"):
        load_predictions(path, ITEMS)
    assert [p.answer for p in load_predictions(path, ITEMS, base=0).predictions] == list("ABCD")
    assert [p.outcome for p in load_predictions(path, ITEMS, base=1).predictions] == ["unparsed", "ok", "ok", "ok"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            [{"question_id": "q0", "pred": "A"}, {"question_id": "q0", "pred": "B"}],
            "row 2: a second prediction for 'q0'",
        ),
        ([{"question_id": "x9", "pred": "A"}], "none of its ids is among the items"),
        ([{"question_id": "q0", "thoughts": "A"}], "no column for a prediction"),
        ([{"name": "q0", "pred": "A"}], "no column for an id"),
        (
            [
                {"question_id": "q0", "pred": "A", "prediction": "A"},
                {"question_id": "q1", "pred": "A", "prediction": "B"},
            ],
            "row 2: columns 'pred' and 'prediction' both name the model's answer, and differ: 'A' and 'B'",
        ),
    ],
)
def test_what_cannot_be_scored_is_refused(value: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        load_predictions(write(tmp_path, value), ITEMS)


def test_predictions_for_other_items_are_left_out_and_told(tmp_path: Path) -> None:
    found = load_predictions(write(tmp_path, {"q0": "A", "old": "B"}), ITEMS[:1])
    assert len(found.predictions) == 1
    assert "1 predictions are for ids that the items do not have" in found.notes


def test_a_model_column_names_several_models(tmp_path: Path) -> None:
    value = [{"question_id": f"q{n}", "pred": "A", "model": "one"} for n in range(4)]
    assert {p.model for p in load_predictions(write(tmp_path, value), ITEMS).predictions} == {"one"}
