"""Whether a transcript can stand for its video: graded by a model, classed by code (VideoVista-CulturalLingo 3.1).

quality_request → (gateway) → read_quality → audio-rich where all three grades reach the threshold, else audio-noisy.
"""

from agents.listing import numbered_sentences
from prompts import render
from records.annotation import QualitySettings, TranscriptQuality
from records.calls import Reply, Request, SpecPart, TextPart
from records.config import ModelSpec
from records.media import Sentence, Transcript
from records.video_replies import QualityReply

SILENT = TranscriptQuality(audio="audio-noisy", reason="nothing is said, or nothing that could be written down")


def quality_request(
    transcript: Transcript, model: ModelSpec, settings: QualitySettings, *, duration_s: float | None, group_id: str
) -> Request:
    """A request to grade the words of a video; of a long transcript evenly spread sentences are shown."""
    shown = spread(transcript.sentences, settings.sentences)
    task = render(
        "video/quality",
        shown=len(shown),
        count=len(transcript.sentences),
        duration=round(duration_s) if duration_s else 0,
    )
    spec = {
        "language": transcript.language,
        "duration_s": duration_s,
        "sentences": [sentence.model_dump() for sentence in transcript.sentences],
    }
    return Request(
        task="transcript-quality",
        model=model,
        system=render("video/quality-system"),
        parts=(numbered_sentences("sentences", shown), TextPart(text=task), SpecPart(values=spec)),
        prefix_parts=0,
        reply_model=QualityReply,
        group_id=group_id,
        unit="quality",
    )


def spread(sentences: tuple[Sentence, ...], most: int) -> tuple[tuple[int, Sentence], ...]:
    """At most so many sentences with their numbers from 1: all, or evenly spread ones."""
    count = len(sentences)
    if count <= most:
        return tuple(enumerate(sentences, start=1))
    places = [place * count // most for place in range(most)]
    return tuple((place + 1, sentences[place]) for place in places)


def read_quality(reply: Reply, settings: QualitySettings) -> TranscriptQuality:
    """The grades and the class that follows from them."""
    value = reply.value
    if not isinstance(value, QualityReply):
        raise TypeError(f"quality is read from a QualityReply, not from a {type(value).__name__}")
    rich = min(value.coherence, value.continuity, value.density) >= settings.least
    return TranscriptQuality(
        audio="audio-rich" if rich else "audio-noisy",
        coherence=value.coherence,
        continuity=value.continuity,
        density=value.density,
        reason=value.reasoning.strip(),
        model=reply.model,
    )
