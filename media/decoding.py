"""A video as a stream of upright pictures, at most one every so often, without a second pass.

Pictures are taken by presentation time, so a variable frame rate does no harm; the display rotation and non-square
pixels are applied. Memory holds one picture at a time, whatever the video's length.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from media.probe import opened, picture_stream

Pixels = NDArray[np.uint8]
"""Height × width × 3, blue-green-red."""

_LONG_S = 2400.0
"""From this length on only key frames are decoded, where the index shows that they are close enough together.

Encoders like to put key frames on cuts, where graphics are not yet complete, so shorter videos are decoded in full.
"""
_KEY_GAP_S = 15.0


@dataclass(frozen=True)
class Picture:
    """One decoded picture, upright, its longer side at most what was asked for."""

    time_s: float
    """Seconds from the start of the file's presentation, sound included, as captions count them."""
    pixels: Pixels


def pictures(path: Path, longer_side: int, every_s: float) -> Iterator[Picture]:
    """Decode a video once, yielding a picture whenever `every_s` seconds have passed since the last one.

    Damaged pictures are passed over. Raises av.error.FFmpegError or OSError if the file cannot be opened.
    """
    with opened(path) as container:
        stream = picture_stream(container)
        if stream is None:
            return
        stream.thread_type = "AUTO"
        stream.codec_context.skip_frame = "NONKEY" if _key_frames_suffice(container, stream) else "NONREF"
        shape = _Shape(longer_side, stream.sample_aspect_ratio)
        begins_s = (container.start_time or 0) / 1_000_000
        yield from _sampled(_decoded(container, stream), shape, every_s, begins_s)


def _decoded(container: Any, stream: Any) -> Iterator[Any]:
    """Frames of a stream that have a time; a damaged packet costs its own frames only."""
    import av

    for packet in container.demux(stream):
        try:
            frames = packet.decode()
        except av.error.FFmpegError:
            continue
        yield from (frame for frame in frames if frame.time is not None and not frame.is_corrupt)


@dataclass(frozen=True)
class _Shape:
    """What size pictures get: `longer_side` in pixels at most, from pixels `aspect` times as wide as high."""

    longer_side: int
    aspect: Fraction | None

    def size(self, width: int, height: int) -> tuple[int, int]:
        """Width and height in square pixels. Nothing is enlarged: non-square pixels are squeezed, never stretched."""
        aspect = float(self.aspect or 1)
        wide, high = (width, height / aspect) if aspect > 1 else (width * aspect, height)
        scale = min(1.0, self.longer_side / max(wide, high))
        return max(1, round(wide * scale)), max(1, round(high * scale))


def _sampled(frames: Iterator[Any], shape: _Shape, every_s: float, begins_s: float) -> Iterator[Picture]:
    due, size = -1.0, None
    for frame in frames:
        time_s = max(0.0, frame.time - begins_s)
        if time_s >= due:
            due = time_s + every_s - 1e-3
            size = size or shape.size(frame.width, frame.height)
            yield Picture(time_s=round(time_s, 3), pixels=_upright(frame, size))


def _upright(frame: Any, size: tuple[int, int]) -> Pixels:
    """A frame scaled to width and height and turned by its display rotation.

    Where a stream changes its resolution half-way, later pictures get the size of the first.
    """
    picture = frame.reformat(width=size[0], height=size[1], format="bgr24", interpolation="AREA").to_ndarray()
    return np.ascontiguousarray(np.rot90(picture, round(frame.rotation / 90) % 4))


def _key_frames_suffice(container: Any, stream: Any) -> bool:
    if not container.duration or container.duration / 1_000_000 < _LONG_S:
        return False
    times = [entry.timestamp * float(stream.time_base) for entry in stream.index_entries if entry.is_keyframe]
    end = container.duration / 1_000_000
    gaps = [later - earlier for earlier, later in zip(times, [*times[1:], end], strict=True)]
    return len(times) > 1 and max(gaps) <= _KEY_GAP_S
