"""The gateway itself: `ask` turns a Request into a Reply or a CallFailure, and nothing is lost on the way.

    async with Gateway(run, run.cache_dir, run.image, budget_usd=5.0) as gateway:
        outcome = await gateway.ask(request)

Equal requests share one call. What is finished is durable before the caller hears of it.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from pydantic import BaseModel

from gateway import mending
from gateway.budget import Budget, BudgetSpent
from gateway.call import Call, bookkeeping, failure_of, reply_of
from gateway.events import Event
from gateway.exchange import Exchanger, Timing
from gateway.images import ImageStore
from gateway.journal import Journal, ReplyCache
from gateway.leaders import Leaders
from gateway.limits import CircuitOpen
from gateway.litellm_setup import supports_schema
from gateway.litellm_transport import LiteLLMTransport, expanded
from gateway.preflight import Need, PreflightReport, probe_image, run_preflight
from gateway.proxy_transport import ProxyTransport
from gateway.reading import Reading, Unreadable, read
from gateway.redact import Redactor
from gateway.stops import (
    budget_stop,
    call_limit_stop,
    circuit_stop,
    misconfigured_stop,
    no_transport_stop,
)
from gateway.transports import Completion, ExchangeFailed, Transport
from records.calls import CallFailure, CallRecord, Reply, Request, Sink
from records.config import ModelSpec
from records.errors import RunStopped
from records.verdicts import CallOutcome

_BAD_REQUESTS = 5
"""So many bad requests in a row, with no success between, mean a model that is set up wrongly."""


class Landed(NamedTuple):
    """A finished call: its record, and its value where there is one."""

    record: CallRecord
    value: BaseModel | None


class Gateway:
    """Asks models. Use as an async context manager; leaving it waits for the calls in flight and journals them.

    `images` gives an image's bytes by its hash. `transports` adds to or replaces ``litellm``, ``proxy`` and
    ``offline`` (which is missing unless given). `budget_usd` counts what the sink has spent before. `retry_outcomes`
    limits `retry_failed` to failures of these kinds.
    """

    def __init__(
        self,
        sink: Sink,
        cache_dir: Path,
        images: Callable[[str], bytes],
        *,
        transports: Mapping[str, Transport] | None = None,
        budget_usd: float | None = None,
        retry_failed: bool = False,
        retry_outcomes: frozenset[CallOutcome] | None = None,
        max_asks: int = 3,
        max_calls: int | None = None,
        on_event: Callable[[Event], None] | None = None,
        timing: Timing | None = None,
    ) -> None:
        self._sink = sink
        self._timing = timing or Timing()
        self._transports: dict[str, Transport] = {"litellm": LiteLLMTransport(), "proxy": ProxyTransport()}
        self._transports |= transports or {}
        self._retry_failed = retry_failed
        self._retry_outcomes = retry_outcomes
        self._max_asks = max_asks
        self._calls_left = max_calls
        self._redactor = Redactor()
        self._budget = Budget(budget_usd, sink.spent_usd())
        self._cache = ReplyCache(cache_dir)
        self._journal = Journal(self._cache, sink)
        self._exchanger = Exchanger(
            self._transports, ImageStore(_with_probe(images)), self._budget, self._redactor, self._timing,
            on_event or (lambda event: None),
        )  # fmt: skip
        self._leaders = Leaders()
        self._flights: dict[str, asyncio.Task[Landed]] = {}
        self._calls: dict[str, Call] = {}
        self._failed_here: set[str] = set()
        self._bad_requests: dict[str, int] = {}
        self._stop: RunStopped | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let exchanges in flight end, at most `Timing.drain_s`, and close the cache and the connections.

        A call that only waits (for its turn, or to try again) is given up: the next session asks it.
        """
        deadline = asyncio.get_running_loop().time() + self._timing.drain_s
        try:
            while self._flights:
                for name, flight in tuple(self._flights.items()):
                    if not self._calls[name].sending or asyncio.get_running_loop().time() > deadline:
                        flight.cancel()
                await asyncio.wait(self._flights.values(), timeout=0.05)
        finally:
            self._cache.close()
            for transport in self._transports.values():
                closing = getattr(transport, "close", None)
                if closing is not None:
                    await closing()

    @property
    def spent_usd(self) -> float:
        """What the run has paid, over all its sessions."""
        return self._budget.spent_usd

    @property
    def stopped(self) -> RunStopped | None:
        """Why the run has to end, once it has to."""
        return self._stop

    async def ask(self, request: Request) -> Reply | CallFailure:
        """Ask once, or find that it was asked before.

        Raises RunStopped where the run has to end (budget, lasting rate limit, wrong setup); every other failure is a
        value. RunError comes through if the run folder itself cannot be written.
        """
        if self._stop:
            raise _again(self._stop)
        await self._prepare(request.model)
        call = Call.prepared(request, native_schema=self._native_schema(request.model))
        flight = self._flights.get(call.id)
        if flight is not None:
            landed = await asyncio.shield(flight)
            return reply_of(landed.record, request, landed.value, paid=False)
        known = self._known(call)
        if known is not None:
            return known
        landed = await asyncio.shield(self._launched(call))
        return reply_of(landed.record, request, landed.value, paid=True)

    async def preflight(self, needs: Sequence[Need], *, probe: bool = True) -> PreflightReport:
        """Check all that can be known before the first paid call, then ask each model one small question.

        Raises ConfigurationError that lists every problem with what to do. `probe=False` sends nothing.
        """
        return await run_preflight(
            needs, self._transports, budgeted=self._budget.limit_usd is not None, ask=self._probe if probe else None
        )

    async def _prepare(self, spec: ModelSpec) -> None:
        try:
            await self._exchanger.prepare(spec)
        except KeyError:
            raise self._halt(no_transport_stop(spec)) from None

    # What is known already

    def _known(self, call: Call) -> Reply | CallFailure | None:
        record = self._cache.get(call.id, call.rendered.messages)
        if record is not None:
            record = record.model_copy(update=bookkeeping(call.request))
            self._sink.cache_hit(record)
            self._exchanger.tell("cached", call)
            return reply_of(record, call.request, None, paid=False)
        failure = self._sink.failure_of(call.id)
        if failure is None:
            return None
        if self._asked_enough(failure):
            self._exchanger.tell("journalled", call, outcome=failure.outcome)
            return failure_of(failure, journalled=True)
        call.asked = max(failure.asked, 0) + 1
        return None

    def _asked_enough(self, failure: CallRecord) -> bool:
        """Whether an earlier failure stands. One that was given up before it was finished (asked < 1) never does."""
        if failure.asked < 1:
            return False
        if self._retry_outcomes is not None and failure.outcome not in self._retry_outcomes:
            return True
        return not self._retry_failed or failure.request_id in self._failed_here or failure.asked >= self._max_asks

    def _native_schema(self, spec: ModelSpec) -> bool:
        if spec.is_offline or spec.json_mode == "schema":
            return True
        if spec.json_mode == "prompt":
            return False
        return spec.transport == "proxy" or supports_schema(spec.model, expanded(spec.api_base))

    # Calls in flight

    def _launched(self, call: Call) -> asyncio.Task[Landed]:
        if self._calls_left is not None:
            if self._calls_left <= 0:
                raise self._halt(call_limit_stop())
            self._calls_left -= 1
        flight = asyncio.create_task(self._fly(call), name=f"call {call.id}")
        self._flights[call.id] = flight
        self._calls[call.id] = call
        flight.add_done_callback(lambda done: self._land(call.id, done))
        return flight

    def _land(self, request_id: str, done: asyncio.Task[Landed]) -> None:
        self._flights.pop(request_id, None)
        self._calls.pop(request_id, None)
        if not done.cancelled():
            done.exception()

    async def _fly(self, call: Call) -> Landed:
        self._exchanger.tell("started", call)
        try:
            landed = await self._outcome(call)
        except asyncio.CancelledError:
            why = str(self._stop) if self._stop else "given up when the session ended"
            await self._give_up(call, call.attempts[-1].outcome if call.attempts else "unavailable", why)
            if self._stop is None:
                raise
            raise _again(self._stop) from None
        call.sending = True
        await self._journal.write(landed.record, keep=landed.record.outcome == "ok")
        if landed.record.outcome != "ok":
            self._failed_here.add(call.id)
        self._exchanger.tell("finished", call, outcome=landed.record.outcome, cost_usd=landed.record.cost_usd)
        return landed

    async def _outcome(self, call: Call) -> Landed:
        """The call's record, ok or not. Raises RunStopped where the run has to end."""
        spec = call.request.model
        try:
            reading = await self._conversation(call)
        except BudgetSpent:
            stop = budget_stop(self._budget.limit_usd or 0.0, self._budget.spent_usd)
            await self._give_up(call, call.attempts[-1].outcome if call.attempts else "unavailable", stop.message)
            raise self._halt(stop) from None
        except CircuitOpen as circuit:
            stop = circuit_stop(spec, self._redactor.clean(circuit.message))
            await self._give_up(call, "rate-limited", circuit.message)
            raise self._halt(stop) from None
        except ExchangeFailed as failed:
            if failed.stops or self._too_many_bad_requests(spec, failed):
                await self._give_up(call, failed.outcome, failed.message)
                raise self._halt(
                    misconfigured_stop(spec, failed.status, self._redactor.clean(failed.message))
                ) from None
            return Landed(self._record(call, failed.outcome, failed.message), None)
        except Unreadable as unread:
            return Landed(self._record(call, unread.outcome, unread.message), None)
        self._bad_requests.pop(spec.name, None)
        return Landed(self._record(call, "ok", reading=reading), reading.value)

    async def _conversation(self, call: Call) -> Reading:
        """From the first exchange to a reply that validates."""
        request = call.request
        self._exchanger.refuse_unfit(call)
        messages = self._exchanger.messages(call)
        async with self._leaders.order(self._prefix(call)) as turn:
            try:
                if request.repair == "instructor":
                    return await self._mended(call, messages, None)
                first = await self._exchanger.exchange(call, messages)
                turn.served = True
                try:
                    return self._read(call, first.text)
                except Unreadable as unread:
                    if not unread.mendable or request.repair == "none":
                        raise
                return await self._mended(call, messages, first)
            finally:
                turn.served = turn.served or call.served

    async def _mended(self, call: Call, messages: list[dict[str, object]], first: Completion | None) -> Reading:
        def reader(text: str) -> Reading:
            return self._read(call, text)

        async def send(more: list[dict[str, object]]) -> Completion:
            return await self._exchanger.exchange(call, more)

        reading = await mending.converse(call.request, messages, send, reader, first)
        mends = len([attempt for attempt in call.attempts if attempt.outcome == "unparsed"])
        if not mends:
            return reading
        note = f"mended after {mends} unreadable {'reply' if mends == 1 else 'replies'}"
        return Reading(reading.value, (note, *reading.repairs), reading.reasoning)

    def _read(self, call: Call, text: str) -> Reading:
        try:
            return read(call.request, text, escaped=call.rendered.escaped)
        except Unreadable as unread:
            call.unread(unread, self._redactor)
            raise

    def _prefix(self, call: Call) -> str:
        spec = call.request.model
        if spec.is_offline or not spec.prefix_cache or not call.rendered.shared:
            return ""
        return f"{spec.model}@{spec.api_base}/{call.rendered.prefix}"

    def _record(
        self, call: Call, outcome: CallOutcome, message: str = "", *, reading: Reading | None = None
    ) -> CallRecord:
        spec = call.request.model
        transport = "offline" if spec.is_offline else spec.transport
        return call.record(outcome, self._redactor, transport, message=message, reading=reading)

    # Stopping

    def _halt(self, stop: RunStopped) -> RunStopped:
        """End the run: no call begins any more, calls that wait give up, calls that are with a provider go on."""
        if self._stop is None:
            self._stop = stop
            current = asyncio.current_task()
            for name, flight in self._flights.items():
                if flight is not current and not self._calls[name].sending:
                    flight.cancel()
        return _again(self._stop)

    async def _give_up(self, call: Call, outcome: CallOutcome, message: str) -> None:
        """Journal what a call that the run's end cuts short has cost so far. It does not count as asked."""
        if call.attempts:
            earlier = self._sink.failure_of(call.id)
            call.asked = min(0, earlier.asked if earlier else 1) - 1
            outcome = "unavailable" if outcome == "ok" else outcome
            call.sending = True
            await self._journal.write(self._record(call, outcome, message), keep=False)

    def _too_many_bad_requests(self, spec: ModelSpec, failed: ExchangeFailed) -> bool:
        if failed.outcome != "misconfigured" or failed.status is None:
            return False
        self._bad_requests[spec.name] = self._bad_requests.get(spec.name, 0) + 1
        return self._bad_requests[spec.name] >= _BAD_REQUESTS

    async def _probe(self, request: Request) -> CallRecord:
        """Preflight's small call: paid and journalled like any other, but it stops nothing and is never reused."""
        await self._prepare(request.model)
        call = Call.prepared(request, native_schema=self._native_schema(request.model))
        try:
            reading = await self._conversation(call)
            record = self._record(call, "ok", reading=reading)
        except (ExchangeFailed, Unreadable) as failed:
            record = self._record(call, failed.outcome, failed.message)
        except CircuitOpen as circuit:
            record = self._record(call, "rate-limited", circuit.message)
        except BudgetSpent:
            record = self._record(call, "rate-limited", "the budget leaves no room for a test call")
        if call.attempts:
            await self._journal.write(record, keep=False)
        return record


def _again(stop: RunStopped) -> RunStopped:
    """The same stop for another caller; an exception that is raised many times gathers tracebacks."""
    return RunStopped(stop.reason, stop.message, hint=stop.hint)


def _with_probe(images: Callable[[str], bytes]) -> Callable[[str], bytes]:
    """The run's images, and the one that preflight shows."""
    name, data = probe_image()
    return lambda sha256: data if sha256 == name else images(sha256)
