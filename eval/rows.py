"""Reads a benchmark, answer, prediction or metadata file into rows: one plain dictionary a question.

JSON (a list, an object of objects, or one list somewhere inside), JSONL, CSV, TSV and Parquet; by content where the
file's name does not say. Questions nested under a video (``{"video": …, "questions": […]}``) inherit its fields.
"""

import csv
import io
import json
from pathlib import Path
from typing import Any

from records.errors import InputError

Row = dict[str, Any]
SUFFIXES = (".json", ".jsonl", ".csv", ".tsv", ".parquet")
_STEM_NAMES = {"question", "query", "stem"}
_LIST_NAMES = ("questions", "qa", "qas", "qa_pairs", "items", "data", "annotations", "predictions", "results")


def read_rows(path: Path, under: str = "") -> tuple[Row, ...]:
    """All rows of a file, in order. `under` names the list inside a JSON file, such as ``data.items``.

    Raises InputError where the file is missing, empty, of another format, or damaged; the message names the line.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file.")
    if path.suffix.lower() == ".parquet" or _is_parquet(path):
        return _parquet(path)
    text = _text(path)
    rows = _READERS.get(path.suffix.lower(), _by_content)(path, text, under)
    if not rows:
        raise InputError(f"{path}: there is not one row in it.")
    return rows


def _is_parquet(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"PAR1"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text (byte {error.start}).", hint="Save it as UTF-8.") from error


def _parquet(path: Path) -> tuple[Row, ...]:
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise InputError(
            f"{path}: reading Parquet needs pyarrow.", hint="Install it with `pip install 'benchwright[eval]'`."
        ) from error
    try:
        return tuple(parquet.read_table(path).to_pylist())
    except Exception as error:  # pyarrow's errors have no common base that says "damaged file"
        raise InputError(f"{path}: not a readable Parquet file ({error}).") from error


def _json(path: Path, text: str, under: str) -> tuple[Row, ...]:
    try:
        value = json.loads(text)
    except ValueError as error:
        if "Extra data" in str(error):
            return _jsonl(path, text, under)
        raise InputError(f"{path}: not JSON ({error}).") from error
    return _flattened(_find_list(path, _inside(path, value, under)))


def _inside(path: Path, value: Any, under: str) -> Any:
    for name in filter(None, under.split(".")):
        if not isinstance(value, dict) or name not in value:
            raise InputError(f"{path}: there is no {under!r} (stopped at {name!r}).")
        value = value[name]
    return value


def _find_list(path: Path, value: Any) -> list[Row]:
    if isinstance(value, list):
        return _objects(path, value)
    if not isinstance(value, dict):
        raise InputError(f"{path}: a list of questions is expected, not {type(value).__name__}.")
    if _STEM_NAMES & set(value):
        return [value]
    if value and all(isinstance(item, dict) for item in value.values()):
        return [{"id": name, **item} for name, item in value.items()]
    lists = {
        name: item for name, item in value.items() if isinstance(item, list) and item and isinstance(item[0], dict)
    }
    if len(lists) == 1:
        return _objects(path, next(iter(lists.values())))
    if value and all(not isinstance(item, (dict, list)) for item in value.values()):
        return [{"id": name, "answer": item} for name, item in value.items()]
    found = ", ".join(sorted(lists)) or "none"
    raise InputError(
        f"{path}: it is not clear which list holds the questions (lists of objects: {found}).",
        hint="Name it in the mapping, such as `rows: data.items`.",
    )


def _objects(path: Path, values: list[Any]) -> list[Row]:
    wrong = next((n for n, item in enumerate(values, 1) if not isinstance(item, dict)), None)
    if wrong:
        raise InputError(f"{path}: entry {wrong} is {type(values[wrong - 1]).__name__}, not an object.")
    return values


def _flattened(rows: list[Row]) -> tuple[Row, ...]:
    flat: list[Row] = []
    for row in rows:
        nested = _nested_name(row)
        if nested is None:
            flat.append(row)
            continue
        outer = {name: value for name, value in row.items() if name != nested and not isinstance(value, list)}
        flat += [{**outer, **inner} for inner in row[nested]]
    return tuple(flat)


def _nested_name(row: Row) -> str | None:
    for name in _LIST_NAMES:
        value = row.get(name)
        if isinstance(value, list) and value and all(isinstance(item, dict) and len(item) > 2 for item in value):
            return name
    return None


def _jsonl(path: Path, text: str, under: str) -> tuple[Row, ...]:
    rows: list[Any] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            rows.append(json.loads(line))
        except ValueError as error:
            raise InputError(f"{path}, line {number}: not JSON ({error}).") from error
    return _flattened(_objects(path, rows))


def _csv(path: Path, text: str, under: str) -> tuple[Row, ...]:
    return _separated(path, text, ",")


def _tsv(path: Path, text: str, under: str) -> tuple[Row, ...]:
    return _separated(path, text, "\t")


def _separated(path: Path, text: str, separator: str) -> tuple[Row, ...]:
    csv.field_size_limit(1 << 30)
    lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    if not lines:
        return ()
    header, *body = lines
    doubled = {name for name in header if header.count(name) > 1}
    if doubled:
        raise InputError(f"{path}: the column {sorted(doubled)[0]!r} occurs twice in the header.")
    rows = []
    for number, cells in enumerate(body, 2):
        if not any(cells):
            continue
        if len(cells) != len(header):
            raise InputError(f"{path}, row {number}: {len(cells)} cells, but the header has {len(header)}.")
        rows.append(dict(zip(header, cells, strict=True)))
    return tuple(rows)


def _by_content(path: Path, text: str, under: str) -> tuple[Row, ...]:
    start = text.lstrip()[:1]
    if start in "[{" and start:
        return _json(path, text, under)
    first = text.split("\n", 1)[0]
    if "\t" in first:
        return _tsv(path, text, under)
    if "," in first:
        return _csv(path, text, under)
    raise InputError(f"{path}: format not recognised.", hint=f"Give the file one of the endings {', '.join(SUFFIXES)}.")


_READERS = {".json": _json, ".jsonl": _jsonl, ".ndjson": _jsonl, ".csv": _csv, ".tsv": _tsv}
