"""Circular evaluation: an item counts only when it is answered right in every rotation of its options.

The drop from plain to circular accuracy shows how much of a score is luck with positions (CircularEval, as used in
VideoVista-CulturalLingo 3.3). An item with a missing rotation is scored only if another rotation is already wrong.
"""

from collections.abc import Iterable, Sequence

from eval.candidates import Infos, name_of, suspect_notes
from eval.intervals import by_cluster, cluster_intervals
from eval.metrics import Candidate
from eval.tables.table import Cell, Column, Line, Table
from records.base import Record
from records.benchmark import BenchmarkItem, Prediction


class CircularDrop(Record):
    """One candidate's plain and circular accuracy on the same items."""

    model: str
    setting: str = ""
    plain: float | None
    """Accuracy in the benchmark's own order of options."""
    circular: float | None
    """Share of items right in all rotations."""
    drop: float | None
    """plain − circular, never negative."""
    low: float | None = None
    high: float | None = None
    note: str = ""
    n: int
    """Items whose outcome is certain in both ways."""
    undecided: int
    """Items left out because a missing reply leaves the outcome open."""
    chance_circular: float
    """Circular accuracy of a model that guesses anew in each rotation."""


def circular_drops(
    items: Sequence[BenchmarkItem], predictions: Iterable[Prediction], *, seed: int = 0
) -> tuple[CircularDrop, ...]:
    """One record a candidate that was asked rotations; candidates that were not are left out."""
    known = {item.item_id: item for item in items if item.key}
    asked: dict[Candidate, dict[str, dict[int, bool | None]]] = {}
    for p in predictions:
        if p.item_id in known and not p.sample:
            right = None if p.standing == "unavailable" else p.answer == known[p.item_id].key
            asked.setdefault((p.model, p.setting), {}).setdefault(p.item_id, {})[p.rotation] = right
    return tuple(
        _drop(candidate, found, known, seed)
        for candidate, found in asked.items()
        if any(rotation for by_rotation in found.values() for rotation in by_rotation)
    )


def _drop(
    candidate: Candidate, found: dict[str, dict[int, bool | None]], known: dict[str, BenchmarkItem], seed: int
) -> CircularDrop:
    import numpy as np

    names = {"model": candidate[0], "setting": candidate[1]}
    outcomes = {item_id: _outcome(rotations, len(known[item_id].options)) for item_id, rotations in found.items()}
    sure = {item_id: outcome for item_id, outcome in outcomes.items() if outcome is not None}
    chosen = [known[item_id] for item_id in sure]
    chance = [(1 / len(item.options)) ** len(item.options) for item in chosen]
    if not sure:
        nothing = dict.fromkeys(("plain", "circular", "drop"))
        return CircularDrop(**names, **nothing, n=0, undecided=len(outcomes), chance_circular=0.0)
    gaps = np.array([[float(plain) - float(every), 1.0] for plain, every in sure.values()])
    sums = by_cluster([item.cluster for item in chosen], gaps)
    interval = cluster_intervals(sums[:, :1], sums[:, 1:], seed=seed)[0]
    return CircularDrop(
        **names,
        plain=sum(plain for plain, _ in sure.values()) / len(sure),
        circular=sum(every for _, every in sure.values()) / len(sure),
        drop=float(gaps[:, 0].mean()),
        low=interval.low,
        high=interval.high,
        note=interval.note,
        n=len(sure),
        undecided=len(outcomes) - len(sure),
        chance_circular=sum(chance) / len(chance),
    )


def _outcome(rotations: dict[int, bool | None], options: int) -> tuple[bool, bool] | None:
    """(right in the plain order, right in every rotation), or None where a missing reply leaves either open."""
    plain = rotations.get(0)
    if plain is None:
        return None
    known = [rotations.get(rotation) for rotation in range(options)]
    if False in known:
        return plain, False
    return None if None in known else (plain, True)


def circular_table(found: Sequence[CircularDrop], infos: Infos | None = None) -> Table | None:
    """One line a candidate; None where no rotations were asked."""
    if not found:
        return None
    columns = (
        Column(header="Model", kind="text"),
        Column(header="Plain"),
        Column(header="Circular"),
        Column(header="Drop", kind="points"),
        Column(header="Items", kind="count"),
        Column(header="Open", kind="count"),
        Column(header="Chance, circular"),
    )
    lines = tuple(Line(cells=_cells(drop, infos or {})) for drop in found)
    explained = "Circular: right in every rotation of the options. Open: a missing reply leaves the outcome open."
    notes = (explained, *suspect_notes((drop.model for drop in found), infos or {}))
    return Table(
        name="circular", title="Plain and circular accuracy (%)", columns=columns, lines=lines, notes=notes,
        intervals=True,
    )  # fmt: skip


def _cells(c: CircularDrop, infos: Infos) -> tuple[Cell, ...]:
    return (
        Cell(value=name_of(c.model, c.setting, infos)),
        Cell(value=c.plain),
        Cell(value=c.circular),
        Cell(value=c.drop, low=c.low, high=c.high, note=c.note),
        Cell(value=c.n),
        Cell(value=c.undecided),
        Cell(value=c.chance_circular),
    )
