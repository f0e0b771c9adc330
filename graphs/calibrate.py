"""Judges the judges: ``python -m graphs.calibrate --run RUN`` compares a panel with people's reviews.

With ``--labels FILE`` the comparison is with a labelled file instead. Each seat, each decision rule over a grid of
thresholds and each smaller panel is decided anew from the verdicts that the run holds; nothing is asked.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from graphs import cli

EPILOG = """\
examples:
  python -m graphs.judge --items labelled.jsonl --groups news/ --panel mixed --run runs/labelled
  python -m graphs.judge --run runs/labelled --complete
  python -m graphs.calibrate --run runs/labelled --labels labelled.jsonl

A labelled file has one question a line with its id and a label: {"item_id": "world-01", "label": {"verdict":
"ambiguous"}}. The verdict good means keep; those under --ignore are left out; every other one means remove.
"""


def build_parser() -> argparse.ArgumentParser:
    """All flags of the command."""
    parser = cli.parser("graphs.calibrate", "Compare judges and decision rules with people or with labels.", EPILOG)
    cli.add_run_flags(parser)
    parser.add_argument("--judgement-set", metavar="NAME", help="set of the run (default: its first)")
    parser.add_argument("--labels", metavar="FILE", type=Path, help="labelled questions instead of people's reviews")
    parser.add_argument(
        "--ignore", metavar="A,B", type=cli.comma_list, default=("rule_violation",),
        help="verdicts that are no judge's business (default: rule_violation, which the rules check)",
    )  # fmt: skip
    parser.add_argument("--sheet", metavar="NAME|FILE", default="", help="score sheet of the reviews")
    parser.add_argument(
        "--alike", metavar="SHARE", type=_share, default=1.0,
        help="share of the items on which a smaller panel must decide as the full one (default: 1.0)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--quiet", action="store_true", help="print only errors")
    return parser


def _share(text: str) -> float:
    value = float(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"a share above 0 and at most 1, not {text}")
    return value


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    arguments = build_parser().parse_args(argv)
    from graphs.calibrating import calibrate

    return cli.start(calibrate, arguments)


if __name__ == "__main__":
    sys.exit(main())
