"""Lexical baselines that guess keys without evidence, cross-validated by video against chance.

Each baseline learns on four fifths of the groups whether the largest or the smallest value of one feature points at the
key; ``words that keys have elsewhere`` is naive Bayes, ``all features together`` a conditional logit. Ties are broken
by lot. A benchmark whose keys a baseline finds clearly more often than chance can be answered in part unwatched.
"""

import random
from collections import Counter
from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING

from eval.intervals import Interval, wilson
from eval.lint.features import FEATURES
from eval.tables.table import Cell, Column, Line, Table
from records.base import Record, digest
from records.benchmark import BenchmarkItem
from rules.duplicates import content_tokens

if TYPE_CHECKING:
    from eval.intervals import Floats

ALPHA = 0.01
FOLDS = 5
FEWEST_ITEMS = 20
WORDS = "words that keys have elsewhere"
TOGETHER = "all features together"


class Baseline(Record):
    """What one baseline guessed on the folds that it had not seen."""

    name: str
    accuracy: float
    low: float
    high: float
    """Wilson 95 % interval."""
    chance: float
    p_value: float
    """One-sided binomial test against chance, corrected for the number of baselines (Bonferroni)."""
    guessed: tuple[str, ...]
    """Ids of the items whose key it found."""
    n: int
    direction: str = ""
    """Which end of the feature points at the key, where all folds agree: ``most`` or ``least``."""

    @property
    def saying(self) -> str:
        """The name with its direction, such as ``likeness to the other options (most)``."""
        return f"{self.name} ({self.direction})" if self.direction else self.name

    @property
    def is_shortcut(self) -> bool:
        """Whether it beats chance beyond doubt."""
        return self.p_value < ALPHA and self.low > self.chance


def run_baselines(items: Sequence[BenchmarkItem], seed: int = 0) -> tuple[Baseline, ...]:
    """All baselines on the items that have a key and two options or more; none where these are fewer than 50."""
    judged = [item for item in items if item.key and len(item.options) > 1]
    if len(judged) < FEWEST_ITEMS:
        return ()
    folds = _folds(judged, seed)
    values = [_values(item) for item in judged]
    keys = [list(item.options).index(item.key or "") for item in judged]
    lots = [_lots(item, seed) for item in judged]
    signs = {name: _signs(i, values, keys, folds) for i, name in enumerate(FEATURES)}
    guesses = {name: _by_feature(i, values, lots, folds, signs[name]) for i, name in enumerate(FEATURES)}
    guesses[WORDS] = _by_words(judged, keys, lots, folds)
    guesses[TOGETHER] = _together(values, keys, lots, folds)
    found = (_baseline(name, judged, keys, guessed, len(guesses)) for name, guessed in guesses.items())
    return tuple(b.model_copy(update={"direction": _direction(signs.get(b.name, {}))}) for b in found)


def _folds(items: Sequence[BenchmarkItem], seed: int) -> list[int]:
    """The fold of each item; all items of one group are in the same fold, where there are groups enough for that."""
    units = [item.cluster for item in items]
    if len(set(units)) < FOLDS:
        units = [item.item_id for item in items]
    names = sorted(set(units))
    random.Random(seed).shuffle(names)
    fold = {name: position % FOLDS for position, name in enumerate(names)}
    return [fold[unit] for unit in units]


def _values(item: BenchmarkItem) -> list[list[float]]:
    """Feature → option → value."""
    texts = list(item.options.values())
    return [feature(item.stem, texts) for feature in FEATURES.values()]


def _lots(item: BenchmarkItem, seed: int) -> list[float]:
    """A number an option that breaks ties: the same for the same item, whatever else the file holds."""
    drawn = random.Random(digest([item.item_id, seed]))
    return [drawn.random() for _ in item.options]


def _signs(feature: int, values: list[list[list[float]]], keys: list[int], folds: list[int]) -> dict[int, int]:
    """Fold → the sign learnt on the other folds."""
    return {fold: _sign(feature, values, keys, [i for i, f in enumerate(folds) if f != fold]) for fold in set(folds)}


def _direction(signs: dict[int, int]) -> str:
    learnt = set(signs.values())
    return ("most" if learnt.pop() > 0 else "least") if len(learnt) == 1 else ""


def _by_feature(
    feature: int, values: list[list[list[float]]], lots: list[list[float]], folds: list[int], signs: dict[int, int]
) -> list[int]:
    return [_pick([signs[folds[i]] * v for v in values[i][feature]], lots[i]) for i in range(len(folds))]


def _sign(feature: int, values: list[list[list[float]]], keys: list[int], learned_on: list[int]) -> int:
    """+1 where the largest value finds more keys among these items than the smallest, ties shared."""
    gain = 0.0
    for i in learned_on:
        row = values[i][feature]
        gain += (row[keys[i]] == max(row)) / row.count(max(row)) - (row[keys[i]] == min(row)) / row.count(min(row))
    return 1 if gain >= 0 else -1


def _pick(scores: Sequence[float], lots: Sequence[float]) -> int:
    best = max(scores)
    return max((i for i, score in enumerate(scores) if score >= best - 1e-12), key=lambda i: lots[i])


def _by_words(items: Sequence[BenchmarkItem], keys: list[int], lots: list[list[float]], folds: list[int]) -> list[int]:
    """Naive Bayes on the options' words: which words keys have more often than wrong options, on the other folds."""
    options = [[frozenset(content_tokens(text)) for text in item.options.values()] for item in items]
    guesses = [0] * len(keys)
    for fold in set(folds):
        weights = _word_weights([(options[i], keys[i]) for i, f in enumerate(folds) if f != fold])
        for i in (i for i, f in enumerate(folds) if f == fold):
            scores = [sum(weights.get(word, 0.0) for word in words) for words in options[i]]
            guesses[i] = _pick(scores, lots[i])
    return guesses


def _word_weights(learned_on: Sequence[tuple[list[frozenset[str]], int]]) -> dict[str, float]:
    """Log odds of each word in keys against wrong options, smoothed by one half; words seen once say nothing."""
    in_keys: Counter[str] = Counter()
    in_wrong: Counter[str] = Counter()
    wrong_options = 0
    for options, key in learned_on:
        wrong_options += len(options) - 1
        for place, words in enumerate(options):
            (in_keys if place == key else in_wrong).update(words)
    return {
        word: log((in_keys[word] + 0.5) / (len(learned_on) + 1)) - log((in_wrong[word] + 0.5) / (wrong_options + 1))
        for word in {*in_keys, *in_wrong}
        if in_keys[word] + in_wrong[word] > 1
    }


def _together(values: list[list[list[float]]], keys: list[int], lots: list[list[float]], folds: list[int]) -> list[int]:
    """Conditional logit over all features, fitted on the other folds with a ridge penalty."""
    import numpy as np

    centred = [_standardised(np.array(item).T) for item in values]
    guesses = [0] * len(keys)
    for fold in sorted(set(folds)):
        learned_on = [i for i, f in enumerate(folds) if f != fold]
        weights = _fit([centred[i] for i in learned_on], [keys[i] for i in learned_on])
        for i in (i for i, f in enumerate(folds) if f == fold):
            guesses[i] = _pick([float(score) for score in centred[i] @ weights], lots[i])
    return guesses


def _standardised(options: "Floats") -> "Floats":
    """Options × features, each feature with mean 0 and largest deviation 1 within the item."""
    import numpy as np

    centred = options - options.mean(axis=0)
    spread = np.abs(centred).max(axis=0)
    return centred / np.where(spread > 0, spread, 1.0)  # type: ignore[no-any-return]


def _fit(items: Sequence["Floats"], keys: Sequence[int], ridge: float = 1.0) -> "Floats":
    import numpy as np
    from scipy.optimize import minimize

    count = max(len(item) for item in items)
    padded = np.zeros((len(items), count, items[0].shape[1]))
    absent = np.full((len(items), count), -np.inf)
    for i, item in enumerate(items):
        padded[i, : len(item)] = item
        absent[i, : len(item)] = 0.0
    rows = np.arange(len(items))

    def loss(weights: "Floats") -> tuple[float, "Floats"]:
        scores = padded @ weights + absent
        scores -= scores.max(axis=1, keepdims=True)
        shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        slope = np.einsum("ik,ikf->f", shares, padded) - padded[rows, keys].sum(axis=0)
        value = -np.log(shares[rows, keys]).sum() + 0.5 * ridge * weights @ weights
        return float(value), slope + ridge * weights

    return minimize(loss, np.zeros(padded.shape[2]), jac=True, method="L-BFGS-B").x  # type: ignore[no-any-return]


def _baseline(name: str, items: Sequence[BenchmarkItem], keys: list[int], guesses: list[int], tests: int) -> Baseline:
    from scipy.stats import binomtest

    right = [item.item_id for item, key, guess in zip(items, keys, guesses, strict=True) if key == guess]
    chance = sum(1 / len(item.options) for item in items) / len(items)
    interval: Interval = wilson(len(right), len(items))
    p = float(binomtest(len(right), len(items), chance, alternative="greater").pvalue)
    return Baseline(
        name=name,
        accuracy=len(right) / len(items),
        low=interval.low or 0.0,
        high=interval.high or 0.0,
        chance=chance,
        p_value=min(1.0, p * tests),
        guessed=tuple(right),
        n=len(items),
    )


def baseline_table(found: Sequence[Baseline]) -> Table:
    """What each baseline guesses, the best first."""
    columns = (
        Column(header="Guessing the key from", kind="text"),
        Column(header="Accuracy (%)"),
        Column(header="Chance (%)"),
        Column(header="p", kind="probability"),
    )
    lines = tuple(
        Line(
            cells=(
                Cell(value=b.saying),
                Cell(value=b.accuracy, low=b.low, high=b.high),
                Cell(value=b.chance),
                Cell(value=b.p_value),
            )
        )
        for b in sorted(found, key=lambda b: -b.accuracy)
    )
    few = f"No baselines: they need at least {FEWEST_ITEMS} items with a key."
    note = f"Cross-validated over {FOLDS} folds of videos; Wilson 95 % intervals; p against chance, Bonferroni."
    return Table(
        name="baselines", title="Lexical baselines (no evidence)", columns=columns, lines=lines, intervals=True,
        notes=(note if found else few,),
    )  # fmt: skip
