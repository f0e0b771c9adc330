"""Small videos made for the tests with PyAV: scenes of flat colour with text, sound, rotation, uneven frame times."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np


@dataclass(frozen=True)
class Scene:
    """A stretch of one picture: background (blue, green, red), its lines of text, and how long it lasts."""

    seconds: float
    colour: tuple[int, int, int] = (90, 60, 40)
    lines: tuple[str, ...] = ()


def picture(scene: Scene, width: int, height: int) -> np.ndarray:
    pixels = np.full((height, width, 3), scene.colour, np.uint8)
    for index, line in enumerate(scene.lines):
        cv2.putText(pixels, line, (20, 50 + 34 * index), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (240, 240, 240), 2, cv2.LINE_AA)
    return pixels


def make_clip(
    path: Path,
    scenes: Sequence[Scene] = (Scene(1.0),),
    *,
    size: tuple[int, int] = (320, 240),
    fps: int = 10,
    sound: bool = True,
    show: bool = True,
    rotation: int = 0,
    aspect: Fraction | None = None,
    times: Sequence[float] | None = None,
) -> Path:
    """Write a clip. `times` gives each frame's presentation time for a variable frame rate."""
    with av.open(f"file:{path}", "w", format="matroska" if path.suffix in (".mkv", ".webm") else "mp4") as container:
        pictures = _picture_stream(container, size, fps, rotation, aspect) if show else None
        silence = container.add_stream("aac", rate=16000, layout="mono") if sound else None
        if pictures:
            _write_pictures(container, pictures, scenes, list(times) if times else _even(scenes, fps))
        if silence:
            _write_silence(container, silence, sum(scene.seconds for scene in scenes))
    return path


def _picture_stream(container, size, fps, rotation, aspect):  # type: ignore[no-untyped-def]
    stream = container.add_stream("mpeg4", rate=fps)
    stream.width, stream.height = size
    stream.pix_fmt = "yuv420p"
    stream.bit_rate = 2_000_000
    stream.codec_context.time_base = Fraction(1, 1000)
    stream.codec_context.gop_size = 10
    if aspect:
        stream.codec_context.sample_aspect_ratio = aspect
    if rotation:
        stream.set_display_rotation(rotation)
    return stream


def _write_pictures(container, stream, scenes, moments) -> None:  # type: ignore[no-untyped-def]
    for moment in moments:
        frame = av.VideoFrame.from_ndarray(picture(_at(scenes, moment), stream.width, stream.height), format="bgr24")
        frame.pts, frame.time_base = round(moment * 1000), Fraction(1, 1000)
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))


def _even(scenes: Sequence[Scene], fps: int) -> list[float]:
    return [index / fps for index in range(round(sum(scene.seconds for scene in scenes) * fps))]


def _at(scenes: Sequence[Scene], moment: float) -> Scene:
    end = 0.0
    for scene in scenes:
        end += scene.seconds
        if moment < end:
            return scene
    return scenes[-1]


def _write_silence(container, stream, seconds: float) -> None:  # type: ignore[no-untyped-def]
    for start in range(0, int(seconds * 16000), 1024):
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.sample_rate, frame.pts = 16000, start
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))
