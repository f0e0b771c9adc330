"""The table of a sweep: accuracy by frames a video or by image size, with what the models really got.

Images are never enlarged, so two sizes may give equal inputs; such settings are marked, and their scores differ by
chance alone if at all (VNU-Bench 3.4, Figure 6).
"""

from collections.abc import Mapping, Sequence

from eval.candidates import Infos, label
from eval.metrics import ModelScores
from eval.plots import sweep_values
from eval.reply_rates import RATE_COLUMNS, accuracy_cell, mark_notes, rate_cells
from eval.tables.table import Cell, Column, Line, Table
from records.base import Record


class SweepPoint(Record):
    """What one setting came to."""

    setting: str
    """Such as ``side=1080``."""
    effective: str
    """What the models got, such as ``640 px (asked 1080)`` or ``3–4 frames``."""
    inputs: str = ""
    """A hash of all inputs; settings with the same hash are identical."""


def sweep_table(scores: Sequence[ModelScores], points: Mapping[str, SweepPoint], infos: Infos) -> Table:
    """One line a candidate and setting, settings in the order of their values."""
    columns = (
        Column(header="Model", kind="text"),
        Column(header="Setting", kind="text"),
        Column(header="In effect", kind="text"),
        Column(header="Accuracy"),
        *RATE_COLUMNS,
    )
    ordered = sorted(scores, key=lambda s: (s.model, (sweep_values(s.setting) or ("", 0.0))[1], s.setting))
    doubles = identical(points)
    lines = tuple(_line(s, points.get(s.setting), doubles.get(s.setting, ""), infos) for s in ordered)
    notes = [f"= {setting} gave the same inputs as {other}." for setting, other in doubles.items()]
    table_notes = (*notes, *mark_notes(scores, infos))
    return Table(
        name="sweep", title="Accuracy (%) by setting", columns=columns, lines=lines, notes=table_notes, intervals=True
    )


def identical(points: Mapping[str, SweepPoint]) -> dict[str, str]:
    """Setting → the first setting that gave the same inputs."""
    first: dict[str, str] = {}
    doubles: dict[str, str] = {}
    for setting, point in points.items():
        if point.inputs and first.setdefault(point.inputs, setting) != setting:
            doubles[setting] = first[point.inputs]
    return doubles


def _line(s: ModelScores, point: SweepPoint | None, double: str, infos: Infos) -> Line:
    name = label(s.model_copy(update={"setting": ""}), infos)
    return Line(
        cells=(
            Cell(value=name),
            Cell(value=s.setting, mark=" =" if double else ""),
            Cell(value=point.effective if point else None),
            accuracy_cell(s.overall),
            *rate_cells(s.overall),
        )
    )
