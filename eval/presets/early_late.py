"""VideoVista-CulturalLingo C.4 (Figure 12): event localization early and late in videos of like duration.

Early and late questions are paired so that the two videos of a pair differ least in duration; a pair may differ by a
tenth at most. Every question is in one pair at most, the two videos of a pair differ, and at most 75 pairs are taken.
"""

from collections.abc import Sequence
from typing import NamedTuple

from eval.groupings import event_position
from eval.intervals import Interval, cluster_intervals
from eval.metrics import ModelScores, Tally, tally
from eval.presets.base import Preset, PresetInput, finished, rows, scored
from eval.reply_rates import accuracy_cell
from eval.tables.table import Cell, Column, Table, with_best
from eval.taxonomy import type_code
from records.benchmark import BenchmarkItem

MOST_PAIRS = 75
TOLERANCE = 0.10


class Pair(NamedTuple):
    """Two questions whose videos are of like duration."""

    early: BenchmarkItem
    late: BenchmarkItem


def match_pairs(
    items: Sequence[BenchmarkItem], *, tolerance: float = TOLERANCE, most: int = MOST_PAIRS
) -> tuple[Pair, ...]:
    """The pairs with the least difference in duration overall, the closest first.

    `tolerance` is the largest ratio of durations less one. Only event localization with known times takes part.
    """
    timed = sorted((i for i in items if type_code(i.type_id) == "EL"), key=lambda i: i.item_id)
    early = [item for item in timed if event_position(item) == "early"]
    late = [item for item in timed if event_position(item) == "late"]
    if not early or not late:
        return ()
    pairs = [Pair(early[i], late[j]) for i, j in _assigned(early, late, tolerance)]
    return tuple(sorted(pairs, key=lambda pair: (_difference(*pair), pair.early.item_id))[:most])


def _difference(early: BenchmarkItem, late: BenchmarkItem) -> float:
    """How far the durations are apart: the longer over the shorter, less one."""
    short, long = sorted((early.duration_s or 0.0, late.duration_s or 0.0))
    return long / short - 1 if short else float("inf")


def _assigned(early: Sequence[BenchmarkItem], late: Sequence[BenchmarkItem], tolerance: float) -> list[tuple[int, int]]:
    """The assignment with most pairs within the tolerance, and among these the least total difference."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    cost = np.array([[_cost(e, s, tolerance) for s in late] for e in early])
    chosen = zip(*linear_sum_assignment(cost), strict=True)
    return [(int(i), int(j)) for i, j in chosen if cost[i, j] < _FORBIDDEN]


_FORBIDDEN = 1e6


def _cost(early: BenchmarkItem, late: BenchmarkItem, tolerance: float) -> float:
    same_video = set(early.video_ids) & set(late.video_ids)
    difference = _difference(early, late)
    return _FORBIDDEN if same_video or difference > tolerance else difference


_UNPAIRED = (
    "no early and late questions could be paired by duration; it needs the videos' durations (--metadata FILE) and "
    "keys that are times"
)


def _early_late(given: PresetInput) -> Table:
    pairs = match_pairs(given.items)
    paired = {item.item_id for pair in pairs for item in pair}
    scores = scored(
        given,
        lambda item: item.item_id in paired if pairs else type_code(item.type_id) == "EL",
        ["event_position"],
        lacking="no item is of event localization, which this table is about.",
    )
    differences = _differences(pairs, given)

    def cells(s: ModelScores) -> tuple[Cell, ...]:
        if not pairs:
            return (Cell(note=_UNPAIRED),) * 3
        halves = s.by["event_position"]
        return accuracy_cell(halves.get("early")), accuracy_cell(halves.get("late")), differences[s.model, s.setting]

    columns = (
        Column(header="Model", kind="text"),
        Column(header="Early", compare=True),
        Column(header="Late", compare=True),
        Column(header="Late − Early", kind="points"),
    )
    title = "Accuracy (%) on event localization, events in the first and in the second half of the video"
    notes = (
        f"{len(pairs)} pairs of questions on videos whose durations differ by {100 * TOLERANCE:.0f} % at most.",
        "Differences: 95 % bootstrap interval, pairs resampled.",
    )
    table = finished("vv-early-late", title, columns, rows(scores, given, cells), scores, given, notes=notes)
    return with_best(table)


def _differences(pairs: Sequence[Pair], given: PresetInput) -> dict[tuple[str, str], Cell]:
    """Late minus early over the pairs of which both questions were scored, with an interval over pairs."""
    chosen = [item for pair in pairs for item in pair]
    ids = {item.item_id for item in chosen}
    counted = tally(chosen, (p for p in given.predictions if p.item_id in ids))
    return {candidate: _difference_cell(tallies, given.seed) for candidate, tallies in counted.items()}


def _difference_cell(tallies: Sequence[Tally], seed: int) -> Cell:
    import numpy as np

    both = [(e, s) for e, s in zip(tallies[::2], tallies[1::2], strict=True) if e.scored and s.scored]
    if not both:
        return Cell(note="no pair was scored")
    gaps = np.array([[s.right / s.scored - e.right / e.scored] for e, s in both])
    interval: Interval = cluster_intervals(gaps, np.ones_like(gaps), seed=seed)[0]
    return Cell(value=float(gaps.mean()), low=interval.low, high=interval.high, note=interval.note)


VV_EARLY_LATE = Preset(
    "vv-early-late", "VideoVista-CulturalLingo, C.4", "event localization early and late, duration-matched pairs",
    _early_late,
)  # fmt: skip
