"""What calls cost: the price in the panel, or LiteLLM's price list for models that it knows.

Prices are in US dollars for one token here, for a million in configuration. LiteLLM is imported only for models
without a price of their own that are reached over a network.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from records.calls import Usage
from records.config import ModelSpec, Price

_MILLION = 1_000_000
_TIER = re.compile(r"(input|output)_cost_per_token_above_(\d+)k_tokens")


@dataclass(frozen=True, slots=True)
class Rates:
    """US dollars a token (and an image). `above` holds dearer rates for prompts longer than a number of tokens."""

    input: float
    output: float
    cached_input: float
    per_image: float = 0.0
    above: tuple[tuple[int, float, float], ...] = ()
    """(tokens, input, output), longest first."""

    def cost(self, usage: Usage) -> float:
        """What a call with this usage costs. Cached tokens are part of the prompt, reasoning of the completion."""
        rate_in, rate_out, rate_cached = self._at(usage.prompt_tokens)
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        return (
            (usage.prompt_tokens - cached) * rate_in
            + cached * rate_cached
            + usage.completion_tokens * rate_out
            + usage.images * self.per_image
        )

    def _at(self, prompt_tokens: int) -> tuple[float, float, float]:
        for limit, rate_in, rate_out in self.above:
            if prompt_tokens > limit:
                return rate_in, rate_out, min(self.cached_input * rate_in / self.input, rate_in) if self.input else 0.0
        return self.input, self.output, self.cached_input


FREE = Rates(0.0, 0.0, 0.0)


def rates_of(spec: ModelSpec) -> Rates | None:
    """The rates of a model; None where no price is known. Offline models are free."""
    if spec.is_offline:
        return FREE
    if spec.price is not None:
        return _configured(spec.price)
    return _listed(spec.model)


def cost_usd(spec: ModelSpec, usage: Usage) -> float:
    """What a call costs in US dollars; 0.0 where no price is known (preflight refuses a budget then)."""
    rates = rates_of(spec)
    return rates.cost(usage) if rates else 0.0


def _configured(price: Price) -> Rates:
    cached = price.input if price.cached_input is None else price.cached_input
    return Rates(price.input / _MILLION, price.output / _MILLION, cached / _MILLION, price.per_image)


@lru_cache(maxsize=256)
def _listed(model: str) -> Rates | None:
    from gateway.litellm_setup import model_info

    info = model_info(model)
    if not info or info.get("input_cost_per_token") is None or info.get("output_cost_per_token") is None:
        return None
    rate_in = float(info["input_cost_per_token"])
    cached = info.get("cache_read_input_token_cost")
    rates = Rates(rate_in, float(info["output_cost_per_token"]), rate_in if cached is None else float(cached))
    return replace(rates, above=_tiers(info))


def _tiers(info: dict[str, Any]) -> tuple[tuple[int, float, float], ...]:
    limits = {int(found[2]) for key in info if (found := _TIER.fullmatch(key)) and info[key] is not None}
    tiers = []
    for limit in sorted(limits, reverse=True):
        rates = [
            info.get(f"{side}_cost_per_token_above_{limit}k_tokens") or info[f"{side}_cost_per_token"]
            for side in ("input", "output")
        ]
        tiers.append((limit * 1000, float(rates[0]), float(rates[1])))
    return tuple(tiers)
