"""Reads the answers of a whole file at once, because one row alone does not say whether ``1`` is the first or second.

Letters, indices from 0 or from 1, option labels, or option texts. Where two readings fit every row and give different
keys, the file is refused with both readings; where the fitting reading leaves rows without a key, they are noted.
"""

import re
from collections.abc import Sequence
from typing import Any, Literal

from eval.options import LETTERS, Options, is_empty, plain_text
from records.base import Record
from records.errors import InputError
from records.questions import Letter
from records.text import normalized

AnswerKind = Literal["letter", "index", "text"]
_LETTER = re.compile(
    r"(?:option|choice|answer)?\s*[:：]?\s*[(（\[]?\s*([A-Za-z])\s*[)）\]]?\s*[.:：、]?", re.IGNORECASE
)
_LETTER_AND_TEXT = re.compile(r"[(（\[]?([A-Za-z])[)）\]]?\s*[.．:：、)]\s*(\S.*)", re.DOTALL)
_WORDS = {
    "letter": "letters",
    "label": "the options' own labels",
    "index0": "indices counted from 0",
    "index1": "indices counted from 1",
    "text": "the options' texts",
}


class Keys(Record):
    """The keys of all rows, with the reading that gave them."""

    keys: tuple[Letter | None, ...]
    notes: tuple[str, ...]
    """Why a row has no key; empty for rows that have one."""
    reading: str
    """In words, such as ``indices counted from 0``."""


def read_keys(
    values: Sequence[Any],
    options: Sequence[Options],
    *,
    kind: AnswerKind | None = None,
    base: Literal[0, 1] | None = None,
    column: str = "answer",
) -> Keys:
    """Read all answers in the one way that fits them.

    Raises InputError where no reading fits at least half of the rows, or where two fit all rows and differ.
    """
    values = [_single(value) for value in values]
    filled = [i for i, value in enumerate(values) if not is_empty(value)]
    if not filled:
        return Keys(keys=(None,) * len(values), notes=("no answer is given",) * len(values), reading="no answers")
    allowed = _allowed(kind, base)
    readings = {name: [_READERS[name](v, o) for v, o in zip(values, options, strict=True)] for name in allowed}
    name = _choose(readings, filled, values, column, kind)
    keys = readings[name]
    notes = [
        "" if key else _unread_note(value, options[i], name)
        for i, (key, value) in enumerate(zip(keys, values, strict=True))
    ]
    return Keys(keys=tuple(keys), notes=tuple(notes), reading=_WORDS[name])


def _allowed(kind: AnswerKind | None, base: int | None) -> tuple[str, ...]:
    indices = ("index0", "index1") if base is None else (f"index{base}",)
    if kind is None:
        return indices if base is not None else ("letter", "label", *indices, "text")
    return {"letter": ("letter",), "index": indices, "text": ("text",)}[kind]


def _single(value: Any) -> Any:
    return value[0] if isinstance(value, (list, tuple)) and len(value) == 1 else value


def _choose(
    readings: dict[str, list[Letter | None]], filled: list[int], values: list[Any], column: str, kind: str | None
) -> str:
    counts = {name: sum(keys[i] is not None for i in filled) for name, keys in readings.items()}
    full = [name for name in readings if counts[name] == len(filled)]
    if "label" in full:
        return "label"
    if not full:
        best = max(counts, key=lambda name: counts[name])
        if 2 * counts[best] < len(filled):
            _refuse_unreadable(values, filled, readings, column, kind)
        return best
    for other in full[1:]:
        differing = next((i for i in filled if readings[other][i] != readings[full[0]][i]), None)
        if differing is not None:
            _refuse_two(full[0], other, readings, differing, values, column)
    return full[0]


def _refuse_unreadable(
    values: list[Any], filled: list[int], readings: dict[str, list[Letter | None]], column: str, kind: str | None
) -> None:
    bad = next(i for i in filled if all(keys[i] is None for keys in readings.values()))
    wanted = f"as {kind}" if kind else "as a letter, an index or an option's text"
    raise InputError(
        f"column {column!r}: row {bad + 1} holds {plain_text(values[bad])[:60]!r}, which cannot be read {wanted}.",
        hint="Name the right column in the mapping (`answer: …`), or its kind (`answer_kind: letter|index|text`).",
    )


def _refuse_two(
    first: str, second: str, readings: dict[str, list[Letter | None]], row: int, values: list[Any], column: str
) -> None:
    raise InputError(
        f"column {column!r} can be read in two ways: as {_WORDS[first]} (row {row + 1}, "
        f"{plain_text(values[row])!r}, is option {readings[first][row]}) or as {_WORDS[second]} (it is option "
        f"{readings[second][row]}). Every row fits both.",
        hint=_two_readings_hint(first, second),
    )


def _two_readings_hint(first: str, second: str) -> str:
    if {first, second} == {"index0", "index1"}:
        return "Say which: `answer_base: 0` or `answer_base: 1` in the mapping, or --answer-base."
    return "Say which: `answer_kind: letter|index|text` (and `answer_base`) in the mapping, or --answer-kind."


def _letter(value: Any, options: Options) -> Letter | None:
    if not isinstance(value, str):
        return None
    match = _LETTER.fullmatch(value.strip())
    letter = match.group(1).upper() if match else ""
    if letter in options.texts:
        return letter
    lettered = _LETTER_AND_TEXT.fullmatch(value.strip())
    if lettered and _same(lettered.group(2), options.texts.get(lettered.group(1).upper(), "")):
        return lettered.group(1).upper()
    return None


def _label(value: Any, options: Options) -> Letter | None:
    if all(label in LETTERS for label in options.labels):
        return None
    return options.labels.get(plain_text(value))


def _index(value: Any, options: Options, base: int) -> Letter | None:
    if isinstance(value, bool):
        return None
    text = plain_text(value)
    letters = list(options.texts)
    if not text.isascii() or not text.isdigit() or not 0 <= int(text) - base < len(letters):
        return None
    return letters[int(text) - base]


def _text(value: Any, options: Options) -> Letter | None:
    hits = [letter for letter, text in options.texts.items() if _same(plain_text(value), text)]
    return hits[0] if len(hits) == 1 else None


_READERS = {
    "letter": _letter,
    "label": _label,
    "index0": lambda value, options: _index(value, options, 0),
    "index1": lambda value, options: _index(value, options, 1),
    "text": _text,
}


def same_text(left: str, right: str) -> bool:
    """Whether two texts are equal to a reader: normal form, without closing full stop."""
    return bool(left.strip()) and normalized(left).rstrip(".。") == normalized(right).rstrip(".。")


_same = same_text


def _unread_note(value: Any, options: Options, reading: str) -> str:
    if is_empty(value):
        return "no answer is given"
    if isinstance(value, (list, tuple)):
        return f"{len(value)} answers are given"
    text = plain_text(value)
    twice = [letter for letter, option in options.texts.items() if _same(text, option)]
    if len(twice) > 1:
        return f"the answer {text[:60]!r} stands under {' and '.join(twice)}"
    if twice:
        return f"the answer {text[:60]!r} is the text of {twice[0]}, while the file's answers are {_WORDS[reading]}"
    return f"the answer {text[:60]!r} is none of the options {', '.join(options.texts)}"
