"""Why a run ends early, in words that say what to do next. Nothing is lost: the same command goes on."""

import re

from gateway.proxy_transport import USUAL_KEY
from records.config import ModelSpec
from records.errors import RunStopped

_GO_ON = "Nothing is lost: the same command goes on where this one ended."


def budget_stop(limit_usd: float, spent_usd: float) -> RunStopped:
    """The next call might exceed the budget."""
    return RunStopped(
        "budget",
        f"the budget of ${limit_usd:.2f} leaves no room for another call (${spent_usd:.4f} spent).",
        hint=f"Raise --budget-usd. {_GO_ON}",
    )


def call_limit_stop() -> RunStopped:
    """The session's number of calls is used up."""
    return RunStopped("call-limit", "the limit on calls of this session is reached.", hint=_GO_ON)


def circuit_stop(spec: ModelSpec, message: str) -> RunStopped:
    """A provider's limit lasts."""
    if re.search(r"quota|billing|credit|payment", message, re.IGNORECASE):
        todo = f"Top up the account behind {key_variable(spec)}, or wait until its quota renews."
    else:
        todo = f"Wait until it is lifted, or lower requests_per_minute or concurrency of {spec.name}."
    return RunStopped(
        "rate-limit",
        f"{spec.name} ({spec.model}): a rate limit that lasts: {message}",
        hint=f"{todo} {_GO_ON}",
    )


def misconfigured_stop(spec: ModelSpec, status: int | None, message: str) -> RunStopped:
    """Every further call to this model would fail alike."""
    return RunStopped(
        "misconfigured", f"{spec.name} ({spec.model}): {message}", hint=f"{advice(spec, status, message)} {_GO_ON}"
    )


def no_transport_stop(spec: ModelSpec) -> RunStopped:
    """The command that runs brings no road to this model."""
    kind = "offline" if spec.is_offline else spec.transport
    return RunStopped(
        "misconfigured",
        f"{spec.name} ({spec.model}): this command has no {kind} models.",
        hint=f"Choose a panel without them. {_GO_ON}",
    )


def advice(spec: ModelSpec, status: int | None, message: str = "") -> str:
    """What to look at, by HTTP status."""
    if status == 401:
        return f"Set the environment variable {key_variable(spec)} to a valid key."
    if status == 403:
        return f"The key in {key_variable(spec)} may not use this model: use another key or another model."
    if status == 404:
        where = f" and api_base: {spec.api_base}" if spec.api_base else ""
        return f"Check the panel's model: {spec.model}{where}; the server does not know it."
    if status is None and "no price" in message:
        return f"Add price: {{input: …, output: …}} to {spec.name} in the panel (US dollars for a million tokens)."
    return (
        f"Check the settings of {spec.name} in the panel: drop_params, temperature: null, json_mode: prompt or "
        "extra_params may be what it needs."
    )


def key_variable(spec: ModelSpec) -> str:
    """The environment variable that holds a model's key: its own, or the provider's usual one."""
    if spec.api_key_env:
        return spec.api_key_env
    if spec.transport == "proxy":
        return USUAL_KEY
    from gateway.litellm_setup import usual_key_variables

    return " or ".join(usual_key_variables(spec.model)) or "of the provider"
