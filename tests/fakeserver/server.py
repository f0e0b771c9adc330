"""The server: one aiohttp application on a real socket, in a thread of its own or in a process of its own.

``/v1/chat/completions``, ``/v1/models``, ``/metrics`` (vLLM's prefix-cache counters), ``/log`` (every request with the
fault it was served), ``/stats``. The log of a process can also be followed in a file, one JSON line an event.
"""

import argparse
import asyncio
import contextlib
import importlib
import json
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from email.utils import formatdate
from pathlib import Path
from typing import Any, Self, cast

from aiohttp import web

from tests.fakeserver.answers import reply_for
from tests.fakeserver.faults import Message, spoil
from tests.fakeserver.policy import Fault, Policy, Script
from tests.fakeserver.request import ChatRequest
from tests.fakeserver.tokens import PrefixCache, counter, prompt_tokens


@dataclass
class Served:
    """One request in the log. `status` 0 means that the connection was dropped."""

    number: int
    key: str
    model: str
    schema: str
    fault: str
    status: int = 200
    arrived: float = 0.0
    ended: float = 0.0
    in_flight: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    images: int = 0
    params: dict[str, Any] | None = None
    content: str = ""


class Application:
    """State of the server, and its handlers. Everything runs on one event loop."""

    def __init__(self, policy: Policy, log_file: Path | None = None) -> None:
        self.policy = policy
        self.served: list[Served] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self._seen: Counter[str] = Counter()
        self._prefixes = PrefixCache()
        self._recent: deque[float] = deque()
        self._hits = self._queries = 0
        self._log = log_file.open("a", buffering=1) if log_file else None

    def app(self) -> web.Application:
        """The aiohttp application."""
        app = web.Application(client_max_size=256 * 2**20)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._models)
        app.router.add_get("/metrics", self._metrics)
        app.router.add_get("/log", self._log_page)
        app.router.add_get("/stats", self._stats)
        return app

    # Handlers

    async def _chat(self, http: web.Request) -> web.StreamResponse:
        request = ChatRequest.parse(await http.json())
        seen, total = self._seen[request.key], len(self.served)
        self._seen[request.key] += 1
        fault = self.policy.fault_for(request, seen, total)
        entry = self._begin(request, fault)
        try:
            return await self._served(http, request, fault, entry)
        finally:
            self.in_flight -= 1
            entry.ended = time.time()
            self._write("end", entry)

    async def _served(
        self, http: web.Request, request: ChatRequest, fault: Fault | None, entry: Served
    ) -> web.StreamResponse:
        refused = self._refused(http, request, entry)
        if refused is None and fault is not None:
            refused = await self._transport_fault(http, request, fault)
        if refused is not None:
            entry.status = refused.status
            return refused
        if http.transport is None or http.transport.is_closing():
            entry.status = 0
            return web.Response()
        return await self._answer(request, fault, entry)

    async def _answer(self, request: ChatRequest, fault: Fault | None, entry: Served) -> web.Response:
        count = counter(self.policy.tokenizer)
        chain = self._prefixes.chain(request, count, self.policy.image_tokens)
        value = self._value(request)
        content = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        message = Message(content, reasoning="Considered." if self.policy.reasoning_tokens else None)
        message = spoil(fault.kind, value, message) if fault else message
        await asyncio.sleep(self.policy.delays.get(request.model, self.policy.delay_s))
        entry.cached_tokens = self._prefixes.cached(chain)
        self._prefixes.add(chain)
        entry.prompt_tokens = prompt_tokens(request, count, self.policy.image_tokens)
        entry.completion_tokens = count(message.content or "") + self.policy.reasoning_tokens
        entry.content = message.content or ""
        self._hits += entry.cached_tokens
        self._queries += entry.prompt_tokens
        return web.json_response(_completion(request, message, entry, self.policy.reasoning_tokens))

    def _value(self, request: ChatRequest) -> Mapping[str, Any] | str:
        scripted = self.policy.script(request) if self.policy.script else None
        return scripted if scripted is not None else reply_for(request, self.policy.seed, self.policy.confidence)

    def _refused(self, http: web.Request, request: ChatRequest, entry: Served) -> web.Response | None:
        """What an honest server refuses: a wrong key, an unknown model, too much of anything."""
        policy = self.policy
        if policy.api_key and http.headers.get("Authorization") != f"Bearer {policy.api_key}":
            return _error(401, "Incorrect API key provided.", "invalid_api_key")
        if policy.models and request.model not in policy.models:
            return _error(404, f"The model `{request.model}` does not exist.", "model_not_found")
        if policy.max_images is not None and request.image_count > policy.max_images:
            return too_many_images(policy.max_images)
        if policy.context_tokens is not None:
            needed = prompt_tokens(request, counter(policy.tokenizer), policy.image_tokens)
            if needed > policy.context_tokens:
                return context_too_long(policy.context_tokens, needed)
        if (wait := self._over_rate()) is not None:
            entry.fault = "rpm"
            return _error(
                429, "Rate limit reached for requests per minute.", "rate_limit_exceeded", retry=f"{wait:.3f}"
            )
        return None

    def _over_rate(self) -> float | None:
        limit = self.policy.requests_per_minute
        if limit is None:
            return None
        now = time.monotonic()
        while self._recent and self._recent[0] <= now - 60:
            self._recent.popleft()
        if len(self._recent) >= limit:
            return self._recent[0] + 60 - now
        self._recent.append(now)
        return None

    async def _transport_fault(self, http: web.Request, request: ChatRequest, fault: Fault) -> web.Response | None:
        if fault.kind == "slow":
            await asyncio.sleep(fault.delay_s)
            return None
        if fault.kind == "drop":
            if http.transport is not None:
                http.transport.abort()
            return None
        key = http.headers.get("Authorization", "")
        wait = (fault.retry_after, fault.retry_after_ms)
        errors: dict[str, web.Response] = {
            "rate-limit": _error(429, "Rate limit reached.", "rate_limit_exceeded", *wait),
            "out-of-credit": _error(429, "You exceeded your current quota.", "insufficient_quota"),
            "server-error": _error(500, "The server had an error while processing your request.", "server_error"),
            "unavailable": _error(503, "The engine is overloaded.", "overloaded", *wait),
            "unauthorized": _error(401, f"Incorrect API key provided: {key}.", "invalid_api_key"),
            "forbidden": _error(403, "Your project has no access to this model.", "permission_denied"),
            "no-such-model": _error(404, f"The model `{request.model}` does not exist.", "model_not_found"),
            "bad-request": _error(400, "Unsupported value: 'temperature' does not support 0.", "unsupported_value"),
            "filtered-400": _error(400, "Your request was rejected as a result of our safety system.",
                                   "content_policy_violation"),
            "context-too-long": context_too_long(8192, 9000),
            "too-many-images": too_many_images(4),
            "html-page": web.Response(status=502, text=_PAGE, content_type="text/html"),
            "html-ok": web.Response(status=200, text=_PAGE, content_type="text/html"),
            "bad-json-body": web.Response(status=200, text='{"id": "x", "choices": [', content_type="application/json"),
            "key-echo": _error(400, f"Request failed; headers were: Authorization: {key}", "bad_request"),
        }  # fmt: skip
        return errors.get(fault.kind)

    async def _models(self, http: web.Request) -> web.Response:
        names = self.policy.models or ("fake",)
        return web.json_response({"object": "list", "data": [{"id": name, "object": "model"} for name in names]})

    async def _metrics(self, http: web.Request) -> web.Response:
        text = (
            f'vllm:prefix_cache_queries_total{{model_name="fake"}} {float(self._queries)}\n'
            f'vllm:prefix_cache_hits_total{{model_name="fake"}} {float(self._hits)}\n'
        )
        return web.Response(text=text, content_type="text/plain")

    async def _log_page(self, http: web.Request) -> web.Response:
        return web.json_response([asdict(entry) for entry in self.served])

    async def _stats(self, http: web.Request) -> web.Response:
        return web.json_response(stats(self.served) | {"most_in_flight": self.most_in_flight})

    # Log

    def _begin(self, request: ChatRequest, fault: Fault | None) -> Served:
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        entry = Served(
            number=len(self.served) + 1, key=request.key, model=request.model, schema=request.schema_name,
            fault=fault.kind if fault else "", arrived=time.time(), in_flight=self.in_flight,
            images=request.image_count, params=request.params,
        )  # fmt: skip
        self.served.append(entry)
        self._write("begin", entry)
        return entry

    def _write(self, event: str, entry: Served) -> None:
        if self._log:
            self._log.write(json.dumps({"event": event, **asdict(entry)}) + "\n")


_PAGE = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"


def context_too_long(window: int, needed: int) -> web.Response:
    """vLLM's words for a prompt that does not fit."""
    return _error(400, f"This model's maximum context length is {window} tokens. However, you requested {needed} "
                       "tokens in the messages. Please reduce their length.", "BadRequestError")  # fmt: skip


def too_many_images(limit: int) -> web.Response:
    """vLLM's words for too many images."""
    return _error(400, f"At most {limit} image(s) may be provided in one prompt.", "BadRequestError")


def _error(status: int, message: str, code: str, retry: str = "", retry_ms: str = "") -> web.Response:
    headers = ({"Retry-After": _retry_after(retry)} if retry else {}) | (
        {"retry-after-ms": retry_ms} if retry_ms else {}
    )
    body = {"error": {"message": message, "type": code, "param": None, "code": code}}
    return web.json_response(body, status=status, headers=headers)


def _retry_after(value: str) -> str:
    """A header value; ``date:2`` stands for the HTTP date two seconds from now."""
    head, _, seconds = value.partition(":")
    return formatdate(time.time() + float(seconds), usegmt=True) if head == "date" else value


def _completion(request: ChatRequest, message: Message, entry: Served, reasoning_tokens: int) -> dict[str, Any]:
    body: dict[str, Any] = {"role": "assistant", "content": message.content}
    if message.refusal is not None:
        body["refusal"] = message.refusal
    if message.reasoning is not None:
        body["reasoning_content"] = message.reasoning
    return {
        "id": f"chatcmpl-{entry.number}",
        "object": "chat.completion",
        "created": int(entry.arrived),
        "model": request.model,
        "choices": [{"index": 0, "message": body, "finish_reason": message.finish_reason}],
        "usage": {
            "prompt_tokens": entry.prompt_tokens,
            "completion_tokens": entry.completion_tokens,
            "total_tokens": entry.prompt_tokens + entry.completion_tokens,
            "prompt_tokens_details": {"cached_tokens": entry.cached_tokens},
            "completion_tokens_details": {"reasoning_tokens": reasoning_tokens},
        },
    }


def stats(served: list[Served]) -> dict[str, Any]:
    """Counts and sums over a log."""
    return {
        "requests": len(served),
        "distinct": len({entry.key for entry in served}),
        "faults": dict(Counter(entry.fault for entry in served if entry.fault)),
        "prompt_tokens": sum(entry.prompt_tokens for entry in served),
        "completion_tokens": sum(entry.completion_tokens for entry in served),
        "cached_tokens": sum(entry.cached_tokens for entry in served),
        "images": sum(entry.images for entry in served),
    }


class FakeServer:
    """The server in a thread of its own, as a context manager; for sync and async tests alike."""

    def __init__(self, policy: Policy | None = None, *, port: int = 0, log_file: Path | None = None) -> None:
        self._application = Application(policy or Policy(), log_file)
        self._port = port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="fakeserver", daemon=True)
        self._ready = threading.Event()
        self._stop = asyncio.Event()
        self._failure: BaseException | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        if self._failure:
            raise self._failure
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(timeout=5)

    @property
    def base_url(self) -> str:
        """The address for ``api_base``, with ``/v1``."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return self._application.policy

    def set_policy(self, policy: Policy) -> None:
        """From the next request on."""
        self._application.policy = policy

    @property
    def log(self) -> tuple[Served, ...]:
        """Every request so far, in order of arrival."""
        return tuple(replace(entry) for entry in self._application.served)

    @property
    def stats(self) -> dict[str, Any]:
        """Counts and sums over the log."""
        return stats(list(self._application.served)) | {"most_in_flight": self._application.most_in_flight}

    def count(self, fault: str) -> int:
        """How often a fault was served."""
        return sum(entry.fault == fault for entry in self.log)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        for task in (left := asyncio.all_tasks(self._loop)):
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self._loop.close()

    async def _serve(self) -> None:
        try:
            runner, self._port = await _started(self._application, self._port)
        except BaseException as error:
            self._failure = error
            self._ready.set()
            return
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()


async def _started(application: Application, port: int) -> tuple[web.AppRunner, int]:
    runner = web.AppRunner(application.app(), access_log=None, shutdown_timeout=0.2)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port, backlog=1024)
    await site.start()
    return runner, cast(Any, site._server).sockets[0].getsockname()[1]


def main() -> None:
    """Serve until killed; prints one line with the address when it is ready."""
    parser = argparse.ArgumentParser(prog="python -m tests.fakeserver")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--policy", default="{}", help="JSON object, or @FILE")
    parser.add_argument("--script", default="", help="MODULE:FUNCTION that decides answers")
    parser.add_argument("--log", type=Path, default=None, help="append one JSON line an event")
    options = parser.parse_args()
    text = Path(options.policy[1:]).read_text() if options.policy.startswith("@") else options.policy
    policy = replace(Policy.from_json(json.loads(text)), script=_script(options.script))
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_forever(Application(policy, options.log), options.port))


def _script(name: str) -> Script | None:
    if not name:
        return None
    module, _, function = name.partition(":")
    return cast(Script, getattr(importlib.import_module(module), function))


async def _forever(application: Application, port: int) -> None:
    _, port = await _started(application, port)
    print(f"http://127.0.0.1:{port}/v1", flush=True)
    with contextlib.suppress(ImportError):
        sys.stdout.flush()
    await asyncio.Event().wait()
