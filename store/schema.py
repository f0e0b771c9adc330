"""Makes docs/items.schema.json and docs/items.md from the classes of `store.lines`; a test keeps them equal.

``python -m store.schema docs`` writes both files into the folder ``docs``.
"""

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema

from records.base import Record
from records.questions import Violation
from store.lines import ClaimLine, DecisionLine, ItemLine, Line, RejectedLine, UndecidedLine, UnitLine

SCHEMA_FILE = "items.schema.json"
TABLE_FILE = "items.md"

_INTRODUCTION = """\
# Lines of items.jsonl, rejected.jsonl and undecided.jsonl

A run ends with three files of JSON Lines (UTF-8, one object a line, sorted by group, type and question). `items.jsonl`
holds the kept questions, `undecided.jsonl` those that lack votes, `rejected.jsonl` every other drafting slot: drafts
that broke rules, declined and failed slots, and questions that a check removed, each with its reason. The same content
gives the same bytes. `items.schema.json` is the JSON Schema of a line of any of the three; `status` says which.

This page and the schema are made by `python -m store.schema docs`.
"""
_FILES = (("items", ItemLine), ("rejected", RejectedLine), ("undecided", UndecidedLine))
_NESTED = (DecisionLine, UnitLine, ClaimLine, Violation)
_MEANINGS = {
    "status": "Which of the three files the line is from.",
    "reason": "Why it was rejected; for an undecided question, which checks lack how many votes.",
    "rule_id": "The rule.",
    "where": "Part of the question: stem, options, a letter, key, evidence, support_map or evidence_frames.",
    "message": "What is wrong and how to mend it, as the drafter was told.",
}
"""Words for fields that mean something else in each file, and for those whose class gives none."""
_TYPES = {"status": "kept / rejected / undecided"}


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one line of the three files."""
    made = TypeAdapter(Line).json_schema(mode="serialization", ref_template="#/$defs/{model}")
    head = {"$schema": GenerateJsonSchema.schema_dialect, "title": "A line of items, rejected or undecided.jsonl"}
    return {**head, "oneOf": made.pop("anyOf"), **made}


def table() -> str:
    """The same as a page for people."""
    rows = [_row(name, info, _where(name)) for name, info in _all_fields().items()]
    head = "| field | type | file | meaning |\n|---|---|---|---|\n"
    return "\n".join([_INTRODUCTION, "## Fields\n\n" + head + "".join(rows), *(_section(kind) for kind in _NESTED)])


def _section(kind: type[Record]) -> str:
    lines = "".join(_row(name, info, None) for name, info in kind.model_fields.items())
    introduction = (kind.__doc__ or "").splitlines()[0]
    return f"## {kind.__name__}\n\n{introduction}\n\n| field | type | meaning |\n|---|---|---|\n{lines}"


def write(folder: Path) -> None:
    """Write both files."""
    text = json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"
    (folder / SCHEMA_FILE).write_text(text, encoding="utf-8")
    (folder / TABLE_FILE).write_text(table(), encoding="utf-8")


def _all_fields() -> dict[str, FieldInfo]:
    return {name: info for _, line in _FILES for name, info in line.model_fields.items()}


def _where(name: str) -> str:
    found = [file for file, line in _FILES if name in line.model_fields]
    return "all" if len(found) == len(_FILES) else ", ".join(found)


def _row(name: str, info: FieldInfo, where: str | None) -> str:
    meaning = _MEANINGS.get(name) or " ".join((info.description or "").split()).replace("``", "`")
    kind = _TYPES.get(name) or _type(info.annotation)
    cells = [f"`{name}`", kind, *([where] if where is not None else []), meaning]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _type(annotation: Any) -> str:
    """A type as JSON readers say it: ``object of string``, ``array of string``, ``number or null``."""
    made = TypeAdapter(annotation).json_schema(mode="serialization") if annotation is not None else {}
    return _words(made)


def _words(made: dict[str, Any]) -> str:
    if "$ref" in made:
        return str(made["$ref"]).rsplit("/", 1)[-1]
    if "anyOf" in made:
        return " or ".join(_words(part) for part in made["anyOf"])
    if "const" in made or "enum" in made:
        return " / ".join(made.get("enum") or [made["const"]])
    kind = str(made.get("type", "any"))
    inner = made.get("items") if kind == "array" else made.get("additionalProperties")
    return f"{kind} of {_words(inner)}" if isinstance(inner, dict) else kind


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
