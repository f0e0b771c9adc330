"""``python -m eval.lint FILE``: audit a benchmark file without a model."""

import argparse
import json
import sys
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eval import cli

if TYPE_CHECKING:
    from rich.console import Console

    from eval.importers import ItemFile
    from eval.lint.baselines import Baseline
    from eval.lint.finding import Finding

CHECKS = (
    "options-missing", "key-missing", "key-text-mismatch", "prompt-mismatch", "duplicate-options",
    "near-duplicate-options", "position-dependent-option", "duplicate-question", "duplicate-id", "letter-imbalance",
    "length-bias", "lexical-shortcut", "wrong-timestamp", "wrong-box", "mixed-languages", "missing-video",
    "unreadable-video",
)  # fmt: skip
_EPILOG = f"""\
checks:
{textwrap.fill(", ".join(CHECKS), 116, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)}

exit status: 0 below the threshold, 1 error, 2 above it
"""


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = cli.parser("eval.lint", "Audit a multiple-choice benchmark file without a model.", _EPILOG)
    parser.add_argument("file", metavar="FILE", type=Path, help="JSON, JSONL, CSV, TSV or Parquet")
    cli.add_reading_flags(parser.add_argument_group("how to read the file"))
    add_lint_flags(parser)
    return parser


def add_lint_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of the audit itself; `graphs.lint` has them too."""
    parser.add_argument("--videos", metavar="DIR", type=Path, help="look for the items' videos and open each of them")
    parser.add_argument("--json", metavar="OUT", type=Path, help="write one finding a line (- for standard output)")
    parser.add_argument(
        "--fail-on",
        metavar="LEVEL[:SHARE]",
        default="error",
        help="exit with 2 where more than SHARE of the items (default 0) have findings of LEVEL or worse: "
        "error, warning, info, or never (default: error)",
    )
    parser.add_argument("--only", metavar="CHECK,…", type=cli.comma_list, default=(), help="report these checks alone")
    parser.add_argument("--skip", metavar="CHECK,…", type=cli.comma_list, default=(), help="leave these checks out")
    parser.add_argument("--guessed", action="store_true", help="also list the items that the best baseline guesses")
    parser.add_argument("--seed", type=int, default=0, help="of the baselines' folds and lots (default: 0)")
    parser.add_argument("--quiet", action="store_true", help="print counts only, not every finding")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    return cli.start(_command, build_parser().parse_args(argv))


def _command(arguments: argparse.Namespace) -> int:
    from eval.lint.baselines import run_baselines
    from eval.lint.threshold import read_threshold

    read_threshold(arguments.fail_on)
    refuse_unknown_checks(arguments, CHECKS)
    found = cli.read_items(arguments.file, arguments)
    baselines = run_baselines(found.items, arguments.seed)
    return report(found, findings_of(found, baselines, arguments), baselines, arguments)


def refuse_unknown_checks(arguments: argparse.Namespace, known: Sequence[str]) -> None:
    """Raises ConfigurationError for a check that there is not: a typing error must not pass for a clean file."""
    from records.errors import ConfigurationError

    for flag, names in (("--only", arguments.only), ("--skip", arguments.skip)):
        wrong = [name for name in names if name not in known]
        if wrong:
            raise ConfigurationError(f"{flag}: there is no check {wrong[0]!r}.", hint=f"Known: {', '.join(known)}.")


def findings_of(
    found: "ItemFile", baselines: tuple["Baseline", ...], arguments: argparse.Namespace
) -> tuple["Finding", ...]:
    """All findings that the flags ask for."""
    from eval.lint.audit import audit
    from eval.lint.finding import Context
    from eval.lint.video_checks import look_up, video_findings

    durations: dict[str, float] = {}
    extra: tuple[Finding, ...] = ()
    if arguments.videos:
        videos = look_up(found.items, arguments.videos)
        durations, extra = videos.durations, tuple(video_findings(found.items, videos))
    context = Context(durations=durations, baselines=baselines, list_guessed=arguments.guessed)
    return tuple(_selected((*audit(found.items, context), *extra), arguments))


def _selected(findings: Iterable["Finding"], arguments: argparse.Namespace) -> Iterable["Finding"]:
    return (
        finding
        for finding in findings
        if (not arguments.only or finding.check in arguments.only) and finding.check not in arguments.skip
    )


def report(
    found: "ItemFile",
    findings: tuple["Finding", ...],
    baselines: tuple["Baseline", ...],
    arguments: argparse.Namespace,
) -> int:
    """Print and write the findings; returns 0 or 2 by the threshold."""
    from eval.lint.threshold import exceeded, read_threshold

    threshold = read_threshold(arguments.fail_on)
    to_stdout = str(arguments.json) == "-"
    if arguments.json:
        write_findings(findings, arguments.json)
    if not to_stdout:
        _print(found, findings, baselines, cli.console(), arguments)
    above = exceeded(findings, len(found.items), threshold)
    if above:
        sys.stderr.write(f"above the threshold (--fail-on {arguments.fail_on})\n")
    return cli.ABOVE_THRESHOLD if above else cli.DONE


def write_findings(findings: Iterable["Finding"], path: Path) -> None:
    """One JSON object a line: item_id, check, severity, message."""
    text = "".join(json.dumps(finding.model_dump(), ensure_ascii=False) + "\n" for finding in findings)
    if str(path) == "-":
        sys.stdout.write(text)
    else:
        path.write_text(text, encoding="utf-8")


def _print(
    found: "ItemFile",
    findings: tuple["Finding", ...],
    baselines: tuple["Baseline", ...],
    console: "Console",
    arguments: argparse.Namespace,
) -> None:
    from eval.lint.audit import count_table, counts
    from eval.lint.baselines import baseline_table
    from eval.tables.terminal import print_table

    console.print(f"{found.path}: {len(found.items)} items, answers read as {found.reading}", markup=False)
    for note in found.notes:
        console.print(f"note: {note}", markup=False)
    for finding in () if arguments.quiet else findings:
        line = f"{finding.severity}: {finding.item_id}: {finding.check}: {finding.message}"
        console.print(line, markup=False, soft_wrap=True)
    if findings:
        print_table(count_table(counts(findings, len(found.items)), len(found.items)), console)
    else:
        console.print("No findings.", markup=False)
    if baselines:
        print_table(baseline_table(baselines), console)
    else:
        console.print("No baselines: they need at least 20 items with a key.", markup=False)


if __name__ == "__main__":
    cli.run(main)
