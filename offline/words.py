"""Words as the embedded models compare them: stems without function words, but with the words that turn a meaning.

``terms("The crew was not taken off", "en")`` gives ``("crew", "not", "taken")``. English stems are Snowball's; Chinese
words stay as jieba cuts them. Synonyms are not known.
"""

import re
from functools import lru_cache
from typing import Any

from media.text import is_chinese, tokens
from media.wordlists import CHINESE_FUNCTION_WORDS, ENGLISH_FUNCTION_WORDS, NUMBER_WORDS
from records.media import Tag

TAG = re.compile(r"TAG_[A-Z](?![A-Za-z0-9_])(?:['’]s)?")
_ATTRIBUTION = re.compile(
    r"^\W*(?:(?:reports?|claims?|says?|said|states?|tells|mentions?|adds?|has the words|carries the words)\b"
    r"(?:\s+that\b)?|提到|说|称)",
    re.IGNORECASE,
)


def word_set(text: str) -> frozenset[str]:
    """The words of a list, written as one line of text."""
    return frozenset(text.split())


NEGATIONS = word_set("no not nor never none nobody nothing neither without cannot 不 没 没有 未 无 并非 并未 不是 未曾")
OPPOSITES: tuple[tuple[str, str], ...] = (
    ("before", "after"), ("earlier", "later"), ("above", "below"), ("over", "under"), ("more", "less"),
    ("more", "fewer"), ("higher", "lower"), ("larger", "smaller"), ("longer", "shorter"), ("heavier", "lighter"),
    ("faster", "slower"), ("rise", "fall"), ("rose", "fell"), ("open", "closed"), ("up", "down"), ("true", "false"),
    ("agree", "differ"), ("agree", "disagree"), ("same", "different"), ("first", "last"), ("increase", "decrease"),
    ("with", "without"), ("north", "south"), ("east", "west"), ("left", "right"), ("most", "least"),
    ("confirm", "contradict"), ("support", "refute"), ("alive", "dead"), ("day", "night"),
    ("早", "晚"), ("早于", "晚于"), ("之前", "之后"), ("以前", "以后"), ("多于", "少于"), ("高于", "低于"),
    ("上涨", "下跌"),
    ("上升", "下降"), ("大于", "小于"), ("增加", "减少"), ("相同", "不同"), ("一致", "矛盾"), ("提前", "推迟"),
)  # fmt: skip
_TURNING = NEGATIONS | {word for pair in OPPOSITES for word in pair} - {"with", "day", "left", "right", "first", "up"}


@lru_cache(maxsize=65536)
def content(text: str) -> str:
    """What a claim says, without its tags and without *reports that* after the first of them."""
    return _ATTRIBUTION.sub(" ", TAG.sub(" ", text)).strip()


def words(text: str, language: str) -> tuple[str, ...]:
    """Case-folded words in order, tags and attribution left out."""
    return tokens(content(text), language)


@lru_cache(maxsize=65536)
def terms(text: str, language: str) -> tuple[str, ...]:
    """Stems of the words that carry meaning, in order, repeats kept."""
    stop = CHINESE_FUNCTION_WORDS if is_chinese(language, text) else ENGLISH_FUNCTION_WORDS
    return tuple(stem(word) for word in words(text, language) if word not in stop or word in _TURNING)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """An English word's Snowball stem; numbers and Chinese words as they are."""
    plain = re.sub(r"['’]s?$", "", word)
    return str(_stemmer().stemWord(plain)) if plain.isascii() and plain.isalpha() else word


def is_numeral(term: str) -> bool:
    """Whether a term is a number or a word for one."""
    return bool(re.search(r"\d|^[零一二两三四五六七八九十百千万亿]+", term)) or term in NUMBER_WORDS


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


def mentioned_tags(text: str) -> tuple[Tag, ...]:
    """The source tags that a text names, each once, in order."""
    return tuple(dict.fromkeys(match.group()[:5] for match in TAG.finditer(text)))


def mean(values: list[float]) -> float:
    """The arithmetic mean; 0.0 of nothing."""
    return sum(values) / len(values) if values else 0.0
