"""A LiteLLM proxy through langchain-openai's ChatOpenAI, for teams that keep keys and budgets in a proxy."""

from typing import Any

from gateway.identity import params
from gateway.litellm_transport import expanded, key_of
from gateway.outcomes import failure_of
from gateway.schema import strict_schema
from gateway.transports import Completion, Exchange, ExchangeFailed
from records.calls import Usage
from records.config import ModelSpec

USUAL_KEY = "LITELLM_PROXY_API_KEY"


class ProxyTransport:
    """The transport named ``proxy``. One ChatOpenAI client for each model, address and set of parameters."""

    def __init__(self) -> None:
        self._clients: dict[str, Any] = {}

    async def send(self, exchange: Exchange) -> Completion:
        """One exchange. Raises ExchangeFailed for everything that the client throws."""
        client = self._client(exchange)
        extra: dict[str, Any] = {}
        if exchange.native_schema:
            extra["response_format"] = strict_schema(exchange.request.reply_model).response_format
        try:
            message = await client.ainvoke(exchange.messages, **extra)
        except Exception as error:
            raise failure_of(error) from error
        return _completion(message, exchange)

    def _client(self, exchange: Exchange) -> Any:
        from langchain_openai import ChatOpenAI

        spec = exchange.request.model
        sampling = params(exchange.request)
        key = repr((spec.model, spec.api_base, spec.api_key_env, spec.timeout_s, sorted(sampling.items(), key=str)))
        if key not in self._clients:
            self._clients[key] = ChatOpenAI(
                model=spec.model, base_url=expanded(spec.api_base), api_key=proxy_key(spec) or "none",
                max_retries=0, timeout=spec.timeout_s, **_constructor(sampling),
            )  # fmt: skip
        return self._clients[key]


def proxy_key(spec: ModelSpec) -> str | None:
    """The proxy's key: the model's own variable, else ``LITELLM_PROXY_API_KEY``."""
    import os

    return key_of(spec) or os.environ.get(USUAL_KEY)


def _constructor(sampling: dict[str, Any]) -> dict[str, Any]:
    """Sampling parameters as ChatOpenAI takes them: those that it does not know go into the request's body."""
    known = {"temperature", "top_p", "max_tokens", "reasoning_effort", "extra_body", "seed"}
    own = {name: value for name, value in sampling.items() if name in known}
    body = {name: value for name, value in sampling.items() if name not in known}
    if body:
        own["extra_body"] = {**own.get("extra_body", {}), **body}
    return own


def _completion(message: Any, exchange: Exchange) -> Completion:
    metadata = message.response_metadata or {}
    usage = message.usage_metadata or {}
    if not metadata and not message.content:
        raise ExchangeFailed("unavailable", "the proxy sent an empty completion", can_heal=True)
    return Completion(
        text=message.content if isinstance(message.content, str) else _text(message.content),
        reasoning=str(message.additional_kwargs.get("reasoning_content") or ""),
        refusal=str(message.additional_kwargs.get("refusal") or ""),
        finish_reason=str(metadata.get("finish_reason") or ""),
        usage=Usage(
            prompt_tokens=usage.get("input_tokens", 0),
            completion_tokens=usage.get("output_tokens", 0),
            cached_tokens=usage.get("input_token_details", {}).get("cache_read", 0) or 0,
            reasoning_tokens=usage.get("output_token_details", {}).get("reasoning", 0) or 0,
            images=exchange.images,
        ),
        provider_model=str(metadata.get("model_name") or ""),
    )


def _text(content: list[Any]) -> str:
    return "".join(block.get("text", "") for block in content if isinstance(block, dict))
