"""What judges said, and what was decided.

Letters are always those of the Question record: a judge sees permuted options, and its answer is mapped back
before it becomes a verdict. A judge that failed is a `JudgeFailure`, never a vote.
"""

from typing import Literal

from records.base import Record
from records.media import Tag
from records.questions import Letter, Question

Check = Literal["crossed", "solvability", "ambiguity", "difficulty", "blind"]
"""In the order of the funnel; ``crossed`` is code, the others are asked of the panel."""

CallOutcome = Literal[
    "ok", "refused", "filtered", "truncated", "unparsed", "context-too-long", "too-many-images",
    "rate-limited", "unavailable", "misconfigured",
]  # fmt: skip


class ChoiceVerdict(Record):
    """A seat's answer to the question (solvability, difficulty, blind)."""

    check: Check
    seat: str
    model: str
    unit: str
    """What was asked: the tag for solvability, ``all`` for difficulty, ``rotation-0`` … for blind."""
    answer: Letter
    confidence: float | None
    """0.0–1.0; None where the judge gave none that can be read, which never reaches a threshold."""
    rationale: str = ""
    shown_order: tuple[Letter, ...] = ()
    """The Question's letters in the order in which this judge saw them."""
    request_id: str = ""
    replaces: str = ""
    """The seat whose place a reserve took."""


class SeverityVerdict(Record):
    """How far one wrong option could also be right, in a seat's eyes: 0.0 clearly wrong, 1.0 as right as the key."""

    check: Check = "ambiguity"
    seat: str
    model: str
    unit: Letter
    """The alternative option."""
    severity: float
    rationale: str = ""
    request_id: str = ""
    replaces: str = ""


class JudgeFailure(Record):
    """A judge's call that gave no verdict."""

    check: Check
    seat: str
    model: str
    unit: str
    outcome: CallOutcome
    message: str
    request_id: str = ""
    replaces: str = ""
    """The seat whose place a reserve should have taken."""


Verdict = ChoiceVerdict | SeverityVerdict | JudgeFailure

CheckOutcome = Literal["passed", "removed", "undecided", "not-run", "off"]


class UnitDecision(Record):
    """The decision on one source, pair or rotation of a check."""

    unit: str
    outcome: Literal["passed", "removed", "undecided", "not-run"]
    statistic: float | None = None
    """Solvability, difficulty, blind: votes for removal. Ambiguity: the combined severity."""
    threshold: float
    votes: int
    seats: int
    explanation: str
    """The arithmetic in words, such as ``2 of 3 seats answered C (the key) with confidence >= 0.8``."""


class Decision(Record):
    """What one check says about one question."""

    check: Check
    outcome: CheckOutcome
    units: tuple[UnitDecision, ...] = ()
    explanation: str = ""


ItemOutcome = Literal["kept", "removed", "undecided"]


class Item(Record):
    """A question with everything that was said and decided about it by one panel."""

    item_id: str
    """The question's id."""
    judgement_set: str
    question: Question
    verdicts: tuple[Verdict, ...]
    decisions: tuple[Decision, ...]
    outcome: ItemOutcome
    removed_by: Check | None = None
    """The first check, in the paper's order, that proves removal."""
    schedule: Literal["full", "frugal"]
    calls_saved: int = 0
    """Judge calls that the frugal schedule did not need."""
    rule_warnings: tuple[str, ...] = ()
    cost_usd: float = 0.0
    """Of the drafting and judging of this question alone."""
    tags_named: tuple[Tag, ...] = ()
