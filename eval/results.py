"""Everything that an evaluation gives, computed once, and written as tables, plots, JSON and a page.

``write(compute(items, predictions), Path("results"))`` fills a folder: ``leaderboard.md``, ``by-type.tex``, …,
``scores.json``, ``scores.csv`` (one line a candidate, grouping and value), plots, ``report.html``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from eval.calibration import Calibration, calibration_table, calibrations
from eval.candidates import Infos
from eval.circular import CircularDrop, circular_drops, circular_table
from eval.differences import Difference, differences, differences_table
from eval.groupings import GROUPINGS
from eval.item_analysis import (
    DrafterYield,
    ItemStatistics,
    drafter_table,
    drafter_yields,
    item_statistics,
    item_table,
)
from eval.letter_bias import LetterBias, letter_biases, letter_table
from eval.metrics import ModelScores, evaluate
from eval.standard_tables import grouping_table, leaderboard, unknown_table
from eval.sweeps import SweepPoint, sweep_table
from eval.tables.flat import csv_text, write_parquet
from eval.tables.latex import latex
from eval.tables.markdown import markdown
from eval.tables.table import Table
from records.benchmark import BenchmarkItem, Prediction

Form = Literal["md", "latex", "csv", "parquet"]
FORMS: tuple[Form, ...] = ("md", "latex", "csv", "parquet")


@dataclass(frozen=True)
class Results:
    """The scores of all candidates on one benchmark, and what follows from them."""

    items: tuple[BenchmarkItem, ...]
    predictions: tuple[Prediction, ...]
    scores: tuple[ModelScores, ...]
    infos: Infos = field(default_factory=dict)
    differences: tuple[Difference, ...] = ()
    calibrations: tuple[Calibration, ...] = ()
    letters: tuple[LetterBias, ...] = ()
    circular: tuple[CircularDrop, ...] = ()
    statistics: tuple[ItemStatistics, ...] = ()
    drafters: tuple[DrafterYield, ...] = ()
    sweep: Mapping[str, SweepPoint] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    """What a reader must know about items, predictions and packages."""


def compute(
    items: Sequence[BenchmarkItem],
    predictions: Iterable[Prediction],
    *,
    infos: Infos | None = None,
    judged: Mapping[str, Mapping[str, int]] | None = None,
    sweep: Mapping[str, SweepPoint] | None = None,
    notes: Sequence[str] = (),
    seed: int = 0,
) -> Results:
    """Score and analyse. `judged` (drafter → outcome → count) adds kept rates; `sweep` describes settings.

    Raises InputError as `eval.metrics.tally` does.
    """
    items, predictions = tuple(items), tuple(predictions)
    scores = evaluate(items, predictions, seed=seed)
    return Results(
        items=items,
        predictions=predictions,
        scores=scores,
        infos=infos or {},
        differences=differences(items, predictions, seed=seed),
        calibrations=calibrations(items, predictions),
        letters=letter_biases(items, predictions),
        circular=circular_drops(items, predictions, seed=seed),
        statistics=item_statistics(items, predictions),
        drafters=drafter_yields(scores, judged),
        sweep=sweep or {},
        notes=tuple(notes),
    )


def tables(results: Results, *, by: Sequence[str] | None = None, intervals: bool = False) -> tuple[Table, ...]:
    """All tables that have something to show, leaderboard first. `by` names groupings; all by default."""
    scores, infos = results.scores, results.infos
    groupings = (grouping_table(name, scores, infos, intervals=intervals) for name in (by or GROUPINGS))
    swept = sweep_table(scores, results.sweep, infos) if any(s.setting for s in scores) else None
    candidates = (
        leaderboard(scores, infos),
        swept,
        *groupings,
        differences_table(results.differences, infos) if results.differences else None,
        circular_table(results.circular, infos),
        calibration_table(results.calibrations, infos),
        letter_table(results.letters, infos),
        item_table(results.statistics),
        drafter_table([d for d in results.drafters if d.drafter]) if results.drafters else None,
        unknown_table(scores),
    )
    return tuple(table for table in candidates if table is not None)


def write_table(table: Table, folder: Path, forms: Sequence[Form] = FORMS) -> tuple[Path, ...]:
    """Write one table in each form. Parquet raises InputError where pyarrow is not installed."""
    texts = {"md": markdown, "latex": latex, "csv": csv_text}
    written = []
    for form in forms:
        path = folder / f"{table.name}.{'tex' if form == 'latex' else form}"
        if form == "parquet":
            write_parquet(table, path)
        else:
            path.write_text(texts[form](table), encoding="utf-8")
        written.append(path)
    return tuple(written)


def write(
    results: Results,
    folder: Path,
    *,
    presets: Sequence[Table] = (),
    forms: Sequence[Form] = FORMS,
    plots: bool = True,
    page: bool = True,
) -> tuple[Path, ...]:
    """Write all tables, the scores, plots and the page; returns the paths.

    Raises InputError where a form needs a package that is not installed; plots are left out where matplotlib is not.
    """
    from eval.page import page_html
    from eval.result_plots import draw_all
    from eval.score_json import scores_csv, scores_json

    folder.mkdir(parents=True, exist_ok=True)
    all_tables = (*presets, *tables(results))
    written = [path for table in all_tables for path in write_table(table, folder, forms)]
    written += [_text(folder / "scores.json", scores_json(results)), _text(folder / "scores.csv", scores_csv(results))]
    drawn = draw_all(results, folder) if plots else ()
    if page:
        written.append(_text(folder / "report.html", page_html(results, all_tables, drawn)))
    return (*written, *drawn)


def _text(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
