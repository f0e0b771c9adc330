"""The law of the schedules: frugal asks less than full and decides alike, whatever judges say and whoever fails."""

from collections import Counter
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judges.decide import Judgement, decide
from judges.schedule import PlannedCall, all_calls, calls_saved, forecast_calls, missing_calls, next_calls
from records.config import Checks, Panel
from records.media import Tag, tag_of
from records.questions import Question
from records.verdicts import Verdict
from tests.judges.builders import Answer, a_panel, a_question, run, verdict_of

THRESHOLDS = [0.0, 0.5, 0.6, 0.8, 1.0]
LEVELS = [0.0, 0.2, 0.59, 0.5999999, 0.5999994, 0.6, 0.6000004, 0.61, 0.7, 0.79, 0.8, 0.81, 0.9, 1.0]


@st.composite
def panels(draw: st.DrawFn, most_seats: int = 6) -> Panel:
    seats = draw(st.integers(1, most_seats))
    sure = st.sampled_from(THRESHOLDS)
    checks = {
        "solvability": {
            "enabled": draw(st.booleans()) or draw(st.booleans()),
            "sources": draw(st.sampled_from(["each", "random"])),
            "confidence": draw(sure),
        },
        "ambiguity": {
            "enabled": draw(st.booleans()) or draw(st.booleans()),
            "combine": draw(st.sampled_from(["median", "mean", "max"])),
            "severity": draw(sure),
        },
        "difficulty": {"enabled": draw(st.booleans()) or draw(st.booleans()), "confidence": draw(sure)},
        "blind": {"enabled": draw(st.booleans()), "with_article": draw(st.booleans())},
        "min_votes": draw(st.none() | st.integers(1, seats)),
    }
    reserves = draw(st.integers(0, 3))
    return a_panel(seats, reserves, checks=Checks.model_validate(checks))


@st.composite
def questions(draw: st.DrawFn) -> Question:
    letters = "ABCDE"[: draw(st.integers(2, 5))]
    extra = {"article": "An article."} if draw(st.booleans()) else {}
    pinned = draw(st.integers(0, 9)) == 0
    return a_question(draw(st.sampled_from(letters)), letters, extra=extra, pinned=pinned)


class Judges:
    """Judges whose answers are drawn once a call, and are the same whichever schedule asks."""

    def __init__(self, data: st.DataObject, question: Question, failing: int, agreeing: int) -> None:
        self.said: dict[tuple[str, str, str], Answer] = {}
        self._data, self._letters = data, sorted(question.options)
        self._key, self._failing, self._agreeing = question.key, failing, agreeing

    def __call__(self, call: PlannedCall) -> Answer:
        name = (call.check, call.seat, call.unit)
        if name not in self.said:
            self.said[name] = self._answer(call)
        return self.said[name]

    def _answer(self, call: PlannedCall) -> Answer:
        draw = self._data.draw
        if draw(st.integers(0, 9)) < self._failing:
            return None
        if call.check == "ambiguity":
            return draw(st.sampled_from(LEVELS))
        letter = self._key if draw(st.integers(0, 9)) < self._agreeing else draw(st.sampled_from(self._letters))
        return (letter, draw(st.none() | st.sampled_from(LEVELS)))


def judged(question: Question, panel: Panel, tags: tuple[Tag, ...], verdicts: tuple[Verdict, ...]) -> Judgement:
    return decide(question, verdicts, panel, tags)


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    data=st.data(), panel=panels(), question=questions(), sources=st.integers(1, 4),
    failing=st.sampled_from([0, 1, 4]), agreeing=st.sampled_from([1, 6, 10]),
)  # fmt: skip
def test_frugal_and_full_decide_alike(
    data: st.DataObject, panel: Panel, question: Question, sources: int, failing: int, agreeing: int
) -> None:
    tags = tuple(tag_of(index) for index in range(sources))
    says = Judges(data, question, failing, agreeing)
    full_panel = panel.model_copy(update={"schedule": "full"})
    full = run(question, full_panel, tags, says)
    frugal = run(question, panel, tags, says)
    whole, short = judged(question, full_panel, tags, full), judged(question, panel, tags, frugal)
    assert (short.outcome, short.removed_by) == (whole.outcome, whole.removed_by)
    assert set(map(repr, frugal)) <= set(map(repr, full)) or panel.reserves
    assert len(frugal) <= len(full)
    assert (whole.outcome, whole.removed_by) == reference(question, panel, tags, says)
    assert whole.calls_saved == 0
    seats = {seat.seat for seat in panel.judges}
    asked = sum(verdict.seat in seats for verdict in frugal)
    assert short.calls_saved == len(all_calls(question, panel, tags)) - asked


def reference(question: Question, panel: Panel, tags: tuple[Tag, ...], says: Judges) -> tuple[str, str | None]:
    """The decision by brute force, from what the judges said, without schedules and ballots."""
    found: list[tuple[str, str]] = []
    for check in ("solvability", "ambiguity", "difficulty", "blind"):
        found += [(check, outcome) for outcome in _check_by_hand(check, question, panel, tags, says)]
    removed = next((check for check, outcome in found if outcome == "removed"), None)
    if removed:
        return "removed", removed
    return ("undecided", None) if any(outcome == "undecided" for _, outcome in found) else ("kept", None)


def _check_by_hand(check: str, question: Question, panel: Panel, tags: tuple[Tag, ...], says: Judges) -> list[str]:
    settings_of: Any = getattr(panel.checks, check)
    if not settings_of.enabled or (check == "solvability" and len(tags) < 2):
        return []
    units = sorted({unit for name, _, unit in says.said if name == check})
    if check == "blind":
        rounds = [[unit for unit in units if unit.startswith(start)] for start in ("rotation", "article")]
        return [_decided(check, _pool(check, group, question, panel, says), panel) for group in rounds if group]
    return [_decided(check, _pool(check, [unit], question, panel, says), panel) for unit in units]


def _pool(check: str, units: list[str], question: Question, panel: Panel, says: Judges) -> list[float]:
    seats = [_vote(check, seat.seat, units, question, panel, says) for seat in panel.judges]
    reserves = [_vote(check, seat.seat, units, question, panel, says) for seat in panel.reserves]
    votes = [vote for vote in seats if vote is not None]
    spare = [vote for vote in reserves if vote is not None]
    return votes + spare[: len(seats) - len(votes)]


def _vote(check: str, seat: str, units: list[str], question: Question, panel: Panel, says: Judges) -> float | None:
    answers = [says.said.get((check, seat, unit)) for unit in units]
    if check == "blind":
        if any(answer is not None and answer[0] != question.key for answer in answers):  # type: ignore[index]
            return 0.0
        return None if None in answers else 1.0
    (answer,) = answers
    if answer is None or isinstance(answer, float):
        return answer
    letter, sure = answer
    return float(letter == question.key and sure is not None and sure >= getattr(panel.checks, check).confidence)


def _decided(check: str, votes: list[float], panel: Panel) -> str:
    if check == "difficulty":
        if 0.0 in votes:
            return "passed"
        return "removed" if len(votes) == len(panel.judges) else "undecided"
    if len(votes) < panel.min_votes:
        return "undecided"
    if check != "ambiguity":
        return "removed" if sum(votes) > len(panel.judges) / 2 else "passed"
    ordered, how = sorted(votes), panel.checks.ambiguity.combine
    values = {"max": ordered[-1], "median": ordered[(len(ordered) - 1) // 2], "mean": round(sum(votes) / len(votes), 6)}
    return "removed" if values[how] >= panel.checks.ambiguity.severity else "passed"


SMALL = {
    "one seat, two sources": (1, {}),
    "two seats, pairs and difficulty": (2, {"solvability": {"enabled": False}}),
    "two seats, one vote enough": (2, {"solvability": {"enabled": False}, "min_votes": 1}),
    "two seats, sources alone": (2, {"ambiguity": {"enabled": False}, "difficulty": {"enabled": False}}),
    "one seat, blind": (1, {"solvability": {"enabled": False}, "blind": {"enabled": True}}),
    "three seats, difficulty and a pair": (3, {"solvability": {"enabled": False}}),
}


@pytest.mark.parametrize("name", SMALL)
def test_frugal_asks_only_while_the_outcome_is_open(name: str) -> None:
    """Exhaustive: before every round two completions of the calls to come differ, and after the last none do."""
    seats, checks = SMALL[name]
    question, tags = a_question("A", "AB"), ("TAG_A", "TAG_B")
    panel = a_panel(seats, checks=Checks.model_validate(checks))
    values: dict[str, tuple[Answer, ...]] = {"ambiguity": (None, 0.0, 1.0)}
    calls = all_calls(question, panel, tags)
    choices = [values.get(call.check, (None, ("A", 1.0), ("B", 1.0))) for call in calls]
    names = [(call.check, call.seat, call.unit) for call in calls]
    worlds = []
    for combination in product(*choices):
        verdicts = tuple(verdict_of(call, said) for call, said in zip(calls, combination, strict=True))
        end = judged(question, panel, tags, verdicts)
        worlds.append((dict(zip(names, verdicts, strict=True)), (end.outcome, end.removed_by)))
    seen: set[frozenset[str]] = set()
    stack: list[dict[tuple[str, str, str], Verdict]] = [{}]
    while stack:
        said = stack.pop()
        ends = {end for world, end in worlds if all(world[name] == verdict for name, verdict in said.items())}
        batch = next_calls(question, panel, tags, tuple(said.values()))
        assert bool(batch) == (len(ends) > 1)
        if not batch:
            here = judged(question, panel, tags, tuple(said.values()))
            assert {(here.outcome, here.removed_by)} == ends
            continue
        for combination in product(*(choices[calls.index(call)] for call in batch)):
            new = {
                (call.check, call.seat, call.unit): verdict_of(call, vote)
                for call, vote in zip(batch, combination, strict=True)
            }
            state = frozenset(map(repr, (said | new).values()))
            if state not in seen:
                seen.add(state)
                stack.append(said | new)


def answers(table: dict[tuple[str, str], Answer], other: Answer = ("B", 0.9)) -> Any:
    """A judge by (seat, unit); pairs that are not named get severity 0.0."""

    def says(call: PlannedCall) -> Answer:
        return table.get((call.seat, call.unit), 0.0 if call.check == "ambiguity" else other)

    return says


TAGS = ("TAG_A", "TAG_B", "TAG_C")


def test_full_asks_everything_at_once() -> None:
    question, panel = a_question(), a_panel(3, schedule="full")
    first = next_calls(question, panel, TAGS, ())
    assert Counter(call.check for call in first) == {"solvability": 9, "ambiguity": 9, "difficulty": 3}
    assert next_calls(question, panel, TAGS, run(question, panel, TAGS, answers({}))) == ()


def test_frugal_begins_with_the_cheapest_seat_on_every_source() -> None:
    panel = a_panel(3)
    panel = panel.model_copy(
        update={"judges": tuple(s.model_copy(update={"cost_rank": 3 - i}) for i, s in enumerate(panel.judges))}
    )
    first = next_calls(a_question(), panel, TAGS, ())
    assert [(call.seat, call.unit) for call in first] == [("s2", "TAG_A"), ("s2", "TAG_B"), ("s2", "TAG_C")]


def test_frugal_follows_the_source_that_is_nearest_to_removal_and_stops_at_the_proof() -> None:
    question, panel = a_question("A"), a_panel(3)
    says = answers({("s0", "TAG_B"): ("A", 0.9), ("s1", "TAG_B"): ("A", 0.8)})
    verdicts = run(question, panel, TAGS, says)
    asked = [(verdict.seat, verdict.unit) for verdict in verdicts]
    assert asked == [("s0", "TAG_A"), ("s0", "TAG_B"), ("s0", "TAG_C"), ("s1", "TAG_B")]
    end = judged(question, panel, TAGS, verdicts)
    assert (end.outcome, end.removed_by, end.calls_saved) == ("removed", "solvability", 21 - 4)


def test_a_kept_question_costs_the_majority_and_one_doubter() -> None:
    question, panel = a_question("A"), a_panel(3)
    verdicts = run(question, panel, TAGS, answers({}))
    assert Counter(verdict.check for verdict in verdicts) == {"solvability": 6, "ambiguity": 6, "difficulty": 1}
    assert judged(question, panel, TAGS, verdicts).outcome == "kept"


def test_an_undecided_stage_does_not_end_the_schedule() -> None:
    question, panel = a_question("A"), a_panel(2)
    says = answers({("s0", "TAG_A"): None, ("s0", "C"): 0.9, ("s1", "C"): 0.9})
    verdicts = run(question, panel, TAGS, says)
    end = judged(question, panel, TAGS, verdicts)
    assert (end.outcome, end.removed_by) == ("removed", "ambiguity")
    assert end.decisions[1].outcome == "not-run"  # TAG_A lacks a vote; TAG_B and TAG_C no longer mattered


def test_a_reserve_takes_the_place_of_a_failed_seat_for_that_unit_alone() -> None:
    question, panel = a_question("A"), a_panel(3, reserves=2, schedule="full")
    says = answers({("s1", "TAG_B"): None, ("s2", "TAG_B"): None, ("r0", "TAG_B"): ("A", 0.9)})
    verdicts = run(question, panel, TAGS, says)
    stood_in = {(v.seat, v.unit, v.replaces) for v in verdicts if v.seat.startswith("r")}
    assert stood_in == {("r0", "TAG_B", "s1"), ("r1", "TAG_B", "s2")}
    unit = judged(question, panel, TAGS, verdicts).decisions[1].units[1]
    assert (unit.votes, unit.statistic, unit.outcome) == (3, 1.0, "passed")
    assert "r0 stood in for s1" in unit.explanation


def test_the_next_reserve_follows_when_a_reserve_fails_too() -> None:
    question, panel = a_question("A"), a_panel(1, reserves=2, schedule="full")
    says = answers({("s0", "TAG_A"): None, ("r0", "TAG_A"): None, ("r1", "TAG_A"): ("A", 1.0)})
    verdicts = run(question, panel, TAGS, says)
    asked = [(v.seat, v.replaces) for v in verdicts if v.unit == "TAG_A"]
    assert asked == [("s0", ""), ("r0", "s0"), ("r1", "s0")]
    assert judged(question, panel, TAGS, verdicts).removed_by == "solvability"


def test_a_seat_that_answers_after_all_sends_its_reserve_home() -> None:
    question, panel, tags = a_question("A"), a_panel(1, reserves=1, schedule="full"), ("TAG_A", "TAG_B")
    says = answers({("s0", "TAG_A"): None, ("r0", "TAG_A"): ("A", 1.0)})
    before = run(question, panel, tags, says)
    assert judged(question, panel, tags, before).removed_by == "solvability"
    (call,) = [call for call in all_calls(question, panel, tags) if (call.seat, call.unit) == ("s0", "TAG_A")]
    after = (*before, verdict_of(call, ("B", 1.0)))
    assert judged(question, panel, tags, after).outcome == "kept"
    assert next_calls(question, panel, tags, after) == ()


def test_frugal_prefers_a_seat_that_was_not_asked_to_a_reserve() -> None:
    question, panel = a_question("A"), a_panel(3, reserves=1)
    verdicts = run(question, panel, TAGS, answers({("s0", "TAG_A"): None}))
    assert judged(question, panel, TAGS, verdicts).outcome == "kept"
    assert not [verdict for verdict in verdicts if verdict.seat == "r0"]


def test_a_drawn_source_is_the_same_for_all_seats() -> None:
    checks = Checks.model_validate({"solvability": {"sources": "random"}})
    drawn = set()
    for number in range(60):
        question = a_question(question_id=f"q-{number}")
        calls = all_calls(question, a_panel(3, checks=checks), TAGS)
        units = {call.unit for call in calls if call.check == "solvability"}
        assert len(units) == 1
        drawn |= units
    assert drawn == set(TAGS)


def test_missing_calls_complete_a_frugal_run() -> None:
    question, panel = a_question("A"), a_panel(3)
    says = answers({})
    verdicts = run(question, panel, TAGS, says)
    missing = missing_calls(question, panel, TAGS, verdicts)
    assert len(missing) == calls_saved(question, panel, TAGS, verdicts) == 21 - len(verdicts)
    complete = (*verdicts, *(verdict_of(call, says(call)) for call in missing))
    assert missing_calls(question, panel, TAGS, complete) == ()


def test_verdicts_of_other_panels_and_their_order_do_not_matter() -> None:
    question, panel = a_question("A"), a_panel(3)
    verdicts = run(question, panel, TAGS, answers({("s0", "TAG_A"): None}))
    stranger = verdict_of(all_calls(question, panel, TAGS)[0].model_copy(update={"seat": "x"}), ("A", 1.0))
    assert judged(question, panel, TAGS, (stranger, *reversed(verdicts))) == judged(question, panel, TAGS, verdicts)


def test_the_forecast_counts_what_the_schedules_ask() -> None:
    lines = forecast_calls(a_panel(3), 4)
    assert sum(line.high for line in lines) == (4 + 3 + 1) * 3
    assert sum(line.low for line in lines) == (4 + 3) * 2 + 1
    full = forecast_calls(a_panel(3, schedule="full"), 4)
    assert all(line.low == line.high for line in full)
    blind = Checks.model_validate({"blind": {"enabled": True}})
    assert sum(line.high for line in forecast_calls(a_panel(1, checks=blind), 2)) == 2 + 3 + 1 + 4


def test_blind_stops_a_seat_at_its_first_wrong_rotation() -> None:
    checks = {"blind": {"enabled": True}}
    checks |= {name: {"enabled": False} for name in ("solvability", "ambiguity", "difficulty")}
    question, panel = a_question("A"), a_panel(3, checks=Checks.model_validate(checks))
    says = answers({("s0", f"rotation-{k}"): ("A", None) for k in range(3)})
    verdicts = run(question, panel, TAGS, says)
    asked = Counter(verdict.seat for verdict in verdicts)
    assert asked == {"s0": 4, "s1": 1, "s2": 1} or asked == {"s0": 4, "s1": 1}
    assert judged(question, panel, TAGS, verdicts).outcome == "kept"
