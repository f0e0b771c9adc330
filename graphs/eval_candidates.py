"""Which models an evaluation asks and how: candidates files, single models, flags that override them, sweeps.

``--candidates vnu`` is a packaged or own file; ``--model A`` picks names out of it, or names a packaged candidate, a
model of ``--panel``, or any LiteLLM model string. The settings of a sweep are variants of each candidate's asking.
"""

import argparse
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from graphs import configuration
from judges.panel import contaminated, related
from records.base import Record
from records.candidates import Asking, Candidate, Candidates
from records.config import ModelSpec, Panel
from records.errors import ConfigurationError

OVERRIDES = (
    "frames", "side", "jpeg_quality", "transcript", "summary_characters", "input", "reply", "batch", "circular",
    "repeats", "mend", "layout",
)  # fmt: skip
_FACTS = ("label", "llm", "section", "size_b", "asking")
OFFLINE_SUMMARIZER = ModelSpec(name="extractive-summary", model="offline/extractive-summary", transport="offline")


class Setting(Record):
    """One point of a sweep, or the plain way of asking."""

    name: str = ""
    """Such as ``frames=4``; empty outside sweeps."""
    changes: dict[str, Any] = Field(default_factory=dict)


def load_candidates(name: str) -> Candidates:
    """The candidates of a name or file. Raises ConfigurationError naming file and field."""
    path = configuration.find_config("candidates", name)
    values = configuration.read_yaml(path)
    values.setdefault("name", path.stem)
    general = values.pop("asking", {}) or {}
    entries = configuration.named_entries(values.pop("models", {}), path, "models")
    values["candidates"] = [_candidate(entry, general, path) for entry in entries]
    helpers = configuration.named_entries(values.pop("helpers", {}), path, "helpers")
    values["helpers"] = [
        configuration.validated(ModelSpec, entry, path, f"helpers.{entry['name']}") for entry in helpers
    ]
    return configuration.validated(Candidates, values, path)


def _candidate(entry: dict[str, Any], general: Mapping[str, Any], path: Path) -> Candidate:
    facts = {name: entry.pop(name) for name in _FACTS if name in entry}
    where = f"models.{entry['name']}"
    own = facts.pop("asking", {}) or {}
    spec = configuration.validated(ModelSpec, entry, path, where)
    asking = configuration.validated(Asking, {**general, **own}, path, f"{where}.asking")
    return configuration.validated(Candidate, {"spec": spec, "asking": asking, **facts}, path, where)


def choose_candidates(arguments: argparse.Namespace) -> Candidates:
    """The candidates that the flags name, as the flags want them asked.

    Raises ConfigurationError for an unknown name, for nothing to ask, and for settings that do not go together.
    """
    file = load_candidates(arguments.candidates) if arguments.candidates else Candidates(name="models")
    panel = configuration.load_panel(arguments.panel) if arguments.panel else None
    names = [name for text in arguments.model for name in text.split(",") if name.strip()]
    chosen = [_named(name.strip(), file, panel, arguments.api_base) for name in dict.fromkeys(names)]
    found = tuple(chosen) or file.candidates
    if not found:
        raise ConfigurationError("no candidate to ask.", hint="Give --model NAME or --candidates FILE.")
    _refuse_embedded_that_answer_nothing(found)
    changed = file.model_copy(update={"candidates": tuple(_as_asked(one, arguments) for one in found)})
    kept = {candidate.name for candidate in changed.candidates}
    spare = tuple(c.spec for c in file.candidates if c.name not in kept)
    return _with_helpers(changed.model_copy(update={"helpers": (*changed.helpers, *spare)}), arguments, panel)


def _refuse_embedded_that_answer_nothing(candidates: Iterable[Candidate]) -> None:
    from offline.answering import SOLVERS

    for candidate in candidates:
        if candidate.spec.is_offline and candidate.spec.model not in SOLVERS:
            raise ConfigurationError(
                f"{candidate.name}: {candidate.spec.model} is no embedded model that answers questions.",
                hint=f"These are: {', '.join(SOLVERS)}.",
            )


def _named(name: str, file: Candidates, panel: Panel | None, api_base: str | None) -> Candidate:
    """A candidate by its name in the file, in the panel, in a packaged file, or as a LiteLLM model string."""
    for candidate in file.candidates:
        if candidate.name == name:
            return candidate
    if panel and name in {model.name for model in panel.models}:
        return Candidate(spec=panel.model(name))
    if "/" in name:
        return Candidate(spec=ModelSpec(name=name, model=name, api_base=api_base, **_embedded(name)))
    for packaged in configuration.names_of("candidates"):
        for candidate in load_candidates(packaged).candidates:
            if candidate.name == name:
                return candidate
    raise ConfigurationError(
        f"--model {name}: no candidate of that name.",
        hint="Give a LiteLLM model string such as openai/gpt-5.6-luna, or a name in the --candidates or --panel file.",
    )


def _embedded(name: str) -> dict[str, Any]:
    """The embedded models read no pictures and cost nothing."""
    if not name.startswith("offline/"):
        return {}
    return {"transport": "offline", "images": False, "price": {"input": 0, "output": 0}}


def _as_asked(candidate: Candidate, arguments: argparse.Namespace) -> Candidate:
    """The candidate with what the command line says about asking, pace and time."""
    changes = {name: value for name in OVERRIDES if (value := getattr(arguments, name, None)) is not None}
    if candidate.spec.is_offline:
        changes["batch"] = 1
    spec: dict[str, Any] = {}
    if arguments.max_connections is not None:
        spec["concurrency"] = arguments.max_connections
    if arguments.timeout is not None:
        spec["timeout_s"] = arguments.timeout
    if arguments.temperature is not None:
        spec["temperature"] = arguments.temperature
    return candidate.model_copy(
        update={"asking": changed(candidate, changes), "spec": candidate.spec.model_copy(update=spec)}
    )


def changed(candidate: Candidate, changes: Mapping[str, Any]) -> Asking:
    """A candidate's asking with changes. Raises ConfigurationError naming the candidate and the field."""
    try:
        return Asking.model_validate({**candidate.asking.model_dump(), **changes})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise ConfigurationError(f"{candidate.name}: {f'{place}: ' if place else ''}{message}.") from error


def _with_helpers(found: Candidates, arguments: argparse.Namespace, panel: Panel | None) -> Candidates:
    """Summarizer and captioner of flag, file or panel; the embedded summary where only embedded models are asked."""
    for role in ("summarizer", "captioner"):
        name = getattr(arguments, role) or getattr(found, role) or (getattr(panel, role) if panel else None)
        if name:
            spec = _helper(name, found, panel, arguments.api_base)
            found = found.model_copy(update={role: spec.name})
            if spec.name not in {model.name for model in _models(found)}:
                found = found.model_copy(update={"helpers": (*found.helpers, spec)})
    if not found.summarizer and all(candidate.spec.is_offline for candidate in found.candidates):
        helpers = (*found.helpers, OFFLINE_SUMMARIZER)
        found = found.model_copy(update={"helpers": helpers, "summarizer": OFFLINE_SUMMARIZER.name})
    return found


def _helper(name: str, found: Candidates, panel: Panel | None, api_base: str | None) -> ModelSpec:
    known = {model.name: model for model in _models(found)}
    return known[name] if name in known else _named(name, Candidates(name=""), panel, api_base).spec


def _models(found: Candidates) -> tuple[ModelSpec, ...]:
    return (*(candidate.spec for candidate in found.candidates), *found.helpers)


def settings_of(arguments: argparse.Namespace) -> tuple[Setting, ...]:
    """The settings to ask: the plain one, or every point of the sweeps. Raises ConfigurationError."""
    if not arguments.sweep:
        return (Setting(),)
    points = [point for text in arguments.sweep for point in read_sweep(text)]
    return tuple({point.name: point for point in points}.values())


def read_sweep(text: str) -> tuple[Setting, ...]:
    """``frames=1,2,4`` gives three settings. Raises ConfigurationError for what cannot be swept."""
    name, equals, values = text.partition("=")
    if not equals or name not in ("frames", "side") or not values.strip(" ,"):
        raise ConfigurationError(f"--sweep {text}: write frames=1,2,4,6,8 or side=270,540,1080.")
    points = []
    for value in (value.strip() for value in values.split(",") if value.strip()):
        if name == "side" and not value.isdigit():
            raise ConfigurationError(f"--sweep {text}: {value!r} is not a number of pixels.")
        points.append(Setting(name=f"{name}={value}", changes={name: int(value) if name == "side" else value}))
    return tuple(points)


def refuse_contaminated(
    candidates: Iterable[Candidate], drafters: Iterable[ModelSpec], judges: Iterable[ModelSpec], *, allow: bool
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Candidate → why its score is suspect; and notes about relatives of the models that made the items.

    Raises ConfigurationError where a candidate drafted or judged, unless `allow`.
    """
    drafters, judges = tuple(drafters), tuple(judges)
    suspect: dict[str, str] = {}
    notes: list[str] = []
    for candidate in candidates:
        did = [
            what for what, models in (("drafted", drafters), ("judged", judges)) if contaminated(candidate.spec, models)
        ]
        if did:
            suspect[candidate.name] = f"{' and '.join(did)} these items"
        else:
            notes += [
                f"{line}; it drafted or judged these items" for line in related(candidate.spec, _once(drafters, judges))
            ]
    if suspect and not allow:
        listed = "; ".join(f"{name} {why}" for name, why in suspect.items())
        raise ConfigurationError(
            f"a model that made a benchmark may not be scored on it: {listed}.",
            hint="Leave it out, or say --allow-contaminated: every table then says so.",
        )
    return suspect, tuple(notes)


def _once(*groups: tuple[ModelSpec, ...]) -> tuple[ModelSpec, ...]:
    return tuple({model.model: model for group in groups for model in group}.values())
