"""A run: a folder that explains itself, resumes, and journals every call the moment it is known.

Example: ``runs/calder/`` holds run.yaml, run.sqlite, frames/<sha256>.jpg, cache/, and after the end items.jsonl,
rejected.jsonl, undecided.jsonl and report.html. One process writes; any number may read meanwhile.

    with Run.open_or_create(Path("runs/calder"), manifest) as run:
        run.put("draft", draft.slot, draft, group_id=draft.group_id)
"""

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from pydantic import BaseModel, TypeAdapter, ValidationError
from sqlalchemy import Connection, Select, select, update

from records.base import Record
from records.calls import CallRecord
from records.config import Panel
from records.errors import BenchwrightError, RunError, RunStopped
from store import tables
from store.database import Database, is_postgres
from store.journal import Journal
from store.lock import Holder, WriterLock, now, refusal, this_process
from store.manifest import FILE as MANIFEST_FILE
from store.manifest import RunManifest, described, differences, masked_words, read_manifest, write_manifest
from store.shelf import Shelf, Stored

T = TypeVar("T")
INTERRUPTED = "interrupted"
"""The note of a session that the user ended with Ctrl-C."""


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
    """The configuration of this session: another panel than the run's for a later judgement set."""


class Run:
    """One run folder, open for reading or for writing. Implements `records.calls.Sink`.

    Every write is durable against ``kill -9`` when the method returns; a power cut may lose about the last second.
    Methods may be called from any thread; each holds the database for well under a millisecond.

    Kinds that reports read: ``group`` and ``evidence`` (key: group id), ``draft`` (key: slot), ``question`` (key:
    question id; for questions that were not drafted here), ``item`` (key: item id, with a set name), ``panel`` (key
    and set name: the judgement set).
    """

    def __init__(self, folder: Path, manifest: RunManifest, database: Database, lock: WriterLock | None) -> None:
        """Use `create`, `open` or `open_or_create`."""
        self.folder = folder
        self.manifest = manifest
        self._database = database
        self._lock = lock
        self._shelf = Shelf(database)
        self._ended = False
        self._journal = Journal(database)

    # Opening

    @classmethod
    def create(cls, folder: Path, manifest: RunManifest, *, database_url: str = "", command: str = "") -> Self:
        """Begin a new run and hold its lock. Raises RunError if the folder already holds a run or is locked."""
        folder = Path(folder)
        _make_folder(folder)
        with _locked(folder, command or " ".join(manifest.command)) as lock:
            if (folder / MANIFEST_FILE).exists():
                raise RunError(
                    f"{folder} already holds a run.", hint="Resume it with the same settings, or name another."
                )
            kept = described(manifest, database_url)
            database = Database.open(folder, database_url, read_only=False)
            write_manifest(folder, kept)
            return cls._begin(folder, kept, kept, database, lock, command)

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

        `manifest` describes a writing session (another panel over the same drafts) and is not compared.
        Raises RunError for a folder without a run, a damaged one, or one that another process writes.
        """
        folder = Path(folder)
        kept = read_manifest(folder)
        _check_address(folder, kept, database_url)
        if not write:
            return cls(folder, kept, Database.open(folder, database_url, read_only=True), None)
        now_used = described(manifest or kept, database_url)
        with _locked(folder, command or " ".join(now_used.command)) as lock:
            database = Database.open(folder, database_url, read_only=False)
            return cls._begin(folder, kept, now_used, database, lock, command)

    @classmethod
    def open_or_create(cls, folder: Path, manifest: RunManifest, *, database_url: str = "", command: str = "") -> Self:
        """Resume a run of equal configuration, or begin it; one that asked and kept nothing yet takes new settings.

        Raises RunError that lists the settings that differ.
        """
        folder = Path(folder)
        if not (folder / MANIFEST_FILE).exists():
            return cls.create(folder, manifest, database_url=database_url, command=command)
        differing = differences(read_manifest(folder), manifest)
        if differing:
            fresh = cls._replaced(folder, manifest, database_url, command)
            if fresh is not None:
                return fresh
            raise RunError(
                f"{folder} was begun with other settings: {'; '.join(differing)}.",
                hint="Repeat the first command, or give this one a run folder of its own with --run. "
                "For another panel over the same drafts use graphs.judge.",
            )
        return cls.open(folder, write=True, database_url=database_url, command=command, manifest=manifest)

    @classmethod
    def _replaced(cls, folder: Path, manifest: RunManifest, database_url: str, command: str) -> Self | None:
        """The run with new settings, if it holds nothing that rests on the old ones (its preflight failed, say)."""
        _check_address(folder, read_manifest(folder), database_url)
        kept = described(manifest, database_url)
        with _locked(folder, command or " ".join(manifest.command)) as lock:
            database = Database.open(folder, database_url, read_only=False)
            if _holds_work(database):
                database.close()
                lock.release()
                return None
            write_manifest(folder, kept)
            return cls._begin(folder, kept, kept, database, lock, command)

    @classmethod
    def _begin(
        cls, folder: Path, kept: RunManifest, used: RunManifest, database: Database, lock: WriterLock, command: str
    ) -> Self:
        try:
            run = cls(folder, kept, database, lock)
            if not database.lock_server():
                raise RunError(refusal(folder, run._last_writer()), hint="Wait for it or stop it; reading works.")
            run._begin_session(used, command)
            for place in (run.frames_dir, run.cache_dir):
                place.mkdir(exist_ok=True)
        except BaseException:
            database.close()
            raise
        return run

    def _begin_session(self, manifest: RunManifest, command: str) -> None:
        me = this_process(" ".join(masked_words(command.split())) or " ".join(manifest.command))
        row = {"started": me.since, "pid": me.pid, "host": me.host, "command": me.command}
        with self._database.transaction() as connection:
            result = connection.execute(tables.sessions.insert().values(manifest=manifest.model_dump_json(), **row))
            self._journal.session = int(cast(Any, result.inserted_primary_key)[0])

    def _last_writer(self) -> Holder | None:
        sessions = self.sessions()
        if not sessions:
            return None
        last = sessions[-1]
        return Holder(pid=last.pid, host=last.host, since=last.started, command=last.command)

    # Ending

    def end(self, exit_code: int, note: str = "") -> None:
        """Say how this session ends (0 done, 1 error, 2 undecided items are left); `note` is one line."""
        self._ended = True
        values = {"ended": now(), "exit_code": exit_code, "note": note}
        with self._database.transaction() as connection:
            connection.execute(
                update(tables.sessions).where(tables.sessions.c.id == self._journal.session).values(**values)
            )

    def close(self) -> None:
        """Close the database and give the lock back. May be called twice."""
        self._database.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self.writable and not self._ended and not self._database.closed:
            with contextlib.suppress(RunError):
                self.end(0 if error is None else 1, "" if error is None else _end_note(error))
        self.close()

    # Places

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name

    @property
    def writable(self) -> bool:
        """Whether this process holds the run's lock."""
        return self._lock is not None

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
        return self._shelf.put(kind, key, record, group_id=group_id, set_name=set_name)

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
        return cast("T | None", self._shelf.get(kind, key, type, set_name=set_name, group_id=group_id))

    def all(
        self,
        kind: str,
        type: "type[T] | TypeAdapter[T]",  # noqa: A002
        *,
        group_id: str | None = None,
        set_name: str | None = None,
    ) -> tuple[T, ...]:
        """The latest revisions of a kind, sorted by set, group and key; None for a filter means any."""
        return self._shelf.all(kind, type, group_id=group_id, set_name=set_name)

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
        return self._shelf.history(kind, key, type, set_name=set_name, group_id=group_id)

    def index(self, kind: str | None = None, *, set_name: str | None = None) -> tuple[Stored, ...]:
        """What is kept, without reading the content: fast for thousands of records."""
        return self._shelf.index(kind, set_name)

    def sets(self) -> tuple[str, ...]:
        """Names of the judgement sets that have items, in the order in which they began."""
        return self._shelf.sets()

    def panel(self, set_name: str) -> Panel | None:
        """The panel of a judgement set: its own record, or for the first set the run's; None where unknown."""
        own = self.get("panel", set_name, Panel, set_name=set_name)
        first = set_name == self.manifest.judgement_set or self.sets()[:1] == (set_name,)
        return own or (self.manifest.panel if first else None)

    def sessions(self) -> tuple[Session, ...]:
        """Every time a command wrote this run, oldest first. Raises RunError where they cannot be read."""
        with self._database.reading() as connection:
            rows = connection.execute(tables.sessions.select().order_by(tables.sessions.c.id)).all()
        try:
            return tuple(_session(dict(row._mapping)) for row in rows)
        except ValidationError as error:
            raise RunError(
                f"the sessions of {self.folder} cannot be read: {str(error).splitlines()[0]}.",
                hint="They were written by another version; the exports and the records are not touched by this.",
            ) from error

    def transaction(self) -> contextlib.AbstractContextManager[Connection]:
        """Several writes that are kept together or not at all, faster than one by one. Never await inside."""
        return self._database.transaction()

    def reading(self) -> contextlib.AbstractContextManager[Connection]:
        """A connection for questions in SQLAlchemy, as `store.ledger` asks them. Never await inside."""
        return self._database.reading()

    def rows(self, query: Select[Any]) -> list[tuple[Any, ...]]:
        """Plain tuples of a SQLAlchemy query, for whole tables."""
        return self._database.rows(query)

    # The gateway's sink

    def finished(self, record: CallRecord) -> None:
        """Journal a finished call; the same (request_id, asked) is not doubled."""
        self._journal.finished(record)

    def cache_hit(self, record: CallRecord) -> None:
        """Count a reply that came from the cache; journals the record if a kill kept it from the journal."""
        self._journal.cache_hit(record)

    def failure_of(self, request_id: str) -> CallRecord | None:
        """The last journalled outcome of a request if it was not ok, else None."""
        return self._journal.failure_of(request_id)

    def spent_usd(self) -> float:
        """Everything this run has paid so far, over all its sessions."""
        return self._journal.spent_usd()

    # Traces

    def trace(self, request_id: str) -> tuple[CallRecord, ...]:
        """Every time a request was asked, oldest first: rendered prompt, raw reply, retries, cost."""
        return self._journal.calls(request_ids=(request_id,))

    def calls(
        self,
        *,
        request_ids: tuple[str, ...] | None = None,
        item_id: str | None = None,
        group_id: str | None = None,
        task: str | None = None,
        model: str | None = None,
        outcome: str | None = None,
    ) -> tuple[CallRecord, ...]:
        """Full traces of the calls that match every given filter, in the order of the journal."""
        equal = {"item_id": item_id, "group_id": group_id, "task": task, "model": model, "outcome": outcome}
        return self._journal.calls(request_ids=request_ids, **equal)

    def replies(self, *, task: str | None = None, request_id: str | None = None) -> dict[str, tuple[str, str]]:
        """Request id → (validated reply as JSON, reasoning) of its last asking, without the prompts."""
        return self._journal.replies(task=task, request_id=request_id)


def _end_note(error: BaseException) -> str:
    """How a session ended early, in one line: in the words of our own errors, else with the error's class."""
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    words = " ".join(str(error).split())
    if isinstance(error, RunStopped):
        return f"stopped: {words}"
    return words if isinstance(error, BenchwrightError) else f"{type(error).__name__}: {words}"


@contextlib.contextmanager
def _locked(folder: Path, command: str) -> Iterator[WriterLock]:
    """The folder's lock, kept when the block returns and given back when it raises."""
    lock = WriterLock(folder)
    lock.acquire(" ".join(masked_words(command.split())))
    try:
        yield lock
    except BaseException:
        lock.release()
        raise


def _holds_work(database: Database) -> bool:
    """Whether a run holds a record, or a call other than those that tried out its models."""
    work = (
        select(tables.records.c.id).where(tables.records.c.kind != "note"),
        select(tables.calls.c.id).where(tables.calls.c.task != "preflight"),
    )
    with database.reading() as connection:
        return any(connection.execute(query.limit(1)).first() is not None for query in work)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"{folder} cannot be made: {error.strerror}.", hint="Name another run folder.") from error


def _check_address(folder: Path, kept: RunManifest, url: str) -> None:
    if (kept.database != "sqlite") == is_postgres(url):
        return
    if kept.database == "sqlite":
        raise RunError(f"{folder} keeps its records in a file of its own.", hint="Leave the database address out.")
    raise RunError(
        f"{folder} keeps its records in {kept.database}.",
        hint="Give that database's address, with its password, to this command too.",
    )


def _session(row: Mapping[str, Any]) -> Session:
    values = {name: row[name] for name in ("started", "ended", "exit_code", "note", "command", "pid", "host")}
    return Session(number=row["id"], manifest=RunManifest.model_validate_json(row["manifest"]), **values)


__all__ = ["Run", "RunManifest", "Session", "Stored"]
