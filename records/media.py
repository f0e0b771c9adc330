"""What a group of videos is, and what models may see of it.

Group (files on disk) → Evidence (tagged transcripts and ranked frames, no bytes). Times are seconds from the start
of the video's presentation; sizes are pixels.
"""

from typing import Any, Literal

from pydantic import Field

from records.base import Record

Tag = str
"""A source's name before models: TAG_A, TAG_B, … TAG_Z."""


class Sentence(Record):
    """One sentence of a transcript with the time in which it is heard."""

    start_s: float
    end_s: float
    text: str


TranscriptOrigin = Literal["captions", "automatic-captions", "speech-recognition", "text-file", "none"]


class Transcript(Record):
    """A source's cleaned words. `text` joins the sentences as one paragraph (method: VNU-Bench F.2)."""

    language: str
    """Language tag as found (``en``, ``zh-Hans``); ``und`` if unknown."""
    origin: TranscriptOrigin
    sentences: tuple[Sentence, ...] = ()
    text: str = ""


class Source(Record):
    """One video (or text) of a group, as found on disk. Metadata are for people and tables, never for models."""

    video_id: str
    title: str = ""
    outlet: str = ""
    date: str = ""
    """ISO date (YYYY-MM-DD) or empty."""
    url: str = ""
    license: str = ""
    platform: str = ""
    duration_s: float | None = None
    video_file: str | None = None
    """Path of the video; None for a text-only source."""
    caption_file: str | None = None
    media_sha256: str | None = None
    """Of the video's bytes, or of the text file's."""
    transcript: Transcript
    notes: tuple[str, ...] = ()
    """Each thing about this source that a user should know, one line naming the file (no audio, no captions, …)."""


class LeftOut(Record):
    """A source of a group that cannot be used, and why."""

    video_id: str
    file: str
    reason: str
    action: str
    """What the user can do about it."""


class Group(Record):
    """Several sources on one story, in the order of `video_ids` (or of file names)."""

    group_id: str
    """The folder's name."""
    folder: str
    topic: str
    domain: str
    language: str
    """Primary language subtag of most sources: ``en``, ``zh``."""
    sources: tuple[Source, ...]
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()
    extra: dict[str, Any] = Field(default_factory=dict)
    """Unknown keys of group.json, kept."""


class FrameSignals(Record):
    """What can be seen in a frame without a model, each from 0.0 to 1.0 within its video."""

    text_density: float
    sharpness: float
    novelty: float


class Frame(Record):
    """One still of a video, stored as `frames/<sha256>.jpg` in the run."""

    sha256: str
    """Of the JPEG bytes as models get them."""
    video_id: str
    number: int
    """k of ``[FRAME: TAG_A #k]``: 1 for the earliest selected frame of the video, in order of time."""
    time_s: float
    width: int
    height: int
    rank: int
    """1 is the most relevant; candidates for evaluation are the frames of rank 1 to 4."""
    signals: FrameSignals
    caption: str = ""
    """From the panel's captioner; empty without one."""
    scores: tuple[float, ...] = ()
    """Ten relevance scores 0.0–1.0, one a question type T1–T10 (VNU-Bench section 2.2); empty without a captioner."""


class SourceEvidence(Record):
    """What models may see of one source."""

    tag: Tag
    video_id: str
    transcript: Transcript
    summary: str = ""
    """At most `summary_characters` long; empty where the transcript is short enough or no stage asks for one."""
    summary_flags: tuple[str, ...] = ()
    """``cut`` (was too long twice), ``unknown-number: 12``, ``unknown-name: …`` (not in the transcript)."""
    frames: tuple[Frame, ...] = ()
    """In order of time; `number` runs from 1."""
    ranking: Literal["captioner", "signals", "none"] = "none"


class Evidence(Record):
    """A group as models see it: sources in tag order (the tags were dealt out by seed)."""

    evidence_id: str
    group_id: str
    topic: str
    domain: str
    language: str
    sources: tuple[SourceEvidence, ...]

    @property
    def tags(self) -> tuple[Tag, ...]:
        """All tags, in order."""
        return tuple(source.tag for source in self.sources)

    def source(self, tag: Tag) -> SourceEvidence:
        """The evidence under a tag. Raises KeyError for a tag the group does not have."""
        for source in self.sources:
            if source.tag == tag:
                return source
        raise KeyError(tag)


def tag_of(index: int) -> Tag:
    """0 gives TAG_A, 25 gives TAG_Z. Raises ValueError past 25: a group has at most 26 sources."""
    if not 0 <= index < 26:
        raise ValueError(f"a group has at most 26 sources; there is no tag number {index + 1}")
    return f"TAG_{chr(ord('A') + index)}"
