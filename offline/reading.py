"""What a request shows, read from its typed parts: sentences by tag, frames by tag, the question, the task's facts.

Captions of frames count as sentences of their source. Trusted text parts are prompts for language models and are
never read here.
"""

from typing import Any

from pydantic import Field

from media.text import split_sentences
from records.base import Record
from records.calls import ImagePart, QuestionPart, Request, SpecPart, TranscriptPart
from records.errors import ConfigurationError
from records.media import Sentence, Tag
from records.text import language_of


class SeenFrame(Record):
    """A frame that the request carries, with the time at which it stands in its video."""

    number: int
    time_s: float | None = None


class Material(Record):
    """The evidence of a request."""

    language: str
    """``en`` or ``zh``."""
    sentences: dict[Tag, tuple[Sentence, ...]] = Field(default_factory=dict)
    """Spoken sentences by tag; a summary's sentences have no times (0.0)."""
    captions: dict[Tag, tuple[str, ...]] = Field(default_factory=dict)
    """What a captioner saw in the frames."""
    frames: dict[Tag, tuple[SeenFrame, ...]] = Field(default_factory=dict)

    @property
    def tags(self) -> tuple[Tag, ...]:
        """All tags that are shown, in alphabetical order."""
        return tuple(sorted({*self.sentences, *self.captions, *self.frames}))

    def texts(self, tags: tuple[Tag, ...]) -> tuple[str, ...]:
        """Everything that can be read under the tags: sentences, then captions."""
        spoken = [sentence.text for tag in tags for sentence in self.sentences.get(tag, ())]
        return (*spoken, *(caption for tag in tags for caption in self.captions.get(tag, ())))


def material(request: Request) -> Material:
    """The evidence that a request shows."""
    sentences: dict[Tag, tuple[Sentence, ...]] = {}
    captions: dict[Tag, tuple[str, ...]] = {}
    frames: dict[Tag, tuple[SeenFrame, ...]] = {}
    for part in request.parts:
        if isinstance(part, TranscriptPart):
            sentences[part.tag] = (*sentences.get(part.tag, ()), *_sentences(part))
        elif isinstance(part, ImagePart):
            frames[part.tag] = (*frames.get(part.tag, ()), SeenFrame(number=part.number, time_s=part.time_s))
            if part.caption.strip():
                captions[part.tag] = (*captions.get(part.tag, ()), part.caption)
    text = " ".join(sentence.text for group in sentences.values() for sentence in group)
    question = next((part for part in request.parts if isinstance(part, QuestionPart)), None)
    language = language_of(text or (question.stem if question else ""))
    return Material(language=language, sentences=sentences, captions=captions, frames=frames)


def _sentences(part: TranscriptPart) -> tuple[Sentence, ...]:
    if part.sentences:
        return part.sentences
    return tuple(Sentence(start_s=0.0, end_s=0.0, text=text) for text in split_sentences(part.text, part.language))


def question(request: Request) -> QuestionPart:
    """The question of a request. Raises ConfigurationError where a solver is asked without one."""
    for part in request.parts:
        if isinstance(part, QuestionPart):
            return part
    raise ConfigurationError(
        f"The request for task {request.task} carries no question.", hint="Add a question part to the request."
    )


def spec(request: Request) -> dict[str, Any]:
    """The task's facts for models that read no prompt; empty where there are none."""
    return {key: value for part in request.parts if isinstance(part, SpecPart) for key, value in part.values.items()}
