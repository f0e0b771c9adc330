"""How a run's tables are reached: one SQLite file, or a schema of a PostgreSQL database.

SQLite runs in WAL mode with ``synchronous=NORMAL``: a commit is in the operating system's hands when it returns, so
that ``kill -9`` loses nothing; a background thread flushes to the disk about once a second, so that a power cut may
lose that second and can never damage the file. PostgreSQL runs with ``synchronous_commit=off``, which says the same.
"""

import contextlib
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Connection, Engine, Select, create_engine, event, select, text
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError, OperationalError
from sqlalchemy.pool import NullPool

from records.errors import ConfigurationError, RunError
from store import tables

FILE = "run.sqlite"
FLUSH_SECONDS = 1.0


class Database:
    """One connection to a run's tables, shared by all threads of a process.

    Statements run inside `transaction` (nested ones join the outer one) or `reading`.
    """

    def __init__(self, engine: Engine, folder: Path, *, flusher: "Flusher | None" = None, read_only: bool) -> None:
        """Use `open`."""
        self.folder = folder
        self.read_only = read_only
        self.dialect = engine.dialect.name
        self.on_rollback: list[Callable[[], None]] = []
        """Called after a rollback: what was remembered about the tables may be wrong."""
        self._engine = engine
        self._flusher = flusher
        self._mutex = threading.RLock()
        self._depth = 0
        self._broken = False
        self._connection: Connection | None = None

    @classmethod
    def open(cls, folder: Path, url: str, *, read_only: bool) -> Self:
        """Connect, and for writing create what is missing.

        Raises ConfigurationError for an address or a driver that does not work, RunError for a damaged file or one
        of a later version.
        """
        with database_errors(folder):
            engine = _engine(folder, url, read_only=read_only)
            if not read_only:
                _create_tables(engine)
            database = cls(engine, folder, read_only=read_only)
            database._connection = engine.connect()
            _check_version(database._connection, folder)
        if not read_only and not is_postgres(url):
            database._flusher = Flusher(folder / FILE)
        return database

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Statements that are kept together; committed when the outermost block ends, else rolled back.

        Holds the database for this thread: nothing may be awaited inside.
        """
        if self.read_only:
            raise RunError(f"{self.folder} was opened for reading.", hint="Open it with write=True to change it.")
        with self._mutex, database_errors(self.folder):
            connection = self._open_connection()
            self._depth += 1
            try:
                yield connection
                self._finish(connection)
            except BaseException:
                self._undo(connection)
                raise
            finally:
                self._depth -= 1

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """Statements that change nothing; inside a transaction they see what it wrote."""
        with self._mutex, database_errors(self.folder):
            connection = self._open_connection()
            try:
                yield connection
            finally:
                if self._depth == 0:
                    connection.rollback()

    def rows(self, query: Select[Any]) -> list[tuple[Any, ...]]:
        """Plain tuples of a query without parameters: five times faster than row objects for whole tables."""
        with self.reading() as connection:
            statement = str(query.compile(connection.engine, compile_kwargs={"literal_binds": True}))
            driver = connection.connection.dbapi_connection
            assert driver is not None
            cursor = driver.cursor()
            try:
                cursor.execute(statement)
                return list(cursor.fetchall())
            finally:
                cursor.close()

    def lock_server(self) -> bool:
        """On PostgreSQL, where writers may sit on several machines: take the run's lock; False if it is taken.

        The server frees the lock with the connection. Always True for SQLite, whose lock is a file.
        """
        if self.dialect != "postgresql":
            return True
        with self.reading() as connection:
            query = text("SELECT pg_try_advisory_lock(hashtext(:key))")
            return bool(connection.execute(query, {"key": schema_of(self.folder.name)}).scalar())

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._connection is None

    def close(self) -> None:
        """Close the connection and bring everything to the disk. May be called twice."""
        with self._mutex:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
            if self._flusher is not None:
                self._flusher.close()
                self._flusher = None
            self._engine.dispose()

    def _open_connection(self) -> Connection:
        if self._connection is None:
            raise RunError(f"{self.folder} was closed.", hint="Open the run again.")
        return self._connection

    def _finish(self, connection: Connection) -> None:
        if self._depth > 1:
            return
        if self._broken:
            raise RunError(f"a write to {self.folder} failed inside a transaction; nothing of it was kept.")
        connection.commit()
        if self._flusher is not None:
            self._flusher.dirty()

    def _undo(self, connection: Connection) -> None:
        connection.rollback()
        self._broken = self._depth > 1
        if not self._broken:
            for forget in self.on_rollback:
                forget()


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


@contextlib.contextmanager
def database_errors(folder: Path) -> Iterator[None]:
    """Translate the database's errors into RunError, saying what to do."""
    try:
        yield
    except OperationalError as error:
        raise RunError(
            f"the database of {folder} cannot be used: {_first_line(error)}.",
            hint="Is the disk full, the folder readable, the server up? The same command continues the run.",
        ) from error
    except DatabaseError as error:
        raise RunError(
            f"the database of {folder} is damaged: {_first_line(error)}.",
            hint=f"Keep a copy, then try `sqlite3 {FILE} .recover`; replies in cache/ are not lost.",
        ) from error


def is_postgres(url: str) -> bool:
    """Whether a database address means PostgreSQL."""
    return url.startswith(("postgresql", "postgres"))


def schema_of(name: str) -> str:
    """The PostgreSQL schema of a run's folder name: ``run_`` and the name's letters and digits."""
    return "run_" + (re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "unnamed")[:50]


def _first_line(error: DatabaseError) -> str:
    return (str(error.orig).strip().splitlines() or ["unknown reason"])[0].rstrip(".")


def _create_tables(engine: Engine) -> None:
    with engine.begin() as connection:
        tables.metadata.create_all(connection)
        if connection.execute(_VERSION).first() is None:
            connection.execute(tables.meta.insert().values(name="schema", value=str(tables.SCHEMA_VERSION)))


def _check_version(connection: Connection, folder: Path) -> None:
    found = connection.execute(_VERSION).first()
    connection.rollback()
    if found is not None and int(found.value) > tables.SCHEMA_VERSION:
        raise RunError(
            f"{folder} was written by a later version (tables {found.value}, known are {tables.SCHEMA_VERSION}).",
            hint="Use that version of Benchwright.",
        )


_VERSION = select(tables.meta.c.value).where(tables.meta.c.name == "schema")


def _engine(folder: Path, url: str, *, read_only: bool) -> Engine:
    if is_postgres(url):
        return _postgres(url, schema_of(folder.name), read_only=read_only)
    path = folder / FILE
    if read_only:
        return create_engine("sqlite://", creator=lambda: _connect_reading(path), poolclass=NullPool)
    engine = create_engine(f"sqlite:///{path}", connect_args={"check_same_thread": False, "timeout": 30})
    event.listen(engine, "connect", _writer_pragmas)
    return engine


def _writer_pragmas(connection: Any, _: Any) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "wal_autocheckpoint=16000", "temp_store=MEMORY"):
        connection.execute(f"PRAGMA {pragma}")


def _connect_reading(path: Path) -> sqlite3.Connection:
    """Read-only; as an immutable file where the folder cannot be written and so holds no shared memory file."""
    try:
        return _connect(path, "mode=ro")
    except sqlite3.OperationalError:
        if not path.is_file():
            raise
        log = path.with_name(path.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise RunError(
                f"{path.parent} was left by a killed session, and {log.name} cannot be read without writing beside it.",
                hint="Copy the folder to a place where you may write.",
            ) from None
        return _connect(path, "immutable=1")


def _connect(path: Path, query: str) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}?{query}"
    connection = sqlite3.connect(address, uri=True, timeout=30, check_same_thread=False)
    try:
        connection.execute("SELECT 1 FROM meta LIMIT 1").fetchall()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _postgres(url: str, schema: str, *, read_only: bool) -> Engine:
    address = re.sub(r"^postgres(ql)?://", "postgresql+psycopg://", url)
    reading = " -cdefault_transaction_read_only=on" if read_only else ""
    options = {"options": f"-csearch_path={schema} -csynchronous_commit=off{reading}"}
    try:
        engine = create_engine(address, connect_args=options)
    except (NoSuchModuleError, ImportError) as error:
        raise ConfigurationError(
            "a PostgreSQL database needs the driver psycopg.", hint='Install it: pip install "benchwright[postgres]".'
        ) from error
    except ArgumentError as error:
        raise ConfigurationError("the database address cannot be read.", hint="postgresql://user@host/name") from error
    if not read_only:
        with engine.begin() as connection:
            connection.execute(text(f'CREATE SCHEMA IF NOT EXISTS "{schema}"'))
    return engine
