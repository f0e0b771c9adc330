"""Reviews as ratings: what counts for agreement, and what the video track's policy tells a reviewer."""

from pathlib import Path

import pytest

from records.review import Measure, Review
from review.assigning import AssignmentSettings
from review.desk import Desk
from review.journal import Journal
from review.material import LiveMaterial
from review.people import agreement_rows, panel_agreement, people_agreement, ratings, shown
from review.sheets import load_sheet
from store.run import Run
from tests.review.conftest import ANN, BOB, MEI
from tests.review.synthetic import make_item

VNU = load_sheet("vnu")


def review(item: str, name: str, *levels: str, revision: int = 0, role: str = "agreement") -> Review:
    scores = dict(zip([one.id for one in VNU.dimensions], levels, strict=True))
    return Review(item_id=item, revision=revision, reviewer=name, role=role, scores=scores)  # type: ignore[arg-type]


def test_corrections_and_adjudications_are_no_ratings() -> None:
    given = [
        review("q1", "ann", "pass", "pass", "pass"),
        review("q1", "ann", "fail", "fail", "fail", revision=1),
        review("q1", "mei", "fail", "fail", "fail", role="adjudicator"),
    ]
    assert {(one.rater, one.value, one.cluster) for one in ratings(given, {"q1": "g"})} == {("ann", "pass", "g")}


def test_kappa_by_dimension_and_over_all() -> None:
    """Two people on four items: correctness 3 of 4 alike, naturalness always alike, compliance unanimous."""
    given = [
        review(f"q{n}", name, *levels)
        for name, rows in {
            "ann": [("pass", "pass"), ("pass", "fail"), ("fail", "pass"), ("fail", "fail")],
            "bob": [("pass", "pass"), ("pass", "fail"), ("fail", "pass"), ("pass", "fail")],
        }.items()
        for n, row in enumerate(rows)
        for levels in [(*row, "pass")]
    ]
    rows = {row.dimension: row for row in people_agreement(VNU, given, {})}
    assert list(rows) == ["correctness", "naturalness", "task_compliance", "overall", "pooled"]
    correctness = rows["correctness"]
    assert correctness.pairwise is not None
    assert correctness.pairwise.value == pytest.approx(0.75)
    assert correctness.fleiss is not None
    expected = (0.75 - (25 / 64 + 9 / 64)) / (1 - (25 / 64 + 9 / 64))
    assert correctness.fleiss.value == pytest.approx(expected)
    assert rows["naturalness"].fleiss is not None
    assert rows["naturalness"].fleiss.value == pytest.approx(1.0)
    unanimous = rows["task_compliance"].fleiss
    assert unanimous is not None
    assert unanimous.value is None
    assert "observed agreement 1.00" in shown(unanimous)
    overall = rows["overall"].fleiss
    assert overall is not None
    assert overall.value == pytest.approx((expected + 1) / 2)
    assert correctness.alpha_ordinal is not None
    assert correctness.cohen is not None


def test_one_reviewer_gives_no_table() -> None:
    assert people_agreement(VNU, [review("q1", "ann", "pass", "pass", "pass")], {}) == ()
    assert people_agreement(VNU, [], {}) == ()


def test_coefficients_in_words() -> None:
    assert shown(None) == "–"
    assert shown(Measure(value=0.618, low=0.5, high=0.71)) == "0.62 [0.50, 0.71]"
    assert shown(Measure(value=None, note="why")) == "undefined (why)"


def test_people_beside_the_panel(desk: Desk) -> None:
    kept = list(desk.material.items.values())[:3]
    removed = [make_item(item.question, outcome="removed") for item in list(desk.material.items.values())[3:6]]
    decided = {item.item_id: "keep" for item in kept} | {item.item_id: "discard" for item in removed}
    decided[kept[0].item_id] = "discard"
    row = panel_agreement([*kept, *removed], decided)
    assert row is not None
    assert row.pairwise is not None
    assert row.pairwise.value == pytest.approx(5 / 6)
    assert row.cohen is not None
    assert row.cohen.value == pytest.approx(2 / 3)
    assert panel_agreement(kept, {}) is None


def test_the_progress_pages_table(desk: Desk) -> None:
    assert agreement_rows(desk, "en") == ()
    desk.plan((ANN, BOB, MEI), AssignmentSettings(share=1.0))
    for number, item_id in enumerate(desk.material.items):
        for reviewer in (ANN, BOB):
            for dimension in desk.sheet.dimensions:
                level = dimension.values[(number + (reviewer is BOB and number == 0)) % 3]
                desk.score(reviewer, item_id, 0, dimension.id, level)
    table = agreement_rows(desk, "zh")
    assert table[0][0] == "维度"
    assert [row[0] for row in table[1:]] == [
        "正确性",
        "自然度",
        "题型符合度",
        "总体（各维度平均）",
        "合并（全部评分视为一表）",
    ]
    assert {row[1] for row in table[1:4]} == {"9"}


@pytest.mark.parametrize(
    ("scores", "status", "advice"),
    [
        ("122", "done", []),
        ("022", "revise", ["its key is wrong"]),
        ("112", "revise", ["strays from its type"]),
        ("121", "revise", ["the video hardly matters"]),
        ("111", "done", []),
    ],
)
def test_the_video_tracks_policy_guides(run_folder: Path, scores: str, status: str, advice: list[str]) -> None:
    with Run.open(run_folder) as run, Journal.open(run_folder) as journal:
        desk = Desk(run, journal, load_sheet("videovista"), LiveMaterial(run))
        desk.plan((ANN,), AssignmentSettings(share=0))
        item_id = next(iter(desk.material.items))
        for dimension, level in zip(desk.sheet.dimensions, scores, strict=True):
            saved = desk.score(ANN, item_id, 0, dimension.id, level)
        assert (saved.status, saved.shows_total, saved.total) == (status, True, sum(map(int, scores)))
        assert len(saved.advice) == len(advice)
        assert all(part in words["en"] for part, words in zip(advice, saved.advice, strict=True))
