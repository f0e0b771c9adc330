"""Tables for the terminal (rich): the funnel, the ledger, one question's life, the list of runs.

Every function gives a renderable; untrusted text goes in as plain text, without markup and control characters.
Made for 80 columns and wider.
"""

from collections.abc import Iterable, Sequence
from textwrap import shorten

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel as Box
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from records.questions import Option
from records.verdicts import UnitDecision
from report.funnel import (
    SHORT_TITLES,
    TITLES,
    UNCROSSED,
    Funnel,
    FunnelRow,
    Step,
    first_check_step,
    shown_steps,
    used_steps,
)
from report.life_records import AttemptLife, CallLife, CheckLife, QuestionLife, VerdictLife
from report.runs import ASKING_KINDS, RunInfo
from report.summary import summary_lines
from report.words import (
    attempt_tone,
    clock,
    count,
    decimal,
    headline,
    number_of,
    seconds,
    share,
    statistic,
    tells_its_claims,
    tone,
    usd,
    without_controls,
)
from store.ledger import LedgerRow

_STYLES = {"good": "green", "bad": "red", "open": "yellow", "quiet": "dim"}
_STEP_STYLES: dict[Step, str] = {"kept": "green", "undecided": "yellow", "pending": "yellow"}
_BAR = 28
_NOTE = 300
"""Characters of a run's note in the list of runs."""


def funnel_view(funnel: Funnel) -> RenderableType:
    """The whole end of a run: bars, table by type (and by drafter where there are several), ledger, sentences."""
    parts: list[RenderableType] = [_funnel_title(funnel), Text(), funnel_bars(funnel)]
    if len(funnel.by_type) > 1:
        parts += [Text(), split_table(funnel.by_type, funnel.total, "type")]
    if len(funnel.by_drafter) > 1:
        parts += [Text(), split_table(funnel.by_drafter, None, "drafter")]
    if funnel.by_task:
        parts += [Text(), ledger_table(funnel.by_task, funnel.ledger, "task")]
    sentences = [Text(f"• {line}") for line in summary_lines(funnel)]
    return Padding(Group(*parts, Text(), *sentences), (1, 1))


def funnel_bars(funnel: Funnel) -> Table:
    """One bar a step, as a share of the drafts."""
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(justify="right", style="dim", no_wrap=True)
    total = funnel.total.drafted
    table.add_row(Text("drafted", "bold"), Text(str(total), "bold"), _bar(total, total, "bold"), "")
    for step in shown_steps(funnel.total):
        if step == first_check_step(funnel.total) and funnel.total.uncrossed:
            table.add_row(*_uncrossed(funnel.total))
        number, style = funnel.total.steps[step], _STEP_STYLES.get(step, "red")
        strong = "bold " if step == "kept" else ""
        title = Text(("" if step == "kept" else "  ") + TITLES[step], strong + style if number else "dim")
        table.add_row(title, Text(str(number), strong), _bar(number, total, style), share(number, total))
    return table


def _uncrossed(total: FunnelRow) -> tuple[RenderableType, ...]:
    number, style = total.uncrossed, "yellow"
    bar = _bar(number, total.drafted, style)
    return Text(f"  {UNCROSSED}", style), Text(str(number)), bar, share(number, total.drafted)


def split_table(rows: Sequence[FunnelRow], total: FunnelRow | None, label: str) -> Table:
    """Counts by type or by drafter, one column a step in which something fell."""
    table = _table(footer=total is not None)
    steps = used_steps(rows)
    table.add_column(label, footer="all", no_wrap=True)
    table.add_column("drafts", justify="right", footer=str(total.drafted) if total else "")
    for step in steps:
        style = _STEP_STYLES.get(step, "")
        table.add_column(
            SHORT_TITLES[step], justify="right", style=style, footer=str(total.steps[step]) if total else ""
        )
    table.add_column("yield", justify="right", footer=share(total.kept, total.drafted) if total else "")
    for row in rows:
        cells = [str(row.steps[step]) if row.steps[step] else "·" for step in steps]
        table.add_row(_plain(row.label), str(row.drafted), *cells, share(row.kept, row.drafted))
    return table


def ledger_table(rows: Sequence[LedgerRow], total: LedgerRow | None, label: str) -> Table:
    """Calls, failures, cache hits, tokens, time and cost; one line a key of the ledger."""
    table = _table(footer=total is not None)
    table.add_column(label, footer="all", overflow="fold", min_width=11)
    columns = ("calls", "failed", "cached", "tokens in", "out", "p50", "p95", "cost")
    feet = _ledger_cells(total) if total else [""] * len(columns)
    for name, foot in zip(columns, feet, strict=True):
        table.add_column(name, justify="right", footer=foot, no_wrap=True)
    for row in rows:
        table.add_row(_plain(" ".join(row.key.values())), *_ledger_cells(row))
    return table


def life_view(life: QuestionLife) -> RenderableType:
    """One question's whole life."""
    parts: list[RenderableType] = [_life_head(life)]
    if life.question:
        parts += [_options(life), _evidence(life)]
    parts += [_section("Sources"), _sources(life)]
    if life.attempts:
        parts += [_section("Drafting"), *(_attempt(attempt) for attempt in life.attempts)]
    for check in life.checks:
        parts += [_section(check.title, check.outcome), _check(check)]
    parts += [_section("Calls"), _calls(life)]
    return Padding(Group(*parts), (1, 1))


def runs_view(runs: Sequence[RunInfo]) -> RenderableType:
    """Runs with state, progress, counts and spend; a line below for each that needs attention."""
    table = _table()
    table.add_column("run", overflow="fold", min_width=10)
    table.add_column("state", no_wrap=True)
    for name in ("groups", "drafts", "kept", "undec", "lost", "spent"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("written", no_wrap=True)
    for run in runs:
        table.add_row(_plain(run.name), Text(run.state, run_style(run)), *_run_cells(run))
    notes = [
        Text.assemble((run.name, "bold"), f": {shorten(without_controls(run.note), _NOTE, placeholder=' …')}")
        for run in runs
        if run.note
    ]
    asked = [
        Text.assemble((without_controls(run.name), "bold"), f": {_asked_words(run)}")
        for run in runs
        if run.kind in ASKING_KINDS
    ]
    return Padding(Group(table, *asked, *notes), (1, 1))


def _asked_words(run: RunInfo) -> str:
    never = f", {count(run.missing_replies)} of them never came" if run.missing_replies else ""
    return (
        f"{run.kind}: {number_of(run.candidates, 'candidate')} on {number_of(run.items, 'item')}, "
        f"{number_of(run.replies, 'prediction')}{never}"
    )


def run_style(run: RunInfo) -> str:
    """The colour of a run's state."""
    styles = {"done": "green", "writing": "cyan", "unreadable": "red", "failed": "red"}
    return styles.get(run.state, "yellow")


# Funnel and ledger


def _funnel_title(funnel: Funnel) -> Text:
    title = Text()
    title.append(without_controls(funnel.run), "bold")
    for name, value in (("set", funnel.judgement_set), ("panel", funnel.panel), ("schedule", funnel.schedule)):
        if value:
            title.append(f"  {name} ", "dim").append(without_controls(value))
    return title


def _bar(part: int, whole: int, style: str) -> Text:
    eighths = round(8 * _BAR * part / whole) if whole else 0
    full, rest = divmod(max(eighths, 1 if part else 0), 8)
    return Text("█" * full + (" ▏▎▍▌▋▊▉"[rest] if rest else ""), style.replace("bold", "").strip() or "cyan")


def _ledger_cells(row: LedgerRow) -> list[str]:
    failed = sum(row.failed.values())
    numbers = (row.calls, failed, row.cache_hits, row.prompt_tokens, row.completion_tokens)
    return [*map(count, numbers), seconds(row.latency_p50_s), seconds(row.latency_p95_s), usd(row.cost_usd)]


# One question's life


def _life_head(life: QuestionLife) -> RenderableType:
    about = Text()
    facts = (life.type_id, life.group_id, life.domain, life.topic)
    about.append(" · ".join(without_controls(fact) for fact in facts if fact), "dim")
    if life.question:
        about.append("\n\n").append(without_controls(life.question.stem), "bold")
    if life.reason:
        about.append("\n\n").append(without_controls(life.reason), _STYLES[tone(life.outcome)])
    if life.not_crossed:
        about.append("\n").append("options are not crossed over their sources", "yellow")
    for name, outcome in life.other_sets.items():
        about.append(f"\nset {without_controls(name)}: {outcome}", "dim")
    title = Text.assemble((headline(life), f"bold {_STYLES[tone(life.outcome)]}"), f"  {life.anchor}")
    return Box(about, title=title, title_align="left", box=box.ROUNDED, border_style="dim")


def _options(life: QuestionLife) -> RenderableType:
    question = life.question
    assert question is not None
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column()
    for letter, option in question.options.items():
        key = letter == question.key
        words = Text(without_controls(option.text), "green" if key else "")
        words.append(_claims(option), "dim")
        table.add_row(Text(f"{'✔' if key else ' '} {letter}", "bold green" if key else "bold"), words)
    return Padding(table, (1, 0, 0, 0))


def _claims(option: Option) -> str:
    """Whose claims an option makes, with their words only where the option's sentence has others."""
    about = [f"{', '.join(claim.tags)} {claim.modality}" for claim in option.claims]
    if tells_its_claims(option):
        return f"\n{' · '.join(about)}" if about else ""
    told = zip(about, option.claims, strict=True)
    return "".join(f"\n{whose}: {without_controls(claim.text)}" for whose, claim in told)


def _evidence(life: QuestionLife) -> RenderableType:
    question = life.question
    assert question is not None
    text = Text("Evidence  ", "bold").append(without_controls(question.evidence) or "–", "not bold")
    support = "; ".join(f"{letter}: {', '.join(tags)}" for letter, tags in question.support_map.items())
    text.append("\nSupport   ", "bold").append(without_controls(support) or "–", "not bold")
    for frame in life.cited_frames:
        text.append(f"\nFrame     {frame.label} at {clock(frame.time_s)}", "bold")
        text.append(f"  {without_controls(frame.caption)}", "not bold dim")
    return Padding(text, (1, 0, 0, 0))


def _sources(life: QuestionLife) -> RenderableType:
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
    for source in life.sources:
        what = " · ".join(filter(None, (source.outlet, source.date, source.title))) or "no metadata"
        seen = f"{len(source.sentences)} sentences ({source.origin or 'none'}), {len(source.frames)} frames"
        style = "bold" if source.named else "dim"
        table.add_row(Text(source.tag, style), _plain(source.video_id), Text(without_controls(what)), Text(seen, "dim"))
    return table if life.sources else Text("the run holds no evidence for this group", "dim")


def _attempt(attempt: AttemptLife) -> RenderableType:
    text = Text(f"attempt {attempt.number}: ").append(attempt.said, _STYLES[attempt_tone(attempt)])
    if attempt.call:
        text.append(f"  {_call_words(attempt.call)}", "dim")
    for violation in attempt.violations:
        text.append(f"\n  ✗ {violation.rule_id} ({violation.where}): ", "red").append(
            without_controls(violation.message)
        )
    for warning in attempt.warnings:
        text.append(f"\n  ! {warning.rule_id} ({warning.where}): ", "yellow").append(without_controls(warning.message))
    if attempt.not_checkable:
        text.append(f"\n  not checkable: {', '.join(attempt.not_checkable)}", "dim")
    if attempt.reasoning:
        text.append("\n  reasoning: ", "dim").append(without_controls(attempt.reasoning), "italic")
    return text


def _check(check: CheckLife) -> RenderableType:
    parts: list[RenderableType] = []
    if check.explanation and not check.units:
        parts.append(Text(without_controls(check.explanation)))
    if check.units:
        parts.append(_units(check.units))
    if check.verdicts:
        parts.append(Padding(_verdicts(check), (1, 0, 0, 0)))
    return Group(*parts) if parts else Text("not asked", "dim")


def _units(units: Iterable[UnitDecision]) -> Table:
    table = _table()
    table.add_column("unit", no_wrap=True)
    table.add_column("outcome", no_wrap=True)
    for name in ("has", "needs", "votes"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("arithmetic", ratio=1)
    for unit in units:
        numbers = (statistic(unit.statistic, unit.threshold), statistic(unit.threshold, unit.threshold))
        style = _STYLES[tone(unit.outcome)]
        votes = f"{unit.votes} of {unit.seats}"
        table.add_row(_plain(unit.unit), Text(unit.outcome, style), *numbers, votes, _plain(unit.explanation))
    return table


def _verdicts(check: CheckLife) -> Table:
    table = _table()
    for name in ("unit", "seat"):
        table.add_column(name, no_wrap=True)
    table.add_column("says", justify="right", no_wrap=True)
    if check.check != "ambiguity":
        table.add_column("sure", justify="right", no_wrap=True)
    table.add_column("why", ratio=1)
    thresholds = {unit.unit: unit.threshold for unit in check.units}
    before = ""
    for verdict in check.verdicts:
        unit = "" if verdict.unit == before else verdict.unit
        sure = [] if check.check == "ambiguity" else [decimal(verdict.confidence)]
        said = _said(verdict, thresholds.get(verdict.unit, 1.0))
        table.add_row(_plain(unit), _plain(verdict.seat), said, *sure, _why(verdict))
        before = verdict.unit
    return table


def _said(verdict: VerdictLife, threshold: float) -> Text:
    if verdict.failure:
        return Text("failed", "red")
    if verdict.severity is not None:
        return Text(decimal(verdict.severity), "red" if verdict.severity >= threshold else "")
    return Text(f"{verdict.answer} {'✔' if verdict.right else '✗'}", "green" if verdict.right else "")


def _why(verdict: VerdictLife) -> Text:
    text = Text(without_controls(verdict.failure or verdict.rationale), "red" if verdict.failure else "")
    if verdict.replaces:
        text.append(f" (in place of {without_controls(verdict.replaces)})", "yellow")
    return text


def _calls(life: QuestionLife) -> RenderableType:
    if not life.calls:
        return Text("no call is in the journal", "dim")
    table = _table()
    for name in ("task", "seat or model", "unit"):
        table.add_column(name, overflow="fold")
    table.add_column("outcome", overflow="fold")
    for name in ("in", "out", "time", "cost"):
        table.add_column(name, justify="right", no_wrap=True)
    for call in life.calls:
        who = call.seat or call.model
        table.add_row(call.task, _plain(who), _plain(call.unit), _outcome(call), *_call_cells(call))
    words = f"{number_of(len(life.calls), 'call')}, {usd(life.cost_usd)}"
    if life.calls_saved:
        words += f"; {life.calls_saved} more were saved by the {life.schedule} schedule"
    return Group(table, Text(words))


def _outcome(call: CallLife) -> Text:
    again = f" ×{call.exchanges}" if call.exchanges > 1 else ""
    cached = f" +{call.cache_hits} cached" if call.cache_hits else ""
    return Text(call.outcome + again + cached, _STYLES[tone(call.outcome)])


def _call_cells(call: CallLife) -> list[str]:
    return [count(call.prompt_tokens), count(call.completion_tokens), seconds(call.latency_s), usd(call.cost_usd)]


def _call_words(call: CallLife) -> str:
    return f"{call.model}, {call.outcome}, {seconds(call.latency_s)}, {usd(call.cost_usd)}"


def _table(*, footer: bool = False) -> Table:
    return Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_footer=footer, show_edge=False)


def _section(title: str, outcome: str = "") -> RenderableType:
    words = Text.assemble((title, "bold"), ("  " + outcome if outcome else "", _STYLES[tone(outcome or "ok")]))
    return Padding(Rule(words, align="left", style="dim"), (1, 0, 0, 0))


def _run_cells(run: RunInfo) -> list[str]:
    if run.kind in ASKING_KINDS:
        return [*["–"] * 5, usd(run.spent_usd), run.last_written[5:16].replace("T", " ")]
    drafts = f"{run.drafted}/{run.planned}" if run.planned else str(run.drafted)
    groups = f"{run.groups_done}/{run.groups}" if run.groups else "–"
    lost = run.drafted - run.accepted + run.removed
    numbers = map(count, (run.kept, run.undecided, lost))
    return [groups, drafts, *numbers, usd(run.spent_usd), run.last_written[5:16].replace("T", " ")]


def _plain(text: str) -> Text:
    return Text(without_controls(text))
