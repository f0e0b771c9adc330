"""What a model may say in the video track: ratings, cuts, events, classes, objects, concepts, boxes and questions.

As in `records.replies`, reasons come before verdicts, and code turns a reply into a record (`agents/`): numbers that a
model gives name entries of a list that it was shown, never ids, times or paths of ours.
Method: VideoVista-CulturalLingo 3.1, 3.2 and D.1, D.2.
"""

from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import Field

from records.replies import ReplyModel

Grade = Annotated[int, Field(ge=1, le=5)]
"""1 is worst."""


class QualityReply(ReplyModel):
    """How good a transcript is as an account of its video."""

    reasoning: str = Field(description="What speaks for and against the transcript, in a few sentences.")
    coherence: Grade = Field(description="1 a jumble of words … 5 every sentence follows from the one before.")
    continuity: Grade = Field(description="1 scattered remarks … 5 someone speaks nearly all the time.")
    density: Grade = Field(description="1 says nothing about the video … 5 the words alone tell what it is about.")


class PieceReply(ReplyModel):
    """One paragraph of a transcript, by the numbers of its sentences."""

    topic: str = Field(description="What holds it together, in a few words.")
    first: int = Field(ge=1, description="Number of its first sentence.")
    last: int = Field(ge=1, description="Number of its last sentence.")


class SegmentReply(ReplyModel):
    """A transcript cut into paragraphs that cover it from the first sentence to the last."""

    reasoning: str = Field(description="Where the subject changes.")
    pieces: list[PieceReply] = Field(min_length=1)


class RefinedReply(ReplyModel):
    """One sentence of a transcript, corrected."""

    number: int = Field(ge=1, description="The sentence's number.")
    text: str = Field(min_length=1, description="The sentence as it was said.")


class RefineReply(ReplyModel):
    """All sentences that were given, each once."""

    reasoning: str = Field(default="", description="Which words were misheard, and what shows it.")
    sentences: list[RefinedReply] = Field(min_length=1)


class EventReply(ReplyModel):
    """What happens in one segment."""

    reasoning: str = Field(description="What is new in this segment.")
    event: str = Field(min_length=1, description="What is seen to happen, in one to three sentences.")
    audio: str = Field(default="", description="What is said or heard meanwhile; empty where nothing is.")


class ObjectClassReply(ReplyModel):
    """Whether a video suits questions about objects."""

    reasoning: str
    real_world: bool = Field(description="Filmed in the real world: no animation, slides, screen recording or game.")
    rich_objects: bool = Field(description="Several distinct objects that can be named and told apart.")
    moving_objects: bool = Field(description="Objects come, go or move in the course of the video.")


class CultureClassReply(ReplyModel):
    """Whether a video deals with each of three cultures."""

    reasoning: str
    chinese: bool
    american: bool
    european: bool


class ScienceClassReply(ReplyModel):
    """Whether a video teaches science, and which."""

    reasoning: str
    relevance: Grade = Field(description="1 no science at all … 5 wholly about a scientific subject.")
    density: Grade = Field(description="1 next to no knowledge … 5 dense with explained knowledge.")
    kind: Literal["neither", "course", "experiment", "both"] = Field(
        description="course: explains concepts or methods; experiment: shows an experiment or a phenomenon."
    )
    discipline: str = Field(default="", description="One of the disciplines listed; empty if none fits.")
    sub_discipline: str = Field(default="", description="Its branch, such as linear algebra.")


class ObjectReply(ReplyModel):
    """An object to look for."""

    name: str = Field(min_length=1, description="In the video's language, telling it from its like: the red kettle.")
    phrase: str = Field(min_length=1, description="The same in plain English, for a detector: red kettle.")


class ObjectsReply(ReplyModel):
    """Three to five objects of a video."""

    reasoning: str
    objects: list[ObjectReply] = Field(min_length=3, max_length=5)


class FramePresenceReply(ReplyModel):
    """Which of the listed objects are in one frame."""

    frame: int = Field(ge=1, description="The frame's number within this request.")
    present: list[int] = Field(description="Numbers of the objects that are in view; empty for none.")


class PresenceReply(ReplyModel):
    """One entry a frame."""

    frames: list[FramePresenceReply] = Field(min_length=1)


Share = Annotated[float, Field(ge=0.0, le=1.0)]


class BoxReply(ReplyModel):
    """Where an object is in a frame; shares of the frame, from its top left corner."""

    object: int = Field(ge=1, description="The object's number.")
    box: list[Share] = Field(min_length=4, max_length=4, description="x0, y0, x1, y1, each 0.0 to 1.0.")


class GroundReply(ReplyModel):
    """The listed objects in one frame; objects that are not in view are left out."""

    reasoning: str = ""
    boxes: list[BoxReply] = Field(default_factory=list)


class DescriptionReply(ReplyModel):
    """How one object comes, moves and stands over the video."""

    object: int = Field(ge=1, description="The object's number.")
    description: str = Field(min_length=1, description="What it is, when it is in view, where in the picture.")


class DescriptionsReply(ReplyModel):
    """One entry an object."""

    objects: list[DescriptionReply] = Field(min_length=1)


class ConceptReply(ReplyModel):
    """Something of a culture that an encyclopedia has an article on."""

    concept: str = Field(min_length=1, description="The title that an encyclopedia would give it.")
    shown: str = Field(default="", description="Where in the video it occurs.")


class ConceptsReply(ReplyModel):
    """The most prominent concepts first."""

    reasoning: str
    concepts: list[ConceptReply] = Field(min_length=1, max_length=2)


Role = Literal["dual-error", "knowledge-error", "comprehension-error", "correct"]
"""Worst first: wrong about the video and about the subject, about the subject, about the video, right."""
OptionLetter = Literal["A", "B", "C", "D"]


class TextOption(ReplyModel):
    """An option in words."""

    text: str = Field(min_length=1)
    fails_because: str = Field(default="", description="Empty for the key; else what rules it out.")


class RoleOption(TextOption):
    """An option of a science question, with the error that it stands for."""

    role: Role


class MomentOption(ReplyModel):
    """An option that is a moment of the video."""

    time_s: float = Field(ge=0, description="Seconds from the start of the video.")


class OrderOption(ReplyModel):
    """An option that is an order of the steps."""

    order: list[int] = Field(min_length=3, description="Numbers of the steps, in the order that the option claims.")


class BoxOption(ReplyModel):
    """An option that is a place in the frame."""

    box: list[Share] = Field(min_length=4, max_length=4, description="x0, y0, x1, y1, each 0.0 to 1.0.")


AnyOption = TypeVar("AnyOption", TextOption, RoleOption, MomentOption, OrderOption, BoxOption)


class Written(ReplyModel, Generic[AnyOption]):
    """A question as its writer gives it. The order of the options is the model's; code permutes it afterwards."""

    stem: str = Field(min_length=5, description="The question.")
    event: int = Field(default=0, ge=0, description="Number of the event that the question rests on most.")
    options: dict[OptionLetter, AnyOption] = Field(min_length=4, max_length=4)
    correct_answer: OptionLetter
    evidence: str = Field(description="The decisive cues and where in the video they are.")


class StepReply(ReplyModel):
    """One thing that is put in order."""

    item: int = Field(ge=1, description="Its number in the list that was given.")
    text: str = Field(min_length=1, description="A short phrase for it, without any hint of time or order.")


class WrittenOrder(Written[OrderOption]):
    """A question about order: the steps are named once, and each option is an order of them."""

    steps: list[StepReply] = Field(min_length=3, max_length=5)


class WrittenObject(Written[AnyOption], Generic[AnyOption]):
    """A question about one of the objects."""

    object: int = Field(ge=1, description="The object's number.")


class VideoDraftReply(ReplyModel):
    """What every question writer's reply has; `question` comes with the form of the type."""

    reasoning: str = Field(description="What in the video the question rests on, and what rules out each wrong option.")
    declined: str = Field(default="", description="Why no sound question of this type exists; else empty.")
    question: Any = None


class TextDraftReply(VideoDraftReply):
    """Four options in words."""

    question: Written[TextOption] | None = None


class RolesDraftReply(VideoDraftReply):
    """Four options in words, one for each kind of error."""

    question: Written[RoleOption] | None = None


class MomentDraftReply(VideoDraftReply):
    """Four moments."""

    question: Written[MomentOption] | None = None


class OrderDraftReply(VideoDraftReply):
    """Four orders of the same steps."""

    question: WrittenOrder | None = None


class ObjectMomentDraftReply(VideoDraftReply):
    """Four moments at which an object might come into view."""

    question: WrittenObject[MomentOption] | None = None


class BoxDraftReply(VideoDraftReply):
    """Four places in a frame."""

    question: WrittenObject[BoxOption] | None = None
