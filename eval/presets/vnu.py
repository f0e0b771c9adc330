"""VNU-Bench: Table 2 (accuracy by type T1–T10) and Figure 5 (by type within each news domain).

The paper's Avg is the overall accuracy, pooled over all questions; our leaderboard also shows the mean over types.
"""

from eval.groupings import GROUPINGS, split
from eval.metrics import ModelScores, Score
from eval.presets.base import Preset, PresetInput, finished, pick, rows, scored
from eval.reply_rates import accuracy_cell
from eval.tables.table import Cell, Column, Table, with_best
from eval.taxonomy import type_code, type_info
from records.benchmark import BenchmarkItem

_CODES = tuple(f"T{n}" for n in range(1, 11))
_LACKING = "no item has one of the types T1–T10, which this table is about."
_WHY = "no item of this type"


def is_news(item: BenchmarkItem) -> bool:
    """Whether an item is of one of the ten news types."""
    info = type_info(item.type_id)
    return info is not None and info.track == "news"


def by_code(scores: dict[str, Score]) -> dict[str, Score]:
    """Scores by type with the papers' short names as keys."""
    return {type_code(type_id): score for type_id, score in scores.items()}


def _columns() -> tuple[Column, ...]:
    layers = tuple("Comparison" if n <= 5 else "Integration" for n in range(1, 11))
    types = tuple(Column(header=code, group=layer, compare=True) for code, layer in zip(_CODES, layers, strict=True))
    return (Column(header="Model", kind="text"), *types, Column(header="Avg", compare=True))


def _cells(s: ModelScores) -> tuple[Cell, ...]:
    types = by_code(s.by.get("type", {}))
    return (*(pick(types, code, _WHY) for code in _CODES), accuracy_cell(s.overall))


def _table2(given: PresetInput) -> Table:
    scores = scored(given, is_news, ["type"], lacking=_LACKING)
    title = "Performance across tasks T1–T10. Comparison covers T1–T5, Integration T6–T10; Avg is overall accuracy (%)"
    lines = rows(scores, given, _cells)
    return with_best(finished("vnu-table2", title, _columns(), lines, scores, given, decimals=2))


def _domains(given: PresetInput) -> Table:
    everything = scored(given, is_news, [], lacking=_LACKING)
    domains = split(tuple(item for item in given.items if is_news(item)), GROUPINGS["domain"])
    lines = [] if domains else list(rows(everything, given, lambda _: (Cell(note=_NO_DOMAIN),) * (len(_CODES) + 1)))
    for domain in domains:
        scores = scored(given, lambda item, d=domain: is_news(item) and item.domain == d, ["type"], lacking=_LACKING)  # type: ignore[misc]
        lines += [line.model_copy(update={"section": domain}) for line in rows(scores, given, _cells)]
    title = "Accuracy (%) by type within each news domain"
    note = _without_domain(given)
    return finished("vnu-domains", title, _columns(), lines, everything, given, notes=note, decimals=2)


_NO_DOMAIN = "no domain is known (--metadata FILE with video_id and domain joins it)"


def _without_domain(given: PresetInput) -> tuple[str, ...]:
    missing = sum(is_news(item) and not item.domain for item in given.items)
    return (f"{missing} items are left out: {GROUPINGS['domain'].missing}.",) if missing else ()


VNU_TABLE2 = Preset(
    "vnu-table2", "VNU-Bench, Table 2", "accuracy by news type T1–T10, comparison and integration, and overall", _table2
)
VNU_DOMAINS = Preset("vnu-domains", "VNU-Bench, Figure 5", "accuracy by news type within each domain", _domains)
