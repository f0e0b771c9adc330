"""How replies ended, said beside every accuracy: over answered questions, refused, truncated, unparsed, unavailable.

Tables of our own have them as columns; tables in the shape of a paper have them as notes.
"""

from collections.abc import Sequence

from eval.candidates import Infos, label, suspect_notes
from eval.metrics import ModelScores, Score
from eval.tables.table import Cell, Column
from records.benchmark import STANDING

RATE_COLUMNS = (
    Column(header="over answered"),
    Column(header="refused"),
    Column(header="truncated"),
    Column(header="unparsed"),
    Column(header="unavailable"),
)


def refused(score: Score) -> float:
    """Refusals by the model and by the provider's filter."""
    return score.rate("refused") + score.rate("filtered")


def unavailable(score: Score) -> float:
    """The share of all replies that never came, whatever the reason."""
    return sum(score.rate(outcome) for outcome, standing in STANDING.items() if standing == "unavailable")


def rate_cells(score: Score) -> tuple[Cell, ...]:
    """One cell for each of `RATE_COLUMNS`."""
    rates = (refused(score), score.rate("truncated"), score.rate("unparsed"), unavailable(score))
    return (Cell(value=score.accuracy_answered), *(Cell(value=rate) for rate in rates))


def accuracy_cell(score: Score | None) -> Cell:
    """An accuracy with its interval; marked ``†`` where replies are missing; n/a where nothing was scored."""
    if score is None:
        return Cell(note="no items")
    mark = "" if score.complete else "†"
    note = "no reply came" if score.accuracy is None else score.interval_note
    return Cell(value=score.accuracy, low=score.low, high=score.high, mark=mark, note=note)


def rate_notes(scores: Sequence[ModelScores], infos: Infos) -> tuple[str, ...]:
    """A note a candidate with its rates, and what the marks mean."""
    notes = [_rates(s, infos) for s in scores]
    if any(not s.overall.complete for s in scores):
        notes.append("† incomplete: some replies never came; they are left out, so the score may move either way.")
    return (*notes, *suspect_notes((s.model for s in scores), infos))


def mark_notes(scores: Sequence[ModelScores], infos: Infos) -> tuple[str, ...]:
    """Only what the marks mean, for tables that have the rates as columns."""
    return tuple(note for note in rate_notes(scores, infos) if note[0] in "†‡")


def _rates(s: ModelScores, infos: Infos) -> str:
    score = s.overall
    answered = "n/a" if score.accuracy_answered is None else f"{100 * score.accuracy_answered:.1f}"
    return (
        f"{label(s, infos)}: {score.n} items, over answered {answered}; replies refused {100 * refused(score):.1f} %, "
        f"truncated {100 * score.rate('truncated'):.1f} %, unparsed {100 * score.rate('unparsed'):.1f} %, "
        f"unavailable {100 * unavailable(score):.1f} %."
    )
