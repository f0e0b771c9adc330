"""Facts in the sources' sentences: a number, date, time or place, in the clause that says something with it.

``"At 4:20 local time it struck a sandbank 4 kilometres south of the harbour."`` holds two: the time and the distance.
Numbers that name things (``Heron 2``), ordinals and ones are no facts; nor is anything in a question. Places are
English names after a preposition.
"""

import re
from typing import Literal

from media.quantities import Quantity
from offline.clauses import Clause, clause_around, definite_thing, points_back
from offline.ordering import bare_hour
from offline.reading import Material
from offline.story import Story, quantities_in
from offline.words import terms, word_set
from records.base import Record
from records.media import Sentence, Tag
from records.text import language_of

Family = Literal["count", "amount", "percent", "money", "time", "date", "year", "place", "word"]
"""``word``: a negation or a verb, for claims that are turned and not altered."""

FactId = tuple[Tag, int, int]

_IDLE_NOUNS = word_set("lives back way ways times place")
_FAMILIES: dict[str, Family] = {
    "percent": "percent", "money": "money", "time": "time", "date": "date", "year": "year",
}  # fmt: skip
_QUOTES = str.maketrans({"“": "‘", "”": "’", '"': "'", "「": "‘", "」": "’"})
"""Quotation marks inside a quotation."""
_LONGEST_LEAD = 80
_FACTOR = re.compile(r"^\s+(?:as|the|less|more|longer|higher|lower)\b")
_BEFORE_PLACE = r"\b(?:[Ii]n|[Aa]t|[Nn]ear|into|[Aa]cross|[Aa]bove|[Tt]hrough)\s+(?P<the>the\s+)?"


class Finding(Record):
    """A fact in its clause."""

    tag: Tag
    sentence: int
    """Index of the sentence in its source."""
    time_s: float
    """About when the value is heard."""
    clause: str
    """The words around the fact, cut to what is needed, without a closing full stop."""
    start: int
    """Offset of `value` in `clause`."""
    value: str
    """As written, unit included."""
    family: Family
    unit: str = ""
    """Canonical unit; of a place, the article before it."""
    noun: str = ""
    """What is counted: ``crew members``, ``名游客``."""
    amount: float = 0.0
    canonical: str = ""
    approximate: bool = False
    context: tuple[str, ...] = ()
    """Stems of the clause's other words, without numbers and what is counted."""
    language: str = "en"
    lead: str = ""
    """The sentence before, where the clause begins with a word that points back to it."""
    opens_with_name: bool = False
    """The clause's first word is a name and keeps its capital after *that*."""
    about: str = ""
    """What the clause is about besides the value, in a word or two; empty where nothing offers."""

    @property
    def fact_id(self) -> FactId:
        """Where this fact stands, whatever its value: a changed number is the same fact with another value."""
        return (self.tag, self.sentence, self.start)

    def with_value(self, value: str) -> str:
        """The clause with another value in place of its own."""
        before = re.sub(r"\b([Aa])n? $", lambda article: _article(article[1], value) + " ", self.clause[: self.start])
        return before + value + self.clause[self.start + len(self.value) :]


def findings(material: Material) -> tuple[Finding, ...]:
    """All usable facts of the sources' sentences, in order of tag and sentence."""
    story = Story(material)
    places = [(tag, index) for tag in sorted(material.sentences) for index in range(len(material.sentences[tag]))]
    return tuple(finding for tag, index in places for finding in _in_sentence(tag, index, story))


def plain_finding(tag: Tag, index: int, start: int, end: int, material: Material) -> Finding | None:
    """Any words of a sentence, at offsets of its trimmed text, in their clause; None where that is too long."""
    return _placed(tag, index, start, end, "word", Story(material))


def _in_sentence(tag: Tag, index: int, story: Story) -> list[Finding]:
    text = story.text(tag, index)
    if not is_usable(text) or language_of(text) != story.material.language:
        return []
    found = [_measured(tag, index, quantity, story) for quantity in _usable(text)]
    return [one for one in (*found, *_places(tag, index, story)) if one]


def is_usable(text: str) -> bool:
    """Whether a sentence may be repeated: no question, and nothing that looks like our own tags and frame markers."""
    return not text.endswith(("?", "？")) and not re.search(r"TAG_[A-Z]|\[?FRAME:", text)


def _measured(tag: Tag, index: int, quantity: Quantity, story: Story) -> Finding | None:
    found = _placed(tag, index, quantity.start, quantity.end, _family(quantity), story)
    if found is None:
        return None
    noun = _noun(quantity)
    counted = set(terms(noun, found.language))
    measured = {
        "unit": quantity.unit,
        "noun": noun,
        "amount": quantity.value,
        "canonical": quantity.canonical,
        "approximate": quantity.approximate,
        "context": tuple(term for term in found.context if term not in counted),
    }
    return found.model_copy(update=measured)


def _places(tag: Tag, index: int, story: Story) -> list[Finding | None]:
    if story.material.language != "en":
        return []
    found = []
    text = story.text(tag, index)
    for name in sorted(story.names(tag)):
        match = re.search(rf"{_BEFORE_PLACE}(?P<name>{re.escape(name)})(?=[\s,.;:!]|$)(?!\s+[A-Z])", text)
        if match and not re.search(r"\d", name):
            one = _placed(tag, index, *match.span("name"), "place", story)
            found.append(one and one.model_copy(update={"unit": "the" if match["the"] else "", "canonical": name}))
    return found


def _placed(tag: Tag, index: int, start: int, end: int, family: Family, story: Story) -> Finding | None:
    """Words of a sentence, at offsets of its trimmed text, in their clause; None where that is too long."""
    sentence, text, language = story.material.sentences[tag][index], story.text(tag, index), story.material.language
    clause = clause_around(text, start, end, language)
    if clause is None:
        return None
    said = clause.text.translate(_QUOTES)
    first, last = start - clause.start, end - clause.start
    return Finding(
        tag=tag,
        sentence=index,
        time_s=_moment(sentence, (start + end) / 2 / len(text)),
        clause=said,
        start=first,
        value=said[first:last],
        family=family,
        context=_context(clause.text, first, last, language),
        language=language,
        lead=_lead(tag, index, clause, story),
        opens_with_name=story.opens_with_name(clause.text),
        about=_about(clause.text[:first], clause.text[last:], story),
    )


def _moment(sentence: Sentence, share: float) -> float:
    """When a place in a sentence is heard, if it is spoken at an even pace."""
    return sentence.start_s + (sentence.end_s - sentence.start_s) * share


def _context(text: str, start: int, end: int, language: str) -> tuple[str, ...]:
    rest = f"{text[:start]} — {text[end:]}"
    return tuple(dict.fromkeys(term for term in terms(rest, language) if not re.match(r"\d", term)))


def _lead(tag: Tag, index: int, clause: Clause, story: Story) -> str:
    if index == 0 or not points_back(clause.text):
        return ""
    before = story.text(tag, index - 1)
    return before.translate(_QUOTES) if len(before) <= _LONGEST_LEAD and is_usable(before) else ""


def _about(before: str, after: str, story: Story) -> str:
    """A name that not most sources share, or else the first thing that *the* points to, outside the value."""
    rest = f"{before} — {after}"
    telling = next((name for name in story.names_in(rest) if not story.is_common(name)), "")
    if telling:
        return f"the {telling}" if re.search(rf"\b[Tt]he {re.escape(telling)}\b", rest) else telling
    return "" if story.material.language == "zh" else definite_thing(rest)


def _article(letter: str, value: str) -> str:
    """``an 80 percent success``, ``a 100 percent success``: the article that the number's sound asks for."""
    return f"{letter}n" if re.match(r"8|11\b|18\b|eight|eleven", value) else letter


def _usable(text: str) -> list[Quantity]:
    hour = bare_hour(text)
    found = [quantity for quantity in quantities_in(text) if _is_fact(quantity, text)]
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
