"""The tables of a run and how they are reached: one SQLite file, or a schema of a PostgreSQL database.

SQLite runs in WAL mode with ``synchronous=NORMAL``: a commit is in the operating system's hands when it returns, so
that ``kill -9`` loses nothing; a background thread flushes to the disk about once a second, so that a power cut may
lose that second and can never damage the file. PostgreSQL runs with ``synchronous_commit=off``, which says the same.
"""

import contextlib
import re
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    text,
)
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError, OperationalError
from sqlalchemy.pool import NullPool

from records.errors import ConfigurationError, RunError

FILE = "run.sqlite"
SCHEMA_VERSION = 1
FLUSH_SECONDS = 1.0

metadata = MetaData()

meta = Table("meta", metadata, Column("name", String, primary_key=True), Column("value", Text, nullable=False))

sessions = Table(
    "sessions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("started", String, nullable=False),
    Column("ended", String, nullable=False, default=""),
    Column("exit_code", Integer),
    Column("note", Text, nullable=False, default=""),
    Column("command", Text, nullable=False, default=""),
    Column("pid", Integer, nullable=False),
    Column("host", String, nullable=False),
    Column("manifest", Text, nullable=False),
)

records = Table(
    "records",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", String, nullable=False),
    Column("set_name", String, nullable=False),
    Column("group_id", String, nullable=False),
    Column("key", String, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("current", Boolean, nullable=False),
    Column("type_id", String, nullable=False),
    Column("outcome", String, nullable=False),
    Column("written", String, nullable=False),
    Column("body", Text, nullable=False),
    UniqueConstraint("kind", "set_name", "group_id", "key", "revision"),
    Index("records_by_key", "kind", "key", "set_name"),
)

calls = Table(
    "calls",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("request_id", String, nullable=False),
    Column("asked", Integer, nullable=False),
    Column("session", Integer, nullable=False),
    Column("task", String, nullable=False),
    Column("model", String, nullable=False),
    Column("transport", String, nullable=False),
    Column("seat", String, nullable=False),
    Column("group_id", String, nullable=False),
    Column("item_id", String, nullable=False),
    Column("unit", String, nullable=False),
    Column("outcome", String, nullable=False),
    Column("started", String, nullable=False),
    Column("prompt_tokens", Integer, nullable=False),
    Column("completion_tokens", Integer, nullable=False),
    Column("reasoning_tokens", Integer, nullable=False),
    Column("cached_tokens", Integer, nullable=False),
    Column("images", Integer, nullable=False),
    Column("exchanges", Integer, nullable=False),
    Column("cost_usd", Float, nullable=False),
    Column("latency_s", Float, nullable=False),
    Column("body", LargeBinary, nullable=False),
    UniqueConstraint("request_id", "asked"),
    Index("calls_by_item", "item_id"),
)

hits = Table(
    "hits",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("session", Integer, nullable=False),
    Column("request_id", String, nullable=False),
    Column("task", String, nullable=False),
    Column("model", String, nullable=False),
    Column("seat", String, nullable=False),
    Column("group_id", String, nullable=False),
    Column("item_id", String, nullable=False),
    Column("unit", String, nullable=False),
    Column("count", Integer, nullable=False),
    UniqueConstraint("session", "request_id", "group_id", "item_id", "seat", "unit", "task"),
)

blobs = Table(
    "blobs",
    metadata,
    Column("sha256", String, primary_key=True),
    Column("size", Integer, nullable=False),
    Column("data", LargeBinary, nullable=False),
)


def is_postgres(url: str) -> bool:
    """Whether a database address means PostgreSQL."""
    return url.startswith(("postgresql", "postgres"))


def schema_of(name: str) -> str:
    """The PostgreSQL schema of a run's folder name: ``run_`` and the name's letters and digits."""
    return "run_" + (re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "unnamed")[:50]


def open_engine(folder: Path, url: str, *, read_only: bool) -> Engine:
    """An engine on a run's database.

    Raises ConfigurationError for an address or a driver that does not work, RunError for a damaged file or one of a
    later version.
    """
    if is_postgres(url):
        return _postgres(url, schema_of(folder.name), read_only=read_only)
    return _sqlite(folder / FILE, read_only=read_only)


def create_tables(engine: Engine) -> None:
    """Create what is missing; raises RunError where the tables are of a later version of this program."""
    with engine.begin() as connection:
        metadata.create_all(connection)
        found = connection.execute(meta.select().where(meta.c.name == "schema")).first()
        if found is None:
            connection.execute(meta.insert().values(name="schema", value=str(SCHEMA_VERSION)))


def check_version(connection: Connection, folder: Path) -> None:
    """Raises RunError if a later version of this program wrote the tables."""
    found = connection.execute(meta.select().where(meta.c.name == "schema")).first()
    if found is not None and int(found.value) > SCHEMA_VERSION:
        raise RunError(
            f"{folder} was written by a later version (tables of version {found.value}, known is {SCHEMA_VERSION}).",
            hint="Use that version of Benchwright.",
        )


@contextlib.contextmanager
def database_errors(folder: Path) -> Iterator[None]:
    """Translate the database's errors into RunError, saying what to do."""
    try:
        yield
    except OperationalError as error:
        reason = str(error.orig).strip().splitlines()[0]
        raise RunError(
            f"the database of {folder} cannot be used: {reason}.",
            hint="Is the disk full, the folder readable, the server up? The same command continues the run.",
        ) from error
    except DatabaseError as error:
        reason = str(error.orig).strip().splitlines()[0]
        raise RunError(
            f"the database of {folder} is damaged: {reason}.",
            hint=f"Keep a copy, then try `sqlite3 {FILE} .recover`; replies in cache/ are not lost.",
        ) from error


class Flusher:
    """A thread that brings committed pages of a SQLite file to the disk, so that no writer waits for it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stop = threading.Event()
        self._dirty = threading.Event()
        self._thread = threading.Thread(target=self._run, name="run-flusher", daemon=True)
        self._thread.start()

    def dirty(self) -> None:
        """Something was committed."""
        self._dirty.set()

    def close(self) -> None:
        """Flush a last time and end."""
        self._stop.set()
        self._thread.join(timeout=30)

    def _run(self) -> None:
        connection = sqlite3.connect(self._path, timeout=30, isolation_level=None)
        try:
            while not self._stop.wait(FLUSH_SECONDS):
                self._flush(connection)
            self._flush(connection)
        finally:
            connection.close()

    def _flush(self, connection: sqlite3.Connection) -> None:
        if self._dirty.is_set():
            self._dirty.clear()
            with contextlib.suppress(sqlite3.OperationalError):
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _sqlite(path: Path, *, read_only: bool) -> Engine:
    if read_only:
        return create_engine("sqlite://", creator=lambda: _connect_reading(path), poolclass=NullPool)
    engine = create_engine(f"sqlite:///{path}", connect_args={"check_same_thread": False, "timeout": 30})
    event.listen(engine, "connect", _writer_pragmas)
    return engine


def _connect_reading(path: Path) -> sqlite3.Connection:
    """Read-only; on a medium that cannot be written (no shared memory file possible) as an immutable file."""
    address = path.absolute().as_uri()
    for query in ("mode=ro", "immutable=1"):
        connection = sqlite3.connect(f"{address}?{query}", uri=True, timeout=30, check_same_thread=False)
        try:
            connection.execute("SELECT 1 FROM meta LIMIT 1")
        except sqlite3.OperationalError:
            connection.close()
            if query == "immutable=1":
                raise
        else:
            return connection
    raise AssertionError("unreachable")


def _writer_pragmas(connection: Any, _: Any) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "wal_autocheckpoint=16000", "temp_store=MEMORY"):
        connection.execute(f"PRAGMA {pragma}")


def _postgres(url: str, schema: str, *, read_only: bool) -> Engine:
    address = re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", url)
    options = f"-csearch_path={schema} -csynchronous_commit=off" + (
        " -cdefault_transaction_read_only=on" if read_only else ""
    )
    try:
        engine = create_engine(address, connect_args={"options": options}, pool_pre_ping=True)
    except (NoSuchModuleError, ImportError) as error:
        raise ConfigurationError(
            "a PostgreSQL database needs the driver psycopg.", hint='Install it: pip install "benchwright[postgres]".'
        ) from error
    except ArgumentError as error:
        raise ConfigurationError(f"the database address cannot be read: {error}.") from error
    if not read_only:
        with engine.begin() as connection:
            connection.execute(text(f'CREATE SCHEMA IF NOT EXISTS "{schema}"'))
    return engine
