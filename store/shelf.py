"""Keeps frozen records by (kind, key, set, group): never edited, every revision kept, the latest given back.

Example: ``put("draft", "calder/T7/1", draft, group_id="calder")``. The same record again writes nothing; another
one under the same key is revision 2. Content is plain JSON in the table `records`.
"""

from functools import cache
from typing import Any, TypeVar, cast

from pydantic import BaseModel, TypeAdapter
from sqlalchemy import Select, bindparam, func, select, update

from records.base import Record
from store import tables
from store.database import Database
from store.lock import now

T = TypeVar("T")

_TABLE = tables.records.c


class Stored(Record):
    """Where a record is kept, without its content."""

    kind: str
    key: str
    set_name: str
    group_id: str
    revision: int
    type_id: str
    outcome: str
    written: str


class Shelf:
    """The records of one run."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, kind: str, key: str, record: BaseModel, *, group_id: str, set_name: str) -> bool:
        """Keep a record; False if the latest revision is equal already."""
        body = record.model_dump_json()
        where = {"kind": kind, "key": key, "set_name": set_name, "group_id": group_id}
        with self._database.transaction() as connection:
            last = connection.execute(_LAST, where).first()
            if last is not None and last.body == body:
                return False
            if last is not None:
                connection.execute(_RETIRE, {"old": last.id})
            revision = last.revision + 1 if last is not None else 1
            row = {**where, **_labels(record), "revision": revision, "current": True, "written": now(), "body": body}
            connection.execute(_INSERT, row)
        return True

    def get(self, kind: str, key: str, shape: Any, *, set_name: str, group_id: str | None) -> Any:
        """The latest revision under a key, or None."""
        query = _bodies(kind, set_name, group_id).where(_TABLE.current, _TABLE.key == key)
        with self._database.reading() as connection:
            row = connection.execute(query.order_by(_TABLE.id.desc()).limit(1)).first()
        return None if row is None else adapter(shape).validate_json(row.body)

    def all(self, kind: str, shape: Any, *, group_id: str | None, set_name: str | None) -> tuple[Any, ...]:
        """The latest revisions of a kind, sorted by set, group and key."""
        query = _bodies(kind, set_name, group_id).where(_TABLE.current)
        return self._read(query.order_by(_TABLE.set_name, _TABLE.group_id, _TABLE.key), shape)

    def history(self, kind: str, key: str, shape: Any, *, set_name: str, group_id: str | None) -> tuple[Any, ...]:
        """Every revision under a key, oldest first."""
        return self._read(_bodies(kind, set_name, group_id).where(_TABLE.key == key).order_by(_TABLE.id), shape)

    def index(self, kind: str | None, set_name: str | None) -> tuple[Stored, ...]:
        """What is kept, without reading the content."""
        query = select(*(_TABLE[name] for name in Stored.model_fields)).where(_TABLE.current)
        for column, value in ((_TABLE.kind, kind), (_TABLE.set_name, set_name)):
            query = query if value is None else query.where(column == value)
        ordered = query.order_by(_TABLE.kind, _TABLE.set_name, _TABLE.group_id, _TABLE.key)
        with self._database.reading() as connection:
            return tuple(Stored.model_validate(dict(row._mapping)) for row in connection.execute(ordered))

    def sets(self) -> tuple[str, ...]:
        """Names under which items are kept, in the order in which they began."""
        query = select(_TABLE.set_name).where(_TABLE.kind == "item").group_by(_TABLE.set_name)
        with self._database.reading() as connection:
            return tuple(row.set_name for row in connection.execute(query.order_by(func.min(_TABLE.id))))

    def _read(self, query: Select[Any], shape: Any) -> tuple[Any, ...]:
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        reader = adapter(shape)
        return tuple(reader.validate_json(row.body) for row in rows)


def adapter(shape: "type[T] | TypeAdapter[T]") -> TypeAdapter[T]:
    """The validator of a record class; a TypeAdapter (for unions) is given back as it is."""
    return shape if isinstance(shape, TypeAdapter) else cast("TypeAdapter[T]", _adapter_of(cast(Any, shape)))


@cache
def _adapter_of(shape: Any) -> TypeAdapter[Any]:
    return TypeAdapter(shape)


def _labels(record: BaseModel) -> dict[str, str]:
    """What tables of contents need to know of a record: its question type and its outcome."""
    holders = (record, getattr(record, "question", None))
    types = (str(getattr(holder, "type_id", "") or "") for holder in holders)
    return {"type_id": next(filter(None, types), ""), "outcome": str(getattr(record, "outcome", "") or "")}


def _bodies(kind: str, set_name: str | None, group_id: str | None) -> Select[Any]:
    query = select(_TABLE.body).where(_TABLE.kind == kind)
    for column, value in ((_TABLE.set_name, set_name), (_TABLE.group_id, group_id)):
        query = query if value is None else query.where(column == value)
    return query


_LAST = (
    select(_TABLE.id, _TABLE.revision, _TABLE.body)
    .where(*(_TABLE[name] == bindparam(name) for name in ("kind", "set_name", "group_id", "key")))
    .order_by(_TABLE.revision.desc())
    .limit(1)
)
_RETIRE = update(tables.records).where(_TABLE.id == bindparam("old")).values(current=False)
_INSERT = tables.records.insert()
