"""Single-source solvability: can the question be answered from one source alone? (VNU-Bench 2.4 and E.2)

Each seat sees one source at a time. A source solves the question when a strict majority of the configured seats
answers the key with enough confidence; one such source removes the question.
"""

from collections.abc import Sequence

from judges.base import PanelCheck, UnitOutcome, confident_key, either
from prompts import render
from records.base import digest
from records.calls import Task
from records.config import Panel
from records.media import Evidence, SourceEvidence, Tag
from records.questions import Letter, Question
from records.verdicts import Check, Verdict


class Solvability(PanelCheck):
    """See the module."""

    name: Check = "solvability"
    task: Task = "solvability"

    def why_off(self, question: Question, panel: Panel, tags: tuple[Tag, ...]) -> str:
        """Off by the panel, or with fewer than two sources: all of one source is no single source of several."""
        if not panel.checks.solvability.enabled:
            return "switched off in the panel"
        return "" if len(tags) >= 2 else "needs at least two sources"

    def units(self, question: Question, panel: Panel, tags: tuple[Tag, ...]) -> tuple[str, ...]:
        """Every source, or the one drawn for this question."""
        if panel.checks.solvability.sources == "each":
            return tags
        return (drawn_source(question, tags),)

    def outcome(self, votes: Sequence[float], panel: Panel) -> UnitOutcome:
        """Removed by a majority of the configured seats; undecided with fewer votes than `min_votes`."""
        return self.proves(votes, panel)

    def statistic(self, votes: Sequence[float], panel: Panel) -> float:
        """Votes for removal."""
        return sum(votes)

    def threshold(self, panel: Panel) -> float:
        """A strict majority of the configured seats."""
        return float(panel.majority)

    def vote_of(self, verdict: Verdict, question: Question, panel: Panel) -> float | None:
        """1.0 when the seat solved the question with confidence."""
        return confident_key(verdict, question, panel.checks.solvability.confidence)

    def instructions(self, call: str, letters: tuple[Letter, ...]) -> str:
        """Answer from this source alone; the call is the source's tag."""
        return render("judges/solvability", tag=call, letters=either(letters))

    def sources(self, call: str, evidence: Evidence) -> tuple[SourceEvidence, ...]:
        """One source."""
        return (evidence.source(call),)

    def arithmetic(self, votes: Sequence[float], question: Question, panel: Panel) -> str:
        """Such as ``2 of 3 seats answered C (the key) with confidence >= 0.8; 2 solve it``."""
        sure = panel.checks.solvability.confidence
        return (
            f"{int(sum(votes))} of {len(votes)} answers were {question.key} (the key) with confidence >= {sure:g}; "
            f"{panel.majority} of {len(panel.judges)} seats solve it"
        )


def drawn_source(question: Question, tags: tuple[Tag, ...]) -> Tag:
    """The one source that all seats see with ``sources: random``: a function of the question alone (E.2)."""
    return tags[int(digest(["drawn-source", question.question_id])[:12], 16) % len(tags)]


CHECK = Solvability()
