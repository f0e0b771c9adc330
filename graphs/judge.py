"""Puts questions before a panel: ``python -m graphs.judge --run RUN --panel OTHER.yaml``.

The same drafts before another panel become a new judgement set of the run, never an overwrite, and the two panels are
compared. ``--items FILE --groups DIR`` judges questions from elsewhere. ``--complete`` buys the verdicts that a frugal
schedule left out, which statistics about judges need.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from graphs import cli

EPILOG = """\
examples:
  python -m graphs.judge --run runs/calder --panel paper
  python -m graphs.judge --run runs/calder --complete
  python -m graphs.judge --items questions.jsonl --groups videos/ --panel mixed

Exit status: 0 done, 1 error or stopped before the end (resumable), 2 finished with undecided items.
"""


def build_parser() -> argparse.ArgumentParser:
    """All flags of the command."""
    parser = cli.parser("graphs.judge", "Put questions before another panel, or questions from elsewhere.", EPILOG)
    what = parser.add_argument_group("what to judge")
    cli.add_run_flags(what)
    what.add_argument("--items", metavar="FILE", type=Path, help="questions from elsewhere, with --group or --groups")
    what.add_argument("--group", metavar="DIR", action="append", type=Path, default=[], help="a group (repeatable)")
    what.add_argument("--groups", metavar="DIR", action="append", type=Path, default=[], help="a folder of groups")
    how = parser.add_argument_group("how")
    how.add_argument("--panel", metavar="NAME|FILE", help="who judges (default: offline)")
    how.add_argument("--as", dest="set_name", metavar="NAME", help="name of the judgement set (default: the panel's)")
    how.add_argument("--complete", action="store_true", help="ask what the frugal schedule of a set left out")
    how.add_argument("--compare", metavar="SET", help="set to compare with (default: the run's first)")
    how.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="change a setting of the panel")
    how.add_argument("--type-fit", metavar="MODEL", help="for --items: ask a model of the panel about the type's rules")
    how.add_argument("--track", metavar="NAME|FILE", default="news", help="for --items (default: news)")
    how.add_argument("--seed", metavar="N", type=int, default=0, help="for --items (default: 0)")
    spend = parser.add_argument_group("money and speed")
    spend.add_argument("--jobs", metavar="N", type=cli.whole, default=4, help="groups side by side (default: 4)")
    cli.add_spend_flags(spend)
    out = parser.add_argument_group("output")
    cli.add_database_flag(out, "PostgreSQL address of the run")
    out.add_argument("--json", action="store_true", help="print the summary as JSON")
    out.add_argument("--quiet", action="store_true", help="print only errors")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = build_parser()
    arguments = parser.parse_args(argv)
    if arguments.items and not (arguments.group or arguments.groups):
        parser.error("--items needs the videos: --group DIR or --groups DIR")
    if not arguments.items and not arguments.run:
        parser.error("give --run RUN, or --items FILE with --groups DIR")
    from graphs.judging import judge

    return cli.start(judge, arguments)


if __name__ == "__main__":
    sys.exit(main())
