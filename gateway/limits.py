"""Who may send when: concurrency and rates of one model, pauses and the circuit of one provider.

A 429 pauses its provider only, and halves how many calls of the model may be in flight; successes win that back one by
one. A provider that answers nothing but 429 for minutes, or asks for a long pause, opens its circuit.
"""

import asyncio
import math
import random
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from gateway.transports import ExchangeFailed
from records.config import ModelSpec

FIRST_PAUSE_S = 2.0
LONGEST_PAUSE_S = 60.0
LASTING_S = 120.0
"""A provider that refuses everything for so long has a limit that lasts."""
PATIENCE_S = 600.0
"""A provider that asks for a longer pause has a limit that lasts, such as a daily quota."""


class CircuitOpen(Exception):
    """A provider's limit lasts; `message` says how it showed."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Window:
    """At most `limit` units in any `period` seconds. A single amount above the limit passes when nothing else did."""

    def __init__(self, limit: float, period: float) -> None:
        self._limit = limit
        self._period = period
        self._entries: deque[Entry] = deque()
        self._total = 0.0

    def wait(self, amount: float, now: float) -> float:
        """Seconds until the amount fits."""
        self._expire(now)
        excess = self._total + amount - self._limit
        if excess <= 0 or not self._entries:
            return 0.0
        for entry in self._entries:
            excess -= entry.amount
            if excess <= 1e-9:
                return entry.time + self._period - now
        return self._entries[-1].time + self._period - now

    def add(self, entry: "Entry") -> None:
        """Count an amount."""
        self._entries.append(entry)
        self._total += entry.amount

    def correct(self, entry: "Entry", amount: float) -> None:
        """Replace an estimate by what it really was, if it still counts."""
        if entry in self._entries:
            self._total += amount - entry.amount

    def _expire(self, now: float) -> None:
        while self._entries and self._entries[0].time <= now - self._period:
            self._total -= self._entries.popleft().amount


class Entry:
    """An amount at a time."""

    __slots__ = ("amount", "time")

    def __init__(self, time: float, amount: float) -> None:
        self.time = time
        self.amount = amount


class Rate:
    """A limit a minute, kept over any minute and, as providers do, over any sixth of one."""

    def __init__(self, limit: int, minute: float = 60.0) -> None:
        self._windows = (Window(limit, minute), Window(math.ceil(limit / 6), minute / 6))
        self._turn = asyncio.Lock()

    async def take(self, amount: float) -> Entry:
        """Wait for one's turn, in order of arrival."""
        loop = asyncio.get_running_loop()
        async with self._turn:
            while (wait := max(window.wait(amount, loop.time()) for window in self._windows)) > 0:  # noqa: ASYNC110
                await asyncio.sleep(wait)  # until a known moment: nothing is polled
            entry = Entry(loop.time(), amount)
            for window in self._windows:
                window.add(entry)
            return entry

    def correct(self, entry: Entry, amount: float) -> None:
        """Replace an estimate by what it really was."""
        for window in self._windows:
            window.correct(entry, amount)
        entry.amount = amount


class Gate:
    """Lets at most so many calls through at once, first come first served. Shrinks on 429, grows on success."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._allowed = float(most)
        self._inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def allowed(self) -> int:
        """How many may be inside now."""
        return int(self._allowed)

    async def enter(self) -> None:
        """Wait for a place and take it."""
        if self._inside < self.allowed and not self._waiting:
            self._inside += 1
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except BaseException:
            if place.done() and not place.cancelled():
                self.leave()
            raise

    def leave(self) -> None:
        """Give the place back."""
        self._inside -= 1
        self._admit()

    def shrink(self) -> None:
        """Half as many from now on, at least one."""
        self._allowed = max(1.0, self._allowed / 2)

    def grow(self) -> None:
        """One more after as many successes as are allowed now."""
        self._allowed = min(float(self._most), self._allowed + 1 / self._allowed)
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self._inside < self.allowed:
            place = self._waiting.popleft()
            if not place.done():
                self._inside += 1
                place.set_result(None)


class Provider:
    """What the models at one address have in common: the pauses that it asks for, and its circuit.

    `lasting_s`: so long without a single success, over several pauses, and the limit is taken to last. `patience_s`: a
    pause that is longer than this is not waited for.
    """

    def __init__(
        self,
        name: str,
        *,
        first_pause_s: float = FIRST_PAUSE_S,
        lasting_s: float = LASTING_S,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self.name = name
        self._first_pause = first_pause_s
        self._lasting = lasting_s
        self._patience = patience_s
        self._until = 0.0
        self._since = 0.0
        self._pauses = 0
        self._lost = 0

    @property
    def failing(self) -> bool:
        """Several calls in a row were given up as unavailable: further ones get a single try each."""
        return self._lost >= 3

    async def ready(self) -> None:
        """Wait until no pause is in force."""
        loop = asyncio.get_running_loop()
        while (wait := self._until - loop.time()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(wait)  # a pause may grow meanwhile

    def answered(self) -> None:
        """An exchange succeeded: nothing lasts."""
        self._pauses = 0
        self._lost = 0

    def given_up(self) -> None:
        """A call was given up as unavailable after all its retries."""
        self._lost += 1

    def refused(self, failed: ExchangeFailed) -> float:
        """Take in a 429 (or any failure that names a pause).

        Returns the pause in seconds if it begins now, 0.0 if one was in force already (calls that were in flight
        together fail together). Raises CircuitOpen where waiting does not help.
        """
        asked = failed.retry_after_s
        if failed.lasting:
            raise CircuitOpen(failed.message)
        if asked is not None and asked > self._patience:
            raise CircuitOpen(f"{self.name} asks to wait {_span(asked)}: {failed.message}")
        now = asyncio.get_running_loop().time()
        fresh = now >= self._until
        if fresh:
            self._another_pause(now, failed)
        elif asked is None:
            return 0.0
        backoff = min(LONGEST_PAUSE_S, self._first_pause * 2 ** (self._pauses - 1)) * random.uniform(0.75, 1.25)
        pause = backoff if asked is None else asked
        self._until = max(self._until, now + pause)
        return pause if fresh else 0.0

    def _another_pause(self, now: float, failed: ExchangeFailed) -> None:
        if not self._pauses:
            self._since = now
        self._pauses += 1
        if self._pauses > 3 and now - self._since >= self._lasting:
            raise CircuitOpen(
                f"{self.name} has refused every call for {_span(now - self._since)}, over {self._pauses - 1} pauses: "
                f"{failed.message}"
            )


class Line:
    """One model at one address: its gate, its rates, and the provider that it shares with others."""

    def __init__(self, spec: ModelSpec, provider: Provider, minute: float = 60.0) -> None:
        self.spec = spec
        self.provider = provider
        self.gate = Gate(spec.concurrency)
        self.preparing = asyncio.Lock()
        self.prepared = False
        self._requests = Rate(spec.requests_per_minute, minute) if spec.requests_per_minute else None
        self._tokens = Rate(spec.tokens_per_minute, minute) if spec.tokens_per_minute else None

    @property
    def counts_tokens(self) -> bool:
        """Whether the model has a limit on tokens a minute."""
        return self._tokens is not None

    @asynccontextmanager
    async def place(self, tokens: int) -> AsyncIterator[Entry | None]:
        """A place on the line for one exchange of about so many tokens. Waits without holding up other lines."""
        await self.gate.enter()
        try:
            entry = await self._tokens.take(tokens) if self._tokens else None
            if self._requests:
                await self._requests.take(1)
            await self.provider.ready()
            yield entry
        finally:
            self.gate.leave()

    def correct(self, entry: Entry | None, tokens: int) -> None:
        """Tell how many tokens an exchange really took."""
        if entry is not None and self._tokens:
            self._tokens.correct(entry, tokens)


def _span(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
