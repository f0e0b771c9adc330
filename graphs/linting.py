"""What ``graphs.lint`` does: the findings of ``eval.lint``, and those of the blind check by a panel's judges.

Method: CircularEval as in VideoVista-CulturalLingo 3.3: an item that is answered right in every rotation without its
video does not test the video.
"""

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from graphs import cli, configuration
from graphs.eval_candidates import Setting
from graphs.eval_closing import final_predictions, wide_console
from graphs.eval_forecast import forecast, show
from graphs.eval_items import Benchmark, group_units, limited
from graphs.eval_plan import EvalPlan, variants
from graphs.evaluating import ask_all, in_event_loop, keep_candidates, refuse_other_items, what_is_left
from graphs.setup import code_commit
from records.benchmark import BenchmarkItem, Prediction
from records.candidates import Asking, Candidate, Candidates
from records.config import Panel
from records.errors import BenchwrightError, ConfigurationError, RunStopped
from store.manifest import RunManifest
from store.run import Run

if TYPE_CHECKING:
    from eval.importers import ItemFile
    from eval.lint.finding import Finding

CHECK = "answerable-blind"
BLIND = Asking(frames="none", transcript="none", circular=True)


def lint(arguments: argparse.Namespace) -> int:
    """The command behind ``graphs.lint``; returns its exit status."""
    from eval import cli as eval_cli
    from eval.lint.__main__ import CHECKS, findings_of, refuse_unknown_checks, report
    from eval.lint.baselines import run_baselines
    from eval.lint.threshold import read_threshold

    configuration.read_environment()
    read_threshold(arguments.fail_on)
    refuse_unknown_checks(arguments, (*CHECKS, CHECK))
    found = eval_cli.read_items(arguments.file, arguments)
    panel = chosen_panel(arguments)
    plan = blind_plan(found, panel, arguments)
    if arguments.dry_run:
        show(forecast(plan, [(unit, plan.tasks(unit)) for unit in plan.benchmark.units]), wide_console(), "Forecast")
        return cli.DONE
    predictions, problems = asked(plan, panel, arguments)
    baselines = run_baselines(found.items, arguments.seed)
    blind = tuple(blind_findings(plan.benchmark.items, predictions, [c.name for c in plan.models.candidates]))
    code = report(found, (*findings_of(found, baselines, arguments), *_wanted(blind, arguments)), baselines, arguments)
    for problem in problems:
        if isinstance(problem, RunStopped):
            cli.tell_stop(problem)
        else:
            sys.stderr.write(f"error: {problem}\n")
    return cli.ERROR if problems else code


def chosen_panel(arguments: argparse.Namespace) -> Panel:
    """The panel whose judges answer. Raises ConfigurationError for one without judges."""
    panel = configuration.with_speed(
        configuration.choose_panel(arguments.panel), arguments.max_connections, arguments.timeout
    )
    if not panel.judges:
        raise ConfigurationError(f"panel {panel.name!r} names no judges.", hint="Name seats under `judges:`.")
    return panel


def blind_plan(found: "ItemFile", panel: Panel, arguments: argparse.Namespace) -> EvalPlan:
    """Every seat's model on every item that has a key, without evidence and in all rotations."""
    items = limited([item for item in found.items if item.key], arguments.limit)
    models = Candidates(
        name=panel.name,
        candidates=tuple(
            Candidate(spec=panel.model(seat.model).model_copy(update={"name": seat.seat}), asking=BLIND)
            for seat in panel.judges
        ),
    )
    benchmark = Benchmark(
        name=arguments.file.stem, items=items, units=group_units(items, "none", {}),
        by_id={item.item_id: item for item in items},
    )  # fmt: skip
    settings = (Setting(),)
    track = configuration.load_track("news")
    return EvalPlan(
        benchmark=benchmark, models=models, settings=settings, track=track, asked=variants(models, settings)
    )


def asked(
    plan: EvalPlan, panel: Panel, arguments: argparse.Namespace
) -> tuple[tuple[Prediction, ...], list[BenchwrightError]]:
    """What the seats said, from the run or from the models, and what went wrong."""
    folder = cli.run_folder(arguments, f"lint-{plan.benchmark.name}-{panel.name}")
    manifest = RunManifest(
        kind="lint", command=tuple(sys.argv), seed=arguments.seed, options={"items": plan.benchmark.name},
        commit=code_commit(),
    )  # fmt: skip
    out = wide_console(quiet=arguments.quiet or str(arguments.json) == "-")
    problems: list[BenchwrightError] = []
    with Run.open_or_create(folder, manifest, command=cli.resume_command()) as run:
        refuse_other_items(run, plan.benchmark)
        keep_candidates(run, plan)
        work = what_is_left(run, plan, retry_failed=arguments.retry_failed)
        calls = sum(len(tasks) for _, tasks in work)
        seats = ", ".join(candidate.name for candidate in plan.models.candidates)
        out.print(f"Blind check by {seats}: {calls} calls to make · run {run.folder}", markup=False)
        if work:

            async def main() -> int:
                problems.extend(await ask_all(run, plan, work, arguments, out))
                return 0

            in_event_loop(main())
        found = final_predictions(run, plan.benchmark.items)
        run.end(cli.ERROR if problems else cli.DONE, "; ".join(str(problem) for problem in problems))
    return found, problems


def blind_findings(
    items: Iterable[BenchmarkItem], predictions: Iterable[Prediction], seats: Sequence[str]
) -> "Iterable[Finding]":
    """One finding an item that a strict majority of seats answers right in every rotation; undecided ones as info."""
    from eval.lint.finding import Finding

    said: dict[tuple[str, str], dict[int, Prediction]] = {}
    for p in predictions:
        said.setdefault((p.item_id, p.model), {})[p.rotation] = p
    for item in items:
        solves = [solved(item, said.get((item.item_id, seat), {})) for seat in seats]
        right, unknown, needed = solves.count(True), solves.count(None), len(seats) // 2 + 1
        if right >= needed:
            names = ", ".join(seat for seat, did in zip(seats, solves, strict=True) if did)
            message = f"{right} of {len(seats)} models answer it right in every rotation without any evidence ({names})"
            yield Finding(item_id=item.item_id, check=CHECK, severity="warning", message=message)
        elif right + unknown >= needed:
            message = f"the blind check is undecided: {unknown} of {len(seats)} models lack replies"
            yield Finding(item_id=item.item_id, check=CHECK, severity="info", message=message)


def solved(item: BenchmarkItem, by_rotation: Mapping[int, Prediction]) -> bool | None:
    """Right in every rotation; None where a missing reply leaves it open."""
    found = [by_rotation.get(rotation) for rotation in range(len(item.options))]
    came = [p for p in found if p is not None and p.standing != "unavailable"]
    if any(p.answer != item.key for p in came):
        return False
    return True if len(came) == len(item.options) else None


def _wanted(findings: "Iterable[Finding]", arguments: argparse.Namespace) -> "tuple[Finding, ...]":
    return tuple(
        finding
        for finding in findings
        if (not arguments.only or finding.check in arguments.only) and finding.check not in arguments.skip
    )
