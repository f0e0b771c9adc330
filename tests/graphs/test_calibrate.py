"""``graphs.calibrate`` on a judged file: labels are joined, a frugal run is refused, tables and files are written."""

import json
from pathlib import Path
from typing import Any

import pytest

from graphs import calibrate, judge
from tests.fakeserver import ChatRequest, FakeServer, Policy
from tests.graphs.questions import right, write_items
from tests.graphs.stories import write_group, write_panel

LABELS = {"i0": "good", "i1": "single_source", "i2": "good", "i3": "rule_violation"}


def says(request: ChatRequest) -> dict[str, Any] | None:
    """Sure of the key from one source for item 1 alone; unsure of everything else; no pair is ambiguous."""
    if request.gold:
        return {"rationale": "", "severity": 0.1}
    found = right(request)
    return found and {**found, "confidence": 0.95 if "number 1" in request.stem else 0.3}


@pytest.fixture
def judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    group, items = write_group(tmp_path / "ferry"), write_items(tmp_path / "items.jsonl")
    rows = [json.loads(line) for line in items.read_text().splitlines()]
    labelled = [{**row, "label": {"verdict": LABELS[row["item_id"]]}} for row in rows]
    (tmp_path / "labels.jsonl").write_text("\n".join(json.dumps(row) for row in labelled))
    with FakeServer(Policy(script=says)) as server:
        panel = write_panel(tmp_path / "panel.yaml", server.base_url)
        run = ["--run", str(tmp_path / "run"), "--quiet", "--skip-preflight"]
        judge.main(["--items", str(items), "--group", str(group), "--panel", str(panel), *run])
        assert ask(tmp_path) == 1
        assert "frugal schedule" in capsys.readouterr().err
        judge.main(["--complete", *run])
    return tmp_path


def ask(folder: Path, *flags: str) -> int:
    return calibrate.main(["--run", str(folder / "run"), "--labels", str(folder / "labels.jsonl"), *flags])


def test_labels_are_compared(judged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert ask(judged) == 0
    said = capsys.readouterr().out
    assert "3 items, 1 of them to be removed" in said
    assert "the cheapest panel that would have decided alike" in said
    found = json.loads((judged / "run" / "calibration.json").read_text())
    assert found["panel"] == {"removed_bad": 1, "removed_good": 0, "kept_bad": 0, "kept_good": 2, "undecided": 0}
    assert found["by_kind"] == {"good": {"kept": 2}, "single_source": {"solvability": 1}}
    assert found["cheapest"]["seats"] == ["judge-a"]
    assert found["cheapest"]["cost_usd"] > 0
    assert "Judges of the panel fake" in (judged / "run" / "calibration.md").read_text()


def test_a_wrong_file_and_no_reviews_are_told(judged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (judged / "labels.jsonl").write_text('{"item_id": "elsewhere", "label": {"verdict": "good"}}')
    assert ask(judged) == 1
    assert "none of its questions is in the run" in capsys.readouterr().err
    (judged / "labels.jsonl").write_text('{"item_id": "i0"}')
    assert ask(judged) == 1
    assert "row 1: needs an item_id and a label with a verdict" in capsys.readouterr().err
    assert calibrate.main(["--run", str(judged / "run")]) == 1
    assert "no reviews yet" in capsys.readouterr().err


def test_people_s_reviews_are_the_truth(judged: Path) -> None:
    from records.review import Score
    from records.verdicts import Item
    from review.journal import Journal
    from review.opening import chosen_sheet
    from store.run import Run

    with Run.open(judged / "run") as run:
        items = {item.question.provenance.external_id: item.item_id for item in run.all("item", Item)}
    sheet = chosen_sheet("", "news")
    with Journal.open(judged / "run") as journal:
        journal.use_sheet(sheet)
        for name, place in (("i0", -1), ("i1", 0), ("i2", 0)):
            for dimension in sheet.dimensions:
                level = dimension.values[place]
                journal.save_score(Score(item_id=items[name], reviewer="ann", dimension=dimension.id, level=level))
    assert calibrate.main(["--run", str(judged / "run"), "--quiet"]) == 0
    found = json.loads((judged / "run" / "calibration.json").read_text())
    assert (found["items"], found["bad"]) == (3, 2)
    assert found["panel"] == {"removed_bad": 1, "removed_good": 0, "kept_bad": 1, "kept_good": 1, "undecided": 0}
