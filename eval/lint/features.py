"""What can be seen of an option without evidence: the features on which lexical baselines guess.

Each is a function from the stem and the options to one number an option; larger or smaller may be the better guess,
which the baseline learns on other items.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence

from rules.duplicates import content_tokens

Feature = Callable[[str, Sequence[str]], list[float]]

_HEDGE_WORDS = """
may might could can often usually generally sometimes mostly some many partly likely approximately about around rather
可能 通常 一般 往往 有时 大多 部分 或许 大约 左右
"""
_ABSOLUTE_WORDS = """
all always never none only every completely entirely must cannot exclusively solely totally no
所有 总是 从不 只有 唯一 完全 必须 全部 绝对 一定
"""
_HEDGES, _ABSOLUTES = _HEDGE_WORDS.split(), _ABSOLUTE_WORDS.split()


def width(text: str) -> int:
    """Columns that a text takes: two for an ideograph or a full-width form, one for other characters."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text.strip())


def _length(stem: str, options: Sequence[str]) -> list[float]:
    return [float(width(text)) for text in options]


def _overlap(stem: str, options: Sequence[str]) -> list[float]:
    """Share of an option's words that the stem has too."""
    asked = set(content_tokens(stem))
    return [len(asked & set(words)) / max(1, len(set(words))) for words in map(content_tokens, options)]


def _likeness(stem: str, options: Sequence[str]) -> list[float]:
    """Mean word overlap (Jaccard) with the other options: low for the odd one out, high for the one others vary."""
    sets = [set(content_tokens(text)) for text in options]
    others = [[other for j, other in enumerate(sets) if j != i] for i in range(len(sets))]
    return [
        sum(_jaccard(own, other) for other in rest) / max(1, len(rest)) for own, rest in zip(sets, others, strict=True)
    ]


def _jaccard(one: set[str], two: set[str]) -> float:
    return len(one & two) / len(one | two) if one | two else 0.0


def _numbers(stem: str, options: Sequence[str]) -> list[float]:
    return [float(len(re.findall(r"\d+", text))) for text in options]


def _value(stem: str, options: Sequence[str]) -> list[float]:
    """The options' order as plain numbers or times; zero where they are no numbers."""
    values = [[float(part) for part in re.findall(r"\d+(?:\.\d+)?", text)] for text in options]
    if not all(values) or len({len(found) for found in values}) != 1:
        return [0.0] * len(options)
    ranked = sorted(range(len(options)), key=lambda i: values[i])
    return [float(ranked.index(i)) for i in range(len(options))]


def _middle(stem: str, options: Sequence[str]) -> list[float]:
    """How near the middle an option's number is among the options' numbers."""
    ranks = _value(stem, options)
    centre = (len(options) - 1) / 2
    return [-abs(rank - centre) for rank in ranks] if len(set(ranks)) > 1 else [0.0] * len(options)


def _commas(stem: str, options: Sequence[str]) -> list[float]:
    return [float(len(re.findall(r"[,，、;；→]|\band\b", text))) for text in options]


def _counted(words: Sequence[str]) -> Feature:
    def count(stem: str, options: Sequence[str]) -> list[float]:
        return [float(sum(_occurs(word, text) for word in words)) for text in options]

    return count


def _occurs(word: str, text: str) -> bool:
    return bool(re.search(rf"\b{word}\b", text, re.IGNORECASE)) if word.isascii() else word in text


def _position(stem: str, options: Sequence[str]) -> list[float]:
    return [float(i) for i in range(len(options))]


FEATURES: dict[str, Feature] = {
    "length": _length,
    "words shared with the question": _overlap,
    "likeness to the other options": _likeness,
    "numbers in the option": _numbers,
    "order of the number": _value,
    "number in the middle": _middle,
    "parts of a list": _commas,
    "hedging words": _counted(_HEDGES),
    "absolute words": _counted(_ABSOLUTES),
    "first or last place": _position,
}
