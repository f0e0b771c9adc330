"""A run: a folder that explains itself, resumes, and journals every call the moment it is known.

Example: ``runs/calder/`` holds run.yaml, run.sqlite, frames/<sha256>.jpg, cache/, and after the end items.jsonl,
rejected.jsonl, undecided.jsonl and report.html. One process writes; any number may read meanwhile.

    with Run.open_or_create(Path("runs/calder"), manifest) as run:
        run.put("draft", draft.slot, draft, group_id=draft.group_id)
"""

import contextlib
import threading
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from pydantic import BaseModel, TypeAdapter
from sqlalchemy import Connection, Engine, and_, bindparam, func, select, text, update
from sqlalchemy.dialects import postgresql, sqlite

from records.base import Record
from records.calls import CallRecord
from records.errors import RunError
from store import database as db
from store.journal import Packer, pack_blob, unpack_blob, unpack_call
from store.lock import Holder, WriterLock, now, refusal, this_process
from store.manifest import FILE as MANIFEST_FILE
from store.manifest import (
    RunManifest,
    differences,
    mask_manifest,
    masked,
    package_versions,
    python_version,
    read_manifest,
    write_manifest,
)

T = TypeVar("T")


class Session(Record):
    """One time that a command wrote this run."""

    number: int
    started: str
    ended: str = ""
    """Empty while it runs, and for a session that was killed."""
    exit_code: int | None = None
    note: str = ""
    command: str = ""
    pid: int
    host: str
    manifest: RunManifest


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


class Run:
    """One run folder, open for reading or for writing. Implements `records.calls.Sink`.

    Every write is durable against ``kill -9`` when the method returns; a power cut may lose about the last second.
    Methods may be called from any thread; each holds the database for well under a millisecond.
    """

    def __init__(
        self, folder: Path, manifest: RunManifest, engine: Engine, *, writer: "WriterLock | None", url: str
    ) -> None:
        """Use `create`, `open` or `open_or_create`."""
        self.folder = folder
        self.manifest = manifest
        self.database_url = url
        self._engine = engine
        self._writer = writer
        self._mutex = threading.RLock()
        self._connection: Connection | None = None
        self._flusher: db.Flusher | None = None
        self._packer = Packer()
        self._failed: dict[str, None] = {}
        self._spent = 0.0
        self._session = 0
        self._ended = False
        self._depth = 0

    # Opening

    @classmethod
    def create(cls, folder: Path, manifest: RunManifest, *, database_url: str = "", command: str = "") -> Self:
        """Begin a new run and hold its lock. Raises RunError if the folder already holds a run or is locked."""
        folder = Path(folder)
        if (folder / MANIFEST_FILE).exists():
            raise RunError(f"{folder} already holds a run.", hint="Resume it with the same settings, or name another.")
        folder.mkdir(parents=True, exist_ok=True)
        lock = WriterLock(folder)
        lock.acquire(command or " ".join(manifest.command))
        try:
            write_manifest(folder, _described(manifest, database_url))
            return cls._write(folder, lock, manifest, database_url, command)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        write: bool = False,
        database_url: str = "",
        command: str = "",
        manifest: RunManifest | None = None,
    ) -> Self:
        """Open an existing run: to read (also while another process writes it), or with ``write=True`` to go on.

        `manifest` describes this session (another panel over the same drafts) without being compared.
        Raises RunError for a folder without a run, a damaged one, or one that another process writes.
        """
        folder = Path(folder)
        kept = read_manifest(folder)
        _same_database(folder, kept, database_url)
        if not write:
            return cls._read(folder, kept, database_url)
        lock = WriterLock(folder)
        lock.acquire(command or " ".join(manifest.command if manifest else kept.command))
        try:
            return cls._write(folder, lock, manifest or kept, database_url, command)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def open_or_create(cls, folder: Path, manifest: RunManifest, *, database_url: str = "", command: str = "") -> Self:
        """Resume a run of equal configuration, or begin it. Raises RunError that lists the settings that differ."""
        folder = Path(folder)
        if not (folder / MANIFEST_FILE).exists():
            return cls.create(folder, manifest, database_url=database_url, command=command)
        differing = differences(read_manifest(folder), manifest)
        if differing:
            raise RunError(
                f"{folder} was begun with other settings: " + "; ".join(differing) + ".",
                hint="Repeat the first command, or give this one another run folder with --run. "
                "For another panel over the same drafts use graphs.judge.",
            )
        return cls.open(folder, write=True, database_url=database_url, command=command, manifest=manifest)

    @classmethod
    def _read(cls, folder: Path, manifest: RunManifest, url: str) -> Self:
        with db.database_errors(folder):
            run = cls(folder, manifest, db.open_engine(folder, url, read_only=True), writer=None, url=url)
            run._connection = run._engine.connect()
            db.check_version(run._connection, folder)
            run._connection.rollback()
        return run

    @classmethod
    def _write(cls, folder: Path, lock: WriterLock, manifest: RunManifest, url: str, command: str) -> Self:
        with db.database_errors(folder):
            engine = db.open_engine(folder, url, read_only=False)
            db.create_tables(engine)
            run = cls(folder, read_manifest(folder), engine, writer=lock, url=url)
            run._connection = engine.connect()
            db.check_version(run._connection, folder)
            run._lock_server(folder)
            run._begin_session(_described(manifest, url), command)
            run._load_totals()
        for sub in (run.frames_dir, run.cache_dir):
            sub.mkdir(exist_ok=True)
        if not db.is_postgres(url):
            run._flusher = db.Flusher(folder / db.FILE)
        return run

    def _lock_server(self, folder: Path) -> None:
        """On PostgreSQL the lock that counts is the server's, since writers may sit on several machines."""
        if not db.is_postgres(self.database_url):
            return
        key = db.schema_of(folder.name)
        taken = self._conn.execute(text("SELECT pg_try_advisory_lock(hashtext(:key))"), {"key": key}).scalar()
        last = self.sessions()
        self._conn.rollback()
        if not taken:
            raise RunError(
                refusal(folder, _holder_of(last[-1]) if last else None), hint="Wait for it or stop it; reading works."
            )

    def _begin_session(self, manifest: RunManifest, command: str) -> None:
        me = this_process(command or " ".join(manifest.command))
        with self._transaction() as connection:
            row = db.sessions.insert().values(
                started=me.since, pid=me.pid, host=me.host, command=me.command, manifest=manifest.model_dump_json()
            )
            key = connection.execute(row).inserted_primary_key
            self._session = int(key[0]) if key else 0

    def _load_totals(self) -> None:
        with self._reading() as connection:
            self._spent = float(connection.execute(select(func.coalesce(func.sum(db.calls.c.cost_usd), 0.0))).scalar())  # type: ignore[arg-type]
            rows = connection.execute(
                select(db.calls.c.request_id, db.calls.c.outcome).order_by(db.calls.c.request_id, db.calls.c.asked)
            )
            last = {row.request_id: row.outcome for row in rows}
        self._failed = {request_id: None for request_id, outcome in last.items() if outcome != "ok"}

    # Ending

    def end(self, exit_code: int, note: str = "") -> None:
        """Say how this session ended (0 done, 1 error, 2 undecided items are left); `note` is one line."""
        self._ended = True
        with self._transaction() as connection:
            connection.execute(
                update(db.sessions)
                .where(db.sessions.c.id == self._session)
                .values(ended=now(), exit_code=exit_code, note=note)
            )

    def close(self) -> None:
        """Close the database and give the lock back. May be called twice."""
        with self._mutex:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            if self._flusher is not None:
                self._flusher.close()
                self._flusher = None
            self._engine.dispose()
            if self._writer is not None:
                self._writer.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._writer is not None and not self._ended and self._connection is not None:
            code, note = (0, "") if error is None else (1, f"{type(error).__name__}: {error}".splitlines()[0])
            with contextlib.suppress(RunError):
                self.end(code, note)
        self.close()

    # Places

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def writable(self) -> bool:
        """Whether this process holds the run's lock."""
        return self._writer is not None

    @property
    def frames_dir(self) -> Path:
        """Folder of the frames, ``<sha256>.jpg`` each."""
        return self.folder / "frames"

    @property
    def cache_dir(self) -> Path:
        """Folder of the gateway's reply cache."""
        return self.folder / "cache"

    def frame_path(self, sha256: str) -> Path:
        """Where the frame of a hash is or would be."""
        return self.frames_dir / f"{sha256}.jpg"

    def image(self, sha256: str) -> bytes:
        """The JPEG bytes of a frame. Raises RunError if the file is missing."""
        try:
            return self.frame_path(sha256).read_bytes()
        except OSError as error:
            raise RunError(
                f"frame {self.frame_path(sha256)} cannot be read: {error.strerror}.",
                hint="Frames belong to the run; run graphs.generate again with the videos in place.",
            ) from error

    # Records

    def put(self, kind: str, key: str, record: BaseModel, *, group_id: str = "", set_name: str = "") -> bool:
        """Keep a record under (kind, key, set_name, group_id); True if something was written.

        An equal record that is there already is left alone; a different one becomes the next revision, and the
        earlier ones stay. Raises RunError on a run that was opened for reading.
        """
        body = record.model_dump_json()
        where = {"kind": kind, "key": key, "set_name": set_name, "group_id": group_id}
        with self._transaction() as connection:
            last = connection.execute(_LAST, where).first()
            if last is not None and last.body == body:
                return False
            if last is not None:
                connection.execute(_RETIRE, {"old": last.id})
            labels = {name: str(getattr(record, name, "") or "") for name in ("type_id", "outcome")}
            if not labels["type_id"]:
                labels["type_id"] = str(getattr(getattr(record, "question", None), "type_id", "") or "")
            revision = last.revision + 1 if last is not None else 1
            row = {**where, **labels, "revision": revision, "current": True, "written": now(), "body": body}
            connection.execute(_INSERT_RECORD, row)
        return True

    def get(
        self,
        kind: str,
        key: str,
        type: "type[T] | TypeAdapter[T]",  # noqa: A002
        *,
        set_name: str = "",
        group_id: str | None = None,
    ) -> T | None:
        """The latest revision, or None. `type` is a record class, or a TypeAdapter for a union."""
        table = db.records.c
        query = _bodies(kind, set_name=set_name, group_id=group_id).where(table.key == key)
        with self._reading() as connection:
            row = connection.execute(query.order_by(table.id.desc()).limit(1)).first()
        return None if row is None else cast(T, _adapter(type).validate_json(row.body))

    def all(
        self,
        kind: str,
        type: "type[T] | TypeAdapter[T]",  # noqa: A002
        *,
        group_id: str | None = None,
        set_name: str | None = None,
    ) -> tuple[T, ...]:
        """The latest revisions of a kind, sorted by set, group and key; None for a filter means any."""
        table = db.records.c
        query = _bodies(kind, set_name=set_name, group_id=group_id)
        with self._reading() as connection:
            rows = connection.execute(query.order_by(table.set_name, table.group_id, table.key)).all()
        adapter = _adapter(type)
        return tuple(adapter.validate_json(row.body) for row in rows)

    def history(
        self,
        kind: str,
        key: str,
        type: "type[T] | TypeAdapter[T]",  # noqa: A002
        *,
        set_name: str = "",
        group_id: str | None = None,
    ) -> tuple[T, ...]:
        """Every revision of a record, oldest first."""
        table = db.records.c
        query = _bodies(kind, set_name=set_name, group_id=group_id, current=False).where(table.key == key)
        with self._reading() as connection:
            rows = connection.execute(query.order_by(table.id)).all()
        adapter = _adapter(type)
        return tuple(adapter.validate_json(row.body) for row in rows)

    def index(self, kind: str | None = None, *, set_name: str | None = None) -> tuple[Stored, ...]:
        """What is kept, without reading the content: fast for thousands of records."""
        table = db.records.c
        columns = [table[name] for name in Stored.model_fields]
        query = select(*columns).where(table.current).order_by(table.kind, table.set_name, table.group_id, table.key)
        if kind is not None:
            query = query.where(table.kind == kind)
        if set_name is not None:
            query = query.where(table.set_name == set_name)
        with self._reading() as connection:
            return tuple(Stored.model_validate(dict(row._mapping)) for row in connection.execute(query))

    def sets(self) -> tuple[str, ...]:
        """Names of the judgement sets, in the order in which they began."""
        table = db.records.c
        query = select(table.set_name).where(table.kind == "item").group_by(table.set_name)
        with self._reading() as connection:
            return tuple(row.set_name for row in connection.execute(query.order_by(func.min(table.id))))

    def sessions(self) -> tuple[Session, ...]:
        """Every time a command wrote this run, oldest first."""
        with self._reading() as connection:
            rows = connection.execute(db.sessions.select().order_by(db.sessions.c.id)).all()
        return tuple(_session(dict(row._mapping)) for row in rows)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Several puts that are kept together or not at all, and faster than one by one."""
        with self._transaction():
            yield

    # The gateway's sink

    def finished(self, record: CallRecord) -> None:
        """Journal a finished call; the same (request_id, asked) is not doubled."""
        with self._mutex:
            if self._insert_call(record):
                self._spent += record.cost_usd
            if record.outcome == "ok":
                self._failed.pop(record.request_id, None)
            else:
                self._failed[record.request_id] = None

    def cache_hit(self, record: CallRecord) -> None:
        """Count a reply that came from the cache; journals the record if a kill kept it from the journal."""
        row = {name: getattr(record, name) for name in _HIT_KEYS}
        with self._transaction() as connection:
            self.finished(record)
            connection.execute(_upsert_hit(connection.dialect.name), {**row, "session": self._session, "count": 1})

    def failure_of(self, request_id: str) -> CallRecord | None:
        """The last journalled outcome of a request if it was not ok, else None."""
        if request_id not in self._failed:
            return None
        records = self.trace(request_id)
        return records[-1] if records and records[-1].outcome != "ok" else None

    def spent_usd(self) -> float:
        """Everything this run has paid so far, over all its sessions."""
        if self.writable:
            return self._spent
        with self._reading() as connection:
            return float(connection.execute(select(func.coalesce(func.sum(db.calls.c.cost_usd), 0.0))).scalar())  # type: ignore[arg-type]

    # Traces

    def trace(self, request_id: str) -> tuple[CallRecord, ...]:
        """Every time a request was asked, oldest first: rendered prompt, raw reply, retries, cost."""
        return self.calls(request_ids=(request_id,))

    def calls(
        self,
        *,
        request_ids: tuple[str, ...] | None = None,
        item_id: str | None = None,
        group_id: str | None = None,
        task: str | None = None,
        outcome: str | None = None,
    ) -> tuple[CallRecord, ...]:
        """Full traces of the calls that match every given filter, in the order of the journal."""
        table = db.calls.c
        given = {"item_id": item_id, "group_id": group_id, "task": task, "outcome": outcome}
        wanted = [table[name] == value for name, value in given.items() if value is not None]
        if request_ids is not None:
            wanted.append(table.request_id.in_(request_ids))
        with self._reading() as connection:
            rows = connection.execute(select(table.body).where(and_(True, *wanted)).order_by(table.id)).all()
            return tuple(unpack_call(row.body, lambda keys: self._texts(connection, keys)) for row in rows)

    def _texts(self, connection: Connection, hashes: set[str]) -> Mapping[str, str]:
        rows = connection.execute(_BLOBS, {"hashes": sorted(hashes)})
        return {row.sha256: unpack_blob(row.data) for row in rows}

    def _insert_call(self, record: CallRecord) -> bool:
        row, blobs = self._packer.row(record, self._session)
        with self._transaction() as connection:
            dialect = connection.dialect.name
            if blobs:
                connection.execute(_insert_blobs(dialect), [pack_blob(blob) for blob in blobs])
            written = connection.execute(_insert_call(dialect), row).rowcount > 0
        self._packer.stored(blobs)
        return written

    # Transactions

    @property
    def _conn(self) -> Connection:
        if self._connection is None:
            raise RunError(f"{self.folder} was closed.")
        return self._connection

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[Connection]:
        if self._writer is None:
            raise RunError(f"{self.folder} was opened for reading.", hint="Open it with write=True to change it.")
        with self._mutex, db.database_errors(self.folder):
            connection = self._conn
            self._depth += 1
            try:
                yield connection
            except BaseException:
                self._depth -= 1
                connection.rollback()
                raise
            self._depth -= 1
            if self._depth == 0:
                connection.commit()
                if self._flusher is not None:
                    self._flusher.dirty()

    @contextlib.contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self._mutex, db.database_errors(self.folder):
            connection = self._conn
            try:
                yield connection
            finally:
                if self._depth == 0:
                    connection.rollback()

    def connection(self) -> contextlib.AbstractContextManager[Connection]:
        """A connection for reading with SQLAlchemy, as `store.ledger` does."""
        return self._reading()


_HIT_KEYS = ("request_id", "task", "model", "seat", "group_id", "item_id", "unit")

_LAST = (
    select(db.records.c.id, db.records.c.revision, db.records.c.body)
    .where(*(db.records.c[name] == bindparam(name) for name in ("kind", "set_name", "group_id", "key")))
    .order_by(db.records.c.revision.desc())
    .limit(1)
)
_RETIRE = update(db.records).where(db.records.c.id == bindparam("old")).values(current=False)
_INSERT_RECORD = db.records.insert()
_BLOBS = select(db.blobs.c.sha256, db.blobs.c.data).where(db.blobs.c.sha256.in_(bindparam("hashes", expanding=True)))


def _insert(dialect: str) -> Any:
    return postgresql.insert if dialect == "postgresql" else sqlite.insert


@cache
def _insert_call(dialect: str) -> Any:
    return _insert(dialect)(db.calls).on_conflict_do_nothing(index_elements=["request_id", "asked"])


@cache
def _insert_blobs(dialect: str) -> Any:
    return _insert(dialect)(db.blobs).on_conflict_do_nothing(index_elements=["sha256"])


@cache
def _upsert_hit(dialect: str) -> Any:
    return _insert(dialect)(db.hits).on_conflict_do_update(
        index_elements=["session", "request_id", "group_id", "item_id", "seat", "unit", "task"],
        set_={"count": db.hits.c.count + 1},
    )


@cache
def _adapter_of(shape: Any) -> TypeAdapter[Any]:
    return TypeAdapter(shape)


def _adapter(shape: "Any") -> TypeAdapter[Any]:
    return shape if isinstance(shape, TypeAdapter) else _adapter_of(shape)


def _bodies(kind: str, *, set_name: str | None, group_id: str | None, current: bool = True) -> Any:
    table = db.records.c
    query = select(table.body).where(table.kind == kind)
    if current:
        query = query.where(table.current)
    if set_name is not None:
        query = query.where(table.set_name == set_name)
    if group_id is not None:
        query = query.where(table.group_id == group_id)
    return query


def _described(manifest: RunManifest, url: str) -> RunManifest:
    """The manifest as it is written: masked, with the facts that are known only here."""
    facts = {
        "created": manifest.created or now(),
        "packages": manifest.packages or package_versions(),
        "python": manifest.python or python_version(),
        "database": str(masked(url)) if db.is_postgres(url) else "sqlite",
    }
    return mask_manifest(manifest.model_copy(update=facts))


def _same_database(folder: Path, kept: RunManifest, url: str) -> None:
    if (kept.database != "sqlite") != db.is_postgres(url):
        there = kept.database if kept.database != "sqlite" else f"the file {db.FILE}"
        raise RunError(
            f"{folder} keeps its records in {there}.",
            hint="Give that database's address (with its password) as the database of this command."
            if kept.database != "sqlite"
            else "Leave the database address out.",
        )


def _session(row: Mapping[str, Any]) -> Session:
    values = {name: row[name] for name in ("started", "ended", "exit_code", "note", "command", "pid", "host")}
    return Session(number=row["id"], manifest=RunManifest.model_validate_json(row["manifest"]), **values)


def _holder_of(session: Session) -> Holder:
    return Holder(pid=session.pid, host=session.host, since=session.started, command=session.command)


__all__ = ["Run", "RunManifest", "Session", "Stored"]
