"""Audits a benchmark file with models: ``python -m graphs.lint FILE --panel mixed``.

Everything that ``python -m eval.lint`` finds without a model, and the blind check: the panel's judges answer every
question without any evidence, in all rotations of the options. Resumes, forecasts and keeps budgets as evaluation does.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from graphs import cli

EPILOG = """\
examples:
  python -m graphs.lint benchmark.json --panel mixed --dry-run
  python -m graphs.lint benchmark.json --panel mixed --budget-usd 5 --json findings.jsonl

answerable-blind: a majority of the panel's judges is right in every rotation, without transcript and frames.
exit status: 0 below the threshold, 1 error or stopped before the end (resumable), 2 above it
"""


def build_parser() -> argparse.ArgumentParser:
    """All flags of the command."""
    from eval.cli import add_reading_flags
    from eval.lint.__main__ import add_lint_flags

    parser = cli.parser("graphs.lint", "Audit a benchmark file, with a blind check by models.", EPILOG)
    parser.add_argument("file", metavar="FILE", type=Path, help="JSON, JSONL, CSV, TSV or Parquet")
    add_reading_flags(parser.add_argument_group("how to read the file"))
    add_lint_flags(parser)
    who = parser.add_argument_group("who answers blind")
    who.add_argument("--panel", metavar="NAME|FILE", help="its judges answer (default: offline)")
    who.add_argument("--limit", metavar="N|A-B", type=cli.number_range, help="ask only about these items")
    spend = parser.add_argument_group("money and speed")
    spend.add_argument("--dry-run", action="store_true", help="forecast calls, tokens and cost; ask nothing")
    cli.add_spend_flags(spend)
    cli.add_run_flags(parser.add_argument_group("run"))
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    arguments = build_parser().parse_args(argv)
    from graphs.linting import lint

    return cli.start(lint, arguments)


if __name__ == "__main__":
    sys.exit(main())
