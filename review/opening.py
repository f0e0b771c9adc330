"""Opens what a command of this folder works on: the run for reading, its reviews, the sheet of its track."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from records.errors import ConfigurationError
from records.review import Sheet
from review.assigning import AssignmentSettings
from review.desk import Desk
from review.journal import Journal
from review.material import LiveMaterial
from review.sheets import load_sheet, sheet_for
from store.run import Run


@contextmanager
def open_desk(arguments: argparse.Namespace) -> Iterator[Desk]:
    """The desk that the flags of `review.__main__.add_run_flags` name. Raises what is wrong with run or sheet."""
    with Run.open(run_folder(arguments.run), database_url=arguments.database) as run:
        live = LiveMaterial(
            run,
            set_name=arguments.set,
            outcomes=("kept", *arguments.include),
            taskheads=tuple(getattr(arguments, "taskheads", ())),
            groups_folder=getattr(arguments, "groups", None),
        )
        with Journal.open(run.folder) as journal:
            sheet = chosen_sheet(arguments.sheet, live.now().track)
            journal.use_sheet(sheet)
            yield Desk(run, journal, sheet, live)


def warn_if_empty(desk: Desk) -> None:
    """Say on standard error that a run has nothing to review yet; it may still grow, so this is no error."""
    if not desk.material.items:
        sys.stderr.write(
            f"warning: {desk.run.folder} has nothing to review: its panel kept no item. "
            "--include undecided (or removed) also takes what it did not keep.\n"
        )


def run_folder(path: Path) -> Path:
    """A run's folder: the path as it is, or a bare name under ``runs/``."""
    return Path("runs") / path if len(path.parts) == 1 and not path.is_dir() else path


def chosen_sheet(name: str, track: str) -> Sheet:
    """The sheet of a name or file, else the track's."""
    return load_sheet(name) if name else sheet_for(track or "news")


def settings_of(arguments: argparse.Namespace) -> AssignmentSettings:
    """The assignment's settings. Raises ConfigurationError for a number that makes no sense."""
    names = ("each", "share", "share_reviewers", "culture_reviewers", "seed")
    try:
        return AssignmentSettings(**{name: getattr(arguments, name) for name in names})
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigurationError(f"--{str(first['loc'][0]).replace('_', '-')}: {first['msg']}.") from error
