"""Judges against the truth: worked cases of seats, thresholds and smaller panels."""

import pytest

from judges.calibration import Fit, Truth, calibrate, judged, smaller
from judges.decide import decide
from judges.schedule import PlannedCall
from records.config import Checks, Panel
from records.errors import RunError
from records.verdicts import Item
from tests.judges.builders import Answer, a_panel, a_question, run

SOURCES = {"TAG_A": "v1", "TAG_B": "v2"}


def an_item(name: str, panel: Panel, **says: float) -> Item:
    """An item whose seats are sure of the key from TAG_A (confidence by seat), and of nothing else."""
    question = a_question(question_id=name, sources=SOURCES)

    def answer(call: PlannedCall) -> Answer:
        if call.check == "ambiguity":
            return 0.1
        if call.check == "solvability" and call.unit == "TAG_A":
            return ("A", says.get(call.seat, 0.3))
        return ("B", 0.9)

    verdicts = run(question, panel, tuple(SOURCES), answer)
    verdicts = tuple(v.model_copy(update={"request_id": f"{name}/{v.seat}/{v.check}/{v.unit}"}) for v in verdicts)
    made = decide(question, verdicts, panel, tuple(SOURCES))
    return Item(
        item_id=name, judgement_set="main", question=question, verdicts=verdicts, decisions=made.decisions,
        outcome=made.outcome, removed_by=made.removed_by, schedule=panel.schedule,
    )  # fmt: skip


@pytest.fixture
def panel() -> Panel:
    return a_panel(schedule="full", checks=Checks())


@pytest.fixture
def items(panel: Panel) -> list[Item]:
    return [
        an_item("all", panel, s0=0.9, s1=0.9, s2=0.9),
        an_item("two", panel, s0=0.9, s1=0.9),
        an_item("one", panel, s0=0.9),
        an_item("weak", panel, s0=0.7, s1=0.7, s2=0.7),
        an_item("none", panel),
    ]


TRUTHS = [
    Truth(item_id=name, bad=name in ("all", "two", "weak"), kind=name) for name in ("all", "two", "one", "weak", "none")
]


def test_the_panel_and_each_seat(items: list[Item], panel: Panel) -> None:
    found = calibrate(items, panel, TRUTHS, {})
    assert found.panel == Fit(removed_bad=2, kept_bad=1, kept_good=2)
    assert (found.panel.precision, found.panel.recall) == (1.0, pytest.approx(2 / 3))
    by_seat = {seat.seat: seat.fit for seat in found.seats}
    assert by_seat["s0"] == Fit(removed_bad=2, removed_good=1, kept_bad=1, kept_good=1)
    assert by_seat["s1"] == Fit(removed_bad=2, kept_bad=1, kept_good=2)
    assert by_seat["s2"] == Fit(removed_bad=1, kept_bad=2, kept_good=2)
    assert found.by_kind["two"] == {"solvability": 1}


def test_a_lower_threshold_finds_the_weak_one(items: list[Item], panel: Panel) -> None:
    found = calibrate(items, panel, TRUTHS, {})
    at = {rule.threshold: rule for rule in found.rules if rule.check == "solvability"}
    assert at[0.7].alone.recall == 1.0
    assert at[0.8].alone.recall == pytest.approx(2 / 3)
    assert at[0.95].alone.recall == 0.0
    assert [rule.threshold for rule in at.values() if rule.current] == [0.8]
    assert found.best is not None
    assert found.best.thresholds["solvability"] <= 0.7
    assert found.best.fit.f1 == 1.0


def test_the_cheapest_panel_that_decides_alike(items: list[Item], panel: Panel) -> None:
    prices = {"s0": 1.0, "s1": 0.1, "s2": 0.2}
    costs = {v.request_id: prices[v.seat] for item in items for v in item.verdicts}
    found = calibrate(items, panel, TRUTHS, costs)
    assert found.cheapest is not None
    assert found.cheapest.seats == ("s1",)
    assert {one.seats: one.alike for one in found.subsets}[("s2",)] == 0.8
    assert found.cheapest.cost_usd == pytest.approx(sum(c for name, c in costs.items() if "/s1/" in name))
    full = next(one for one in found.subsets if len(one.seats) == 3)
    assert full.alike == 1.0
    assert full.fit == found.panel


def test_a_smaller_panel_has_a_majority_of_its_own(items: list[Item], panel: Panel) -> None:
    alone = smaller(panel, ("s2",))
    assert alone.majority == 1
    assert judged(items[1], alone, ("s2",)).outcome == "kept"
    assert judged(items[0], alone, ("s2",)).outcome == "removed"


def test_items_without_a_truth_are_left_out(items: list[Item], panel: Panel) -> None:
    assert calibrate(items, panel, TRUTHS[:2], {}).items == 2


def test_a_frugal_run_is_refused(panel: Panel) -> None:
    frugal = panel.model_copy(update={"schedule": "frugal"})
    items = [an_item("none", frugal)]
    with pytest.raises(RunError, match=r"frugal.*--complete"):
        calibrate(items, frugal, [Truth(item_id="none", bad=False)], {})


@pytest.mark.parametrize(
    ("fit", "kappa"),
    [
        (Fit(removed_bad=5, kept_good=5), 1.0),
        (Fit(removed_bad=20, removed_good=5, kept_bad=10, kept_good=15), 0.4),
        (Fit(removed_good=3, kept_bad=3), -1.0),
        (Fit(), None),
        (Fit(kept_good=4), None),
    ],
)
def test_kappa(fit: Fit, kappa: float | None) -> None:
    assert fit.kappa == (None if kappa is None else pytest.approx(kappa))
