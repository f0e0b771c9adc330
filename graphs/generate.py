"""From groups of videos to audited questions: ``python -m graphs.generate --group DIR``.

Reads the groups, drafts questions, puts every draft before the panel, and writes items, rejected and undecided
questions with the reasons into a run folder. The same command continues a run that was stopped or killed.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from graphs import cli

EXAMPLE = "world-calder-star"
EPILOG = """\
examples:
  python -m graphs.generate --example
  python -m graphs.generate --group videos/some-event
  python -m graphs.generate --groups videos/ --panel paper --per-type 2 --budget-usd 40
  python -m graphs.generate --groups videos/ --panel mixed --dry-run

Without --panel, the embedded offline models do the whole job, and the report says so.
Exit status: 0 done, 1 error or stopped before the end (resumable), 2 finished with undecided items.
"""


def build_parser() -> argparse.ArgumentParser:
    """All flags of the command."""
    parser = cli.parser("graphs.generate", "Draft questions on groups of videos and judge them.", EPILOG)
    source = parser.add_argument_group("what to read")
    source.add_argument("--group", metavar="DIR", action="append", type=Path, default=[], help="a group (repeatable)")
    source.add_argument("--groups", metavar="DIR", action="append", type=Path, default=[], help="a folder of groups")
    source.add_argument("--example", action="store_true", help="the example group that comes with Benchwright")
    source.add_argument("--drafts", metavar="FILE", type=Path, help="judge questions written by people; draft none")
    method = parser.add_argument_group("how")
    method.add_argument("--panel", metavar="NAME|FILE", help="who drafts and judges (default: offline)")
    method.add_argument("--track", metavar="NAME|FILE", default="news", help="kind of benchmark (default: news)")
    method.add_argument("--types", metavar="T1,T7", type=cli.comma_list, help="question types (default: the track's)")
    method.add_argument("--taskheads", metavar="DIR", action="append", type=Path, default=[], help="more task heads")
    method.add_argument(
        "--per-type", metavar="N", type=cli.whole, help="questions a type and group (default: the panel's)"
    )
    method.add_argument("--limit", metavar="N|A-B", type=cli.number_range, help="only these drafting slots of the run")
    method.add_argument("--seed", metavar="N", type=int, default=0, help="deals tags and option orders (default: 0)")
    method.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="change a setting of the panel")
    spend = parser.add_argument_group("money and speed")
    spend.add_argument("--dry-run", action="store_true", help="forecast calls, tokens and cost; ask nothing")
    spend.add_argument("--pilot", metavar="N", type=cli.whole, help="run the first N groups and extrapolate to all")
    spend.add_argument("--jobs", metavar="N", type=cli.whole, default=4, help="groups side by side (default: 4)")
    spend.add_argument("--decode", choices=("threads", "ray"), default="threads", help="where videos are decoded")
    cli.add_spend_flags(spend)
    out = parser.add_argument_group("run and output")
    cli.add_run_flags(out)
    cli.add_database_flag(out, "PostgreSQL address for several machines")
    out.add_argument("--json", action="store_true", help="print the summary as JSON")
    out.add_argument("--quiet", action="store_true", help="print only errors")
    return parser


def example_group() -> Path:
    """The example group, in the repository or in the installed package."""
    home = Path(__file__).resolve().parents[1]
    places = [home / "examples" / EXAMPLE, home / "configs" / "examples" / EXAMPLE]
    return next((place for place in places if place.is_dir()), places[0])


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = build_parser()
    arguments = parser.parse_args(argv)
    if arguments.example:
        arguments.group.append(example_group())
    if not (arguments.group or arguments.groups):
        parser.error("give at least one --group DIR or --groups DIR (or --example, to see how it goes)")
    from graphs.generation import generate

    return cli.start(generate, arguments)


if __name__ == "__main__":
    sys.exit(main())
