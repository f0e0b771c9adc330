"""Pairwise ambiguity: could a wrong option also be right? (VNU-Bench 2.4 and E.3)

For each wrong option beside the key every seat gives a severity from 0.0 to 1.0. Seats are combined per pair (median,
mean or maximum), pairs by maximum: one pair that reaches the threshold removes the question.
"""

import math
from collections.abc import Sequence
from typing import Literal

from judges.base import PanelCheck, UnitOutcome
from prompts import render
from records.calls import Task
from records.config import Combiner, Panel
from records.media import Tag
from records.questions import Letter, Question
from records.verdicts import Check, SeverityVerdict, Verdict


class Ambiguity(PanelCheck):
    """See the module."""

    name: Check = "ambiguity"
    task: Task = "ambiguity"
    asks: Literal["choice", "severity"] = "severity"
    shows_key: bool = True

    def why_off(self, question: Question, panel: Panel, tags: tuple[Tag, ...]) -> str:
        """Off by the panel alone."""
        return "" if panel.checks.ambiguity.enabled else "switched off in the panel"

    def units(self, question: Question, panel: Panel, tags: tuple[Tag, ...]) -> tuple[str, ...]:
        """The letters of the wrong options."""
        return tuple(letter for letter in question.options if letter != question.key)

    def outcome(self, votes: Sequence[float], panel: Panel) -> UnitOutcome:
        """Removed when the combined severity reaches the threshold; undecided with too few votes."""
        return self.proves(votes, panel)

    def statistic(self, votes: Sequence[float], panel: Panel) -> float | None:
        """The combined severity."""
        return combined(votes, panel.checks.ambiguity.combine) if votes else None

    def threshold(self, panel: Panel) -> float:
        """The severity from which on an alternative counts as also right."""
        return panel.checks.ambiguity.severity

    def vote_of(self, verdict: Verdict, question: Question, panel: Panel) -> float | None:
        """The severity as it is."""
        return verdict.severity if isinstance(verdict, SeverityVerdict) else None

    def instructions(self, call: str, letters: tuple[Letter, ...]) -> str:
        """Compare the alternative with the key; which letters they have is shown with the question."""
        return render("judges/ambiguity")

    def paper_system(self, call: str, letters: tuple[Letter, ...]) -> str:
        """The bands of E.3 in our words."""
        return render("judges/paper-ambiguity")

    def arithmetic(self, votes: Sequence[float], question: Question, panel: Panel) -> str:
        """Such as ``median of 3 severities (0.1, 0.2, 0.7) = 0.2; ambiguous from 0.6``."""
        if not votes:
            return "no severity was given"
        settings = panel.checks.ambiguity
        listed = ", ".join(f"{vote:g}" for vote in sorted(votes))
        name = {"median": "median", "mean": "mean", "max": "maximum"}[settings.combine]
        noun = "severity" if len(votes) == 1 else "severities"
        value = combined(votes, settings.combine)
        return f"{name} of {len(votes)} {noun} ({listed}) = {value:g}; ambiguous from {settings.severity:g}"


def combined(severities: Sequence[float], how: Combiner) -> float:
    """Seats' severities as one. An even number has the lower median; means are rounded to six decimals.

    Raises ValueError for no severities.
    """
    if not severities:
        raise ValueError("no severities to combine")
    if how == "median":
        return sorted(severities)[(len(severities) - 1) // 2]
    return max(severities) if how == "max" else round(math.fsum(severities) / len(severities), 6)


CHECK = Ambiguity()
