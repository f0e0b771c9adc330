"""Scores candidate models on a benchmark: ``python -m graphs.evaluate --items RUN --candidates vnu``.

Asks every candidate every question and writes predictions, scores, tables, plots and a report into a run folder. The
same command continues a run that was stopped or killed; further candidates or items may be added to it later.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphs import cli

EPILOG = """\
examples:
  python -m graphs.evaluate --items runs/calder --candidates vnu --dry-run
  python -m graphs.evaluate --items runs/calder --model openai/gpt-5.6-luna --model gemini/gemini-3.8-flash
  python -m graphs.evaluate --items videovista.json --videos videos/ --candidates videovista --preset vv-table2
  python -m graphs.evaluate --items runs/calder --model hosted_vllm/qwen --sweep frames=1,2,4,6,8

A model that drafted or judged the items is refused unless --allow-contaminated.
Refused, truncated and unreadable replies count as wrong; a reply that never came makes the score incomplete, and
--retry-failed asks for it again.
Exit status: 0 done, 1 error or stopped before the end (resumable), 2 finished with replies that never came.
"""


def build_parser() -> argparse.ArgumentParser:
    """All flags of the command."""
    parser = cli.parser("graphs.evaluate", "Score candidate models on a benchmark.", EPILOG)
    _add_what(parser.add_argument_group("what to ask"))
    _add_whom(parser.add_argument_group("whom to ask"))
    _add_how(parser.add_argument_group("how to ask (each overrides the candidates file)"))
    _add_sense(parser.add_argument_group("how to read a benchmark file"))
    spend = parser.add_argument_group("money and speed")
    spend.add_argument("--dry-run", action="store_true", help="forecast calls, tokens and cost; ask nothing")
    cli.add_spend_flags(spend)
    _add_output(parser.add_argument_group("run and output"))
    return parser


def _add_what(group: Any) -> None:
    group.add_argument("--items", metavar="FILE|RUN", required=True, help="a run's kept items, or a benchmark file")
    group.add_argument("--judgement-set", metavar="NAME", help="of the run (default: its first)")
    group.add_argument("--group", metavar="DIR", action="append", type=Path, default=[], help="a group (repeatable)")
    group.add_argument("--groups", metavar="DIR", action="append", type=Path, default=[], help="a folder of groups")
    group.add_argument("--videos", metavar="DIR", type=Path, help="folder of single videos, found by name or id")
    group.add_argument("--skip-missing", action="store_true", help="leave out items whose videos cannot be used")
    group.add_argument("--limit", metavar="N|A-B", type=cli.number_range, help="only these items")
    group.add_argument("--track", metavar="NAME|FILE", default="news", help="how groups are read (default: news)")
    group.add_argument("--seed", metavar="N", type=int, default=0, help="of tags and of the bootstrap (default: 0)")


def _add_whom(group: Any) -> None:
    group.add_argument("--candidates", metavar="NAME|FILE", help="candidates file: vnu, videovista or your own")
    group.add_argument(
        "--model", metavar="NAME", action="append", default=[],
        help="LiteLLM model string, or a name in the candidates or panel file (repeatable, or a,b)",
    )  # fmt: skip
    group.add_argument("--panel", metavar="NAME|FILE", help="panel file in which --model names are looked up")
    group.add_argument("--api-base", metavar="URL", help="address of a server for --model strings")
    group.add_argument("--summarizer", metavar="NAME", help="model that shortens transcripts")
    group.add_argument("--captioner", metavar="NAME", help="model that ranks frames of --groups")
    group.add_argument("--allow-contaminated", action="store_true", help="score models that made the items; marked ‡")


def _add_how(group: Any) -> None:
    group.add_argument("--frames", metavar="4|8f|1fps(64)|none", help="ranked, evenly spread, by time, or no frames")
    group.add_argument("--side", metavar="PX", type=int, help="longest side of a frame; never enlarged")
    group.add_argument("--jpeg-quality", metavar="Q", type=int, help="1 to 100")
    group.add_argument("--transcript", choices=("full", "summary", "none"), help="words that are shown")
    group.add_argument("--summary-characters", metavar="N", type=int, help="longest summary")
    group.add_argument("--input", choices=("frames", "strip", "video"), help="frames, one strip, or the video itself")
    group.add_argument("--reply", choices=("json", "letter"), help="JSON, or the bare letter")
    group.add_argument("--batch", metavar="N", type=int, help="questions of one video in one call; 0: all of them")
    group.add_argument("--circular", action="store_const", const=True, help="ask all rotations of the options")
    group.add_argument("--repeats", metavar="N", type=int, help="ask each question so often")
    group.add_argument("--temperature", metavar="T", type=float, help="sampling temperature (default: the model's)")
    group.add_argument("--layout", choices=("shared-prefix", "paper"), help="material first, or the paper's order")
    group.add_argument("--mend", action="store_const", const=True, help="send unreadable replies back, at most twice")
    group.add_argument(
        "--sweep", metavar="NAME=A,B,…", action="append", default=[], help="frames=1,2,4,6,8 or side=270,540,1080"
    )


def _add_sense(group: Any) -> None:
    from eval.cli import add_reading_flags

    add_reading_flags(group)


def _add_output(group: Any) -> None:
    cli.add_run_flags(group)
    group.add_argument("--preset", metavar="NAME,…", type=cli.comma_list, default=(), help="tables in a paper's shape")
    group.add_argument("--by", metavar="NAME,…", type=cli.comma_list, default=(), help="tables by these groupings")
    group.add_argument("--intervals", action="store_true", help="show 95 %% intervals in every table")
    group.add_argument("--no-plots", action="store_true", help="write tables and report without plots")
    group.add_argument("--json", action="store_true", help="print the scores as JSON")
    group.add_argument("--quiet", action="store_true", help="print only errors")


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = build_parser()
    arguments = parser.parse_args(argv)
    if not (arguments.candidates or arguments.model):
        parser.error("give --candidates FILE or --model NAME")
    from graphs.evaluating import evaluate

    return cli.start(evaluate, arguments)


if __name__ == "__main__":
    sys.exit(main())
