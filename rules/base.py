"""What a rule is: a sentence that the drafter reads and a check that code runs on the drafted question.

``Rule(rule_id="two-claims", sentences={"en": …, "zh": …}, check=…)``; `check` returns the violations it finds, an
empty tuple where the rule is kept, and None where the question lacks the structure that the check needs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from records.base import Record
from records.media import Tag
from records.questions import Joiner, Question, Violation
from records.text import primary_language


class RuleContext(Record):
    """What the rules must know beyond the question itself."""

    frames: dict[Tag, tuple[int, ...]] = Field(default_factory=dict)
    """Numbers of the frames that the drafter saw, by tag; an empty tuple for a source without frames. Without any tag
    nothing is known about frames, and whether a cited one exists is not checkable."""
    visual_options: int = 0
    """Options that need a claim about what is shown (2 for T3, T5 and T6)."""
    min_sources: int = 2
    """Distinct tags that a question must use."""
    evidence_characters: int = 160
    evidence_sentences: int = 2
    accepted_stems: tuple[str, ...] = ()
    """Stems of the group's questions that are already accepted."""
    joiners: tuple[Joiner, ...] = ()
    """Joiners that the type allows between an option's claims. Empty: any."""
    option_count: int = 4
    family: str = ""
    """event, object, culture or science for the video track, whose rules are `rules.video`; otherwise empty."""
    type_id: str = ""
    """Of the video track; some of its rules hold for one type."""
    form: str = "claims"
    """What the options are (`prompts.heads.Form`); the video track's rules differ by it."""
    time_gap_s: float = 5.0
    """Moments offered as options are at least this far apart."""
    time_tolerance_s: float = 1.0
    """A moment may miss the measured one by this much; options are written to the second."""
    order_gap_s: float = 0.0
    """Things that are put in order begin at least this far apart."""
    most_iou: float = 0.3
    """Wrong boxes overlap the right one less than this."""
    key_iou: float = 0.9
    """The right box overlaps the measured one at least this much."""
    least_before: int = 2
    """Events that a prediction clip shows at least."""

    @property
    def has_frames(self) -> bool:
        """Whether the drafter saw any frame, so that evidence can cite one."""
        return any(self.frames.values())


Found = tuple[Violation, ...] | None
Check = Callable[[Question, RuleContext], Found]


@dataclass(frozen=True)
class Rule:
    """One rule of the catalogue (VNU-Bench C.3, unless `source` says otherwise)."""

    rule_id: str
    sentences: Mapping[str, str]
    """By language (en, zh); ``{evidence_characters}`` and other context fields are filled in."""
    check: Check | None = None
    """None: only people and judges can tell."""
    level: Literal["violation", "warning"] = "violation"
    source: str = "VNU-Bench C.3"
    applies: Callable[[RuleContext], bool] = lambda context: True
    """Whether the drafter needs the sentence here: a rule on pictures is not read for a type without any."""

    def sentence(self, language: str, context: RuleContext) -> str:
        """The rule in words for the drafter; English where there is no sentence in that language."""
        text = self.sentences.get(primary_language(language), self.sentences["en"])
        return text.format_map({name: getattr(context, name) for name in RuleContext.model_fields})


def violation(rule_id: str, where: str, message: str) -> Violation:
    """Shorthand for one finding."""
    return Violation(rule_id=rule_id, where=where, message=message)


def is_structured(question: Question) -> bool:
    """Whether every option came as claims, so that structural rules can be checked."""
    return bool(question.options) and all(option.claims for option in question.options.values())
