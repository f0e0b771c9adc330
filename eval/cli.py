"""What the command lines of `eval` share: flags that say how a file is to be read, and how errors become one line.

Exit statuses: 0 done, 1 error, 2 finished above a threshold. Imports nothing heavy, so that ``--help`` answers at once.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from records.errors import BenchwrightError
from records.shadow import refuse_foreign_modules

if TYPE_CHECKING:
    from rich.console import Console

    from eval.importers import ItemFile

DONE, ERROR, ABOVE_THRESHOLD = 0, 1, 2


class _Help(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=32, width=100)


def parser(module: str, description: str, epilog: str = "") -> argparse.ArgumentParser:
    """A parser whose usage line reads ``python -m <module>``."""
    return argparse.ArgumentParser(
        prog=f"python -m {module}",
        description=description,
        epilog=epilog,
        formatter_class=_Help,
        allow_abbrev=False,
    )


def add_reading_flags(group: Any) -> None:
    """How a benchmark file is to be read, where it does not speak for itself."""
    group.add_argument("--mapping", metavar="YAML", type=Path, help="which column means what, where names do not say")
    group.add_argument("--answers", metavar="FILE", type=Path, help="a second file with the right answers by id")
    group.add_argument("--answer-kind", choices=("letter", "index", "text"), help="what the answer column holds")
    group.add_argument("--answer-base", type=int, choices=(0, 1), help="where answers that are indices count from")
    group.add_argument(
        "--metadata", metavar="FILE", type=Path, help="facts about videos by video_id: duration, domain, discipline …"
    )


def read_items(path: Path, arguments: argparse.Namespace) -> "ItemFile":
    """The benchmark file that the flags describe, with its metadata joined."""
    from eval.importers import load_items
    from eval.mapping import Columns, read_mapping

    columns = read_mapping(arguments.mapping) if arguments.mapping else Columns()
    given = {"answer_kind": arguments.answer_kind, "answer_base": arguments.answer_base}
    columns = columns.model_copy(update={name: value for name, value in given.items() if value is not None})
    found = load_items(path, mapping=columns, answers=arguments.answers)
    if not arguments.metadata:
        return found
    from eval.metadata import join_metadata

    joined = join_metadata(found.items, arguments.metadata)
    return found.model_copy(update={"items": joined.items, "notes": (*found.notes, *joined.notes)})


def start(command: Callable[[argparse.Namespace], int], arguments: argparse.Namespace) -> int:
    """Run a command; errors meant for the user become one line on stderr and status 1."""
    try:
        return command(arguments)
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
        sys.stderr.write("interrupted\n")
        return 130


def run(main: Callable[[Sequence[str] | None], int]) -> None:
    """The body of ``if __name__ == "__main__"``."""
    refuse_foreign_modules()
    raise SystemExit(main(None))


def console(*, stderr: bool = False) -> "Console":
    """A rich console; where the output is a file or a pipe, lines are wide and without colour."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, width=None if stream.isatty() else 160, highlight=False, soft_wrap=False)


def comma_list(text: str) -> tuple[str, ...]:
    """An argparse type: ``type,domain`` gives the two."""
    return tuple(part.strip() for part in text.split(",") if part.strip())
