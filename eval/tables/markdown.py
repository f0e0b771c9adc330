"""A table as GitHub Markdown: sections as bold rows, best values bold, second comparison underlined, notes beneath."""

from eval.tables.table import Cell, Column, Line, Table, shown


def markdown(table: Table) -> str:
    """The table with its title and notes."""
    header = "| " + " | ".join(_header(column) for column in table.columns) + " |"
    rule = "|" + "|".join(" :--- " if column.kind == "text" else " ---: " for column in table.columns) + "|"
    parts = [f"**{_escaped(table.title)}**", "", header, rule, *_body(table)]
    if table.notes:
        parts += ["", *(f"- {_escaped(note)}" for note in table.notes)]
    return "\n".join(parts) + "\n"


def _header(column: Column) -> str:
    return _escaped(f"{column.group}: {column.header}" if column.group else column.header)


def _body(table: Table) -> list[str]:
    rows: list[str] = []
    section = ""
    for line in table.lines:
        if line.section != section:
            section = line.section
            rows.append(f"| **{_escaped(section)}** |" + " |" * (len(table.columns) - 1))
        rows.append(_row(line, table))
    return rows


def _row(line: Line, table: Table) -> str:
    cells = (_cell(cell, column, table) for cell, column in zip(line.cells, table.columns, strict=True))
    return "| " + " | ".join(cells) + " |"


def _cell(cell: Cell, column: Column, table: Table) -> str:
    text = _escaped(shown(cell, column, table))
    text = f"<u>{text}</u>" if cell.emphasis in ("second", "both") else text
    return f"**{text}**" if cell.emphasis in ("best", "both") else text


def _escaped(text: str) -> str:
    for char in "\\`*_|<>[]":
        text = text.replace(char, "\\" + char)
    return text.replace("\n", " ")
