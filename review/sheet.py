"""The review work for a team's own tool: ``python -m review.sheet --run RUN --export FILE`` and ``--import FILE``.

The file's ending chooses the form: ``.xlsx`` and ``.csv`` are spreadsheets, ``.json`` are Label Studio tasks.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from records.errors import BenchwrightError, ConfigurationError, InputError
from review.__main__ import add_run_flags
from review.desk import Desk
from review.labelstudio import read_export, write_tasks
from review.opening import open_desk, warn_if_empty
from review.rows import Row, apply, columns, keys, letters_of, parse, rows
from review.tablefiles import read_table, write_csv, write_xlsx

FORMS = (".xlsx", ".csv", ".json")


def build_parser() -> argparse.ArgumentParser:
    """All flags of the command."""
    parser = argparse.ArgumentParser(
        prog="python -m review.sheet",
        description="Review in a spreadsheet (.xlsx, .csv) or in Label Studio (.json) instead of the page.",
        allow_abbrev=False,
    )
    add_run_flags(parser)
    way = parser.add_mutually_exclusive_group(required=True)
    way.add_argument("--export", type=Path, metavar="FILE", help="write the work")
    way.add_argument("--import", type=Path, metavar="FILE", dest="read", help="take filled-in work over")
    parser.add_argument("--reviewer", default="", metavar="NAME", help="export only this reviewer's items")
    parser.add_argument("--language", choices=("en", "zh"), default="en", help="of the criteria (default: en)")
    parser.add_argument(
        "--anyone", action="store_true", help="import reviews of people to whom the item is not assigned"
    )
    parser.add_argument(
        "--annotator", action="append", default=[], metavar="MAIL=NAME", help="Label Studio: who an annotator is"
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    arguments = build_parser().parse_args(argv)
    try:
        _known_form(arguments.export or arguments.read)
        with open_desk(arguments) as desk:
            return _export(desk, arguments) if arguments.export else _import(desk, arguments)
    except BenchwrightError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1


def _export(desk: Desk, arguments: argparse.Namespace) -> int:
    path: Path = arguments.export
    table = rows(desk, arguments.reviewer)
    try:
        written = _written(desk, path, table, arguments.language)
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror or error}).",
            hint="Does its folder exist, and may you write there?",
        ) from error
    print(f"{len(table)} rows: {', '.join(str(one) for one in written)}")
    warn_if_empty(desk)
    if table and not desk.journal.assignments():
        print("Nobody is assigned yet: fill in the column `reviewer`, and import with --anyone.")
    return 0


def _written(desk: Desk, path: Path, table: list[Row], language: str) -> tuple[Path, ...]:
    head = columns(desk.sheet, letters_of(desk))
    form = path.suffix.lower()
    if form == ".json":
        return write_tasks(path, table, desk.sheet, language)
    if form == ".xlsx":
        return write_xlsx(path, head, table, keys(desk, table), desk.sheet, language)
    return write_csv(path, head, table, keys(desk, table))


def _import(desk: Desk, arguments: argparse.Namespace) -> int:
    path: Path = arguments.read
    if path.suffix.lower() == ".json":
        table = read_export(path, dict(_pair(one) for one in arguments.annotator))
    else:
        table = read_table(path)
    done = apply(desk, parse(desk, table, anyone=arguments.anyone))
    print(f"{done.rows} rows: {done.scores} scores, {done.comments} comments, {done.edits} corrections taken over.")
    for line in done.broken_rules:
        print(f"rule broken: {line}")
    return 0


def _known_form(path: Path) -> None:
    if path.suffix.lower() not in FORMS:
        raise ConfigurationError(f"{path}: the file's ending must be one of {', '.join(FORMS)}.")


def _pair(text: str) -> tuple[str, str]:
    mail, equals, name = text.partition("=")
    if not equals or not name:
        raise ConfigurationError(f"--annotator {text}: write it as MAIL=NAME.")
    return mail, name


if __name__ == "__main__":
    sys.exit(main())
