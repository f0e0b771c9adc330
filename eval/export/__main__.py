"""``python -m eval.export --items FILE --to hf --out DIR``: a benchmark for another harness."""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eval import cli
from records.errors import InputError

if TYPE_CHECKING:
    from records.benchmark import BenchmarkItem

_TARGETS = ("hf", "lmms-eval", "vlmevalkit", "inspect", "jsonl")


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = cli.parser("eval.export", "Export a benchmark for another evaluation harness.")
    parser.add_argument("--items", metavar="FILE", type=Path, required=True, help="JSON, JSONL, CSV, TSV or Parquet")
    parser.add_argument("--to", choices=_TARGETS, required=True, help="the harness")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="a new or empty folder")
    parser.add_argument("--name", help="name of the benchmark (default: the file's name)")
    parser.add_argument("--title", default="", help="its title in words")
    parser.add_argument("--license", default="unknown", help="its licence, such as cc-by-4.0 (default: unknown)")
    parser.add_argument(
        "--videos",
        metavar="DIR",
        default="videos",
        help="where the harness finds the videos; looked into if it is here (default: videos)",
    )
    parser.add_argument("--skip-without-key", action="store_true", help="leave out items that have no key")
    cli.add_reading_flags(parser.add_argument_group("how to read the items"))
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    return cli.start(_command, build_parser().parse_args(argv))


def _command(arguments: argparse.Namespace) -> int:
    from eval.export.base import About, checked
    from eval.export.registry import EXPORTERS

    found = cli.read_items(arguments.items, arguments)
    kept = tuple(i for i in found.items if i.key or not arguments.skip_without_key)
    items = _located(checked(kept), arguments.videos)
    about = About(
        name=_name(arguments.name or arguments.items.stem),
        title=arguments.title,
        license=arguments.license,
        videos=arguments.videos,
        notes=found.notes,
    )
    written = EXPORTERS[arguments.to].write(items, _empty(arguments.out), about)
    console = cli.console()
    console.print(f"{len(items)} items, {len(found.items) - len(items)} left out", markup=False)
    for path in written:
        console.print(f"written: {path}", markup=False, soft_wrap=True)
    return cli.DONE


def _located(items: tuple["BenchmarkItem", ...], videos: str) -> tuple["BenchmarkItem", ...]:
    """The items with their videos' paths, where the folder is on this machine."""
    from eval.lint.video_checks import with_paths

    return with_paths(items, Path(videos)) if Path(videos).is_dir() else items


def _name(text: str) -> str:
    """A name that can be a file, a task and part of a variable."""
    name = re.sub(r"[^\w-]+", "-", text, flags=re.ASCII).strip("-_")
    if not name:
        raise InputError(f"no benchmark name can be made of {text!r}.", hint="Give one with --name.")
    return name


def _empty(folder: Path) -> Path:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} exists and is not an empty folder.", hint="Give a new one.")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


if __name__ == "__main__":
    cli.run(main)
