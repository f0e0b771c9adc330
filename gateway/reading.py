"""A raw reply → the reply model's value, or `Unreadable` saying why. Tolerant of form, strict about content.

Think blocks, fences and words around one JSON object are left aside and noted as repairs; an object that was cut off
is never completed. Requests whose reader is ``answers`` are read by `records.answers`.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError

from gateway.outcomes import is_refusal
from gateway.quoting import unescape_values
from gateway.schema import strict_schema, without_empty_keys
from records.answers import AnswerReading, UnreadReply, read_answer, read_answers, read_severity
from records.calls import QuestionPart, Request
from records.reply_text import find_objects, split_thoughts, without_fences
from records.verdicts import CallOutcome


@dataclass(frozen=True, slots=True)
class Reading:
    """A reply that could be read."""

    value: BaseModel
    repairs: tuple[str, ...] = ()
    reasoning: str = ""


class Unreadable(Exception):
    """A reply without a usable value. `mendable`: telling the model what is wrong may help."""

    def __init__(self, message: str, *, outcome: CallOutcome = "unparsed") -> None:
        super().__init__(message)
        self.message = message
        self.outcome: CallOutcome = outcome

    @property
    def mendable(self) -> bool:
        """A refusal is an answer of its own kind and is not argued with."""
        return self.outcome == "unparsed"


def read(request: Request, text: str, *, escaped: bool = False) -> Reading:
    """Read a reply; `escaped` says that the prompt held escapes which the reply may repeat. Raises Unreadable."""
    if request.reader == "answers":
        return _read_answers(request, text)
    thoughts = split_thoughts(text) if "<" in text or "◁" in text else None
    said = thoughts.said if thoughts else text
    data, repairs = _object(said, request.reply_model)
    if thoughts and thoughts.thought:
        repairs = ("think block removed", *repairs)
    if escaped:
        plain = unescape_values(data)
        repairs, data = (repairs if plain == data else (*repairs, "escapes of quoted text undone")), plain
    return Reading(_validated(request.reply_model, data), repairs, thoughts.thought if thoughts else "")


def _object(said: str, reply_model: type[BaseModel]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The reply's one JSON object."""
    try:
        value = json.loads(said, strict=False)
    except (ValueError, RecursionError):
        return _object_within(said, reply_model)
    if not isinstance(value, dict):
        raise Unreadable(f"The reply is JSON, but {_kind(value)} instead of an object.")
    return value, ()


def _object_within(said: str, reply_model: type[BaseModel]) -> tuple[dict[str, Any], tuple[str, ...]]:
    if not said.strip():
        raise Unreadable("The reply is empty.")
    found = [item for item in find_objects(said, _field_names(reply_model)) if not item.cut]
    distinct = {json.dumps(item.value, sort_keys=True, ensure_ascii=False) for item in found}
    if len(distinct) > 1:
        found = [item for item in found if _validates(reply_model, item.value)]
        if len({json.dumps(item.value, sort_keys=True, ensure_ascii=False) for item in found}) > 1:
            raise Unreadable("The reply holds several different JSON objects.")
    if not found:
        refused = is_refusal(said)
        message = said.strip()[:200] if refused else "The reply holds no complete JSON object."
        raise Unreadable(message, outcome="refused" if refused else "unparsed")
    best = found[-1]
    around = without_fences(said[: best.start] + said[best.end :]).strip()
    notes = {
        "code fence removed": "```" in said or "~~~" in said,
        "text around the JSON object ignored": bool(around),
        "broken JSON repaired": best.repaired,
    }
    return best.value, tuple(note for note, holds in notes.items() if holds)


def _validates(reply_model: type[BaseModel], value: dict[str, Any]) -> bool:
    try:
        _validated(reply_model, value)
    except Unreadable:
        return False
    return True


def _validated(reply_model: type[BaseModel], data: dict[str, Any]) -> BaseModel:
    if strict_schema(reply_model).has_optional_keys:
        data = without_empty_keys(data)
    try:
        return reply_model.model_validate(data)
    except ValidationError as error:
        raise Unreadable(problems(error)) from error


def problems(error: ValidationError) -> str:
    """A validation error in one line: where, and what is wrong; without the values, which may be long."""
    found = [f"{'.'.join(map(str, item['loc'])) or 'reply'}: {item['msg']}" for item in error.errors(include_url=False)]
    return "; ".join(found[:8]) + (f"; and {len(found) - 8} more" if len(found) > 8 else "")


def _read_answers(request: Request, text: str) -> Reading:
    if "severity" in request.reply_model.model_fields:
        return _from_reader(request, text, read_severity(text))
    questions = [part for part in request.parts if isinstance(part, QuestionPart)]
    if any(part.name for part in questions):
        return _read_many(request, text, {part.name: part.options for part in questions})
    options = questions[0].options if questions else {}
    return _from_reader(request, text, read_answer(text, options or "ABCD", options=options))


def _read_many(request: Request, text: str, questions: Mapping[str, Mapping[str, str]]) -> Reading:
    """One reply to several questions; those without a readable answer are None, all without one is a failure."""
    found = read_answers(text, questions)
    given = {name: reading.answer for name, reading in found.items() if isinstance(reading, AnswerReading)}
    if not given:
        return _from_reader(request, text, next(iter(found.values())))
    repairs = dict.fromkeys(repair for reading in found.values() for repair in reading.repairs)
    thought = split_thoughts(text).thought
    return Reading(_validated(request.reply_model, {**dict.fromkeys(questions), **given}), tuple(repairs), thought)


def _from_reader(request: Request, text: str, reading: BaseModel) -> Reading:
    if isinstance(reading, UnreadReply):
        said = split_thoughts(text).said
        if reading.reason == "no-answer" and is_refusal(said):
            raise Unreadable(said[:200], outcome="refused")
        raise Unreadable(reading.message)
    values = reading.model_dump(exclude={"repairs"})
    thought = split_thoughts(text).thought if "think block removed" in reading.repairs else ""  # type: ignore[attr-defined]
    return Reading(_validated(request.reply_model, values), reading.repairs, thought)  # type: ignore[attr-defined]


@lru_cache(maxsize=256)
def _field_names(reply_model: type[BaseModel]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(name) for name in reply_model.model_fields) or r"(?!)")


def _kind(value: Any) -> str:
    return {list: "a list", str: "a string", bool: "a boolean"}.get(type(value), "a number or null")
