"""Numbered, timed lists as models of the video track read them: sentences, events, objects. Untrusted, so quoted."""

from collections.abc import Iterable, Sequence

from records.annotation import ObjectDescription
from records.calls import QuotedPart
from records.media import Sentence
from records.video import EventAnnotation
from rules.clock import clock
from rules.facts import box_text


def numbered_sentences(name: str, sentences: Iterable[tuple[int, Sentence]], *, timed: bool = True) -> QuotedPart:
    """``12. [83 s] And now the sauce.``, one a line."""
    lines = [f"{n}. {f'[{s.start_s:.0f} s] ' if timed else ''}{s.text}" for n, s in sentences]
    return QuotedPart(name=name, text="\n".join(lines))


def event_lines(events: Sequence[EventAnnotation], first: int = 1) -> str:
    """Each event with its number, its stretch of time in seconds and in clock form, what is seen and what is said."""
    return "\n".join(_event(number, event) for number, event in enumerate(events, start=first))


def events_part(name: str, events: Sequence[EventAnnotation], first: int = 1) -> QuotedPart:
    """The log of events as a quoted block."""
    return QuotedPart(name=name, text=event_lines(events, first))


def objects_part(objects: Sequence[ObjectDescription]) -> QuotedPart:
    """Each object with its number, when it comes into view, its box there, and its description."""
    return QuotedPart(name="objects", text="\n".join(_object(n, each) for n, each in enumerate(objects, start=1)))


def _event(number: int, event: EventAnnotation) -> str:
    said = f" Said: {event.audio}" if event.audio else ""
    times = f"{event.start_s:.1f}-{event.end_s:.1f} s, {clock(event.start_s)} to {clock(event.end_s)}"
    return f"{number}. [{times}] {event.event}{said}"


def _object(number: int, each: ObjectDescription) -> str:
    track, first = each.track, each.track.first
    seen = f"in view {len(track.sightings)} of the seconds looked at, first at {track.seen_s:.1f} s"
    if first is None:
        noticed = "never large enough to notice"
    else:
        noticed = (
            f"first large enough to notice at {first.time_s:.1f} s ({clock(first.time_s)}), box {box_text(first.box)}"
        )
        noticed += f", {len(first.others)} more of its like in that frame" if first.others else ""
    return f"{number}. {track.name}: {seen}; {noticed}.{f' {each.text}' if each.text else ''}"
