"""How a group's sources are put before a model that is no judge: transcripts and frames as typed parts, by a view."""

from records.calls import ImagePart, Part, TextPart, TranscriptPart
from records.config import ModelSpec, View
from records.media import Evidence, Frame, SourceEvidence, Tag
from records.text import primary_language

_LANGUAGES = {
    "en": "English", "zh": "Chinese", "es": "Spanish", "fr": "French", "de": "German", "pt": "Portuguese",
    "ar": "Arabic", "ja": "Japanese", "ko": "Korean", "ru": "Russian", "hi": "Hindi", "it": "Italian",
}  # fmt: skip


def language_name(tag: str) -> str:
    """English name of a language tag's language: ``zh-Hans`` gives Chinese, an unknown one the tag itself."""
    return _LANGUAGES.get(primary_language(tag), f"the language of the transcripts ({tag})")


def shown_frames(evidence: Evidence, model: ModelSpec, view: View) -> dict[Tag, tuple[Frame, ...]]:
    """The frames that a stage shows, by tag, in order of time: the best-ranked ones; none to a text-only model."""
    limit = view.frames if model.images else 0
    return {
        source.tag: tuple(frame for frame in sorted(source.frames, key=lambda f: f.number) if frame.rank <= limit)
        for source in evidence.sources
    }


def source_parts(evidence: Evidence, model: ModelSpec, view: View) -> tuple[Part, ...]:
    """Transcript and frames of every source in tag order, behind one line that counts the sources."""
    frames = shown_frames(evidence, model, view)
    opening = TextPart(text=f"The story is covered by {len(evidence.sources)} sources: {', '.join(evidence.tags)}.")
    parts: list[Part] = [opening]
    for source in evidence.sources:
        if view.transcript != "none":
            parts.append(_transcript(source, summarised=view.transcript == "summary"))
        parts += _frames(source.tag, frames[source.tag])
    return tuple(parts)


def image_part(tag: Tag, frame: Frame, number: int | None = None) -> ImagePart:
    """A frame as a part of a prompt, under its own number or under another one."""
    return ImagePart(
        tag=tag,
        number=frame.number if number is None else number,
        sha256=frame.sha256,
        width=frame.width,
        height=frame.height,
        time_s=frame.time_s,
        caption=frame.caption,
    )


def _frames(tag: Tag, frames: tuple[Frame, ...]) -> list[Part]:
    """A line with the time of each frame, so that pictures can be held against words, and then the frames."""
    if not frames:
        return []
    times = ", ".join(f"#{frame.number} at {frame.time_s:.1f} s" for frame in frames)
    return [TextPart(text=f"Frames of {tag}: {times}."), *(image_part(tag, frame) for frame in frames)]


def _transcript(source: SourceEvidence, *, summarised: bool) -> TranscriptPart:
    language = source.transcript.language
    if summarised and source.summary:
        return TranscriptPart(tag=source.tag, text=source.summary, form="summary", language=language)
    transcript = source.transcript
    timed = any(sentence.end_s > 0 for sentence in transcript.sentences)
    return TranscriptPart(
        tag=source.tag, text=transcript.text, sentences=transcript.sentences, language=language, timed=timed
    )
