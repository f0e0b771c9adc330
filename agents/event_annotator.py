"""Writes the log of a video: one event a segment, with the events before it in view (VideoVista-CulturalLingo 3.2).

event_request → (gateway) → read_event → EventAnnotation. Start and end are the segment's, never the model's.
"""

from collections.abc import Sequence

from agents.listing import events_part
from agents.mending import Faults
from agents.showing import image_part, language_name
from prompts import render
from records.calls import Part, Reply, Request, SpecPart, TextPart, TranscriptPart
from records.config import ModelSpec
from records.media import Frame, Sentence, tag_of
from records.video import EventAnnotation, Segment
from records.video_replies import EventReply
from rules.clock import clock

VIDEO = tag_of(0)
"""The one source's tag."""


def event_request(
    segment: Segment,
    count: int,
    history: Sequence[EventAnnotation],
    frames: Sequence[Frame],
    model: ModelSpec,
    *,
    language: str,
    sentences: Sequence[Sentence] = (),
    most_history: int = 40,
) -> Request:
    """A request to log one of `count` segments: its frames, its words, and the log of the segments before it.

    The log comes first: it only grows, so that a server with a prefix cache reads it once.
    """
    shown = tuple(frames) if model.images else ()
    earlier = tuple(history)[-most_history:] if most_history else ()
    first = len(history) - len(earlier) + 1
    parts: list[Part] = [events_part("earlier-events", earlier, first)] if earlier else []
    prefix = len(parts)
    if segment.text:
        parts.append(TranscriptPart(tag=VIDEO, text=segment.text, sentences=tuple(sentences), language=language))
    parts += [image_part(VIDEO, frame) for frame in shown]
    task = render(
        "video/event",
        number=segment.index + 1,
        count=count,
        start=clock(segment.start_s),
        end=clock(segment.end_s),
        history=bool(earlier),
        words=bool(segment.text),
        frames=len(shown),
        language=language_name(language),
    )
    spec = {"language": language, "number": segment.index + 1, "text": segment.text}
    return Request(
        task="annotate-event",
        model=model,
        system=render("video/event-system"),
        parts=(*parts, TextPart(text=task), SpecPart(values=spec)),
        prefix_parts=prefix,
        reply_model=EventReply,
        group_id=segment.video_id,
        unit=f"segment {segment.index + 1}",
    )


def read_event(reply: Reply, segment: Segment) -> EventAnnotation | Faults:
    """The event of a segment, in the full video's time; a fault where it says nothing."""
    value = reply.value
    if not isinstance(value, EventReply):
        raise TypeError(f"an event is read from an EventReply, not from a {type(value).__name__}")
    event = " ".join(value.event.split())
    if not event:
        return Faults(problems=("say in event what happens in the segment",))
    return EventAnnotation(
        event=event,
        audio=" ".join(value.audio.split()),
        start_s=segment.start_s,
        end_s=segment.end_s,
    )
