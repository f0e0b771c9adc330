"""What group.json says about a group, or what stands in for it.

Example: ``{"topic": "The river floods", "domain": "World", "video_ids": ["a1", "b2"]}``. Without the file, and for keys
that it lacks, the folder itself answers.
"""

import json
from pathlib import Path
from typing import Any

from pydantic import Field

from media.files import decoded
from records.base import Record
from records.errors import InputError

_KNOWN_KEYS = frozenset({"topic", "domain", "language", "video_ids"})


class Manifest(Record):
    """What group.json says, or what stands in for it."""

    topic: str = ""
    domain: str = ""
    language: str = ""
    video_ids: tuple[str, ...] | None = None
    """None: every source found in the folder."""
    extra: dict[str, Any] = Field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def read_manifest(folder: Path) -> Manifest:
    """Read group.json, where there is one; keys it lacks are warned about, keys we do not know are kept.

    Raises InputError, naming file and key, if it is no JSON object or a key has the wrong type.
    """
    path = folder / "group.json"
    if not path.exists():
        return Manifest()
    fields = _json_object(path)
    warnings = [
        f"{path}: has no {key!r}; {instead}."
        for key, instead in (
            ("topic", "the folder's name is used"), ("domain", "the group has no domain"),
            ("video_ids", "every source in the folder is used"),
        )
        if fields.get(key) in (None, "", [])
    ]  # fmt: skip
    return Manifest(
        **{key: _string(path, fields, key) for key in ("topic", "domain", "language")},
        video_ids=_ids(path, fields),
        extra={key: value for key, value in fields.items() if key not in _KNOWN_KEYS},
        warnings=tuple(warnings),
    )


def _json_object(path: Path) -> dict[str, Any]:
    hint = "Mend it, or delete it: without a group.json the folder is read by its file names."
    try:
        fields = json.loads(decoded(path))
    except (ValueError, RecursionError, OSError) as error:
        raise InputError(f"{path}: is not valid JSON ({error}).", hint=hint) from error
    if not isinstance(fields, dict):
        raise InputError(f"{path}: holds {_kind(fields)}, not an object with topic, domain and video_ids.", hint=hint)
    return fields


def _kind(value: object) -> str:
    names = {list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "nothing")


def _string(path: Path, fields: dict[str, Any], key: str) -> str:
    value = fields.get(key) or ""
    if not isinstance(value, str):
        raise InputError(f"{path}: {key!r} is {_kind(value)}, not a text.", hint=f'Write "{key}": "…".')
    return value.strip()


def _ids(path: Path, fields: dict[str, Any]) -> tuple[str, ...] | None:
    ids = fields.get("video_ids") or None
    if ids is None:
        return None
    if not isinstance(ids, list) or not all(
        isinstance(item, str | int) and item not in ("", True, False) for item in ids
    ):
        raise InputError(f"{path}: 'video_ids' is not a list of ids.", hint='Write "video_ids": ["id1", "id2"].')
    return tuple(str(item) for item in ids)
