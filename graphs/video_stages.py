"""The stages that turn a video into notes: hear, rate, cut, refine, log. Each asks at most a few calls and checks them.

Every function takes what is known so far and returns what it found with a Stage that says how it ended; a failed call
is a failed stage, never a guess.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from agents.event_annotator import event_request, read_event
from agents.mending import Faults, mended
from agents.refiner import Refined, read_refined, refine_request
from agents.roles import Role, missing, model_for
from agents.segmenter import Range, read_ranges, segment_request, windows
from agents.transcript_quality import SILENT, quality_request, read_quality
from graphs.asking import ask_checked
from graphs.video_session import VideoSession
from media.refinement import refined
from media.sampling import frames_at
from media.segments import scene_segments, speech_segments
from media.transcripts import NO_TRANSCRIPT, paragraph
from records.annotation import Stage, TranscriptQuality
from records.calls import CallFailure, Request
from records.config import ModelSpec
from records.errors import ConfigurationError, InputError
from records.media import Frame, Sentence, Source, Transcript
from records.video import EventAnnotation, Segment


@dataclass(frozen=True)
class Cuts:
    """A video in segments, and which sentences each holds where it was cut by its speech."""

    segments: tuple[Segment, ...] = ()
    ranges: tuple[Range, ...] = ()


async def hear(session: VideoSession, source: Source, language: str) -> tuple[Transcript, Stage]:
    """The words of a video: its captions, else its speech, from the run if it was heard before."""
    if source.transcript.text:
        return source.transcript, Stage(name="speech", outcome="done", reason=f"words from {source.transcript.origin}")
    if not source.video_file:
        return NO_TRANSCRIPT, Stage(name="speech", outcome="declined", reason="there is nothing to hear")
    stored = session.run.get("transcript", source.video_id, Transcript)
    if stored is not None:
        return stored, Stage(name="speech", outcome="done", reason="words from speech recognition")
    try:
        async with session.signals:
            heard = await asyncio.to_thread(session.tools.transcribe, Path(source.video_file), _asked(language))
    except (ConfigurationError, InputError) as error:
        session.note(source.video_id, f"its speech was not recognised: {error}")
        return NO_TRANSCRIPT, Stage(name="speech", outcome="declined", reason=str(error))
    session.run.put("transcript", source.video_id, heard, group_id=source.video_id)
    return heard, Stage(name="speech", outcome="done", reason=f"words from {heard.origin}")


async def rate(session: VideoSession, transcript: Transcript, source: Source) -> tuple[TranscriptQuality | None, Stage]:
    """Whether the words can stand for the video."""
    if not transcript.text:
        return SILENT, Stage(name="quality", outcome="done", reason=SILENT.reason)
    model = model_for(session.panel, "quality")
    if model is None:
        return None, _without(session, "quality", "quality")
    request = quality_request(
        transcript, model, session.settings.quality, duration_s=source.duration_s, group_id=source.video_id
    )
    settings = session.settings
    asked = await ask_checked(session, request, lambda reply: read_quality(reply, settings.quality), 0)
    if asked.value is None:
        return None, Stage(name="quality", outcome="failed", reason=asked.failure, request_ids=asked.request_ids)
    return asked.value, Stage(name="quality", outcome="done", reason=asked.value.audio, request_ids=asked.request_ids)


async def cut(
    session: VideoSession, transcript: Transcript, quality: TranscriptQuality | None, source: Source
) -> tuple[Cuts, Stage]:
    """The segments: paragraphs of good speech, else scenes."""
    rich = quality is not None and quality.audio == "audio-rich" and _timed(transcript)
    model = model_for(session.panel, "segmenter") if rich else None
    if model is None:
        return await scenes(session, transcript, source)
    ranges: list[Range] = []
    asked_ids: list[str] = []
    for window in windows(len(transcript.sentences), session.settings.cutting.window_sentences):
        found, stage = await paragraphs(session, transcript, window, model, source.video_id)
        asked_ids += stage.request_ids
        if stage.outcome == "failed":
            return Cuts(), stage.model_copy(update={"request_ids": tuple(asked_ids)})
        if not found:
            session.note(source.video_id, f"its speech could not be cut ({stage.reason}); it was cut by scenes")
            return await scenes(session, transcript, source, tuple(asked_ids))
        ranges += found
    segments = speech_segments(source.video_id, transcript, ranges)
    stage = Stage(name="segments", outcome="done", reason="cut by speech", request_ids=tuple(asked_ids))
    return Cuts(segments, tuple(ranges)), stage


async def paragraphs(
    session: VideoSession, transcript: Transcript, window: Range, model: ModelSpec, video_id: str
) -> tuple[tuple[Range, ...], Stage]:
    """The paragraphs of one window of sentences, checked; none where every reply had faults."""
    request = segment_request(transcript, window, model, group_id=video_id)
    asked = await ask_checked(
        session, request, lambda reply: read_ranges(reply, window), session.settings.cutting.attempts
    )
    if asked.failure:
        return (), Stage(name="segments", outcome="failed", reason=asked.failure, request_ids=asked.request_ids)
    reason = "; ".join(asked.faults)
    return asked.value or (), Stage(name="segments", outcome="done", reason=reason, request_ids=asked.request_ids)


async def scenes(
    session: VideoSession, transcript: Transcript, source: Source, request_ids: tuple[str, ...] = ()
) -> tuple[Cuts, Stage]:
    """The segments by what is shown."""
    if not source.video_file:
        reason = "its words cannot be cut, and it has no picture to cut by"
        return Cuts(), Stage(name="segments", outcome="declined", reason=reason, request_ids=request_ids)
    try:
        async with session.decoders:
            found = await asyncio.to_thread(scenes_of, session, transcript, source)
    except (ConfigurationError, InputError) as error:
        return Cuts(), Stage(name="segments", outcome="failed", reason=str(error), request_ids=request_ids)
    return Cuts(found), Stage(name="segments", outcome="done", reason="cut by scenes", request_ids=request_ids)


def scenes_of(session: VideoSession, transcript: Transcript, source: Source) -> tuple[Segment, ...]:
    """The scenes of a video, joined by likeness; blocking. Raises ConfigurationError or InputError."""
    encoder, settings = session.tools.image_encoder, session.settings.segments
    timed = transcript if _timed(transcript) else None
    return scene_segments(Path(source.video_file or ""), source.video_id, settings, encoder, timed)


async def refine(
    session: VideoSession, transcript: Transcript, language: str, video_id: str
) -> tuple[Transcript, Stage]:
    """The transcript with corrected sentences, where its language is refined; a sentence that fails keeps its words."""
    settings = session.settings.cutting
    if not transcript.sentences or language not in settings.refine_languages:
        return transcript, Stage(name="refinement", outcome="off", reason="not a language that is refined")
    model = model_for(session.panel, "refiner")
    if model is None:
        return transcript, _without(session, "refinement", "refiner")
    texts: dict[int, str] = {}
    asked_ids: list[str] = []
    for window in windows(len(transcript.sentences), settings.refine_sentences):
        request = refine_request(transcript, window, model, group_id=video_id)
        found, failure, ids = await refined_window(session, request, transcript, window)
        asked_ids += ids
        if failure:
            stage = Stage(name="refinement", outcome="failed", reason=failure, request_ids=tuple(asked_ids))
            return transcript, stage
        texts |= found
    kept = len(transcript.sentences) - len(texts)
    if kept:
        session.note(video_id, f"{kept} sentences keep their words as heard: what was refined failed the checks")
    better = refined(transcript, [texts.get(n, s.text) for n, s in enumerate(transcript.sentences, start=1)])
    reason = f"{len(texts)} of {len(transcript.sentences)} sentences refined"
    return better, Stage(name="refinement", outcome="done", reason=reason, request_ids=tuple(asked_ids))


async def refined_window(
    session: VideoSession, request: Request, transcript: Transcript, window: Range
) -> tuple[dict[int, str], str, tuple[str, ...]]:
    """Sentences by number, a failure, and the calls. Sentences that fail a check are asked for once more."""
    asked_ids: tuple[str, ...] = ()
    best: dict[int, str] = {}
    current = request
    for _ in range(session.settings.cutting.attempts + 1):
        outcome = await session.gateway.ask(current)
        asked_ids += (outcome.request_id,)
        if isinstance(outcome, CallFailure):
            return best, "" if len(asked_ids) > 1 else f"{outcome.outcome}: {outcome.message}", asked_ids
        read = read_refined(outcome, transcript, window)
        if isinstance(read, Refined):
            best |= read.texts
        if not read.problems:
            break
        current = mended(request, outcome.raw, Faults(problems=read.problems))
    return best, "", asked_ids


def with_words(cuts: Cuts, transcript: Transcript) -> tuple[Segment, ...]:
    """The segments with the words of a transcript whose sentences have the same times."""
    if not _timed(transcript):
        return cuts.segments
    if cuts.ranges:
        return speech_segments(cuts.segments[0].video_id, transcript, cuts.ranges)
    return tuple(
        segment.model_copy(update={"text": paragraph(sentences_in(segment, transcript))}) for segment in cuts.segments
    )


def sentences_in(segment: Segment, transcript: Transcript) -> tuple[Sentence, ...]:
    """The sentences that have their middle in a segment."""
    middles = [(sentence, (sentence.start_s + sentence.end_s) / 2) for sentence in transcript.sentences]
    return tuple(sentence for sentence, middle in middles if segment.start_s <= middle < segment.end_s)


async def segment_frames(session: VideoSession, segments: tuple[Segment, ...], source: Source) -> tuple[Frame, ...]:
    """Evenly spread frames of every segment, in one pass over the video, numbered through."""
    if not source.video_file:
        return ()
    count = session.settings.events.frames
    times = sorted(
        round(each.start_s + (place + 0.5) * (each.end_s - each.start_s) / count, 3)
        for each in segments
        for place in range(count)
    )
    images = session.track.images
    async with session.decoders:
        return await asyncio.to_thread(
            frames_at, Path(source.video_file), times, out=session.run.frames_dir, video_id=source.video_id,
            side=images.longer_side, quality=images.jpeg_quality,
        )  # fmt: skip


async def log_event(
    session: VideoSession,
    segment: Segment,
    count: int,
    history: tuple[EventAnnotation, ...],
    frames: tuple[Frame, ...],
    transcript: Transcript,
    language: str,
) -> tuple[EventAnnotation | None, Stage]:
    """The event of one segment, with those before it in view."""
    model = model_for(session.panel, "annotator")
    if model is None:
        return None, _without(session, "events", "annotator")
    shown = tuple(frame for frame in frames if segment.start_s <= frame.time_s < segment.end_s)
    if not segment.text and not (shown and model.images):
        reason = f"segment {segment.index + 1} has neither words nor a frame that {model.name} can see"
        return None, Stage(name="events", outcome="declined", reason=reason)
    request = event_request(
        segment, count, history, shown, model, language=language, sentences=sentences_in(segment, transcript),
        most_history=session.settings.events.history,
    )  # fmt: skip
    asked = await ask_checked(
        session, request, lambda reply: read_event(reply, segment), session.settings.cutting.attempts
    )
    if asked.value is None:
        reason = asked.failure or f"no usable reply: {'; '.join(asked.faults)}"
        return None, Stage(name="events", outcome="failed", reason=reason, request_ids=asked.request_ids)
    return asked.value, Stage(name="events", outcome="done", request_ids=asked.request_ids)


def _timed(transcript: Transcript) -> bool:
    return any(sentence.end_s > 0 for sentence in transcript.sentences)


def _asked(language: str) -> str:
    return "" if language in ("auto", "und") else language


def _without(session: VideoSession, stage: str, role: Role) -> Stage:
    return Stage(name=stage, outcome="declined", reason=missing(session.panel, role))
