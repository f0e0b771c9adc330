"""Progress of a run in one line of the terminal: groups, drafts, items, calls, cost so far, failures by kind.

Quiet when the output is not a terminal. Counts come from the graphs and from the gateway's events.
"""

from collections import Counter
from types import TracebackType
from typing import TYPE_CHECKING, Any

from gateway.events import Event

if TYPE_CHECKING:
    from rich.progress import Progress as Bar


WIDE = 110
"""Columns of a terminal from which on a bar is drawn beside the words."""


class Progress:
    """Counts what happens; `show` draws it. Without `show` it only counts."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        self.cost_usd = 0.0
        self.in_flight = 0
        self._bar: Bar | None = None
        self._task: Any = None

    def show(self, groups: int, *, visible: bool, spent_usd: float = 0.0) -> "Progress":
        """Starts drawing on stderr where `visible`; use as a context manager."""
        self.cost_usd = spent_usd
        if visible:
            from rich.console import Console
            from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
            from rich.progress import Progress as Bar

            console = Console(stderr=True)
            wide = (BarColumn(24),) if console.width >= WIDE else ()
            columns = (SpinnerColumn(), TimeElapsedColumn(), *wide, TextColumn("{task.description}"))
            self._bar = Bar(*columns, console=console, transient=True, refresh_per_second=5)
            self._task = self._bar.add_task(self.line(groups), total=groups)
        self._groups = groups
        return self

    def __enter__(self) -> "Progress":
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()

    def on_event(self, event: Event) -> None:
        """Takes an event of the gateway."""
        if event.kind == "started":
            self.in_flight += 1
        elif event.kind == "finished":
            self.in_flight -= 1
            self.counts["calls"] += 1
            self.cost_usd += event.cost_usd
            if event.outcome != "ok":
                self.failures[event.outcome] += 1
        elif event.kind in ("cached", "retry"):
            self.counts[event.kind] += 1
        self._draw()

    def count(self, what: str, by: int = 1) -> None:
        """Counts something that a graph did: ``groups``, ``drafts``, ``kept``, ``removed``, ``undecided``."""
        self.counts[what] += by
        self._draw()

    def line(self, groups: int) -> str:
        """The line shown, such as ``group 1/3 · 12 drafts · 9 judged, 5 kept · 140 calls (8 in flight) · $0.42``."""
        seen = self.counts
        judged = seen["kept"] + seen["removed"] + seen["undecided"]
        parts = [
            f"group {min(seen['groups'] + 1, groups)}/{groups}",
            f"{seen['drafts']} drafts",
            f"{judged} judged, {seen['kept']} kept",
            f"{seen['calls']} calls ({self.in_flight} in flight)",
            f"${self.cost_usd:.2f}",
        ]
        parts += [f"{count} {outcome}" for outcome, count in sorted(self.failures.items())]
        return " · ".join(parts)

    def _draw(self) -> None:
        if self._bar:
            self._bar.update(self._task, completed=self.counts["groups"], description=self.line(self._groups))
