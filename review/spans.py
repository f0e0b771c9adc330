"""Spans of time that were watched: merging them, and what share of a video they cover.

``merged([(0, 10), (8, 20)], 60)`` gives ``((0, 20),)``: a second played twice counts once.
"""

import math
from collections.abc import Iterable, Sequence

from records.review import Span

_GAP_S = 0.25
"""Players report positions about four times a second, so a hole this small is no hole."""


def merged(spans: Iterable[Sequence[float]], duration_s: float) -> tuple[Span, ...]:
    """Sorted spans without overlaps, cut to the video's length. Spans that are empty or not numbers are left out."""
    clean = sorted(
        (max(0.0, start), min(float(duration_s), end))
        for start, end in spans
        if math.isfinite(start) and math.isfinite(end)
    )
    out: list[Span] = []
    for start, end in clean:
        if end <= start:
            continue
        if out and start <= out[-1][1] + _GAP_S:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return tuple((round(start, 3), round(end, 3)) for start, end in out)
