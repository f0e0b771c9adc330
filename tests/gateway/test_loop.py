"""The gateway's own loop: calls' preparation in place, everything else in threads as before."""

import asyncio
import threading
from functools import partial
from pathlib import Path

import pytest

from gateway.loop import IN_PLACE, run
from records.calls import Reply
from tests.fakeserver import FakeServer, Fault, Policy
from tests.gateway.support import MemorySink, gateway, question, request, spec


def where() -> int:
    return threading.get_ident()


def test_threads_stay_threads_and_partials_run_in_place_only_within_a_call() -> None:
    async def main() -> tuple[list[bool], list[bool]]:
        loop, here = asyncio.get_running_loop(), where()

        async def places() -> list[bool]:
            ids = [
                await asyncio.to_thread(where) if not IN_PLACE.get() else None,
                await loop.run_in_executor(None, where),
                await loop.run_in_executor(None, partial(where)),
            ]
            return [found == here for found in ids]

        outside = await places()
        token = IN_PLACE.set(True)
        inside = await places()
        IN_PLACE.reset(token)
        return outside, inside

    assert run(main()) == ([False, False, False], [False, False, True])


def test_errors_of_what_runs_in_place_are_raised() -> None:
    async def main() -> None:
        IN_PLACE.set(True)
        await asyncio.get_running_loop().run_in_executor(None, partial(int, "x"))

    with pytest.raises(ValueError, match="invalid literal"):
        run(main())


@pytest.mark.parametrize("model", ["hosted_vllm/fake", "openai/fake"])
def test_calls_work_on_it_and_failures_too(model: str, tmp_path: Path) -> None:
    async def main(base_url: str) -> list[str]:
        judge = spec(base_url, model=model, retries=0)
        async with gateway(MemorySink(), tmp_path) as gate:
            outcomes = await asyncio.gather(*(gate.ask(request(judge, question(f"Q{n}?"))) for n in range(6)))
        return ["ok" if isinstance(outcome, Reply) else outcome.outcome for outcome in outcomes]

    with FakeServer(Policy(faults=(Fault("server-error", contains="Q3"),))) as server:
        assert run(main(server.base_url)) == ["ok", "ok", "ok", "unavailable", "ok", "ok"]
