"""A table for the terminal, drawn by rich: it shrinks with the window and keeps the column groups in the headers."""

from typing import TYPE_CHECKING

from eval.tables.table import Cell, Column, Table, shown

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text


def print_table(table: Table, console: "Console") -> None:
    """Draw the table with its notes."""
    console.print(drawn(table))
    for note in table.notes:
        console.print(note, style="dim", markup=False, highlight=False)


def drawn(table: Table) -> "RenderableType":
    """The table as something rich can print."""
    from rich import box
    from rich.table import Table as Drawn
    from rich.text import Text

    grid = Drawn(title=Text(table.title), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in table.columns:
        justify = "left" if column.kind == "text" else "right"
        grid.add_column(Text(_header(column)), justify=justify, no_wrap=column.kind != "text")  # type: ignore[arg-type]
    section = ""
    for line in table.lines:
        if line.section != section:
            section = line.section
            grid.add_section()
            grid.add_row(Text(section, style="italic"))
        grid.add_row(*(_text(c, column, table) for c, column in zip(line.cells, table.columns, strict=True)))
    return grid


def _header(column: Column) -> str:
    return f"{column.group}\n{column.header}" if column.group else column.header


def _text(cell: Cell, column: Column, table: Table) -> "Text":
    from rich.text import Text

    style = {"best": "bold", "second": "underline", "": ""}[cell.emphasis]
    return Text(shown(cell, column, table), style=style)
