"""The runs of a folder for ``graphs.list``: state, progress, counts and spend, read from columns alone.

A run that cannot be read is listed as unreadable with the reason, and never hides the others.
"""

from collections import Counter
from pathlib import Path
from typing import Literal

from records.base import Record
from records.benchmark import STANDING
from records.errors import BenchwrightError
from store.ledger import quick_total
from store.lock import is_held
from store.manifest import FILE, read_manifest
from store.run import INTERRUPTED, Run, Session

State = Literal["writing", "done", "undecided", "stopped", "failed", "interrupted", "unreadable"]


ASKING_KINDS = ("evaluate", "lint")
"""Runs that ask candidates about a benchmark and draft nothing."""

_NEVER_CAME = frozenset(outcome for outcome, standing in STANDING.items() if standing == "unavailable")


class RunInfo(Record):
    """One run at a glance. Counts of items are those of its first judgement set."""

    name: str
    folder: str
    state: State
    """``done`` and ``undecided`` ended by themselves (exit codes 0 and 2), ``stopped`` by budget or rate limit,
    ``failed`` with an error, ``interrupted`` was killed or ended with Ctrl-C; ``writing`` is going on now."""
    note: str = ""
    """Why it stopped, failed or cannot be read."""
    kind: str = ""
    panel: str = ""
    created: str = ""
    last_written: str = ""
    groups: int = 0
    groups_done: int = 0
    """Groups whose evidence is ready."""
    planned: int = 0
    """Drafting slots of the whole run; 0 where unknown."""
    drafted: int = 0
    """Drafting slots that ended."""
    accepted: int = 0
    kept: int = 0
    removed: int = 0
    undecided: int = 0
    sets: tuple[str, ...] = ()
    items: int = 0
    """Items of a benchmark that candidates are asked about; 0 in other runs."""
    candidates: int = 0
    replies: int = 0
    """Predictions of all candidates, of all settings, rotations and repeats."""
    missing_replies: int = 0
    """Predictions of calls that never got a reply."""
    calls: int = 0
    failed_calls: int = 0
    spent_usd: float = 0.0
    sessions: int = 0


def list_runs(folder: Path, *, database_url: str = "") -> tuple[RunInfo, ...]:
    """The runs that lie in a folder, the last written first; the address is for those that live in PostgreSQL."""
    found = [path.parent for path in Path(folder).glob(f"*/{FILE}")] if Path(folder).is_dir() else []
    infos = [_read(path, database_url) for path in sorted(found)]
    return tuple(sorted(infos, key=lambda info: (info.last_written, info.name), reverse=True))


def run_info(run: Run) -> RunInfo:
    """One open run at a glance."""
    manifest, sessions = run.manifest, run.sessions()
    drafts = Counter(entry.outcome for entry in run.index("draft"))
    items = Counter(entry.outcome for entry in run.index("item", set_name=manifest.judgement_set))
    asked = run.index("prediction") if manifest.kind in ASKING_KINDS else ()
    calls, failed_calls, spent_usd = quick_total(run)
    last = sessions[-1] if sessions else None
    return RunInfo(
        name=run.name,
        folder=str(run.folder),
        state="writing" if is_held(run.folder) else _state(last),
        note=last.note if last else "",
        kind=manifest.kind,
        panel=manifest.panel.name if manifest.panel else "",
        created=manifest.created,
        last_written=max([manifest.created, *(session.ended or session.started for session in sessions)]),
        groups=len(manifest.groups),
        groups_done=len(run.index("evidence")),
        planned=manifest.planned_drafts,
        drafted=sum(drafts.values()),
        accepted=drafts["accepted"],
        kept=items["kept"],
        removed=items["removed"],
        undecided=items["undecided"],
        sets=run.sets(),
        items=len(run.index("benchmark-item")) if manifest.kind in ASKING_KINDS else 0,
        candidates=len({entry.key for entry in run.index("candidate")}) if manifest.kind in ASKING_KINDS else 0,
        replies=len(asked),
        missing_replies=sum(entry.outcome in _NEVER_CAME for entry in asked),
        calls=calls,
        failed_calls=failed_calls,
        spent_usd=spent_usd,
        sessions=len(sessions),
    )


def _read(folder: Path, database_url: str) -> RunInfo:
    try:
        url = "" if read_manifest(folder).database == "sqlite" else database_url
        with Run.open(folder, database_url=url) as run:
            return run_info(run)
    except BenchwrightError as error:
        return RunInfo(name=folder.name, folder=str(folder), state="unreadable", note=str(error))


def _state(last: Session | None) -> State:
    if last is None or not last.ended or last.note == INTERRUPTED:
        return "interrupted"
    if last.note.lower().startswith(("runstopped", "stopped")):
        return "stopped"
    states: dict[int | None, State] = {0: "done", 2: "undecided"}
    return states.get(last.exit_code, "failed")
