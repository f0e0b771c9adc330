"""A question ready to be asked of candidate models, own or foreign, and what a candidate said to it.

BenchmarkItem (from a run, or from any benchmark file) × candidate → Prediction → `eval` scores it. A prediction that
carries a failed call cannot carry an answer, so that a failure can never score.
"""

from typing import Literal

from pydantic import Field, model_validator

from records.base import Record
from records.media import Tag
from records.questions import Letter
from records.verdicts import CallOutcome


class BenchmarkItem(Record):
    """One multiple-choice question as a benchmark holds it. Empty and None mean that the benchmark does not say."""

    item_id: str
    group_id: str = ""
    """The news group; items of one group are not independent, so intervals are clustered by it (see `cluster`)."""
    video_ids: tuple[str, ...] = ()
    video_files: tuple[str, ...] = ()
    """Paths as the benchmark writes them, one a video; a clip's file may be named otherwise than its video."""
    sources: dict[Tag, str] = Field(default_factory=dict)
    """Tag → video id, where the question speaks of tags."""
    stem: str
    options: dict[Letter, str]
    """Letter → text without a leading letter, in order."""
    key: Letter | None
    """The right letter; None where the file has none that can be read. Such an item can be linted, never scored."""
    key_note: str = ""
    """Why there is no key, or what is odd about it."""
    answer_text: str = ""
    """The right answer in words, where the file writes it down beside the key."""
    prompt_text: str = ""
    """The whole prompt, where the file writes one down beside stem and options."""
    track: str = ""
    """``news`` or ``video`` where known."""
    type_id: str = ""
    """The question type as the file names it: ``T7``, ``Event Localization``."""
    category: str = ""
    """The file's own coarser class, as written."""
    family: str = ""
    """comparison, integration, event, object, culture or science; from the type where the file is silent."""
    language: str = ""
    """Primary language subtag as declared: ``en``, ``zh``."""
    domain: str = ""
    duration_s: float | None = None
    """Seconds; of several videos the sum."""
    culture: str = ""
    discipline: str = ""
    sub_discipline: str = ""
    platforms: tuple[str, ...] = ()
    outlets: tuple[str, ...] = ()
    event_start_s: float | None = None
    """Seconds from the start of the video; where the question is about one moment, `event_end_s` equals it."""
    event_end_s: float | None = None
    sources_used: int | None = None
    """Sources that the question names or needs."""
    frames_used: int | None = None
    """Frames that the written evidence points at."""
    drafter: str = ""
    drafter_family: str = ""
    judges: tuple[str, ...] = ()
    """Models that decided on the question, for the independence check."""
    extra: dict[str, str] = Field(default_factory=dict)
    """Everything else the file says about the question, as text."""

    @model_validator(mode="after")
    def _key_is_an_option(self) -> "BenchmarkItem":
        if self.key is not None and self.key not in self.options:
            raise ValueError(f"item {self.item_id}: the key {self.key!r} is not among {', '.join(self.options)}")
        return self

    @property
    def cluster(self) -> str:
        """What intervals are clustered by: the group, else the video, else the item itself."""
        return self.group_id or "+".join(sorted(self.video_ids)) or self.item_id

    @property
    def key_text(self) -> str:
        """The right option's text; empty without a key."""
        return self.options[self.key] if self.key else ""


Standing = Literal["answered", "wrong", "unavailable"]
"""What an outcome means for a score: an answer to be compared with the key, a reply that counts as wrong whatever the
key, or no reply at all, which makes a score incomplete."""

STANDING: dict[CallOutcome, Standing] = {
    "ok": "answered",
    "refused": "wrong",
    "filtered": "wrong",
    "truncated": "wrong",
    "unparsed": "wrong",
    "context-too-long": "unavailable",
    "too-many-images": "unavailable",
    "rate-limited": "unavailable",
    "unavailable": "unavailable",
    "misconfigured": "unavailable",
}


class Prediction(Record):
    """What one candidate said to one item, once. The answer is a letter of the BenchmarkItem, mapped back from the
    order in which the candidate saw the options."""

    model: str
    """The candidate's name in tables."""
    item_id: str
    setting: str = ""
    """The point of a sweep, such as ``frames=4``; empty outside sweeps."""
    sample: int = Field(default=0, ge=0)
    """Index among repeats of the same question."""
    rotation: int = Field(default=0, ge=0)
    """Circular evaluation: by how many places the options were turned; 0 is the benchmark's own order."""
    answer: Letter | None = None
    outcome: CallOutcome = "ok"
    confidence: float | None = Field(default=None, ge=0, le=1)
    rationale: str = ""
    message: str = ""
    """What went wrong, for outcomes other than ok."""
    raw: str = ""
    """The reply as it came, shortened at will; tables never read it."""
    request_id: str = ""
    latency_s: float = 0.0
    cost_usd: float = 0.0
    cached: bool = False

    @model_validator(mode="after")
    def _only_ok_has_an_answer(self) -> "Prediction":
        if (self.answer is not None) != (self.outcome == "ok"):
            raise ValueError(
                f"prediction of {self.model} for {self.item_id}: outcome {self.outcome} with answer {self.answer!r}; "
                "an answer stands exactly with the outcome ok (a reply without a readable answer is `unparsed`)"
            )
        return self

    @property
    def standing(self) -> Standing:
        """What this prediction means for a score."""
        return STANDING[self.outcome]
