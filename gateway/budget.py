"""Money: what is spent, what is in flight, and whether one more exchange fits.

An exchange in flight counts at the most that it may cost. One that does not fit waits for others to settle, since they
mostly cost less; with nothing in flight and still no room, the budget is used up.
"""

import asyncio
from collections import deque


class BudgetSpent(Exception):
    """The next exchange might exceed the budget."""


class Budget:
    """Without a limit it only adds up."""

    def __init__(self, limit_usd: float | None, spent_usd: float) -> None:
        self.limit_usd = limit_usd
        self.spent_usd = spent_usd
        self._reserved = 0.0
        self._open = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def reserve(self, most_usd: float) -> float:
        """Set aside what an exchange may cost at most. Raises BudgetSpent."""
        if self.limit_usd is not None:
            while self.spent_usd + self._reserved + most_usd > self.limit_usd + 1e-12:
                if not self._open:
                    raise BudgetSpent
                await self._change()
        self._reserved += most_usd
        self._open += 1
        return most_usd

    def settle(self, reserved_usd: float, cost_usd: float) -> None:
        """Replace what was set aside by what it cost."""
        self._open -= 1
        self._reserved = self._reserved - reserved_usd if self._open else 0.0
        self.spent_usd += cost_usd
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(None)

    async def _change(self) -> None:
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        await waiter
