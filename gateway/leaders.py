"""The first call of a prompt prefix goes ahead of the fan-out, so that the server caches it before the others come."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Leaders:
    """Prefixes that are being or have been served, the last `keep` of them."""

    def __init__(self, keep: int = 4096) -> None:
        self._keep = keep
        self._served: OrderedDict[str, None] = OrderedDict()
        self._leading: dict[str, asyncio.Event] = {}

    @asynccontextmanager
    async def order(self, prefix: str) -> AsyncIterator["Turn"]:
        """Enter as the leader, or once a leader was served. An empty prefix waits for nobody."""
        turn = Turn(prefix)
        while prefix and prefix not in self._served:
            leading = self._leading.get(prefix)
            if leading is None:
                self._leading[prefix] = asyncio.Event()
                turn.leads = True
                break
            await leading.wait()
        try:
            yield turn
        finally:
            if turn.leads:
                self._finish(turn)

    def _finish(self, turn: "Turn") -> None:
        if turn.served:
            self._served[turn.prefix] = None
            while len(self._served) > self._keep:
                self._served.popitem(last=False)
        self._leading.pop(turn.prefix).set()


class Turn:
    """One call's place: whether it leads, and whether the server has read its prompt (set by the caller)."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.leads = False
        self.served = False
