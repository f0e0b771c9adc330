"""Runs a coroutine on the loop that suits many small exchanges: uvloop, and no needless hop to a thread.

LiteLLM maps each call's arguments in a worker thread, half a millisecond of pure computation. For servers that speak
OpenAI's API it runs in place instead, which spares two thread switches a call; everything else that is given to the
loop's executor (`asyncio.to_thread`, file and name look-ups) still gets its thread.
"""

import asyncio
import gc
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")

_COLLECT = (50_000, 20, 50)
"""Each exchange makes thousands of short-lived objects; with the usual 700 they are looked through several times."""

IN_PLACE: ContextVar[bool] = ContextVar("in_place", default=False)
"""Set by the LiteLLM transport around calls whose preparation does no input or output."""


def run(main: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run`, a little faster for calls to models."""
    gc.set_threshold(*_COLLECT)
    with asyncio.Runner(loop_factory=_new_loop) as runner:
        return runner.run(main)


class PlaceOrThread(ThreadPoolExecutor):
    """Threads as usual; what LiteLLM hands over within `IN_PLACE` (always a partial) runs where it is."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        """Run now or in a thread."""
        if not (IN_PLACE.get() and isinstance(fn, partial)):
            return super().submit(fn, *args, **kwargs)
        done: Future[T] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except Exception as error:
            done.set_exception(error)
        return done


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:  # Windows
        loop = asyncio.new_event_loop()
    else:
        loop = uvloop.new_event_loop()
    loop.set_default_executor(PlaceOrThread())
    return loop
