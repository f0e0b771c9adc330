"""What the command lines share: common flags, how errors become one line and an exit status, how a stop is told.

Exit statuses: 0 done, 1 error (or stopped before the end, resumable), 2 finished with undecided items.
Imports nothing heavy, so that ``--help`` answers at once.
"""

import argparse
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
        "--max-asks", metavar="N", type=int, default=3, help="most times a failed call is asked in all (default: 3)"
    )
    group.add_argument("--max-connections", metavar="N", type=int, help="most requests in flight a model")
    group.add_argument("--timeout", metavar="S", type=positive, help="seconds for one exchange with a model")
    group.add_argument("--skip-preflight", action="store_true", help="do not test each model with one small call")


def positive(text: str) -> float:
    """An argparse type: a number above zero."""
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"must be above 0, not {text}")
    return value


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
    """An argparse type: ``T1,T7`` gives the two."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def run_folder(arguments: argparse.Namespace, default: str = "") -> Path:
    """The run folder that the flags name: a path as it is, a bare name under ``--runs``."""
    name = arguments.run or default
    if not name:
        raise BenchwrightError("no run given.", hint="Give --run RUN; `python -m graphs.list` shows the runs.")
    path = Path(name)
    is_path = path.is_absolute() or len(path.parts) > 1 or path.is_dir()
    return path if is_path else Path(arguments.runs) / name


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
