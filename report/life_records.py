"""The records that one question's life is told in: calls, frames, sources, attempts, verdicts, checks.

What they hold is read by `report.lives` and shown by `report.terminal` and `report.page`.
"""

from typing import Literal

from pydantic import Field

from records.base import Record
from records.media import Sentence
from records.questions import DraftOutcome, Question, Violation
from records.verdicts import CallOutcome, Check, CheckOutcome, ItemOutcome, UnitDecision

LifeOutcome = ItemOutcome | Literal["pending"] | DraftOutcome


class CallLife(Record):
    """One asking of one request, without its prompt: `Run.trace` has that."""

    request_id: str
    task: str
    model: str
    seat: str = ""
    unit: str = ""
    outcome: CallOutcome
    started: str = ""
    latency_s: float = 0.0
    cost_usd: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    exchanges: int = 1
    asked: int = 1
    cache_hits: int = 0
    """How often its reply was used again from the cache."""


class FrameLife(Record):
    """A frame that models saw."""

    tag: str
    number: int
    sha256: str
    time_s: float
    width: int
    height: int
    caption: str = ""
    cited: bool = False
    """Named by the question's evidence."""

    @property
    def label(self) -> str:
        """``TAG_A #3``."""
        return f"{self.tag} #{self.number}"


class SourceLife(Record):
    """One source of the group: what people know about it, and what models saw of it."""

    tag: str
    video_id: str
    title: str = ""
    outlet: str = ""
    date: str = ""
    url: str = ""
    language: str = ""
    origin: str = ""
    ranking: str = ""
    summary: str = ""
    sentences: tuple[Sentence, ...] = ()
    frames: tuple[FrameLife, ...] = ()
    named: bool = False
    """Whether the question names its tag."""


AttemptWords = Literal["keeps the rules", "keeps the rules, with warnings", "breaks rules", "declined", "no draft"]


class AttemptLife(Record):
    """One draft: what the rules said of it."""

    number: int
    said: AttemptWords = "keeps the rules"
    violations: tuple[Violation, ...] = ()
    warnings: tuple[Violation, ...] = ()
    not_checkable: tuple[str, ...] = ()
    reasoning: str = ""
    """The drafter's own, from its reply or from the provider."""
    call: CallLife | None = None


class VerdictLife(Record):
    """What one seat said about one source, pair or rotation, or why it said nothing."""

    seat: str
    model: str
    unit: str
    answer: str = ""
    right: bool | None = None
    """Whether the answer is the key; None where no letter was asked for or given."""
    confidence: float | None = None
    severity: float | None = None
    rationale: str = ""
    shown_order: tuple[str, ...] = ()
    failure: str = ""
    """Outcome and message of a call that gave no verdict."""
    replaces: str = ""
    call: CallLife | None = None


class CheckLife(Record):
    """One check: its decision with the arithmetic, and the verdicts that it rests on."""

    check: Check
    title: str
    outcome: CheckOutcome
    explanation: str
    units: tuple[UnitDecision, ...] = ()
    verdicts: tuple[VerdictLife, ...] = ()
    cost_usd: float = 0.0


class QuestionLife(Record):
    """Everything that is known about one question or about a slot that gave none."""

    run: str
    judgement_set: str
    anchor: str
    """Item id, or the slot where there is no item."""
    slot: str = ""
    outcome: LifeOutcome
    removed_by: Check | None = None
    reason: str = ""
    """Why it was lost or is undecided, in words; empty for kept questions."""
    group_id: str
    topic: str = ""
    domain: str = ""
    type_id: str
    drafter: str
    question: Question | None = None
    sources: tuple[SourceLife, ...] = ()
    cited_frames: tuple[FrameLife, ...] = ()
    attempts: tuple[AttemptLife, ...] = ()
    checks: tuple[CheckLife, ...] = ()
    not_crossed: bool = False
    rule_warnings: tuple[str, ...] = ()
    calls: tuple[CallLife, ...] = ()
    """Drafting and judging, in the order in which they began."""
    cost_usd: float = 0.0
    schedule: str = ""
    calls_saved: int = 0
    other_sets: dict[str, str] = Field(default_factory=dict)
    """Judgement set → outcome, where other panels judged the same question."""
