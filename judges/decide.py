"""From verdicts to a decision: three-valued, pure, and with its arithmetic in words.

removed if any source, pair or check proves it (the first check in the paper's order is named); otherwise undecided if
any of them lacks votes; otherwise kept. A judge that failed is absent, never a vote.
"""

from collections.abc import Iterable

from judges.ballots import Ballot, ballots
from judges.base import PanelCheck, counted
from judges.checks import CHECKS
from judges.crossed import decide_crossed, removed_as_uncrossed
from judges.schedule import calls_saved
from records.base import Record
from records.config import Panel
from records.media import Tag
from records.questions import Question, RuleReport
from records.verdicts import Check, CheckOutcome, Decision, ItemOutcome, UnitDecision, Verdict


class Judgement(Record):
    """What a panel's verdicts say about one question."""

    decisions: tuple[Decision, ...]
    """One a check, in the order of the funnel: crossed, solvability, ambiguity, difficulty, blind."""
    outcome: ItemOutcome
    removed_by: Check | None = None
    """The first check, in the paper's order, that proves removal."""
    calls_saved: int = 0
    """Judge calls that the frugal schedule did not need; 0 under the full one."""


def decide(
    question: Question,
    verdicts: Iterable[Verdict],
    panel: Panel,
    tags: tuple[Tag, ...],
    rule_report: RuleReport | None = None,
) -> Judgement:
    """The decision on a question, from all verdicts given so far (in any order).

    `rule_report` saves the crossed check from being run again. Verdicts that a finished schedule left out prove
    nothing and lack nothing: the schedule stops only where they could not matter.
    """
    verdicts = tuple(verdicts)
    crossed = decide_crossed(question, panel, rule_report)
    state = ballots(question, panel, tags, verdicts)
    decisions = (crossed, *(_decision(check, question, panel, tags, state) for check in CHECKS))
    removed_by = next((decision.check for decision in decisions if decision.outcome == "removed"), None)
    never_asked = removed_as_uncrossed(question, panel, rule_report)
    return Judgement(
        decisions=decisions,
        outcome="removed" if removed_by else _unremoved(decisions),
        removed_by=removed_by,
        calls_saved=0 if never_asked else calls_saved(question, panel, tags, verdicts),
    )


def _unremoved(decisions: tuple[Decision, ...]) -> ItemOutcome:
    settled = all(decision.outcome in ("passed", "off") for decision in decisions)
    return "kept" if settled else "undecided"


def _decision(
    check: PanelCheck,
    question: Question,
    panel: Panel,
    tags: tuple[Tag, ...],
    state: dict[Check, tuple[Ballot, ...]],
) -> Decision:
    if check.name not in state:
        return Decision(check=check.name, outcome="off", explanation=check.why_off(question, panel, tags))
    units = tuple(_unit(check, ballot, question, panel) for ballot in state[check.name])
    outcome = _outcome(units)
    return Decision(check=check.name, outcome=outcome, units=units, explanation=_explanation(outcome, units))


def _outcome(units: tuple[UnitDecision, ...]) -> CheckOutcome:
    """Removed by any unit, else undecided by any, else not run if any was not asked to its end, else passed."""
    found = {unit.outcome for unit in units}
    for outcome in ("removed", "undecided", "not-run"):
        if outcome in found:
            return outcome
    return "passed"


def _unit(check: PanelCheck, ballot: Ballot, question: Question, panel: Panel) -> UnitDecision:
    outcome = check.outcome(ballot.votes, panel)
    return UnitDecision(
        unit=ballot.unit,
        outcome="not-run" if outcome == "undecided" and ballot.open else outcome,
        statistic=check.statistic(ballot.votes, panel),
        threshold=check.threshold(panel),
        votes=len(ballot.votes),
        seats=len(panel.judges),
        explanation=_arithmetic(check, ballot, question, panel),
    )


def _arithmetic(check: PanelCheck, ballot: Ballot, question: Question, panel: Panel) -> str:
    """The unit's sum in words, then who failed, who stood in, and who was not asked."""
    lines = [check.arithmetic(ballot.votes, question, panel) if ballot.votes else "no votes"]
    if ballot.failed:
        lines.append(f"failed and not replaced: {', '.join(ballot.failed)}")
    lines += [f"{reserve} stood in for {seat}" for reserve, seat in ballot.stood_in]
    if len(ballot.votes) < panel.min_votes:
        lines.append(f"{counted(panel.min_votes, 'vote')} needed to prove anything")
    waiting = sum(not place.replaces for place in ballot.open)
    if waiting:
        lines.append(f"{counted(waiting, 'seat')} not asked")
    return "; ".join(lines)


def _explanation(outcome: CheckOutcome, units: tuple[UnitDecision, ...]) -> str:
    named = [unit.unit for unit in units if unit.outcome == outcome]
    listed = ", ".join(named)
    return {
        "passed": "no unit proves removal",
        "removed": f"removal is proven by {listed}",
        "undecided": f"votes are lacking for {listed}",
        "not-run": f"not asked to the end: {listed}",
    }[outcome]
