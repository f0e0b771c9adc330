"""Faults of content: a good reply in, the spoiled message out. Faults of transport are in `server`."""

import json
from dataclasses import dataclass, replace
from typing import Any

from tests.fakeserver.policy import FaultKind


@dataclass(frozen=True)
class Message:
    """The assistant's message before it is wrapped in a completion."""

    content: str | None
    finish_reason: str = "stop"
    reasoning: str | None = None
    refusal: str | None = None


def spoil(kind: FaultKind, value: Any, message: Message) -> Message:
    """The message as the fault leaves it; unchanged for faults of transport."""
    text = message.content or ""
    reply = dict(value) if isinstance(value, dict) else {}
    simple: dict[str, Message] = {
        "truncated": Message(text[: max(1, len(text) // 2)], finish_reason="length"),
        "fenced": Message(f"```json\n{text}\n```"),
        "think": Message(f"<think>\nLet me compare the sources. {{not json}}\n</think>\n\n{text}"),
        "reasoning": replace(message, reasoning="The sources are compared one by one."),
        "lead-in": Message(f"Sure, here is my reply:\n\n{text}\n\nLet me know if you need more."),
        "trailing-comma": Message(f"{text[:-1]},}}" if text.endswith("}") else text),
        "smart-quotes": Message(text.replace('"', "”")),
        "control-characters": Message(text.replace(" ", "\n", 1)),
        "refusal-field": Message(None, refusal="I'm sorry, but I can't help with that request."),
        "refusal-text": Message("I'm sorry, but I cannot assist with that."),
        "content-filter": Message("", finish_reason="content_filter"),
        "empty": Message(""),
        "prose": Message("The sources differ in several ways, and much could be said about them."),
        "wrong-schema": Message(json.dumps({"unexpected": True})),
        "wrong-letter": _with(reply, answer="Z"),
        "confidence-percent": _with(reply, confidence="85%"),
        "confidence-over": _with(reply, confidence=250),
        "confidence-negative": _with(reply, confidence=-0.4),
        "confidence-missing": Message(json.dumps({k: v for k, v in reply.items() if k != "confidence"})),
    }
    return simple.get(kind, message)


def _with(reply: dict[str, Any], **changes: Any) -> Message:
    return Message(json.dumps({**reply, **changes}, ensure_ascii=False))
