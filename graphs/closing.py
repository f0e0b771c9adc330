"""How a session on a run ends: exports, report, funnel on the terminal, notes, exit status."""

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphs import cli
from records.errors import BenchwrightError, RunStopped
from report.funnel import Funnel, funnel
from report.notes import run_notes
from report.page import write_report
from report.terminal import funnel_view
from store.exports import ExportCounts, output_folder, write_exports
from store.run import Run

if TYPE_CHECKING:
    from rich.console import Console

MOST_NOTES = 12
"""Lines of notes on the terminal; the report has them all."""


def close_run(
    run: Run, set_name: str, problems: Sequence[BenchwrightError], out: "Console", *, as_json: bool = False
) -> int:
    """Writes exports and report, shows the funnel, ends the session; returns the exit status.

    1 if a group could not be used or the run stopped early, 2 if undecided items are left, otherwise 0.
    """
    counts = write_exports(run, set_name)
    found = funnel(run, set_name)
    code = exit_status(problems, counts, found)
    run.end(code, end_note(problems))
    write_report(run, set_name)
    if as_json:
        sys.stdout.write(json.dumps(summary(run, found, counts, problems, code), ensure_ascii=False, indent=1) + "\n")
    else:
        out.print(funnel_view(found))
        tell_notes(run, problems, out)
        tell_files(run, counts, found, out)
    return code


def end_note(problems: Sequence[BenchwrightError]) -> str:
    """One line on how the session ended; a stop by budget or rate limit is told from an error."""
    stop = next((problem for problem in problems if isinstance(problem, RunStopped)), None)
    told = f"stopped: {stop}" if stop else "; ".join(str(problem) for problem in problems)
    return told.partition("\n")[0]


def exit_status(problems: Sequence[BenchwrightError], counts: ExportCounts, found: Funnel) -> int:
    """The exit status of a session."""
    if problems:
        return cli.ERROR
    return cli.UNDECIDED if counts.undecided or found.total.steps["failed"] else cli.DONE


def summary(
    run: Run, found: Funnel, counts: ExportCounts, problems: Sequence[BenchwrightError], code: int
) -> dict[str, object]:
    """What ``--json`` prints."""
    return {
        "run": str(run.folder),
        "exit_status": code,
        "files": {"kept": counts.kept, "rejected": counts.rejected, "undecided": counts.undecided},
        "problems": [str(problem) for problem in problems],
        "notes": [note.line() for note in run_notes(run)],
        "funnel": found.model_dump(mode="json"),
    }


def tell_notes(run: Run, problems: Sequence[BenchwrightError], out: "Console") -> None:
    """What the user should know about the groups: what was left out, what failed."""
    from rich.text import Text

    told = {str(problem) for problem in problems}
    lines = [note.line() for note in run_notes(run) if note.text not in told]
    for line in lines[:MOST_NOTES]:
        out.print(Text(f"note  {line}"), style="yellow", soft_wrap=True)
    if len(lines) > MOST_NOTES:
        out.print(f"note  {len(lines) - MOST_NOTES} more in the report", style="yellow")
    for problem in problems:
        if not isinstance(problem, RunStopped):
            sys.stderr.write(f"error: {problem}\n")


def tell_files(run: Run, counts: ExportCounts, found: Funnel, out: "Console") -> None:
    """Where the results are, and how to go on."""
    folder = output_folder(run, found.judgement_set)
    out.print(f"{counts.kept} kept → {folder / 'items.jsonl'}", soft_wrap=True)
    out.print(f"{counts.rejected} rejected, with reasons → {folder / 'rejected.jsonl'}", soft_wrap=True)
    if counts.undecided or found.total.steps["failed"]:
        out.print(
            f"{counts.undecided} undecided → {folder / 'undecided.jsonl'}; ask again what failed with --retry-failed",
            soft_wrap=True,
        )
    out.print(
        f"report → {folder / 'report.html'} · one question: python -m graphs.audit --run {run.folder} --question ID",
        soft_wrap=True,
    )
