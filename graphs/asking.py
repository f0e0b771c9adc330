"""Asking a model for something that code checks: a reply with faults goes back a few times, a failure is a value."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from agents.mending import Faults, mended
from graphs.session import Session
from records.calls import CallFailure, Reply, Request

Value = TypeVar("Value")


@dataclass(frozen=True)
class Asked(Generic[Value]):
    """What came of a question to a model: a value, or why there is none."""

    value: Value | None = None
    failure: str = ""
    """The last call gave no usable reply; asked again by ``--retry-failed``."""
    faults: tuple[str, ...] = ()
    """Every reply was read, and the last one still had these faults."""
    request_ids: tuple[str, ...] = ()


async def ask_checked(
    session: Session, request: Request, read: Callable[[Reply], Value | Faults], attempts: int
) -> Asked[Value]:
    """Asks until `read` finds no fault, at most `attempts` times more."""
    asked: list[str] = []
    current, faults = request, Faults(problems=())
    for attempt in range(attempts + 1):
        outcome = await session.gateway.ask(current)
        asked.append(outcome.request_id)
        if isinstance(outcome, CallFailure):
            return Asked(failure=f"{outcome.outcome}: {outcome.message}", request_ids=tuple(asked))
        value = read(outcome)
        if not isinstance(value, Faults):
            return Asked(value=value, request_ids=tuple(asked))
        faults = value
        if attempt < attempts:
            current = mended(request, outcome.raw, faults)
    return Asked(faults=faults.problems, request_ids=tuple(asked))
