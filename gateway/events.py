"""What the gateway tells a progress display while it works. One event a change; cheap, and never awaited."""

from typing import Literal, NamedTuple

from records.calls import Task
from records.verdicts import CallOutcome

EventKind = Literal["started", "finished", "cached", "journalled", "retry", "slowed"]


class Event(NamedTuple):
    """One thing that happened to one call.

    started: the call goes out. finished: its outcome is known (`outcome`, `cost_usd`). cached: a stored reply served
    it. journalled: an earlier failure was returned instead of asking again. retry: an exchange failed and is tried
    again after `wait_s`. slowed: a provider asked for a pause of `wait_s`.
    """

    kind: EventKind
    request_id: str
    task: Task
    model: str
    seat: str = ""
    group_id: str = ""
    outcome: CallOutcome = "ok"
    cost_usd: float = 0.0
    wait_s: float = 0.0
    message: str = ""
