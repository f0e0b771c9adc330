"""What code knows about a video question, read from `Question.extra`: family, form, spans, times, boxes, orders.

Every value is text there, since exports and tables carry it on; here it becomes a number or a record again, or None
where it is missing or cannot be read. `agents.question_writer` writes these facts, never a model.
"""

import json
from collections.abc import Mapping

from records.questions import Question
from records.video import Box

VIDEO_FAMILIES = ("event", "object", "culture", "science")


def family_of(question: Question) -> str:
    """The family of a video question; empty for a question of the news track or from elsewhere."""
    family = question.extra.get("family", "")
    return family if family in VIDEO_FAMILIES else ""


def form_of(question: Question) -> str:
    """The form of a question's options: claims, text, roles, moment, order or box."""
    return question.extra.get("form", "claims")


def number(extra: Mapping[str, str], name: str) -> float | None:
    """A fact that is a number; None where there is none."""
    try:
        return float(extra[name])
    except (KeyError, ValueError):
        return None


def span(extra: Mapping[str, str], start: str, end: str) -> tuple[float, float] | None:
    """Two facts that are the ends of a stretch, in seconds; None unless both are there in this order."""
    first, last = number(extra, start), number(extra, end)
    return (first, last) if first is not None and last is not None and first <= last else None


def texts(extra: Mapping[str, str], name: str) -> tuple[str, ...]:
    """A fact that is a JSON list of texts; empty where there is none."""
    try:
        found = json.loads(extra.get(name, "[]"))
    except ValueError:
        return ()
    return tuple(map(str, found)) if isinstance(found, list) else ()


def box_of(text: str) -> Box | None:
    """The box of a text such as ``[0.01, 0.05, 0.99, 0.68]``; None for any other text and for a box without area."""
    try:
        values = json.loads(text.strip())
        x0, y0, x1, y1 = (float(value) for value in values)
        return Box(x0=x0, y0=y0, x1=x1, y1=y1)
    except (ValueError, TypeError):
        return None


def box_text(box: Box) -> str:
    """A box as options write it, to two decimals."""
    return f"[{', '.join(f'{value:.2f}' for value in box.xyxy)}]"


def iou(first: Box, second: Box) -> float:
    """Intersection over union of two boxes, 0.0 to 1.0."""
    width = min(first.x1, second.x1) - max(first.x0, second.x0)
    height = min(first.y1, second.y1) - max(first.y0, second.y0)
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / (first.area + second.area - shared)
