"""A finding of the audit, what a check may look at, and how checks are registered.

``Finding(item_id="q7", check="duplicate-options", severity="error", message="options B and C are equal: 'Anfield'")``;
findings about the file as a whole have the item id ``*``.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from eval.lint.baselines import Baseline
from records.base import Record
from records.benchmark import BenchmarkItem

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
WHOLE_FILE = "*"


class Finding(Record):
    """One fact about one item (or the file)."""

    item_id: str
    check: str
    severity: Severity
    """error: the item cannot be scored fairly as it stands; warning: it gives something away or misleads; info: worth
    knowing."""
    message: str


@dataclass(frozen=True)
class Context:
    """What checks may know beyond the items."""

    durations: Mapping[str, float] = field(default_factory=dict)
    """Seconds by video id and by file name, from metadata or from the videos themselves."""
    baselines: tuple[Baseline, ...] | None = None
    """What lexical baselines guess (`eval.lint.baselines`); None: the check runs them itself."""
    list_guessed: bool = False
    """List every item that the best lexical baseline guesses, luck included."""


Check = Callable[[tuple[BenchmarkItem, ...], Context], Iterable[Finding]]


def quoted(text: str, most: int = 80) -> str:
    """A text for a message: on one line, shortened in the middle of nothing."""
    flat = " ".join(text.split())
    return f"'{flat}'" if len(flat) <= most else f"'{flat[: most - 1]}…'"
