"""What ``graphs.generate`` does: set up, run the groups side by side, and write down what came of it."""

import argparse
import asyncio
import contextlib
import json
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphs import cli, configuration
from graphs.closing import close_run
from graphs.decoding import on_ray
from graphs.group import GroupState, build_group_graph
from graphs.prepare import summary_limit
from graphs.progress import Progress
from graphs.session import ImportedDrafts, Session
from graphs.setup import make_gateway, manifest_for, preflight_needs
from graphs.slots import Slot, group_names, plan_slots
from judges.panel import warnings as panel_warnings
from media.groups import find_groups, read_group
from prompts.taskheads import TaskHead, load_taskheads
from records.config import ModelSpec, Panel, Track
from records.errors import BenchwrightError, ConfigurationError, InputError, RunStopped
from records.media import Group
from records.questions import DraftRecord, Question
from records.verdicts import Item
from report.words import number_of
from store.run import Run


@dataclass(frozen=True)
class Plan:
    """Everything about a run that is known before anything is read or asked."""

    panel: Panel
    track: Track
    heads: dict[str, TaskHead]
    folders: dict[str, Path]
    slots: tuple[Slot, ...]
    imported: tuple[Question, ...] | None
    """Questions of a file that take the place of drafting; None where an LLM drafts."""
    offline_by_default: bool = False
    gate_by_rules: bool = True
    """False: broken rules are reported, and the panel judges the question all the same."""
    type_fit: ModelSpec | None = None
    """Asked about the type's rules that code cannot read; only for questions from elsewhere."""

    def slots_of(self, group_id: str) -> tuple[Slot, ...]:
        """The slots of one group, in order."""
        return tuple(slot for slot in self.slots if slot.group_id == group_id)

    @property
    def work(self) -> tuple[str, ...]:
        """The group id of every slot, or of every question of the file."""
        return tuple(piece.group_id for piece in (self.slots if self.imported is None else self.imported))

    @property
    def questions_of_groups(self) -> dict[str, tuple[Question, ...]] | None:
        """Group id → questions of the file; None where an LLM drafts."""
        if self.imported is None:
            return None
        return {group_id: self.imported_of(group_id) or () for group_id in self.folders}

    def imported_of(self, group_id: str) -> tuple[Question, ...] | None:
        """The file's questions on one group; None where an LLM drafts."""
        if self.imported is None:
            return None
        return tuple(question for question in self.imported if question.group_id == group_id)


def generate(arguments: argparse.Namespace) -> int:
    """The command behind ``graphs.generate``; returns its exit status."""
    configuration.read_environment()
    plan = make_plan(arguments)
    if arguments.dry_run:
        return dry_run(plan, arguments)
    folder = cli.run_folder(arguments, default_run_name(plan))
    with Run.open_or_create(
        folder, manifest_for("generate", plan, arguments), database_url=arguments.database, command=cli.resume_command()
    ) as run:
        return asyncio.run(run_groups(run, plan, arguments))


def make_plan(arguments: argparse.Namespace) -> Plan:
    """Panel, track, heads, groups and slots from the flags. Raises ConfigurationError or InputError."""
    panel = configuration.choose_panel(arguments.panel, arguments.set)
    panel = configuration.with_speed(panel, arguments.max_connections, arguments.timeout)
    track = configuration.load_track(arguments.track)
    heads = load_taskheads(tuple(arguments.taskheads))
    types = chosen_types(arguments.types or track.types, heads)
    folders = given_groups(arguments)
    imported = imported_questions(arguments.drafts, folders) if arguments.drafts else None
    if imported is not None:
        panel = panel.model_copy(update={"drafters": ()})
    check_panel(panel, drafting=imported is None)
    slots = (
        plan_slots(folders, types, arguments.per_type or panel.drafts_per_type, panel.drafters, arguments.limit)
        if imported is None
        else ()
    )
    return Plan(panel, track, heads, folders, slots, imported, offline_by_default=arguments.panel is None)


def given_groups(arguments: argparse.Namespace) -> dict[str, Path]:
    """Group id → folder of ``--group`` and ``--groups``. Raises InputError for a folder that is not there."""
    for folder in arguments.group:
        if not folder.is_dir():
            problem = "is not a folder" if folder.exists() else "does not exist"
            raise InputError(f"{folder}: {problem}.", hint="Give the folder that holds the videos.")
    return group_names([*arguments.group, *(group for folder in arguments.groups for group in find_groups(folder))])


def imported_questions(file: Path, folders: Mapping[str, Path]) -> tuple[Question, ...]:
    """The questions of a file. Raises InputError where one belongs to a group that was not given."""
    from agents.imported import read_drafts

    only = next(iter(folders)) if len(folders) == 1 else ""
    questions = read_drafts(file, default_group=only)
    strange = sorted({question.group_id for question in questions} - set(folders))
    if strange:
        raise InputError(
            f"{file}: questions on groups that were not given: {', '.join(strange)}.",
            hint="Give their folders with --group or --groups; a group's id is its folder's name.",
        )
    return questions


def chosen_types(types: tuple[str, ...], heads: Mapping[str, TaskHead]) -> tuple[str, ...]:
    """The types asked for. Raises ConfigurationError for one without a task head."""
    unknown = [name for name in types if name not in heads]
    if unknown:
        raise ConfigurationError(
            f"--types: no task head for {', '.join(unknown)}.", hint=f"There are: {', '.join(heads)}."
        )
    return types


def check_panel(panel: Panel, *, drafting: bool) -> None:
    """Raises ConfigurationError where the panel lacks a role that this command needs."""
    if drafting and not panel.drafters:
        raise ConfigurationError(
            f"panel {panel.name!r} names no drafters.", hint="Name one under `drafters:`, or give --drafts FILE."
        )
    if not panel.judges:
        raise ConfigurationError(f"panel {panel.name!r} names no judges.", hint="Name seats under `judges:`.")


def default_run_name(plan: Plan) -> str:
    """A name that the same command finds again: the first group and how many more, and the panel."""
    first, *more = plan.folders
    return f"{first}{f'-and-{len(more)}-more' if more else ''}-{plan.panel.name}"


async def run_groups(run: Run, plan: Plan, arguments: argparse.Namespace) -> int:
    """Runs what is left of the run and closes it; returns the exit status."""
    out = cli.console(quiet=arguments.quiet or arguments.json)
    pending = [group_id for group_id in plan.folders if not is_finished(run, plan, group_id, arguments.retry_failed)]
    chosen = pending[: arguments.pilot] if arguments.pilot else pending
    say_beginning(out, run, plan, len(plan.folders) - len(pending))
    problems: list[BenchwrightError] = []
    if chosen:
        show = sys.stderr.isatty() and not arguments.quiet
        progress = Progress().show(len(chosen), visible=show, spent_usd=run.spent_usd())
        async with make_gateway(run, arguments, progress) as gateway:
            session = Session(
                run=run, gateway=gateway, panel=plan.panel, track=plan.track, heads=plan.heads,
                judgement_set=run.manifest.judgement_set, seed=arguments.seed,
                retry_failed=arguments.retry_failed, gate_by_rules=plan.gate_by_rules, type_fit=plan.type_fit,
                progress=progress, decode=on_ray() if arguments.decode == "ray" else None,
            )  # fmt: skip
            await look_ahead(session, plan, chosen, arguments, out)
            with progress:
                problems = await each_group(session, plan, chosen, arguments.jobs)
    code = close_run(run, run.manifest.judgement_set, problems, out, as_json=arguments.json)
    if arguments.pilot:
        from graphs.forecast import extrapolate

        done = [group_id for group_id in plan.work if group_id in chosen or group_id not in pending]
        word = "slots" if plan.imported is None else "questions"
        extrapolate(run, len(plan.work), len(done), word, out)
    stop = next((problem for problem in problems if isinstance(problem, RunStopped)), None)
    if stop:
        cli.tell_stop(stop)
    return code


async def look_ahead(session: Session, plan: Plan, groups: list[str], arguments: argparse.Namespace, out: Any) -> None:
    """Forecast and preflight before the first paid call; nothing of it for the offline models.

    Raises ConfigurationError listing everything that stands in the way.
    """
    if configuration.is_offline(plan.panel):
        return
    from graphs.forecast import forecast, longest_prompts, one_line

    readable = await asyncio.to_thread(read_groups, plan, groups)
    slots = tuple(slot for slot in plan.slots if slot.group_id in groups)
    found = forecast(
        readable, slots, plan.panel, plan.track, plan.heads, seed=arguments.seed, questions=plan.questions_of_groups
    )
    out.print(one_line(found))
    needs = preflight_needs(with_used_roles(plan.panel, readable), longest_prompts(readable, plan.panel, plan.track))
    report = await session.gateway.preflight(needs, probe=not arguments.skip_preflight)
    for line in (*report.warnings, *panel_warnings(plan.panel)):
        out.print(f"warning: {line}", style="yellow", markup=False)


def with_used_roles(panel: Panel, groups: Iterable[Group]) -> Panel:
    """The panel without a captioner where no video is to be captioned, and without a summarizer where nothing is long.

    A model that is not asked needs no key.
    """
    sources = [source for group in groups for source in group.sources]
    views = (panel.views.draft, panel.views.judge)
    shown = any(source.video_file for source in sources)
    long = any(summary_limit(views, source) for source in sources)
    return panel.model_copy(
        update={"captioner": panel.captioner if shown else None, "summarizer": panel.summarizer if long else None}
    )


def read_groups(plan: Plan, groups: Iterable[str]) -> tuple[Group, ...]:
    """The groups that can be read; the others say why when their turn comes."""
    found = []
    for group_id in groups:
        with contextlib.suppress(InputError):
            found.append(read_group(plan.folders[group_id], plan.track))
    return tuple(found)


def dry_run(plan: Plan, arguments: argparse.Namespace) -> int:
    """The forecast of the whole plan, without asking or writing anything."""
    from graphs.forecast import CASES, forecast, show

    groups = read_groups(plan, plan.folders)
    found = forecast(
        groups, plan.slots, plan.panel, plan.track, plan.heads, seed=arguments.seed, questions=plan.questions_of_groups
    )
    if arguments.json:
        totals = {case: found.total(case).model_dump() for case in CASES}
        sys.stdout.write(json.dumps({**found.model_dump(), "total": totals}, indent=1) + "\n")
    else:
        show(found, cli.console(quiet=arguments.quiet))
    missing = sorted(set(plan.folders) - {group.group_id for group in groups})
    for name in missing:
        sys.stderr.write(f"error: {plan.folders[name]} cannot be used; run without --dry-run to see why.\n")
    return cli.ERROR if missing else cli.DONE


def is_finished(run: Run, plan: Plan, group_id: str, retry_failed: bool) -> bool:
    """Whether nothing is left to do in a group: every slot has its end, every accepted question its decision."""
    drafts = {draft.slot: draft for draft in run.all("draft", DraftRecord, group_id=group_id)}
    if plan.imported is None and any(slot.key not in drafts for slot in plan.slots_of(group_id)):
        return False
    if plan.imported is not None and run.get("imported", group_id, ImportedDrafts) is None:
        return False
    accepted = [draft.question for draft in drafts.values() if draft.outcome == "accepted" and draft.question]
    if retry_failed and any(draft.outcome == "failed" for draft in drafts.values()):
        return False
    return all(is_decided(run, question, retry_failed) for question in accepted)


def is_decided(run: Run, question: Question, retry_failed: bool) -> bool:
    """Whether a question's item is final; with ``--retry-failed`` an undecided one is not."""
    item = run.get("item", question.question_id, Item, set_name=run.manifest.judgement_set)
    return item is not None and not (retry_failed and item.outcome == "undecided")


def say_beginning(out: Any, run: Run, plan: Plan, finished: int) -> None:
    """A few lines: what runs, with whom, where."""
    drafting = plan.imported is None
    if plan.offline_by_default:
        out.print(
            f"No --panel given: the embedded [bold]offline[/] models {'draft and judge' if drafting else 'judge'}. "
            "No language model is used. See docs/panels.md for panels of language models."
        )
    seats = ", ".join(seat.seat for seat in plan.panel.judges)
    drafters = f"drafter {', '.join(plan.panel.drafters)} · " if drafting else ""
    out.print(f"Panel [bold]{plan.panel.name}[/] · {drafters}judges {seats}")
    work = (
        number_of(len(plan.slots), "drafting slot")
        if plan.imported is None
        else f"{number_of(len(plan.imported), 'question')} from a file"
    )
    groups = number_of(len(plan.folders), "group")
    out.print(f"{f'{finished} of ' if finished else ''}{groups}{' finished before' if finished else ''}, {work}")
    out.print(f"run {run.folder}", markup=False, soft_wrap=True)


async def each_group(session: Session, plan: Plan, groups: list[str], jobs: int) -> list[BenchwrightError]:
    """Runs groups side by side; returns what went wrong."""
    graph = build_group_graph()

    async def one(group_id: str) -> None:
        state: GroupState = {
            "folder": plan.folders[group_id],
            "slots": plan.slots_of(group_id),
            "imported": plan.imported_of(group_id),
            "drafts": (),
            "items": (),
        }
        await graph.ainvoke(state, context=session)

    return await side_by_side(session, groups, jobs, one)


async def side_by_side(
    session: Session, names: list[str], jobs: int, run_one: Callable[[str], Awaitable[None]]
) -> list[BenchwrightError]:
    """Runs groups (or videos) side by side; one that cannot be used does not end the others. Returns what went wrong.

    A stop (budget, lasting rate limit) lets the calls in flight finish and starts nothing more.
    """
    places = asyncio.Semaphore(jobs)
    stopped = asyncio.Event()

    async def one(name: str) -> BenchwrightError | None:
        async with places:
            if stopped.is_set():
                return None
            try:
                await run_one(name)
            except RunStopped as stop:
                stopped.set()
                return stop
            except BenchwrightError as error:
                session.problem(name, str(error))
                return error
            session.problem(name, "")
            session.progress.count("groups")
            return None

    found = await asyncio.gather(*(one(name) for name in names))
    return [problem for problem in found if problem is not None]
