"""The review work as Label Studio tasks with their labelling interface, and an export of it back as rows.

One task an item and reviewer. The interface shows the question, its options and links to the sources; each dimension
is a choice. The key is not part of a task.
"""

import html
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

from records.errors import InputError
from records.review import Sheet, said
from review.rows import NEEDED, Row

_HINT = 'Export the project as "JSON" (not JSON-MIN).'


def tasks(table: Iterable[Row], sheet: Sheet) -> list[dict[str, Any]]:
    """The tasks for a table's rows; scores that are there already become an annotation."""
    return [_task(row, sheet) for row in table]


def interface(sheet: Sheet, language: str) -> str:
    """The labelling interface (XML) for a sheet."""
    view = Xml.Element("View")
    Xml.SubElement(view, "Header", value="$heading")
    Xml.SubElement(view, "Text", name="question", value="$question")
    Xml.SubElement(view, "HyperText", name="options", value="$options_html")
    Xml.SubElement(view, "HyperText", name="sources", value="$sources_html")
    for dimension in sheet.dimensions:
        question = said(dimension.question, language)
        Xml.SubElement(view, "Header", value=f"{said(dimension.name, language)}. {question}".strip())
        choices = Xml.SubElement(
            view, "Choices", name=dimension.id, toName="question", choice="single", required="true", showInline="true"
        )
        for level in dimension.levels:
            Xml.SubElement(choices, "Choice", value=level.value, hint=said(level.criteria, language))
    Xml.SubElement(view, "TextArea", name="comment", toName="question", rows="2", maxSubmissions="1", editable="true")
    Xml.indent(view)
    return Xml.tostring(view, encoding="unicode") + "\n"


def write_tasks(path: Path, table: Iterable[Row], sheet: Sheet, language: str) -> tuple[Path, ...]:
    """Write the tasks, and the interface into a file beside them (``name.interface.xml``). Returns both paths."""
    beside = path.with_name(f"{path.stem}.interface.xml")
    path.write_text(json.dumps(tasks(table, sheet), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    beside.write_text(interface(sheet, language), encoding="utf-8")
    return path, beside


def read_export(path: Path, names: Mapping[str, str] | None = None) -> list[tuple[int, Row]]:
    """The rows of a Label Studio export, numbered by task (from 1). Skipped annotations are left out.

    Of several annotations of one task for one reviewer the one that was changed last counts.
    `names` gives a reviewer's name for an annotator's e-mail address; it is used where a task names no reviewer.
    Raises InputError naming the file and the task.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as JSON: {error}.", hint=_HINT) from error
    if not isinstance(found, list) or not all(
        isinstance(one, dict) and isinstance(one.get("data"), dict) for one in found
    ):
        raise InputError(f"{path}: is no list of Label Studio tasks.", hint=_HINT)
    return [
        (number, row)
        for number, task in enumerate(found, start=1)
        for row in _rows(path, number, task, dict(names or {}))
    ]


def _task(row: Row, sheet: Sheet) -> dict[str, Any]:
    options = {name.removeprefix("option_"): text for name, text in row.items() if name.startswith("option_") and text}
    data = {
        "item_id": row["item_id"],
        "revision": row["revision"],
        "reviewer": row["reviewer"],
        "heading": " · ".join(filter(None, (row["group_id"], row["type_id"], row["entry"], row["reviewer"]))),
        "question": row["question"],
        "options_html": "".join(
            f"<p><b>{html.escape(letter)}</b> {html.escape(text)}</p>" for letter, text in options.items()
        ),
        "sources_html": "".join(f"<p>{_linked(line)}</p>" for line in row["sources"].splitlines()),
    }
    result = [_choice(one.id, row[one.id]) for one in sheet.dimensions if row.get(one.id)]
    if row["comment"]:
        result.append(_result("comment", "textarea", {"text": [row["comment"]]}))
    return {"data": data, **({"annotations": [{"result": result}]} if result else {})}


def _choice(name: str, value: str) -> dict[str, Any]:
    return _result(name, "choices", {"choices": [value]})


def _result(name: str, kind: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": "question", "type": kind, "value": value}


def _linked(line: str) -> str:
    words = [
        f'<a href="{html.escape(word)}" target="_blank" rel="noopener">{html.escape(word)}</a>'
        if word.startswith(("http://", "https://"))
        else html.escape(word)
        for word in line.split(" ")
    ]
    return " ".join(words)


def _rows(path: Path, number: int, task: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[Row]:
    data = task["data"]
    latest: dict[str, Row] = {}
    for annotation in _annotations(path, number, task):
        row = {name: str(data.get(name, "")) for name in NEEDED}
        row["reviewer"] = row["reviewer"] or _annotator(annotation.get("completed_by"), names)
        try:
            row.update(filter(None, map(_value, annotation["result"])))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            why = str(error) if isinstance(error, ValueError) else repr(error)
            raise InputError(f"{path}: task {number}: an annotation cannot be read ({why}).", hint=_HINT) from error
        latest[row["reviewer"]] = row
    yield from latest.values()


def _annotations(path: Path, number: int, task: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The annotations of a task that were not skipped, the one that was changed last at the end."""
    found = task.get("annotations") or []
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise InputError(f"{path}: task {number}: its annotations are no list of objects.", hint=_HINT)
    done = [one for one in found if not one.get("was_cancelled")]
    return sorted(done, key=lambda one: str(one.get("updated_at") or ""))


def _annotator(found: Any, names: Mapping[str, str]) -> str:
    """Who annotated: an object with an e-mail address, or a number, depending on the version."""
    name = str(found.get("email") or found.get("username") or found.get("id") or "") if isinstance(found, dict) else ""
    name = name or ("" if found is None or isinstance(found, dict) else str(found))
    return names.get(name, name)


def _value(result: Mapping[str, Any]) -> tuple[str, str] | None:
    """The column and cell of one result; None for an empty one and for a kind that this work does not use."""
    if result.get("type") not in _VALUES:
        return None
    name, found = str(result["from_name"]), result["value"][_VALUES[result["type"]]]
    texts = [str(one) for one in found] if isinstance(found, list) else [str(found)]
    if name in NEEDED:
        raise ValueError(f"{name} is the task's own and is no label")
    if result["type"] == "choices" and len(texts) > 1:
        raise ValueError(f"{name} has {len(texts)} choices: {', '.join(texts)}")
    return (name, "\n".join(texts)) if texts else None


_VALUES = {"choices": "choices", "textarea": "text"}
