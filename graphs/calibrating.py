"""What ``graphs.calibrate`` does: find out what is true of the items, compare, show and write the tables."""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphs import cli
from graphs.eval_closing import wide_console
from judges.calibration import Calibration, Fit, Truth
from judges.calibration import calibrate as compare
from records.config import Panel
from records.errors import InputError, RunError
from records.verdicts import Item
from store.exports import output_folder
from store.ledger import request_costs
from store.run import Run

if TYPE_CHECKING:
    from eval.tables.table import Cell, Column, Table

GOOD = "good"


def calibrate(arguments: argparse.Namespace) -> int:
    """The command behind ``graphs.calibrate``; returns its exit status."""
    with Run.open(cli.run_folder(arguments)) as run:
        set_name = arguments.judgement_set or run.manifest.judgement_set
        panel = run.panel(set_name)
        items = run.all("item", Item, set_name=set_name)
        if panel is None or not items:
            raise RunError(f"{run.folder} has no judgement set {set_name!r}.", hint=f"It has: {', '.join(run.sets())}.")
        truths, source = truths_of(run, items, arguments)
        found = compare(items, panel, truths, request_costs(run), alike=arguments.alike)
        folder = output_folder(run, set_name)
    tables = tables_of(found, panel, source)
    write(found, tables, folder)
    if arguments.json:
        sys.stdout.write(found.model_dump_json(indent=1) + "\n")
    else:
        show(found, tables, folder, arguments)
    return cli.DONE


# --- what is true ----------------------------------------------------------------------------------------------------


def truths_of(run: Run, items: Sequence[Item], arguments: argparse.Namespace) -> tuple[tuple[Truth, ...], str]:
    """What is known about the items, and from whom. Raises InputError or RunError where nothing is."""
    if arguments.labels:
        return labelled(arguments.labels, items, arguments.ignore), str(arguments.labels)
    return reviewed(run, items, arguments.sheet), "people's reviews"


def labelled(path: Path, items: Iterable[Item], ignore: Sequence[str]) -> tuple[Truth, ...]:
    """Truths from a labelled file, joined by the id that the question had there, or by its own."""
    labels = read_labels(path)
    found = []
    for item in items:
        verdict = labels.get(item.question.provenance.external_id) or labels.get(item.item_id)
        if verdict and verdict not in ignore:
            found.append(Truth(item_id=item.item_id, bad=verdict != GOOD, kind=verdict))
    if not found:
        raise InputError(f"{path}: none of its questions is in the run.", hint="Judge this file: graphs.judge --items.")
    return tuple(found)


def read_labels(path: Path) -> dict[str, str]:
    """Id → verdict. Raises InputError naming file and row."""
    from eval.rows import read_rows

    labels = {}
    for number, row in enumerate(read_rows(path), start=1):
        label = row.get("label")
        verdict = label.get("verdict") if isinstance(label, Mapping) else label or row.get("verdict")
        name = next((row[key] for key in ("item_id", "question_id", "id") if row.get(key)), None)
        if not isinstance(verdict, str) or not name:
            raise InputError(f"{path}, row {number}: needs an item_id and a label with a verdict.")
        labels[str(name)] = verdict
    return labels


def reviewed(run: Run, items: Sequence[Item], sheet_name: str) -> tuple[Truth, ...]:
    """Truths from people's reviews: released is good, discarded is bad; what still waits for somebody is left out."""
    from release.policy import cases, settle
    from review.journal import Journal
    from review.opening import chosen_sheet
    from review.work import reviews

    sheet = chosen_sheet(sheet_name, items[0].question.track)
    with Journal.open(run.folder, create=False) as journal:
        given = reviews(sheet, journal.assignments(), journal.scores(), journal.comments(), journal.watched())
        found = [settle(case, sheet) for case in cases(items, given, journal.edits(), journal.assignments())]
    truths = tuple(
        Truth(item_id=one.item_id, bad=one.outcome == "discarded", kind=one.outcome)
        for one in found
        if one.outcome in ("released", "discarded") and not one.revision
    )
    if not truths:
        raise RunError(
            f"{run.folder}: no item has been settled by reviews yet.", hint="Review some first: python -m review."
        )
    return truths


# --- tables ----------------------------------------------------------------------------------------------------------


def tables_of(found: Calibration, panel: Panel, source: str) -> "tuple[Table, ...]":
    """All tables, the panel and its seats first."""
    return (_seat_table(found, panel, source), _kind_table(found), _rule_table(found), _subset_table(found))


def _columns(*headers: str, kind: Any = "text") -> "tuple[Column, ...]":
    from eval.tables.table import Column

    return tuple(Column(header=header, kind=kind) for header in headers)


def _fit_columns() -> "tuple[Column, ...]":
    return (
        *_columns("Precision", "Recall", kind="percent"),
        *_columns("Kappa", kind="number"),
        *_columns("Removed", "Good ones", "Undecided", kind="count"),
    )


def _fit_cells(fit: Fit) -> "tuple[Cell, ...]":
    from eval.tables.table import Cell

    removed = fit.removed_bad + fit.removed_good
    return (
        _share_cell(fit.removed_bad, removed, fit.precision, "nothing was removed"),
        _share_cell(fit.removed_bad, fit.removed_bad + fit.kept_bad, fit.recall, "nothing was to be removed"),
        Cell(value=fit.kappa, note="" if fit.kappa is not None else "one label alone"),
        Cell(value=removed),
        Cell(value=fit.removed_good),
        Cell(value=fit.undecided),
    )


def _share_cell(part: int, whole: int, value: float | None, why: str) -> "Cell":
    from eval.intervals import wilson
    from eval.tables.table import Cell

    interval = wilson(part, whole)
    return Cell(value=value, low=interval.low, high=interval.high, note=why if value is None else "")


def _seat_table(found: Calibration, panel: Panel, source: str) -> "Table":
    from eval.tables.table import Cell, Line, Table

    rows: list[tuple[str, str, Fit, Any, Any]] = [("panel", "as set", found.panel, None, None)]
    for seat in found.seats:
        rows.append((seat.seat, "alone", seat.fit, seat.failures, seat.cost_usd))
        rows += [(seat.seat, check, fit, None, None) for check, fit in seat.by_check.items()]
    lines = tuple(
        Line(cells=(Cell(value=who), Cell(value=what), *_fit_cells(fit), Cell(value=failed), Cell(value=cost)))
        for who, what, fit, failed, cost in rows
    )
    columns = (
        *_columns("Judge", "Deciding"), *_fit_columns(), *_columns("Failures", kind="count"),
        *_columns("Cost (USD)", kind="usd"),
    )  # fmt: skip
    notes = (
        f"{found.items} items, {found.bad} of them to be removed, by {source}. Removing is what is to be found; "
        "intervals of 95 % after Wilson, as if items were independent.",
        "A check's own line counts its removals alone against all that was to be removed.",
    )
    return Table(
        name="judges", title=f"Judges of the panel {panel.name}", columns=columns, lines=lines, notes=notes,
        intervals=True,
    )  # fmt: skip


def _kind_table(found: Calibration) -> "Table":
    from eval.tables.table import Cell, Line, Table

    outcomes = ("kept", "undecided", "crossed", "solvability", "ambiguity", "difficulty", "blind")
    used = [name for name in outcomes if any(name in counts for counts in found.by_kind.values())]
    lines = tuple(
        Line(cells=(Cell(value=kind), *(Cell(value=counts.get(name, 0)) for name in used)))
        for kind, counts in found.by_kind.items()
    )
    columns = (*_columns("Truth"), *_columns(*used, kind="count"))
    return Table(name="judges-by-kind", title="What happened to which items", columns=columns, lines=lines,
                 notes=("Kept, undecided, or the first check that removed.",))  # fmt: skip


def _rule_table(found: Calibration) -> "Table":
    from eval.tables.table import Cell, Line, Table

    lines = []
    for rule in found.rules:
        name = f"{rule.check} ({rule.combine})" if rule.combine else rule.check
        cells = (Cell(value=name, mark=" *" if rule.current else ""), Cell(value=rule.threshold))
        own = (Cell(value=rule.alone.precision), Cell(value=rule.alone.recall))
        whole = (Cell(value=rule.panel.precision), Cell(value=rule.panel.recall), Cell(value=rule.panel.kappa))
        lines.append(Line(cells=(*cells, *own, *whole), section=rule.check))
    columns = (
        *_columns("Rule"), *_columns("Threshold", kind="number"),
        *_columns("Precision, alone", "Recall, alone", "Precision, panel", "Recall, panel", kind="percent"),
        *_columns("Kappa, panel", kind="number"),
    )  # fmt: skip
    notes = ["* as the panel is set. The other rules stay as they are set."]
    if found.best:
        chosen = ", ".join(f"{check} {value:g}" for check, value in found.best.thresholds.items())
        fit = found.best.fit
        notes.append(
            f"Best together on these items (F1): {chosen}, {found.best.combine}: precision {_percent(fit.precision)}, "
            f"recall {_percent(fit.recall)}. Chosen on the items that it is measured on, so it flatters."
        )
    return Table(
        name="rules", title="Decision rules over thresholds", columns=columns, lines=tuple(lines), notes=tuple(notes)
    )


def _subset_table(found: Calibration) -> "Table":
    from eval.tables.table import Cell, Line, Table

    lines = tuple(
        Line(
            cells=(
                Cell(value=" + ".join(one.seats), mark=" ←" if one == found.cheapest else ""), Cell(value=one.alike),
                *_fit_cells(one.fit), Cell(value=one.cost_usd),
            )
        )
        for one in sorted(found.subsets, key=lambda one: (one.cost_usd, len(one.seats)))
    )  # fmt: skip
    columns = (
        *_columns("Panel"), *_columns("Decides alike", kind="percent"), *_fit_columns(),
        *_columns("Cost (USD)", kind="usd"),
    )  # fmt: skip
    note = "← the cheapest panel that would have decided alike." if found.cheapest else "No panel decides alike."
    return Table(
        name="panels", title="Smaller panels, from the same verdicts", columns=columns, lines=lines,
        notes=(note, "Costs are those of a complete schedule."), intervals=True,
    )  # fmt: skip


def _percent(value: float | None) -> str:
    return "n/a" if value is None else f"{100 * value:.1f} %"


def write(found: Calibration, tables: "Iterable[Table]", folder: Path) -> None:
    """``calibration.json`` and ``calibration.md`` beside the set's exports."""
    from eval.tables.markdown import markdown

    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(found.model_dump(mode="json"), indent=1) + "\n"
    (folder / "calibration.json").write_text(text, encoding="utf-8")
    (folder / "calibration.md").write_text("\n\n".join(markdown(table) for table in tables), encoding="utf-8")


def show(found: Calibration, tables: "Iterable[Table]", folder: Path, arguments: argparse.Namespace) -> None:
    """The tables on the terminal."""
    from eval.tables.terminal import print_table

    out = wide_console(quiet=arguments.quiet)
    for table in tables:
        print_table(table, out)
    out.print(f"written: {folder / 'calibration.md'}, {folder / 'calibration.json'}", markup=False, soft_wrap=True)
