"""Small materials written out in tests."""

from media.text import split_sentences
from offline.reading import Material, SeenFrame
from records.calls import ImagePart, QuestionPart, Request, SpecPart, TextPart, TranscriptPart
from records.config import ModelSpec
from records.media import Sentence
from records.replies import ChoiceReply, SeverityReply
from records.text import language_of


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text, five seconds each."""
    found = split_sentences(text, language_of(text))
    return tuple(Sentence(start_s=5.0 * i, end_s=5.0 * i + 5, text=one) for i, one in enumerate(found))


def material(frames: int = 4, **texts: str) -> Material:
    """``material(TAG_A="…", TAG_B="…")``, a frame every ten seconds."""
    shown = tuple(SeenFrame(number=k, time_s=10.0 * k - 5) for k in range(1, frames + 1))
    return Material(
        language=language_of(" ".join(texts.values())),
        sentences={tag: sentences(text) for tag, text in texts.items()},
        frames=dict.fromkeys(texts, shown) if frames else {},
    )


def model(name: str) -> ModelSpec:
    return ModelSpec(name=name.rpartition("/")[2], model=name, transport="offline")


def asked(solver: str, part: QuestionPart, task: str = "difficulty", **texts: str) -> Request:
    """A judge's request about a question, with the texts as the sources shown."""
    transcripts = [TranscriptPart(tag=tag, text=text, sentences=sentences(text)) for tag, text in texts.items()]
    reply = SeverityReply if task == "ambiguity" else ChoiceReply
    return Request(
        task=task, model=model(f"offline/{solver}"), system="You judge.", reply_model=reply,
        parts=(*transcripts, TextPart(text="Answer."), part, SpecPart(values={})),
    )  # fmt: skip


__all__ = ["ImagePart", "asked", "material", "model", "sentences"]
