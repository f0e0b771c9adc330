"""Everything that the video track found out about one video before a question is written, and how each stage ended.

Video → VideoAnnotation (quality, segments, events, objects, cultures, science) → questions. Nothing in here is shown
to a judge; judges see the video's words and frames alone. Method: VideoVista-CulturalLingo 3.1 and 3.2.
"""

from typing import Literal

from pydantic import Field

from records.base import Record
from records.media import Frame
from records.video import (
    Article,
    EventAnnotation,
    ObjectSettings,
    ObjectTrack,
    Segment,
    SegmentSettings,
    SpeechSettings,
)

AudioClass = Literal["audio-rich", "audio-noisy"]
Culture = Literal["chinese", "american", "european"]
CULTURES: tuple[Culture, ...] = ("chinese", "american", "european")
VIDEO_FAMILIES = ("event", "object", "culture", "science")

StageOutcome = Literal["done", "declined", "failed", "off"]
"""``declined``: the video (or the panel) does not offer what the stage needs; no error. ``failed``: a call gave no
usable reply, or a signal could not be had; asked again by ``--retry-failed``. ``off``: not asked for."""


class Stage(Record):
    """How one stage ended for one video."""

    name: str
    outcome: StageOutcome
    reason: str = ""
    """Why it was declined or failed, in one sentence."""
    request_ids: tuple[str, ...] = ()


class TranscriptQuality(Record):
    """What the rating model says about a transcript, 1 (worst) to 5, and the class that follows."""

    audio: AudioClass
    coherence: int = 0
    """0 in all three: nothing is said, so nothing was rated."""
    continuity: int = 0
    density: int = 0
    reason: str = ""
    model: str = ""


class ObjectDescription(Record):
    """One object: when and where it is in view, measured, and what it is like, in a model's words."""

    track: ObjectTrack
    text: str = ""


class CultureFinding(Record):
    """A culture that the video deals with, its concepts and the articles found for them."""

    culture: Culture
    reason: str = ""
    concepts: tuple[str, ...] = ()
    articles: tuple[Article, ...] = ()
    """At most one a concept, in the order of the concepts."""


class ScienceFinding(Record):
    """What kind of science the video teaches."""

    relevance: int
    density: int
    kind: Literal["neither", "course", "experiment", "both"]
    discipline: str = ""
    sub_discipline: str = ""
    reason: str = ""


class VideoAnnotation(Record):
    """One video as the question writers know it."""

    video_id: str
    language: str
    """Primary language subtag in which questions are written."""
    duration_s: float | None = None
    quality: TranscriptQuality | None = None
    segments: tuple[Segment, ...] = ()
    events: tuple[EventAnnotation, ...] = ()
    """One a segment, in order of time."""
    frames: tuple[Frame, ...] = ()
    """The frames that event annotator and classifiers saw; `number` runs over the whole video."""
    objects: tuple[ObjectDescription, ...] = ()
    cultures: tuple[CultureFinding, ...] = ()
    science: ScienceFinding | None = None
    stages: tuple[Stage, ...] = ()

    def stage(self, name: str) -> Stage:
        """How a stage ended; ``off`` for one that was not run."""
        for stage in self.stages:
            if stage.name == name:
                return stage
        return Stage(name=name, outcome="off", reason="not asked for")

    @property
    def failed(self) -> bool:
        """Whether any stage failed, so that ``--retry-failed`` has something to do."""
        return any(stage.outcome == "failed" for stage in self.stages)

    def culture(self, culture: Culture) -> CultureFinding | None:
        """What was found about a culture; None where the video does not deal with it."""
        return next((finding for finding in self.cultures if finding.culture == culture), None)


class QualitySettings(Record):
    """When a transcript counts as audio-rich (3.1)."""

    least: int = Field(default=3, ge=1, le=5)
    """Each of the three grades must reach this."""
    sentences: int = Field(default=200, ge=1)
    """Sentences shown to the rating model; of a longer transcript as many from evenly spread places."""


class CuttingSettings(Record):
    """How an audio-rich transcript is cut and refined (3.1)."""

    window_sentences: int = Field(default=250, ge=2)
    """Sentences in one call; a longer transcript is cut window by window."""
    refine_languages: tuple[str, ...] = ("zh",)
    """Languages whose transcripts are refined: homophones are a matter of Chinese."""
    refine_sentences: int = Field(default=60, ge=1)
    """Sentences in one refinement call."""
    attempts: int = Field(default=2, ge=0)
    """How often a reply that fails a check goes back."""


class EventSettings(Record):
    """How events are annotated and asked about (3.2)."""

    frames: int = Field(default=8, ge=1)
    """Frames a segment, spread evenly over it."""
    history: int = Field(default=40, ge=0)
    """Events before a segment that its annotator reads; of more the latest."""
    least_before: int = Field(default=2, ge=1)
    """Events that a prediction clip shows at least."""
    least_gap_s: float = Field(default=5.0, gt=0)
    """Moments offered as options are at least this far apart."""


class ObjectStageSettings(Record):
    """Models and numbers of the object stages (3.2, D.4); boxes and times are `ObjectSettings`."""

    detector: Literal["grounding-dino", "model", "auto"] = "auto"
    """``grounding-dino``: with SAM 2, from the extra [vision]. ``model``: the panel's grounder draws the boxes.
    ``auto``: the first where the extra is installed."""
    grounding_dino: str = "IDEA-Research/grounding-dino-base"
    """Hub name or directory."""
    sam2: str = "facebook/sam2.1-hiera-large"
    """Hub name or directory."""
    device: str = "cpu"
    """Where detector and segmenter run: ``cpu``, ``cuda``, ``cuda:1``."""
    presence_frames: int = Field(default=8, ge=1)
    """Frames in one presence call."""
    most_seconds: int = Field(default=600, ge=1)
    """Seconds of a video that are looked at, one frame each; of a longer video the first."""
    key_iou: float = Field(default=0.9, gt=0, le=1)
    """The right option's box overlaps the measured one at least this much."""


class CultureSettings(Record):
    """Where background knowledge comes from (3.2, D.5)."""

    cultures: tuple[Culture, ...] = CULTURES
    concepts: int = Field(default=2, ge=1, le=2)
    wikipedia: str = ""
    """Folder that ``python -m media.wikipedia build`` wrote; empty: culture questions are declined."""
    embedder: str = ""
    """Hub name or directory of the sentence-transformers model that the index was built with; empty: as the index
    names it (by default paraphrase-multilingual-MiniLM-L12-v2)."""
    device: str = "cpu"
    least_score: float = Field(default=0.5, ge=-1, le=1)
    """An article that is less like the concept than this is no article on it."""
    article_characters: int = Field(default=4000, ge=200)
    """Of an article, as much goes to the writer, onto the item and to the blind check."""


class ScienceSettings(Record):
    """Which videos teach science (3.2), and the vocabulary of their subjects (3.1, A)."""

    least_relevance: int = Field(default=4, ge=1, le=5)
    least_density: int = Field(default=3, ge=1, le=5)
    disciplines: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Discipline → sub-disciplines."""


class VideoSettings(Record):
    """All of a video track's own settings: `Track.options`, validated."""

    paper_models: dict[str, str] = Field(default_factory=dict)
    """Which model the paper used for which step. For readers: the models that are asked stand in the panel."""
    speech: SpeechSettings = SpeechSettings()
    quality: QualitySettings = QualitySettings()
    cutting: CuttingSettings = CuttingSettings()
    segments: SegmentSettings = SegmentSettings()
    image_encoder: str = ""
    """Hub name or directory of a vision model that compares pictures across cuts; empty: colours and hashes do."""
    events: EventSettings = EventSettings()
    objects: ObjectSettings = ObjectSettings()
    object_stages: ObjectStageSettings = ObjectStageSettings()
    culture: CultureSettings = CultureSettings()
    science: ScienceSettings = ScienceSettings()
