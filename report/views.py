"""What the report page shows, prepared: header facts, bars, filter choices, one card a question. Pure.

The templates only print these; whatever is computed is computed here.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from records.base import Record
from records.verdicts import Check, UnitDecision
from report.funnel import (
    CHECK_STEPS,
    SHORT_TITLES,
    TITLES,
    UNCROSSED,
    Funnel,
    FunnelRow,
    Step,
    first_check_step,
    shown_steps,
)
from report.life_records import CheckLife, QuestionLife, SourceLife, VerdictLife
from report.lives import CHECK_TITLES
from report.summary import offline_words, summary_lines
from report.words import Tone, count, headline, number_of, share, tone, usd
from store.exports import natural, safe_name
from store.ledger import LedgerRow
from store.run import RunManifest, Session

_MARKER = re.compile(r"(\[FRAME:[^\]]*\])")
_LETTERS: dict[Check, str] = {"crossed": "X", "solvability": "S", "ambiguity": "A", "difficulty": "D", "blind": "B"}
_UNIT_NAMES: dict[Check, str] = {"solvability": "source", "ambiguity": "option", "difficulty": "sees", "blind": "round"}
_BEFORE_JUDGES: tuple[Step, ...] = ("broke-rules", "duplicate", "declined", "failed")
_STEP_TONES: dict[Step, Tone] = {
    "kept": "good", "undecided": "open", "pending": "open",
    "broke-rules": "quiet", "duplicate": "quiet", "declined": "quiet", "failed": "quiet",
}  # fmt: skip
_LOST_STEPS: dict[str, Step] = {
    "rejected-by-rules": "broke-rules", "duplicate": "duplicate", "declined": "declined", "failed": "failed",
    "kept": "kept", "undecided": "undecided", "pending": "pending",
}  # fmt: skip


class Tile(Record):
    """A large figure."""

    label: str
    value: str
    note: str


class Bar(Record):
    """One row of the funnel; positions are thousandths of the drafts."""

    filter: str
    """The filter that a click sets, ``step`` or ``check``, and its value; an empty value shows all."""
    value: str
    title: str
    hint: str
    count: int
    share: str
    tone: Tone | str
    before: float
    start: float
    width: float


class Part(Record):
    """One stretch of a stacked bar, in thousandths."""

    tone: Tone
    start: float
    width: float


class SplitRow(Record):
    """One type or drafter."""

    label: str
    words: str
    drafted: int
    kept: int
    share: str
    parts: tuple[Part, ...]


class Mark(Record):
    """A check in a card's strip."""

    letter: str
    title: str
    outcome: str
    tone: Tone
    off: bool


class GridRow(Record):
    """What each seat said about one unit; None where it was not asked."""

    unit: str
    threshold: float
    verdicts: tuple[VerdictLife | None, ...]
    decision: UnitDecision | None = None
    """None for the calls of a round that is decided as a whole (blind)."""


class CheckView(Record):
    """One check of a card."""

    title: str
    outcome: str
    tone: Tone
    explanation: str
    unit_name: str
    seats: tuple[str, ...]
    rows: tuple[GridRow, ...]
    units: tuple[UnitDecision, ...]
    told: tuple[VerdictLife, ...]
    """Verdicts that say something in words."""


class Card(Record):
    """One question or lost slot."""

    life: QuestionLife
    anchor: str
    group_anchor: str
    step: Step
    headline: str
    tone: Tone
    stem: str
    evidence: tuple[tuple[str, bool], ...]
    strip: tuple[Mark, ...]
    check_marks: str
    """``solvability:removed ambiguity:not-run …``, for the filter."""
    checks: tuple[CheckView, ...]
    unasked: tuple[CheckView, ...]
    """Checks without any vote: switched off, not run, or decided by code."""


class GroupView(Record):
    """A group's section: what the models saw."""

    group_id: str
    anchor: str
    topic: str
    sources: tuple[SourceLife, ...]


class Choices(Record):
    """What the filters offer: (value, title)."""

    step: tuple[tuple[str, str], ...]
    type: tuple[tuple[str, str], ...]
    group: tuple[tuple[str, str], ...]
    check: tuple[tuple[str, str], ...]
    drafter: tuple[tuple[str, str], ...]


class PageView(Record):
    """Everything of the page that is not a card."""

    run: str
    folder: str
    set_name: str
    """Empty for the run's first judgement set."""
    version: str
    drafted: int
    kept: int
    offline: str
    notices: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    tiles: tuple[Tile, ...]
    bars: tuple[Bar, ...]
    sentences: tuple[str, ...]
    notes: tuple[str, ...]
    """On the groups and their files: what was left out and why, what is doubtful."""
    types: tuple[SplitRow, ...]
    drafters: tuple[SplitRow, ...]
    by_task: tuple[LedgerRow, ...]
    by_model: tuple[LedgerRow, ...]
    whole: LedgerRow
    provenance: tuple[tuple[str, str], ...]
    choices: Choices


def page_view(
    funnel: Funnel,
    manifest: RunManifest,
    sessions: Sequence[Session],
    groups: Iterable[str],
    folder: str,
    notes: Iterable[str] = (),
) -> PageView:
    """The page around the cards."""
    packages = manifest.packages
    return PageView(
        run=funnel.run,
        folder=folder,
        set_name=funnel.judgement_set if funnel.judgement_set != manifest.judgement_set else "",
        version=f" {packages['benchwright']}" if "benchwright" in packages else "",
        drafted=funnel.total.drafted,
        kept=funnel.total.kept,
        offline=offline_words(funnel),
        notices=_notices(sessions),
        facts=tuple(_facts(funnel, manifest)),
        tiles=_tiles(funnel),
        bars=tuple(_bars(funnel.total)),
        sentences=tuple(line for line in summary_lines(funnel) if line != offline_words(funnel)),
        notes=tuple(notes),
        types=tuple(_split(row) for row in funnel.by_type),
        drafters=tuple(_split(row) for row in funnel.by_drafter),
        by_task=funnel.by_task,
        by_model=funnel.by_model,
        whole=funnel.ledger,
        provenance=tuple(_provenance(manifest, sessions)),
        choices=_choices(funnel, groups),
    )


def card_of(life: QuestionLife, *, has_group: bool) -> Card:
    """The card of one life."""
    step = life_step(life)
    views = [check_view(check) for check in life.checks]
    stem = life.question.stem if life.question else f"No question: {life.reason or headline(life)}"
    return Card(
        life=life,
        anchor=safe_name(life.anchor),
        group_anchor=group_anchor(life.group_id) if has_group else "",
        step=step,
        headline=headline(life),
        tone=_STEP_TONES.get(step, "bad"),
        stem=stem,
        evidence=marked(life.question.evidence if life.question else ""),
        strip=tuple(_mark(check) for check in life.checks),
        check_marks=" ".join(_check_marks(life)),
        checks=tuple(view for view in views if view.rows),
        unasked=tuple(view for view in views if not view.rows),
    )


def _check_marks(life: QuestionLife) -> Iterable[str]:
    yield from (f"{check.check}:{check.outcome}" for check in life.checks)
    if life.not_crossed:
        yield "crossed:wanting"


def group_anchor(group_id: str) -> str:
    """The anchor of a group's section."""
    return f"group-{safe_name(group_id)}"


def life_step(life: QuestionLife) -> Step:
    """The step of the funnel in which a life ends."""
    if life.outcome == "removed" and life.removed_by:
        return CHECK_STEPS[life.removed_by]
    return _LOST_STEPS.get(life.outcome, "pending")


def marked(text: str) -> tuple[tuple[str, bool], ...]:
    """A text cut at its frame markers: (piece, is a marker)."""
    return tuple((piece, bool(_MARKER.fullmatch(piece))) for piece in _MARKER.split(text) if piece)


def check_view(check: CheckLife) -> CheckView:
    """A check as a grid: a row for each unit that was decided or asked, a column a seat."""
    seats = tuple(dict.fromkeys(verdict.seat for verdict in check.verdicts))
    said = {(verdict.unit, verdict.seat): verdict for verdict in check.verdicts}
    decided = {unit.unit: unit for unit in check.units}
    names = dict.fromkeys((*decided, *(verdict.unit for verdict in check.verdicts)))
    telling = check.outcome in {"removed", "undecided"} and any(unit.explanation for unit in check.units)
    return CheckView(
        title=check.title,
        outcome=check.outcome,
        tone=tone(check.outcome),
        explanation="" if telling else check.explanation,
        unit_name=_UNIT_NAMES.get(check.check, "unit"),
        seats=seats,
        rows=tuple(_grid_row(name, seats, said, decided.get(name)) for name in names),
        units=check.units,
        told=tuple(verdict for verdict in check.verdicts if verdict.rationale or verdict.failure),
    )


def _grid_row(
    name: str,
    seats: tuple[str, ...],
    said: Mapping[tuple[str, str], VerdictLife],
    decision: UnitDecision | None,
) -> GridRow:
    verdicts = tuple(said.get((name, seat)) for seat in seats)
    return GridRow(unit=name, threshold=decision.threshold if decision else 1.0, verdicts=verdicts, decision=decision)


def _notices(sessions: Sequence[Session]) -> tuple[str, ...]:
    last = sessions[-1] if sessions else None
    if last is None or not last.note or last.exit_code in {0, 2}:
        return ()
    return (f"The last session did not end well: {last.note}",)


def _facts(funnel: Funnel, manifest: RunManifest) -> Iterable[tuple[str, str]]:
    panel = manifest.panel
    yield "Panel", funnel.panel or "none"
    if panel:
        yield "Drafted by", ", ".join(_model(panel.model(name).model, name) for name in panel.drafters) or "people"
        yield "Judged by", ", ".join(_model(panel.model(seat.model).model, seat.seat) for seat in panel.judges)
        yield "Schedule and prompts", f"{funnel.schedule or panel.schedule}, {panel.layout}"
    if manifest.track:
        yield "Track", manifest.track.name
    yield "Groups", str(len(manifest.groups))
    yield "Seed", str(manifest.seed)
    yield "Begun", manifest.created[:16].replace("T", " ") + " UTC"
    if manifest.commit:
        yield "Code", manifest.commit[:20]
    if manifest.command:
        yield "Command", " ".join(manifest.command)


def _model(model: str, name: str) -> str:
    return model if model.rpartition("/")[2] == name else f"{name} ({model})"


def _tiles(funnel: Funnel) -> tuple[Tile, ...]:
    total, spent = funnel.total, funnel.ledger
    failed = sum(spent.failed.values())
    kept_note = f"of {total.drafted} drafts, {share(total.kept, total.drafted)}"
    each = f"{usd(funnel.kept_cost_usd)} a kept question" if funnel.kept_cost_usd is not None else "no question kept"
    calls = f"{count(funnel.calls_saved)} saved, {count(spent.cache_hits)} from cache, {count(failed)} failed"
    open_note = "complete them with --retry-failed" if total.steps["undecided"] else "every question has its votes"
    return (
        Tile(label="Kept", value=count(total.kept), note=kept_note),
        Tile(label="Undecided", value=count(total.steps["undecided"]), note=open_note),
        Tile(label="Cost", value=usd(spent.cost_usd), note=each),
        Tile(label="Calls", value=count(spent.calls), note=calls),
    )


def _bars(total: FunnelRow) -> Iterable[Bar]:
    yield Bar(
        filter="step", value="", title="drafted", hint="Show all", count=total.drafted, share="", tone="remain",
        before=1000.0 if total.drafted else 0.0, start=0, width=0,
    )  # fmt: skip
    left = total.drafted
    for step in shown_steps(total):
        if step == first_check_step(total):
            yield from _uncrossed(total, left)
        fell = total.steps[step]
        start = 0 if step == "kept" else left - fell
        yield Bar(
            filter="step",
            value=step,
            title=TITLES[step],
            hint=f"Show only: {TITLES[step]}",
            count=fell,
            share=share(fell, total.drafted),
            tone=_STEP_TONES.get(step, "bad"),
            before=_thousandths(start, total.drafted),
            start=_thousandths(start, total.drafted),
            width=_thousandths(fell, total.drafted),
        )
        left -= 0 if step in {"kept", "pending"} else fell


def _uncrossed(total: FunnelRow, left: int) -> Iterable[Bar]:
    """The line of questions whose options are not crossed, which stay in the funnel."""
    if total.uncrossed:
        start = _thousandths(left - total.uncrossed, total.drafted)
        yield Bar(
            filter="check", value="crossed:wanting", title=UNCROSSED, hint=f"Show only: {UNCROSSED}",
            count=total.uncrossed, share=share(total.uncrossed, total.drafted), tone="warn",
            before=start, start=start, width=_thousandths(total.uncrossed, total.drafted),
        )  # fmt: skip


def _thousandths(part: int, whole: int) -> float:
    return round(1000 * part / whole, 1) if whole else 0.0


def _split(row: FunnelRow) -> SplitRow:
    before = sum(row.steps[step] for step in _BEFORE_JUDGES)
    removed = sum(row.steps[step] for step in CHECK_STEPS.values())
    unsettled = row.steps["undecided"] + row.steps["pending"]
    numbers: tuple[tuple[Tone, int], ...] = (
        ("good", row.kept), ("open", unsettled), ("bad", removed), ("quiet", before),
    )  # fmt: skip
    parts, start = [], 0
    for colour, number in numbers:
        if number:
            at, width = _thousandths(start, row.drafted), _thousandths(number, row.drafted)
            parts.append(Part(tone=colour, start=at, width=width))
        start += number
    fell = [f"{number} {SHORT_TITLES[step]}" for step, number in row.steps.items() if number]
    return SplitRow(
        label=row.label,
        words=f"{number_of(row.drafted, 'draft')}: {', '.join(fell)}",
        drafted=row.drafted,
        kept=row.kept,
        share=share(row.kept, row.drafted),
        parts=tuple(parts),
    )


def _provenance(manifest: RunManifest, sessions: Sequence[Session]) -> Iterable[tuple[str, str]]:
    yield "Python", manifest.python
    yield "Packages", ", ".join(f"{name} {version}" for name, version in sorted(manifest.packages.items()))
    yield "Prompts", ", ".join(f"{name} {sha[:10]}" for name, sha in sorted(manifest.prompts.items())) or "–"
    for session in sessions:
        ended = f"ended {session.ended[:19]} with {session.exit_code}" if session.ended else "was killed or runs"
        words = f"{session.started[:19]} on {session.host} (process {session.pid}), {ended} {session.note}".strip()
        yield f"Session {session.number}", f"{words}: {session.command}" if session.command else words


def _choices(funnel: Funnel, groups: Iterable[str]) -> Choices:
    steps = [step for step in shown_steps(funnel.total) if funnel.total.steps[step]]
    on = [check for check in CHECK_TITLES if check not in funnel.checks_off]
    checks = [
        (f"{check}:{word}", f"{CHECK_TITLES[check]}: {word}")
        for check in on
        for word in ("removed", "undecided", "passed")
    ]
    uncrossed = [("crossed:wanting", UNCROSSED)] if funnel.total.not_crossed else []
    return Choices(
        step=tuple((step, f"{TITLES[step]} ({funnel.total.steps[step]})") for step in steps),
        type=tuple((row.label, f"{row.label} ({row.drafted})") for row in funnel.by_type),
        group=tuple((name, name) for name in sorted(groups, key=natural)),
        check=(*uncrossed, *checks),
        drafter=tuple((row.label, row.label) for row in funnel.by_drafter),
    )


def _mark(check: CheckLife) -> Mark:
    return Mark(
        letter=_LETTERS[check.check],
        title=check.title,
        outcome=check.outcome,
        tone=tone(check.outcome),
        off=check.outcome == "off",
    )
