"""A table as CSV or Parquet: one header row, full precision, intervals in columns of their own, notes left out.

Percentages stay shares (0.613, not 61.3). n/a is an empty cell.
"""

import csv
import io
from pathlib import Path
from typing import Any

from eval.tables.table import Column, Table
from records.errors import InputError


def flat_rows(table: Table) -> tuple[dict[str, Any], ...]:
    """One dictionary a line, with the same keys in all of them."""
    sections = any(line.section for line in table.lines)
    rows = []
    for line in table.lines:
        row: dict[str, Any] = {"section": line.section} if sections else {}
        for cell, column in zip(line.cells, table.columns, strict=True):
            name = column_name(column)
            row[name] = cell.value
            if _has_interval(table, column):
                row |= {f"{name}_low": cell.low, f"{name}_high": cell.high}
        rows.append(row)
    return tuple(rows)


def column_name(column: Column) -> str:
    """A column's name in flat files: group and header."""
    return f"{column.group}/{column.header}" if column.group else column.header


def _has_interval(table: Table, column: Column) -> bool:
    position = table.columns.index(column)
    return any(line.cells[position].low is not None for line in table.lines)


def csv_text(table: Table) -> str:
    """The table as CSV with Unix line ends."""
    rows = flat_rows(table)
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def write_parquet(table: Table, path: Path) -> None:
    """Write the table as Parquet. Raises InputError where pyarrow is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise InputError(
            f"{path}: writing Parquet needs pyarrow.", hint="Install it with `pip install 'benchwright[eval]'`."
        ) from error
    parquet.write_table(pyarrow.Table.from_pylist(list(flat_rows(table))), path)
