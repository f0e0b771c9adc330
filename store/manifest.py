"""What a run says about itself in `run.yaml`, with secrets masked, and when two sessions are the same run.

Example: a second session with another seed gives ``differences(old, new) == ("seed: 7 in the run, 8 now",)``.
Fields that shape no reply (limits, addresses, prices) may change between sessions of one run.
"""

import os
import platform
import re
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, ValidationError

from records.base import Record
from records.config import Panel, Track
from records.errors import RunError
from store.files import replacing
from store.lock import now

FILE = "run.yaml"
MASK = "***"

_HEADER = """\
# A run of Benchwright: what it was. Written once when the run began; later sessions are in run.sqlite (table
# `sessions`). Resuming compares this file with the new settings, so do not edit it: start another run instead.
"""
_SECRET_NAME = re.compile(
    r"(^|[_-])(api[_-]?key|key|secret|password|passwd|authorization|access[_-]?token|auth[_-]?token|token|credential)s?$",
    re.IGNORECASE,
)
_SECRET_VALUE = re.compile(
    r"\b(sk-[A-Za-z0-9_-]{12,}|AIza[A-Za-z0-9_-]{20,}|hf_[A-Za-z0-9]{16,}|gh[pous]_[A-Za-z0-9]{20,})"
)
_BEARER = re.compile(r"\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE)
_USERINFO = re.compile(r"(?<=://)[^/@\s:]*:[^/@\s]+(?=@)")
_NO_MATTER = {
    "description", "price", "concurrency", "requests_per_minute", "tokens_per_minute", "timeout_s", "retries",
    "prefix_cache", "api_base", "api_key_env", "image_tokens", "context_tokens", "max_images", "cost_rank",
}  # fmt: skip
"""Settings of a model, panel or track that shape no reply and no decision."""
_COMPARED = ("kind", "panel", "track", "seed", "groups", "options", "prompts")
_PACKAGES = (
    "benchwright", "pydantic", "litellm", "instructor", "langgraph", "sqlalchemy", "av", "opencv-python-headless",
    "imagehash", "pysubs2", "jieba", "bm25s", "scipy", "numpy", "pillow",
)  # fmt: skip


class RunManifest(Record):
    """The resolved configuration of a run. Everything but `created`, `command` and the versions must stay equal."""

    kind: str = "generate"
    """The command that made the run: generate, judge, evaluate, annotate."""
    created: str = ""
    """ISO time, UTC; filled in by `Run.create`."""
    command: tuple[str, ...] = ()
    """The command line of the first session."""
    seed: int = 0
    groups: dict[str, str] = Field(default_factory=dict)
    """Group id → folder, for people; only the ids are compared, so that the videos may move."""
    panel: Panel | None = None
    track: Track | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    """The other settings that shape the result: types, per_type, limit, drafts file and its hash."""
    prompts: dict[str, str] = Field(default_factory=dict)
    """Prompt file → SHA-256."""
    planned_drafts: int = 0
    """Drafting slots of the whole run, for progress; 0 where unknown."""
    judgement_set: str = "main"
    """Name of the first judgement set."""
    commit: str = ""
    """Commit of the code, with ``+changes`` where the tree was not clean; empty for an installed wheel."""
    packages: dict[str, str] = Field(default_factory=dict)
    python: str = ""
    database: str = "sqlite"
    """``sqlite`` (the file run.sqlite here) or a masked PostgreSQL address."""


def package_versions() -> dict[str, str]:
    """Versions of the installed packages that shape a run; those that are not installed are left out."""
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def python_version() -> str:
    """Such as ``3.11.7 (CPython, Linux x86_64)``."""
    implementation, system, machine = platform.python_implementation(), platform.system(), platform.machine()
    return f"{platform.python_version()} ({implementation}, {system} {machine})"


def masked(value: Any, environment: Mapping[str, str] | None = None) -> Any:
    """A copy of plain data (dicts, lists, strings) in which nothing secret is left.

    Hidden are values under names such as ``api_key``, ``Authorization`` or ``password``, passwords in addresses,
    strings that look like a key, and every secret of the environment wherever it occurs.
    """
    secrets = _environment_secrets(os.environ if environment is None else environment)
    return _mask(value, "", secrets)


def masked_words(words: Iterable[str]) -> tuple[str, ...]:
    """A command line without secrets: also the word after ``--api-key`` and its kin is hidden."""
    out: list[str] = []
    hide = False
    for word in words:
        name, equals, _ = word.partition("=")
        secret = bool(_SECRET_NAME.search(name.lstrip("-"))) and word.startswith("-")
        out.append(MASK if hide else f"{name}={MASK}" if secret and equals else str(masked(word)))
        hide = secret and not equals
    return tuple(out)


def mask_manifest(manifest: RunManifest) -> RunManifest:
    """The same manifest as it may be written to a file."""
    plain = masked(manifest.model_dump(mode="json"))
    return RunManifest.model_validate({**plain, "command": masked_words(manifest.command)})


def described(manifest: RunManifest, database_url: str = "") -> RunManifest:
    """A manifest as it is written: masked, and with the facts about this machine and moment filled in."""
    facts = {
        "created": manifest.created or now(),
        "packages": manifest.packages or package_versions(),
        "python": manifest.python or python_version(),
        "database": str(masked(database_url)) if database_url.startswith("postgres") else "sqlite",
    }
    return mask_manifest(manifest.model_copy(update=facts))


def differences(old: RunManifest, new: RunManifest) -> tuple[str, ...]:
    """One line a setting that differs and matters, such as ``panel.schedule: 'full' in the run, 'frugal' now``."""
    before, after = _compared(old), _compared(new)
    paths = sorted(set(before) | set(after))
    return tuple(
        f"{path}: {_shown(before, path)} in the run, {_shown(after, path)} now"
        for path in paths
        if before.get(path, _ABSENT) != after.get(path, _ABSENT)
    )


def write_manifest(folder: Path, manifest: RunManifest) -> None:
    """Write `run.yaml` in one step (a temporary file that is renamed)."""
    plain = manifest.model_dump(mode="json")
    text = _HEADER + yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=110)
    with replacing(folder / FILE) as file:
        file.write(text)


def read_manifest(folder: Path) -> RunManifest:
    """What `run.yaml` says. Raises RunError if the folder holds no run or the file cannot be read."""
    path = folder / FILE
    if not path.is_file():
        raise RunError(f"{folder} holds no run: {FILE} is missing.", hint="`python -m graphs.list` shows the runs.")
    try:
        return RunManifest.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (yaml.YAMLError, ValidationError, UnicodeDecodeError) as error:
        first = str(error).splitlines()[0]
        raise RunError(
            f"{path} cannot be read: {first}.",
            hint="It was edited, or written by another version; restore it, or start another run.",
        ) from error


_ABSENT = object()


def _shown(flat: Mapping[str, Any], path: str) -> str:
    return repr(flat[path]) if path in flat else "nothing"


def _compared(manifest: RunManifest) -> dict[str, Any]:
    plain = mask_manifest(manifest).model_dump(mode="json")
    plain["groups"] = sorted(plain["groups"])
    flat: dict[str, Any] = {}
    for name in _COMPARED:
        _flatten(name, plain[name], flat)
    return flat


def _flatten(path: str, value: Any, out: dict[str, Any]) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in _NO_MATTER or not path.startswith(("panel", "track")):
                _flatten(f"{path}.{key}", item, out)
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        for index, item in enumerate(value):
            _flatten(f"{path}.{item.get('name') or item.get('seat') or index}", item, out)
    elif value not in (None, {}, []):
        out[path] = value


def _environment_secrets(environment: Mapping[str, str]) -> tuple[str, ...]:
    found = {value for name, value in environment.items() if _SECRET_NAME.search(name) and len(value) >= 8}
    return tuple(sorted(found, key=len, reverse=True))


def _mask(value: Any, name: str, secrets: tuple[str, ...]) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _mask(item, str(key), secrets) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_mask(item, name, secrets) for item in value]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return MASK if value and _SECRET_NAME.search(name) else _mask_text(str(value), secrets)


def _mask_text(text: str, secrets: tuple[str, ...]) -> str:
    for secret in secrets:
        text = text.replace(secret, MASK)
    text = _BEARER.sub(rf"\1 {MASK}", _SECRET_VALUE.sub(MASK, text))
    return _USERINFO.sub(f"{MASK}:{MASK}", text)
