"""What the video track knows about one video: its segments, events, objects with boxes and masks, and articles.

Video → Segments → EventAnnotations; video → ObjectTracks (1 look a second); concept → Articles. Times are seconds from
the start of the full video's presentation. Boxes are shares of the frame, so they hold at any size.
Method: VideoVista-CulturalLingo 3.1, 3.2 and appendix E. Words and sentences are `records.media.Transcript`.
"""

from itertools import pairwise
from typing import Literal, Self

from pydantic import Field, model_validator

from records.base import Record

SegmentOrigin = Literal["speech", "scenes"]


class Segment(Record):
    """One stretch of a video that belongs together, by what is said or by what is shown."""

    video_id: str
    index: int = Field(ge=0)
    """From 0, in order of time."""
    start_s: float = Field(ge=0)
    end_s: float
    text: str = ""
    """What is said in it; empty where nobody speaks."""
    origin: SegmentOrigin

    @model_validator(mode="after")
    def _forward(self) -> Self:
        _refuse_backwards(self.start_s, self.end_s)
        return self


class EventAnnotation(Record):
    """What happens in one segment: (event, audio, start, end), in the full video's time."""

    event: str = Field(min_length=1)
    """What is seen to happen, as the annotator put it."""
    audio: str = ""
    """What is said or heard meanwhile."""
    start_s: float = Field(ge=0)
    end_s: float

    @model_validator(mode="after")
    def _forward(self) -> Self:
        _refuse_backwards(self.start_s, self.end_s)
        return self


class Cut(Record):
    """The clip that an event-prediction item shows: it ends before the event that is to be predicted."""

    video_id: str
    start_s: float = Field(default=0.0, ge=0)
    end_s: float
    """Where the clip ends; never later than `event_start_s`."""
    event_start_s: float
    event_end_s: float

    @model_validator(mode="after")
    def _before_the_event(self) -> Self:
        _refuse_backwards(self.start_s, self.end_s)
        _refuse_backwards(self.event_start_s, self.event_end_s)
        if self.end_s > self.event_start_s:
            raise ValueError(f"the clip ends at {self.end_s} s, after the event began ({self.event_start_s} s)")
        return self


class Box(Record):
    """A rectangle in a frame, as shares of its width and height; (0, 0) is the top left corner, (1, 1) bottom right.

    The order is x0, y0, x1, y1 ("normalised xyxy"), with x0 < x1 and y0 < y1.
    """

    x0: float = Field(ge=0, le=1)
    y0: float = Field(ge=0, le=1)
    x1: float = Field(ge=0, le=1)
    y1: float = Field(ge=0, le=1)

    @model_validator(mode="after")
    def _has_area(self) -> Self:
        if self.x0 >= self.x1 or self.y0 >= self.y1:
            raise ValueError(f"a box needs x0 < x1 and y0 < y1, not {self.xyxy}")
        return self

    @property
    def xyxy(self) -> tuple[float, float, float, float]:
        """The four numbers in order."""
        return self.x0, self.y0, self.x1, self.y1

    @property
    def area(self) -> float:
        """Share of the frame, 0.0 to 1.0."""
        return (self.x1 - self.x0) * (self.y1 - self.y0)


class Mask(Record):
    """Which pixels of a frame an object covers, as run lengths in COCO's order.

    `counts` are the lengths of alternating runs of 0 and 1, columns first, beginning with 0 (so the first may be 0).
    """

    height: int = Field(gt=0)
    width: int = Field(gt=0)
    counts: tuple[int, ...]

    @model_validator(mode="after")
    def _covers_the_frame(self) -> Self:
        if any(count < 0 for count in self.counts) or sum(self.counts) != self.height * self.width:
            raise ValueError(f"run lengths must add up to {self.height} x {self.width} pixels, not {sum(self.counts)}")
        return self

    @property
    def share(self) -> float:
        """Share of the frame that is covered, 0.0 to 1.0."""
        return sum(self.counts[1::2]) / (self.height * self.width)


class Detection(Record):
    """An object found in one frame."""

    name: str
    """One of the names that were asked for."""
    box: Box
    score: float = Field(ge=0, le=1)
    """The detector's own confidence, which is comparable within one detector only."""


class Sighting(Record):
    """An object in one of the frames that were looked at."""

    time_s: float = Field(ge=0)
    box: Box
    score: float = Field(default=1.0, ge=0, le=1)
    mask: Mask | None = None
    others: tuple[Box, ...] = ()
    """Further objects of the same name in this frame: where there are any, "the box of the dog" has no one answer."""

    @property
    def share(self) -> float:
        """Share of the frame that the object covers: its mask's, or without one its box's."""
        return self.mask.share if self.mask else self.box.area


class ObjectTrack(Record):
    """One object over a whole video."""

    name: str
    sightings: tuple[Sighting, ...] = Field(min_length=1)
    """In order of time, one a frame looked at."""
    first_s: float | None
    """The first look at which it is large enough to notice; None where it never is."""
    every_s: float = Field(default=1.0, gt=0)
    """How far apart the looks were: the object came into view at most this much before `first_s`."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        times = [sighting.time_s for sighting in self.sightings]
        if any(later <= earlier for earlier, later in pairwise(times)):
            raise ValueError(f"{self.name}: sightings must be in order of time, one a look")
        if self.first_s is not None and self.first_s not in times:
            raise ValueError(f"{self.name}: first_s ({self.first_s} s) is the time of no sighting")
        return self

    @property
    def seen_s(self) -> float:
        """The first look at which it is seen at all, however small."""
        return self.sightings[0].time_s

    @property
    def first(self) -> Sighting | None:
        """The sighting at `first_s`."""
        return next((sighting for sighting in self.sightings if sighting.time_s == self.first_s), None)

    @property
    def boxes(self) -> dict[float, Box]:
        """Time in seconds → box."""
        return {sighting.time_s: sighting.box for sighting in self.sightings}


class Article(Record):
    """An article of an encyclopedia, as plain text. Untrusted, as everything that a model is shown from outside."""

    title: str
    url: str
    lead: str
    """What stands before the first heading."""
    text: str
    """The whole article, lead included."""
    language: str
    """Primary language subtag."""
    score: float = 0.0
    """How near it is to what was searched for: the cosine of the embeddings, or 1.0 for a title or redirect that is
    the query itself. 0.0 for an article that was not searched for."""


class SpeechSettings(Record):
    """How speech becomes a transcript (appendix D.4)."""

    model: str = "large-v3"
    """A name that faster-whisper knows, or a directory with a CTranslate2 model."""
    device: Literal["auto", "cpu", "cuda"] = "auto"
    compute: str = "default"
    """CTranslate2's compute type: ``default``, ``int8``, ``float16``, …"""
    beam: int = Field(default=5, ge=1)
    threads: int = Field(default=0, ge=0)
    """CPU threads; 0 leaves it to the library."""
    prompts: dict[str, str] = Field(default_factory=lambda: {"zh": "下面这些话是用普通话讲的，句子之间有标点。"})
    """Primary language subtag → text that sets the style of writing, punctuation above all."""


class SegmentSettings(Record):
    """How a video without good speech is cut: scenes first, then what looks alike is joined again (Panda-70M)."""

    step_s: float = Field(default=5.0, gt=0)
    """A scene longer than this is looked at in steps of this length, so that a long take can be cut as well."""
    shortest_s: float = Field(default=2.0, ge=0)
    """A shorter segment joins the neighbour that it resembles more."""
    longest_s: float = Field(default=120.0, gt=0)
    """A longer segment is cut where its two sides are least alike."""
    same: float | None = Field(default=None, ge=-1, le=1)
    """Likeness (a cosine) from which two sides of a cut show the same; None takes the image encoder's own."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.longest_s < 2 * max(self.shortest_s, self.step_s):
            raise ValueError("longest_s must be at least twice shortest_s and twice step_s")
        return self


class ObjectSettings(Record):
    """How objects are looked for, and what makes a question about them fair (3.2 and appendix E)."""

    per_second: float = Field(default=1.0, gt=0)
    longer_side: int = Field(default=800, gt=0)
    """Pixels of the frames that the detector sees; never enlarged."""
    least_score: float = Field(default=0.3, ge=0, le=1)
    notice_share: float = Field(default=0.04, gt=0, le=1)
    """Share of the frame that an object must cover to be noticed: 0.04 is a fifth of the width by a fifth of the
    height."""
    most_iou: float = Field(default=0.3, ge=0, lt=1)
    """Wrong boxes overlap the right one, and its like, less than this (intersection over union)."""
    least_gap_s: float = Field(default=3.0, gt=0)
    """Times offered as options are at least this far apart, and so are first appearances that are put in order."""


def _refuse_backwards(start_s: float, end_s: float) -> None:
    if end_s <= start_s:
        raise ValueError(f"a stretch must end after it starts, not {start_s}-{end_s} s")
