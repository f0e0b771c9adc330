"""The state of the vote: for each unit of each check, who has voted, who failed, and what may still come. Pure.

Both the schedule (what may still come?) and the decision (what is proven?) read ballots, so they cannot disagree.
"""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from judges.base import PanelCheck, SeatState, UnitOutcome
from judges.checks import CHECKS
from judges.panel import seat_order
from records.base import Record
from records.config import Panel, SeatSpec
from records.media import Tag
from records.questions import Question
from records.verdicts import Check, JudgeFailure, Verdict

UNIT_OUTCOMES: tuple[UnitOutcome, ...] = ("passed", "removed", "undecided")


class OpenPlace(Record):
    """A place that may still bring a vote: by whom, and by which calls."""

    seat: str
    model: str
    missing: tuple[str, ...]
    begun: bool = False
    """Some of the seat's calls on this unit were made."""
    can_remove: bool = True
    replaces: str = ""
    """The seat whose place a reserve takes."""


class Ballot(Record):
    """One unit of one check."""

    check: Check
    unit: str
    votes: tuple[float, ...]
    open: tuple[OpenPlace, ...]
    """In the order of asking: seats that have begun, further seats (cheapest first), reserves for failed places."""
    failed: tuple[str, ...] = ()
    """Seats that failed and that no reserve has replaced."""
    stood_in: tuple[tuple[str, str], ...] = ()
    """(reserve, seat it replaced), for votes that count."""
    spare_reserves: int = 0
    """Reserves that were not asked on this unit."""


def ballots(
    question: Question, panel: Panel, tags: tuple[Tag, ...], verdicts: Iterable[Verdict]
) -> dict[Check, tuple[Ballot, ...]]:
    """The ballots of every check that is run on this question, in the paper's order."""
    said = _by_call(verdicts)
    return {
        check.name: tuple(_ballot(check, unit, question, panel, said) for unit in check.units(question, panel, tags))
        for check in CHECKS
        if not check.why_off(question, panel, tags)
    }


def reachable(ballot: Ballot, check: PanelCheck, panel: Panel) -> frozenset[UnitOutcome]:
    """Every outcome that this unit may still have, over all answers and failures of the calls to come.

    Outcomes are monotone in each vote, so the extreme votes 0.0 and 1.0 reach whatever can be reached.
    """
    return frozenset(outcome for _, outcome in _futures(ballot, check, panel))


def steps_to_removal(ballot: Ballot, check: PanelCheck, panel: Panel) -> int | None:
    """The fewest further votes after which this unit may be removed; None where it cannot be."""
    steps = [count for count, outcome in _futures(ballot, check, panel) if outcome == "removed"]
    return min(steps, default=None)


def check_outcomes(units: Sequence[frozenset[UnitOutcome]]) -> frozenset[UnitOutcome]:
    """The outcomes that a check may have, given those that its units may have (they are independent)."""
    can_pass = all("passed" in unit for unit in units)
    can_stay = all(unit - {"removed"} for unit in units)
    can_hang = can_stay and any("undecided" in unit for unit in units)
    can_remove = any("removed" in unit for unit in units)
    possible = zip(UNIT_OUTCOMES, (can_pass, can_remove, can_hang), strict=True)
    return frozenset(outcome for outcome, holds in possible if holds)


def _futures(ballot: Ballot, check: PanelCheck, panel: Panel) -> set[tuple[int, UnitOutcome]]:
    """(number of further votes, outcome) for every mixture of extreme votes that the open places can bring."""
    open_places = len(ballot.open)
    removing = open_places if ballot.spare_reserves else sum(place.can_remove for place in ballot.open)
    return {
        (ones + zeros, check.outcome((*ballot.votes, *[1.0] * ones, *[0.0] * zeros), panel))
        for ones in range(removing + 1)
        for zeros in range(open_places - ones + 1)
    }


Said = dict[tuple[Check, str], dict[str, Verdict]]
"""(check, seat) → call unit → what was said; an answer outweighs a failure of the same call."""


def _by_call(verdicts: Iterable[Verdict]) -> Said:
    said: Said = {}
    for verdict in verdicts:
        units = said.setdefault((verdict.check, verdict.seat), {})
        if not (isinstance(verdict, JudgeFailure) and verdict.unit in units):
            units[verdict.unit] = verdict
    return said


def _ballot(check: PanelCheck, unit: str, question: Question, panel: Panel, said: Said) -> Ballot:
    def state(seat: SeatSpec) -> SeatState:
        return check.seat_state(unit, said.get((check.name, seat.seat), {}), question, panel)

    calls = check.calls(unit, question)
    seats = [(seat, state(seat)) for seat in seat_order(panel)]
    stand_ins = [
        (seat, state(seat), _replaced(said.get((check.name, seat.seat), {}), calls)) for seat in panel.reserves
    ]
    failed = [seat.seat for seat, place in seats if place.failed]
    used = [(seat, place, replaced) for seat, place, replaced in stand_ins if replaced is not None]
    filled = {replaced for _, place, replaced in used if not place.failed}
    unfilled = [seat for seat in failed if seat not in filled]
    unused = [seat for seat, _, replaced in stand_ins if replaced is None]
    counted = [(seat, place, replaced) for seat, place, replaced in used if replaced in failed]
    open_places = [_open(seat, place, calls) for seat, place in seats if place.open]
    open_places += [_open(seat, place, calls, replaced) for seat, place, replaced in counted if place.open]
    open_places.sort(key=lambda place: not place.begun)
    pairs = [(place, seat) for place, seat in zip_longest(unfilled, unused) if place and seat]
    open_places += [_open(seat, SeatState(missing=calls), calls, place) for place, seat in pairs]
    votes = [(seat.seat, place.vote, "") for seat, place in seats if place.vote is not None]
    votes += [(seat.seat, place.vote, replaced) for seat, place, replaced in counted if place.vote is not None]
    return Ballot(
        check=check.name,
        unit=unit,
        votes=tuple(vote for _, vote, _ in votes),
        open=tuple(open_places),
        failed=tuple(unfilled),
        stood_in=tuple((seat, replaced) for seat, _, replaced in votes if replaced),
        spare_reserves=max(0, len(unused) - len(pairs)),
    )


def _replaced(said: dict[str, Verdict], calls: tuple[str, ...]) -> str | None:
    """The seat that a reserve replaced on a unit; None where the reserve was not asked."""
    return next((said[call].replaces for call in calls if call in said), None)


def _open(seat: SeatSpec, place: SeatState, calls: tuple[str, ...], replaces: str = "") -> OpenPlace:
    return OpenPlace(
        seat=seat.seat,
        model=seat.model,
        missing=place.missing,
        begun=len(place.missing) < len(calls),
        can_remove=place.can_remove,
        replaces=replaces,
    )
