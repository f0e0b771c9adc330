"""Caption files become cues: WebVTT, SubRip and TTML through pysubs2, YouTube's json3 by a small adaptor.

A cue is a time span and its lines, without markup and entities, in order of start time. What is said is not judged
here: sound marks, speaker marks and rolling repeats are dealt with in `media.cues`.
"""

import html
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from media.files import CAPTION_SUFFIXES, decoded
from records.base import Record
from records.errors import InputError


class Cue(Record):
    """What stands on screen for a while."""

    start_s: float
    end_s: float
    lines: tuple[str, ...]


class CaptionFile(Record):
    """The cues of a file, with what the file says about itself."""

    cues: tuple[Cue, ...]
    language: str = ""
    """From the file's own header; empty where it has none."""
    word_timed: bool = False
    """Words carry times of their own, as in YouTube's automatic captions."""


def read_captions(path: Path) -> CaptionFile:
    """Read a caption file of any supported format, whatever its byte order mark, line ends and extension.

    Raises InputError, naming the file, for an extension that is not known or content that cannot be read.
    """
    if path.suffix.lower() not in _READERS:
        raise InputError(f"{path}: not a caption format.", hint=f"Use one of {', '.join(CAPTION_SUFFIXES)}.")
    text = decoded(path)
    suffix = _true_suffix(text) or path.suffix.lower()
    try:
        return _READERS[suffix](text)
    except Exception as error:  # whatever a parser of a third party raises on damaged input
        reason = f"{type(error).__name__}: {error}"
        raise InputError(
            f"{path}: cannot be read as {suffix[1:]} captions ({reason}).",
            hint="Download the captions again, or convert them to .vtt or .srt.",
        ) from error


def _true_suffix(text: str) -> str:
    """The format that a file's content shows, whatever its name says; empty where it shows none."""
    head = text.lstrip()[:4000]
    if head.startswith("WEBVTT"):
        return ".vtt"
    if head.startswith("<") and re.search(r"<(?:\w+:)?tt\b", head):
        return ".ttml"
    if head.startswith("{") and '"events"' in head:
        return ".json3"
    return ".srt" if re.search(r"\d,\d{3}\s*-->", head) else ""


_WORD_TIME = re.compile(r"<\d{1,2}(?::\d{2}){1,2}\.\d{2,3}>")
_VTT_NOISE = re.compile(r"^(?:NOTE|STYLE|REGION)\b.*?(?:\n[ \t]*\n|\Z)", re.MULTILINE | re.DOTALL)
_VTT_NAME = re.compile(r"(?<=\n\n)(?![^\n]*-->)[^\n]+\n(?=[^\n]*-->)")
_VTT_LANGUAGE = re.compile(r"^Language:\s*([\w-]+)", re.MULTILINE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_OVERRIDE = re.compile(r"\{\\[^}]*\}")


def _read_vtt(text: str) -> CaptionFile:
    if "-->" not in text and not text.lstrip().startswith("WEBVTT"):
        raise ValueError("no WEBVTT header and no cue")
    head = text.split("-->", 1)[0]
    plain = _VTT_NAME.sub("", _VTT_NOISE.sub("\n", _WORD_TIME.sub("", text)))
    language = _VTT_LANGUAGE.search(head)
    return CaptionFile(
        cues=_cues(plain, "vtt"), language=language[1] if language else "", word_timed=bool(_WORD_TIME.search(text))
    )


def _read_srt(text: str) -> CaptionFile:
    return CaptionFile(cues=_cues(text, "srt"))


_OLD_NAMESPACE = re.compile(r"http://www\.w3\.org/200\d/\d\d/ttaf1(?=[\"#])")
_DURATION = re.compile(r"(<p\b[^>]*?)\bdur=")
_LANG = re.compile(r"<tt\b[^>]*\bxml:lang=[\"']([\w-]+)", re.DOTALL)


def _read_ttml(text: str) -> CaptionFile:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("a document type definition, which captions have no use for")
    renamed = _DURATION.sub(r"\1duration=", _OLD_NAMESPACE.sub("http://www.w3.org/ns/ttml", text))
    language = _LANG.search(text)
    return CaptionFile(cues=_cues(renamed, "ttml"), language=language[1] if language else "")


def _cues(text: str, format_: str) -> tuple[Cue, ...]:
    import pysubs2

    found = [
        Cue(start_s=max(event.start, 0) / 1000, end_s=max(event.end, event.start, 0) / 1000, lines=_lines(event.text))
        for event in pysubs2.SSAFile.from_string(text, format_=format_)
    ]
    return tuple(sorted(found, key=lambda cue: cue.start_s))


def _lines(text: str) -> tuple[str, ...]:
    """Visible lines: styling dropped first, entities resolved after it, so that ``&lt;b&gt;`` stays visible."""
    broken = re.sub(r"\\[Nn]|\r\n?", "\n", _OVERRIDE.sub("", text)).replace(r"\h", " ")
    plain = html.unescape(_TAG.sub("", broken))
    return tuple(line for piece in plain.split("\n") if (line := " ".join(piece.split())))


def _read_json3(text: str) -> CaptionFile:
    """YouTube's json3: events with segments; in automatic captions each event holds new words only."""
    events = [event for event in json.loads(text)["events"] if event.get("segs")]
    worded = [(event, _lines("".join(seg.get("utf8", "") for seg in event["segs"]))) for event in events]
    kept = [(event, lines) for event, lines in worded if lines]
    starts = [event["tStartMs"] for event, _ in kept]
    return CaptionFile(
        cues=tuple(
            Cue(start_s=start / 1000, end_s=_json3_end(event, following) / 1000, lines=lines)
            for (event, lines), start, following in zip(kept, starts, [*starts[1:], None], strict=True)
        ),
    )


def _json3_end(event: dict[str, Any], following: int | None) -> float:
    """An automatic line stays on screen while the next one is spoken; its words end where the next ones start."""
    start = float(event["tStartMs"])
    end = start + float(event.get("dDurationMs", 0))
    return max(start, min(end, following)) if following is not None else end


_READERS: dict[str, Callable[[str], CaptionFile]] = {
    ".vtt": _read_vtt,
    ".srt": _read_srt,
    ".ttml": _read_ttml,
    ".json3": _read_json3,
}
