"""From single videos to audited questions in fourteen subtasks: ``python -m graphs.annotate --video FILE|DIR``.

Hears, cuts and logs each video, finds out which task families it serves, writes questions and puts them before the
panel. The same command continues a run that was stopped or killed. Method: VideoVista-CulturalLingo.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from graphs import cli

FAMILIES = ("event", "object", "culture", "science")
EPILOG = """\
examples:
  python -m graphs.annotate --video talk.mp4 --tasks event,science --panel videovista
  python -m graphs.annotate --video clips/ --lang zh --panel videovista --wikipedia wiki-zh/ --budget-usd 20
  python -m graphs.annotate --video clips/ --panel videovista --dry-run

Without --panel the embedded offline models do what they honestly can (order and times of what is said in captions)
and decline all else with a reason. See docs/video-track.md.
Exit status: 0 done, 1 error or stopped before the end (resumable), 2 finished with undecided items.
"""


def build_parser() -> argparse.ArgumentParser:
    """All flags of the command."""
    parser = cli.parser("graphs.annotate", "Annotate single videos, write questions on them and judge these.", EPILOG)
    source = parser.add_argument_group("what to read")
    source.add_argument(
        "--video", metavar="FILE|DIR", action="append", type=Path, default=[], help="a video, or a folder (repeatable)"
    )
    source.add_argument(
        "--lang", metavar="TAG", default="auto", help="language of videos and questions (default: auto)"
    )
    source.add_argument("--wikipedia", metavar="DIR", default="", help="local Wikipedia of `python -m media.wikipedia`")
    method = parser.add_argument_group("how")
    method.add_argument(
        "--tasks", metavar="A,B", type=cli.comma_list, default=FAMILIES, help=f"of {', '.join(FAMILIES)} (default: all)"
    )
    method.add_argument("--types", metavar="ED,EL", type=cli.comma_list, help="only these subtasks of the tasks")
    method.add_argument("--panel", metavar="NAME|FILE", help="who annotates, writes and judges (default: offline)")
    method.add_argument(
        "--track", metavar="NAME|FILE", default="videovista", help="kind of benchmark (default: videovista)"
    )
    method.add_argument("--taskheads", metavar="DIR", action="append", type=Path, default=[], help="more task heads")
    method.add_argument(
        "--per-type", metavar="N", type=int, help="questions a subtask and video (default: the panel's)"
    )
    method.add_argument("--limit", metavar="N|A-B", type=cli.number_range, help="only these drafting slots of the run")
    method.add_argument("--seed", metavar="N", type=int, default=0, help="option orders (default: 0)")
    method.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="change a setting of the panel")
    method.add_argument("--speech", metavar="NAME|DIR", default="", help="speech model (default: the track's)")
    spend = parser.add_argument_group("money and speed")
    spend.add_argument("--dry-run", action="store_true", help="forecast calls, tokens and cost; ask nothing")
    spend.add_argument("--jobs", metavar="N", type=int, default=4, help="videos side by side (default: 4)")
    cli.add_spend_flags(spend)
    out = parser.add_argument_group("run and output")
    cli.add_run_flags(out)
    out.add_argument("--database", metavar="URL", default="", help="PostgreSQL address for several machines")
    out.add_argument("--json", action="store_true", help="print the summary as JSON")
    out.add_argument("--quiet", action="store_true", help="print only errors")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = build_parser()
    arguments = parser.parse_args(argv)
    if not arguments.video:
        parser.error("give at least one --video FILE or --video DIR")
    if (arguments.per_type is not None and arguments.per_type < 1) or arguments.jobs < 1:
        parser.error("--per-type and --jobs count from 1")
    unknown = [name for name in arguments.tasks if name not in FAMILIES]
    if unknown:
        parser.error(f"--tasks: no task named {', '.join(unknown)}; there are {', '.join(FAMILIES)}")
    from graphs.annotating import annotate

    return cli.start(annotate, arguments)


if __name__ == "__main__":
    sys.exit(main())
