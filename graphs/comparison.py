"""Two panels on the same drafts, as the terminal shows it: what changed, and how far they agree."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from judges.agreement import Change, PanelComparison
from judges.coefficients import Coefficient

OUTCOMES = ("kept", "removed", "undecided")
MOST_CHANGES = 40


def comparison_view(found: PanelComparison, first: str, second: str) -> RenderableType:
    """The cross table of outcomes, the changed items, and the agreement with intervals."""
    parts: list[RenderableType] = [cross_table(found, first, second)]
    if found.changes:
        parts.append(change_table(found.changes))
    parts.append(Text(f"Outcomes: {told(found.agreement)}; {told(found.kappa)}"))
    parts += [
        Text(f"{check.check}: {check.items} items, agreement {check.agreement:.2f}; {told(check.kappa)}")
        for check in found.checks
    ]
    if found.note:
        parts.append(Text(f"Note: {found.note}", style="yellow"))
    return Group(*parts)


def cross_table(found: PanelComparison, first: str, second: str) -> Table:
    """Outcome before by outcome after."""
    table = Table(title=f"{found.items} questions: set {first} (rows) and set {second} (columns)", title_justify="left")
    table.add_column(first)
    for outcome in OUTCOMES:
        table.add_column(outcome, justify="right")
    for outcome in OUTCOMES:
        table.add_row(outcome, *(str(found.table[outcome][other]) for other in OUTCOMES))  # type: ignore[index]
    return table


def change_table(changes: tuple[Change, ...]) -> Table:
    """The items on which the panels differ."""
    table = Table(title=f"{len(changes)} questions changed", title_justify="left")
    for name in ("question", "before", "after"):
        table.add_column(name, no_wrap=name == "question")
    for change in changes[:MOST_CHANGES]:
        table.add_row(change.item_id, said(change.before, change.before_by), said(change.after, change.after_by))
    if len(changes) > MOST_CHANGES:
        table.add_row(f"… {len(changes) - MOST_CHANGES} more", "", "")
    return table


def said(outcome: str, check: str | None) -> str:
    """``removed (ambiguity)``."""
    return f"{outcome} ({check})" if check else outcome


def told(found: Coefficient) -> str:
    """A coefficient in words, such as ``Cohen's kappa 0.71 (0.52 to 0.86)``."""
    if found.value is None:
        observed = "" if found.observed is None else f", observed agreement {found.observed:.2f}"
        return f"{found.name} undefined ({found.undefined}{observed})"
    interval = f"{found.low:.2f} to {found.high:.2f}" if found.low is not None and found.high is not None else ""
    return f"{found.name} {found.value:.2f} ({interval or found.no_interval})"
