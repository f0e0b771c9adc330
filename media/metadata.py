"""What yt-dlp wrote about a video (``NAME.info.json``): for people and tables, never for models.

Example: ``{"title": …, "channel": "Orbis24", "upload_date": "20250311"}`` gives outlet ``Orbis24``, date 2025-03-11.
"""

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from media.files import decoded
from records.base import Record
from records.errors import InputError


class Metadata(Record):
    """The facts of an info.json that this project uses; empty where it has none."""

    video_id: str = ""
    title: str = ""
    outlet: str = ""
    date: str = ""
    """ISO date or empty."""
    url: str = ""
    license: str = ""
    platform: str = ""
    duration_s: float | None = None
    language: str = ""
    human_captions: frozenset[str] = frozenset()
    """Languages of captions that people wrote."""
    automatic_captions: frozenset[str] = frozenset()
    is_playlist: bool = False


def read_metadata(path: Path) -> Metadata:
    """Read an info.json. Raises InputError, naming the file, if it is no JSON object."""
    try:
        info = json.loads(decoded(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not valid JSON ({error}).", hint="Fetch it again, or delete it.") from error
    if not isinstance(info, dict):
        raise InputError(f"{path}: holds no JSON object.", hint="Fetch it again, or delete it.")
    return Metadata(
        video_id=_text(info, "id"),
        title=_text(info, "title", "fulltitle"),
        outlet=_text(info, "channel", "uploader", "creator"),
        date=_date(info),
        url=next((url for key in ("webpage_url", "original_url") if (url := _text(info, key)).startswith("http")), ""),
        license=_text(info, "license"),
        platform=_text(info, "extractor_key", "extractor"),
        duration_s=_seconds(info.get("duration")),
        language=_text(info, "language"),
        human_captions=_keys(info.get("subtitles")),
        automatic_captions=_keys(info.get("automatic_captions")),
        is_playlist=info.get("_type") in ("playlist", "multi_video"),
    )


def _text(info: dict[str, Any], *keys: str) -> str:
    return next((value.strip() for key in keys if isinstance(value := info.get(key), str) and value.strip()), "")


def _date(info: dict[str, Any]) -> str:
    for key in ("upload_date", "release_date"):
        written = _text(info, key).replace("-", "")
        try:
            return date.fromisoformat(f"{written[:4]}-{written[4:6]}-{written[6:8]}").isoformat()
        except ValueError:
            continue
    try:
        return datetime.fromtimestamp(float(info["timestamp"]), UTC).date().isoformat()
    except (KeyError, TypeError, ValueError, OverflowError, OSError):
        return ""


def _seconds(value: object) -> float | None:
    usable = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e7
    return float(value) if usable else None  # type: ignore[arg-type]


def _keys(value: object) -> frozenset[str]:
    return frozenset(map(str, value)) if isinstance(value, dict) else frozenset()
