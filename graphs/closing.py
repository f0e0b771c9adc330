"""How a session on a run ends: exports, report, funnel on the terminal, notes, exit status."""

import json
import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from textwrap import shorten
from typing import TYPE_CHECKING

from graphs import cli
from records.errors import BenchwrightError, RunStopped
from records.questions import DraftRecord
from records.verdicts import Item, JudgeFailure
from report.funnel import Funnel, funnel
from report.notes import run_notes
from report.page import write_report
from report.terminal import funnel_view
from report.words import number_of, without_controls
from store.exports import ExportCounts, output_folder, write_exports
from store.run import Run

if TYPE_CHECKING:
    from rich.console import Console

MOST_NOTES = 12
"""Lines of notes on the terminal; the report has them all."""
MOST_REASONS = 4
"""Reasons of failed calls on the terminal."""
REASON_LENGTH = 240
"""Characters of one of them."""


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
        if found.total.steps["failed"] or found.total.steps["undecided"]:
            tell_failures(run, set_name, out)
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


def tell_failures(run: Run, set_name: str, out: "Console") -> None:
    """What the failed calls said that left drafts without a question and questions undecided, the commonest first."""
    from rich.text import Text

    reasons = Counter(draft.reason for draft in run.all("draft", DraftRecord) if draft.outcome == "failed")
    for item in run.all("item", Item, set_name=set_name):
        if item.outcome == "undecided":
            failed = (verdict for verdict in item.verdicts if isinstance(verdict, JudgeFailure))
            reasons.update(f"{verdict.seat}: {verdict.outcome}: {verdict.message}" for verdict in failed)
    for reason, number in reasons.most_common(MOST_REASONS):
        words = shorten(without_controls(reason), REASON_LENGTH, placeholder=" …")
        out.print(Text(f"failed {number_of(number, 'time')}  {words}"), style="yellow", soft_wrap=True)
    if len(reasons) > MOST_REASONS:
        out.print(f"failed  {number_of(len(reasons) - MOST_REASONS, 'other reason')}, in the report", style="yellow")


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
    of_set = "" if found.judgement_set == run.manifest.judgement_set else f" --set {shlex.quote(found.judgement_set)}"
    audit = f"python -m graphs.audit --run {shlex.quote(str(run.folder))}{of_set} --question ID"
    out.print(f"report → {folder / 'report.html'} · one question: {audit}", soft_wrap=True, markup=False)
