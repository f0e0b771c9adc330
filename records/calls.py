"""One call to a model: what is asked (typed parts), what comes back (a Reply or a CallFailure), what is recorded.

A request is made of typed parts, not of a finished prompt: the gateway renders them (and quotes what is untrusted),
and the offline models read them as they are. Request → Reply | CallFailure, and one CallRecord for the journal.
"""

from typing import Annotated, Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from records.base import Record
from records.config import ModelSpec
from records.media import Sentence, Tag
from records.questions import Letter
from records.verdicts import CallOutcome

Task = Literal[
    "draft", "caption", "summarize", "solvability", "ambiguity", "difficulty", "blind", "type-fit", "evaluate",
    "transcript-quality", "segment", "refine", "annotate-event", "classify", "extract-objects", "describe-objects",
    "presence", "extract-concepts", "ground", "preflight",
]  # fmt: skip


class TextPart(Record):
    """Trusted text: our own instructions, rendered by `prompts`."""

    kind: Literal["text"] = "text"
    text: str


class TranscriptPart(Record):
    """One source's words, untrusted; shown under its tag, quoted and escaped."""

    kind: Literal["transcript"] = "transcript"
    tag: Tag
    text: str
    form: Literal["full", "summary"] = "full"
    sentences: tuple[Sentence, ...] = ()
    """The same words with times; the offline models read these. Empty for a summary."""
    language: str = "und"
    timed: bool = False
    """Whether the prompt shows each sentence's start time."""


class ImagePart(Record):
    """One frame, by reference; shown after its label ``[FRAME: TAG_A #1]``."""

    kind: Literal["image"] = "image"
    tag: Tag
    number: int
    sha256: str
    width: int
    height: int
    time_s: float | None = None
    caption: str = ""
    """What the captioner saw; read by the offline models only, never put into a prompt."""


class VideoPart(Record):
    """One whole video, by reference, for models that take video as it is; shown after its label ``[VIDEO: TAG_A]``."""

    kind: Literal["video"] = "video"
    tag: Tag
    sha256: str
    """Of the file's bytes."""
    duration_s: float | None = None


class QuestionPart(Record):
    """A question with its options in the order in which the model sees them; untrusted."""

    kind: Literal["question"] = "question"
    name: str = ""
    """Where one request asks several questions: what this one is called, such as ``q1``."""
    stem: str
    options: dict[Letter, str]
    gold: Letter | None = None
    """Shown only for the ambiguity check: the designated key, by the letter shown."""
    alternative: Letter | None = None


class QuotedPart(Record):
    """Any other untrusted text (accepted stems, violations with quotes, an article), in a named element."""

    kind: Literal["quoted"] = "quoted"
    name: str
    """Element name, such as ``accepted-stems``: lower-case letters and hyphens."""
    text: str
    attributes: dict[str, str] = Field(default_factory=dict)


class SpecPart(Record):
    """Facts about the task for models that read no prompt (type id, language, seed). Never rendered."""

    kind: Literal["spec"] = "spec"
    values: dict[str, Any]


Part = Annotated[
    TextPart | TranscriptPart | ImagePart | VideoPart | QuestionPart | QuotedPart | SpecPart,
    Field(discriminator="kind"),
]


class Request(Record):
    """One question to one model. Everything that shapes the answer is in here, and nothing else is."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=(), arbitrary_types_allowed=True)

    task: Task
    model: ModelSpec
    system: str
    parts: tuple[Part, ...]
    prefix_parts: int = 0
    """How many leading parts are common to other requests of the same group: they form the cacheable prefix."""
    reply_model: type[BaseModel]
    """Validates the reply; its JSON schema goes to the provider."""
    repair: Literal["instructor", "schema", "none"] = "schema"
    """``instructor`` drives the call from the start (drafter); ``schema`` only after a reply did not validate;
    ``none`` takes the first reply as it is (a candidate's answer)."""
    reader: str = ""
    """``answers`` reads the reply by `records.answers` (tolerant JSON); empty: strict JSON through the reply model."""
    plain: bool = False
    """The reply is plain text: no schema is sent along or put into the prompt."""
    temperature: float = 0.0
    sample: int = 0
    """Index among repeats of the same request: another sample is another call."""
    group_id: str = ""
    item_id: str = ""
    seat: str = ""
    unit: str = ""
    """Bookkeeping only, as are group_id, item_id and seat: none of them shapes the reply or the request's id."""


class Usage(Record):
    """Tokens of one call as the provider counts them; cached are the prompt tokens read from a prefix cache."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    images: int = 0


class Reply(Record):
    """A reply that validated."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=(), arbitrary_types_allowed=True)

    request_id: str
    value: BaseModel
    raw: str
    reasoning: str = ""
    repairs: tuple[str, ...] = ()
    usage: Usage = Usage()
    cost_usd: float = 0.0
    """What this call cost now: 0.0 when the reply came from the cache."""
    latency_s: float = 0.0
    cached: bool = False
    model: str = ""


class CallFailure(Record):
    """A call that gave no usable reply. Never an answer and never a vote."""

    request_id: str
    outcome: CallOutcome
    message: str
    raw: str = ""
    usage: Usage = Usage()
    cost_usd: float = 0.0
    attempts: int = 1
    """How often this request has been asked over all runs."""
    journalled: bool = False
    """True when this outcome was read from an earlier run instead of asked again."""
    model: str = ""


class Attempt(Record):
    """One exchange with the provider within a call: a transport retry or a schema repair."""

    started: str
    """ISO time, UTC."""
    latency_s: float
    outcome: CallOutcome
    status: int | None = None
    message: str = ""
    raw: str = ""
    waited_s: float = 0.0
    usage: Usage = Usage()
    cost_usd: float = 0.0


class CallRecord(Record):
    """The trace of one finished call, kept forever. Texts of parts are stored once by hash (`part_hashes`)."""

    request_id: str
    task: Task
    model: str
    provider_model: str = ""
    """The model name that the provider says answered."""
    transport: str
    seat: str = ""
    group_id: str = ""
    item_id: str = ""
    unit: str = ""
    sample: int = 0
    outcome: CallOutcome
    message: str = ""
    messages: tuple[dict[str, Any], ...]
    """The rendered messages: text blocks as text, each image as ``{"type": "image", "sha256": …, "label": …}``."""
    raw: str = ""
    reasoning: str = ""
    reply_json: str = ""
    """The validated reply, for outcome ok."""
    repairs: tuple[str, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    usage: Usage = Usage()
    cost_usd: float = 0.0
    latency_s: float = 0.0
    started: str = ""
    asked: int = 1
    """How often this request was asked over all runs."""
    params: dict[str, Any] = Field(default_factory=dict)


class Sink(Protocol):
    """Where the gateway writes what it did; implemented by the run (`store`). Calls come from one event loop."""

    def finished(self, record: CallRecord) -> None:
        """Journal a finished call. A record that is already there (same request_id and asked) is not doubled."""

    def cache_hit(self, record: CallRecord) -> None:
        """Count a reply that came from the cache; journals the record if a kill kept it from the journal."""

    def failure_of(self, request_id: str) -> CallRecord | None:
        """The last journalled outcome of a request if it was not ok, else None."""

    def spent_usd(self) -> float:
        """Everything this run has paid so far, over all its sessions."""
