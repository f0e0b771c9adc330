"""What the nodes of the video track's graphs reach beyond a session: the track's settings and the signal tools.

Tools load their models at the first use and are shared by all videos of a run; each says clearly what it lacks.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from graphs.session import Session
from records.annotation import VideoSettings
from records.errors import ConfigurationError
from records.media import Transcript
from records.video import Article

if TYPE_CHECKING:
    from media.embeddings import ImageEncoder
    from media.objects import Detector, Segmenter
    from media.speech import Recognizer
    from media.wikipedia import Wikipedia

Value = TypeVar("Value")


def has_vision() -> bool:
    """Whether the extra [vision] is installed."""
    return all(find_spec(name) is not None for name in ("torch", "transformers"))


class Tools:
    """Speech, boxes and retrieval. Each method is plain, blocking code; the graphs run it in a thread."""

    def __init__(self, settings: VideoSettings) -> None:
        self.settings = settings
        self._library = ThreadPoolExecutor(max_workers=1, thread_name_prefix="wikipedia")

    async def consult(self, ask: Callable[[], Value]) -> Value:
        """Runs a question to the encyclopedia in its one thread: its file may be read by no other."""
        return await asyncio.get_running_loop().run_in_executor(self._library, ask)

    @cached_property
    def recognizer(self) -> "Recognizer":
        """Hears speech."""
        from media.speech import Recognizer

        return Recognizer(self.settings.speech)

    @cached_property
    def image_encoder(self) -> "ImageEncoder | None":
        """Compares pictures across cuts; None takes colours and perceptual hashes. Raises ConfigurationError."""
        if not self.settings.image_encoder:
            return None
        from media.embeddings import VisionEncoder

        return VisionEncoder(self.settings.image_encoder)

    @cached_property
    def detector(self) -> "tuple[Detector, Segmenter] | None":
        """Boxes by name and masks by box; None where the panel's grounder draws the boxes instead.

        Raises ConfigurationError where Grounding-DINO is asked for and cannot be loaded.
        """
        stages = self.settings.object_stages
        if stages.detector == "model" or (stages.detector == "auto" and not has_vision()):
            return None
        from media.vision_models import GroundingDino, Sam2

        return GroundingDino(stages.grounding_dino, device=stages.device), Sam2(stages.sam2, device=stages.device)

    @cached_property
    def wikipedia(self) -> "Wikipedia":
        """The local encyclopedia. Raises ConfigurationError or InputError where there is none."""
        culture = self.settings.culture
        if not culture.wikipedia:
            raise ConfigurationError(
                "no local Wikipedia is named",
                hint="Build one with `python -m media.wikipedia build --dump FILE`, then give --wikipedia DIR.",
            )
        from media.wikipedia import Wikipedia

        if not culture.embedder:
            return Wikipedia.open(Path(culture.wikipedia))
        from media.embeddings import SentenceEncoder

        return Wikipedia.open(Path(culture.wikipedia), SentenceEncoder(culture.embedder, device=culture.device))

    def transcribe(self, path: Path, language: str) -> Transcript:
        """What is said in a video. Raises ConfigurationError for a missing model, InputError for a damaged file."""
        return self.recognizer.transcribe(path, language)

    def article_on(self, concept: str) -> Article | None:
        """The nearest article; None where none is near enough."""
        found = self.wikipedia.search(concept, 1)
        return found[0] if found and found[0].score >= self.settings.culture.least_score else None


@dataclass(frozen=True)
class VideoSession(Session):
    """A session of the video track."""

    settings: VideoSettings = field(default_factory=VideoSettings)
    language: str = "auto"
    families: tuple[str, ...] = ()
    """Families that were asked for."""
    tools: Tools = field(default_factory=lambda: Tools(VideoSettings()))
    signals: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    """Speech and detectors take a whole machine: one at a time."""
