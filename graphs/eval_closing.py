"""How an evaluation ends: predictions with what they really cost, scores, tables, plots, a page, the leaderboard.

``predictions.jsonl``, ``items.jsonl``, ``scores.json`` and ``report.html`` lie in the run's folder, every table and
plot in its ``results/``.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphs import cli
from graphs.eval_candidates import Setting
from graphs.eval_material import Shown
from graphs.eval_plan import EvalPlan
from graphs.session import Note
from records.base import digest
from records.benchmark import BenchmarkItem, Prediction
from records.candidates import Candidate
from records.errors import BenchwrightError, RunStopped
from store.exports import natural, write_lines
from store.ledger import request_costs
from store.run import Run

if TYPE_CHECKING:
    from rich.console import Console

    from eval.candidates import CandidateInfo
    from eval.results import Results
    from eval.sweeps import SweepPoint
    from eval.tables.table import Table

_ONLY_IN_FILES = ("items", "letters", "not-available")


def close_evaluation(
    run: Run, plan: EvalPlan, problems: Sequence[BenchwrightError], out: "Console", arguments: argparse.Namespace
) -> int:
    """Scores what the run holds, writes everything, shows the tables; returns the exit status.

    1 if something went wrong or the run stopped early, 2 if some reply never came, otherwise 0.
    """
    predictions = final_predictions(run, plan.benchmark.items)
    code = exit_status(problems, predictions)
    run.end(code, "; ".join(str(problem) for problem in problems).partition("\n")[0])
    write_lines(run.folder / "predictions.jsonl", predictions)
    write_lines(run.folder / "items.jsonl", plan.benchmark.items)
    if not predictions:
        tell(run, problems, out)
        return code
    results = scored(run, plan, predictions, arguments.seed)
    presets = built_presets(results, arguments)
    write_results(run, results, presets, plots=not arguments.no_plots)
    if arguments.json:
        sys.stdout.write(json.dumps(summary(run, results, problems, code), ensure_ascii=False, indent=1) + "\n")
    else:
        show(results, presets, out, arguments)
        tell(run, problems, out)
        tell_files(run, out)
    return code


def exit_status(problems: Sequence[BenchwrightError], predictions: Iterable[Prediction]) -> int:
    """The exit status of a session."""
    if problems:
        return cli.ERROR
    return cli.UNDECIDED if any(p.standing == "unavailable" for p in predictions) else cli.DONE


# --- predictions -----------------------------------------------------------------------------------------------------


def final_predictions(run: Run, items: Iterable[BenchmarkItem]) -> tuple[Prediction, ...]:
    """What the run holds about these items, in their order, with the costs that the journal knows."""
    order = {item.item_id: place for place, item in enumerate(items)}
    found = [p for p in run.all("prediction", Prediction) if p.item_id in order]
    models = {name: place for place, name in enumerate(_asked_order(run))}
    found.sort(key=lambda p: (models.get(p.model, 0), natural(p.setting), order[p.item_id], p.rotation, p.sample))
    return paid(found, request_costs(run))


def _asked_order(run: Run) -> tuple[str, ...]:
    """The candidates in the order in which they were first asked."""
    entries = sorted(run.index("candidate"), key=lambda entry: entry.written)
    return tuple(dict.fromkeys(entry.key for entry in entries))


def paid(predictions: Sequence[Prediction], costs: Mapping[str, float]) -> tuple[Prediction, ...]:
    """Each call's cost on the predictions that it gave first, in equal shares; equal requests later are free.

    The same whether the run was killed and resumed or not: sums over predictions are what was paid.
    """
    payer: dict[str, tuple[str, str, int, int]] = {}
    members: dict[str, list[int]] = defaultdict(list)
    for place, p in enumerate(predictions):
        asking = (p.model, p.setting, p.rotation, p.sample)
        if p.request_id and payer.setdefault(p.request_id, asking) == asking:
            members[p.request_id].append(place)
    changed = [p.model_copy(update={"cost_usd": 0.0, "cached": bool(p.request_id)}) for p in predictions]
    for request_id, places in members.items():
        share = costs.get(request_id, 0.0) / len(places)
        for place in places:
            changed[place] = changed[place].model_copy(update={"cost_usd": share, "cached": False})
    return tuple(changed)


# --- results ---------------------------------------------------------------------------------------------------------


def scored(run: Run, plan: EvalPlan, predictions: tuple[Prediction, ...], seed: int) -> "Results":
    """Scores and everything that follows from them."""
    from eval.results import compute

    return compute(
        plan.benchmark.items,
        predictions,
        infos=infos_of(run, plan),
        judged=plan.benchmark.judged,
        sweep=sweep_points(run, plan.settings),
        notes=(*plan.benchmark.notes, *plan.notes, *_asking_notes(run)),
        seed=seed,
    )


def infos_of(run: Run, plan: EvalPlan) -> "dict[str, CandidateInfo]":
    """The facts about every candidate of the run that tables need."""
    from eval.candidates import CandidateInfo

    return {
        candidate.name: CandidateInfo(
            label=candidate.label,
            llm=candidate.llm,
            frames=_frames_words(candidate),
            section=candidate.section,
            size_b=candidate.size_b,
            contaminated=plan.suspect.get(candidate.name, ""),
        )
        for candidate in candidates_of(run)
    }


def candidates_of(run: Run) -> tuple[Candidate, ...]:
    """Every candidate that the run has asked, in order."""
    found: dict[str, Candidate] = {}
    for candidate in run.all("candidate", Candidate):
        found.setdefault(candidate.name, candidate)
    return tuple(found[name] for name in _asked_order(run) if name in found)


def _frames_words(candidate: Candidate) -> str:
    asking = candidate.asking
    if asking.input == "video":
        return asking.frames if asking.rule.kind == "fps" else "video"
    if not candidate.spec.images or asking.rule.kind == "none":
        return "none"
    words = f"{asking.frames}f" if asking.rule.kind == "ranked" else asking.frames
    return words


def _asking_notes(run: Run) -> tuple[str, ...]:
    """What a reader must know about how candidates were asked, where it is not the usual way."""
    notes = []
    for candidate in candidates_of(run):
        asking = candidate.asking
        said = [
            words
            for words, holds in (
                ("several questions in one call, so that answers may lean on each other", asking.batch != 1),
                ("the bare letter, without reason or confidence", asking.reply == "letter"),
                ("unreadable replies went back to the model", asking.mend),
                ("a video's frames side by side as one image", asking.input == "strip"),
                ("the video itself instead of frames", asking.input == "video"),
            )
            if holds
        ]
        if said:
            notes.append(f"{candidate.label or candidate.name}: {'; '.join(said)}")
    return tuple(notes)


def sweep_points(run: Run, settings: Iterable[Setting]) -> "dict[str, SweepPoint]":
    """What each setting of the sweep came to, over all candidates and units."""
    from eval.sweeps import SweepPoint

    found: dict[str, SweepPoint] = {}
    for setting in settings:
        entries = [entry.key for entry in run.index("shown", set_name=setting.name)]
        facts = run.all("shown", Shown, set_name=setting.name)
        if setting.name and facts:
            inputs = digest(sorted(zip(entries, (fact.inputs for fact in facts), strict=True)))
            found[setting.name] = SweepPoint(setting=setting.name, effective=effective(setting, facts), inputs=inputs)
    return found


def effective(setting: Setting, facts: Sequence[Shown]) -> str:
    """What models got: ``640 px (asked 1080)``, ``3–4 frames``."""
    name, _, asked = setting.name.partition("=")
    values = {value for fact in facts for value in (fact.sides if name == "side" else fact.frames)}
    if not values:
        return "no frames"
    low, high = min(values), max(values)
    got = f"{low}" if low == high else f"{low}–{high}"
    if name == "side":
        return f"{got} px" if got == asked else f"{got} px (asked {asked})"
    return f"{got} frame{'s' * (got != '1')} a video"


# --- writing and telling ---------------------------------------------------------------------------------------------


def built_presets(results: "Results", arguments: argparse.Namespace) -> "tuple[Table, ...]":
    """The tables in a paper's shape that were asked for."""
    from eval.presets.base import PresetInput
    from eval.presets.registry import preset

    given = PresetInput(results.items, results.predictions, results.infos, arguments.seed, arguments.intervals)
    return tuple(preset(name).build(given) for name in arguments.preset)


def write_results(run: Run, results: "Results", presets: "tuple[Table, ...]", *, plots: bool = True) -> None:
    """All tables and plots into ``results/``; the scores and the page beside the predictions."""
    from eval.results import write

    folder = run.folder / "results"
    write(results, folder, presets=presets, forms=("md", "latex", "csv"), plots=plots)
    for name in ("report.html", "scores.json"):
        (folder / name).replace(run.folder / name)


def show(results: "Results", presets: "tuple[Table, ...]", out: "Console", arguments: argparse.Namespace) -> None:
    """The tables on the terminal: the presets asked for, else the leaderboard and the groupings asked for."""
    from eval.results import tables
    from eval.tables.terminal import print_table

    for note in results.notes:
        out.print(f"note: {note}", markup=False, style="dim")
    found = tables(results, by=arguments.by or ("type", "family"), intervals=arguments.intervals)
    shown: Iterable[Any] = presets or [table for table in found if table.name not in _ONLY_IN_FILES]
    for table in shown:
        print_table(table, out)


def summary(run: Run, results: "Results", problems: Sequence[BenchwrightError], code: int) -> dict[str, object]:
    """What ``--json`` prints."""
    from eval.score_json import scores_json

    return {
        "run": str(run.folder),
        "exit_status": code,
        "problems": [str(problem) for problem in problems],
        "notes": [f"{note.group_id}: {note.text}" for note in run.all("note", Note)],
        "spent_usd": round(run.spent_usd(), 6),
        "scores": json.loads(scores_json(results)),
    }


def tell(run: Run, problems: Sequence[BenchwrightError], out: "Console") -> None:
    """What went wrong, and what the user should know about the videos."""
    for note in run.all("note", Note):
        out.print(f"note  {note.group_id}: {note.text}", style="yellow", markup=False)
    for problem in problems:
        if not isinstance(problem, RunStopped):
            sys.stderr.write(f"error: {problem}\n")


def tell_files(run: Run, out: "Console") -> None:
    """Where the results are."""
    folder = run.folder
    out.print(f"predictions → {folder / 'predictions.jsonl'} · scores → {folder / 'scores.json'}", soft_wrap=True)
    out.print(f"tables and plots → {folder / 'results'} · report → {folder / 'report.html'}", soft_wrap=True)
    calls = run.spent_usd()
    if calls:
        out.print(f"spent so far ${calls:.4f}")


def wide_console(*, quiet: bool = False) -> "Console":
    """A console for wide tables: as wide as the terminal, 160 columns in a file or a pipe."""
    from rich.console import Console

    return Console(quiet=quiet, width=None if sys.stdout.isatty() else 160, highlight=False)
