"""Providers and local servers through `litellm.acompletion`: one exchange, no retries, no second bookkeeping."""

import asyncio
import os
import re
from typing import Any

from gateway.identity import params
from gateway.litellm_setup import close_clients, library, provider_of, register, without_handlers
from gateway.loop import IN_PLACE
from gateway.outcomes import failure_of
from gateway.schema import strict_schema
from gateway.transports import Completion, Exchange, ExchangeFailed
from records.calls import Usage
from records.config import ModelSpec

_PURE = frozenset(("hosted_vllm", "openai"))
"""Providers whose calls LiteLLM prepares without any input or output (no tokens to refresh, nothing to fetch)."""
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


class LiteLLMTransport:
    """The transport named ``litellm``. litellm is imported when it is first needed, which takes some seconds."""

    async def prepare(self, spec: ModelSpec) -> None:
        """Import litellm without holding up the event loop, and tell it about the model."""
        await asyncio.to_thread(library)
        register(spec)

    async def send(self, exchange: Exchange) -> Completion:
        """One exchange. Raises ExchangeFailed for everything that litellm throws."""
        litellm = library()
        token = IN_PLACE.set(provider_of(exchange.request.model.model) in _PURE)
        try:
            with without_handlers()():
                response = await litellm.acompletion(**_arguments(exchange))
        except Exception as error:
            raise failure_of(error) from error
        finally:
            IN_PLACE.reset(token)
        return completion_of(response, exchange)

    async def close(self) -> None:
        """Close the connections."""
        await close_clients()


def expanded(address: str | None) -> str | None:
    """An address with ``${VAR}`` and ``${VAR:-default}`` replaced from the environment."""
    if address is None:
        return None
    return _VARIABLE.sub(lambda found: os.environ.get(found[1], found[2] or ""), address)


def key_of(spec: ModelSpec) -> str | None:
    """The model's key from its own environment variable; None leaves it to the provider's usual one."""
    return os.environ.get(spec.api_key_env) if spec.api_key_env else None


def _key_argument(spec: ModelSpec) -> str | None:
    """A server of one's own behind ``openai/`` needs no key, but the client refuses to start without one."""
    if spec.api_base and not spec.api_key_env and provider_of(spec.model) == "openai":
        return os.environ.get("OPENAI_API_KEY") or "none"
    return key_of(spec)


def _arguments(exchange: Exchange) -> dict[str, Any]:
    request = exchange.request
    spec = request.model
    arguments = {
        "model": spec.model,
        "messages": exchange.messages,
        "api_base": expanded(spec.api_base),
        "api_key": _key_argument(spec),
        "timeout": spec.timeout_s,
        "num_retries": 0,
        "max_retries": 0,
        **params(request),
    }
    if exchange.native_schema:
        arguments["response_format"] = strict_schema(request.reply_model).response_format
    return {name: value for name, value in arguments.items() if value is not None}


def completion_of(response: Any, exchange: Exchange) -> Completion:
    """A chat completion in OpenAI's form as a Completion. Raises ExchangeFailed for one without a choice."""
    choices = getattr(response, "choices", None)
    if not choices:
        raise ExchangeFailed("unavailable", "the server sent a completion without a choice", can_heal=True)
    message = choices[0].message
    content = message.content
    if isinstance(content, list):
        content = "".join(block.get("text", "") for block in content if isinstance(block, dict))
    return Completion(
        text=content or "",
        reasoning=_reasoning(message),
        refusal=getattr(message, "refusal", None) or "",
        finish_reason=choices[0].finish_reason or "",
        usage=usage_of(getattr(response, "usage", None), exchange),
        provider_model=getattr(response, "model", None) or "",
    )


def _reasoning(message: Any) -> str:
    reasoning = getattr(message, "reasoning_content", None) or getattr(message, "reasoning", None) or ""
    return reasoning if isinstance(reasoning, str) else ""


def usage_of(usage: Any, exchange: Exchange) -> Usage:
    """Token counts in OpenAI's form as a Usage."""
    prompt_details = getattr(usage, "prompt_tokens_details", None)
    completion_details = getattr(usage, "completion_tokens_details", None)
    return Usage(
        prompt_tokens=getattr(usage, "prompt_tokens", None) or 0,
        completion_tokens=getattr(usage, "completion_tokens", None) or 0,
        cached_tokens=getattr(prompt_details, "cached_tokens", None) or 0,
        reasoning_tokens=getattr(completion_details, "reasoning_tokens", None) or 0,
        images=exchange.images,
    )
