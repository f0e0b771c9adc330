"""The funnel of a judgement set: how many drafts fell at which step, in all, by type and by drafter, and what it cost.

Example: 12 drafted → 1 broke rules, 1 duplicate, 1 declined, 1 failed → 1 solvable, 1 ambiguous, 1 too easy
→ 1 undecided → 4 kept. Every slot is counted in exactly one step, so the steps add up to the drafts.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from pydantic import Field

from records.base import Record
from records.config import Panel
from records.questions import DraftRecord
from records.verdicts import Check, Item
from report.guessing import expected_by_guessing
from store.exports import natural, removing_check
from store.ledger import JUDGE_TASKS, LedgerRow, ledgers
from store.run import Run

Step = Literal[
    "broke-rules", "duplicate", "declined", "failed",
    "not-crossed", "solvable", "ambiguous", "too-easy", "answerable-blind",
    "undecided", "kept", "pending",
]  # fmt: skip

STEPS: tuple[Step, ...] = Step.__args__  # type: ignore[attr-defined]
"""In the order of the funnel; ``pending`` are accepted drafts that no panel has judged yet."""

TITLES: dict[Step, str] = {
    "broke-rules": "broke rules",
    "duplicate": "duplicate",
    "declined": "declined",
    "failed": "failed",
    "not-crossed": "not crossed",
    "solvable": "solvable from one source",
    "ambiguous": "ambiguous",
    "too-easy": "too easy",
    "answerable-blind": "answerable blind",
    "undecided": "undecided",
    "kept": "kept",
    "pending": "not judged yet",
}

SHORT_TITLES: dict[Step, str] = {
    "broke-rules": "rules",
    "duplicate": "dup",
    "declined": "decl",
    "failed": "fail",
    "not-crossed": "uncr",
    "solvable": "solv",
    "ambiguous": "amb",
    "too-easy": "easy",
    "answerable-blind": "blind",
    "undecided": "undec",
    "kept": "kept",
    "pending": "open",
}
"""Heads of narrow columns."""

UNCROSSED = "not crossed (a warning)"
"""The line of judged questions whose options are not crossed, where that does not remove them."""

CHECK_STEPS: dict[Check, Step] = {
    "crossed": "not-crossed",
    "solvability": "solvable",
    "ambiguity": "ambiguous",
    "difficulty": "too-easy",
    "blind": "answerable-blind",
}
_DRAFT_STEPS: dict[str, Step] = {
    "rejected-by-rules": "broke-rules", "duplicate": "duplicate", "declined": "declined", "failed": "failed",
}  # fmt: skip
_ALWAYS: set[Step] = {"broke-rules", "solvable", "ambiguous", "too-easy", "undecided", "kept"}


class FunnelRow(Record):
    """One line of the funnel: counts of questions."""

    label: str
    """``all``, a question type, or a drafter."""
    drafted: int
    """Drafting slots that ended, and questions that came from elsewhere: the sum of `steps`."""
    steps: dict[Step, int]
    not_crossed: int = 0
    """Judged questions whose options are not crossed over their sources, whether or not that removed them."""
    warned: int = 0
    """Judged questions with any other warning of the rules, such as those of a file that break one."""

    @property
    def kept(self) -> int:
        """Kept questions."""
        return self.steps["kept"]

    @property
    def uncrossed(self) -> int:
        """Questions of the line "not crossed (a warning)": none where the panel removes such questions."""
        return 0 if self.steps["not-crossed"] else self.not_crossed


class Funnel(Record):
    """What became of every draft, and what that cost."""

    run: str
    judgement_set: str
    panel: str = ""
    schedule: str = ""
    total: FunnelRow
    by_type: tuple[FunnelRow, ...]
    by_drafter: tuple[FunnelRow, ...]
    checks_off: tuple[Check, ...] = ()
    """Checks that this panel does not make."""
    ledger: LedgerRow
    """Drafting, captions and summaries, and the judge calls of this set."""
    by_task: tuple[LedgerRow, ...] = ()
    by_model: tuple[LedgerRow, ...] = ()
    calls_saved: int = 0
    """Judge calls that the frugal schedule did not need."""
    kept_cost_usd: float | None = None
    """All of the cost divided by the kept questions; None without any."""
    expected_by_guessing: dict[Check, float] = Field(default_factory=dict)
    """Removals to expect of each check had every answer been a guess, at the confidences that the judges gave."""
    offline: bool = False
    """Every model was an embedded one, the drafters too: no language model was used."""
    offline_judges: bool = False
    """The panel has embedded models alone; the questions may come from elsewhere."""


class _Entry(Record):
    """One draft or foreign question: where it fell."""

    type_id: str
    drafter: str
    step: Step
    not_crossed: bool = False
    warned: bool = False


def funnel(
    run: Run,
    set_name: str | None = None,
    *,
    expected: dict[Check, float] | None = None,
    items: Sequence[Item] | None = None,
) -> Funnel:
    """The funnel of a judgement set (by default the run's first).

    `expected` replaces the removals expected from guessing, for callers that know better; `items` saves reading the
    set's items once more.
    """
    name = set_name or run.manifest.judgement_set
    items = run.all("item", Item, set_name=name) if items is None else items
    entries = tuple(_entries(run.all("draft", DraftRecord), items))
    panel = run.panel(name)
    asked = {verdict.request_id for item in items for verdict in item.verdicts}
    whole, by_task, by_model = ledgers(run, (), ("task",), ("model",), request_ids=asked, tasks=JUDGE_TASKS)
    kept = sum(entry.step == "kept" for entry in entries)
    return Funnel(
        run=run.name,
        judgement_set=name,
        panel=panel.name if panel else "",
        schedule=items[0].schedule if items else panel.schedule if panel else "",
        total=_row("all", entries),
        by_type=_rows(entries, lambda entry: entry.type_id),
        by_drafter=_rows(entries, lambda entry: entry.drafter),
        checks_off=_checks_off(items, panel),
        ledger=whole[0],
        by_task=by_task,
        by_model=by_model,
        calls_saved=sum(item.calls_saved for item in items),
        kept_cost_usd=whole[0].cost_usd / kept if kept else None,
        expected_by_guessing=expected if expected is not None else expected_by_guessing(items, panel),
        offline=is_offline(panel) and all(entry.drafter.startswith("offline/") for entry in entries),
        offline_judges=panel is not None and has_offline_judges(panel),
    )


def shown_steps(row: FunnelRow) -> tuple[Step, ...]:
    """The steps that a funnel shows: the paper's always, the others where something fell there."""
    return tuple(step for step in STEPS if step in _ALWAYS or row.steps[step])


def first_check_step(row: FunnelRow) -> Step:
    """The first shown step that a check decides: lines about all judged questions stand before it."""
    return next(step for step in shown_steps(row) if step in CHECK_STEPS.values())


def used_steps(rows: Sequence[FunnelRow]) -> tuple[Step, ...]:
    """The steps in which something of these rows fell."""
    return tuple(step for step in STEPS if any(row.steps[step] for row in rows))


def is_offline(panel: Panel | None) -> bool:
    """Whether every model that the panel uses is an embedded one."""
    if panel is None:
        return False
    names = {*panel.drafters, *(seat.model for seat in (*panel.judges, *panel.reserves))}
    names |= {name for name in (panel.captioner, panel.summarizer, *panel.roles.values()) if name}
    return bool(names) and all(panel.model(name).is_offline for name in names)


def has_offline_judges(panel: Panel) -> bool:
    """Whether every judge of the panel is an embedded one."""
    return all(panel.model(seat.model).is_offline for seat in (*panel.judges, *panel.reserves))


def is_not_crossed(item: Item) -> bool:
    """Whether the crossing of options was found wanting, as a decision or as a warning of the rules."""
    decided = any(made.check == "crossed" and made.outcome == "removed" for made in item.decisions)
    return decided or any("crossed" in warning for warning in item.rule_warnings)


def step_of(item: Item) -> Step:
    """Where an item fell, or that it was kept."""
    return CHECK_STEPS[removing_check(item)] if item.outcome == "removed" else item.outcome


def _entries(drafts: Sequence[DraftRecord], items: Sequence[Item]) -> Iterable[_Entry]:
    judged = {item.item_id: item for item in items}
    drafted: set[str] = set()
    for draft in drafts:
        if draft.outcome != "accepted":
            yield _Entry(type_id=draft.type_id, drafter=draft.drafter, step=_DRAFT_STEPS[draft.outcome])
            continue
        item_id = draft.question.question_id if draft.question else ""
        drafted.add(item_id)
        item = judged.get(item_id)
        yield _judged(item) if item else _Entry(type_id=draft.type_id, drafter=draft.drafter, step="pending")
    yield from (_judged(item) for item in items if item.item_id not in drafted)


def _judged(item: Item) -> _Entry:
    question = item.question
    return _Entry(
        type_id=question.type_id,
        drafter=question.provenance.drafter,
        step=step_of(item),
        not_crossed=is_not_crossed(item),
        warned=any("crossed" not in warning for warning in item.rule_warnings),
    )


def _rows(entries: Iterable[_Entry], label: Callable[[_Entry], str]) -> tuple[FunnelRow, ...]:
    grouped: dict[str, list[_Entry]] = defaultdict(list)
    for entry in entries:
        grouped[label(entry)].append(entry)
    return tuple(_row(name, grouped[name]) for name in sorted(grouped, key=natural))


def _row(label: str, entries: Sequence[_Entry]) -> FunnelRow:
    counts = Counter(entry.step for entry in entries)
    return FunnelRow(
        label=label,
        drafted=len(entries),
        steps={step: counts[step] for step in STEPS},
        not_crossed=sum(entry.not_crossed for entry in entries),
        warned=sum(entry.warned for entry in entries),
    )


def _checks_off(items: Sequence[Item], panel: Panel | None) -> tuple[Check, ...]:
    if panel is not None:
        checks = panel.checks
        on = {
            "crossed": checks.crossed_removes,
            "solvability": checks.solvability.enabled,
            "ambiguity": checks.ambiguity.enabled,
            "difficulty": checks.difficulty.enabled,
            "blind": checks.blind.enabled,
        }
        return tuple(check for check in CHECK_STEPS if not on[check])
    made = {decision.check for item in items for decision in item.decisions if decision.outcome != "off"}
    return tuple(check for check in CHECK_STEPS if check not in made)
