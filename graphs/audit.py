"""Shows why: ``python -m graphs.audit --run RUN [--question ID] [--json]``.

Without a question: every question of the run with its outcome and reason. With one: its whole life, from the evidence
to each judge's answer, the arithmetic of each decision, and the calls with cost and time.
"""

import argparse
import sys
from collections.abc import Sequence

from graphs import cli

EPILOG = """\
examples:
  python -m graphs.audit --run runs/calder
  python -m graphs.audit --run runs/calder --question q-3b1f0a
  python -m graphs.audit --run runs/calder --question q-3b1f0a --prompts
  python -m graphs.audit --run runs/calder --report
"""


def build_parser() -> argparse.ArgumentParser:
    """All flags of the command."""
    parser = cli.parser("graphs.audit", "Show a question's whole life, or all questions of a run.", EPILOG)
    cli.add_run_flags(parser)
    parser.add_argument("--question", metavar="ID", help="item id, its beginning, or a slot such as calder/T7/1")
    parser.add_argument("--set", dest="set_name", metavar="NAME", help="judgement set (default: the run's first)")
    parser.add_argument("--prompts", action="store_true", help="also the rendered prompts and raw replies")
    parser.add_argument("--report", action="store_true", help="write report.html and the exports anew")
    parser.add_argument("--json", action="store_true", help="print JSON (one object, or one line a question)")
    cli.add_database_flag(parser, "PostgreSQL address of the run")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    arguments = build_parser().parse_args(argv)
    from graphs.auditing import audit

    return cli.start(audit, arguments)


if __name__ == "__main__":
    sys.exit(main())
