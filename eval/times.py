"""Times of day in a video as benchmarks write them: ``0:01:35``, ``01:35``, ``95 s``, ``第13秒``; seconds as floats.

Ranges (``0:10-0:25``) have a start and an end. Dates, years and scores such as ``3:1`` are no times.
"""

import re
import unicodedata

_CLOCK = r"(?:(?P<h{0}>\d{{1,2}}):)?(?P<m{0}>\d{{1,3}}):(?P<s{0}>\d{{2}}(?:\.\d+)?)"
_SECONDS = r"(?P<sec{0}>\d+(?:\.\d+)?)\s*(?:s|secs?|seconds?|秒)"
_ONE = r"(?:" + _CLOCK + r"|" + _SECONDS + r")"
_WHOLE = re.compile(rf"(?:from\s+)?{_ONE.format(1)}(?:\s*(?:-|–|—|~|to|至|到)\s*{_ONE.format(2)})?\.?", re.IGNORECASE)
_IN_TEXT = re.compile(
    rf"(?<![\d:.])(?:第\s*)?{_ONE.format(1)}(?![\d:])|(?<![\d:.])(?:at|around|approximately|about)\s+(?P<bare>\d+)\s*s\b",
    re.IGNORECASE,
)


class WrongTime(ValueError):
    """A text has the form of a time, but minutes or seconds run past 59."""


def _seconds(match: re.Match[str], number: int) -> float | None:
    groups = match.groupdict()
    if groups.get(f"sec{number}"):
        return float(groups[f"sec{number}"])
    minutes, seconds = groups.get(f"m{number}"), groups.get(f"s{number}")
    if minutes is None or seconds is None:
        return None
    hours = groups.get(f"h{number}")
    if float(seconds) >= 60 or (hours and int(minutes) >= 60):
        raise WrongTime(f"{match.group(0)} is no time: minutes and seconds end at 59")
    return 3600 * int(hours or 0) + 60 * int(minutes) + float(seconds)


def time_span(text: str) -> tuple[float, float] | None:
    """The span that a text consists of (start equals end for one moment), or None for any other text.

    Raises WrongTime for ``0:75:10`` and the like.
    """
    match = _WHOLE.fullmatch(unicodedata.normalize("NFKC", text).strip())
    if not match:
        return None
    start = _seconds(match, 1)
    end = _seconds(match, 2)
    return None if start is None else (start, start if end is None else end)


def times_in(text: str) -> tuple[float, ...]:
    """The moments that a question mentions in clock form or as a number of seconds, in order; wrong ones left out."""
    found = []
    for match in _IN_TEXT.finditer(unicodedata.normalize("NFKC", text)):
        try:
            value = _seconds(match, 1)
        except WrongTime:
            continue
        if value is not None:
            found.append(value)
    return tuple(found)


def clock(seconds: float) -> str:
    """``95.0`` gives ``0:01:35``."""
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"
