"""Text tools for English and Chinese: cleaning, sentences, words, names; numbers come from `media.quantities`.

``tokens("The Calder Star's crew", "en")`` gives ``("the", "calder", "star's", "crew")``; Chinese words come from jieba,
which is loaded at the first use. Other languages in Latin script are cut like English.
"""

import re
from functools import lru_cache
from typing import Any

from media.quantities import Quantity, numbers
from media.wordlists import CALENDAR_WORDS, CHINESE_FUNCTION_WORDS, CHINESE_SURNAMES, ENGLISH_FUNCTION_WORDS
from records.text import CJK, language_of, normalized, primary_language

__all__ = [
    "Quantity", "clean", "content_tokens", "count_characters", "is_chinese", "join", "names", "numbers",
    "split_sentences", "tokens",
]  # fmt: skip

_CONTROL = re.compile(
    r"[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060\ufeff\ufffd]"
)
_CJK_MARKS = "，。！？；：、”’」』）》“‘「『（《…"
_CJK_BREAK = re.compile(rf"(?<=[{CJK.pattern[1:-1]}{_CJK_MARKS}])\s*[\n\r]\s*(?=[{CJK.pattern[1:-1]}{_CJK_MARKS}])")
_WORD = re.compile(r"[^\W_]+(?:[.,'’:/-][^\W_]+)*%?")


def is_chinese(language: str, text: str = "") -> bool:
    """Whether to treat text as Chinese: by its language tag, or by its script where the tag is empty or ``und``."""
    primary = primary_language(language)
    return language_of(text) == "zh" if primary in ("", "und") else primary in ("zh", "yue", "cmn")


def clean(text: str) -> str:
    """One paragraph without invalid characters (VNU-Bench F.2): line breaks unified, spaces collapsed, lines merged.

    Chinese lines are joined without a space; a space within a line, which often stands for a pause, stays.
    """
    return re.sub(r"\s+", " ", _CJK_BREAK.sub("", _CONTROL.sub("", text))).strip()


def join(lines: tuple[str, ...]) -> str:
    """Lines as one, with a space between them except between Chinese characters or before Chinese punctuation."""
    return clean("\n".join(lines))


def split_sentences(text: str, language: str) -> tuple[str, ...]:
    """The sentences of a text, trimmed, none empty; abbreviations and quotes are left to Wikimedia's sentencex."""
    from sentencex import segment

    code = "zh" if is_chinese(language, text) else primary_language(language) or "en"
    return tuple(piece for sentence in segment("en" if code == "und" else code, text) if (piece := sentence.strip()))


def tokens(text: str, language: str) -> tuple[str, ...]:
    """Words in order, case-folded (NFKC), numbers kept whole (``1,200``, ``4:20``); Chinese cut by jieba."""
    plain = normalized(text)
    if not is_chinese(language, plain):
        return tuple(_WORD.findall(plain))
    return tuple(word for word in _jieba().cut(plain) if _WORD.match(word) or CJK.match(word))


def content_tokens(text: str, language: str) -> tuple[str, ...]:
    """Words without function words: what is left for matching and for BM25."""
    stop = CHINESE_FUNCTION_WORDS if is_chinese(language, text) else ENGLISH_FUNCTION_WORDS
    return tuple(word for word in tokens(text, language) if word not in stop)


def count_characters(text: str) -> int:
    """Length in characters after cleaning, whatever the script: the unit of every length limit in this project."""
    return len(clean(text))


@lru_cache(maxsize=1)
def _jieba() -> Any:
    import logging

    import jieba

    jieba.setLogLevel(logging.WARNING)
    jieba.initialize()
    return jieba


_CAPITAL = r"[A-Z][\w'’-]*"
_NAME_EN = re.compile(
    rf"{_CAPITAL}(?:(?:\s+(?:of|de|van|von|bin|al)\s+|\s+){_CAPITAL})*(?:\s+\d{{1,3}}(?![\w.,:]*\d))?"
)
_ZH_NAME_FLAGS = ("nr", "ns", "nt", "nz", "nrt", "nrfg")


def names(text: str, language: str) -> tuple[str, ...]:
    """Phrases that look like proper names, each once, in order: ``Calder Star``, ``Heron 2``, ``林秀珍``.

    English: runs of capitalised words; a single one that only ever opens a sentence is left out, as any word does, and
    a text in capitals throughout shows none.
    Chinese: words that jieba tags as person, place, organisation or other name.
    """
    found = _names_zh(text) if is_chinese(language, text) else _names_en(text)
    return tuple(dict.fromkeys(found))


def _names_zh(text: str) -> list[str]:
    _jieba()
    from jieba import posseg

    found: list[str] = []
    previous = ("", "")
    for pair in posseg.cut(text):
        if pair.flag == "ns" and previous[1] == "ns" and len(previous[0]) == 1:
            found.append(previous[0] + pair.word)
        elif _is_name_zh(pair.word, pair.flag):
            found.append(pair.word)
        previous = (pair.word, pair.flag)
    return found


_NO_PLACE = re.compile(r"^上(?!海|饶|虞|杭)|[口里上下边面坡]$")


def _is_name_zh(word: str, flag: str) -> bool:
    """Whether jieba's tag can be trusted: people need a common family name, places must not be mere directions."""
    if len(word) < 2 or flag not in _ZH_NAME_FLAGS:
        return False
    if flag.startswith("nr"):
        return word[0] in CHINESE_SURNAMES and word not in ("师傅", "方面", "高度", "时间")
    return flag != "ns" or not _NO_PLACE.search(word)


def _names_en(text: str) -> list[str]:
    if sum(map(str.isupper, text)) > sum(map(str.islower, text)):
        return []
    found: list[str] = []
    for sentence in split_sentences(text, "en"):
        for match in _NAME_EN.finditer(sentence):
            opens = not re.search(r"\w", sentence[: match.start()])
            name = _without_opener(match.group().split(), opens=opens, text=text)
            if name.lower() not in CALENDAR_WORDS and len(name) > 1 and not name.isdigit():
                found.append(name)
    return found


def _without_opener(words: list[str], *, opens: bool, text: str) -> str:
    """A name without function words at its front, and empty where a lone word is capitalised only by its place."""
    while words and re.split("['’]", words[0].lower())[0] in ENGLISH_FUNCTION_WORDS:
        words, opens = words[1:], False
    if opens and len(words) == 1 and not re.search(rf"[a-z,;]\s+{re.escape(words[0])}\b", text):
        return ""
    return re.sub(r"['’]s$", "", " ".join(words))
