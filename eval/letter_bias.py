"""Does a model favour a letter? Its answers' letters against the keys', with a chi-square test, and recall by letter.

A model without a preference answers each letter about as often as it is the key, whatever its accuracy, as far as its
errors spread evenly. The test treats answers as independent.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from eval.candidates import Infos, name_of, suspect_notes
from eval.metrics import Candidate
from eval.tables.table import Cell, Column, Line, Table
from records.base import Record
from records.benchmark import BenchmarkItem, Prediction
from records.questions import Letter

FEWEST_EXPECTED = 5.0


class LetterBias(Record):
    """One candidate's letters."""

    model: str
    setting: str = ""
    n: int
    """Readable answers, in the benchmark's own order of options."""
    answers: dict[Letter, int]
    keys: dict[Letter, int]
    """How often each letter is the key of the answered questions."""
    recall: dict[Letter, float | None]
    """Of the questions whose key is this letter, the share answered right."""
    chi_square: float | None = None
    p_value: float | None = None
    """None where a letter is expected fewer than five times, or less than two letters are expected."""
    favoured: Letter | None = None
    """The letter answered most often beyond its expectation, where p is under 0.05."""


def letter_biases(items: Sequence[BenchmarkItem], predictions: Iterable[Prediction]) -> tuple[LetterBias, ...]:
    """One record a candidate."""
    keys = {item.item_id: item.key for item in items if item.key}
    answered: dict[Candidate, list[tuple[Letter, Letter]]] = {}
    for p in predictions:
        found = answered.setdefault((p.model, p.setting), [])
        key = keys.get(p.item_id)
        if p.answer is not None and not p.rotation and key:
            found.append((p.answer, key))
    return tuple(_bias(candidate, pairs) for candidate, pairs in answered.items())


def _bias(candidate: Candidate, pairs: Sequence[tuple[Letter, Letter]]) -> LetterBias:
    answers = Counter(answer for answer, _ in pairs)
    keys = Counter(key for _, key in pairs)
    right = Counter(key for answer, key in pairs if answer == key)
    letters = sorted({*answers, *keys})
    chi_square, p_value = _test([answers[x] for x in letters], [keys[x] for x in letters])
    favoured = max(letters, key=lambda x: answers[x] - keys[x]) if p_value is not None and p_value < 0.05 else None
    return LetterBias(
        model=candidate[0],
        setting=candidate[1],
        n=len(pairs),
        answers={x: answers[x] for x in letters},
        keys={x: keys[x] for x in letters},
        recall={x: right[x] / keys[x] if keys[x] else None for x in letters},
        chi_square=chi_square,
        p_value=p_value,
        favoured=favoured,
    )


def _test(observed: Sequence[int], expected: Sequence[int]) -> tuple[float | None, float | None]:
    if len(expected) < 2 or min(expected) < FEWEST_EXPECTED:
        return None, None
    from scipy.stats import chisquare

    result = chisquare(observed, expected)
    return float(result.statistic), float(result.pvalue)


def letter_table(found: Sequence[LetterBias], infos: Infos | None = None) -> Table | None:
    """Share of answers by letter beside the keys', one line a candidate; None without answers."""
    letters = sorted({letter for bias in found for letter in bias.keys | bias.answers})
    if not letters:
        return None
    columns = (
        Column(header="Model", kind="text"),
        *(Column(header=x, group="answers") for x in letters),
        *(Column(header=x, group="keys") for x in letters),
        *(Column(header=x, group="recall") for x in letters),
        Column(header="p", kind="probability"),
        Column(header="Favours", kind="text"),
    )
    explained = "Chi-square of the answers' letters against the keys'; n/a where a letter is expected too rarely."
    notes = (explained, *suspect_notes((bias.model for bias in found), infos or {}))
    lines = tuple(Line(cells=_cells(bias, letters, infos or {})) for bias in found)
    return Table(name="letters", title="Letters answered (%)", columns=columns, lines=lines, notes=notes)


def _cells(bias: LetterBias, letters: Sequence[Letter], infos: Infos) -> tuple[Cell, ...]:
    return (
        Cell(value=name_of(bias.model, bias.setting, infos)),
        *(Cell(value=bias.answers.get(x, 0) / bias.n if bias.n else None) for x in letters),
        *(Cell(value=bias.keys.get(x, 0) / bias.n if bias.n else None) for x in letters),
        *(Cell(value=bias.recall.get(x)) for x in letters),
        Cell(value=bias.p_value),
        Cell(value=bias.favoured or "–"),
    )
