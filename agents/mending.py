"""A reply that code's check refuses goes back with what is wrong: the same request, the reply and its problems.

``mended(request, raw, problems)`` always starts from the first request, so that a third try holds one previous reply.
"""

from prompts import render
from records.base import Record
from records.calls import QuotedPart, Request, TextPart


class Faults(Record):
    """What is wrong with a reply, in words that go back to the model."""

    problems: tuple[str, ...]


def mended(request: Request, raw: str, faults: Faults) -> Request:
    """The request that asks for the same reply again, without these faults."""
    listed = "\n".join(f"- {problem}" for problem in faults.problems)
    again = (
        QuotedPart(name="previous-reply", text=raw),
        QuotedPart(name="problems", text=listed),
        TextPart(text=render("video/mend")),
    )
    return request.model_copy(update={"parts": (*request.parts, *again)})
