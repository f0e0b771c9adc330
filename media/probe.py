"""What a media file holds, without decoding more than its first picture: streams, length, and whether its end is there.

Files are opened by their content through PyAV, so a wrong extension does no harm by itself. Only local files are
read, whatever a playlist inside a file may point at.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from records.base import Record

_SLACK_S = 1.5
"""A container's stated length may be this much off, or this share of the whole."""
_SLACK = 0.03
_TAIL_S = 20.0


class Probe(Record):
    """A media file as found. `problem` is empty for a file that can be used."""

    has_picture: bool = False
    has_sound: bool = False
    duration_s: float | None = None
    """From the container, or measured over all packets where the container states none."""
    format_name: str = ""
    problem: str = ""
    """One clause on what is wrong, such as ``is empty (0 bytes)``."""
    action: str = ""
    """What the user can do about it."""


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """A PyAV container of a local file, whatever characters its name holds. Raises av.error.FFmpegError or OSError."""
    import av

    av.logging.set_level(av.logging.PANIC)
    with av.open(f"file:{path.absolute()}", options={"protocol_whitelist": "file"}, metadata_errors="replace") as found:
        yield found


def probe(path: Path) -> Probe:
    """Look into a media file. Never raises for a damaged file: what is wrong stands in `problem`."""
    import av

    if path.stat().st_size == 0:
        return Probe(problem="is empty (0 bytes)", action="Download it again.")
    try:
        with opened(path) as container:
            return _probed(container)
    except (av.error.FFmpegError, OSError, ValueError) as error:
        return _unopened(path, error)


def _probed(container: Any) -> Probe:
    picture = picture_stream(container)
    found = Probe(
        has_picture=picture is not None, has_sound=bool(container.streams.audio), format_name=container.format.name
    )
    if picture is None and not found.has_sound:
        return found.model_copy(
            update={"problem": "is damaged or cut off: it holds neither picture nor sound", "action": _AGAIN}
        )
    stated = float(container.duration) / 1_000_000 if container.duration and container.duration > 0 else None
    if picture is not None and not _shows(container, picture):
        return found.model_copy(update={"problem": "has no picture that can be decoded", "action": _AGAIN})
    last = _last_packet_s(container, stated - _TAIL_S if stated else 0.0) or _last_packet_s(container, 0.0)
    if stated is not None and stated - last > max(_SLACK_S, stated * _SLACK):
        problem = f"is cut off: it ends at {last:.0f} s of {stated:.0f} s"
        return found.model_copy(update={"duration_s": stated, "problem": problem, "action": _AGAIN})
    return found.model_copy(update={"duration_s": round(stated if stated is not None else last, 3)})


_AGAIN = "Download it again."


def picture_stream(container: Any) -> Any | None:
    """The first video stream of a container that is more than a cover picture; None if there is none."""
    return next((stream for stream in container.streams.video if not _is_cover(stream)), None)


def _is_cover(stream: Any) -> bool:
    """Whether a video stream is only the cover picture of an audio file."""
    import av

    return bool(stream.disposition & av.stream.Disposition.attached_pic)


def _shows(container: Any, stream: Any) -> bool:
    return next(container.decode(stream), None) is not None


def _last_packet_s(container: Any, from_s: float) -> float:
    """Where the last packet of any stream ends, in seconds from the start of the container; no decoding.

    0.0 where nothing can be read from `from_s` on.
    """
    import av

    container.seek(max(0, int(from_s * 1_000_000)), backward=True)
    begins = (container.start_time or 0) / 1_000_000
    last = 0.0
    try:
        for packet in container.demux():
            if packet.pts is not None and packet.size:
                last = max(last, float((packet.pts + (packet.duration or 0)) * packet.time_base) - begins)
    except av.error.FFmpegError:
        return last
    return last


def _unopened(path: Path, error: Exception) -> Probe:
    head = path.read_bytes()[:512] if path.stat().st_size < 1 << 20 else _head(path)
    if _is_text(head):
        return Probe(
            problem="is not a video: it holds text", action=f"Rename it to what it is, or download {path.stem} again."
        )
    if b"ftyp" in head[:16] or head.startswith(b"\x1aE\xdf\xa3"):
        return Probe(problem="is damaged or cut off: its index is missing", action=_AGAIN)
    return Probe(problem=f"is not a video that can be read ({type(error).__name__})", action=_AGAIN)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(512)


def _is_text(head: bytes) -> bool:
    try:
        text = head.decode("utf-8", errors="strict" if len(head) < 512 else "ignore")
    except UnicodeDecodeError:
        return False
    return bool(text) and all(char.isprintable() or char.isspace() or char == "\ufeff" for char in text)
