"""What a preset is: a name, where it comes from, and a function from items and predictions to a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from eval.candidates import Infos, in_sections, is_suspect, label, section
from eval.groupings import GROUPINGS
from eval.metrics import ModelScores, Score, evaluate
from eval.reply_rates import accuracy_cell, rate_notes
from eval.tables.table import Cell, Column, Line, Table
from records.benchmark import BenchmarkItem, Prediction
from records.errors import InputError


@dataclass(frozen=True)
class PresetInput:
    """What a preset is built from."""

    items: tuple[BenchmarkItem, ...]
    predictions: tuple[Prediction, ...]
    infos: Infos = field(default_factory=dict)
    seed: int = 0
    intervals: bool = False


@dataclass(frozen=True)
class Preset:
    """One table of a paper. `build` raises InputError where the items have nothing that the table shows."""

    name: str
    source: str
    """Paper and table or figure."""
    describes: str
    build: Callable[[PresetInput], Table]


def scored(
    given: PresetInput, keep: Callable[[BenchmarkItem], bool], groupings: Sequence[str], *, lacking: str
) -> tuple[ModelScores, ...]:
    """Scores on a subset, by these groupings. Raises InputError with `lacking` where the subset is empty."""
    items = tuple(item for item in given.items if keep(item))
    if not items:
        raise InputError(lacking)
    ids = {item.item_id for item in items}
    predictions = (p for p in given.predictions if p.item_id in ids)
    return evaluate(items, predictions, groupings=[GROUPINGS[name] for name in groupings], seed=given.seed)


def rows(
    scores: Sequence[ModelScores], given: PresetInput, cells: Callable[[ModelScores], tuple[Cell, ...]]
) -> tuple[Line, ...]:
    """One line a candidate: its name and its cells, in the sections of its facts."""
    return tuple(
        Line(
            cells=(Cell(value=label(s, given.infos)), *cells(s)),
            section=section(s, given.infos),
            classed=_is_small_open(s, given),
            suspect=is_suspect(s, given.infos),
        )
        for s in in_sections(tuple(scores), given.infos)
    )


def _is_small_open(s: ModelScores, given: PresetInput) -> bool:
    """The 7B/8B class of open-source video models, which VideoVista-CulturalLingo underlines."""
    info = given.infos.get(s.model)
    return bool(info and info.size_b and 7 <= info.size_b <= 8 and info.section == "Open-source Video LMMs")


def pick(scores: dict[str, Score], value: str, why: str) -> Cell:
    """The cell of a value; n/a with a reason where no item has it."""
    cell = accuracy_cell(scores.get(value))
    return cell if value in scores else cell.model_copy(update={"note": why})


def finished(
    name: str,
    title: str,
    columns: Sequence[Column],
    lines: Sequence[Line],
    scores: Sequence[ModelScores],
    given: PresetInput,
    *,
    notes: Sequence[str] = (),
    decimals: int = 1,
) -> Table:
    """The table with the notes that every table carries: n/a cells with reasons, and each candidate's reply rates."""
    absent = _absent(columns, lines)
    return Table(
        name=name,
        title=title,
        columns=tuple(columns),
        lines=tuple(lines),
        notes=(*notes, *absent, *rate_notes(scores, given.infos)),
        decimals=decimals,
        intervals=given.intervals,
    )


def _absent(columns: Sequence[Column], lines: Sequence[Line]) -> tuple[str, ...]:
    reasons: dict[str, list[str]] = {}
    for position, column in enumerate(columns):
        notes = {line.cells[position].note for line in lines if line.cells[position].value is None}
        for note in sorted(filter(None, notes)):
            reasons.setdefault(note, []).append(column.header)
    return tuple(f"n/a in {', '.join(headers)}: {note}." for note, headers in reasons.items())
