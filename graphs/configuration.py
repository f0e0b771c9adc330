"""Reads panel and track files: one YAML each, validated; an unknown key is an error that lists the valid ones.

``--panel paper`` finds a file ``paper`` or ``paper.yaml`` from the current folder first, then the packaged
``configs/panels/paper.yaml``. ``${VAR}`` and ``${VAR:-default}`` are expanded; `.env` in the current folder is read.
Keys are never in a file: a value that looks like one is refused.
"""

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from records.config import ModelSpec, Panel, Track
from records.errors import ConfigurationError

CONFIGS = Path(__file__).resolve().parents[1] / "configs"
_VARIABLE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}")
_LOOKS_SECRET = re.compile(r"\b(sk|key|AIza|xai|hf)[-_][A-Za-z0-9_-]{16,}|\bAIza[A-Za-z0-9_-]{30,}")
Model = TypeVar("Model", bound=BaseModel)


def read_environment() -> None:
    """Reads `.env` of the current folder; variables that are already set win."""
    if Path(".env").is_file():
        from dotenv import load_dotenv

        load_dotenv(".env", override=False)


def find_config(kind: str, name: str) -> Path:
    """The file of a name: a local path first, then the packaged one.

    Raises ConfigurationError listing the packaged names.
    """
    packaged = CONFIGS / kind
    for path in (Path(name), Path(f"{name}.yaml"), packaged / name, packaged / f"{name}.yaml"):
        if path.is_file():
            return path
    known = ", ".join(names_of(kind))
    raise ConfigurationError(f"no {kind[:-1]} named {name!r}.", hint=f"Give a YAML file, or one of: {known}.")


def names_of(kind: str) -> tuple[str, ...]:
    """The packaged names of a kind (panels, tracks, candidates), sorted."""
    return tuple(sorted(path.stem for path in (CONFIGS / kind).glob("*.yaml")))


def load_panel(name: str) -> Panel:
    """The panel of a name or file. Raises ConfigurationError naming file and field."""
    path = find_config("panels", name)
    values = read_yaml(path)
    values.setdefault("name", path.stem)
    values["models"] = named_entries(values.get("models", {}), path, "models")
    values["judges"] = [_seat(entry, path, "judges") for entry in _list(values.get("judges"), path, "judges")]
    values["reserves"] = [_seat(entry, path, "reserves") for entry in _list(values.get("reserves"), path, "reserves")]
    if isinstance(values.get("drafters"), str):
        values["drafters"] = [values["drafters"]]
    return validated(Panel, values, path)


def choose_panel(name: str | None, settings: Iterable[str] = ()) -> Panel:
    """The panel of a name or file, or the offline one where none is named, with ``--set`` changes applied.

    Raises ConfigurationError naming file and field.
    """
    panel = load_panel(name or "offline")
    changes = [_change(setting) for setting in settings]
    if not changes:
        return panel
    values = panel.model_dump(mode="json")
    for path, value in changes:
        _apply(values, path, value)
    return validated(Panel, values, Path("--set"))


def with_speed(panel: Panel, max_connections: int | None, timeout_s: float | None) -> Panel:
    """The panel with limits of the command line on every model; they shape no reply."""
    changes: dict[str, Any] = {}
    if max_connections is not None:
        if max_connections < 1:
            raise ConfigurationError(f"--max-connections must be at least 1, not {max_connections}.")
        changes["concurrency"] = max_connections
    if timeout_s is not None:
        changes["timeout_s"] = timeout_s
    return panel.model_copy(update={"models": tuple(model.model_copy(update=changes) for model in panel.models)})


def _change(setting: str) -> tuple[list[str], Any]:
    path, equals, value = setting.partition("=")
    if not equals or not path.strip():
        raise ConfigurationError(f"--set {setting}: write it as KEY=VALUE, such as checks.blind.enabled=true.")
    return path.strip().split("."), yaml.safe_load(value)


def _apply(values: Any, path: list[str], value: Any) -> None:
    """Sets a dotted path; an entry of `models`, `judges` or `reserves` is named by its name or seat."""
    here = values
    for step in path[:-1]:
        entry = here.get(step) if isinstance(here, dict) else _entry(here, step)
        if not isinstance(entry, (dict, list)):
            raise ConfigurationError(f"--set {'.'.join(path)}: there is nothing named {step!r}.")
        here = entry
    here[path[-1]] = value


def _entry(entries: Any, name: str) -> Any:
    found = [entry for entry in entries if isinstance(entry, dict) and name in (entry.get("name"), entry.get("seat"))]
    return found[0] if found else None


def load_track(name: str) -> Track:
    """The track of a name or file. Raises ConfigurationError naming file and field."""
    path = find_config("tracks", name)
    values = read_yaml(path)
    values.setdefault("name", path.stem)
    return validated(Track, values, path)


def load_models(name: str, kind: str = "candidates") -> tuple[ModelSpec, ...]:
    """The models of a candidates file, in its order. Raises ConfigurationError naming file and field."""
    path = find_config(kind, name)
    values = read_yaml(path)
    entries = named_entries(values.get("models", {}), path, "models")
    return tuple(validated(ModelSpec, entry, path, f"models.{entry['name']}") for entry in entries)


def used_models(panel: Panel, *, drafting: bool = True) -> tuple[ModelSpec, ...]:
    """The models that a run with this panel may ask, each once, in the order of their roles."""
    roles: list[str | None] = [*panel.drafters] if drafting else []
    roles += [panel.captioner, panel.summarizer, *(panel.roles.values() if drafting else ())]
    roles += [*(seat.model for seat in (*panel.judges, *panel.reserves))]
    return tuple(panel.model(name) for name in dict.fromkeys(name for name in roles if name))


def is_offline(panel: Panel) -> bool:
    """True when no model that this panel uses needs a network."""
    return all(model.is_offline for model in used_models(panel))


def read_yaml(path: Path) -> dict[str, Any]:
    """A YAML mapping with variables expanded. Raises ConfigurationError with the line of a syntax error."""
    return {key: _expanded(value, f"{path}: {key}") for key, value in read_raw(path).items()}


def read_raw(path: Path) -> dict[str, Any]:
    """A YAML mapping as it stands. Raises ConfigurationError with the line of a syntax error."""
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{path}: not valid YAML: {error}", hint="Mend the line named above.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: cannot be read: {error}") from error
    if not isinstance(values, dict):
        raise ConfigurationError(f"{path}: must be a mapping of settings.", hint="See docs/configuration.md.")
    return {str(key): value for key, value in values.items()}


def validated(model: type[Model], values: dict[str, Any], path: Path, where: str = "") -> Model:
    """A record from a file's values. Raises ConfigurationError with one line a fault and the valid keys."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        lines = [_fault(model, values, fault, where) for fault in error.errors()]
        raise ConfigurationError(f"{path}: " + "\n  ".join(lines)) from error


def _fault(model: type[BaseModel], values: dict[str, Any], fault: Any, where: str) -> str:
    location = _location(fault["loc"], values, where)
    if fault["type"] != "extra_forbidden":
        return f"{location}: {fault['msg'].removeprefix('Value error, ')}".removeprefix(": ")
    keys = ", ".join(sorted(_fields_at(model, fault["loc"][:-1])))
    return f"{location}: there is no such setting. Valid here: {keys}."


def _location(loc: tuple[int | str, ...], values: Any, where: str) -> str:
    """A dotted path that names list entries (models, seats) by their name instead of their number."""
    parts, here = [where] if where else [], values
    for step in loc:
        try:
            here = here[step]
        except (KeyError, IndexError, TypeError):
            here = None
        name = here.get("name", here.get("seat")) if isinstance(step, int) and isinstance(here, dict) else None
        parts.append(str(name or step))
    return ".".join(parts)


def _fields_at(model: type[BaseModel], loc: Iterable[int | str]) -> Iterable[str]:
    here: Any = model
    for step in loc:
        if isinstance(step, str) and isinstance(here, type) and issubclass(here, BaseModel):
            here = here.model_fields[step].annotation if step in here.model_fields else here
            here = next((part for part in _parts(here) if isinstance(part, type) and issubclass(part, BaseModel)), here)
    return here.model_fields if isinstance(here, type) and issubclass(here, BaseModel) else ()


def _parts(annotation: Any) -> tuple[Any, ...]:
    inner = getattr(annotation, "__args__", ())
    return (annotation, *(part for item in inner for part in _parts(item)))


def named_entries(value: Any, path: Path, field: str) -> list[dict[str, Any]]:
    """A mapping name → settings as a list of settings with their name; a list passes as it is.

    Raises ConfigurationError naming file and field.
    """
    if isinstance(value, list):
        return value
    if not isinstance(value, dict):
        raise ConfigurationError(f"{path}: {field}: must be a mapping from a model's name to its settings.")
    entries = []
    for name, settings in value.items():
        settings = {"model": settings} if isinstance(settings, str) else settings
        if not isinstance(settings, dict):
            raise ConfigurationError(f"{path}: {field}.{name}: must be a mapping of settings, or a model string.")
        entries.append({"name": str(name), **settings})
    return entries


def _list(value: Any, path: Path, field: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise ConfigurationError(f"{path}: {field}: must be a list.")
    return value


def _seat(entry: Any, path: Path, field: str) -> dict[str, Any]:
    if isinstance(entry, str):
        return {"seat": entry, "model": entry}
    if not isinstance(entry, dict) or "model" not in entry:
        raise ConfigurationError(f"{path}: {field}: each entry is a model's name, or a mapping with `model:`.")
    return {"seat": entry["model"], **entry}


def _expanded(value: Any, where: str) -> Any:
    if isinstance(value, dict):
        return {key: _expanded(item, f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, list):
        return [_expanded(item, where) for item in value]
    if not isinstance(value, str):
        return value
    if _LOOKS_SECRET.search(value):
        raise ConfigurationError(
            f"{where}: this looks like a key.", hint="Put it into an environment variable and name that: api_key_env."
        )
    return _VARIABLE.sub(lambda match: _variable(match, where), value)


def _variable(match: re.Match[str], where: str) -> str:
    name, default = match["name"], match["default"]
    value = os.environ.get(name, default)
    if value is None:
        raise ConfigurationError(
            f"{where}: the environment variable {name} is not set.",
            hint=f"Set it, or give a default: ${{{name}:-value}}.",
        )
    return value
