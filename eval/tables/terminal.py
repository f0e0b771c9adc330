"""A table for the terminal, drawn by rich; one that is too wide is drawn in parts, each with the first column."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eval.tables.table import Cell, Column, Table, shown

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

_GAP = 3
"""Columns of the terminal between two cells."""
_WIDEST = 60
"""Texts may be wrapped from here on."""


def print_table(table: Table, console: "Console") -> None:
    """Draw the table with its title and notes."""
    console.print(table.title, style="bold", markup=False, highlight=False)
    for columns in _parts(table, console.width):
        console.print(drawn(table, columns))
    for note in table.notes:
        console.print(note, style="dim", markup=False, highlight=False)
    console.print()


def _parts(table: Table, width: int) -> list[list[int]]:
    """Column numbers of each part: the first column, and as many others as fit beside it."""
    widths = [_width(table, position) + _GAP for position in range(len(table.columns))]
    parts: list[list[int]] = [[0]]
    for position in range(1, len(widths)):
        used = sum(widths[i] for i in parts[-1])
        if len(parts[-1]) > 1 and used + widths[position] > width:
            parts.append([0])
        parts[-1].append(position)
    return parts


def _width(table: Table, position: int) -> int:
    from rich.cells import cell_len

    column = table.columns[position]
    opens = not position or table.columns[position - 1].group != column.group
    headers = [column.header, column.group if opens else ""]
    sections = (line.section for line in table.lines if not position)
    texts = [*headers, *sections, *(shown(line.cells[position], column, table) for line in table.lines)]
    return min(_WIDEST, max(map(cell_len, texts)))


def drawn(table: Table, columns: Sequence[int] | None = None) -> "RenderableType":
    """The table (or these columns of it) as something rich can print."""
    from rich import box
    from rich.table import Table as Drawn
    from rich.text import Text

    chosen = list(range(len(table.columns))) if columns is None else list(columns)
    grid = Drawn(box=box.SIMPLE_HEAD, pad_edge=False)
    for position, header in zip(chosen, _headers(table, chosen), strict=True):
        is_text = table.columns[position].kind == "text"
        grid.add_column(Text(header), justify="left" if is_text else "right", no_wrap=not is_text)
    section = ""
    for line in table.lines:
        if line.section != section:
            section = line.section
            grid.add_section()
            grid.add_row(Text(section, style="italic"))
        grid.add_row(*(_text(line.cells[i], table.columns[i], table) for i in chosen))
    return grid


def _headers(table: Table, chosen: Sequence[int]) -> list[str]:
    """The columns' headers; a group's name stands above the first of its columns."""
    headers: list[str] = []
    before = ""
    for column in (table.columns[position] for position in chosen):
        headers.append(f"{column.group}\n{column.header}" if column.group and column.group != before else column.header)
        before = column.group
    return headers


def _text(cell: Cell, column: Column, table: Table) -> "Text":
    from rich.text import Text

    style = {"best": "bold", "second": "underline", "both": "bold underline", "": ""}[cell.emphasis]
    return Text(shown(cell, column, table), style=style)
