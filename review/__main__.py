"""Starts the review app: ``python -m review --run RUN`` and open the address it prints.

Listens on this machine alone unless ``--host`` says otherwise. Needs the extra [review].
"""

import argparse
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from records.errors import BenchwrightError, ConfigurationError

EPILOG = """\
examples:
  python -m review.users add mei --native chinese      make somebody who may sign in
  python -m review --run runs/calder                   deal out the items and serve the page
  python -m review --run runs/calder --host 0.0.0.0    let other machines in (put HTTPS in front of it)
"""


def build_parser() -> argparse.ArgumentParser:
    """All flags of the command."""
    parser = argparse.ArgumentParser(
        prog="python -m review",
        description="Review a run's questions in the browser.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_run_flags(parser)
    parser.add_argument("--users", type=Path, default=Path("users.json"), metavar="FILE", help="default: users.json")
    parser.add_argument("--groups", type=Path, metavar="DIR", help="where the groups' folders lie now, if moved")
    parser.add_argument("--taskheads", type=Path, action="append", default=[], metavar="DIR", help="more task heads")
    add_assignment_flags(parser)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=7860, help="default: 7860")
    parser.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME", help="name under which the page is called"
    )
    return parser


def add_run_flags(parser: argparse.ArgumentParser) -> None:
    """Which run, which items of it, on which sheet."""
    parser.add_argument("--run", type=Path, required=True, metavar="RUN", help="run folder, or a name under runs/")
    parser.add_argument("--database", default="", metavar="URL", help="the run's PostgreSQL address, if it has one")
    parser.add_argument("--set", default="", metavar="NAME", help="judgement set (default: the run's first)")
    parser.add_argument("--sheet", default="", metavar="NAME|FILE", help="score sheet (default: the track's)")
    parser.add_argument(
        "--include",
        action="append",
        choices=("undecided", "removed"),
        default=[],
        help="also review items that the panel left undecided or removed",
    )


def add_assignment_flags(parser: argparse.ArgumentParser) -> None:
    """How many people see an item."""
    parser.add_argument("--each", type=int, default=1, metavar="N", help="reviewers of an ordinary item (default: 1)")
    parser.add_argument(
        "--share", type=_share, default=0.1, metavar="X", help="share of items for several people (default: 0.1)"
    )
    parser.add_argument(
        "--share-reviewers", type=int, default=3, metavar="N", help="reviewers of an item of that share (default: 3)"
    )
    parser.add_argument(
        "--culture-reviewers", type=int, default=2, metavar="N", help="reviewers of a culture item (default: 2)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="draws the share (default: 0)")


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    arguments = build_parser().parse_args(argv)
    try:
        return serve(arguments)
    except BenchwrightError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    except KeyboardInterrupt:
        return 0


def serve(arguments: argparse.Namespace) -> int:
    """Deal out the items, say where the page is, serve it until interrupted."""
    try:
        import uvicorn

        from review.server import LOCAL_HOSTS, Door, build_server
    except ImportError as error:
        raise ConfigurationError(
            f"the review app needs {error.name}.", hint='Install it: pip install "benchwright[review]".'
        ) from error
    from review.opening import open_desk, settings_of, warn_if_empty
    from review.users import read_users

    users = read_users(arguments.users)
    with open_desk(arguments) as desk:
        plan = desk.plan(users.reviewers, settings_of(arguments))
        for gap in plan.gaps:
            sys.stderr.write(f"warning: item {gap.item_id}: {gap.message}.\n")
        warn_if_empty(desk)
        listening = _listen(arguments.host, arguments.port)
        local = arguments.host in ("127.0.0.1", "localhost", "::1")
        hosts = (*LOCAL_HOSTS, *arguments.allow_host) if local or arguments.allow_host else ("*",)
        app = build_server(desk, Door(arguments.users), hosts=hosts)
        shown = f"[{arguments.host}]" if ":" in arguments.host else arguments.host
        print(f"{len(desk.material.items)} items, {len(users.users)} reviewers.", flush=True)
        print(f"Review: http://{shown}:{listening.getsockname()[1]}/  (stop with Ctrl-C)", flush=True)
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])
    return 0


def _listen(host: str, port: int) -> socket.socket:
    """The socket of the page; port 0 is any free one. Raises ConfigurationError where nobody can listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise ConfigurationError(
            f"cannot listen on {host}, port {port}: {why}.",
            hint="Is a review open there already? Choose another with --port; 0 is any free one.",
        ) from error


def _share(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"a share from 0 to 1, not {text}")
    return value


if __name__ == "__main__":
    sys.exit(main())
