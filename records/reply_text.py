"""What a model's raw reply is made of: thoughts, JSON objects (sound or broken), and the words around them.

Example: ``<think>…</think>Sure: {"answer": 'B',}`` holds one object, repaired, and the words ``Sure:``. Nothing here
knows which fields matter; `records.answers` does. Covers text replies only, not tool calls.
"""

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from records.base import Record

_THOUGHT_TAGS = "think|thinking|thought|reasoning|analysis"
_THOUGHT_TAG = re.compile(rf"<(/?)(?:{_THOUGHT_TAGS})>", re.IGNORECASE)
_KIMI_TAGS = str.maketrans({"◁": "<", "▷": ">"})
_HARMONY_FINAL = "<|channel|>final<|message|>"
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w-]*[ \t]*$", re.MULTILINE)
_OBJECT_START = re.compile(r"\{(?=\s*[\\\"'“”‘’\w])")
_MOST_OBJECTS = 64
_MOST_BRACES = 400
"""json-repair's time grows with the square of the nesting; no reply of ours has a tenth of this."""


class Thoughts(Record):
    """A reply split into what the model thought and what it said."""

    said: str
    thought: str = ""
    unfinished: bool = False
    """A thought was opened and never closed: the reply was cut before the model said anything."""


class FoundObject(Record):
    """One JSON object of a reply, with the place where it stands (offsets into the text that was searched)."""

    start: int
    end: int
    value: dict[str, Any]
    pairs: tuple[tuple[str, Any], ...] = ()
    """Top-level and nested fields as written, doubled keys included; empty for what json-repair mended."""
    raw: str
    """The object as written (full-width colons and escaped quotes put right)."""
    repaired: bool = False
    cut: bool = False
    """The closing brace is missing: the reply ended inside the object."""


def split_thoughts(text: str) -> Thoughts:
    """Separate think blocks from the reply. A closing tag without an opening one ends a thought begun in the prompt."""
    if _HARMONY_FINAL in text:
        before, _, final = text.rpartition(_HARMONY_FINAL)
        return Thoughts(said=re.sub(r"<\|(?:return|end)\|>\s*$", "", final), thought=before)
    text = text.translate(_KIMI_TAGS) if "◁" in text else text
    said: list[str] = []
    thoughts: list[str] = []
    start, thinking = 0, False
    for tag in _THOUGHT_TAG.finditer(text):
        closes, piece = bool(tag.group(1)), text[start : tag.start()]
        if closes and not thinking:
            thoughts += [*said, piece]
            said = []
        else:
            (thoughts if thinking else said).append(piece)
        start, thinking = tag.end(), not closes
    (thoughts if thinking else said).append(text[start:])
    return Thoughts(
        said="\n".join(said).strip(),
        thought="\n".join(filter(None, (piece.strip() for piece in thoughts))),
        unfinished=thinking,
    )


def without_fences(text: str) -> str:
    """The text without the lines that open or close a code block."""
    return _FENCE.sub("", text)


def sound_object(text: str) -> dict[str, Any] | None:
    """The text's JSON object if the text is exactly one, by the letter of the JSON standard; else None."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def find_objects(text: str, wanted: re.Pattern[str]) -> tuple[FoundObject, ...]:
    """The JSON objects in a text that mention a wanted key, outermost first, broken ones repaired by json-repair.

    At most 64 opening braces are tried, and nothing with more than 400 is repaired: such a reply is no attempt at JSON.
    """
    found: list[FoundObject] = []
    position = 0
    for _ in range(_MOST_OBJECTS):
        start = _OBJECT_START.search(text, position)
        if not start or not wanted.search(text, start.start()):
            break
        candidate = _sound_at(text, start.start()) or _repaired_at(text, start.start(), wanted)
        if candidate:
            found.append(candidate)
        position = candidate.end if candidate else start.end()
    return tuple(found)


def fields(value: Any, depth: int = 4) -> Iterator[dict[str, Any]]:
    """The object itself, then the objects nested in it, to a depth of four."""
    if isinstance(value, dict):
        yield value
    if depth and isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from fields(item, depth - 1)


def _sound_at(text: str, start: int) -> FoundObject | None:
    """The sound object that begins here; one whose only fault are raw line breaks in strings counts as repaired."""
    for strict in (True, False):
        pairs: list[tuple[str, Any]] = []
        keep = partial(_keep_pairs, pairs)
        decoder = json.JSONDecoder(object_pairs_hook=keep, strict=strict, parse_constant=_refuse_constant)
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        return FoundObject(
            start=start, end=end, value=value, pairs=tuple(pairs), raw=text[start:end], repaired=not strict
        )
    return None


def _keep_pairs(kept: list[tuple[str, Any]], items: list[tuple[str, Any]]) -> dict[str, Any]:
    kept.extend(items)
    return dict(items)


def _repaired_at(text: str, start: int, wanted: re.Pattern[str]) -> FoundObject | None:
    from json_repair import repair_json

    end = _closing_brace(text, start)
    raw = _plain_marks(text[start : end or len(text)])
    if not wanted.search(raw) or raw.count("{") > _MOST_BRACES:
        return None
    try:
        value = repair_json(raw, return_objects=True)
    except Exception:  # the library promises nothing about arbitrary text; what it cannot mend is no object
        return None
    if not isinstance(value, dict):
        return None
    if end is None and value and not raw.rstrip().endswith(('"', "'", "”", ",")):
        value = dict(list(value.items())[:-1])
    return FoundObject(start=start, end=end or len(text), value=value, raw=raw, repaired=True, cut=end is None)


def _plain_marks(raw: str) -> str:
    """Full-width colons and commas beside quotes, and quotes that are all escaped, as JSON has them."""
    raw = raw.replace('\\"', '"') if raw.startswith('{\\"') else raw
    raw = re.sub(r"([\"'”’])\s*：", r"\1:", raw)
    return re.sub(r"([\"'”’\d])\s*，(?=\s*[\"'“‘])", r"\1,", raw)


def _closing_brace(text: str, start: int) -> int | None:
    """The offset after the matching brace, minding double-quoted strings; then without minding them; else None."""
    for mind_strings in (True, False):
        depth, quoted, escaped = 0, False, False
        for offset in range(start, len(text)):
            char = text[offset]
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = quoted
            elif char == '"' and mind_strings:
                quoted = not quoted
            elif char in "{}" and not quoted:
                depth += 1 if char == "{" else -1
                if not depth:
                    return offset + 1
    return None


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
