"""The seam to models: a transport has one method, and a fake is a plain function handed in.

``FunctionTransport(fn)`` serves models that live in this process (the offline models, and fakes in tests).
Providers are reached by `gateway.litellm_transport` and `gateway.proxy_transport`.
"""

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel

from records.calls import Request, Usage
from records.verdicts import CallOutcome


@dataclass(frozen=True, slots=True)
class Exchange:
    """One message exchange with a model.

    `messages` is what goes over the wire, images as data URLs; `native_schema` tells the transport to send the reply
    model's JSON schema along (otherwise it stands in the prompt).
    """

    request: Request
    messages: list[dict[str, Any]] = field(repr=False)
    native_schema: bool = True
    images: int = 0


@dataclass(frozen=True, slots=True)
class Completion:
    """What came back, before anything is read out of it. `finish_reason` is the provider's own word."""

    text: str
    reasoning: str = ""
    refusal: str = ""
    finish_reason: str = "stop"
    usage: Usage = field(default_factory=Usage)
    provider_model: str = ""


class ExchangeFailed(Exception):
    """An exchange that gave no completion, already told apart. A fake may raise it to play any failure.

    `can_heal`: the same exchange may succeed a little later; `retry_after_s` is the server's own wish. `stops`: every
    further call to this model would fail alike. `lasting`: a limit that a few minutes do not lift.
    """

    def __init__(
        self,
        outcome: CallOutcome,
        message: str,
        *,
        status: int | None = None,
        retry_after_s: float | None = None,
        can_heal: bool = False,
        stops: bool = False,
        lasting: bool = False,
    ) -> None:
        super().__init__(message)
        self.outcome: CallOutcome = outcome
        self.message = message
        self.status = status
        self.retry_after_s = retry_after_s
        self.can_heal = can_heal
        self.stops = stops
        self.lasting = lasting


class Transport(Protocol):
    """A road to models. `send` raises nothing but `ExchangeFailed`.

    A transport may also have ``async prepare(spec)``, awaited once before a model's first exchange and outside its time
    limit, and ``async close()``, awaited when the gateway is left.
    """

    async def send(self, exchange: Exchange) -> Completion:
        """Send one exchange and wait for its completion."""


Answerer = Callable[[Request], BaseModel | Completion | Awaitable[BaseModel | Completion]]


class FunctionTransport:
    """A transport that asks a function. It reads the request's typed parts; its answer is serialised and then read
    back like any model's. The function may be async, may return a `Completion` as it is, and may raise
    `ExchangeFailed`; any other exception becomes a failure that is not retried.
    """

    def __init__(self, fn: Answerer) -> None:
        self._fn = fn

    async def send(self, exchange: Exchange) -> Completion:
        """Ask the function."""
        try:
            answer = self._fn(exchange.request)
            answer = await answer if inspect.isawaitable(answer) else answer
        except ExchangeFailed:
            raise
        except Exception as error:
            raise ExchangeFailed("unavailable", f"{type(error).__name__}: {error}") from error
        if isinstance(answer, Completion):
            return answer
        return Completion(text=answer.model_dump_json(), provider_model=exchange.request.model.model)
