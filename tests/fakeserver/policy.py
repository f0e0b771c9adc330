"""What the server does to whom. A policy is data, so that it can be given to another process as JSON.

Which fault a request gets is a function of the seed and of the request, not of time: faults that heal also look at how
often the request was seen (the next try may succeed), faults of content do not (the same request, the same reply).
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Self, get_args

from tests.fakeserver.request import ChatRequest

FaultKind = Literal[
    # of transport
    "rate-limit", "server-error", "unavailable", "drop", "slow", "html-page", "html-ok", "bad-json-body",
    "unauthorized", "forbidden", "no-such-model", "bad-request", "out-of-credit",
    # of content
    "truncated", "fenced", "think", "reasoning", "lead-in", "trailing-comma", "smart-quotes", "control-characters",
    "refusal-field", "refusal-text", "content-filter", "filtered-400", "wrong-letter", "confidence-percent",
    "confidence-over", "confidence-negative", "confidence-missing", "empty", "prose", "wrong-schema",
    "context-too-long", "too-many-images", "key-echo",
]  # fmt: skip
FAULT_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)
HEALING: frozenset[FaultKind] = frozenset(
    ("rate-limit", "server-error", "unavailable", "drop", "slow", "html-page", "html-ok", "bad-json-body")
)

Script = Callable[[ChatRequest], "Mapping[str, Any] | str | None"]


@dataclass(frozen=True)
class Fault:
    """One kind of fault and whom it strikes."""

    kind: FaultKind
    rate: float = 1.0
    """Share of the matching requests, 0.0 to 1.0."""
    model: str = ""
    """Only requests whose model name contains this."""
    schema: str = ""
    """Only requests whose reply schema has this name."""
    contains: str = ""
    """Only requests whose text contains this."""
    first: int | None = None
    """Only the first n tries of each request: 1 means that every second try succeeds."""
    until: int | None = None
    """Only while the server has had fewer than n requests in all."""
    retry_after: str = ""
    """Header of a 429 or 503: seconds, a fraction, or an HTTP date."""
    retry_after_ms: str = ""
    delay_s: float = 1.0
    """For slow."""


@dataclass(frozen=True)
class Policy:
    """Everything about how the server behaves."""

    seed: int = 0
    delay_s: float = 0.0
    """Time that every good reply takes."""
    delays: dict[str, float] = field(default_factory=dict)
    """By model name, instead of `delay_s`."""
    faults: tuple[Fault, ...] = ()
    """The first that strikes is served. Their rates are drawn one after the other."""
    script: Script | None = None
    """Decides answers; None from it falls back to the schema. Not part of the JSON form."""
    models: tuple[str, ...] = ()
    """Names that are served; empty: any."""
    api_key: str = ""
    """If set, other keys get a 401."""
    context_tokens: int | None = None
    max_images: int | None = None
    image_tokens: int = 400
    tokenizer: Literal["rule", "cl100k_base", "o200k_base"] = "rule"
    requests_per_minute: int | None = None
    """Enforced over any 60 s; beyond it a 429 with the right Retry-After."""
    confidence: float | None = None
    """Fixed confidence of schema-driven answers; None: drawn."""
    reasoning_tokens: int = 0

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The policy of a JSON object. Raises TypeError for an unknown key."""
        known = {item.name for item in fields(cls)}
        if unknown := set(data) - known:
            raise TypeError(f"unknown policy keys: {', '.join(sorted(unknown))}")
        values = dict(data)
        values["faults"] = tuple(Fault(**fault) for fault in data.get("faults", ()))
        values["models"] = tuple(data.get("models", ()))
        return cls(**values)

    def to_json(self) -> dict[str, Any]:
        """The JSON form, without the script."""
        return {key: value for key, value in asdict(self).items() if key != "script"}

    def fault_for(self, request: ChatRequest, seen: int, total: int) -> Fault | None:
        """The fault that this try gets: `seen` tries of the same request and `total` requests came before it."""
        for index, fault in enumerate(self.faults):
            if _strikes(fault, request, seen, total) and _draw(self.seed, index, fault, request, seen) < fault.rate:
                return fault
        return None


def _strikes(fault: Fault, request: ChatRequest, seen: int, total: int) -> bool:
    return (
        fault.model in request.model
        and (not fault.schema or fault.schema == request.schema_name)
        and (not fault.contains or fault.contains in request.text)
        and (fault.first is None or seen < fault.first)
        and (fault.until is None or total < fault.until)
    )


def _draw(seed: int, index: int, fault: Fault, request: ChatRequest, seen: int) -> float:
    tries = seen if fault.kind in HEALING else 0
    return random.Random(f"{seed}/{index}/{fault.kind}/{request.key}/{tries}").random()
