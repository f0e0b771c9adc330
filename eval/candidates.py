"""What tables say about a candidate besides its scores: language model, frames, section, and whether it is suspect.

Example of a file for ``--models``: ``{qwen: {label: Qwen2.5-VL-72B, llm: Qwen2.5-72B-Instruct, frames: 1fps(300),
section: Open-source Video LMMs, size_b: 72}}``.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml
from pydantic import ValidationError

from eval.metrics import ModelScores
from records.base import Record
from records.benchmark import BenchmarkItem
from records.errors import ConfigurationError
from records.model_names import canonical_name


class CandidateInfo(Record):
    """Facts for tables. All optional."""

    label: str = ""
    """Name in tables; the model's name if empty."""
    llm: str = ""
    """The language model inside."""
    frames: str = ""
    """How frames were sampled, such as ``1fps(300)`` or ``16f``."""
    section: str = ""
    """Heading under which the row stands, such as ``Proprietary LMMs``."""
    size_b: float | None = None
    """Parameters in billions; the 7B/8B class is compared apart in `vv-table2`."""
    contaminated: str = ""
    """Why the score is suspect, such as ``judged these items``; shown in every table."""


Infos = Mapping[str, CandidateInfo]


def read_infos(path: Path) -> dict[str, CandidateInfo]:
    """Read a YAML file of model name → facts. Raises ConfigurationError for unknown keys."""
    try:
        value = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        return {str(name): CandidateInfo.model_validate(facts or {}) for name, facts in value.items()}
    except FileNotFoundError as error:
        raise ConfigurationError(f"{path}: no such file.") from error
    except (yaml.YAMLError, AttributeError) as error:
        raise ConfigurationError(f"{path}: a mapping from model names to facts is expected ({error}).") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        known = ", ".join(CandidateInfo.model_fields)
        raise ConfigurationError(f"{path}: {place}: {first['msg']}.", hint=f"Valid keys: {known}.") from error


def with_makers(infos: Infos, items: Iterable[BenchmarkItem], models: Iterable[str]) -> dict[str, CandidateInfo]:
    """The facts, with every model marked as suspect that the items name as their drafter or judge.

    Names are compared without provider and spelling; what `infos` says already is kept.
    """
    items = tuple(items)
    made = {
        "drafted": {canonical_name(item.drafter) for item in items if item.drafter},
        "judged": {canonical_name(name) for item in items for name in item.judges},
    }
    found = dict(infos)
    for model in dict.fromkeys(models):
        info = found.get(model, CandidateInfo())
        did = " and ".join(what for what, names in made.items() if canonical_name(model) in names)
        if did and not info.contaminated:
            found[model] = info.model_copy(update={"contaminated": f"{did} these items"})
    return found


def label(scores: ModelScores, infos: Infos) -> str:
    """The row's name, as `name_of` gives it."""
    return name_of(scores.model, scores.setting, infos)


def name_of(model: str, setting: str, infos: Infos) -> str:
    """A candidate in tables: label (or model), the sweep's setting, and ``‡`` for a suspect score."""
    info = infos.get(model, CandidateInfo())
    name = info.label or model
    name = f"{name} [{setting}]" if setting else name
    return f"{name} ‡" if info.contaminated else name


def is_suspect(scores: ModelScores, infos: Infos) -> bool:
    """Whether the model had a hand in the items."""
    return bool(infos.get(scores.model, CandidateInfo()).contaminated)


def suspect_notes(models: Iterable[str], infos: Infos) -> tuple[str, ...]:
    """What ``‡`` means, for each suspect model among these."""
    suspects = (model for model in dict.fromkeys(models) if model in infos and infos[model].contaminated)
    return tuple(f"‡ {infos[model].label or model}: {infos[model].contaminated}." for model in suspects)


def section(scores: ModelScores, infos: Infos) -> str:
    """The heading above the row; empty for none."""
    return infos.get(scores.model, CandidateInfo()).section


def in_sections(scores: tuple[ModelScores, ...], infos: Infos) -> tuple[ModelScores, ...]:
    """The same scores with those of one section together, sections in order of first appearance in the facts' file."""
    order = list(dict.fromkeys(info.section for info in infos.values()))
    known = {name: place for place, name in enumerate(order)}
    return tuple(sorted(scores, key=lambda s: known.get(section(s, infos), len(order))))
