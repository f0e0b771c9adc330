"""A candidate model and how it is asked: one entry of a candidates file (``configs/candidates/*.yaml``).

Example: ``{model: hosted_vllm/Qwen/Qwen2.5-VL-7B-Instruct, label: Qwen2.5-VL-7B, asking: {frames: "1fps(300)",
side: 224}}``. What is not said here comes from the file's own ``asking:``, else from the defaults below.
"""

import re
from typing import Literal

from pydantic import ConfigDict, Field, field_validator, model_validator

from records.base import Record
from records.config import ModelSpec

_CONFIG = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, protected_namespaces=())
_FRAMES = re.compile(r"(?P<fps>\d+(?:\.\d+)?)fps(?:\((?P<most>\d+)\))?|(?P<uniform>\d+)f|(?P<ranked>\d+)|none")

FRAME_FORMS = "4 (top-ranked), 8f (spread evenly), 1fps(64) (a frame a second, at most 64) or none"


class FrameRule(Record):
    """Which frames of a video are shown."""

    kind: Literal["ranked", "uniform", "fps", "none"]
    count: int = 0
    """Of ranked and uniform frames."""
    per_second: float = 0.0
    most: int | None = None
    """Of frames sampled by time: beyond it they are spread evenly over the video."""


def read_frames(text: str) -> FrameRule:
    """The rule of ``4``, ``8f``, ``1fps``, ``1fps(64)`` or ``none``. Raises ValueError for other texts."""
    found = _FRAMES.fullmatch(text.strip())
    if not found:
        raise ValueError(f"frames: {text!r} is not understood; write {FRAME_FORMS}")
    if found["fps"]:
        most = int(found["most"]) if found["most"] else None
        if not float(found["fps"]) or most == 0:
            raise ValueError(f"frames: {text!r} asks for no frame at all; write none for that")
        return FrameRule(kind="fps", per_second=float(found["fps"]), most=most)
    for kind in ("uniform", "ranked"):
        if found[kind]:
            return FrameRule(kind=kind, count=int(found[kind])) if int(found[kind]) else FrameRule(kind="none")
    return FrameRule(kind="none")


class Asking(Record):
    """How a candidate is asked (VNU-Bench 3.2 and F.1; VideoVista-CulturalLingo B)."""

    model_config = _CONFIG

    frames: str = "4"
    """Frames a video: ``4`` the top-ranked ones, ``8f`` so many spread evenly over the video, ``1fps`` or ``1fps(64)``
    by time with a maximum, ``none``."""
    side: int | None = Field(default=540, ge=28)
    """Longest side of a frame in pixels; smaller frames are never enlarged. null: as the video has them."""
    jpeg_quality: int = Field(default=65, ge=1, le=100)
    """JPEG quality of the frames."""
    transcript: Literal["full", "summary", "none"] = "summary"
    """``summary``: transcripts longer than `summary_characters` are summarised by the file's `summarizer`."""
    summary_characters: int = Field(default=1000, ge=100)
    """Longest summary; a transcript that is not longer is shown as it is."""
    input: Literal["frames", "strip", "video"] = "frames"
    """``strip``: a video's frames side by side as one image, for models that take one image. ``video``: the file as it
    is, for providers that take video (Gemini, vLLM); `frames` and `side` then do not apply."""
    reply: Literal["json", "letter"] = "json"
    """``letter``: the bare letter as plain text, for models that cannot write JSON."""
    batch: int = Field(default=1, ge=0)
    """Questions on the same videos in one call, answered as question id → letter; 0: all of them."""
    circular: bool = False
    """Ask every rotation of the options."""
    repeats: int = Field(default=1, ge=1)
    """How often each question is asked; makes sense at a temperature above 0."""
    mend: bool = False
    """Whether a reply that cannot be read goes back to the model, at most twice. Off: it counts as wrong."""
    layout: Literal["shared-prefix", "paper"] = "shared-prefix"
    """``paper``: the order and the reply fields of VNU-Bench E.1, the question before the material."""

    @field_validator("frames", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @model_validator(mode="after")
    def _fits_together(self) -> "Asking":
        read_frames(self.frames)
        if self.batch != 1 and self.reply == "letter":
            raise ValueError("batch: several questions in one call need reply: json")
        return self

    @property
    def rule(self) -> FrameRule:
        """The frames setting, read."""
        return read_frames(self.frames)


class Candidate(Record):
    """A model that is scored, how it is asked, and what tables say about it."""

    model_config = _CONFIG

    spec: ModelSpec
    """How the model is reached."""
    asking: Asking = Asking()
    """How it is asked."""
    label: str = ""
    """Name in tables; the name in the file if empty."""
    llm: str = ""
    """The language model inside, as the papers' tables give it."""
    section: str = ""
    """Heading in tables, such as ``Proprietary LMMs``."""
    size_b: float | None = None
    """Parameters in billions."""

    @property
    def name(self) -> str:
        """The name in the file."""
        return self.spec.name


class Candidates(Record):
    """One candidates file."""

    model_config = _CONFIG

    name: str
    """Name in runs and reports; the file's name if left out."""
    description: str = ""
    """One line, shown by ``graphs.list --candidates``."""
    candidates: tuple[Candidate, ...] = ()
    """In YAML ``models:``, a mapping from name to settings: those of a model, and ``asking``, ``label``, ``llm``,
    ``section``, ``size_b``."""
    helpers: tuple[ModelSpec, ...] = ()
    """Models that summarise or caption and are not scored."""
    summarizer: str | None = None
    """Shortens transcripts; a name under ``models`` or ``helpers``."""
    captioner: str | None = None
    """Captions and ranks the frames of groups that no run has ranked; without one they are ranked by what can be seen
    without a model."""

    @model_validator(mode="after")
    def _names_exist(self) -> "Candidates":
        names = [*(candidate.name for candidate in self.candidates), *(helper.name for helper in self.helpers)]
        doubled = sorted({name for name in names if names.count(name) > 1})
        if doubled:
            raise ValueError(f"names must differ; used twice: {', '.join(doubled)}")
        for role in ("summarizer", "captioner"):
            name = getattr(self, role)
            if name and name not in names:
                raise ValueError(f"{role}: no model named {name} (there are: {', '.join(sorted(names))})")
        return self

    def model(self, name: str) -> ModelSpec:
        """The model of a name. Raises KeyError if there is none."""
        for spec in (*(candidate.spec for candidate in self.candidates), *self.helpers):
            if spec.name == name:
                return spec
        raise KeyError(name)
