"""Numbers with their units, dates and clock times in English and Chinese text, in a form that can be compared.

``numbers("28 minutes later, 1,850 jobs")`` gives a 28 with unit ``min`` and a 1850 with noun ``jobs``; ``12万`` is
120000, ``约800年`` is 800 years, approximate. Fractions in words other than a half, Roman numerals and vague amounts
("dozens") are not covered. Words to digits: text2num; Chinese numerals: cn2an.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Literal

from media.units import CURRENCY_SIGNS, MEASURES, MONEY, MONTHS, SPELLINGS
from media.wordlists import BEFORE_NUMBERS, NEVER_COUNTED, NUMBER_WORDS
from records.base import Record

QuantityKind = Literal["number", "percent", "money", "time", "date", "year", "ordinal", "label"]


class Quantity(Record):
    """One number, date or time as it stands in a text."""

    kind: QuantityKind
    """``label`` is a number that names a thing (``Heron 2``, ``clause 7``, ``Camera 07``), not an amount."""
    text: str
    """As written, with its unit: ``90 kilometres an hour``."""
    value: float
    """The amount; minutes after midnight for a time; month * 100 + day for a date (0 where a part is unknown)."""
    unit: str = ""
    """Canonical unit (`media.units`), or empty."""
    noun: str = ""
    """What is counted, as written: ``crew members``, ``名游客``. Empty where a unit follows."""
    canonical: str
    """Equal for equal facts: ``90 km/h``, ``03:52``, ``2025-03-11``, ``--03-21``, ``2025-01``, ``1850``."""
    approximate: bool = False
    """About, nearly, over, 约, 左右, …"""
    start: int
    """Offset of `text` in the text that was searched."""
    end: int


def numbers(text: str) -> tuple[Quantity, ...]:
    """All quantities of a text in their order; no two overlap. Chinese and English may be mixed."""
    found: list[Quantity] = []
    for finder in _FINDERS:
        for quantity in finder(text):
            if all(quantity.end <= other.start or quantity.start >= other.end for other in found):
                found.append(quantity)
    return tuple(sorted(found, key=lambda quantity: quantity.start))


# --- words for numbers

_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "m": 1e6, "bn": 1e9}
_WORD = rf"(?:{'|'.join(sorted(NUMBER_WORDS, key=len, reverse=True))})"
_WORDS = rf"{_WORD}(?:(?:[\s-]+(?:and\s+)?){_WORD})*"
_DIGITS = r"\d{1,3}(?:[,\u00a0\u202f]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_HALF = r"(?:\s+and\s+a\s+half)?"
_SCALE = r"(?:[\s-]*(?:hundred|thousand|million|billion|trillion)\b|bn\b|(?(sign)m\b|(?!)))"
"""A bare m is metres, but millions after a currency sign."""
_ZH_DIGIT = "〇零一二两兩三四五六七八九十百千万萬亿億廿"
_SIMPLE = str.maketrans({"兩": "两", "萬": "万", "億": "亿", "廿": "二十", ",": None, "，": None})
_ZH_NUMBER = rf"(?:\d[\d,]*(?:\.\d+)?[百千万萬亿億]*|[{_ZH_DIGIT}]+(?:点[〇零一二三四五六七八九]+)?)"


def _plain_digits(written: str) -> float:
    return float(re.sub(r"[,\u00a0\u202f]", "", written))


@lru_cache(maxsize=4096)
def _in_words(words: str) -> float | None:
    from text_to_num import text2num

    try:
        return float(text2num(re.sub(r"\s+", " ", words.lower()), "en"))
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def _in_chinese(written: str) -> float | None:
    import cn2an

    try:
        return float(cn2an.cn2an(unicodedata.normalize("NFKC", written).translate(_SIMPLE), "smart"))
    except (ValueError, LookupError):  # cn2an looks up what it cannot read, such as 一亿一
        return None


def _shown(value: float) -> str:
    return f"{value:.10g}"


# --- what stands around a number

_ABOUT = re.compile(
    r"(?:\b(?:about|around|almost|nearly|roughly|approximately|some|circa|over|under|below|above|up\s+to|at\s+least"
    r"|more\s+than|less\s+than|fewer\s+than|close\s+to)\s+|[~≈约近超逾]|大约|将近|超过|至少|不到|接近|左右的?)$",
    re.IGNORECASE,
)
_ABOUT_AFTER = re.compile(r"^\s*(?:左右|上下|以上|以下|or so\b|or more\b)")


def _is_approximate(text: str, start: int, end: int) -> bool:
    return bool(_ABOUT.search(text[max(0, start - 24) : start]) or _ABOUT_AFTER.match(text[end : end + 10]))


_UNIT_WORDS = sorted((s for s in SPELLINGS if s.isascii() and s[0].isalpha()), key=len, reverse=True)
_UNIT_SIGNS = sorted((s for s in SPELLINGS if not s[0].isascii() or not s[0].isalpha()), key=len, reverse=True)
_UNIT = re.compile(
    rf"[\s\u00a0-]*(?:(?P<word>{'|'.join(map(re.escape, _UNIT_WORDS))})(?![A-Za-z0-9_/])"
    rf"|(?P<sign>{'|'.join(map(re.escape, _UNIT_SIGNS))}))",
    re.IGNORECASE,
)
_SHORT_UNITS = frozenset({"m", "g", "s", "h", "t", "l", "w", "v"})
_NOUN = re.compile(r"(?:\s+of\s+the|\s+more|\s+other)?\s+([a-z][\w'-]*(?:\s+[a-z][\w'-]*)?)")


def _unit_after(text: str, end: int) -> tuple[str, int]:
    """The canonical unit that follows position `end` and where it stops; ``("", end)`` if there is none."""
    match = _UNIT.match(text, end)
    if not match:
        return "", end
    spelling = (match["word"] or match["sign"]).lower()
    glued_m = spelling in _SHORT_UNITS and match.group()[:1] == "-"
    return ("", end) if glued_m else (SPELLINGS[spelling], match.end())


def _noun_after(text: str, end: int) -> str:
    match = _NOUN.match(text, end)
    if not match:
        return ""
    words: list[str] = []
    for word in match[1].split():
        if word.lower() in NEVER_COUNTED:
            break
        words.append(word)
        if len(word) > 3 and word.endswith("s"):
            break
    return " ".join(words)


# --- finders, the most specific first

_CAPITAL_MONTHS = ("may", "march", "mar")
"""Also ordinary words, so that only their capital tells."""
_CERTAIN = "|".join(sorted(set(MONTHS) - set(_CAPITAL_MONTHS), key=len, reverse=True))
_MONTH = rf"(?:(?:(?i:{_CERTAIN})|May|MAY|March|MARCH|Mar|MAR)\b\.?)"
_YEAR = r"(?:1[5-9]|20|21)\d{2}"
_DATE_PATTERNS = (
    re.compile(r"(?<!\d)(?P<y>\d{4})-(?P<m>0[1-9]|1[0-2])-(?P<d>0[1-9]|[12]\d|3[01])(?!\d)"),
    re.compile(rf"\b(?P<d>[0-3]?\d)(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<mon>{_MONTH})(?:,?\s+(?P<y>{_YEAR})\b(?!:))?"),
    re.compile(
        rf"\b(?P<mon>{_MONTH})\s+(?:the\s+)?(?P<d>[0-3]?\d)(?:st|nd|rd|th)?\b(?![:.,]\d)(?:,?\s+(?P<y>{_YEAR})\b(?!:))?"
    ),
    re.compile(rf"\b(?P<mon>{_MONTH})(?:\s+of)?,?\s+(?P<y>{_YEAR})\b"),
    re.compile(
        rf"(?:(?P<zy>\d{{4}}|[〇零一二三四五六七八九]{{4}})年)?(?P<zm>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月"
        rf"(?:(?P<zd>[0-3]?\d|[{_ZH_DIGIT}]+)[日号])?"
    ),
)


def _dates(text: str) -> Iterator[Quantity]:
    for pattern in _DATE_PATTERNS:
        for match in pattern.finditer(text):
            parts = match.groupdict()
            year = _part(parts.get("y") or parts.get("zy"))
            month = _month_of(parts)
            day = _part(parts.get("d") or parts.get("zd"))
            if 1 <= month <= 12 and day <= 31:
                end = match.start() + len(match.group().rstrip("."))
                yield _found("date", text, match.start(), end, month * 100 + day, _iso(year, month, day))


def _part(written: str | None) -> int:
    if not written:
        return 0
    if written.isascii():
        return int(written)
    return int(_in_chinese(written) or 0)


def _month_of(parts: dict[str, str | None]) -> int:
    name = parts.get("mon")
    return MONTHS[name.lower().rstrip(".")] if name else _part(parts.get("m") or parts.get("zm"))


def _iso(year: int, month: int, day: int) -> str:
    tail = f"{month:02d}-{day:02d}" if day else f"{month:02d}"
    return f"{year:04d}-{tail}" if year else f"--{tail}"


_CLOCK = re.compile(
    r"(?<![\d:.])(?P<h>[01]?\d|2[0-4])[:：](?P<m>[0-5]\d)(?:[:：](?P<s>[0-5]\d))?(?![\d:])"
    r"(?:\s*(?P<half>[ap]\.?m\.?)(?!\w))?",
    re.IGNORECASE,
)
_HOUR = re.compile(
    r"\b(?P<h>1[0-2]|[1-9])\s*(?:(?P<half>[ap]\.?m\b\.?)|o'clock\b(?:\s+in\s+the\s+(?P<part1>\w+))?"
    r"|in\s+the\s+(?P<part2>morning|afternoon|evening|night)\b)",
    re.IGNORECASE,
)
_PAST = re.compile(
    rf"\b(?:(?P<half>half|quarter|a\s+quarter)\s+(?P<side>past|to)\s+(?P<h>{_WORD}|1[0-2]|[1-9]))\b", re.IGNORECASE
)
_ZH_CLOCK = re.compile(
    rf"(?P<part>凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|夜里)?(?P<h>\d{{1,2}}|[{_ZH_DIGIT}]{{1,3}})[点时]"
    rf"(?!之|间|候)(?:(?P<half>半)|(?P<quarter>[一三])刻|(?P<m>[0-5]?\d|[{_ZH_DIGIT}]{{1,3}})分?)?"
)
_LATER_HALF = ("下午", "傍晚", "晚上")


def _times(text: str) -> Iterator[Quantity]:
    for match in _CLOCK.finditer(text):
        hour = _half_day(int(match["h"]), match["half"] or "")
        yield _time(text, match.start(), match.end(), hour, int(match["m"]), int(match["s"] or 0), bool(match["s"]))
    for match in _HOUR.finditer(text):
        part = (match["part1"] or match["part2"] or "").lower()
        late = part in ("afternoon", "evening")
        hour = _half_day(int(match["h"]), match["half"] or ("p" if late else "a" if part else ""))
        yield _time(text, match.start(), match.end(), hour, 0)
    for match in _PAST.finditer(text):
        hour = _part(match["h"]) if match["h"].isdigit() else int(_in_words(match["h"]) or 0)
        minutes = 30 if match["half"].lower() == "half" else 15
        total = hour * 60 + (minutes if match["side"].lower() == "past" else -minutes)
        yield _time(text, match.start(), match.end(), total // 60 % 24, total % 60)
    for match in _ZH_CLOCK.finditer(text):
        yield from _chinese_time(text, match)


def _chinese_time(text: str, match: re.Match[str]) -> Iterator[Quantity]:
    hour, exact = _part(match["h"]), match["half"] or match["quarter"] or match["m"] or match["part"]
    if hour > 24 or not (exact or match.group().endswith("点")):
        return
    if match["part"] in _LATER_HALF and hour < 12:
        hour += 12
    minute = 30 if match["half"] else {"一": 15, "三": 45}.get(match["quarter"] or "", _part(match["m"]))
    yield _time(text, match.start(), match.end(), hour % 24, minute)


def _half_day(hour: int, half: str) -> int:
    if half.lower().startswith("p") and hour < 12:
        return hour + 12
    return 0 if half.lower().startswith("a") and hour == 12 else hour


def _time(text: str, start: int, end: int, hour: int, minute: int, second: int = 0, exact: bool = False) -> Quantity:
    clock = f"{hour:02d}:{minute:02d}" + (f":{second:02d}" if exact else "")
    return _found("time", text, start, end, hour * 60 + minute + second / 60, clock)


_YEARS = re.compile(
    rf"\b(?:in|since|until|till|by|from|of|before|after|during|to|year|early|late|mid|summer|spring|autumn|winter)[\s-]+"
    rf"(?P<y>{_YEAR})\b(?![,.:]\d|\s*(?:{'|'.join(map(re.escape, _UNIT_WORDS))})\b)|(?<!\d)(?P<p>\((?P<py>{_YEAR})\))"
    r"|(?<![\d,.万])(?P<zy>(?:19|20|21)\d{2}|[一二][〇零一二三四五六七八九]{3})年(?![前后的]?历史|代)",
    re.IGNORECASE,
)


def _years(text: str) -> Iterator[Quantity]:
    for match in _YEARS.finditer(text):
        name = next(name for name in ("y", "py", "zy") if match[name])
        start, end = match.span(name)
        year = _part(match[name])
        lasting = name == "zy" and re.search(r"(?:约|近|活了|已有|已经有|长达|树龄)$", text[max(0, start - 4) : start])
        if not lasting:
            yield _found("year", text, start, end + (name == "zy"), year, str(year))


_ORDINAL = re.compile(r"\b(?P<n>\d+)(?:st|nd|rd|th)\b", re.IGNORECASE)
_ZH_ORDINAL = re.compile(rf"第(?P<n>\d+|[{_ZH_DIGIT}]+)(?P<m>\w)?")


def _ordinals(text: str) -> Iterator[Quantity]:
    for match in _ORDINAL.finditer(text):
        yield _found("ordinal", text, match.start(), match.end(), int(match["n"]), f"#{match['n']}")
    for match in _ZH_ORDINAL.finditer(text):
        value = _part(match["n"])
        if value:
            yield _found("ordinal", text, match.start(), match.end("n"), value, f"#{value}", noun=match["m"] or "")


_NUMBER = re.compile(
    rf"(?P<sign>US\$|[$€£¥￥])?\s?(?P<digits>(?<![A-Za-z0-9_.])(?<!\d,)(?:{_DIGITS}))(?P<half>{_HALF})(?P<scale>{_SCALE})?"
    rf"|\b(?P<words>{_WORDS})\b(?P<whalf>{_HALF})",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?:^|[\s\"'“‘(])(?P<w>[A-Z][\w'’-]*|(?:[Dd]ay|[Cc]lause|[Ff]act|[Gg]ate|[Ss]tep|[Pp]art)s?)\s+$")


def _amounts(text: str) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(text):
        value = _amount(match)
        if value is not None and not _continues_chinese(text, match.end()):
            quantity = _measured(text, match, value)
            if quantity:
                yield quantity


def _amount(match: re.Match[str]) -> float | None:
    if match["words"]:
        whole = _in_words(match["words"])
        return None if whole is None else whole + (0.5 if match["whalf"] else 0.0)
    value = _plain_digits(match["digits"]) + (0.5 if match["half"] else 0.0)
    scale = (match["scale"] or "").strip(" -\n\t").lower()
    return value * _SCALES.get(scale, 1.0)


def _continues_chinese(text: str, end: int) -> bool:
    return bool(re.match(r"[百千万萬亿億]", text[end : end + 1]))


def _measured(text: str, match: re.Match[str], value: float) -> Quantity | None:
    start = match.start() + (len(match.group()) - len(match.group().lstrip()))
    unit, end = _unit_after(text, match.end())
    sign = CURRENCY_SIGNS.get((match["sign"] or "").upper())
    if sign:
        return _found("money", text, start, match.end(), value, f"{_shown(value)} {sign}", unit=sign)
    if unit:
        return _with_unit(text, start, end, value, unit)
    if (match["words"] or "").lower() == "one":
        return None
    named = _named_thing(text, start)
    if named:
        return _found("label", text, start - len(named), match.end(), value, f"{named.strip().lower()} {_shown(value)}")
    noun = _noun_after(text, match.end()) or _chinese_counted(text, match.end())
    return _found("number", text, start, match.end(), value, _shown(value), noun=noun)


def _named_thing(text: str, start: int) -> str:
    """The word to whose name a number belongs, with the space after it: ``"Heron "`` before the 2 of ``Heron 2``."""
    named = _NAMED.search(text[max(0, start - 40) : start])
    if not named or named["w"].lower() in BEFORE_NUMBERS or named["w"].lower() in MONTHS:
        return ""
    return named.group()[named.start("w") - named.start() :]


def _with_unit(text: str, start: int, end: int, value: float, unit: str) -> Quantity:
    kind: QuantityKind = "percent" if unit == "%" else "money" if unit in MONEY else "number"
    return _found(kind, text, start, end, value, f"{_shown(value)} {unit}", unit=unit)


_ZH_AMOUNT = re.compile(rf"(?P<share>百分之)?(?P<n>{_ZH_NUMBER})(?P<more>[多余几])?")
_ZH_WORDS = ("一一", "万一", "十分", "万万", "一千零一夜", "三三两两", "百万富翁", "千万别", "千万不", "万分")


def _chinese_amounts(text: str) -> Iterator[Quantity]:
    for match in _ZH_AMOUNT.finditer(text):
        value = _in_chinese(match["n"])
        if value is None or any(text.startswith(word, match.start()) for word in _ZH_WORDS):
            continue
        quantity = _chinese_measured(text, match, value)
        if quantity:
            yield quantity


def _chinese_measured(text: str, match: re.Match[str], value: float) -> Quantity | None:
    start, end = match.span()
    about = bool(match["more"])
    if match["share"]:
        return _found("percent", text, start, end, value, f"{_shown(value)} %", unit="%", about=about)
    unit, unit_end = _unit_after(text, end)
    lone = len(match["n"]) == 1 and not match["n"].isdigit()
    if unit and not text[end : end + 1].isspace():
        found = _with_unit(text, start, unit_end, value, unit)
        return found.model_copy(update={"approximate": found.approximate or about})
    noun = _chinese_counted(text, end)
    if lone and (not noun or match["n"] == "一"):
        return None
    return _found("number", text, start, end, value, _shown(value), noun=noun, about=about)


def _chinese_counted(text: str, end: int) -> str:
    """The measure word after a number and the word after that: ``名游客``. Empty where there is no measure word."""
    from media.text import tokens

    measure = text[end : end + 1]
    if measure not in MEASURES or not measure:
        return ""
    run = re.match(r"[\u4e00-\u9fff]{0,8}", text[end + 1 :])
    return measure + (next(iter(tokens(run.group(), "zh")), "") if run and run.group() else "")


def _found(
    kind: QuantityKind, text: str, start: int, end: int, value: float, canonical: str,
    *, unit: str = "", noun: str = "", about: bool = False,
) -> Quantity:  # fmt: skip
    return Quantity(
        kind=kind, text=text[start:end], value=float(value), unit=unit, noun=noun, canonical=canonical,
        approximate=about or _is_approximate(text, start, end), start=start, end=end,
    )  # fmt: skip


_FINDERS: tuple[Callable[[str], Iterator[Quantity]], ...] = (
    _dates, _times, _years, _ordinals, _amounts, _chinese_amounts,
)  # fmt: skip
