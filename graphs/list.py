"""Shows runs, progress and spend: ``python -m graphs.list``; with ``--panels`` the packaged panels."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from graphs import cli

KINDS = ("panels", "tracks", "candidates")


def build_parser() -> argparse.ArgumentParser:
    """All flags of the command."""
    parser = cli.parser("graphs.list", "Show runs with their progress and spend, or what is packaged.")
    parser.add_argument("--runs", metavar="DIR", type=Path, default=Path("runs"), help="folder of runs (default: runs)")
    for kind in KINDS:
        parser.add_argument(f"--{kind}", action="store_true", help=f"the packaged {kind}")
    cli.add_database_flag(parser, "PostgreSQL address of runs that are kept there")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    return cli.start(show, build_parser().parse_args(argv))


def show(arguments: argparse.Namespace) -> int:
    """The command behind ``graphs.list``; returns its exit status."""
    kind = next((kind for kind in KINDS if getattr(arguments, kind)), "")
    if kind:
        return show_packaged(kind, as_json=arguments.json)
    return show_runs(arguments.runs, arguments.database, as_json=arguments.json)


def show_runs(folder: Path, database_url: str, *, as_json: bool) -> int:
    """The runs of a folder."""
    from report.runs import list_runs

    runs = list_runs(folder, database_url=database_url)
    if as_json:
        sys.stdout.write(json.dumps([run.model_dump(mode="json") for run in runs], ensure_ascii=False, indent=1) + "\n")
        return cli.DONE
    if not runs:
        print(f"No runs in {folder}. Begin one with: python -m graphs.generate --group DIR")
        return cli.DONE
    from report.terminal import runs_view

    cli.console().print(runs_view(runs))
    return cli.DONE


def show_packaged(kind: str, *, as_json: bool) -> int:
    """The packaged files of a kind with their descriptions."""
    from graphs.configuration import find_config, names_of, read_raw

    found = {name: str(read_raw(find_config(kind, name)).get("description", "")) for name in names_of(kind)}
    if as_json:
        sys.stdout.write(json.dumps(found, ensure_ascii=False, indent=1) + "\n")
        return cli.DONE
    width = max((len(name) for name in found), default=0)
    for name, description in found.items():
        print(f"{name:<{width}}  {description}")
    return cli.DONE


if __name__ == "__main__":
    sys.exit(main())
