"""What a check of the panel is: what it asks, and how one seat's replies become its vote. Pure.

A check decides *units* (a source, a pair, the whole question). Each configured seat has one *place* on each unit; a
place ends with a vote (a number), or without one when the seat failed and no reserve could stand in. One file beside
this one holds everything about one check.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Literal

from judges.orders import shown_order
from prompts import render
from records.base import Record
from records.calls import QuotedPart, Task
from records.config import Panel
from records.media import Evidence, SourceEvidence, Tag
from records.questions import Letter, Question
from records.verdicts import Check, ChoiceVerdict, Verdict

UnitOutcome = Literal["passed", "removed", "undecided"]

EVERYTHING = "all"
"""The unit of a check that decides the question as a whole."""


class SeatState(Record):
    """How far one seat has come on one unit."""

    vote: float | None = None
    """0.0 speaks for keeping, 1.0 for removing; a severity lies between."""
    failed: bool = False
    """Every call was made, and there is no vote."""
    missing: tuple[str, ...] = ()
    """Units of calls that were not made yet, where they may still bring a vote."""
    can_remove: bool = True
    """Whether the missing calls may still end in a vote for removal."""

    @property
    def open(self) -> bool:
        """Whether calls are missing that may bring a vote."""
        return bool(self.missing)


class PanelCheck(ABC):
    """One check. Stateless: everything it needs is handed in."""

    name: Check
    task: Task
    asks: Literal["choice", "severity"] = "choice"
    """A choice among the options (reply with answer and confidence), or a severity."""
    shows_key: bool = False
    """Whether the judge is told the key, and the unit is the letter of the option that is compared with it."""

    # what is decided

    @abstractmethod
    def why_off(self, question: Question, panel: Panel, tags: tuple[Tag, ...]) -> str:
        """Why this check is not run on this question, in words; empty when it is."""

    @abstractmethod
    def units(self, question: Question, panel: Panel, tags: tuple[Tag, ...]) -> tuple[str, ...]:
        """The units that are decided, in a fixed order."""

    @abstractmethod
    def outcome(self, votes: Sequence[float], panel: Panel) -> UnitOutcome:
        """What the votes prove when no further vote comes."""

    @abstractmethod
    def statistic(self, votes: Sequence[float], panel: Panel) -> float | None:
        """The number that is compared with `threshold`; None without votes where it is not a count."""

    @abstractmethod
    def threshold(self, panel: Panel) -> float:
        """The statistic from which on a unit is removed."""

    @abstractmethod
    def arithmetic(self, votes: Sequence[float], question: Question, panel: Panel) -> str:
        """The unit's arithmetic in words."""

    @abstractmethod
    def vote_of(self, verdict: Verdict, question: Question, panel: Panel) -> float | None:
        """One verdict as a vote; None for a failure or for a verdict of another kind."""

    def calls(self, unit: str, question: Question) -> tuple[str, ...]:
        """The calls of one seat that make up its vote on a unit: by default one, of the unit's own name."""
        return (unit,)

    def seat_state(self, unit: str, said: Mapping[str, Verdict], question: Question, panel: Panel) -> SeatState:
        """A seat's place on a unit, from what it said by call unit. For checks with one call a vote."""
        (call,) = self.calls(unit, question)
        verdict = said.get(call)
        if verdict is None:
            return SeatState(missing=(call,))
        vote = self.vote_of(verdict, question, panel)
        return SeatState(vote=vote, failed=vote is None)

    # what is asked

    @abstractmethod
    def instructions(self, call: str, letters: tuple[Letter, ...]) -> str:
        """The text between evidence and question in the layout `shared-prefix`; `letters` are those shown."""

    def paper_system(self, call: str, letters: tuple[Letter, ...]) -> str:
        """The system text in the layout `paper`."""
        return render("judges/paper-solver", letters=either(letters))

    def sources(self, call: str, evidence: Evidence) -> tuple[SourceEvidence, ...]:
        """The sources that a call shows: by default all."""
        return evidence.sources

    def quoted(self, call: str, question: Question) -> tuple[QuotedPart, ...]:
        """Further untrusted text that a call shows: by default none."""
        return ()

    def order(self, call: str, question: Question, seat: str) -> tuple[Letter, ...]:
        """The Question's letters in the order in which a judge sees them: by default a permutation of its own."""
        return shown_order(question, seat, call)

    def rotation(self, call: str) -> int | None:
        """By how many places the options are rotated, for a check that does."""
        return None

    # what the votes prove

    def proves(self, votes: Sequence[float], panel: Panel) -> UnitOutcome:
        """The common rule: too few votes prove nothing; else the statistic against the threshold."""
        statistic = self.statistic(votes, panel)
        if len(votes) < panel.min_votes or statistic is None:
            return "undecided"
        return "removed" if statistic >= self.threshold(panel) else "passed"


def confident_key(verdict: Verdict, question: Question, confidence: float) -> float | None:
    """1.0 for the key with at least this confidence, 0.0 for any other answer, None for what is no answer."""
    if not isinstance(verdict, ChoiceVerdict):
        return None
    sure = verdict.confidence is not None and verdict.confidence >= confidence
    return 1.0 if verdict.answer == question.key and sure else 0.0


def either(letters: tuple[Letter, ...]) -> str:
    """``A, B, C or D``."""
    return f"{', '.join(letters[:-1])} or {letters[-1]}" if len(letters) > 1 else letters[0]


def counted(number: int, noun: str) -> str:
    """``1 seat``, ``2 seats``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
