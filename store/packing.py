"""How a call's trace becomes a row and comes back whole.

Long texts of the rendered messages (transcripts, instructions) are stored once by hash in `blobs`; the rest of the
record is compressed JSON. ``{"text": "…40 KB…"}`` becomes ``{"text": {"$blob": "9f2c…"}}`` in the row.
"""

import json
import zlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from records.calls import CallRecord

LONG = 256
"""Characters from which a text of a message is stored by hash."""

_MARK = "$blob"
_PLAIN = "$plain"
"""Wraps a message's own dict that has one of these two names as its only key."""
_SEEN = 50_000
"""Hashes of blobs that are known to be stored; an older one is offered to the database once more."""


class Blob:
    """A text to be stored: its hash, and its bytes."""

    __slots__ = ("data", "sha256")

    def __init__(self, text: str) -> None:
        self.data = text.encode("utf-8", "surrogatepass")
        self.sha256 = sha256(self.data).hexdigest()


class Packer:
    """Turns call records into rows; remembers which texts are already stored."""

    def __init__(self) -> None:
        self._seen: OrderedDict[str, None] = OrderedDict()

    def row(self, record: CallRecord, session: int) -> tuple[dict[str, Any], tuple[Blob, ...]]:
        """The row of a record, and the texts that may not be stored yet."""
        blobs: dict[str, Blob] = {}
        messages = json.dumps([_pack(message, blobs) for message in record.messages], ensure_ascii=False)
        rest = record.model_dump_json(exclude={"messages"})
        body = f'{{"call":{rest},"messages":{messages}}}'.encode("utf-8", "surrogatepass")
        fresh = tuple(blob for key, blob in blobs.items() if key not in self._seen)
        return {**_columns(record), "session": session, "body": zlib.compress(body, 1)}, fresh

    def stored(self, blobs: tuple[Blob, ...]) -> None:
        """Tell that these texts are in the database (after the commit, never before)."""
        for blob in blobs:
            self._seen[blob.sha256] = None
        while len(self._seen) > _SEEN:
            self._seen.popitem(last=False)

    def forget(self) -> None:
        """After a rollback: nothing is known to be stored."""
        self._seen.clear()


def pack_blob(blob: Blob) -> dict[str, Any]:
    """The row of a text."""
    return {"sha256": blob.sha256, "size": len(blob.data), "data": zlib.compress(blob.data, 6)}


def unpack_blob(data: bytes) -> str:
    """The text of a row."""
    return zlib.decompress(data).decode("utf-8", "surrogatepass")


def unpack_call(body: bytes, texts: Callable[[set[str]], Mapping[str, str]]) -> CallRecord:
    """The record of a row; `texts` gives the stored texts of some hashes."""
    plain = json.loads(zlib.decompress(body).decode("utf-8", "surrogatepass"))
    wanted: set[str] = set()
    _wanted(plain["messages"], wanted)
    found = texts(wanted) if wanted else {}
    return CallRecord.model_validate({**plain["call"], "messages": tuple(_unpack(plain["messages"], found))})


def unpack_reply(body: bytes) -> tuple[str, str]:
    """(Reply as JSON, reasoning) of a row."""
    call = json.loads(zlib.decompress(body).decode("utf-8", "surrogatepass"))["call"]
    return str(call["reply_json"]), str(call["reasoning"])


def _columns(record: CallRecord) -> dict[str, Any]:
    usage = record.usage
    return {
        "request_id": record.request_id,
        "asked": record.asked,
        "task": record.task,
        "model": record.model,
        "transport": record.transport,
        "seat": record.seat,
        "group_id": record.group_id,
        "item_id": record.item_id,
        "unit": record.unit,
        "outcome": record.outcome,
        "started": record.started,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "cached_tokens": usage.cached_tokens,
        "images": usage.images,
        "exchanges": max(1, len(record.attempts)),
        "cost_usd": record.cost_usd,
        "latency_s": record.latency_s,
    }


def _pack(value: Any, blobs: dict[str, Blob]) -> Any:
    if isinstance(value, str):
        if len(value) < LONG:
            return value
        blob = Blob(value)
        blobs[blob.sha256] = blob
        return {_MARK: blob.sha256}
    if isinstance(value, dict):
        packed = {key: _pack(item, blobs) for key, item in value.items()}
        return {_PLAIN: packed} if len(packed) == 1 and packed.keys() <= {_MARK, _PLAIN} else packed
    if isinstance(value, (list, tuple)):
        return [_pack(item, blobs) for item in value]
    return value


def _unpack(value: Any, found: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        if value.keys() == {_MARK}:
            return found[value[_MARK]]
        if value.keys() == {_PLAIN}:
            value = value[_PLAIN]
        return {key: _unpack(item, found) for key, item in value.items()}
    if isinstance(value, list):
        return [_unpack(item, found) for item in value]
    return value


def _wanted(value: Any, out: set[str]) -> None:
    if isinstance(value, dict):
        if value.keys() == {_MARK}:
            out.add(value[_MARK])
            return
        inner = value[_PLAIN] if value.keys() == {_PLAIN} else value
        for item in inner.values():
            _wanted(item, out)
    elif isinstance(value, list):
        for item in value:
            _wanted(item, out)
