"""Strict rendering of prompt files: a missing field and a field that the file does not use are both errors.

``render("summarizer", limit=1000, …)`` fills `prompts/summarizer.md`. Untrusted text is never a field: it travels in
quoted parts of its own (`records.calls`), so that it cannot change a prompt.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from records.base import digest
from records.errors import ConfigurationError

if TYPE_CHECKING:
    from jinja2 import Environment, Template

FOLDER = Path(__file__).resolve().parent


def render(name: str, /, **fields: object) -> str:
    """The text of `prompts/<name>.md` with its fields filled in, without white space at its ends.

    Raises ConfigurationError where the file is missing or broken, wants a field that is not given, or does not use
    one that is.
    """
    from jinja2 import UndefinedError

    template, wanted = _template(name)
    unused, missing = sorted(set(fields) - wanted), sorted(wanted - set(fields))
    if unused or missing:
        raise ConfigurationError(
            f"prompt {name}.md: {_mismatch(missing, unused)}.",
            hint="Prompt file and code name the same fields; mend whichever was changed.",
        )
    try:
        return template.render(**fields).strip()
    except UndefinedError as error:
        raise ConfigurationError(f"prompt {name}.md: {error}.") from error


def sha256(name: str) -> str:
    """SHA-256 (hex) of a prompt file's bytes, for provenance."""
    return digest(_path(name).read_bytes())


def _mismatch(missing: list[str], unused: list[str]) -> str:
    parts = [f"missing field {field}" for field in missing] + [f"unused field {field}" for field in unused]
    return ", ".join(parts)


@cache
def _template(name: str) -> "tuple[Template, frozenset[str]]":
    from jinja2 import TemplateSyntaxError, meta

    environment = _environment()
    text = _path(name).read_text(encoding="utf-8")
    try:
        wanted = meta.find_undeclared_variables(environment.parse(text))
        return environment.from_string(text), frozenset(wanted)
    except TemplateSyntaxError as error:
        raise ConfigurationError(f"prompt {name}.md, line {error.lineno}: {error.message}.") from error


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, StrictUndefined

    return Environment(undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True)  # noqa: S701


def _path(name: str) -> Path:
    path = FOLDER / f"{name}.md"
    if not path.is_file():
        raise ConfigurationError(f"there is no prompt file {name}.md.", hint=f"Prompt files lie in {FOLDER}.")
    return path
