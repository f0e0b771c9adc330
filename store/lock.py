"""One writer at a time: a lock beside the run that names its holder (pid, host, since, command).

The operating system frees the lock when its holder dies, however it dies; a stale `writer.json` is then overwritten.
Does not guard across machines that share a folder without working file locks; the PostgreSQL lock does (`database`).
"""

import json
import os
import socket
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from records.base import Record
from records.errors import RunError
from store.files import replacing

LOCK_FILE = "writer.lock"
HOLDER_FILE = "writer.json"
_PATIENCE_S = 0.2
"""Long enough for a process that only looks whether the lock is held."""


class Holder(Record):
    """Who writes a run."""

    pid: int
    host: str
    since: str
    """ISO time, UTC."""
    command: str = ""


def this_process(command: str = "") -> Holder:
    """The holder record of this process, now."""
    return Holder(pid=os.getpid(), host=socket.gethostname(), since=now(), command=command)


def now() -> str:
    """ISO time, UTC, to the millisecond: ``2026-11-29T23:18:42.120Z``."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class WriterLock:
    """The lock of one run folder. `acquire` raises RunError at once when another process holds it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = FileLock(folder / LOCK_FILE, thread_local=False)

    def acquire(self, command: str = "") -> None:
        """Take the lock or raise RunError that names the holder."""
        try:
            self._lock.acquire(timeout=_PATIENCE_S, poll_interval=0.02)
        except Timeout:
            raise RunError(refusal(self._folder, holder(self._folder)), hint=_HINT) from None
        except OSError as error:
            raise RunError(f"{self._folder} cannot be written: {error.strerror or error}.", hint=_READ_ONLY) from error
        with replacing(self._folder / HOLDER_FILE) as file:
            file.write(this_process(command).model_dump_json() + "\n")

    def release(self) -> None:
        """Give the lock back; harmless when it is not held."""
        if self._lock.is_locked:
            (self._folder / HOLDER_FILE).unlink(missing_ok=True)
            self._lock.release(force=True)


_READ_ONLY = "Take a folder of your own; reading it (graphs.audit) needs no right to write."
_HINT = "Wait for it or stop it; reading (graphs.audit, graphs.list, the report) is possible meanwhile."


def refusal(folder: Path, other: Holder | None) -> str:
    """The sentence that tells a second process who the first is."""
    if other is None:
        return f"{folder} is being written by another process."
    command = f": {other.command}" if other.command else ""
    return f"{folder} is being written by process {other.pid} on {other.host} since {other.since}{command}."


def holder(folder: Path) -> Holder | None:
    """Who last said to be the writer of a run; None if nobody did or the note cannot be read."""
    try:
        return Holder.model_validate(json.loads((folder / HOLDER_FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None


def is_held(folder: Path) -> bool:
    """Whether some process writes the run at this moment; False where the folder cannot be locked by us."""
    if not (folder / LOCK_FILE).exists():
        return False
    lock = FileLock(folder / LOCK_FILE, thread_local=False)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    except OSError:
        return False
    lock.release(force=True)
    return False
