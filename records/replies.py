"""What a model may say, for each kind of call. Different from what we keep: a model never fills in ids, hashes,
costs or dates, and code turns a reply into a record (`agents/`, `judges/`).

In every reply the reasoning comes before the verdict. The `paper` layouts keep the papers' field order.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from records.questions import Joiner, Modality


class ReplyModel(BaseModel):
    """Base of all replies: unknown fields are dropped, not refused, since they never reach a record."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class ClaimReply(ReplyModel):
    """One half of an option."""

    text: str = Field(min_length=1, description="One short clause, without a full stop.")
    tags: list[str] = Field(min_length=1, description="The source tags that this clause is about.")
    modality: Modality = Field(description="Where the clause is to be checked: spoken, shown on screen, or both.")


class OptionReply(ReplyModel):
    """One option: two claims, and for a wrong option what makes it fail."""

    claims: list[ClaimReply] = Field(min_length=2, max_length=2)
    fails_because: str = Field(default="", description="Empty for the key; else the evidence that rules it out.")


class QuestionReply(ReplyModel):
    """A drafted question. The order of the options is the model's; code permutes it afterwards."""

    stem: str = Field(min_length=10, description="The question, naming every source tag it uses.")
    joiner: Joiner = Field(description="The word that joins the two claims of every option.")
    options: dict[Literal["A", "B", "C", "D"], OptionReply] = Field(min_length=4, max_length=4)
    correct_answer: Literal["A", "B", "C", "D"]
    evidence: str = Field(description="At most 160 characters and two sentences, with a [FRAME: TAG_X #k] marker.")
    support_map: dict[Literal["A", "B", "C", "D"], list[str]] = Field(
        description="For the correct letter: every tag that supports it."
    )
    evidence_frames: list[str] = Field(default_factory=list, description="Such as 'TAG_A #3'.")


class DraftReply(ReplyModel):
    """The drafter's reply: a question, or a reason why this type cannot be asked of this group."""

    reasoning: str = Field(description="The facts compared, per source, and how the options cross them.")
    declined: str = Field(default="", description="Why no sound question of this type exists; else empty.")
    question: QuestionReply | None = None


Confidence = Annotated[float, Field(ge=0.0, le=1.0)]


class ChoiceReply(ReplyModel):
    """An answer to a question. Read by `records.answers` first, so that near-JSON replies are not lost."""

    rationale: str = ""
    answer: str
    confidence: float | None = None


class SeverityReply(ReplyModel):
    """How far an alternative could also be right."""

    rationale: str = ""
    severity: Confidence


class FrameReply(ReplyModel):
    """A caption and ten relevance scores for one frame of a batch."""

    frame: int = Field(ge=1, description="The frame's number within this request.")
    caption: str = Field(min_length=1)
    scores: list[Confidence] = Field(min_length=10, max_length=10, description="Relevance to T1 … T10.")


class CaptionReply(ReplyModel):
    """The captioner's reply for a batch of frames, one entry a frame."""

    frames: list[FrameReply]


class SummaryReply(ReplyModel):
    """A transcript's summary."""

    summary: str = Field(min_length=1)


class TypeFitReply(ReplyModel):
    """Whether a question from elsewhere keeps the rules of its type."""

    rationale: str = ""
    broken_rules: list[str] = Field(default_factory=list)
    fits: bool
