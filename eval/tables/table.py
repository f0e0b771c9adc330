"""A table of results before it is written: typed cells under grouped columns, rows in sections, notes beneath.

Cells hold numbers, not texts, so that every form formats them alike and CSV and Parquet keep full precision. The best
value of a column is marked here, once.
"""

from collections.abc import Sequence
from typing import Literal

from records.base import Record

Kind = Literal["text", "percent", "points", "number", "count", "usd", "probability"]
"""`percent`: a share shown times 100; `points`: a difference of shares shown in percentage points with its sign."""


class Cell(Record):
    """One value with its interval. None is n/a, and `note` says why."""

    value: float | int | str | None = None
    low: float | None = None
    high: float | None = None
    mark: str = ""
    """A footnote mark, such as ``†`` for an incomplete score."""
    note: str = ""
    emphasis: Literal["", "best", "second", "both"] = ""
    """`best` of its column (bold), `second`: best of a stated class of rows (underlined), or both."""


class Column(Record):
    """One column."""

    header: str
    kind: Kind = "percent"
    group: str = ""
    """Header above several neighbouring columns."""
    compare: bool = False
    """The highest value is marked as the best."""


class Line(Record):
    """One row; neighbouring rows of one section stand under its heading."""

    cells: tuple[Cell, ...]
    section: str = ""
    classed: bool = False
    """Takes part in the second comparison (underlined best)."""
    suspect: bool = False
    """Never marked as best: the model drafted or judged the items."""


class Table(Record):
    """A finished table."""

    name: str
    """File name without ending, such as ``vv-table2``."""
    title: str
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    decimals: int = 1
    """Of percentages and points."""
    intervals: bool = False
    """Show 95 % intervals in the cells."""


def with_best(table: Table) -> Table:
    """The table with the highest value of each compared column marked, and that of the classed rows.

    Suspect rows and incomplete scores take no part: neither can be called the best.
    """
    lines = [list(line.cells) for line in table.lines]
    for position, column in enumerate(table.columns):
        if column.compare:
            sound = [i for i, line in enumerate(table.lines) if not (line.suspect or line.cells[position].mark)]
            classed = [i for i in sound if table.lines[i].classed]
            _mark(lines, position, classed, "second", table.decimals)
            _mark(lines, position, sound, "best", table.decimals)
    marked = tuple(
        line.model_copy(update={"cells": tuple(cells)}) for line, cells in zip(table.lines, lines, strict=True)
    )
    return table.model_copy(update={"lines": marked})


def _mark(
    lines: list[list[Cell]], position: int, rows: Sequence[int], emphasis: Literal["best", "second"], decimals: int
) -> None:
    """Ties as shown (after rounding) are all marked; a column of one row has no best."""
    shown = {
        row: round(100 * value, decimals) for row in rows if isinstance(value := lines[row][position].value, float)
    }
    if len(shown) < 2:
        return
    for row, value in shown.items():
        if value == max(shown.values()):
            cell = lines[row][position]
            lines[row][position] = cell.model_copy(update={"emphasis": "both" if cell.emphasis else emphasis})


def shown(cell: Cell, column: Column, table: Table) -> str:
    """A cell's text without emphasis, such as ``61.3 [58.0, 64.4]†`` or ``n/a``."""
    if cell.value is None:
        return "n/a" + cell.mark
    text = formatted(cell.value, column.kind, table.decimals)
    if table.intervals and cell.low is not None and cell.high is not None:
        low, high = (formatted(bound, column.kind, table.decimals) for bound in (cell.low, cell.high))
        text = f"{text} [{low}, {high}]"
    return text + cell.mark


def formatted(value: float | int | str, kind: Kind, decimals: int) -> str:
    """A value as text by its kind."""
    if isinstance(value, str):
        return value
    forms = {
        "percent": f"{100 * value:.{decimals}f}",
        "points": f"{100 * value:+.{decimals}f}",
        "number": f"{value:.3f}",
        "count": f"{value:,.0f}",
        "usd": f"{value:.2f}",
        "probability": "<0.001" if value < 0.001 else f"{value:.3f}",
        "text": f"{value}",
    }
    return forms[kind]


def groups(table: Table) -> tuple[tuple[str, int], ...]:
    """The column groups in order with their widths; ungrouped neighbours form a group without a name."""
    found: list[tuple[str, int]] = []
    for column in table.columns:
        if found and found[-1][0] == column.group:
            found[-1] = (column.group, found[-1][1] + 1)
        else:
            found.append((column.group, 1))
    return tuple(found)
