"""What the gateway costs: CPU a call, wall time over ideal, peak memory, beside LiteLLM alone and plain aiohttp.

    python -m benchmarks.pipeline                        # a table and one line of JSON; about eight minutes
    python -m benchmarks.pipeline --rounds 3 --trials 1  # a quick look

A fake server in a process of its own answers each request after two seconds. Every contender runs in a fresh process:
it warms up, then keeps so many requests in flight until all are answered. Trials are interleaved. The prompts are a
judge's: one system text, three transcripts, a 40 KB frame, a question; no two alike. The gateway writes its traces,
cache and ledger into a real run folder (SQLite); the other two keep nothing.
"""

import argparse
import asyncio
import base64
import gc
import hashlib
import io
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from records.calls import ImagePart, QuestionPart, Request, TextPart, TranscriptPart
from records.config import ModelSpec
from records.replies import ChoiceReply

CONTENDERS = ("aiohttp", "litellm", "gateway")
LABELS = {
    "aiohttp": "aiohttp, by hand: no limits, traces or retries",
    "litellm": "litellm.acompletion in a loop",
    "gateway": "Gateway: schema, limits, traces, cache, ledger",
}
IMAGES = 8
IMAGE_BYTES = 40_000
_SENTENCES = (
    "The ferry left the old harbour at nine with twelve passengers and two crew on board.",
    "Engineers had closed the eastern bridge on Tuesday after a routine inspection.",
    "The council expects the repair to cost four million and to last until the spring.",
    "Residents gathered at the market square, where the mayor answered questions for an hour.",
)

Ask = Callable[[Request], Awaitable[None]]


def main() -> None:
    """Run the contenders in turn and print what was measured."""
    options = _arguments()
    if options.worker:
        print(json.dumps(run_on_uvloop(options)))
        return
    delay = {"delay_s": options.reply_s}
    with subprocess.Popen(
        [sys.executable, "-m", "tests.fakeserver", "--policy", json.dumps(delay)], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            url = server.stdout.readline().strip()
            results = [
                _trial(options, url, contender, in_flight)
                for _ in range(options.trials)
                for in_flight in options.in_flight
                for contender in options.contenders
            ]
        finally:
            server.kill()
    summary = _summary(results)
    _print_table(summary, options)
    print(json.dumps(summary))
    if options.whole:
        from benchmarks import whole

        whole.main()


def run_on_uvloop(options: argparse.Namespace) -> dict[str, Any]:
    """Every contender runs on uvloop; the gateway through its own `run`, which is part of it."""
    if options.worker == "gateway":
        from gateway.loop import run

        return run(_worker(options))
    import uvloop

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_worker(options))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pipeline", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--in-flight", type=int, nargs="+", default=[64, 256])
    parser.add_argument("--rounds", type=int, default=10, help="replies that each place in flight gets")
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--reply-s", type=float, default=2.0)
    parser.add_argument("--contenders", nargs="+", choices=CONTENDERS, default=list(CONTENDERS))
    parser.add_argument("--worker", choices=CONTENDERS, help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    parser.add_argument("--whole", action="store_true", help="also whole runs: calls saved by frugal, memory by groups")
    parser.add_argument("--profile", type=Path, help="write a cProfile of the worker's timed part to this file")
    return parser.parse_args()


def _trial(options: argparse.Namespace, url: str, contender: str, in_flight: int) -> dict[str, Any]:
    command = [
        sys.executable, "-m", "benchmarks.pipeline", "--worker", contender, "--url", url,
        "--in-flight", str(in_flight), "--rounds", str(options.rounds), "--reply-s", str(options.reply_s),
        *(["--profile", str(options.profile)] if options.profile else []),
    ]  # fmt: skip
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


# One contender in a process of its own


async def _worker(options: argparse.Namespace) -> dict[str, Any]:
    in_flight = options.in_flight[0]
    calls = in_flight * options.rounds
    images = {hashlib.sha256(data).hexdigest(): data for data in (_image(seed) for seed in range(IMAGES))}
    with tempfile.TemporaryDirectory() as folder:
        ask, close = await _contender(options, Path(folder), images, in_flight)
        try:
            warm_up = [_request(options, images, -1 - index, in_flight) for index in range(8)]
            requests = [_request(options, images, index, in_flight) for index in range(calls)]
            if options.worker != "gateway":
                _prepare(warm_up + requests)
            await _drive(ask, warm_up, 8)
            gc.collect()
            gc.freeze()
            return await _measured(options, ask, requests, in_flight)
        finally:
            await close()


async def _measured(options: argparse.Namespace, ask: Ask, requests: list[Request], in_flight: int) -> dict[str, Any]:
    profiler = None
    if options.profile:
        import cProfile

        profiler = cProfile.Profile()
        profiler.enable()
    before, wall = time.process_time(), time.perf_counter()
    await _drive(ask, requests, in_flight)
    wall, cpu = time.perf_counter() - wall, time.process_time() - before
    if profiler:
        profiler.disable()
        profiler.dump_stats(options.profile)
    ideal = options.rounds * options.reply_s
    return {
        "contender": options.worker,
        "in_flight": in_flight,
        "calls": len(requests),
        "cpu_ms_per_call": cpu / len(requests) * 1000,
        "wall_s": wall,
        "wall_over_ideal": wall / ideal if ideal else None,
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


async def _drive(ask: Ask, requests: list[Request], in_flight: int) -> None:
    """Keeps so many requests in flight until all are answered."""
    waiting = iter(requests)

    async def place() -> None:
        for request in waiting:
            await ask(request)

    await asyncio.gather(*(place() for _ in range(in_flight)))


async def _contender(
    options: argparse.Namespace, folder: Path, images: dict[str, bytes], in_flight: int
) -> tuple[Ask, Callable[[], Awaitable[None]]]:
    makers = {"aiohttp": _aiohttp, "litellm": _litellm, "gateway": _gateway}
    return await makers[options.worker](options, folder, images)


async def _aiohttp(
    options: argparse.Namespace, folder: Path, images: dict[str, bytes]
) -> tuple[Ask, Callable[[], Awaitable[None]]]:
    import aiohttp

    session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
    urls = _data_urls(images)
    schema = ChoiceReply.model_json_schema()

    async def ask(request: Request) -> None:
        body = {"model": "fake", "messages": _messages(request, urls), "response_format": _format(schema),
                "temperature": 0, "max_tokens": 4096}  # fmt: skip
        async with session.post(f"{options.url}/chat/completions", json=body) as response:
            data = await response.json()
        ChoiceReply.model_validate_json(data["choices"][0]["message"]["content"])

    return ask, session.close


async def _litellm(
    options: argparse.Namespace, folder: Path, images: dict[str, bytes]
) -> tuple[Ask, Callable[[], Awaitable[None]]]:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm

    litellm.suppress_debug_info = True
    urls = _data_urls(images)
    schema = ChoiceReply.model_json_schema()

    async def ask(request: Request) -> None:
        response = await litellm.acompletion(
            model="hosted_vllm/fake", api_base=options.url, messages=_messages(request, urls),
            response_format=_format(schema), temperature=0, max_tokens=4096,
        )  # fmt: skip
        ChoiceReply.model_validate_json(response.choices[0].message.content)

    async def close() -> None:
        await litellm.close_litellm_async_clients()

    return ask, close


async def _gateway(
    options: argparse.Namespace, folder: Path, images: dict[str, bytes]
) -> tuple[Ask, Callable[[], Awaitable[None]]]:
    from gateway.core import Gateway
    from store.manifest import RunManifest
    from store.run import Run

    run = Run.create(folder / "run", RunManifest())
    gateway = Gateway(run, run.cache_dir, lambda sha256: images[sha256], budget_usd=1000.0)

    async def ask(request: Request) -> None:
        outcome = await gateway.ask(request)
        assert isinstance(outcome.value, ChoiceReply)  # type: ignore[union-attr]

    async def close() -> None:
        await gateway.close()
        run.close()

    return ask, close


# What is asked


def _request(options: argparse.Namespace, images: dict[str, bytes], index: int, in_flight: int) -> Request:
    rng = random.Random(index)
    sha256 = sorted(images)[index % IMAGES]
    transcripts = tuple(
        TranscriptPart(tag=f"TAG_{letter}", text=" ".join(rng.choices(_SENTENCES, k=24))) for letter in "ABC"
    )
    spec = ModelSpec(
        name="judge", model="hosted_vllm/fake", api_base=options.url, json_mode="schema", concurrency=in_flight,
        price={"input": 1.0, "output": 3.0}, prefix_cache=False,
    )  # fmt: skip
    options_shown = {letter: f"TAG_A says {rng.random()}, while TAG_B says {rng.random()}." for letter in "ABCD"}
    return Request(
        task="difficulty",
        model=spec,
        system="You judge questions about several sources of one event. " * 8,
        parts=(
            *transcripts,
            ImagePart(tag="TAG_A", number=1, sha256=sha256, width=540, height=304),
            TextPart(text="Answer the question from the sources. Reason first, then the letter and a confidence."),
            QuestionPart(stem=f"Which account of number {index} do the sources share?", options=options_shown),
        ),
        prefix_parts=4,
        reply_model=ChoiceReply,
        reader="answers",
        item_id=f"q-{index}",
        group_id=f"g-{index % 10}",
        seat="judge",
    )


def _image(seed: int) -> bytes:
    """A JPEG of about 40 KB: noise whose amount is chosen by size."""
    import numpy as np
    from PIL import Image

    rng = np.random.default_rng(seed)
    for amount in range(8, 256, 8):
        pixels = rng.integers(128 - amount // 2, 128 + amount // 2, (304, 540, 3), dtype=np.uint8)
        data = io.BytesIO()
        Image.fromarray(pixels).save(data, "JPEG", quality=65)
        if data.tell() >= IMAGE_BYTES:
            return data.getvalue()
    raise RuntimeError("no noise makes an image that large")


def _data_urls(images: dict[str, bytes]) -> dict[str, str]:
    return {name: f"data:image/jpeg;base64,{base64.b64encode(data).decode()}" for name, data in images.items()}


def _messages(request: Request, urls: dict[str, str]) -> list[dict[str, Any]]:
    """The same prompt as the gateway's. It is put together outside the measured time: see `_prepare`."""
    return _PREPARED[request.item_id](urls)


def _prepare(requests: list[Request]) -> None:
    """Render the prompts that the two bare contenders send, so that none of the gateway's work is counted as theirs."""
    from gateway.render import render, wire

    for request in requests:
        messages = render(request).messages
        _PREPARED[request.item_id] = lambda urls, messages=messages: wire(messages, urls.__getitem__)  # type: ignore[misc]


_PREPARED: dict[str, Callable[[dict[str, str]], list[dict[str, Any]]]] = {}


def _format(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "ChoiceReply", "schema": schema}}


# What is printed


def _summary(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = []
    for in_flight, contender in sorted({(item["in_flight"], item["contender"]) for item in results}):
        same = [item for item in results if (item["in_flight"], item["contender"]) == (in_flight, contender)]
        numbers = {
            key: round(statistics.median(item[key] for item in same), 3)
            for key in ("cpu_ms_per_call", "wall_s", "wall_over_ideal", "peak_rss_mb")
        }
        spread = [round(item["cpu_ms_per_call"], 3) for item in same]
        rows.append({"contender": contender, "in_flight": in_flight, "calls": same[0]["calls"], **numbers,
                     "cpu_ms_trials": spread})  # fmt: skip
    return rows


def _print_table(summary: list[dict[str, Any]], options: argparse.Namespace) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(
        title=f"One 40 KB frame a prompt, replies after {options.reply_s:g} s, {options.trials} trials (median)"
    )
    for column in ("contender", "in flight", "calls", "CPU ms/call", "wall/ideal", "peak MB"):
        table.add_column(column, justify="left" if column == "contender" else "right")
    for row in summary:
        table.add_row(
            LABELS[row["contender"]], str(row["in_flight"]), str(row["calls"]), f"{row['cpu_ms_per_call']:.2f}",
            f"{row['wall_over_ideal']:.3f}", f"{row['peak_rss_mb']:.0f}",
        )  # fmt: skip
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
