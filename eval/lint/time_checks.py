"""Times that are no times, or that lie beyond the end of the video; event spans that end before they start."""

import json
from collections.abc import Iterator

from eval.lint.finding import Context, Finding, Severity, quoted
from eval.times import WrongTime, clock, time_span, times_in
from records.benchmark import BenchmarkItem

_SLACK_S = 1.0
"""A stated duration may be rounded down."""


def wrong_timestamp(items: tuple[BenchmarkItem, ...], context: Context) -> Iterator[Finding]:
    """Options, stem and event span against the clock and against the video's duration, where that is known."""
    for item in items:
        yield from _options(item, context)
        yield from _stem(item, context)
        yield from _span(item, context)
        yield from _frames(item, context)


def duration_of(item: BenchmarkItem, context: Context) -> float | None:
    """The duration of the one video that the item is about; None for several videos or an unknown one."""
    if len(item.video_ids) > 1 or len(item.video_files) > 1:
        return None
    names = (*item.video_files, *item.video_ids)
    known = next((context.durations[name] for name in names if name in context.durations), None)
    return item.duration_s if known is None else known


def _options(item: BenchmarkItem, context: Context) -> Iterator[Finding]:
    duration = duration_of(item, context)
    for letter, text in item.options.items():
        try:
            span = time_span(text)
        except WrongTime as error:
            yield _finding(item, "error", f"option {letter}: {error}")
            continue
        if span is None:
            continue
        if span[1] < span[0]:
            yield _finding(item, "error", f"option {letter} ends before it starts: {quoted(text)}")
        if duration is not None and span[0] > duration + _SLACK_S and _mostly_times(item):
            severity: Severity = "error" if letter == item.key else "warning"
            message = f"option {letter} ({quoted(text)}) lies beyond the end of the video ({clock(duration)})"
            yield _finding(item, severity, message)


def _mostly_times(item: BenchmarkItem) -> bool:
    found = 0
    for text in item.options.values():
        try:
            found += time_span(text) is not None
        except WrongTime:
            found += 1
    return 2 * found > len(item.options)


def _stem(item: BenchmarkItem, context: Context) -> Iterator[Finding]:
    duration = duration_of(item, context)
    if duration is None:
        return
    for moment in times_in(item.stem):
        if moment > duration + _SLACK_S:
            message = f"the question speaks of {clock(moment)}, beyond the end of the video ({clock(duration)})"
            yield _finding(item, "error", message)


def _span(item: BenchmarkItem, context: Context) -> Iterator[Finding]:
    start, end = item.event_start_s, item.event_end_s
    if start is not None and end is not None and end < start:
        yield _finding(item, "error", f"the event ends ({clock(end)}) before it starts ({clock(start)})")


def _frames(item: BenchmarkItem, context: Context) -> Iterator[Finding]:
    """``frame_times`` (``{"TAG_A #4": 42.1}``) against the duration of the tag's video."""
    try:
        times = json.loads(item.extra.get("frame_times", "{}"))
    except ValueError:
        return
    for marker, moment in times.items() if isinstance(times, dict) else ():
        video = item.sources.get(marker.split(" ")[0], "")
        duration = context.durations.get(video)
        if duration is not None and isinstance(moment, (int, float)) and not 0 <= moment <= duration + _SLACK_S:
            message = f"frame {marker} is at {clock(moment)}, outside its video {video} ({clock(duration)})"
            yield _finding(item, "error", message)


def _finding(item: BenchmarkItem, severity: Severity, message: str) -> Finding:
    return Finding(item_id=item.item_id, check="wrong-timestamp", severity=severity, message=message)
