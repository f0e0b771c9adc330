"""The options of a question in whatever shape a file has them: a list, a mapping, columns A–E, text in one cell.

Example: ``["A. red", "B. blue"]`` gives letters A and B with the labels taken off. Labels that are not letters
(``option1``, ``"0"``) are remembered, because answers refer to them.
"""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from records.base import Record

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LABEL = re.compile(
    r"\s*(?:[(（\[]\s*(?P<in>[A-Za-z]|\d{1,2})\s*[)）\]]|(?P<out>[A-Za-z]|\d{1,2})\s*[.．)）:：、])\s*(?P<text>.*)",
    re.DOTALL,
)
_TEXT_FIELDS = ("text", "content", "option", "value", "answer")
_LABEL_FIELDS = ("label", "letter", "key", "id", "index")
FLAG_FIELDS = ("is_correct", "correct", "is_answer", "isCorrect")


class Options(Record):
    """Options by letter, in order, with what the file calls them."""

    texts: dict[str, str]
    labels: dict[str, str] = Field(default_factory=dict)
    """The file's own label → our letter, where it labels them (``a0`` columns give ``0``)."""
    flagged: str | None = None
    """The letter of the one option that the file marks as right."""


class OptionsUnread(ValueError):
    """A value that holds no options in any known shape; the message says why."""


def read_options(value: Any) -> Options:
    """Read a list, a mapping, or a cell that holds either as JSON or as lines ``A. …``. Raises OptionsUnread."""
    if isinstance(value, str):
        value = _from_cell(value)
    if isinstance(value, Mapping):
        return _from_mapping(value)
    if isinstance(value, Sequence):
        return _from_list(list(value))
    raise OptionsUnread(f"options are {type(value).__name__}, not a list or a mapping")


def from_columns(cells: Mapping[str, Any]) -> Options:
    """Options in columns: label (``A``, ``1``) → cell. Empty cells at the end are options that the question lacks."""
    kept = list(cells.items())
    while kept and is_empty(kept[-1][1]):
        kept.pop()
    if not kept:
        raise OptionsUnread("all option columns are empty")
    return _labelled([label for label, _ in kept], [plain_text(cell) for _, cell in kept])


def is_empty(value: Any) -> bool:
    """None, NaN and blank text."""
    return value is None or value != value or (isinstance(value, str) and not value.strip())


def plain_text(value: Any) -> str:
    """A cell as text: lists and mappings as JSON, whole floats without ``.0``, None as empty."""
    if is_empty(value):
        return ""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict, bool)) else str(value)


def _from_cell(text: str) -> Any:
    stripped = text.strip()
    if stripped[:1] in "[{(" and not re.match(r"\([A-Za-z]\)", stripped):
        for reader in (json.loads, ast.literal_eval):
            try:
                return reader(stripped)
            except (ValueError, SyntaxError):
                continue
    lines = [line for line in stripped.splitlines() if line.strip()]
    if len(lines) > 1:
        return lines
    raise OptionsUnread(f"one cell of text that is neither a list nor lines: {stripped[:60]!r}")


def _from_mapping(value: Mapping[Any, Any]) -> Options:
    texts, labels = value.get("text"), value.get("label")
    if isinstance(texts, list) and isinstance(labels, list) and len(texts) == len(labels):
        return _labelled([str(label) for label in labels], [plain_text(text) for text in texts])
    return from_columns({str(label): text for label, text in value.items()})


def _from_list(values: list[Any]) -> Options:
    if not values:
        raise OptionsUnread("the list of options is empty")
    if all(isinstance(item, Mapping) for item in values):
        return _from_objects(values)
    texts = [plain_text(item) for item in values]
    matches = [_LABEL.fullmatch(text) for text in texts]
    found = [match for match in matches if match]
    labels = [match.group("in") or match.group("out") for match in found]
    if len(found) == len(texts) and _is_labelling(labels):
        return _labelled(labels, [match.group("text").strip() for match in found])
    return Options(texts=dict(zip(_letters(len(texts)), texts, strict=True)))


def _from_objects(values: list[Mapping[str, Any]]) -> Options:
    text_field = next((name for name in _TEXT_FIELDS if name in values[0]), None)
    if text_field is None:
        raise OptionsUnread(f"option objects have none of the fields {', '.join(_TEXT_FIELDS)}")
    label_field = next((name for name in _LABEL_FIELDS if name in values[0]), None)
    texts = [plain_text(item.get(text_field)) for item in values]
    labels = [str(item.get(label_field)) for item in values] if label_field else list(_letters(len(texts)))
    options = _labelled(labels, texts)
    flags = [
        i for i, item in enumerate(values) if any(item.get(name) in (True, 1, "true", "True") for name in FLAG_FIELDS)
    ]
    flagged = list(options.texts)[flags[0]] if len(flags) == 1 else None
    return options.model_copy(update={"flagged": flagged})


def _is_labelling(labels: list[str]) -> bool:
    """The labels are A, B, C … or 1, 2, 3 … or 0, 1, 2 …, in any order, each once."""
    upper = sorted(label.upper() for label in labels)
    count = len(labels)
    if upper == list(LETTERS[:count]):
        return True
    numbers = sorted(int(label) for label in labels) if all(label.isdigit() for label in labels) else []
    return numbers in (list(range(count)), list(range(1, count + 1)))


def _labelled(labels: list[str], texts: list[str]) -> Options:
    if len(set(labels)) < len(labels):
        raise OptionsUnread(f"option labels repeat: {', '.join(labels)}")
    if all(len(label) == 1 and label.upper() in LETTERS for label in labels) and "A" in map(str.upper, labels):
        pairs = sorted(zip((label.upper() for label in labels), texts, strict=True))
        return Options(texts=dict(pairs), labels={letter: letter for letter, _ in pairs})
    letters = _letters(len(texts))
    return Options(texts=dict(zip(letters, texts, strict=True)), labels=dict(zip(labels, letters, strict=True)))


def _letters(count: int) -> tuple[str, ...]:
    if count > len(LETTERS):
        raise OptionsUnread(f"{count} options are more than there are letters")
    return tuple(LETTERS[:count])


def strip_label(text: str) -> str:
    """``B. the text`` without its label; other text as it is."""
    match = _LABEL.fullmatch(text)
    return match.group("text").strip() if match else text
