"""All presets by name. A new one is a new file and one line here."""

from eval.presets.base import Preset
from eval.presets.early_late import VV_EARLY_LATE
from eval.presets.vnu import VNU_DOMAINS, VNU_TABLE2
from eval.presets.vv import VV_DISCIPLINE, VV_TABLE2, VV_TABLE5, VV_TABLE6, VV_TABLE7
from records.errors import ConfigurationError

PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        VNU_TABLE2, VNU_DOMAINS, VV_TABLE2, VV_TABLE5, VV_TABLE6, VV_TABLE7, VV_DISCIPLINE, VV_EARLY_LATE,
    )
}  # fmt: skip


def preset(name: str) -> Preset:
    """The preset of a name. Raises ConfigurationError, listing the names, for another."""
    if name not in PRESETS:
        raise ConfigurationError(f"there is no preset {name!r}.", hint=f"Presets: {', '.join(PRESETS)}.")
    return PRESETS[name]
