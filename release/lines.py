"""The lines of a release's files; the JSON schemas in ``schema/`` are made from these classes.

items.jsonl has the columns that harnesses read (`question_id, question, options, answer, answer_index, category, src`),
the paper's output fields and ours. evidence.jsonl has one line a source: what it is and how to get it again.
"""

from typing import Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from records.base import Record
from records.media import Tag
from records.questions import Letter, Modality
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


class CheckLine(Record):
    """What one check of the panel said about the question as it was judged (revision 0)."""

    model_config = _CONFIG

    check: Check
    """The check."""
    outcome: CheckOutcome
    """What it decided."""
    statistic: float | None
    """The statistic that decided: votes for removal, or for ambiguity the combined severity."""
    threshold: float | None
    """Removal is proven from here on."""


class ReleaseLine(Record):
    """One question of the benchmark (items.jsonl)."""

    model_config = _CONFIG

    item_id: str
    """The item's name: the same whatever the order of options, the panel or later corrections."""
    question_id: str
    """Hash of what is asked; it follows the text, so a corrected question has another than its item."""
    revision: int
    """0 as it was judged; more after people corrected it."""
    group_id: str
    """The group of sources."""
    track: str
    """Kind of benchmark."""
    layer: str
    """Difficulty layer."""
    type_id: str
    """Question type."""
    category: str
    """The question type once more, under the name that harnesses know."""
    language: str
    """Primary language subtag."""
    domain: str
    """The group's domain."""
    src: str
    """Track and group, such as ``news/calder``."""
    question: str
    """The stem."""
    options: dict[Letter, str]
    """Letter → option."""
    correct_answer: Letter
    """The key."""
    answer: Letter
    """The key once more, under the name that harnesses know."""
    answer_index: int
    """The key's place among the options, from 0."""
    evidence: str
    """Why the key is right."""
    support_map: dict[Letter, tuple[Tag, ...]]
    """For the key: every source that supports it."""
    evidence_frames: tuple[str, ...]
    """Frames that the evidence rests on, such as ``TAG_A #3``; their times are in evidence.jsonl."""
    sources: dict[Tag, str]
    """Tag → video id, for every source of the group."""
    option_claims: dict[Letter, tuple[ClaimLine, ...]]
    """Letter → the option's claims; empty for questions without this structure."""
    option_roles: dict[Letter, str]
    """Letter → the option's role in a science question of the video track; empty for other questions."""
    pinned: bool
    """The options' order carries meaning and must not be changed."""
    drafter: str
    """Model that drafted it, or ``people``."""
    drafter_family: str
    """Family of that model."""
    judges: tuple[str, ...]
    """Models that judged it. Neither these nor the drafter can be scored fairly on this benchmark."""
    judgement_set: str
    """Name of the panel's judgement."""
    checks: tuple[CheckLine, ...]
    """What the panel's checks decided."""
    reviewers: int
    """People whose complete review of this revision counts; 0 in a release without review."""
    extra: dict[str, str]
    """Further facts: culture, article, discipline, event span, …"""


class FrameLine(Record):
    """One still that models saw."""

    model_config = _CONFIG

    number: int
    """k of ``[FRAME: TAG_A #k]``, 1 for the earliest."""
    time_s: float
    """Seconds from the start of the video's presentation."""
    rank: int
    """1 is the most relevant; evaluation shows ranks 1 to 4."""
    width: int
    """Pixels."""
    height: int
    """Pixels."""
    sha256: str
    """Of the JPEG as models got it."""
    file: str
    """Path within the release; empty where stills are not part of it."""


class SourceLine(Record):
    """One source of a group (evidence.jsonl)."""

    model_config = _CONFIG

    group_id: str
    """The group."""
    topic: str
    """What the group is about."""
    domain: str
    """The group's domain."""
    video_id: str
    """Name of the source within its group."""
    title: str
    """As the platform gives it."""
    outlet: str
    """Who published it; empty if unknown."""
    platform: str
    """Where it was found."""
    date: str
    """ISO date of publication, or empty."""
    url: str
    """Where it can be fetched again; empty if unknown."""
    license: str
    """As the platform states it; ``unknown`` where it states none."""
    media: Literal["video", "text"]
    """What it is."""
    duration_s: float | None
    """Seconds; null for texts."""
    media_sha256: str
    """Of the file that was used; empty if it was not hashed."""
    media_file: str
    """Path within the release; empty where media are not part of it."""
    language: str
    """Language of its words."""
    transcript_origin: str
    """captions, automatic-captions, speech-recognition, text-file or none."""
    transcript_characters: int
    """Length of the cleaned words."""
    transcript_sha256: str
    """Of the cleaned words in UTF-8."""
    transcript_file: str
    """Path within the release; empty where transcripts are not part of it."""
    frames: tuple[FrameLine, ...]
    """Stills that models saw, in order of time."""


class DecisionLine(Record):
    """What became of one item in review (decisions.jsonl), released or not."""

    model_config = _CONFIG

    item_id: str
    """The item."""
    group_id: str
    """Its group."""
    type_id: str
    """Its type."""
    outcome: Literal["released", "discarded", "revise", "person"]
    """``revise`` and ``person`` wait for people and are not part of the release."""
    revision: int
    """The revision that was decided on."""
    reviewers: int
    """Reviews that count."""
    disagreed: bool
    """The reviewers' own decisions differed."""
    reason: str
    """Why, in words; people are named by number."""
    needs: tuple[str, ...]
    """What a person still has to do."""


class ReviewLine(Record):
    """One review (reviews.jsonl); people are named by number, comments are left out."""

    model_config = _CONFIG

    item_id: str
    """The item."""
    revision: int
    """The revision that was scored."""
    reviewer: str
    """``reviewer-1``, ``reviewer-2``, …"""
    role: str
    """single, agreement, culture, adjudicator, or extra."""
    native: bool
    """Marked as a native of the item's culture."""
    scores: dict[str, str]
    """Dimension → score."""
    watched: float = Field(ge=0, le=1)
    """Least share of a video of the group that was watched."""


SCHEMAS: dict[str, type[Record]] = {
    "items": ReleaseLine, "evidence": SourceLine, "decisions": DecisionLine, "reviews": ReviewLine,
}  # fmt: skip


def schema(kind: type[Record]) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a line."""
    made = TypeAdapter(kind).json_schema(mode="serialization")
    return {"$schema": GenerateJsonSchema.schema_dialect, **made}
