"""LiteLLM, imported late and set up once: local price list, no telemetry, no retries of its own, quiet."""

import contextlib
import functools
import gc
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, cast

from records.config import ModelSpec


@functools.cache
def library() -> Any:
    """The litellm module. The first call takes seconds; nothing is fetched from the network."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    os.environ.setdefault("LITELLM_LOG", "ERROR")
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.num_retries = 0
    litellm.drop_params = False
    if hasattr(litellm, "response_cost_calculator"):
        litellm.response_cost_calculator = _no_second_price
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    gc.collect()
    gc.freeze()  # LiteLLM's hundred thousands of objects live as long as the process: no collection need visit them
    return litellm


def _no_second_price(**_: Any) -> None:
    """In place of LiteLLM's own pricing of each response, which costs a tenth of its CPU time: `pricing` does that."""


@functools.cache
def without_handlers() -> Callable[[], AbstractContextManager[None]]:
    """A context in which LiteLLM runs neither its cost nor its success nor its failure handlers.

    They would price and log each call a second time, for about a third of LiteLLM's CPU time. LiteLLM has this context
    for calls that it makes within a call; where a version lacks it, nothing is skipped and all else holds.
    """
    with contextlib.suppress(ImportError):
        from litellm._internal_context import internal_sub_call

        return cast(Callable[[], AbstractContextManager[None]], internal_sub_call)
    return _nothing


@contextmanager
def _nothing() -> Iterator[None]:
    yield


@functools.cache
def provider_of(model: str) -> str | None:
    """LiteLLM's provider of a model string; None where it knows none."""
    try:
        return str(library().get_llm_provider(model=model)[1])
    except Exception:  # LiteLLM raises BadRequestError, and plain exceptions for odd strings
        return None


@functools.cache
def model_info(model: str) -> dict[str, Any] | None:
    """LiteLLM's entry for a model: prices, window, what it supports. None for a model that it does not know."""
    try:
        return dict(library().get_model_info(model=model))
    except Exception:  # "This model isn't mapped yet" is a bare Exception
        return None


@functools.cache
def supports_schema(model: str, api_base: str | None) -> bool:
    """Whether a model takes a JSON schema. A server of one's own that speaks OpenAI's API is taken at its word."""
    own_server = {"hosted_vllm", "openai", "lm_studio", "ollama", "ollama_chat", "llamafile", "litellm_proxy"}
    if provider_of(model) in own_server and (api_base is not None or provider_of(model) != "openai"):
        return True
    return bool(library().supports_response_schema(model=model))


def register(spec: ModelSpec) -> None:
    """Tell LiteLLM about a model that its list does not have, so that it does not search the list on each call."""
    if model_info(spec.model) is None:
        million = 1_000_000
        entry = {
            "input_cost_per_token": (spec.price.input if spec.price else 0.0) / million,
            "output_cost_per_token": (spec.price.output if spec.price else 0.0) / million,
            "litellm_provider": provider_of(spec.model) or "openai",
            "mode": "chat",
            "max_output_tokens": spec.max_output_tokens,
        }
        library().register_model({spec.model: entry})


@functools.cache
def usual_key_variables(model: str) -> tuple[str, ...]:
    """The environment variable that LiteLLM usually reads a model's key from when none is configured."""
    provider = provider_of(model)
    return (_UNUSUAL_KEYS.get(provider, (f"{provider.upper()}_API_KEY",))) if provider else ()


def missing_variables(model: str) -> tuple[str, ...]:
    """The environment variables that LiteLLM needs for a model and does not find."""
    if provider_of(model) in _KEYLESS:
        return ()
    return tuple(library().validate_environment(model=model).get("missing_keys", ()))


_UNUSUAL_KEYS = {
    "bedrock": ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
    "vertex_ai": ("GOOGLE_APPLICATION_CREDENTIALS",),
    "huggingface": ("HF_TOKEN",),
}
_KEYLESS = frozenset(("hosted_vllm", "lm_studio", "ollama", "ollama_chat", "llamafile", "litellm_proxy"))


async def close_clients() -> None:
    """Close the connections that LiteLLM keeps open. A later call opens them again."""
    if "litellm" in sys.modules:
        with contextlib.suppress(ImportError):
            from litellm.llms.custom_httpx.async_client_cleanup import close_litellm_async_clients

            await close_litellm_async_clients()


def refused_parameters(model: str, wanted: dict[str, float]) -> tuple[str, ...]:
    """The sampling parameters (name → value) that LiteLLM says a model does not take, by name."""
    litellm = library()
    name, provider = litellm.get_llm_provider(model=model)[:2]
    refused = []
    for parameter, value in wanted.items():
        try:
            litellm.utils.get_optional_params(model=name, custom_llm_provider=provider, **{parameter: value})
        except litellm.UnsupportedParamsError:
            refused.append(parameter)
    return tuple(refused)
