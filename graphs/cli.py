"""What the command lines share: common flags, how errors become one line and an exit status, how a stop is told.

Exit statuses: 0 done, 1 error (or stopped before the end, resumable), 2 finished with undecided items.
Imports nothing heavy, so that ``--help`` answers at once.
"""

import argparse
import math
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from records.errors import BenchwrightError, RunStopped

if TYPE_CHECKING:
    from rich.console import Console

DONE, ERROR, UNDECIDED = 0, 1, 2
Command = Callable[[argparse.Namespace], int]


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the epilog's line breaks and shows defaults where the help names them."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=32, width=100)


def parser(module: str, description: str, epilog: str = "") -> argparse.ArgumentParser:
    """A parser whose usage line reads ``python -m <module>``."""
    return argparse.ArgumentParser(
        prog=f"python -m {module}",
        description=description,
        epilog=epilog,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )


def add_run_flags(group: Any) -> None:
    """Where runs are."""
    group.add_argument("--run", metavar="RUN", help="run folder, or a name under --runs")
    group.add_argument("--runs", metavar="DIR", type=Path, default=Path("runs"), help="folder of runs (default: runs)")


def add_spend_flags(group: Any) -> None:
    """Flags about money, speed and repeated asking."""
    group.add_argument("--budget-usd", metavar="USD", type=positive, help="stop cleanly before this run has cost more")
    group.add_argument("--retry-failed", action="store_true", help="ask again what failed in earlier sessions")
    group.add_argument(
        "--max-asks", metavar="N", type=whole, default=3, help="most times a failed call is asked in all (default: 3)"
    )
    group.add_argument("--max-connections", metavar="N", type=whole, help="most requests in flight a model")
    group.add_argument("--timeout", metavar="S", type=positive, help="seconds for one exchange with a model")
    group.add_argument("--skip-preflight", action="store_true", help="do not test each model with one small call")


def add_database_flag(group: Any, words: str) -> None:
    """Where a run keeps its records, if not in a file of its own."""
    group.add_argument("--database", metavar="URL", type=postgres_address, default="", help=words)


def positive(text: str) -> float:
    """An argparse type: a finite number above zero."""
    value = float(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"must be a number above 0, not {text}")
    return value


def whole(text: str) -> int:
    """An argparse type: a whole number from 1."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"counts from 1, not {text}")
    return value


def postgres_address(text: str) -> str:
    """An argparse type: the address of a PostgreSQL database. Nothing else is taken, lest it be ignored in silence."""
    if text and not text.startswith("postgres"):
        raise argparse.ArgumentTypeError(
            f"an address such as postgresql://user@host/name, not {text!r}; without it a run keeps a file of its own"
        )
    return text


def number_range(text: str) -> tuple[int, int]:
    """An argparse type: ``5`` is the first five, ``10-20`` the tenth to the twentieth, counted from 1."""
    first, dash, last = text.partition("-")
    try:
        low, high = (int(first), int(last)) if dash else (1, int(first))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"a number, or a range such as 10-20, not {text!r}") from error
    if not 1 <= low <= high:
        raise argparse.ArgumentTypeError(f"counts from 1 and runs upwards, not {text!r}")
    return low, high


def comma_list(text: str) -> tuple[str, ...]:
    """An argparse type: ``T1,T7`` gives the two, each once."""
    parts = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not parts:
        raise argparse.ArgumentTypeError(f"names with commas between them, not {text!r}")
    return parts


def run_folder(arguments: argparse.Namespace, default: str = "") -> Path:
    """The run folder that the flags name: a path as it is, a bare name under ``--runs``.

    A bare name is a path only where it holds a run already: a folder of videos of that name is not written into.
    """
    name = arguments.run or ""
    if not name and not default:
        raise BenchwrightError("no run given.", hint="Give --run RUN; `python -m graphs.list` shows the runs.")
    separators = (os.sep, os.altsep or os.sep)
    is_path = any(mark in name for mark in separators) or name in (os.curdir, os.pardir) or _holds_run(Path(name))
    return Path(name) if name and is_path else Path(arguments.runs) / (name or default)


def _holds_run(folder: Path) -> bool:
    return (folder / "run.yaml").is_file()


def start(command: Command, arguments: argparse.Namespace) -> int:
    """Runs a command; errors meant for the user become lines on stderr and exit status 1."""
    try:
        return command(arguments)
    except RunStopped as stop:
        tell_stop(stop)
        return ERROR
    except BenchwrightError as error:
        sys.stderr.write(f"error: {error}\n")
        return ERROR
    except BrokenPipeError:
        sys.stderr.close()
        return ERROR
    except OSError as error:
        if error.filename is None:
            raise
        sys.stderr.write(f"error: {error.filename}: {error.strerror}. Nothing can be read or written there.\n")
        return ERROR
    except KeyboardInterrupt:
        sys.stderr.write(f"\nInterrupted; what was finished is kept. To go on: {resume_command()}\n")
        return 130


def tell_stop(stop: RunStopped) -> None:
    """Why a run stopped before its end, and the command that continues it."""
    sys.stderr.write(f"stopped: {stop}\nWhat was finished is kept. To go on: {resume_command()}\n")


def resume_command(argv: Sequence[str] | None = None) -> str:
    """The command line that continues this run: the same one."""
    words = list(sys.argv if argv is None else argv)
    path = Path(words[0])
    module = f"{path.parent.name}.{path.stem}" if path.suffix == ".py" else path.name
    return shlex.join(["python", "-m", module, *words[1:]])


def console(*, stderr: bool = False, quiet: bool = False) -> "Console":
    """A rich console; it keeps lines whole where the output is a file or a pipe."""
    from rich.console import Console

    plain = not (sys.stderr if stderr else sys.stdout).isatty()
    return Console(stderr=stderr, quiet=quiet, width=None if not plain else 120, soft_wrap=False, highlight=False)
