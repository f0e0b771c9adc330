"""Our own result tables: the leaderboard, and one for each grouping. Tables of the papers are in `eval.presets`."""

from collections.abc import Sequence

from eval.candidates import Infos, in_sections, is_suspect, label, section
from eval.groupings import GROUPINGS
from eval.metrics import ModelScores, Score
from eval.reply_rates import RATE_COLUMNS, accuracy_cell, mark_notes, rate_cells
from eval.tables.table import Cell, Column, Line, Table, with_best
from eval.taxonomy import type_code

_LEADERBOARD = (
    Column(header="Model", kind="text"),
    Column(header="Accuracy", compare=True),
    Column(header="Macro", compare=True),
    Column(header="Items", kind="count"),
    Column(header="Groups", kind="count"),
    Column(header="Chance"),
    *RATE_COLUMNS,
    Column(header="Cost (USD)", kind="usd"),
)


def leaderboard(scores: Sequence[ModelScores], infos: Infos) -> Table:
    """All candidates, best first within their sections, with 95 % intervals."""
    ranked = sorted(scores, key=lambda s: -(s.overall.accuracy if s.overall.accuracy is not None else -1))
    lines = tuple(_leader(s, infos) for s in in_sections(tuple(ranked), infos))
    notes = (_interval_note([s.overall for s in scores]), *mark_notes(scores, infos))
    return with_best(
        Table(name="leaderboard", title="Accuracy (%)", columns=_LEADERBOARD, lines=lines, notes=notes, intervals=True)
    )


def _leader(s: ModelScores, infos: Infos) -> Line:
    score = s.overall
    cells = (
        Cell(value=label(s, infos)),
        accuracy_cell(score),
        accuracy_cell(s.macro),
        Cell(value=score.n),
        Cell(value=score.groups),
        Cell(value=score.chance),
        *rate_cells(score),
        Cell(value=s.cost_usd),
    )
    return Line(cells=cells, section=section(s, infos), suspect=is_suspect(s, infos))


def _interval_note(scores: Sequence[Score]) -> str:
    reasons = sorted({score.interval_note for score in scores if score.interval_note})
    note = "95 % intervals: percentile bootstrap, groups of videos resampled."
    return f"{note} None where: {'; '.join(reasons)}." if reasons else note


def grouping_table(name: str, scores: Sequence[ModelScores], infos: Infos, *, intervals: bool = False) -> Table | None:
    """Accuracy by one grouping, a column a value; None where no item has a value in it."""
    values = list(dict.fromkeys(value for s in scores for value in s.by.get(name, {})))
    if not values:
        return None
    values.sort(key=GROUPINGS[name].order)
    named = tuple(Column(header=type_code(v) if name == "type" else v, compare=True) for v in values)
    columns = (Column(header="Model", kind="text"), *named, Column(header="All", compare=True), *RATE_COLUMNS)
    lines = tuple(_line(name, values, s, infos) for s in in_sections(tuple(scores), infos))
    title = f"Accuracy (%) by {name.replace('_', ' ')}"
    notes = (*_counts(name, values, scores), *mark_notes(scores, infos))
    return with_best(
        Table(name=f"by-{name}", title=title, columns=columns, lines=lines, notes=notes, intervals=intervals)
    )


def _line(name: str, values: Sequence[str], s: ModelScores, infos: Infos) -> Line:
    cells = [accuracy_cell(s.by.get(name, {}).get(value)) for value in values]
    cells = [Cell(value=label(s, infos)), *cells, accuracy_cell(s.overall), *rate_cells(s.overall)]
    return Line(cells=tuple(cells), section=section(s, infos), suspect=is_suspect(s, infos))


def _counts(name: str, values: Sequence[str], scores: Sequence[ModelScores]) -> tuple[str, ...]:
    first = scores[0]
    counts = ", ".join(f"{value} {first.by[name][value].n}" for value in values)
    unknown = first.unknown.get(name)
    missing = f" {unknown.n} items are n/a: {unknown.reason}." if unknown else ""
    return (f"Items: {counts}.{missing}",)


def unknown_table(scores: Sequence[ModelScores]) -> Table | None:
    """The groupings that not every item has a value in, with the reasons; None where there are none."""
    if not scores or not scores[0].unknown:
        return None
    columns = (
        Column(header="Grouping", kind="text"),
        Column(header="Items n/a", kind="count"),
        Column(header="Reason", kind="text"),
    )
    lines = tuple(
        Line(cells=(Cell(value=name), Cell(value=unknown.n), Cell(value=unknown.reason)))
        for name, unknown in scores[0].unknown.items()
    )
    return Table(name="not-available", title="What is not known", columns=columns, lines=lines)
