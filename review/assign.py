"""Deals out a run's items without serving the page: ``python -m review.assign --run RUN``.

Shows who has how many items; ``--to NAME --item ID`` gives an item to a further person, who then settles it.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from records.errors import BenchwrightError, InputError
from records.review import Assignment
from review.__main__ import add_assignment_flags, add_run_flags
from review.assigning import is_native, reads
from review.desk import Desk
from review.material import job_of
from review.opening import open_desk, settings_of, warn_if_empty
from review.users import read_users


def build_parser() -> argparse.ArgumentParser:
    """All flags of the command."""
    parser = argparse.ArgumentParser(
        prog="python -m review.assign", description="Deal out a run's items to its reviewers.", allow_abbrev=False
    )
    add_run_flags(parser)
    parser.add_argument("--users", type=Path, default=Path("users.json"), metavar="FILE", help="default: users.json")
    add_assignment_flags(parser)
    parser.add_argument("--to", default="", metavar="NAME", help="with --item: who settles these items")
    parser.add_argument("--item", action="append", default=[], metavar="ID", help="an item to be settled (repeatable)")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = build_parser()
    arguments = parser.parse_args(argv)
    if bool(arguments.to) != bool(arguments.item):
        parser.error("--to and --item go together")
    try:
        with open_desk(arguments) as desk:
            return adjudicate(desk, arguments) if arguments.item else deal(desk, arguments)
    except BenchwrightError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1


def deal(desk: Desk, arguments: argparse.Namespace) -> int:
    """Deal out what nobody has yet, and show everybody's load."""
    plan = desk.plan(read_users(arguments.users).reviewers, settings_of(arguments))
    loads = Counter(one.reviewer for one in plan.assignments)
    shared = Counter(one.reviewer for one in plan.assignments if one.role != "single")
    for name in sorted(loads):
        print(f"{name}: {loads[name]} items, {shared[name]} of them shared")
    warn_if_empty(desk)
    for gap in plan.gaps:
        sys.stderr.write(f"warning: item {gap.item_id}: {gap.message}.\n")
    return 0


def adjudicate(desk: Desk, arguments: argparse.Namespace) -> int:
    """Give items to somebody who settles them."""
    user = read_users(arguments.users).find(arguments.to)
    if user is None:
        raise InputError(f"there is no user {arguments.to!r}.", hint="python -m review.users list shows them.")
    items = desk.material.items
    unknown = [item_id for item_id in arguments.item if item_id not in items]
    if unknown:
        raise InputError(f"the run has no item {', '.join(unknown)}.")
    made = []
    for item_id in arguments.item:
        job = job_of(items[item_id])
        if not reads(user.reviewer, job):
            raise InputError(f"{user.reviewer.name} does not read {job.language} (item {item_id}).")
        native = is_native(user.reviewer, job)
        made.append(Assignment(item_id=item_id, reviewer=user.reviewer.name, role="adjudicator", native=native))
    new = desk.journal.add_assignments(made)
    print(f"{new} item(s) given to {user.reviewer.name}.")
    if new < len(made):
        print("The others were theirs already; somebody who has reviewed an item cannot settle it.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
