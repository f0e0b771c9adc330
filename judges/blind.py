"""Blind: can the question be answered without any evidence? (VideoVista-CulturalLingo 3.3, CircularEval)

The options are rotated through all positions; a seat knows the answer when it is right in every rotation. Removed when
a majority of the seats does. Culture items may have a second round in which the article alone is shown.
"""

from collections.abc import Mapping, Sequence

from judges.base import EVERYTHING, PanelCheck, SeatState, UnitOutcome, either
from judges.orders import rotated_order
from prompts import render
from records.calls import QuotedPart, Task
from records.config import Panel
from records.media import Evidence, SourceEvidence, Tag
from records.questions import Letter, Question
from records.verdicts import Check, ChoiceVerdict, Verdict

ARTICLE = "article"
"""The unit of the round with the article alone."""
ARTICLE_FIELD = "article"
"""The field of `Question.extra` that holds the article's text."""


class Blind(PanelCheck):
    """See the module."""

    name: Check = "blind"
    task: Task = "blind"

    def why_off(self, question: Question, panel: Panel, tags: tuple[Tag, ...]) -> str:
        """Off by the panel alone."""
        return "" if panel.checks.blind.enabled else "switched off in the panel"

    def units(self, question: Question, panel: Panel, tags: tuple[Tag, ...]) -> tuple[str, ...]:
        """The round without evidence, then, where wanted and where the question has one, with its article."""
        with_article = panel.checks.blind.with_article and question.extra.get(ARTICLE_FIELD)
        return (EVERYTHING, ARTICLE) if with_article else (EVERYTHING,)

    def calls(self, unit: str, question: Question) -> tuple[str, ...]:
        """One call a rotation: as many as there are options, one where their order may not change."""
        rotations = 1 if question.pinned else len(question.options)
        stem = f"{ARTICLE}-" if unit == ARTICLE else ""
        return tuple(f"{stem}rotation-{number}" for number in range(rotations))

    def seat_state(self, unit: str, said: Mapping[str, Verdict], question: Question, panel: Panel) -> SeatState:
        """One wrong rotation is a vote for keeping; all right is one for removing; a failure leaves only the first."""
        calls = self.calls(unit, question)
        votes = [self.vote_of(said[call], question, panel) for call in calls if call in said]
        missing = tuple(call for call in calls if call not in said)
        if 0.0 in votes:
            return SeatState(vote=0.0)
        if missing:
            return SeatState(missing=missing, can_remove=None not in votes)
        return SeatState(failed=True) if None in votes else SeatState(vote=1.0)

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
        """1.0 for the key in one rotation. Confidence does not count: who has no evidence may well be unsure."""
        return float(verdict.answer == question.key) if isinstance(verdict, ChoiceVerdict) else None

    def instructions(self, call: str, letters: tuple[Letter, ...]) -> str:
        """Answer without evidence, or from the article alone."""
        name = "judges/blind-article" if _with_article(call) else "judges/blind"
        return render(name, letters=either(letters), count=len(letters))

    def paper_system(self, call: str, letters: tuple[Letter, ...]) -> str:
        """The same in the paper's order; the news paper has no such check."""
        return render("judges/paper-blind", letters=either(letters), article=_with_article(call))

    def sources(self, call: str, evidence: Evidence) -> tuple[SourceEvidence, ...]:
        """None."""
        return ()

    def quoted(self, call: str, question: Question) -> tuple[QuotedPart, ...]:
        """The article, in its own round."""
        return (QuotedPart(name="article", text=question.extra[ARTICLE_FIELD]),) if _with_article(call) else ()

    def order(self, call: str, question: Question, seat: str) -> tuple[Letter, ...]:
        """The Question's order, moved on by the rotation."""
        return rotated_order(question, self.rotation(call) or 0)

    def rotation(self, call: str) -> int | None:
        """The number in a call such as ``article-rotation-2``."""
        return int(call.rpartition("-")[2])

    def arithmetic(self, votes: Sequence[float], question: Question, panel: Panel) -> str:
        """Such as ``1 of 3 seats was right in every rotation; 2 of 3 seats remove it``."""
        return (
            f"{int(sum(votes))} of {len(votes)} seats asked gave the key in every rotation; "
            f"{panel.majority} of {len(panel.judges)} seats remove it"
        )


def _with_article(call: str) -> bool:
    return call.startswith(f"{ARTICLE}-")


CHECK = Blind()
