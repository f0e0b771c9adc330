"""Moments of a video as options write them: ``0:01:35`` is 95 seconds from its start.

Not covered: the many other ways in which foreign benchmarks write times (`eval.times`).
"""

import re

_CLOCK = re.compile(r"(?:(\d{1,2}):)?(\d{1,2}):([0-5]\d)")


def clock(seconds: float) -> str:
    """A moment to the nearest second, such as ``0:01:35``."""
    whole = round(seconds)
    return f"{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}"


def seconds_of(text: str) -> float | None:
    """Seconds of a text that consists of one moment; None for any other text."""
    found = _CLOCK.fullmatch(text.strip())
    if not found or (found[1] and int(found[2]) > 59):
        return None
    return 3600.0 * int(found[1] or 0) + 60.0 * int(found[2]) + int(found[3])


def moments_in(text: str) -> tuple[float, ...]:
    """The moments in clock form that a text mentions, in order."""
    found = (seconds_of(match[0]) for match in re.finditer(r"(?<![\d:.])(?:\d{1,2}:)?\d{1,2}:[0-5]\d(?![\d:])", text))
    return tuple(moment for moment in found if moment is not None)
