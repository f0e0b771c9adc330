"""Keys that stand out by their length: in single items, and as a habit of the whole file.

Lengths are display widths (an ideograph counts two), so that mixed options compare. Times, boxes and numbers are left
out: their length says nothing.
"""

from collections.abc import Iterator, Sequence

from eval.intervals import wilson
from eval.lint.features import width
from eval.lint.finding import WHOLE_FILE, Context, Finding, quoted
from records.benchmark import BenchmarkItem

RATIO = 1.5
"""The key is conspicuous when it is this many times as long as the longest wrong option (or as short)."""
FEWEST_COLUMNS = 12
"""… and differs by at least this width."""
ALPHA = 0.01
FEWEST_ITEMS = 20


def has_words(item: BenchmarkItem) -> bool:
    """Whether the options are mostly letters: not times, boxes or numbers."""
    text = "".join(item.options.values())
    return sum(char.isalpha() for char in text) > len(text.replace(" ", "")) / 2


def length_bias(items: tuple[BenchmarkItem, ...], context: Context) -> Iterator[Finding]:
    """Conspicuous keys, then the file's habit where it cannot be chance."""
    judged = [item for item in items if item.key and len(item.options) > 1 and has_words(item)]
    for item in judged:
        yield from _conspicuous(item)
    for end in ("longest", "shortest"):
        yield from _habit(judged, end)


def _widths(item: BenchmarkItem) -> tuple[int, list[int]]:
    wrong = [width(text) for letter, text in item.options.items() if letter != item.key]
    return width(item.key_text), wrong


def _conspicuous(item: BenchmarkItem) -> Iterator[Finding]:
    key, wrong = _widths(item)
    longest, shortest = max(wrong), max(1, min(wrong))
    if key >= RATIO * longest and key - longest >= FEWEST_COLUMNS:
        times, than = key / max(1, longest), "times as long as the longest wrong option"
    elif key * RATIO <= shortest and shortest - key >= FEWEST_COLUMNS:
        times, than = shortest / max(1, key), "times shorter than the shortest wrong option"
    else:
        return
    message = f"the key {item.key} is {times:.1f} {than}: {quoted(item.key_text)}"
    yield Finding(item_id=item.item_id, check="length-bias", severity="warning", message=message)


def _is(end: str, item: BenchmarkItem) -> bool:
    key, wrong = _widths(item)
    return key > max(wrong) if end == "longest" else key < min(wrong)


def _expected(end: str, items: Sequence[BenchmarkItem]) -> float:
    """How many keys would be the only longest (or shortest) option if keys were drawn by lot."""
    pick = max if end == "longest" else min
    total = 0.0
    for item in items:
        widths = [width(text) for text in item.options.values()]
        total += (widths.count(pick(widths)) == 1) / len(widths)
    return total


def _habit(items: Sequence[BenchmarkItem], end: str) -> Iterator[Finding]:
    if len(items) < FEWEST_ITEMS:
        return
    from scipy.stats import binomtest

    count = sum(_is(end, item) for item in items)
    chance = _expected(end, items) / len(items)
    p = 2 * float(binomtest(count, len(items), chance, alternative="greater").pvalue)
    if p >= ALPHA:
        return
    interval = wilson(count, len(items))
    message = (
        f"the key is the {end} option in {count} of {len(items)} items ({100 * count / len(items):.0f} % "
        f"[{100 * (interval.low or 0):.0f}–{100 * (interval.high or 0):.0f}]); by lot it would be {100 * chance:.0f} %"
    )
    yield Finding(item_id=WHOLE_FILE, check="length-bias", severity="warning", message=message)
