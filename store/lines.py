"""One line of items.jsonl, rejected.jsonl and undecided.jsonl: the paper's output fields, ours, and harness columns.

The JSON Schema in docs/items.schema.json and the table in docs/items.md are made from these classes. A kept line:
``{"layer": "hard", "type_id": "T7", "question": "…", "options": {"A": "…"}, "correct_answer": "C", …}``.
"""

from typing import Literal

from pydantic import ConfigDict, Field

from records.base import Record
from records.media import Tag
from records.questions import Letter, Modality, Violation
from records.verdicts import Check, CheckOutcome

_CONFIG = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class ClaimLine(Record):
    """One of the two claims of a structured option."""

    model_config = _CONFIG

    text: str
    """The claim."""
    tags: tuple[Tag, ...]
    """Sources that the claim is about."""
    modality: Modality
    """Where it is to be checked."""


class UnitLine(Record):
    """The decision on one source, pair or round of a check."""

    model_config = _CONFIG

    unit: str
    """The tag for solvability, the wrong option's letter for ambiguity, else ``all`` or (blind) ``article``."""
    outcome: Literal["passed", "removed", "undecided", "not-run"]
    """What this unit alone proves."""
    statistic: float | None
    """Votes for removal; for ambiguity the combined severity. Null where too few votes came in."""
    threshold: float
    """The unit proves removal from here on."""
    votes: int
    """Verdicts that came in."""
    seats: int
    """Seats that were configured."""


class DecisionLine(Record):
    """What one check says about the question."""

    model_config = _CONFIG

    check: Check
    """The check, in the order of the funnel."""
    outcome: CheckOutcome
    """``not-run``: an earlier check had removed the item. ``off``: not part of the panel."""
    statistic: float | None
    """The largest statistic of the units: of the source, pair or round that is nearest to removal."""
    threshold: float | None
    """That unit's threshold."""
    explanation: str
    """The arithmetic in words."""
    units: tuple[UnitLine, ...]
    """Every source, pair or round."""


class _Line(Record):
    """What all three files share."""

    model_config = _CONFIG

    item_id: str
    """Hash of what is asked: the same whatever the order of the options, the panel or the decisions."""
    question_id: str
    """The same id under the name that harnesses know."""
    group_id: str
    """The group of videos."""
    track: str
    """Kind of benchmark: ``news`` or ``video``."""
    layer: str
    """Difficulty layer of the paper's output format."""
    type_id: str
    """Question type, such as ``T7``."""
    category: str
    """The question type once more, under the name that harnesses know."""
    language: str
    """Primary language subtag: ``en``, ``zh``."""
    domain: str
    """The group's domain."""
    src: str
    """Where the question comes from, for harnesses: track and group, such as ``news/calder``."""
    question: str
    """The stem."""
    options: dict[Letter, str]
    """Letter → option, in the order in which it was judged and is released."""
    correct_answer: Letter
    """The key."""
    answer: Letter
    """The key once more, under the name that harnesses know."""
    answer_index: int
    """The key's place among the options, from 0."""
    evidence: str
    """Why the key is right, with markers such as ``[FRAME: TAG_A #3]``."""
    support_map: dict[Letter, tuple[Tag, ...]]
    """For the key: every source that supports it."""
    evidence_frames: tuple[str, ...]
    """Frames that the evidence rests on, such as ``TAG_A #3``."""
    sources: dict[Tag, str]
    """Tag → video id, for every source of the group."""
    option_claims: dict[Letter, tuple[ClaimLine, ...]]
    """Letter → the two claims of the option; empty for questions without this structure."""
    option_roles: dict[Letter, str]
    """Letter → the role of the option in a science question of the video track; empty for other questions."""
    drafter: str
    """Model that drafted it, or ``people``."""
    judges: tuple[str, ...] = ()
    """Models that sit on the panel that judged it; like the drafter they may not be scored on it."""
    attempt: int
    """1 for a first draft; more after violations were sent back."""
    judgement_set: str
    """The panel's judgement set that decided; empty where no judge was asked."""
    schedule: str
    """``full`` or ``frugal``; empty where no judge was asked."""
    decisions: tuple[DecisionLine, ...]
    """Every check with its statistic and threshold."""
    rule_warnings: tuple[str, ...]
    """Rules that warn and do not reject."""
    cost_usd: float
    """US dollars spent on drafting and judging this question."""
    calls_saved: int
    """Judge calls that the schedule did not need."""
    extra: dict[str, str]
    """Further facts for tables: event span, culture, discipline, …"""


class ItemLine(_Line):
    """A kept question (items.jsonl)."""

    status: Literal["kept"] = "kept"
    """Always ``kept``."""


class UndecidedLine(_Line):
    """A question that lacks votes (undecided.jsonl); ``--retry-failed`` completes it."""

    status: Literal["undecided"] = "undecided"
    """Always ``undecided``."""
    reason: str
    """Which checks lack how many votes."""


RejectedBy = Literal[
    "rules", "duplicate", "declined", "failed", "crossed", "solvability", "ambiguity", "difficulty", "blind"
]  # fmt: skip


class RejectedLine(_Line):
    """A removed question, or a drafting slot that gave none (rejected.jsonl).

    Where no question could be read (declined or failed slots) `item_id`, `question` and `correct_answer` are empty,
    `options` is an empty object and `answer_index` is -1.
    """

    status: Literal["rejected"] = "rejected"
    """Always ``rejected``."""
    rejected_by: RejectedBy
    """``rules``, ``duplicate``, ``declined`` and ``failed`` come before the judges; the others are checks."""
    reason: str
    """Why, in words."""
    slot: str
    """Drafting slot ``group/type/number``; empty for questions that were not drafted here."""
    violations: tuple[Violation, ...] = Field(default=())
    """Rules that the last draft broke."""


Line = ItemLine | RejectedLine | UndecidedLine
