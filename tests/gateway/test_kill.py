"""``kill -9`` at random moments: nothing durable is asked again, and nothing is lost that was told."""

import asyncio
import json
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import aiohttp

from gateway.schema import strict_schema
from gateway.transports import Completion, Exchange
from records.calls import CallRecord, Reply, Usage
from tests.conftest import ROOT
from tests.fakeserver import FakeServer, Policy
from tests.gateway.support import MemorySink, gateway, question, request, spec

CALLS, AT_ONCE, KILLS = 60, 6, 5


class FileSink(MemorySink):
    """A journal in a file of lines, appended with one write each."""

    def __init__(self, path: Path) -> None:
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        whole = [line for line in lines if line.endswith(b"\n")]
        path.write_bytes(b"".join(whole))
        super().__init__(*(CallRecord.model_validate_json(line) for line in whole))
        self._path = path

    def finished(self, record: CallRecord) -> None:
        before = len(self.records)
        super().finished(record)
        if len(self.records) > before:
            with self._path.open("ab", buffering=0) as file:
                file.write(record.model_dump_json().encode() + b"\n")


class PlainHttp:
    """The shortest road to the server, so that a worker starts quickly; what is tested lies behind it."""

    async def send(self, exchange: Exchange) -> Completion:
        body = {"model": "fake", "messages": exchange.messages,
                "response_format": strict_schema(exchange.request.reply_model).response_format}  # fmt: skip
        address = f"{exchange.request.model.api_base}/chat/completions"
        async with aiohttp.ClientSession() as session, session.post(address, json=body) as response:
            data = await response.json()
        usage = Usage(prompt_tokens=data["usage"]["prompt_tokens"])
        return Completion(data["choices"][0]["message"]["content"], usage=usage)


async def work(base_url: str, folder: Path) -> dict[str, str]:
    """Ask all questions; the answers by question."""
    model = spec(base_url, concurrency=AT_ONCE, price={"input": 1.0, "output": 1.0})
    sink, transports = FileSink(folder / "journal.jsonl"), {"litellm": PlainHttp()}
    async with gateway(sink, folder / "cache", transports=transports) as gate:
        replies = await asyncio.gather(
            *(gate.ask(request(model, question(f"Q{n}?"), item_id=f"q{n}")) for n in range(CALLS))
        )
    assert all(isinstance(reply, Reply) for reply in replies)
    return {f"q{n}": reply.value.model_dump_json() for n, reply in enumerate(replies) if isinstance(reply, Reply)}


def test_a_killed_run_asks_again_only_what_was_in_flight(tmp_path: Path) -> None:
    rng = random.Random(11)
    with FakeServer(Policy(delay_s=0.03)) as server:
        (calm := tmp_path / "calm").mkdir()
        undisturbed = asyncio.run(work(server.base_url, calm))
        calm_requests = len(server.log)
        (killed := tmp_path / "killed").mkdir()
        command = [sys.executable, "-m", "tests.gateway.test_kill", server.base_url, str(killed)]
        for _ in range(KILLS):
            worker = subprocess.Popen(command, cwd=ROOT)
            begun = len(server.log)
            while len(server.log) == begun and worker.poll() is None:
                time.sleep(0.005)
            time.sleep(rng.uniform(0.0, 0.12))
            worker.kill()
            worker.wait()
        last = asyncio.run(work(server.base_url, killed))
        asked = Counter(entry.key for entry in server.log[calm_requests:])
    assert last == undisturbed
    assert len(asked) == CALLS
    assert sum(asked.values()) - CALLS <= KILLS * AT_ONCE
    journal = [json.loads(line) for line in (killed / "journal.jsonl").read_text().splitlines()]
    assert Counter(record["request_id"] for record in journal).most_common(1)[0][1] == 1
    assert len(journal) == CALLS


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1], Path(sys.argv[2])))
