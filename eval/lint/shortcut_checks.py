"""Keys that give themselves away without evidence: told by the stem, by their form, or by a lexical baseline."""

import re
from collections.abc import Iterator

from eval.lint.baselines import Baseline, run_baselines
from eval.lint.finding import WHOLE_FILE, Context, Finding, quoted
from eval.lint.length_checks import has_words
from records.benchmark import BenchmarkItem
from rules.duplicates import content_tokens

_TOLD, _NOT_TOLD = 0.8, 0.6
_LONG = 5
"""From so many words on, most of them in order are enough; a shorter key must stand in the stem as a whole."""
_CLOSING = re.compile(r"[.。!！?？,，、;；:：]$")


def lexical_shortcut(items: tuple[BenchmarkItem, ...], context: Context) -> Iterator[Finding]:
    """Single items first, then the baselines that beat chance over the whole file."""
    for item in items:
        if item.key and len(item.options) > 1:
            yield from _told_by_stem(item)
            yield from _odd_ending(item)
    yield from _baselines(items, context)


def _told_by_stem(item: BenchmarkItem) -> Iterator[Finding]:
    """The stem says what the key says (all its words, or most of a long one in order), and nearly no wrong option."""
    stem = content_tokens(item.stem)
    shares = {letter: _told_share(content_tokens(text), stem) for letter, text in item.options.items()}
    key = shares.pop(item.key or "")
    if key >= _TOLD and max(shares.values()) < _NOT_TOLD:
        message = (
            f"the question says {100 * key:.0f} % of what the key {item.key} says, and at most "
            f"{100 * max(shares.values()):.0f} % of any other option: {quoted(item.key_text)}"
        )
        yield Finding(item_id=item.item_id, check="lexical-shortcut", severity="warning", message=message)


def _told_share(words: tuple[str, ...], stem: tuple[str, ...]) -> float:
    """The share of an option's words that the stem has; of a long option, in the option's order."""
    if not words:
        return 0.0
    if len(words) >= _LONG:
        from rapidfuzz.distance import LCSseq

        return LCSseq.similarity(words, stem) / len(words)
    return 1.0 if set(words) <= set(stem) else 0.0


def _odd_ending(item: BenchmarkItem) -> Iterator[Finding]:
    """The key alone ends with a punctuation mark, or alone ends without the one that all others have."""
    if not has_words(item) or len(item.options) < 3:
        return
    endings = {letter: _ending(text) for letter, text in item.options.items()}
    others = {ending for letter, ending in endings.items() if letter != item.key}
    own = endings[item.key or ""]
    if len(others) == 1 and own not in others:
        (other,) = others
        said = f"ends with {quoted(own)}" if own else f"ends without {quoted(other)}"
        message = f"the key {item.key} alone {said}: {quoted(item.key_text[-40:])}"
        yield Finding(item_id=item.item_id, check="lexical-shortcut", severity="warning", message=message)


def _ending(text: str) -> str:
    match = _CLOSING.search(text.strip())
    return match.group().translate(str.maketrans("。！？，；：", ".!?,;:")) if match else ""


def _baselines(items: tuple[BenchmarkItem, ...], context: Context) -> Iterator[Finding]:
    found = run_baselines(items) if context.baselines is None else context.baselines
    sure = [baseline for baseline in found if baseline.is_shortcut]
    for b in sure:
        message = (
            f"keys can be guessed from {b.saying}, without evidence: {100 * b.accuracy:.1f} % "
            f"[{100 * b.low:.1f}–{100 * b.high:.1f}] of {b.n} items, cross-validated, "
            f"against {100 * b.chance:.1f} % by chance"
        )
        yield Finding(item_id=WHOLE_FILE, check="lexical-shortcut", severity="warning", message=message)
    if context.list_guessed and sure:
        yield from _guessed(max(sure, key=lambda baseline: baseline.accuracy))


def _guessed(best: Baseline) -> Iterator[Finding]:
    """Every item that the best baseline guesses; about as many as chance gives are among them by luck."""
    luck = f"{100 * best.chance:.0f} % would be by luck alone"
    message = f"among the {len(best.guessed)} items guessed from {best.saying} ({luck})"
    for item_id in best.guessed:
        yield Finding(item_id=item_id, check="lexical-shortcut", severity="info", message=message)
