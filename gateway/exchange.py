"""Exchanges with models: limits before, retries around, money and a trace after each one.

`Exchanger` owns the lines (one a model and address), the providers behind them and the budget. What can heal is
retried by tenacity; what cannot is raised as it is.
"""

import asyncio
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from gateway.budget import Budget
from gateway.call import Call, attempt_of, now
from gateway.estimate import estimate
from gateway.events import Event, EventKind
from gateway.identity import line_key
from gateway.images import ImageStore, ImageUnreadable
from gateway.limits import Line, Provider
from gateway.litellm_transport import expanded, key_of
from gateway.outcomes import outcome_of_finish
from gateway.pricing import cost_usd
from gateway.redact import Redactor
from gateway.render import wire
from gateway.transports import Completion, Exchange, ExchangeFailed, Transport
from records.calls import Attempt
from records.config import ModelSpec

_GRACE_S = 5.0
_BUSY_A_RETRY = 10
_UNREACHED = frozenset(("rate-limited", "unavailable"))
"""Failures after which it is open whether the provider would have answered. All others show that it is there."""


@dataclass(frozen=True)
class Timing:
    """How long the gateway waits for what, in seconds."""

    backoff_s: float = 0.5
    """Before the first retry of a failed exchange; doubles each time, up to `longest_backoff_s`."""
    longest_backoff_s: float = 30.0
    first_pause_s: float = 2.0
    """A provider's first pause after a 429 without Retry-After; doubles each time, up to a minute."""
    lasting_s: float = 120.0
    """A provider that refuses everything for so long, over several pauses, has a limit that lasts: the run ends."""
    patience_s: float = 600.0
    """A provider that asks for a longer pause has a limit that lasts: the run ends."""
    minute_s: float = 60.0
    """What a minute is to the limits a minute."""
    drain_s: float = 60.0
    """How long leaving the gateway waits for calls in flight."""


class Exchanger:
    """Sends exchanges. Raises ExchangeFailed, BudgetSpent or CircuitOpen."""

    def __init__(
        self,
        transports: Mapping[str, Transport],
        images: ImageStore,
        budget: Budget,
        redactor: Redactor,
        timing: Timing,
        tell: Callable[[Event], None],
    ) -> None:
        self._transports = transports
        self._images = images
        self._budget = budget
        self._redactor = redactor
        self._timing = timing
        self._tell = tell
        self._lines: dict[tuple[str, str, str], Line] = {}
        self._providers: dict[str, Provider] = {}

    def line(self, spec: ModelSpec) -> Line:
        """The line of a model, opened on first use."""
        key = line_key(spec)
        if key not in self._lines:
            self._redactor.add(key_of(spec) or "")
            name = provider_name(spec)
            if name not in self._providers:
                timing = self._timing
                self._providers[name] = Provider(
                    name, first_pause_s=timing.first_pause_s, lasting_s=timing.lasting_s, patience_s=timing.patience_s
                )
            self._lines[key] = Line(spec, self._providers[name], self._timing.minute_s)
        return self._lines[key]

    def messages(self, call: Call) -> list[dict[str, Any]]:
        """A call's messages for the wire. Raises ExchangeFailed if an image cannot be read."""
        try:
            return wire(call.rendered.messages, self._images.data_url)
        except ImageUnreadable as error:
            raise ExchangeFailed("misconfigured", str(error)) from error

    def refuse_unfit(self, call: Call) -> None:
        """Raise ExchangeFailed for a request that the model cannot take, before anything is sent."""
        spec = call.request.model
        if call.rendered.images and not spec.images:
            raise ExchangeFailed("too-many-images", f"{call.rendered.images} images, and {spec.name} takes none")
        if spec.max_images is not None and call.rendered.images > spec.max_images:
            raise ExchangeFailed(
                "too-many-images",
                f"{call.rendered.images} images, and {spec.name} takes {spec.max_images} (max_images)",
            )
        if spec.context_tokens is not None:
            needed = estimate(call.request).prompt_tokens
            if needed > spec.context_tokens:
                raise ExchangeFailed(
                    "context-too-long",
                    f"about {needed} prompt tokens, and {spec.name} takes {spec.context_tokens} (context_tokens)",
                )

    async def prepare(self, spec: ModelSpec) -> None:
        """Let the transport get ready for a model, once. Raises KeyError where there is no such transport."""
        line = self.line(spec)
        if line.prepared:
            return
        async with line.preparing:
            prepare = getattr(self._transport(spec), "prepare", None)
            if prepare is not None and not line.prepared:
                await prepare(spec)
            line.prepared = True

    def _transport(self, spec: ModelSpec) -> Transport:
        return self._transports["offline" if spec.is_offline else spec.transport]

    async def exchange(self, call: Call, messages: list[dict[str, Any]]) -> Completion:
        """One exchange and its retries.

        A 429 counts a tenth of a retry: the provider's pause and its circuit decide how long to go on, so that one
        busy minute does not use up the retries of every call.
        """
        before = len(call.attempts)
        try:
            return await self._once(call, messages)
        except ExchangeFailed as failed:
            if not failed.can_heal:
                raise
            return await self._again(call, messages, failed, before)

    async def _again(
        self, call: Call, messages: list[dict[str, Any]], failed: ExchangeFailed, before: int
    ) -> Completion:
        """Retry what failed. tenacity meets the failure as that of its own first try."""
        provider = self.line(call.request.model).provider
        retries = 0 if provider.failing else call.request.model.retries
        first = [failed]

        async def attempt() -> Completion:
            if first:
                raise first.pop()
            return await self._once(call, messages)

        retrying = AsyncRetrying(
            stop=lambda _: _used_up(call.attempts[before:], retries),
            wait=self._wait,
            retry=retry_if_exception(lambda error: isinstance(error, ExchangeFailed) and error.can_heal),
            before_sleep=lambda state: self._tell_retry(call, state),
            reraise=True,
        )
        try:
            return await retrying(attempt)
        except ExchangeFailed as last:
            if last.outcome == "unavailable" and last.can_heal:
                provider.given_up()
            raise

    def _wait(self, state: RetryCallState) -> float:
        """No wait of its own where the provider's pause governs; else exponential with jitter."""
        failed = state.outcome.exception() if state.outcome else None
        if isinstance(failed, ExchangeFailed) and (
            failed.outcome == "rate-limited" or failed.retry_after_s is not None
        ):
            return 0.0
        backoff = self._timing.backoff_s * 2 ** (state.attempt_number - 1)
        return float(min(self._timing.longest_backoff_s, backoff) * random.uniform(0.5, 1.0))

    async def _once(self, call: Call, messages: list[dict[str, Any]]) -> Completion:
        """Wait for a place on the line, send, and take in how it went."""
        line = self.line(call.request.model)
        tokens, most_usd = self._guessed(call, line)
        arrived = time.monotonic()
        async with line.place(tokens) as entry:
            completion, failed = await self._paid(call, messages, most_usd, arrived)
            if completion:
                line.correct(entry, completion.usage.prompt_tokens + completion.usage.completion_tokens)
        if failed and failed.outcome in _UNREACHED:
            self._took_in(call, line, failed)
        else:
            line.provider.answered()
            line.gate.grow()
        if failed or completion is None:
            raise failed or ExchangeFailed("unavailable", "no completion")
        return completion

    async def _paid(
        self, call: Call, messages: list[dict[str, Any]], most_usd: float, arrived: float
    ) -> tuple[Completion | None, ExchangeFailed | None]:
        """Send within the budget and write the exchange down, whatever became of it."""
        reserved = await self._budget.reserve(most_usd)
        started, sent, cost = now(), time.monotonic(), 0.0
        completion, failed = None, None
        call.sending = True
        try:
            completion = await self._sent(call, messages)
            cost = cost_usd(call.request.model, completion.usage)
            failed = _unfinished(completion)
        except ExchangeFailed as error:
            failed = error
        finally:
            call.sending = False
            self._budget.settle(reserved, cost)
        call.last = completion or call.last
        attempt = attempt_of(
            started=started, latency_s=time.monotonic() - sent, waited_s=sent - arrived, cost_usd=cost, failed=failed,
            completion=completion, redactor=self._redactor,
        )  # fmt: skip
        call.attempts.append(attempt)
        return completion, failed

    def _guessed(self, call: Call, line: Line) -> tuple[int, float]:
        """(tokens, most US dollars) of one exchange, worked out only where a limit asks for it."""
        if not line.counts_tokens and self._budget.limit_usd is None:
            return 0, 0.0
        guess = estimate(call.request)
        if guess.cost_high_usd is None and self._budget.limit_usd is not None:
            raise ExchangeFailed("misconfigured", "no price is known, so the budget cannot be kept", stops=True)
        return guess.prompt_tokens + guess.completion_tokens, guess.cost_high_usd or 0.0

    async def _sent(self, call: Call, messages: list[dict[str, Any]]) -> Completion:
        spec = call.request.model
        exchange = Exchange(call.request, messages, call.native_schema, call.rendered.images)
        try:
            async with asyncio.timeout(spec.timeout_s + _GRACE_S):
                return await self._transport(spec).send(exchange)
        except TimeoutError as error:
            raise ExchangeFailed("unavailable", f"no reply within {spec.timeout_s:g} s", can_heal=True) from error

    def _took_in(self, call: Call, line: Line, failed: ExchangeFailed) -> None:
        """A pause that the provider asked for slows all calls to it. Raises CircuitOpen."""
        if failed.outcome != "rate-limited" and failed.retry_after_s is None:
            return
        pause = line.provider.refused(failed)
        if pause:
            line.gate.shrink()
            self.tell("slowed", call, wait_s=pause, message=f"{line.provider.name}: {failed.message}")

    def _tell_retry(self, call: Call, state: RetryCallState) -> None:
        failed = state.outcome.exception() if state.outcome else None
        if isinstance(failed, ExchangeFailed):
            wait = state.next_action.sleep if state.next_action else 0.0
            self.tell("retry", call, outcome=failed.outcome, wait_s=wait, message=failed.message)

    def tell(self, kind: EventKind, call: Call, *, message: str = "", **facts: Any) -> None:
        """Send an event about a call."""
        request = call.request
        message = self._redactor.clean(message) if message else ""
        self._tell(Event(kind, call.id, request.task, request.model.name, request.seat, request.group_id,
                         message=message, **facts))  # fmt: skip


def _used_up(attempts: list[Attempt], retries: int) -> bool:
    busy = sum(attempt.outcome == "rate-limited" for attempt in attempts)
    return len(attempts) - busy > retries or busy > _BUSY_A_RETRY * retries


def provider_name(spec: ModelSpec) -> str:
    """Whose limits a model shares: its address, or the provider in its model string."""
    return expanded(spec.api_base) or spec.model.split("/", 1)[0]


def _unfinished(completion: Completion) -> ExchangeFailed | None:
    """A completion that is none: cut off, filtered, refused."""
    outcome = outcome_of_finish(completion.finish_reason)
    if completion.refusal:
        return ExchangeFailed("refused", completion.refusal[:300])
    if outcome == "ok":
        return None
    messages = {
        "truncated": f"the reply was cut off after {completion.usage.completion_tokens} tokens (max_output_tokens)",
        "filtered": f"the provider's content filter stopped the reply ({completion.finish_reason})",
    }
    message = messages.get(outcome, f"the reply ended with {completion.finish_reason}")
    return ExchangeFailed(outcome, message, can_heal=outcome == "unavailable")
