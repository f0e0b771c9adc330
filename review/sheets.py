"""Reads score sheets: ``load_sheet("vnu")`` finds ``vnu.yaml`` here or in ``configs/sheets``, or takes any YAML file.

Every fault is an error that names the file, the field and what is allowed there.
"""

from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from records.errors import ConfigurationError
from records.review import Advice, Dimension, Level, Policy, Sheet

FOLDER = Path(__file__).resolve().parents[1] / "configs" / "sheets"
Model = TypeVar("Model", bound=BaseModel)
_PARTS: dict[str, type[BaseModel]] = {"dimensions": Dimension, "levels": Level, "policy": Policy, "advice": Advice}


def load_sheet(name: str | Path) -> Sheet:
    """The sheet of a packaged name or a YAML file. Raises ConfigurationError naming file and field."""
    path = find_sheet(str(name))
    values = _mapping(path)
    values.setdefault("name", path.stem)
    return _validated(Sheet, values, path)


def load_policy(path: Path, sheet: Sheet) -> Policy:
    """A policy from a file of its own, or from the ``policy`` of a sheet's file.

    Raises ConfigurationError for a fault, and for a policy that cannot decide on the scores of `sheet`: one without the
    threshold that its rule needs would let everything pass.
    """
    values = _mapping(path)
    policy = values.get("policy", {}) if "dimensions" in values else values
    if isinstance(policy, dict):
        _validated(Policy, {name: value for name, value in policy.items() if name != "advice"}, path)
    return _validated(Sheet, {**sheet.model_dump(), "policy": policy}, path).policy


def sheet_for(track: str) -> Sheet:
    """The packaged sheet for a track. Raises ConfigurationError if there is none."""
    for name in sheet_names():
        sheet = load_sheet(FOLDER / f"{name}.yaml")
        if track in sheet.tracks or track == name:
            return sheet
    raise ConfigurationError(
        f"no score sheet is made for the track {track!r}.",
        hint=f"Choose one with --sheet: {', '.join(sheet_names())}, or a YAML file of your own.",
    )


def find_sheet(name: str) -> Path:
    """The file of a name: a local path first, then the packaged one. Raises ConfigurationError listing the names."""
    for path in (Path(name), Path(f"{name}.yaml"), FOLDER / f"{name}.yaml"):
        if path.is_file():
            return path
    raise ConfigurationError(
        f"no score sheet named {name!r}.", hint=f"Give a YAML file, or one of: {', '.join(sheet_names())}."
    )


def sheet_names() -> tuple[str, ...]:
    """The packaged sheets, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))


def _mapping(path: Path) -> dict[str, Any]:
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{path}: not valid YAML: {error}", hint="Mend the line named above.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: cannot be read: {error}.") from error
    if not isinstance(values, dict):
        raise ConfigurationError(f"{path}: must hold a mapping.", hint="configs/sheets/vnu.yaml shows one.")
    return values


def _validated(kind: type[Model], values: dict[str, Any], path: Path) -> Model:
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        lines = "; ".join(_line(kind, one) for one in error.errors(include_url=False))
        raise ConfigurationError(
            f"{path}: {lines}.", hint="docs/review.md lists every field of a score sheet."
        ) from error


def _line(kind: type[BaseModel], error: Any) -> str:
    place = ".".join(str(part) for part in error["loc"])
    message = str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        fields = ", ".join(_part(kind, error["loc"]).model_fields)
        message = f"unknown field (there are: {fields})"
    return f"{place}: {message}" if place else message


def _part(kind: type[BaseModel], place: tuple[Any, ...]) -> type[BaseModel]:
    named = [_PARTS[part] for part in place[:-1] if part in _PARTS]
    return named[-1] if named else kind
