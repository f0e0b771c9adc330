"""Difficulty: does every seat, seeing all sources, answer the key with confidence? Then it is too easy.

(VNU-Bench 2.4 and E.1.) One wrong or unsure answer proves that it is not, whatever else fails; a failed seat is no
wrong answer, so without such an answer the question stays undecided.
"""

from collections.abc import Sequence

from judges.base import EVERYTHING, PanelCheck, UnitOutcome, confident_key, either
from prompts import render
from records.calls import Task
from records.config import Panel
from records.media import Tag
from records.questions import Letter, Question
from records.verdicts import Check, Verdict


class Difficulty(PanelCheck):
    """See the module."""

    name: Check = "difficulty"
    task: Task = "difficulty"

    def why_off(self, question: Question, panel: Panel, tags: tuple[Tag, ...]) -> str:
        """Off by the panel alone."""
        return "" if panel.checks.difficulty.enabled else "switched off in the panel"

    def units(self, question: Question, panel: Panel, tags: tuple[Tag, ...]) -> tuple[str, ...]:
        """The question as a whole."""
        return (EVERYTHING,)

    def outcome(self, votes: Sequence[float], panel: Panel) -> UnitOutcome:
        """Passed by one vote against; removed by votes of all configured seats; otherwise undecided."""
        if 0.0 in votes:
            return "passed"
        return "removed" if len(votes) >= len(panel.judges) else "undecided"

    def statistic(self, votes: Sequence[float], panel: Panel) -> float:
        """Votes for removal."""
        return sum(votes)

    def threshold(self, panel: Panel) -> float:
        """All configured seats."""
        return float(len(panel.judges))

    def vote_of(self, verdict: Verdict, question: Question, panel: Panel) -> float | None:
        """1.0 when the seat answered the key with confidence."""
        return confident_key(verdict, question, panel.checks.difficulty.confidence)

    def instructions(self, call: str, letters: tuple[Letter, ...]) -> str:
        """Answer from all sources."""
        return render("judges/difficulty", letters=either(letters))

    def arithmetic(self, votes: Sequence[float], question: Question, panel: Panel) -> str:
        """Such as ``1 of 2 answers was …; too easy when all 3 seats are``."""
        sure = panel.checks.difficulty.confidence
        return (
            f"{int(sum(votes))} of {len(votes)} answers were {question.key} (the key) with confidence >= {sure:g}; "
            f"too easy when all {len(panel.judges)} seats give it"
        )


CHECK = Difficulty()
