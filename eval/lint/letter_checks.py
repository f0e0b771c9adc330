"""Keys that are not spread evenly over the letters, in the file and within a type.

Chi-square where every letter is expected five times, else an exact test of the commonest letter; corrected over types.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from eval.intervals import wilson
from eval.lint.finding import WHOLE_FILE, Context, Finding
from records.benchmark import BenchmarkItem

ALPHA = 0.01
FEWEST_EXPECTED = 5.0
FEWEST_ITEMS = 8


def letter_imbalance(items: tuple[BenchmarkItem, ...], context: Context) -> Iterator[Finding]:
    """One finding for the file, and one for each type whose own imbalance is sure after correction."""
    keyed = [item for item in items if item.key]
    whole = imbalance(keyed)
    if whole is not None and whole < ALPHA:
        yield _finding(WHOLE_FILE, "the keys", keyed, whole)
    by_type: dict[str, list[BenchmarkItem]] = defaultdict(list)
    for item in keyed:
        by_type[item.type_id].append(item)
    tested = {name: p for name, members in by_type.items() if name and (p := imbalance(members)) is not None}
    for name, p in tested.items() if len(by_type) > 1 else ():
        if p * len(tested) < ALPHA:
            yield _finding(WHOLE_FILE, f"the keys of type {name}", by_type[name], p * len(tested))


def imbalance(items: Sequence[BenchmarkItem]) -> float | None:
    """The p-value of the keys' letters against an even spread, given each item's options; None for too few items."""
    expected: dict[str, float] = defaultdict(float)
    for item in items:
        for letter in item.options:
            expected[letter] += 1 / len(item.options)
    if len(expected) < 2 or len(items) < FEWEST_ITEMS:
        return None
    observed = {letter: sum(item.key == letter for item in items) for letter in expected}
    return _exact(observed, expected) if min(expected.values()) < FEWEST_EXPECTED else _chi_square(observed, expected)


def _chi_square(observed: dict[str, int], expected: dict[str, float]) -> float:
    from scipy.stats import chisquare

    return float(chisquare([observed[x] for x in expected], list(expected.values())).pvalue)


def _exact(observed: dict[str, int], expected: dict[str, float]) -> float:
    """Binomial test of the letter that is most above its expectation, corrected for the number of letters."""
    from scipy.stats import binomtest

    total = sum(observed.values())
    tests = (binomtest(observed[x], total, expected[x] / total, alternative="greater") for x in expected)
    return min(1.0, len(expected) * min(float(test.pvalue) for test in tests))


def _finding(item_id: str, whose: str, items: Sequence[BenchmarkItem], p: float) -> Finding:
    counts = Counter(item.key for item in items if item.key)
    letters = sorted({letter for item in items for letter in item.options})
    parts = []
    for letter in letters:
        interval = wilson(counts[letter], len(items))
        low, high = 100 * (interval.low or 0.0), 100 * (interval.high or 0.0)
        parts.append(f"{letter} {counts[letter]} ({100 * counts[letter] / len(items):.0f} % [{low:.0f}–{high:.0f}])")
    message = f"{whose} are not spread evenly: {', '.join(parts)} of {len(items)}; p = {_shown(p)}"
    return Finding(item_id=item_id, check="letter-imbalance", severity="warning", message=message)


def _shown(p: float) -> str:
    return f"{p:.1e}" if p < 0.001 else f"{p:.3f}"
