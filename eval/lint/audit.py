"""Runs all checks on a benchmark and sums up what they found; the command lines and `graphs.lint` call this."""

from collections.abc import Iterator, Sequence

from eval.intervals import wilson
from eval.lint import (
    box_checks,
    key_checks,
    language_checks,
    length_checks,
    letter_checks,
    option_checks,
    question_checks,
    shortcut_checks,
    time_checks,
)
from eval.lint.finding import SEVERITIES, WHOLE_FILE, Check, Context, Finding, Severity
from eval.tables.table import Cell, Column, Line, Table
from records.base import Record
from records.benchmark import BenchmarkItem

CHECKS: tuple[Check, ...] = (
    option_checks.options_missing,
    key_checks.key_missing,
    key_checks.key_text_mismatch,
    key_checks.prompt_mismatch,
    option_checks.duplicate_options,
    option_checks.near_duplicate_options,
    option_checks.position_dependent,
    question_checks.duplicate_question,
    question_checks.duplicate_id,
    letter_checks.letter_imbalance,
    length_checks.length_bias,
    shortcut_checks.lexical_shortcut,
    time_checks.wrong_timestamp,
    box_checks.wrong_box,
    language_checks.mixed_languages,
)
"""In the order of the report. A new check is a function in one of these files and one line here."""


class Count(Record):
    """How many items one check concerns."""

    check: str
    severity: Severity
    """The worst of its findings."""
    items: int
    """Items with at least one finding; findings about the whole file are not counted here."""
    share: float
    low: float
    high: float
    """Wilson 95 % interval of the share of items, as a sample of items written in the same way."""
    whole_file: int
    """Findings about the file as a whole."""


def audit(items: Sequence[BenchmarkItem], context: Context | None = None) -> tuple[Finding, ...]:
    """All findings of all checks, in the order of the checks and of the items."""
    return tuple(_found(tuple(items), context or Context()))


def _found(items: tuple[BenchmarkItem, ...], context: Context) -> Iterator[Finding]:
    for check in CHECKS:
        yield from check(items, context)


def counts(findings: Sequence[Finding], items: int) -> tuple[Count, ...]:
    """One count a check that found something, in order of first appearance."""
    by_check: dict[str, list[Finding]] = {}
    for finding in findings:
        by_check.setdefault(finding.check, []).append(finding)
    return tuple(_count(check, found, items) for check, found in by_check.items())


def _count(check: str, found: Sequence[Finding], items: int) -> Count:
    concerned = len({finding.item_id for finding in found if finding.item_id != WHOLE_FILE})
    interval = wilson(concerned, items)
    return Count(
        check=check,
        severity=min((finding.severity for finding in found), key=SEVERITIES.index),
        items=concerned,
        share=concerned / items if items else 0.0,
        low=interval.low or 0.0,
        high=interval.high or 0.0,
        whole_file=sum(finding.item_id == WHOLE_FILE for finding in found),
    )


def count_table(found: Sequence[Count], items: int) -> Table:
    """The counts as a table."""
    columns = (
        Column(header="Check", kind="text"),
        Column(header="Worst", kind="text"),
        Column(header="Items", kind="count"),
        Column(header="Share (%)"),
        Column(header="Whole file", kind="count"),
    )
    lines = tuple(
        Line(
            cells=(
                Cell(value=c.check),
                Cell(value=c.severity),
                Cell(value=c.items),
                Cell(value=c.share, low=c.low, high=c.high),
                Cell(value=c.whole_file),
            )
        )
        for c in found
    )
    return Table(
        name="lint", title=f"Findings in {items} items", columns=columns, lines=lines, intervals=True,
        notes=("Shares with Wilson 95 % intervals.",),
    )  # fmt: skip
