"""Frames of a video at chosen times and sizes, and several frames side by side as one image.

``sample(path, FrameRule(kind="uniform", count=8), out=frames, video_id="v")`` writes eight JPEGs and names them by
hash. Frames are never enlarged. Ranking is in `media.frames`; which times a scene change suggests, in
`media.candidates`.
"""

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from media.decoding import Pixels, _Shape, _upright
from media.framestore import FrameStore
from media.probe import opened, picture_stream, probe
from records.candidates import FrameRule
from records.errors import InputError
from records.media import Frame, FrameSignals

_AS_IT_IS = 1 << 16
"""A side that no video reaches."""
_SEEK_S = 6.0
"""A gap this long is jumped over, not decoded."""
_NOT_LOOKED_AT = FrameSignals(text_density=0.0, sharpness=0.0, novelty=0.0)


def sample_times(rule: FrameRule, duration_s: float) -> tuple[float, ...]:
    """The times, in seconds, at which a rule wants frames of a video of this length; none for ranked frames.

    Evenly spread frames stand in the middle of equal stretches. A rule by time starts at 0; past its maximum the
    frames are spread evenly over the same times.
    """
    if rule.kind == "uniform":
        return _middles(rule.count, duration_s)
    if rule.kind != "fps":
        return ()
    wanted = max(1, int(duration_s * rule.per_second))
    times = tuple(number / rule.per_second for number in range(wanted))
    if rule.most is None or wanted <= rule.most:
        return times
    return tuple(times[int((place + 0.5) * wanted / rule.most)] for place in range(rule.most))


def _middles(count: int, duration_s: float) -> tuple[float, ...]:
    return tuple(round((place + 0.5) * duration_s / count, 3) for place in range(count))


def frame_count(rule: FrameRule, duration_s: float | None) -> int:
    """How many frames a rule gives at most, without opening the video (a minute where its length is unknown)."""
    if rule.kind == "ranked":
        return rule.count
    return len(sample_times(rule, duration_s if duration_s is not None else 60.0))


def sample(
    path: Path,
    rule: FrameRule,
    *,
    out: Path,
    video_id: str,
    side: int | None = 540,
    quality: int = 65,
    clip: tuple[float, float] | None = None,
) -> tuple[Frame, ...]:
    """The frames that a rule by time or place wants, as JPEGs in `out`, in order of time.

    With a `clip` (start and end, seconds) they are spread over it, and none is from outside. A frame that stands for
    two times is given once. Raises InputError if the video cannot be read.
    """
    found = probe(path)
    if found.problem or not found.has_picture:
        raise InputError(f"{path}: {found.problem or 'has no picture'}.", hint=found.action or "Download it again.")
    length = found.duration_s or 0.0
    start, end = clip or (0.0, length)
    times = tuple(start + time for time in sample_times(rule, max(0.0, min(end, length or end) - start)))
    return frames_at(path, times, out=out, video_id=video_id, side=side, quality=quality)


def frames_at(
    path: Path, times: Sequence[float], *, out: Path, video_id: str, side: int | None = 540, quality: int = 65
) -> tuple[Frame, ...]:
    """The frames that are on screen at these times (seconds, ascending), as JPEGs in `out`.

    Times past the end give the last frame. Raises InputError if the video cannot be decoded.
    """
    import av

    store = FrameStore(out)
    try:
        pictures = list(_pictures(path, tuple(times), side or _AS_IT_IS, quality))
    except (av.error.FFmpegError, OSError) as error:
        raise InputError(f"{path}: cannot be decoded ({error}).", hint="Download it again.") from error
    if times and not pictures:
        raise InputError(f"{path}: holds no picture that can be decoded.", hint="Download it again.")
    return tuple(
        Frame(
            sha256=store.put(jpeg), video_id=video_id, number=number, time_s=time_s, width=size[0], height=size[1],
            rank=number, signals=_NOT_LOOKED_AT,
        )
        for number, (time_s, size, jpeg) in enumerate(pictures, start=1)
    )  # fmt: skip


Encoded = tuple[float, tuple[int, int], bytes]
"""Time, width and height, JPEG."""


def _pictures(path: Path, times: tuple[float, ...], side: int, quality: int) -> Iterator[Encoded]:
    with opened(path) as container:
        stream = picture_stream(container)
        if stream is None or not times:
            return
        stream.thread_type = "AUTO"
        begins_s = (container.start_time or 0) / 1_000_000
        shape, size, last = _Shape(side, stream.sample_aspect_ratio), None, None
        for frame in _shown_at(container, stream, times, begins_s):
            if frame is last:
                continue
            size, last = size or shape.size(frame.width, frame.height), frame
            pixels = _upright(frame, size)
            height, width = pixels.shape[:2]
            yield round(max(0.0, frame.time - begins_s), 3), (width, height), _jpeg(pixels, quality)


def _shown_at(container: Any, stream: Any, times: tuple[float, ...], begins_s: float) -> Iterator[Any]:
    """For each time the last frame that begins by then; long gaps are sought over."""
    frames, shown, coming = _decoded(container, stream), None, None
    position = 0.0
    for time_s in times:
        if time_s - position > _SEEK_S and (coming is not None or shown is None):
            container.seek(int((time_s + begins_s) * 1_000_000), backward=True)
            frames, coming = _decoded(container, stream), None
        while coming is None or coming.time - begins_s <= time_s + 1e-3:
            shown, coming = coming or shown, next(frames, None)
            if coming is None:
                break
        position = time_s
        shown = shown if shown is not None else coming
        if shown is not None:
            yield shown


def _decoded(container: Any, stream: Any) -> Iterator[Any]:
    import av

    for packet in container.demux(stream):
        try:
            decoded = packet.decode()
        except av.error.FFmpegError:
            continue
        yield from (frame for frame in decoded if frame.time is not None and not frame.is_corrupt)


def _jpeg(pixels: Pixels, quality: int) -> bytes:
    import cv2

    done, data = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert done, "OpenCV encodes every picture of three channels"
    return data.tobytes()


def shrunk(data: bytes, side: int, quality: int) -> tuple[bytes, tuple[int, int]]:
    """A JPEG with its longer side at most `side`, and its width and height; as it is where it is small enough."""
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        if max(image.size) <= side:
            return data, image.size
        scale = side / max(image.size)
        size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
        return _saved(image.convert("RGB").resize(size, Image.Resampling.LANCZOS), quality), size


def strip(pictures: Sequence[bytes], quality: int = 65) -> tuple[bytes, tuple[int, int]]:
    """JPEGs side by side as one, left to right, at the height of the lowest; and its width and height.

    Method: VideoVista-CulturalLingo B.2 (Figure 8), for models that take one image. Raises ValueError for none.
    """
    from PIL import Image

    if not pictures:
        raise ValueError("a strip needs at least one picture")
    images = [Image.open(io.BytesIO(data)).convert("RGB") for data in pictures]
    height = min(image.height for image in images)
    sized = [
        image if image.height == height else image.resize((max(1, round(image.width * height / image.height)), height))
        for image in images
    ]
    whole = Image.new("RGB", (sum(image.width for image in sized), height))
    left = 0
    for image in sized:
        whole.paste(image, (left, 0))
        left += image.width
    return _saved(whole, quality), whole.size


def _saved(image: Any, quality: int) -> bytes:
    out = io.BytesIO()
    image.save(out, format="JPEG", quality=quality)
    return out.getvalue()


def cut_video(path: Path, out: Path, *, start_s: float, end_s: float) -> None:
    """Copy a stretch of a video into a file of its own, without encoding anew; nothing from `end_s` on is in it.

    The copy begins at the last key frame before `start_s`, since pictures need one. Raises InputError if the video
    cannot be read.
    """
    import av

    partial = out.with_suffix(".part")
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        with opened(path) as source, av.open(str(partial), "w", format="mp4") as target:
            begins_s = (source.start_time or 0) / 1_000_000
            source.seek(int((start_s + begins_s) * 1_000_000))
            kept = [stream for stream in source.streams if stream.type in ("video", "audio")]
            copies = {stream.index: target.add_stream_from_template(stream) for stream in kept}
            for packet in source.demux(kept):
                if packet.dts is None or packet.pts is None or packet.time_base is None:
                    continue
                if float(packet.pts * packet.time_base) - begins_s < end_s:
                    packet.stream = copies[packet.stream.index]
                    target.mux(packet)
    except (av.error.FFmpegError, OSError, ValueError) as error:
        partial.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be cut at {end_s:g} s ({error}).", hint="Download it again.") from error
    partial.replace(out)
