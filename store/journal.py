"""The journal of calls: every finished call is a row the moment it is known; cache hits are counted beside it.

Follows `records.calls.Sink`. The last outcome of every request and the sum spent are kept in memory while writing,
so that asking for them costs nothing.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from sqlalchemy import Connection, and_, bindparam, func, select
from sqlalchemy.dialects import postgresql, sqlite

from records.calls import CallRecord
from store import tables
from store.database import Database
from store.packing import Blob, Packer, pack_blob, unpack_blob, unpack_call, unpack_reply

_HIT_KEYS = ("request_id", "task", "model", "seat", "group_id", "item_id", "unit")
_CALLS = tables.calls.c
_SPENT = select(func.coalesce(func.sum(_CALLS.cost_usd), 0.0))
_OUTCOMES = select(_CALLS.request_id, _CALLS.outcome).order_by(_CALLS.asked)
_BLOBS = select(tables.blobs.c.sha256, tables.blobs.c.data).where(
    tables.blobs.c.sha256.in_(bindparam("hashes", expanding=True))
)
_CHUNK = 5_000
"""Most values of one IN clause; SQLite takes 32,766."""


class Journal:
    """The calls of one run. `session` is the number of the session that writes."""

    def __init__(self, database: Database) -> None:
        self.session = 0
        self._database = database
        self._packer = Packer()
        self._last: dict[str, str] = {}
        self._spent = 0.0
        if not database.read_only:
            self._load()
            database.on_rollback.append(self._forget)

    def finished(self, record: CallRecord) -> None:
        """Journal a finished call; the same (request_id, asked) is not doubled."""
        row, blobs = self._packer.row(record, self.session)
        with self._database.transaction() as connection:
            written = self._insert(connection, row, blobs)
        self._packer.stored(blobs)
        if written:
            self._spent += record.cost_usd
            self._last[record.request_id] = record.outcome

    def cache_hit(self, record: CallRecord) -> None:
        """Count a reply that came from the cache; journals the record if a kill kept it from the journal."""
        hit = {name: getattr(record, name) for name in _HIT_KEYS}
        with self._database.transaction() as connection:
            if self._last.get(record.request_id) != record.outcome:
                self.finished(record)
            connection.execute(_upsert_hit(connection.dialect.name), {**hit, "session": self.session, "count": 1})

    def failure_of(self, request_id: str) -> CallRecord | None:
        """The last journalled outcome of a request if it was not ok, else None."""
        if self._last.get(request_id, "ok") == "ok":
            return None
        return self.calls(request_ids=(request_id,))[-1]

    def spent_usd(self) -> float:
        """The sum of all calls' cost, over all sessions."""
        if not self._database.read_only:
            return self._spent
        with self._database.reading() as connection:
            return float(connection.execute(_SPENT).scalar_one())

    def calls(self, *, request_ids: tuple[str, ...] | None = None, **equal: str | None) -> tuple[CallRecord, ...]:
        """Full traces in the order of the journal; `equal` filters by columns, None meaning any."""
        wanted = [_CALLS[name] == value for name, value in equal.items() if value is not None]
        query = select(_CALLS.id, _CALLS.body).where(and_(True, *wanted)).order_by(_CALLS.id)
        with self._database.reading() as connection:
            if request_ids is None:
                rows = list(connection.execute(query))
            else:
                parts = (query.where(_CALLS.request_id.in_(part)) for part in _chunks(request_ids))
                rows = sorted((row for part in parts for row in connection.execute(part)), key=lambda row: row.id)
            return tuple(unpack_call(row.body, lambda hashes: _texts(connection, hashes)) for row in rows)

    def replies(self, **equal: str | None) -> dict[str, tuple[str, str]]:
        """Request id → (reply as JSON, reasoning) of its last asking, without the prompts."""
        wanted = [_CALLS[name] == value for name, value in equal.items() if value is not None]
        query = select(_CALLS.request_id, _CALLS.body).where(and_(True, *wanted)).order_by(_CALLS.asked)
        return {request_id: unpack_reply(body) for request_id, body in self._database.rows(query)}

    def _insert(self, connection: Connection, row: dict[str, Any], blobs: tuple[Blob, ...]) -> bool:
        dialect = connection.dialect.name
        if blobs:
            connection.execute(_insert_blobs(dialect), [pack_blob(blob) for blob in blobs])
        return bool(connection.execute(_insert_call(dialect), row).rowcount > 0)

    def _load(self) -> None:
        with self._database.reading() as connection:
            self._spent = float(connection.execute(_SPENT).scalar_one())
            self._last = {row.request_id: row.outcome for row in connection.execute(_OUTCOMES)}

    def _forget(self) -> None:
        self._packer.forget()
        self._load()


def _texts(connection: Connection, hashes: set[str]) -> dict[str, str]:
    rows = (row for part in _chunks(sorted(hashes)) for row in connection.execute(_BLOBS, {"hashes": part}))
    return {row.sha256: unpack_blob(row.data) for row in rows}


def _chunks(values: "tuple[str, ...] | list[str]") -> Iterator[list[str]]:
    for start in range(0, len(values), _CHUNK):
        yield list(values[start : start + _CHUNK])


def _dialect_insert(dialect: str) -> Any:
    return postgresql.insert if dialect == "postgresql" else sqlite.insert


@cache
def _insert_call(dialect: str) -> Any:
    return _dialect_insert(dialect)(tables.calls).on_conflict_do_nothing(index_elements=["request_id", "asked"])


@cache
def _insert_blobs(dialect: str) -> Any:
    return _dialect_insert(dialect)(tables.blobs).on_conflict_do_nothing(index_elements=["sha256"])


@cache
def _upsert_hit(dialect: str) -> Any:
    return _dialect_insert(dialect)(tables.hits).on_conflict_do_update(
        index_elements=["session", *_HIT_KEYS], set_={"count": tables.hits.c.count + 1}
    )
