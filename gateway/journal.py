"""Durable before it is told: every finished call goes to the cache (ok only), then to the sink, then to the caller.

Calls that finish together are written together. The cache holds the whole record but the rendered messages, which the
same request renders again; a kill between the two writes is healed by `Sink.cache_hit` when the run goes on.
"""

import asyncio
import contextlib
import sqlite3
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from records.calls import CallRecord, Sink
from records.errors import RunError

_NEVER_FULL = 2**50


class ReplyCache:
    """Finished ok calls by request id, in a diskcache without pickles and without eviction."""

    def __init__(self, folder: Path) -> None:
        import diskcache

        self._folder = folder
        with self._errors():
            self._cache: Any = diskcache.Cache(
                str(folder), disk=diskcache.JSONDisk, eviction_policy="none", cull_limit=0, size_limit=_NEVER_FULL
            )

    def get(self, request_id: str, messages: tuple[dict[str, Any], ...]) -> CallRecord | None:
        """The stored record with its messages put back, or None."""
        with self._errors():
            stored = self._cache.get(request_id)
        if stored is None:
            return None
        return CallRecord.model_validate_json(stored).model_copy(update={"messages": messages})

    def put(self, record: CallRecord) -> None:
        """Keep an ok record; durable against a kill when this returns."""
        with self._errors():
            bare = record.model_copy(update={"messages": ()})
            self._cache.set(record.request_id, bare.model_dump_json())

    def together(self) -> AbstractContextManager[Any]:
        """Several puts in one transaction."""
        return self._cache.transact()  # type: ignore[no-any-return]

    def close(self) -> None:
        """Close the files."""
        self._cache.close()

    def _errors(self) -> AbstractContextManager[None]:
        return _damaged(self._folder)


@contextlib.contextmanager
def _damaged(folder: Path) -> Any:
    try:
        yield
    except (sqlite3.DatabaseError, OSError) as error:
        raise RunError(
            f"the reply cache {folder} cannot be used: {error}.",
            hint="Free disk space, or delete that folder: replies that the journal holds are then asked again.",
        ) from error


class Journal:
    """Writes finished calls in batches of whatever finished in the same moment."""

    def __init__(self, cache: ReplyCache, sink: Sink) -> None:
        self._cache = cache
        self._sink = sink
        self._pending: list[tuple[CallRecord, bool, asyncio.Future[None]]] = []

    async def write(self, record: CallRecord, *, keep: bool) -> None:
        """Return once the record is durable. `keep`: it may answer later requests from the cache."""
        loop = asyncio.get_running_loop()
        written: asyncio.Future[None] = loop.create_future()
        if not self._pending:
            loop.call_soon(self._flush)
        self._pending.append((record, keep, written))
        await asyncio.shield(written)

    def _flush(self) -> None:
        batch, self._pending = self._pending, []
        try:
            self._write(batch)
        except Exception as error:
            for _, _, written in batch:
                written.set_exception(error)
                written.exception()
            return
        for _, _, written in batch:
            written.set_result(None)

    def _write(self, batch: list[tuple[CallRecord, bool, asyncio.Future[None]]]) -> None:
        kept = [record for record, keep, _ in batch if keep]
        with self._cache.together() if len(kept) > 1 else contextlib.nullcontext():
            for record in kept:
                self._cache.put(record)
        with self._sink_together() if len(batch) > 1 else contextlib.nullcontext():
            for record, _, _ in batch:
                self._sink.finished(record)

    def _sink_together(self) -> AbstractContextManager[Any]:
        """The sink's own `transaction`, if it has one."""
        together = getattr(self._sink, "transaction", None)
        return together() if together is not None else contextlib.nullcontext()
