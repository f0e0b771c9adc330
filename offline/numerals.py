"""Numerals as they are written, and other amounts written in the same way.

``read_numeral("1,200")`` and ``write_like(form, 900)`` give ``900``; ``six and a half kilometres`` is 6.5 and its form
writes 4 as ``four kilometres``; ``十二万`` is 120000 and its form writes 150000 as ``十五万``.
"""

import re
from functools import lru_cache

from media.wordlists import NUMBER_WORDS
from records.base import Record

_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_DIGITS = re.compile(r"\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?")
_ZH = re.compile(r"[零一二两三四五六七八九十百千万亿]+")
_WORD = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_WORDS = re.compile(rf"\b(?:{_WORD})(?:[\s-]+(?:{_WORD}))*(?:\s+and\s+a\s+half)?\b", re.IGNORECASE)
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")


class Written(Record):
    """A numeral in its text."""

    before: str
    after: str
    amount: float
    """Of the numeral alone: 95 for ``95 million``."""
    kind: str
    """digits, words or zh."""
    commas: bool = False
    decimals: int = 0
    capital: bool = False


@lru_cache(maxsize=16384)
def read_numeral(text: str, *, last: bool = False) -> Written | None:
    """The first numeral of a text (the last one if `last`) and how it is written; None where there is none."""
    found = [(match, kind) for pattern, kind in _PATTERNS for match in pattern.finditer(text)]
    found.sort(key=lambda pair: pair[0].start(), reverse=last)
    for match, kind in found:
        amount = _amount(match.group(), kind)
        if amount is not None:
            return Written(
                before=text[: match.start()], after=text[match.end() :], amount=amount, kind=kind,
                commas="," in match.group(), decimals=len(match.group().partition(".")[2]),
                capital=match.group()[:1].isupper(),
            )  # fmt: skip
    return None


_PATTERNS = ((_DIGITS, "digits"), (_WORDS, "words"), (_ZH, "zh"))


def _amount(written: str, kind: str) -> float | None:
    if kind == "digits":
        return float(written.replace(",", ""))
    if kind == "words":
        return _from_words(written)
    import cn2an

    try:
        return float(cn2an.cn2an(written, "smart"))
    except ValueError:
        return None


def _from_words(written: str) -> float | None:
    from text_to_num import text2num

    whole, half, _ = re.sub(r"\s+", " ", written.lower()).partition(" and a half")
    try:
        return float(text2num(whole, "en")) + (0.5 if half else 0.0)
    except ValueError:
        return None


def write_like(form: Written, amount: float) -> str | None:
    """The text with another amount, written alike; None where this form cannot write it (``two million`` as a word).

    `amount` is the numeral's own, without a scale word that follows it; an amount a thousand times and more too large
    for the form is taken as scaled and brought down.
    """
    numeral = _numeral(form, _unscaled(form, amount))
    if numeral is None:
        return None
    if form.capital:
        numeral = numeral[:1].upper() + numeral[1:]
    return form.before + numeral + _ordinal_after(form.after, amount)


def _unscaled(form: Written, amount: float) -> float:
    scale = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
    word = re.match(r"[\s-]*(thousand|million|billion|trillion)\b", form.after)
    return amount / scale[word[1]] if word and amount >= scale[word[1]] else amount


def _numeral(form: Written, amount: float) -> str | None:
    if form.kind == "digits":
        if not form.decimals and amount != int(amount):
            return f"{amount:g}" if amount < 100 and round(amount, 1) == amount else None
        text = f"{amount:.{form.decimals}f}"
        return f"{int(amount):,}" if amount >= 1000 and (form.commas or form.amount < 1000) else text
    if form.kind == "words":
        return _in_words(amount)
    return _in_chinese(amount)


def _in_words(amount: float) -> str | None:
    whole, half = int(amount), amount - int(amount)
    if half not in (0.0, 0.5) or not 0 < whole < 100:
        return None
    words = _ONES[whole] if whole < 20 else _TENS[whole // 10 - 2] + (f"-{_ONES[whole % 10]}" if whole % 10 else "")
    return words + (" and a half" if half else "")


def _in_chinese(amount: float) -> str | None:
    import cn2an

    if amount != int(amount) or amount <= 0:
        return None
    written = str(cn2an.an2cn(int(amount), "low"))
    written = re.sub(r"^一十", "十", written)
    return re.sub(r"^二(?=[千万亿]|$)", "两", written)


def _ordinal_after(after: str, amount: float) -> str:
    """``30th`` moved to 22 is ``22nd``."""
    if not re.match(r"(?:st|nd|rd|th)\b", after):
        return after
    day = int(amount)
    suffix = "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return suffix + after[2:]
