"""A table as LaTeX for booktabs and multirow-free papers: grouped headers, section rows, bold and underline.

Needs ``\\usepackage{booktabs}``; every text is escaped. Chinese names need XeLaTeX or LuaLaTeX with a CJK font.
"""

from eval.tables.table import Cell, Column, Table, groups, shown

_ESCAPES = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "†": r"$^\dagger$", "‡": r"$^\ddagger$", "<": r"$<$",
    ">": r"$>$", "\n": " ",
}  # fmt: skip


def latex(table: Table) -> str:
    """A table environment with caption and label; notes stand in the caption."""
    body = [r"\begin{table}[t]", r"\centering", r"\small", rf"\begin{{tabular}}{{{_alignment(table)}}}", r"\toprule"]
    body += _headers(table)
    body += [r"\midrule", *_rows(table), r"\bottomrule", r"\end{tabular}"]
    caption = " ".join(escaped(text) for text in (f"{table.title}.", *table.notes))
    body += [rf"\caption{{{caption}}}", rf"\label{{tab:{table.name}}}", r"\end{table}"]
    return "\n".join(body) + "\n"


def _alignment(table: Table) -> str:
    """``l`` for texts, ``c`` for numbers, a rule between column groups."""
    parts: list[str] = []
    for position, column in enumerate(table.columns):
        if position and column.group != table.columns[position - 1].group:
            parts.append("|")
        parts.append("l" if column.kind == "text" else "c")
    return "".join(parts)


def _headers(table: Table) -> list[str]:
    names = " & ".join(rf"\textbf{{{escaped(column.header)}}}" for column in table.columns) + r" \\"
    if not any(column.group for column in table.columns):
        return [names]
    cells = [
        rf"\multicolumn{{{width}}}{{c}}{{\textbf{{{escaped(name)}}}}}" if name else " & " * (width - 1)
        for name, width in groups(table)
    ]
    return [" & ".join(cells) + r" \\", *_group_rules(table), names]


def _group_rules(table: Table) -> list[str]:
    rules: list[str] = []
    start = 1
    for name, width in groups(table):
        if name:
            rules.append(rf"\cmidrule(lr){{{start}-{start + width - 1}}}")
        start += width
    return ["".join(rules)]


def _rows(table: Table) -> list[str]:
    rows: list[str] = []
    section = ""
    for line in table.lines:
        if line.section != section:
            rows += [r"\midrule"] if section else []
            section = line.section
            rows += [rf"\multicolumn{{{len(table.columns)}}}{{c}}{{\textit{{{escaped(section)}}}}} \\", r"\midrule"]
        cells = zip(line.cells, table.columns, strict=True)
        rows.append(" & ".join(_cell(cell, column, table) for cell, column in cells) + r" \\")
    return rows


def _cell(cell: Cell, column: Column, table: Table) -> str:
    text = escaped(shown(cell, column, table))
    text = rf"\underline{{{text}}}" if cell.emphasis in ("second", "both") else text
    return rf"\textbf{{{text}}}" if cell.emphasis in ("best", "both") else text


def escaped(text: str) -> str:
    """Text with every character that LaTeX would take for a command made harmless."""
    return "".join(_ESCAPES.get(char, char) for char in text)
