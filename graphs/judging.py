"""What ``graphs.judge`` does: the drafts of a run before another panel, or questions from elsewhere in a new run."""

import argparse
import asyncio
import sys
from typing import Any

from graphs import cli, configuration
from graphs.closing import close_run
from graphs.generation import Plan, check_panel, given_groups, imported_questions, run_groups
from graphs.group import judge as judge_question
from graphs.progress import Progress
from graphs.session import Session
from graphs.setup import make_gateway, manifest_for, preflight_needs
from judges.panel import warnings as panel_warnings
from prompts.taskheads import load_taskheads
from records.config import ModelSpec, Panel
from records.errors import BenchwrightError, ConfigurationError, RunError, RunStopped
from records.media import Evidence
from records.questions import DraftRecord
from records.verdicts import Item
from report.words import number_of
from store.run import Run


def judge(arguments: argparse.Namespace) -> int:
    """The command behind ``graphs.judge``; returns its exit status."""
    configuration.read_environment()
    return judge_items(arguments) if arguments.items else judge_run(arguments)


def judge_items(arguments: argparse.Namespace) -> int:
    """Questions from elsewhere: a run of their own, in which broken rules are reported and gate nothing."""
    panel = configuration.choose_panel(arguments.panel, arguments.set)
    panel = configuration.with_speed(panel, arguments.max_connections, arguments.timeout)
    check_panel(panel, drafting=False)
    folders = given_groups(arguments)
    questions = imported_questions(arguments.items, folders)
    asked = {question.group_id for question in questions}
    plan = Plan(
        panel=panel.model_copy(update={"drafters": ()}),
        track=configuration.load_track(arguments.track),
        heads=load_taskheads(),
        folders={name: folder for name, folder in folders.items() if name in asked},
        slots=(),
        imported=questions,
        offline_by_default=arguments.panel is None,
        gate_by_rules=False,
        type_fit=type_fit_model(panel, arguments.type_fit),
    )
    arguments.drafts, arguments.pilot, arguments.decode = arguments.items, None, "threads"
    folder = cli.run_folder(arguments, f"{arguments.items.stem}-{panel.name}")
    manifest = manifest_for("judge", plan, arguments)
    with Run.open_or_create(folder, manifest, database_url=arguments.database, command=cli.resume_command()) as run:
        return asyncio.run(run_groups(run, plan, arguments))


def type_fit_model(panel: Panel, name: str | None) -> ModelSpec | None:
    """The model of ``--type-fit``. Raises ConfigurationError for a name that the panel does not have."""
    known = {model.name: model for model in panel.models}
    if name is not None and name not in known:
        raise ConfigurationError(
            f"--type-fit: panel {panel.name!r} has no model {name!r}.", hint=f"It has: {', '.join(known)}."
        )
    return known[name] if name else None


def judge_run(arguments: argparse.Namespace) -> int:
    """The accepted drafts of a run before a panel, as a judgement set of that run."""
    folder = cli.run_folder(arguments)
    with Run.open(folder, write=True, database_url=arguments.database, command=cli.resume_command()) as run:
        panel, set_name = chosen_set(run, arguments)
        return asyncio.run(judge_set(run, panel, set_name, arguments))


def chosen_set(run: Run, arguments: argparse.Namespace) -> tuple[Panel, str]:
    """The panel and the name of the set to judge. Raises an error where a name stands for another panel already."""
    if arguments.complete:
        set_name = arguments.set_name or run.manifest.judgement_set
        own = run.panel(set_name)
        if own is None:
            raise RunError(f"{run.folder} has no judgement set {set_name!r}.", hint=f"It has: {', '.join(run.sets())}.")
        return own.model_copy(update={"schedule": "full"}), set_name
    panel = configuration.choose_panel(arguments.panel, arguments.set)
    panel = configuration.with_speed(panel, arguments.max_connections, arguments.timeout)
    check_panel(panel, drafting=False)
    set_name = arguments.set_name or panel.name
    known = run.panel(set_name)
    if known is not None and verdict_shape(known) != verdict_shape(panel):
        raise ConfigurationError(
            f"{run.folder} has a judgement set {set_name!r} by another panel.", hint="Name this one with --as NAME."
        )
    return panel, set_name


def verdict_shape(panel: Panel) -> dict[str, Any]:
    """What of a panel shapes verdicts and decisions: roles that only draft and limits that only pace are left out."""
    shape = panel.model_dump(
        mode="json", include={"judges", "reserves", "checks", "schedule", "layout", "mask_outlets"}
    )
    seats = {seat.model for seat in (*panel.judges, *panel.reserves)}
    shape["models"] = sorted((spec.model, spec.temperature or 0.0) for spec in panel.models if spec.name in seats)
    return {**shape, "view": panel.views.judge.model_dump()}


async def judge_set(run: Run, panel: Panel, set_name: str, arguments: argparse.Namespace) -> int:
    """Judges what is left of the set, group by group, closes it and compares it with another set."""
    out = cli.console(quiet=arguments.quiet or arguments.json)
    run.put("panel", set_name, panel, set_name=set_name)
    groups = {evidence.group_id: evidence for evidence in run.all("evidence", Evidence)}
    drafts = [draft for draft in run.all("draft", DraftRecord) if draft.outcome == "accepted"]
    if not drafts:
        raise RunError(f"{run.folder} holds no accepted drafts yet.", hint="Finish graphs.generate first.")
    what = f"{number_of(len(drafts), 'question')} of {number_of(len(groups), 'group')}"
    out.print(f"{what} before panel [bold]{panel.name}[/] as set {set_name!r}")
    show = sys.stderr.isatty() and not arguments.quiet
    progress = Progress().show(len(groups), visible=show, spent_usd=run.spent_usd())
    track = run.manifest.track or configuration.load_track("news")
    problems: list[BenchwrightError] = []
    async with make_gateway(run, arguments, progress) as gateway:
        session = Session(
            run=run, gateway=gateway, panel=panel, track=track, heads=load_taskheads(), judgement_set=set_name,
            seed=run.manifest.seed, retry_failed=arguments.retry_failed, again=arguments.complete, progress=progress,
        )  # fmt: skip
        if not configuration.is_offline(panel):
            await look_ahead(session, tuple(groups.values()), arguments, out)
        with progress:
            problems = await judge_groups(session, groups, drafts, arguments.jobs)
    code = close_run(run, set_name, problems, out, as_json=arguments.json)
    tell_stop(problems)
    if not arguments.json:
        compare(run, arguments.compare or run.manifest.judgement_set, set_name, out)
    return code


async def look_ahead(session: Session, groups: tuple[Evidence, ...], arguments: argparse.Namespace, out: Any) -> None:
    """Preflight of the judges alone."""
    from graphs.forecast import longest_of

    judges = session.panel.model_copy(update={"drafters": (), "captioner": None, "summarizer": None})
    needs = preflight_needs(judges, longest_of(groups, judges))
    report = await session.gateway.preflight(needs, probe=not arguments.skip_preflight)
    for line in (*report.warnings, *panel_warnings(session.panel)):
        out.print(f"warning: {line}", style="yellow", markup=False)


async def judge_groups(
    session: Session, groups: dict[str, Evidence], drafts: list[DraftRecord], jobs: int
) -> list[BenchwrightError]:
    """Groups side by side; a stop lets the calls in flight finish and starts nothing more."""
    places = asyncio.Semaphore(jobs)
    stopped = asyncio.Event()

    async def one(group_id: str) -> BenchwrightError | None:
        async with places:
            if stopped.is_set():
                return None
            mine = [draft for draft in drafts if draft.group_id == group_id]
            found = await asyncio.gather(
                *(judge_question(session, draft, groups[group_id]) for draft in mine), return_exceptions=True
            )
            session.progress.count("groups")
            broken = [outcome for outcome in found if isinstance(outcome, BaseException)]
            if any(not isinstance(error, BenchwrightError) for error in broken):
                raise next(error for error in broken if not isinstance(error, BenchwrightError))
            if broken:
                stopped.set()
            return next((error for error in broken if isinstance(error, BenchwrightError)), None)

    outcomes = await asyncio.gather(*(one(group_id) for group_id in groups))
    return [problem for problem in outcomes if problem is not None]


def tell_stop(problems: list[BenchwrightError]) -> None:
    """Says how to go on after a stop."""
    for problem in problems[:1]:
        if isinstance(problem, RunStopped):
            cli.tell_stop(problem)


def compare(run: Run, first: str, second: str, out: Any) -> None:
    """What another panel changed, and how far the two agree."""
    if first == second or first not in run.sets():
        return
    from graphs.comparison import comparison_view
    from judges.agreement import compare_panels

    before = run.all("item", Item, set_name=first)
    after = run.all("item", Item, set_name=second)
    out.print(comparison_view(compare_panels(before, after), first, second))


__all__ = ["judge"]
