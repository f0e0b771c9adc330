"""What ``graphs.evaluate`` does: read the items, look ahead, ask the candidates unit by unit, score."""

import argparse
import asyncio
import json
import sys
from collections.abc import Coroutine
from contextlib import nullcontext
from typing import Any

from gateway.core import Gateway
from gateway.transports import FunctionTransport
from graphs import cli, configuration
from graphs.eval_candidates import choose_candidates, refuse_contaminated, settings_of
from graphs.eval_closing import close_evaluation, wide_console
from graphs.eval_forecast import forecast, one_line, show
from graphs.eval_items import Benchmark, Unit, load_benchmark, run_folder
from graphs.eval_material import Images, preparing_track
from graphs.eval_plan import EvalPlan, Task, shows_anything, variants
from graphs.eval_session import EvalProgress, EvalSession, known, pending
from graphs.eval_unit import UnitState, build_unit_graph
from graphs.progress import Progress
from graphs.session import Session
from graphs.setup import code_commit, offline_answer, prompt_hashes
from prompts.taskheads import load_taskheads
from records.benchmark import STANDING
from records.candidates import Candidate
from records.errors import BenchwrightError, ConfigurationError, InputError, RunError, RunStopped
from store.manifest import RunManifest
from store.run import Run

Work = list[tuple[Unit, tuple[Task, ...]]]
_AHEAD = 4
"""Units are opened until each candidate has this many times as many calls waiting as it may have in flight."""
_MOST_UNITS = 1024


def evaluate(arguments: argparse.Namespace) -> int:
    """The command behind ``graphs.evaluate``; returns its exit status."""
    configuration.read_environment()
    plan = make_plan(arguments)
    if arguments.dry_run:
        return dry_run(plan, arguments)
    folder = run_folder(arguments, plan.benchmark, plan.models.name)
    with Run.open_or_create(folder, manifest_of(plan, arguments), command=cli.resume_command()) as run:
        return in_event_loop(run_evaluation(run, plan, arguments))


def in_event_loop(main: Coroutine[Any, Any, int]) -> int:
    """Runs on uvloop where it is installed, which costs less for each call."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(main)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)


def make_plan(arguments: argparse.Namespace) -> EvalPlan:
    """Candidates, settings and items from the flags. Raises ConfigurationError, InputError or RunError."""
    refuse_unknown_names(arguments)
    models = choose_candidates(arguments)
    settings = settings_of(arguments)
    asked = variants(models, settings)
    benchmark = load_benchmark(arguments, shown=shows_anything(asked.values()))
    refuse_tables_of_other_items(benchmark, arguments)
    suspect, notes = refuse_contaminated(
        models.candidates, benchmark.drafters, benchmark.judges, allow=arguments.allow_contaminated
    )
    track = preparing_track(configuration.load_track(arguments.track))
    return EvalPlan(
        benchmark=benchmark, models=models, settings=settings, track=track, suspect=suspect, notes=notes, asked=asked
    )


def refuse_unknown_names(arguments: argparse.Namespace) -> None:
    """Raises ConfigurationError for a preset or grouping that there is not, before anything is read."""
    from eval.groupings import GROUPINGS
    from eval.presets.registry import preset

    for name in arguments.preset:
        preset(name)
    for name in arguments.by:
        if name not in GROUPINGS:
            raise ConfigurationError(f"--by: there is no {name!r}.", hint=f"Known: {', '.join(GROUPINGS)}.")


def refuse_tables_of_other_items(benchmark: Benchmark, arguments: argparse.Namespace) -> None:
    """Raises InputError for a preset that is about no item at all, before anything is asked."""
    from eval.presets.base import PresetInput
    from eval.presets.registry import preset

    for name in arguments.preset:
        try:
            preset(name).build(PresetInput(benchmark.items, ()))
        except InputError as error:
            raise InputError(f"--preset {name}: {error.message}", hint=error.hint) from error


def manifest_of(plan: EvalPlan, arguments: argparse.Namespace) -> RunManifest:
    """What this run is. Candidates, settings and limit may grow from session to session, so they are not compared."""
    return RunManifest(
        kind="evaluate",
        command=tuple(sys.argv),
        seed=arguments.seed,
        track=plan.track,
        options={"items": plan.benchmark.name},
        prompts={name: value for name, value in prompt_hashes().items() if name.split("/")[0] in _OUR_PROMPTS},
        commit=code_commit(),
    )


_OUR_PROMPTS = ("solver", "summarizer", "captioner")


def keep_candidates(run: Run, plan: EvalPlan) -> None:
    """Writes down who is asked how. Raises RunError where the run asked a candidate of that name otherwise."""
    for (name, setting), candidate in plan.asked.items():
        before = run.get("candidate", name, Candidate, set_name=setting)
        if before and shape(before) != shape(candidate):
            differing = [
                f"{field}: {old!r} in the run, {shape(candidate).get(field)!r} now"
                for field, old in shape(before).items()
                if shape(candidate).get(field) != old
            ]
            raise RunError(
                f"{run.folder} asked {name} otherwise ({'; '.join(differing)}).",
                hint="Give this evaluation a run of its own with --run NAME, or the candidate another name.",
            )
        run.put("candidate", name, candidate, set_name=setting)


def shape(candidate: Candidate) -> dict[str, Any]:
    """What of a candidate shapes its answers."""
    asking = candidate.asking.model_dump(mode="json")
    names = {"model", "images", "max_output_tokens", "json_mode", "temperature", "top_p", "drop_params", "extra_params"}
    return {**asking, **candidate.spec.model_dump(mode="json", include=names)}


async def run_evaluation(run: Run, plan: EvalPlan, arguments: argparse.Namespace) -> int:
    """Asks what is not known yet and closes the run; returns the exit status."""
    out = wide_console(quiet=arguments.quiet or arguments.json)
    refuse_other_items(run, plan.benchmark)
    keep_candidates(run, plan)
    work = what_is_left(run, plan, retry_failed=arguments.retry_failed)
    say_beginning(out, run, plan, work)
    problems: list[BenchwrightError] = []
    if work:
        problems = await ask_all(run, plan, work, arguments, out)
    code = close_evaluation(run, plan, problems, out, arguments)
    stop = next((problem for problem in problems if isinstance(problem, RunStopped)), None)
    if stop:
        cli.tell_stop(stop)
    return code


def refuse_other_items(run: Run, benchmark: Benchmark) -> None:
    """Raises RunError where the run holds an item of the same id that asks something else."""
    from records.benchmark import BenchmarkItem

    asked = ("stem", "options", "key", "sources")
    known_items = {item.item_id: item for item in run.all("benchmark-item", BenchmarkItem)}
    with run.transaction():
        for item in benchmark.items:
            before = known_items.get(item.item_id)
            if before and any(getattr(before, name) != getattr(item, name) for name in asked):
                raise RunError(
                    f"{run.folder} asked another item under the id {item.item_id}.",
                    hint="Give this benchmark a run of its own with --run NAME.",
                )
            if before != item:
                run.put("benchmark-item", item.item_id, item, group_id=item.group_id)


def what_is_left(run: Run, plan: EvalPlan, *, retry_failed: bool) -> Work:
    """The units with the calls on them that are still to be made."""
    done = known(run, retry_failed=retry_failed)
    left = [(unit, pending(plan.tasks(unit), done)) for unit in plan.benchmark.units]
    return [(unit, tasks) for unit, tasks in left if tasks]


def say_beginning(out: Any, run: Run, plan: EvalPlan, work: Work) -> None:
    """A few lines: who is asked what, where."""
    names = ", ".join(candidate.label or candidate.name for candidate in plan.models.candidates)
    settings = [setting.name for setting in plan.settings if setting.name]
    out.print(f"Candidates: {names}", markup=False)
    if settings:
        out.print(f"Settings: {', '.join(settings)}", markup=False)
    if all(candidate.spec.is_offline for candidate in plan.models.candidates):
        out.print("Only embedded models are asked; no language model is used.")
    for name, why in plan.suspect.items():
        out.print(f"warning: {name} {why}; its score is marked ‡", style="yellow", markup=False)
    calls = sum(len(tasks) for _, tasks in work)
    items, units = len(plan.benchmark.items), len(plan.benchmark.units)
    out.print(f"{items} items on {units} groups or videos, {calls} calls to make · run {run.folder}", markup=False)


async def ask_all(
    run: Run, plan: EvalPlan, work: Work, arguments: argparse.Namespace, out: Any
) -> list[BenchwrightError]:
    """Looks ahead, then runs the units side by side. Returns what went wrong."""
    show_bar = sys.stderr.isatty() and not arguments.quiet
    progress = EvalProgress().show(len(work), visible=show_bar, spent_usd=run.spent_usd())
    images = Images(run)
    async with open_gateway(run, arguments, progress, images) as gateway:
        preparing = Session(
            run=run, gateway=gateway, panel=plan.preparing_panel(), track=plan.track,
            heads=load_taskheads() if plan.models.captioner else {}, judgement_set=run.manifest.judgement_set,
            seed=arguments.seed, retry_failed=arguments.retry_failed, progress=progress,
        )  # fmt: skip
        session = EvalSession(run, gateway, plan, preparing, images, progress)
        await look_ahead(session, work, arguments, out)
        with progress:
            return await each_unit(session, work)


def open_gateway(run: Run, arguments: argparse.Namespace, progress: Progress, images: Images) -> Gateway:
    """The gateway of an evaluation: only what was unavailable is ever asked again."""
    unavailable = frozenset(outcome for outcome, standing in STANDING.items() if standing == "unavailable")
    return Gateway(
        run,
        run.cache_dir,
        images,
        transports={"offline": FunctionTransport(offline_answer())},
        budget_usd=arguments.budget_usd,
        retry_failed=arguments.retry_failed,
        retry_outcomes=unavailable,
        max_asks=arguments.max_asks,
        on_event=progress.on_event,
    )


async def look_ahead(session: EvalSession, work: Work, arguments: argparse.Namespace, out: Any) -> None:
    """Forecast and preflight before the first paid call. Raises ConfigurationError listing what stands in the way."""
    found = await asyncio.to_thread(forecast, session.plan, work)
    if all(need.model.is_offline for need in found.needs):
        return
    out.print(one_line(found))
    report = await session.gateway.preflight(found.needs, probe=not arguments.skip_preflight)
    for line in report.warnings:
        out.print(f"warning: {line}", style="yellow", markup=False)


async def each_unit(session: EvalSession, work: Work) -> list[BenchwrightError]:
    """Runs units side by side, as many as keep every candidate busy. A stop starts nothing more."""
    graph = build_unit_graph()
    places = asyncio.Semaphore(units_at_once(session.plan, work))
    stopped = asyncio.Event()

    async def one(unit: Unit, tasks: tuple[Task, ...]) -> BenchwrightError | None:
        if stopped.is_set():
            return None
        state: UnitState = {"unit": unit, "tasks": tasks, "predictions": (), "shown": ()}
        try:
            await graph.ainvoke(state, context=session)
        except BenchwrightError as stop:
            stopped.set()
            return stop
        session.progress.count("groups")
        return None

    found: list[BenchwrightError] = []
    async with asyncio.TaskGroup() as group:
        for unit, tasks in work:
            await places.acquire()
            if stopped.is_set():
                break
            group.create_task(_placed(one(unit, tasks), places, found))
    return found


async def _placed(
    work: Coroutine[Any, Any, BenchwrightError | None], places: asyncio.Semaphore, found: list[BenchwrightError]
) -> None:
    try:
        problem = await work
    finally:
        places.release()
    if problem is not None and problem not in found:
        found.append(problem)


def units_at_once(plan: EvalPlan, work: Work) -> int:
    """So many units that every candidate has calls waiting, also the one with most places and fewest calls a unit.

    One a place where a unit's first call goes ahead of its others, so that the first round fills all places.
    """
    wanted = 4
    for candidate in plan.models.candidates:
        calls = [sum(task.candidate == candidate.name for task in tasks) for _, tasks in work]
        mean = sum(calls) / max(1, sum(count > 0 for count in calls))
        if mean:
            places = candidate.spec.concurrency
            leading = places if candidate.spec.prefix_cache else 0
            wanted = max(wanted, leading, int(_AHEAD * places / mean) + 1)
    return min(_MOST_UNITS, wanted)


def dry_run(plan: EvalPlan, arguments: argparse.Namespace) -> int:
    """The forecast, without asking or writing anything; what a run of that name knows already is left out."""
    folder = run_folder(arguments, plan.benchmark, plan.models.name)
    with Run.open(folder) if (folder / "run.yaml").is_file() else nullcontext() as run:
        done = known(run, retry_failed=arguments.retry_failed) if run else frozenset()
    work = [(unit, pending(plan.tasks(unit), done)) for unit in plan.benchmark.units]
    found = forecast(plan, work)
    if arguments.json:
        sys.stdout.write(json.dumps({**found.model_dump(exclude={"needs"}), "total": found.total.model_dump()}) + "\n")
    else:
        show(found, wide_console(quiet=arguments.quiet), f"Forecast: {len(plan.benchmark.items)} items")
    return cli.DONE
