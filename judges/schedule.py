"""Which judge calls to make next: the `full` and the `frugal` schedule, and reserves for failed seats. Pure.

full asks everything at once. frugal follows the paper's stage order (solvability, ambiguity, difficulty, blind),
cheapest seats first, and stops when no outcome of the remaining calls, failure included, could change the item's
outcome or the check that removes it. Both give the same decision, since a stop is only made where all futures agree.
"""

from collections.abc import Callable, Iterable, Mapping

from judges.ballots import Ballot, OpenPlace, ballots, check_outcomes, reachable, steps_to_removal
from judges.base import PanelCheck, UnitOutcome
from judges.checks import CHECKS, check_named
from judges.crossed import removed_as_uncrossed
from judges.panel import seat_order
from records.base import Record
from records.config import Panel
from records.media import Tag, tag_of
from records.questions import Letter, Option, Provenance, Question
from records.verdicts import Check, ChoiceVerdict, SeverityVerdict, Verdict


class PlannedCall(Record):
    """One call that a judge is to make."""

    check: Check
    seat: str
    model: str
    """Model name in the panel file."""
    unit: str
    """The tag for solvability, the alternative's letter for ambiguity, ``all`` for difficulty, ``rotation-k`` and
    ``article-rotation-k`` for blind."""
    shown_order: tuple[Letter, ...]
    """The Question's letters in the order in which this judge sees them."""
    rotation: int | None = None
    """Blind only: by how many places the options are rotated."""
    replaces: str = ""
    """The seat whose place a reserve takes."""


Future = tuple[str, Check | None]
"""(outcome of the item, check that removes it)."""


def next_calls(
    question: Question, panel: Panel, tags: tuple[Tag, ...], verdicts: Iterable[Verdict]
) -> tuple[PlannedCall, ...]:
    """The next calls to make side by side; empty when the schedule is finished.

    `tags` are all usable sources of the group. `verdicts` are all that were given so far, in any order; those of other
    panels' seats are ignored. Which reserve replaces whom follows from them too.
    """
    if removed_as_uncrossed(question, panel):
        return ()
    state = ballots(question, panel, tags, verdicts)
    if panel.schedule == "full":
        places = [(ballot, place) for units in state.values() for ballot in units for place in ballot.open]
        return tuple(call for ballot, place in places for call in _calls(question, ballot, place))
    return _frugal(question, panel, state)


def all_calls(question: Question, panel: Panel, tags: tuple[Tag, ...]) -> tuple[PlannedCall, ...]:
    """Everything that the full schedule asks of the configured seats, reserves left out."""
    return next_calls(question, panel.model_copy(update={"schedule": "full"}), tags, ())


def missing_calls(
    question: Question, panel: Panel, tags: tuple[Tag, ...], verdicts: Iterable[Verdict]
) -> tuple[PlannedCall, ...]:
    """What is still missing for complete verdicts, as statistics about judges need them (``--complete``)."""
    return next_calls(question, panel.model_copy(update={"schedule": "full"}), tags, tuple(verdicts))


def calls_saved(question: Question, panel: Panel, tags: tuple[Tag, ...], verdicts: Iterable[Verdict]) -> int:
    """Calls of the configured seats that the full schedule would have made and nobody has made."""
    asked = {(verdict.check, verdict.seat, verdict.unit) for verdict in verdicts}
    return sum((call.check, call.seat, call.unit) not in asked for call in all_calls(question, panel, tags))


# --- the frugal schedule ---------------------------------------------------------------------------------------------


def _frugal(question: Question, panel: Panel, state: dict[Check, tuple[Ballot, ...]]) -> tuple[PlannedCall, ...]:
    reach = {name: [reachable(ballot, check_named(name), panel) for ballot in units] for name, units in state.items()}
    whole = {name: check_outcomes(units) for name, units in reach.items()}
    if len(item_futures(whole)) == 1:
        return ()
    never_kept = any("passed" not in outcomes for outcomes in whole.values())
    for name, units in state.items():
        if whole[name] == {"removed"}:
            break
        open_units = [
            ballot for ballot, outcomes in zip(units, reach[name], strict=True) if _matters(outcomes, never_kept)
        ]
        if open_units:
            chosen = _nearest_to_removal(open_units, check_named(name), panel)
            return tuple(call for ballot in chosen for call in _first_calls(question, ballot))
    return ()


def item_futures(checks: Mapping[Check, frozenset[UnitOutcome]]) -> frozenset[Future]:
    """Every (outcome, removing check) that an item may still have, given what each check may; in the paper's order."""
    futures: set[Future] = set()
    so_far = {"kept"}
    for name, outcomes in checks.items():
        if "removed" in outcomes and so_far:
            futures.add(("removed", name))
        passed = so_far if "passed" in outcomes else set()
        so_far = passed | ({"undecided"} if so_far and "undecided" in outcomes else set())
    return frozenset(futures | {(outcome, None) for outcome in so_far})


def _matters(outcomes: frozenset[UnitOutcome], never_kept: bool) -> bool:
    """Whether the calls still to come on a unit can matter: passed or undecided is all one if it is never kept."""
    if "removed" in outcomes:
        return len(outcomes) > 1
    return len(outcomes) > 1 and not never_kept


def _nearest_to_removal(units: list[Ballot], check: PanelCheck, panel: Panel) -> list[Ballot]:
    """The units that need the fewest further votes to prove removal; one proof saves the calls on all others."""
    steps = {ballot.unit: steps_to_removal(ballot, check, panel) for ballot in units}
    reachable_steps = [count for count in steps.values() if count is not None]
    nearest = min(reachable_steps, default=None)
    return [ballot for ballot in units if steps[ballot.unit] == nearest]


def _first_calls(question: Question, ballot: Ballot) -> tuple[PlannedCall, ...]:
    """The next seat's calls: all the missing ones of a seat that has begun, otherwise the first alone."""
    place = ballot.open[0]
    if not place.begun:
        place = place.model_copy(update={"missing": place.missing[:1]})
    return _calls(question, ballot, place)


def _calls(question: Question, ballot: Ballot, place: OpenPlace) -> tuple[PlannedCall, ...]:
    return tuple(_call(question, ballot.check, place, unit) for unit in place.missing)


def _call(question: Question, check: Check, place: OpenPlace, unit: str) -> PlannedCall:
    asking = check_named(check)
    return PlannedCall(
        check=check,
        seat=place.seat,
        model=place.model,
        unit=unit,
        shown_order=asking.order(unit, question, place.seat),
        rotation=asking.rotation(unit),
        replaces=place.replaces,
    )


# --- the forecast ----------------------------------------------------------------------------------------------------


class CallForecast(Record):
    """How many calls one seat makes on one question for one check."""

    check: Check
    seat: str
    model: str
    low: int
    """For a question that every judge lets pass: what the frugal schedule asks of it."""
    high: int
    """Everything."""


def forecast_calls(panel: Panel, n_sources: int, n_options: int = 4) -> tuple[CallForecast, ...]:
    """Calls a question, by check and seat, before any question exists. Under the full schedule low equals high.

    A question that a check removes may cost less than `low`; a failure, or judges that disagree, more.
    """
    question, tags = _example(n_sources, n_options)
    whole = all_calls(question, panel, tags)
    few = played(question, panel, tags, _lets_pass)
    lines = []
    for check in CHECKS:
        for seat in seat_order(panel):
            low, high = (
                sum(call.check == check.name and call.seat == seat.seat for call in calls) for calls in (few, whole)
            )
            if high:
                lines.append(CallForecast(check=check.name, seat=seat.seat, model=seat.model, low=low, high=high))
    return tuple(lines)


def played(
    question: Question, panel: Panel, tags: tuple[Tag, ...], answer: Callable[[PlannedCall], Verdict]
) -> tuple[PlannedCall, ...]:
    """The calls that a schedule makes when judges answer by a function, in order. Pure: for forecasts and tests."""
    calls: list[PlannedCall] = []
    verdicts: list[Verdict] = []
    while batch := next_calls(question, panel, tags, tuple(verdicts)):
        calls += batch
        verdicts += [answer(call) for call in batch]
    return tuple(calls)


def _lets_pass(call: PlannedCall) -> Verdict:
    """A judge that finds no fault: unsure of every answer, and no alternative right."""
    if call.check == "ambiguity":
        return SeverityVerdict(seat=call.seat, model=call.model, unit=call.unit, severity=0.0, replaces=call.replaces)
    return ChoiceVerdict(
        check=call.check, seat=call.seat, model=call.model, unit=call.unit, answer="?", confidence=0.0,
        replaces=call.replaces,
    )  # fmt: skip


def _example(n_sources: int, n_options: int) -> tuple[Question, tuple[Tag, ...]]:
    """A question of the wanted shape, for counting calls."""
    tags = tuple(tag_of(index) for index in range(n_sources))
    letters = tuple(chr(ord("A") + index) for index in range(n_options))
    question = Question(
        question_id="q-forecast",
        group_id="",
        type_id="T1",
        language="en",
        stem="?",
        options={letter: Option(text=letter) for letter in letters},
        key="A",
        provenance=Provenance(drafter="people"),
    )
    return question, tags
