"""What makes two requests the same: everything that shapes the reply, and nothing else.

In: model string, sampling parameters, rendered messages (images by content hash), reply schema, sample.
Out: address, names of seats, groups and items, prices, limits, retries. A server that moves keeps its replies, so the
model string has to name the weights; preflight refuses a panel that has one model string at two addresses.
"""

from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from gateway.render import Rendered
from records.base import canonical_json, digest
from records.calls import Request
from records.config import ModelSpec


def request_id(request: Request, rendered: Rendered, *, native_schema: bool) -> str:
    """The request's id: ``r-`` and 40 hex digits."""
    shape = {
        "model": request.model.model,
        "params": params(request),
        "messages": rendered.messages,
        "schema": schema_digest(request.reply_model),
        "native": native_schema,
        "sample": request.sample,
    }
    if request.plain:
        shape["plain"] = True
    return f"r-{digest(shape)[:40]}"


def params(request: Request) -> dict[str, Any]:
    """The sampling parameters that go to the provider, those that the model does not take left out."""
    spec = request.model
    temperature = None if spec.temperature is None else request.temperature
    wanted = {"temperature": temperature, "top_p": spec.top_p, "max_tokens": spec.max_output_tokens}
    kept = {name: value for name, value in wanted.items() if value is not None and name not in spec.drop_params}
    return kept | spec.extra_params


@lru_cache(maxsize=256)
def schema_digest(reply_model: type[BaseModel]) -> str:
    """Hash of a reply model's JSON schema, made once."""
    return digest(canonical_json(reply_model.model_json_schema()))


def line_key(spec: ModelSpec) -> tuple[str, str, str]:
    """Requests with the same key share limits: transport, model string and address."""
    return (spec.transport, spec.model, spec.api_base or "")
