"""Review tables as files: CSV and XLSX, written so that no cell is ever taken for a formula, and read back.

An XLSX has three sheets: reviews (with drop-downs for the scores), keys (hidden), criteria.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from records.errors import ConfigurationError, InputError
from records.review import Sheet, said
from review.rows import NEEDED, Row

KEY_COLUMNS = ("item_id", "revision", "key", "evidence", "support")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_WIDE = {"question": 60, "sources": 50, "comment": 40, "item_id": 20}


def write_csv(path: Path, head: Sequence[str], table: Iterable[Row], keys: Iterable[Row]) -> tuple[Path, ...]:
    """Write the table, and the keys into a file beside it (``name.keys.csv``). Returns both paths."""
    beside = path.with_name(f"{path.stem}.keys.csv")
    _write_csv(path, head, table)
    _write_csv(beside, KEY_COLUMNS, keys)
    return path, beside


def write_xlsx(
    path: Path, head: Sequence[str], table: Sequence[Row], keys: Iterable[Row], sheet: Sheet, language: str
) -> tuple[Path, ...]:
    """Write a workbook. Raises ConfigurationError without the extra [review]."""
    openpyxl = _openpyxl()
    book = openpyxl.Workbook()
    reviews = book.active
    reviews.title = "reviews"
    _fill(reviews, head, table)
    _offer_choices(reviews, head, len(table), sheet)
    hidden = book.create_sheet("keys")
    _fill(hidden, KEY_COLUMNS, keys)
    hidden.sheet_state = "hidden"
    _fill(book.create_sheet("criteria"), ("dimension", "value", "criteria"), _criteria(sheet, language))
    book.save(path)
    return (path,)


def read_table(path: Path) -> list[tuple[int, Row]]:
    """The rows of a CSV or XLSX file with their numbers (the headings are row 1).

    Raises InputError naming the file for one that cannot be read or lacks a needed column.
    """
    numbered = list(_xlsx_rows(path) if path.suffix.lower() == ".xlsx" else _csv_rows(path))
    if not numbered:
        raise InputError(f"{path}: is empty.")
    _, head = numbered[0]
    missing = [name for name in NEEDED if name not in head]
    if missing:
        raise InputError(
            f"{path}: row 1 has no column {', '.join(missing)}.", hint="Keep the headings of the exported file."
        )
    doubled = sorted({name for name in head if name and head.count(name) > 1})
    if doubled:
        raise InputError(f"{path}: row 1 has the column {', '.join(doubled)} twice.")
    return [
        (number, {name: cell for name, cell in zip(head, cells, strict=False) if name})
        for number, cells in numbered[1:]
        if any(cells)
    ]


def shielded(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def unshielded(text: str) -> str:
    """The text that `shielded` was given."""
    return text[1:] if text.startswith("'") and text[1:].startswith(_FORMULA) else text


def _write_csv(path: Path, head: Sequence[str], table: Iterable[Row]) -> None:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows([shielded(row.get(name, "")) for name in head] for row in table)


def _csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            delimiter = _delimiter(file.readline())
            file.seek(0)
            for number, cells in enumerate(csv.reader(file, delimiter=delimiter), start=1):
                yield number, [unshielded(cell).strip() for cell in cells]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read: {error}.", hint="Save it as CSV in UTF-8, or as XLSX.") from error


def _delimiter(line: str) -> str:
    """Spreadsheets of some countries write semicolons or tabs."""
    return max(",;\t", key=line.count)


def _xlsx_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    openpyxl = _openpyxl()
    from zipfile import BadZipFile

    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (OSError, BadZipFile, KeyError, ValueError) as error:
        raise InputError(f"{path}: is no XLSX file ({error}).", hint="Save it as XLSX, or as CSV in UTF-8.") from error
    name = "reviews" if "reviews" in book.sheetnames else book.sheetnames[0]
    for number, cells in enumerate(book[name].iter_rows(values_only=True), start=1):
        yield number, [_text(cell).strip() for cell in cells]
    book.close()


def _text(cell: Any) -> str:
    """A cell as text; a spreadsheet may have turned the score 1 into 1.0."""
    if cell is None:
        return ""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _fill(page: Any, head: Sequence[str], table: Iterable[Row]) -> None:
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    page.append(list(head))
    for row in table:
        page.append([ILLEGAL_CHARACTERS_RE.sub("", row.get(name, "")) or None for name in head])
    for cells in page.iter_rows(min_row=2):
        for cell in cells:
            cell.alignment = Alignment(wrap_text=True, vertical="top")
            if isinstance(cell.value, str):
                cell.data_type = "s"
    for number, name in enumerate(head, start=1):
        page.cell(1, number).font = Font(bold=True)
        wide = 40 if name.startswith(("option_", "edit_", "criteria")) else 14
        page.column_dimensions[get_column_letter(number)].width = _WIDE.get(name, wide)
    page.freeze_panes = "A2"


def _offer_choices(page: Any, head: Sequence[str], rows: int, sheet: Sheet) -> None:
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    for dimension in sheet.dimensions:
        choices = ",".join(dimension.values)
        if "," in "".join(dimension.values) or len(choices) > 250:
            continue
        rule = DataValidation(type="list", formula1=f'"{choices}"', allow_blank=True, showErrorMessage=True)
        letter = get_column_letter(head.index(dimension.id) + 1)
        page.add_data_validation(rule)
        rule.add(f"{letter}2:{letter}{max(2, rows + 1)}")


def _criteria(sheet: Sheet, language: str) -> list[Row]:
    return [
        {"dimension": dimension.id, "value": level.value, "criteria": said(level.criteria, language)}
        for dimension in sheet.dimensions
        for level in dimension.levels
    ]


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError as error:
        raise ConfigurationError(
            "XLSX files need openpyxl.", hint='Install it: pip install "benchwright[review]"; or use .csv.'
        ) from error
    return openpyxl
