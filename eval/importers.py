"""Any multiple-choice benchmark file → BenchmarkItems: ours, VideoVista-CulturalLingo's, and those of others.

``load_items(Path("videovista.json"))`` finds the columns by their names and the meaning of the answers by their values,
and says what it took; ``--mapping`` overrides it. Does not open videos and does not judge content (`eval.lint` does).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eval.enrich import enriched
from eval.keys import Keys, read_keys
from eval.mapping import Columns, Row, answer_columns, column_label, find_column, find_columns, value_of
from eval.options import Options, OptionsUnread, from_columns, is_empty, plain_text, read_options
from eval.rows import read_rows
from eval.times import WrongTime, time_span
from records.base import Record
from records.benchmark import BenchmarkItem
from records.errors import InputError
from records.questions import Letter
from records.text import primary_language

_LANGUAGES = {"english": "en", "chinese": "zh", "cn": "zh", "中文": "zh", "英文": "en", "mandarin": "zh"}
_AGREEMENT = 0.9
_DERIVED = {
    "track", "family", "sources_used", "frames_used", "judges", "question_id", "answer", "answer_index", "src",
    "correct_answer",
}  # fmt: skip
"""Columns that are read apart from the mapping, or that repeat others for the sake of harnesses."""
_USED = ("id", "stem", "options", "answer", "answer_text", "prompt", "video", "video_file", "sources", "group", "type",
         "category", "language", "domain", "duration", "culture", "discipline", "sub_discipline", "platform", "outlet",
         "event_start", "event_end", "drafter")  # fmt: skip


class ItemFile(Record):
    """A benchmark as read."""

    path: str
    items: tuple[BenchmarkItem, ...]
    columns: Columns
    """Which column was taken for what."""
    reading: str
    """How the answers were read, such as ``letters``."""
    notes: tuple[str, ...] = ()
    """Everything else that a user should know about how the file was read."""


def load_items(
    path: Path, *, mapping: Columns | None = None, answers: Path | None = None, answers_mapping: Columns | None = None
) -> ItemFile:
    """Read a benchmark file (JSON, JSONL, CSV, TSV or Parquet), with its answers from a second file where given.

    Raises InputError where a role has no column, two readings fit, or the file is damaged.
    """
    rows = tuple(_spread(row) for row in read_rows(path, mapping.rows if mapping else ""))
    columns = find_columns(rows, mapping, answers_elsewhere=answers is not None)
    notes: list[str] = []
    if answers is not None:
        rows, note = _joined(path, rows, columns, answers, answers_mapping)
        columns = columns.model_copy(update={"answer": _JOINED})
        notes.append(note)
    options, unread = _all_options(path, rows, columns)
    keys = _all_keys(rows, columns, options)
    disagreements = _cross_checked(rows, columns, options, keys)
    ids, id_notes = _ids(rows, columns)
    items = tuple(
        _item(rows[i], columns, options[i], keys.keys[i], unread[i] or keys.notes[i] or disagreements[i], ids[i])
        for i in range(len(rows))
    )
    return ItemFile(path=str(path), items=items, columns=columns, reading=keys.reading, notes=(*notes, *id_notes))


_JOINED = "(answers file)"


def _spread(row: Row) -> Row:
    """A row with the entries of its ``extra`` mapping as columns, where the row does not have them itself."""
    extra = row.get("extra")
    if not isinstance(extra, Mapping):
        return row
    return {**extra, **{name: value for name, value in row.items() if name != "extra"}}


def _joined(
    path: Path, rows: Sequence[Row], columns: Columns, answers: Path, mapping: Columns | None
) -> tuple[tuple[Row, ...], str]:
    """The rows with the answers of the second file under one more column."""
    found = _answer_table(answers, mapping)
    if columns.id is None:
        raise InputError(f"{path}: answers in a second file need an id column.", hint="Name it: `id: NAME`.")
    ids = [plain_text(row.get(columns.id)) for row in rows]
    matched = sum(name in found for name in ids)
    if not matched:
        raise InputError(
            f"{answers}: none of its ids is a {columns.id!r} of {path}.", hint="Are both of one benchmark?"
        )
    joined = tuple({**row, _JOINED: found.get(name)} for row, name in zip(rows, ids, strict=True))
    return (
        joined,
        f"{matched} of {len(rows)} items have an answer in {answers}; {len(found) - matched} answers are unused",
    )


def _answer_table(path: Path, mapping: Columns | None) -> dict[str, Any]:
    rows = read_rows(path, mapping.rows if mapping else "")
    names = list(dict.fromkeys(name for row in rows for name in row))
    id_column = (mapping and mapping.id) or find_column(names, "id")
    answer = (mapping and mapping.answer) or find_column(names, "answer")
    if not id_column or not answer:
        raise InputError(f"{path}: it needs an id and an answer column (columns: {', '.join(names)}).")
    table = {plain_text(row.get(id_column)): row.get(answer) for row in rows}
    if len(table) < len(rows):
        raise InputError(f"{path}: {len(rows) - len(table)} id(s) occur more than once.")
    return table


def _all_options(path: Path, rows: Sequence[Row], columns: Columns) -> tuple[list[Options], list[str]]:
    options: list[Options] = []
    notes: list[str] = []
    for row in rows:
        try:
            options.append(_options_of(row, columns))
            notes.append("")
        except OptionsUnread as error:
            options.append(Options(texts={}))
            notes.append(f"no options: {error}")
    unread = [i for i, note in enumerate(notes) if note]
    if 2 * len(unread) > len(rows):
        raise InputError(
            f"{path}, row {unread[0] + 1}: {notes[unread[0]]} (column {columns.options!r}).",
            hint="Name the options' column or columns in a mapping: `options: NAME` or `options: [NAME, …]`.",
        )
    return options, notes


def _options_of(row: Row, columns: Columns) -> Options:
    if isinstance(columns.options, tuple):
        return from_columns({column_label(name): row.get(name) for name in columns.options})
    return read_options(value_of(row, columns.options))


def _all_keys(rows: Sequence[Row], columns: Columns, options: Sequence[Options]) -> Keys:
    if columns.answer:
        values = [row.get(columns.answer) for row in rows]
        return read_keys(values, options, kind=columns.answer_kind, base=columns.answer_base, column=columns.answer)
    flags = tuple(found.flagged for found in options)
    return Keys(keys=flags, notes=tuple("" if f else "no option is marked as right" for f in flags), reading="marks")


def _cross_checked(rows: Sequence[Row], columns: Columns, options: Sequence[Options], keys: Keys) -> list[str]:
    """For each row what another answer column says, where it differs from the key; empty where all agree."""
    notes = [""] * len(rows)
    names = dict.fromkeys(name for row in rows for name in row)
    for column in answer_columns(names, columns.answer):
        others = _closest(rows, column, options, keys)
        if others is None:
            continue
        both = [i for i in range(len(rows)) if keys.keys[i] and others[i]]
        differing = [i for i in both if keys.keys[i] != others[i]]
        if len(differing) > (1 - _AGREEMENT) * len(both):
            i = differing[0]
            raise InputError(
                f"columns {columns.answer!r} and {column!r} name different answers in {len(differing)} of {len(both)} "
                f"rows (row {i + 1}: {keys.keys[i]} and {others[i]}).",
                hint="Say in the mapping which one is the answer: `answer: NAME`.",
            )
        for i in differing:
            notes[i] = f"column {column!r} names {others[i]}, not {keys.keys[i]}"
    return notes


def _closest(
    rows: Sequence[Row], column: str, options: Sequence[Options], keys: Keys
) -> tuple[Letter | None, ...] | None:
    """The column's reading that agrees best with the keys, where it has one at all."""
    values = [row.get(column) for row in rows]
    readings: list[tuple[Letter | None, ...]] = []
    for kind, base in (("letter", None), ("index", 0), ("index", 1), ("text", None)):
        try:
            readings.append(read_keys(values, options, kind=kind, base=base, column=column).keys)  # type: ignore[arg-type]
        except InputError:
            continue
    return max(readings, key=lambda found: sum(a == b for a, b in zip(found, keys.keys, strict=True)), default=None)


def _ids(rows: Sequence[Row], columns: Columns) -> tuple[list[str], list[str]]:
    """An id for each row: the file's own, with the video where that makes them differ, else numbered."""
    if columns.id is None:
        width = len(str(len(rows)))
        return [f"row-{n:0{width}d}" for n in range(1, len(rows) + 1)], ["no id column: items are numbered by row"]
    ids = [plain_text(row.get(columns.id)) or f"row-{n}" for n, row in enumerate(rows, 1)]
    if len(set(ids)) == len(ids):
        return ids, []
    doubled = [name for name, count in Counter(ids).items() if count > 1]
    with_video = [f"{plain_text(value_of(row, columns.video))}/{name}" for row, name in zip(rows, ids, strict=True)]
    if columns.video and len(set(with_video)) == len(with_video):
        return with_video, [f"{columns.id!r} repeats across videos: ids are video/{columns.id}"]
    seen: Counter[str] = Counter()
    numbered = []
    for name in ids:
        seen[name] += 1
        numbered.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return numbered, [
        f"{len(doubled)} id(s) occur more than once, first {doubled[0]!r}; later ones are numbered #2, #3 …"
    ]


def _item(row: Row, columns: Columns, options: Options, key: str | None, note: str, item_id: str) -> BenchmarkItem:
    constants = columns.constants
    videos, files = _videos(row, columns)
    sources = _sources(value_of(row, columns.sources))
    item = BenchmarkItem(
        item_id=item_id,
        group_id=_text(row, columns, "group"),
        video_ids=videos or tuple(dict.fromkeys(sources.values())),
        video_files=files,
        sources=sources,
        stem=_text(row, columns, "stem"),
        options=options.texts,
        key=key,
        key_note=note,
        answer_text=_text(row, columns, "answer_text"),
        prompt_text=_text(row, columns, "prompt"),
        track=plain_text(row.get("track")),
        type_id=_text(row, columns, "type"),
        category=_category(row, columns),
        family=plain_text(row.get("family")),
        language=_language(_text(row, columns, "language")),
        domain=_text(row, columns, "domain"),
        duration_s=seconds(value_of(row, columns.duration)),
        culture=_text(row, columns, "culture"),
        discipline=_text(row, columns, "discipline"),
        sub_discipline=_text(row, columns, "sub_discipline"),
        platforms=_texts(value_of(row, columns.platform), constants.get("platform", "")),
        outlets=_texts(value_of(row, columns.outlet), constants.get("outlet", "")),
        event_start_s=seconds(value_of(row, columns.event_start)),
        event_end_s=seconds(value_of(row, columns.event_end)),
        sources_used=_whole(row.get("sources_used")),
        frames_used=_frames_used(row),
        drafter=_drafter(row, columns),
        judges=_names(row.get("judges")),
        extra=_extra(row, columns),
    )
    return enriched(item)


def _text(row: Row, columns: Columns, role: str) -> str:
    return plain_text(value_of(row, getattr(columns, role))) or columns.constants.get(role, "")


def _category(row: Row, columns: Columns) -> str:
    """The category; empty where it only repeats the type."""
    category = _text(row, columns, "category")
    return "" if category == _text(row, columns, "type") else category


def _texts(value: Any, constant: str) -> tuple[str, ...]:
    values = value if isinstance(value, (list, tuple)) else [value]
    found = tuple(dict.fromkeys(filter(None, map(plain_text, values))))
    return found or ((constant,) if constant else ())


def _names(value: Any) -> tuple[str, ...]:
    """Model names from a list of names or of objects with a name."""
    values = value if isinstance(value, (list, tuple)) else []
    return tuple(plain_text(v.get("model") or v.get("name") if isinstance(v, Mapping) else v) for v in values)


def _language(text: str) -> str:
    return _LANGUAGES.get(text.casefold(), primary_language(text) if text else "")


def seconds(value: Any) -> float | None:
    """Seconds from a number, a clock time or a text such as ``95 s``; None for anything else (``short``)."""
    if isinstance(value, bool) or is_empty(value):
        return None
    if isinstance(value, (int, float)):
        return float(value) if value >= 0 else None
    text = plain_text(value)
    try:
        return float(text) if float(text) >= 0 else None
    except ValueError:
        pass
    try:
        span = time_span(text)
    except WrongTime:
        return None
    return span[0] if span else None


def _videos(row: Row, columns: Columns) -> tuple[tuple[str, ...], tuple[str, ...]]:
    files = _texts(value_of(row, columns.video_file), "")
    videos = _texts(value_of(row, columns.video), "")
    if any(Path(name).suffix.lower() in VIDEO_SUFFIXES for name in videos) and not files:
        files, videos = videos, tuple(Path(name).stem for name in videos)
    return videos or tuple(Path(name).stem for name in files), files


VIDEO_SUFFIXES = (".mp4", ".mkv", ".webm", ".mov", ".avi", ".m4v", ".flv")


def _sources(value: Any) -> dict[str, str]:
    """Tag → video id, from a mapping of tags to ids or to objects with an id."""
    if not isinstance(value, Mapping):
        return {}
    return {str(tag): _source_id(source) for tag, source in value.items() if not is_empty(source)}


def _source_id(source: Any) -> str:
    if isinstance(source, Mapping):
        return plain_text(source.get("video_id") or source.get("id"))
    return plain_text(source)


def _whole(value: Any) -> int | None:
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _frames_used(row: Row) -> int | None:
    frames = row.get("evidence_frames")
    return len(frames) if isinstance(frames, (list, tuple)) else _whole(row.get("frames_used"))


def _drafter(row: Row, columns: Columns) -> str:
    value = value_of(row, columns.drafter)
    if isinstance(value, Mapping):
        return plain_text(value.get("drafter") or value.get("model") or value.get("name"))
    return plain_text(value) or columns.constants.get("drafter", "")


def _extra(row: Row, columns: Columns) -> dict[str, str]:
    """Every other column, as text."""
    taken = {name for role in _USED for name in _columns_of(getattr(columns, role))} | _DERIVED
    if seconds(value_of(row, columns.duration)) is None:
        taken -= {columns.duration or ""}
    return {name: plain_text(value) for name, value in row.items() if name not in taken and not is_empty(value)}


def _columns_of(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value or ()
