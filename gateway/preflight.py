"""Everything that can be known before the first paid call: keys, names, prices, images, windows, one probe a seat."""

from records.base import Record
from records.config import ModelSpec


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
