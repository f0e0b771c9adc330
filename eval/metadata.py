"""Joins what a benchmark file does not say about its videos: duration, domain, discipline, platform, outlet …

``--metadata FILE`` has one row a video, in any format of `eval.rows`, with a ``video_id`` column. A row may instead be
keyed by the video's file name, which tells clips of one video apart, or by the question's id, which may also give the
event's time. What the benchmark states itself is kept.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eval.enrich import enriched
from eval.importers import seconds
from eval.mapping import folded
from eval.options import is_empty, plain_text
from eval.rows import Row, read_rows
from records.base import Record
from records.benchmark import BenchmarkItem
from records.errors import InputError

_KEYS = (
    "item_id",
    "question_id",
    "video_file",
    "video_path",
    "file",
    "filename",
    "video_id",
    "video",
    "id",
    "videoid",
    "youtube_id",
)
_FIELDS: dict[str, tuple[str, ...]] = {
    "duration_s": ("duration_s", "duration", "duration_sec", "duration_seconds", "length", "video_duration"),
    "domain": ("domain", "category"),
    "culture": ("culture",),
    "discipline": ("discipline", "subject"),
    "sub_discipline": ("sub_discipline", "subdiscipline"),
    "platform": ("platform", "website", "site", "extractor_key"),
    "outlet": ("outlet", "channel", "uploader", "publisher"),
    "language": ("language", "lang"),
    "event_start_s": ("event_start_s", "event_start"),
    "event_end_s": ("event_end_s", "event_end"),
}


class Joined(Record):
    """Items with what the metadata say about their videos."""

    items: tuple[BenchmarkItem, ...]
    notes: tuple[str, ...] = ()


def join_metadata(items: Sequence[BenchmarkItem], path: Path) -> Joined:
    """Join a metadata file by video. Raises InputError where no row is about any of the items' videos."""
    table = _table(path)
    joined = tuple(_with(item, table) for item in items)
    matched = sum(_rows(item, table) != [] for item in items)
    if not matched:
        raise InputError(f"{path}: none of its videos belongs to an item.", hint="Is the key column the video id?")
    notes = [f"metadata for {matched} of {len(items)} items in {path}"]
    clips = sum(_by_id_only(item, table) for item in items if item.duration_s is None)
    if clips:
        notes.append(
            f"{clips} items are about clips, but their duration was joined by video id and may be the whole video's; "
            "key the metadata by file name to tell clips apart"
        )
    return Joined(items=joined, notes=tuple(notes))


def _table(path: Path) -> dict[str, Row]:
    rows = read_rows(path)
    by_folded = {folded(name): name for row in rows for name in row}
    key = next((by_folded[folded(name)] for name in _KEYS if folded(name) in by_folded), None)
    if key is None:
        raise InputError(f"{path}: no video_id column (columns: {', '.join(by_folded.values())}).")
    table: dict[str, Row] = {}
    for number, row in enumerate(rows, 1):
        name = plain_text(row.get(key))
        if name in table and table[name] != row:
            raise InputError(f"{path}, row {number}: a second, different row for the video {name!r}.")
        table[name] = row
    return table


def _names(item: BenchmarkItem, position: int) -> tuple[str, ...]:
    """What a row about the item's video may be called, the most exact first."""
    file = item.video_files[position] if position < len(item.video_files) else ""
    video = item.video_ids[position] if position < len(item.video_ids) else ""
    return tuple(filter(None, (file, Path(file).name, Path(file).stem, video)))


def _rows(item: BenchmarkItem, table: Mapping[str, Row]) -> list[Row]:
    """The rows about the item's videos, one a video that has one; or the row about the item itself."""
    if item.item_id in table:
        return [table[item.item_id]]
    count = max(len(item.video_ids), len(item.video_files))
    found = (next((table[name] for name in _names(item, i) if name in table), None) for i in range(count))
    return [row for row in found if row is not None]


def _by_id_only(item: BenchmarkItem, table: Mapping[str, Row]) -> bool:
    """True where a clip (its file is named otherwise than its video) was found by its video's id alone."""
    return any(
        Path(file).stem != video and video in table and not {file, Path(file).name, Path(file).stem} & set(table)
        for file, video in zip(item.video_files, item.video_ids, strict=False)
    )


def _with(item: BenchmarkItem, table: Mapping[str, Row]) -> BenchmarkItem:
    rows = _rows(item, table)
    if not rows:
        return item
    own = item.item_id in table
    whole = own or len(rows) == max(len(item.video_ids), len(item.video_files))
    known: dict[str, Any] = {
        name: _common([_cell(row, name) for row in rows])
        for name in ("domain", "culture", "discipline", "sub_discipline")
    }
    known["language"] = _common([_cell(row, "language") for row in rows])
    known["platforms"] = tuple(dict.fromkeys(filter(None, (_cell(row, "platform") for row in rows))))
    known["outlets"] = tuple(dict.fromkeys(filter(None, (_cell(row, "outlet") for row in rows))))
    known["duration_s"] = _total([seconds(_raw(row, "duration_s")) for row in rows]) if whole else None
    known |= {name: seconds(_raw(rows[0], name)) for name in ("event_start_s", "event_end_s") if own}
    missing = {
        name: value for name, value in known.items() if not getattr(item, name) and not is_empty(value) and value != ()
    }
    return enriched(item.model_copy(update=missing))


def _raw(row: Row, name: str) -> Any:
    by_folded = {folded(column): column for column in row}
    return next((row[by_folded[folded(wanted)]] for wanted in _FIELDS[name] if folded(wanted) in by_folded), None)


def _cell(row: Row, name: str) -> str:
    return plain_text(_raw(row, name))


def _common(values: list[str]) -> str:
    """The value that all videos of an item share; empty where they differ."""
    return values[0] if len(set(values)) == 1 else ""


def _total(values: list[float | None]) -> float | None:
    return sum(value for value in values if value is not None) if None not in values else None
