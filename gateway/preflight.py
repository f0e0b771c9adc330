"""Everything that can be known before the first paid call: keys, names, prices, images, windows, one probe a model.

All problems are listed at once, each with what to do. Only models that are used are looked at: nobody needs the key of
a provider that the panel merely mentions.
"""

import asyncio
import base64
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, Field

from gateway.call import now
from gateway.identity import line_key
from gateway.pricing import rates_of
from gateway.stops import advice, key_variable
from gateway.transports import Transport
from records.base import Record
from records.calls import CallRecord, ImagePart, Request, TextPart
from records.config import ModelSpec
from records.errors import ConfigurationError

Probe = Callable[[Request], Awaitable[CallRecord]]


class Need(Record):
    """What a role will ask of a model at most, over all groups of the run."""

    role: str
    """Such as ``judge gpt`` or ``drafter``: who is named in a problem."""
    model: ModelSpec
    images: int = 0
    """Most images in one request."""
    must_see: bool = False
    """The role makes no sense without frames."""
    prompt_tokens: int = 0
    """Longest prompt, as `gateway.estimate` counts it."""
    where: str = ""
    """The group that needs this much."""


class PreflightReport(Record):
    """What preflight found when nothing stands in the way."""

    checked: tuple[str, ...] = ()
    """One line a model."""
    warnings: tuple[str, ...] = ()
    cost_usd: float = 0.0


async def run_preflight(
    needs: Sequence[Need], transports: Mapping[str, Transport], *, budgeted: bool, ask: Probe | None
) -> PreflightReport:
    """Check the needs, then probe each model. Raises ConfigurationError that lists every problem."""
    specs = list({line_key(need.model): need.model for need in needs}.values())
    problems = [problem for spec in specs for problem in _model_problems(spec, transports, budgeted=budgeted)]
    problems += [problem for need in needs for problem in _need_problems(need)]
    problems += _address_problems(specs)
    _raise_if(problems)
    warnings = [warning for spec in specs for warning in _price_warnings(spec, budgeted=budgeted)]
    cost = 0.0
    if ask is not None:
        probed = [spec for spec in specs if not spec.is_offline]
        records = await asyncio.gather(*(ask(probe_request(spec)) for spec in probed))
        cost = sum(record.cost_usd for record in records)
        pairs = list(zip(probed, records, strict=True))
        _raise_if([_probe_problem(spec, record) for spec, record in pairs if record.outcome != "ok"])
        warnings += [warning for spec, record in pairs for warning in _probe_warnings(spec, record)]
    return PreflightReport(
        checked=tuple(f"{spec.name} ({spec.model})" for spec in specs), warnings=tuple(warnings), cost_usd=cost
    )


def _raise_if(problems: list[str]) -> None:
    if problems:
        listed = "\n".join(f"  - {problem}" for problem in dict.fromkeys(problems))
        count = len(dict.fromkeys(problems))
        raise ConfigurationError(f"{count} problem{'s' * (count > 1)} before the first call:\n{listed}")


def _address_problems(specs: Sequence[ModelSpec]) -> list[str]:
    """One model string at two addresses: replies are known by model string, so the two would share them."""
    first: dict[str, ModelSpec] = {}
    problems = []
    for spec in specs:
        other = first.setdefault(spec.model, spec)
        if other.api_base != spec.api_base:
            problems.append(
                f"{other.name} and {spec.name} both are {spec.model}, at two addresses, but replies are kept by that "
                "name; serve one of them under another name (vLLM: --served-model-name)."
            )
    return problems


# What a model needs, whoever uses it


def _model_problems(spec: ModelSpec, transports: Mapping[str, Transport], *, budgeted: bool) -> list[str]:
    if spec.is_offline:
        missing = "offline" not in transports
        return [f"{spec.name}: this command has no offline models; choose another panel."] if missing else []
    problems = _proxy_problems(spec) if spec.transport == "proxy" else _litellm_problems(spec)
    if budgeted and rates_of(spec) is None:
        problems.append(
            f"{spec.name}: no price is known for {spec.model}, so a budget cannot be kept; add "
            "price: {input: …, output: …} (US dollars for a million tokens; 0 for a server of your own), "
            "or leave --budget-usd out."
        )
    return problems


def _proxy_problems(spec: ModelSpec) -> list[str]:
    from gateway.litellm_transport import expanded
    from gateway.proxy_transport import proxy_key

    problems = []
    if not expanded(spec.api_base):
        problems.append(f"{spec.name}: transport: proxy needs api_base, the address of the LiteLLM proxy with /v1.")
    if proxy_key(spec) is None:
        problems.append(f"{spec.name}: no key for the proxy; set the environment variable {key_variable(spec)}.")
    return problems


def _litellm_problems(spec: ModelSpec) -> list[str]:
    from gateway.litellm_setup import missing_variables, provider_of
    from gateway.litellm_transport import expanded, key_of

    if provider_of(spec.model) is None:
        return [
            f"{spec.name}: {spec.model!r} names no provider that LiteLLM knows; write it as provider/model, "
            "such as openai/gpt-5 or hosted_vllm/NAME."
        ]
    if spec.api_base is not None and not expanded(spec.api_base):
        return [f"{spec.name}: api_base {spec.api_base} is empty; set that environment variable."]
    if spec.api_key_env:
        unset = key_of(spec) is None
        return [f"{spec.name}: no key; set the environment variable {spec.api_key_env}."] if unset else []
    if spec.api_base is not None:
        return []
    if provider_of(spec.model) == "hosted_vllm":
        return [f"{spec.name}: hosted_vllm/ needs api_base, the server's address with /v1."]
    return _missing(spec, missing_variables(spec.model)) + _parameter_problems(spec)


def _missing(spec: ModelSpec, missing: tuple[str, ...]) -> list[str]:
    if not missing:
        return []
    joint = " or " if all(name.endswith("_API_KEY") for name in missing) else " and "
    return [f"{spec.name}: no key for {spec.model}; set the environment variable {joint.join(missing)}."]


def _parameter_problems(spec: ModelSpec) -> list[str]:
    """Parameters that LiteLLM says the model does not take; found without a call."""
    from gateway.litellm_setup import refused_parameters

    sampling = {"temperature": spec.temperature, "top_p": spec.top_p}
    wanted = {name: value for name, value in sampling.items() if value is not None and name not in spec.drop_params}
    refused = ", ".join(refused_parameters(spec.model, wanted))
    return [f"{spec.name}: {spec.model} does not take {refused}; write drop_params: [{refused}]."] if refused else []


def _need_problems(need: Need) -> list[str]:
    spec, problems = need.model, []
    where = f" (group {need.where})" if need.where else ""
    if need.must_see and not spec.images:
        problems.append(
            f"{need.role}: {spec.name} takes no images, and this role must see frames; choose another model."
        )
    elif need.images and not spec.images:
        problems.append(f"{need.role}: {spec.name} takes no images, but would get {need.images}{where}; "
                        "set its view to frames: 0 or choose another model.")  # fmt: skip
    elif spec.max_images is not None and need.images > spec.max_images:
        problems.append(f"{need.role}: up to {need.images} images in one request{where}, but {spec.name} takes "
                        f"{spec.max_images} (max_images); show fewer frames a source (views) or choose another model. "
                        "Nothing is cut silently.")  # fmt: skip
    window = context_window(spec)
    needed = need.prompt_tokens + spec.max_output_tokens
    if window is not None and need.prompt_tokens and needed > window:
        problems.append(f"{need.role}: about {need.prompt_tokens} prompt tokens{where} and {spec.max_output_tokens} "
                        f"for the reply do not fit the {window} tokens of {spec.name}; use summaries or fewer frames "
                        "(views), a smaller max_output_tokens, or a model with a larger window.")  # fmt: skip
    return problems


def context_window(spec: ModelSpec) -> int | None:
    """A model's context window in tokens: from the panel, else from LiteLLM's list; None if neither says."""
    if spec.context_tokens is not None or spec.is_offline:
        return spec.context_tokens
    from gateway.litellm_setup import model_info

    info = model_info(spec.model) if spec.transport == "litellm" else None
    known = (info or {}).get("max_input_tokens")
    return int(known) if known else None


def _price_warnings(spec: ModelSpec, *, budgeted: bool) -> list[str]:
    if budgeted or rates_of(spec) is not None:
        return []
    return [f"{spec.name}: no price is known for {spec.model}; its calls are counted as free of charge."]


# One small real call


class ProbeReply(BaseModel):
    """What a probe must be able to say."""

    seen: str = Field(description="What the image shows, in a few words; 'nothing' if there is no image.")
    color: Literal["none", "green", "red", "blue"] = Field(description="The image's color; none if there is no image.")


def probe_request(spec: ModelSpec) -> Request:
    """A small question with an image (where the model takes images) and a schema.

    It names the moment, so that each session's probe is a request of its own: paid, journalled and never reused.
    """
    image = probe_image()
    parts: list[TextPart | ImagePart] = [TextPart(text=f"Check at {now()}. What color is the image? Reply in JSON.")]
    if spec.images:
        parts.append(ImagePart(tag="TAG_A", number=1, sha256=image[0], width=64, height=64))
    return Request(
        task="preflight", model=spec, system="You check that a connection works.", parts=tuple(parts),
        reply_model=ProbeReply, seat="preflight", unit=spec.name,
    )  # fmt: skip


def probe_image() -> tuple[str, bytes]:
    """(hash, bytes) of a red square of 64 by 64 pixels, as PNG."""
    return hashlib.sha256(_RED_PNG).hexdigest(), _RED_PNG


def _probe_problem(spec: ModelSpec, record: CallRecord) -> str:
    status = record.attempts[-1].status if record.attempts else None
    if record.outcome == "misconfigured":
        todo = advice(spec, status)
    elif record.outcome == "unavailable":
        todo = f"Check that the server at {spec.api_base or 'the provider'} runs and can be reached."
    elif record.outcome == "rate-limited":
        todo = "Wait, or raise the limit at the provider."
    elif record.outcome == "truncated":
        todo = f"Raise max_output_tokens of {spec.name}, or lower its reasoning effort (extra_params)."
    elif record.outcome == "unparsed":
        todo = f"Set json_mode: prompt for {spec.name}, or choose a model that can write JSON."
    else:
        todo = f"Choose another model in place of {spec.name}."
    return f"{spec.name} ({spec.model}): the test call failed ({record.outcome}: {record.message}). {todo}"


def _probe_warnings(spec: ModelSpec, record: CallRecord) -> list[str]:
    if not spec.images or '"color":"red"' in record.reply_json:
        return []
    return [
        f"{spec.name} ({spec.model}): shown a red square it replied {record.reply_json}; check that it sees images."
    ]


_RED_PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAUklEQVR42u3PMQ0AMAgAMJgGbvyLQsxUcJC0DppTHZe9OE5AQEBA"
    "QEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBg3wcmEwGOaV/nMwAAAABJRU5ErkJggg=="
)
