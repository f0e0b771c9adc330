"""Facts in the sources' sentences: a number, date, time or name, in the clause that says something with it.

``"At 4:20 local time it struck a sandbank 4 kilometres south of the harbour."`` holds two: the time and the distance.
Numbers that name things (``Heron 2``), ordinals and ones are no facts; nor is anything in a question.
"""

import re
from functools import lru_cache
from typing import Literal

from media.quantities import Quantity, numbers
from media.text import names
from offline.clauses import Clause, clause_around, definite_thing, points_back
from offline.ordering import bare_hour
from offline.reading import Material
from offline.words import terms, word_set
from records.base import Record
from records.media import Sentence, Tag

Family = Literal["count", "amount", "percent", "money", "time", "date", "year", "word"]
"""``word``: a negation or a verb, for claims that are turned and not altered."""

FactId = tuple[Tag, int, int, str]

_IDLE_NOUNS = word_set("lives back way ways times place")
_FAMILIES: dict[str, Family] = {
    "percent": "percent", "money": "money", "time": "time", "date": "date", "year": "year",
}  # fmt: skip
_LONGEST_LEAD = 80
_FACTOR = re.compile(r"^\s+(?:as|the|less|more|longer|higher|lower)\b")


class Finding(Record):
    """A fact in its clause."""

    tag: Tag
    sentence: int
    """Index of the sentence in its source."""
    time_s: float
    """Middle of the sentence."""
    clause: str
    """The words around the fact, cut to what is needed, without a closing full stop."""
    start: int
    """Offset of `value` in `clause`."""
    value: str
    """As written, unit included."""
    family: Family
    unit: str = ""
    noun: str = ""
    """What is counted: ``crew members``, ``名游客``."""
    amount: float = 0.0
    canonical: str = ""
    approximate: bool = False
    context: tuple[str, ...] = ()
    """Stems of the sentence's other words."""
    language: str = "en"
    lead: str = ""
    """The sentence before, where the clause begins with a word that points back to it."""
    opens_with_name: bool = False
    """The clause's first word is a name and keeps its capital after *that*."""
    about: str = ""
    """What the clause is about besides the value, in a word or two; empty where nothing offers."""

    @property
    def fact_id(self) -> FactId:
        """Which fact this is, whatever question it stands in."""
        return (self.tag, self.sentence, self.start, self.value)

    def with_value(self, value: str) -> str:
        """The clause with another value in place of its own."""
        before = re.sub(r"\b([Aa])n? $", lambda article: _article(article[1], value) + " ", self.clause[: self.start])
        return before + value + self.clause[self.start + len(self.value) :]


def _article(letter: str, value: str) -> str:
    """``an 80 percent success``, ``a 100 percent success``: the article that the number's sound asks for."""
    return f"{letter}n" if re.match(r"8|11\b|18\b|eight|eleven", value) else letter


def findings(material: Material) -> tuple[Finding, ...]:
    """All usable facts of the sources' sentences, in order of tag and sentence."""
    return tuple(
        finding
        for tag in sorted(material.sentences)
        for index in range(len(material.sentences[tag]))
        for finding in _in_sentence(tag, index, material)
    )


def _in_sentence(tag: Tag, index: int, material: Material) -> list[Finding]:
    sentence = material.sentences[tag][index]
    text = sentence.text.strip()
    if text.endswith(("?", "？")):
        return []
    quantities = _usable(text)
    found = []
    for quantity in quantities:
        clause = clause_around(text, quantity.start, quantity.end, material.language)
        if clause is None:
            continue
        found.append(_finding(tag, index, sentence, quantity, clause, material))
    return found


def _finding(
    tag: Tag, index: int, sentence: Sentence, quantity: Quantity, clause: Clause, material: Material
) -> Finding:
    return Finding(
        tag=tag, sentence=index, time_s=(sentence.start_s + sentence.end_s) / 2, clause=clause.text,
        start=quantity.start - clause.start, value=quantity.text, family=_family(quantity), unit=quantity.unit,
        noun=_noun(quantity), amount=quantity.value, canonical=quantity.canonical, approximate=quantity.approximate,
        context=_context(sentence.text, quantity, material.language), language=material.language,
        lead=_lead(tag, index, clause, material), opens_with_name=_opens_with_name(clause.text, material),
        about=_about(clause.text, quantity.start - clause.start, quantity.end - clause.start, material),
    )  # fmt: skip


def plain_finding(tag: Tag, index: int, start: int, end: int, material: Material) -> Finding | None:
    """Any words of a sentence, at offsets of its trimmed text, in their clause; None where that is too long."""
    sentence = material.sentences[tag][index]
    text = sentence.text.strip()
    clause = clause_around(text, start, end, material.language)
    if clause is None:
        return None
    return Finding(
        tag=tag, sentence=index, time_s=(sentence.start_s + sentence.end_s) / 2, clause=clause.text,
        start=start - clause.start, value=text[start:end], family="word", context=terms(text, material.language),
        language=material.language, lead=_lead(tag, index, clause, material),
        opens_with_name=_opens_with_name(clause.text, material),
    )  # fmt: skip


def _lead(tag: Tag, index: int, clause: Clause, material: Material) -> str:
    if index == 0 or not points_back(clause.text):
        return ""
    before = material.sentences[tag][index - 1].text.strip()
    return before if len(before) <= _LONGEST_LEAD else ""


def _opens_with_name(clause: str, material: Material) -> bool:
    first = re.match(r"[A-Za-z'’-]+", clause)
    return bool(first) and any(name.split()[0] == first.group() for name in all_names(material) if first)


def _about(clause: str, start: int, end: int, material: Material) -> str:
    """A name that not most sources share, or else the first thing that *the* points to, outside the value."""
    rest = f"{clause[:start]} — {clause[end:]}"
    found = [name for name in names(rest, material.language) if len(name) > 1 and not re.search(r"\d", name)]
    telling = [name for name in found if not _is_common(name, material)]
    if telling:
        return f"the {telling[0]}" if re.search(rf"\b[Tt]he {re.escape(telling[0])}\b", rest) else telling[0]
    return "" if material.language == "zh" else definite_thing(rest)


def _is_common(name: str, material: Material) -> bool:
    holders = sum(any(name in text for text in material.texts((tag,))) for tag in material.sentences)
    return holders > len(material.sentences) / 2


@lru_cache(maxsize=64)
def _names_of(texts: tuple[str, ...], language: str) -> frozenset[str]:
    return frozenset(name for text in texts for name in names(text, language))


def all_names(material: Material) -> frozenset[str]:
    """Every name that the sources speak."""
    joined = tuple(" ".join(one.text for one in group) for _, group in sorted(material.sentences.items()))
    return _names_of(joined, material.language)


def _usable(text: str) -> list[Quantity]:
    hour = bare_hour(text)
    found = [quantity for quantity in numbers(text) if _is_fact(quantity, text)]
    return [*(one for one in found if not hour or one.start != hour.start), *((hour,) if hour else ())]


def _is_fact(quantity: Quantity, text: str) -> bool:
    if quantity.kind in ("ordinal", "label"):
        return False
    if quantity.kind != "number":
        return True
    if quantity.value == 1:
        return False
    if quantity.unit == "times":
        return bool(_FACTOR.match(text[quantity.end :]))
    return bool(quantity.unit or _noun(quantity) or quantity.value >= 100)


def _family(quantity: Quantity) -> Family:
    if quantity.kind == "number":
        return "amount" if quantity.unit else "count"
    return _FAMILIES[quantity.kind]


def _noun(quantity: Quantity) -> str:
    """What is counted, without a verb that follows it: ``tugs pulled`` gives ``tugs``."""
    if not quantity.noun.isascii():
        return quantity.noun
    parts = quantity.noun.split()
    if len(parts) == 2 and parts[0].endswith("s") and not parts[1].endswith("s"):
        parts = parts[:1]
    if not parts or parts[-1] in _IDLE_NOUNS or not (parts[-1].endswith("s") or parts[-1] in ("people", "children")):
        return ""
    return " ".join(parts)


def _context(text: str, quantity: Quantity, language: str) -> tuple[str, ...]:
    counted = set(terms(_noun(quantity), language))
    rest = f"{text[: quantity.start]} — {text[quantity.end :]}"
    return tuple(
        dict.fromkeys(term for term in terms(rest, language) if not re.match(r"\d", term) and term not in counted)
    )
