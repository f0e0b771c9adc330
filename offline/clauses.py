"""The clause of a sentence that carries a fact, and whether it can stand after "reports that".

``"It drove 62 metres, turned, and looked back."`` around ``62 metres`` gives ``"It drove 62 metres"``: what follows the
fact's own part is left out where what is left has a verb. Verbs are guessed from endings and a list.
"""

import re

from media.wordlists import NUMBER_WORDS
from offline.words import word_set
from records.base import Record

_LONGEST = {"en": 130, "zh": 48}
_LEAST = {"en": 8, "zh": 4}
"""Characters that a clause has beside the fact."""
_PART_END = {"en": re.compile(r"[,;:]\s+"), "zh": re.compile(r"[，；：]")}
_AUXILIARIES = word_set("is are was were be has have had will would can could may might must should does did do")
_PAST = word_set("""
    said rose fell struck left came went took gave made got ran lost found told sent saw broke cut put drove began held
    kept led met paid sold spoke stood won wrote grew flew hit set shut spent sank swam built bought brought caught
    chose drew felt fought knew meant read rode shot slept taught thought threw understood wore blew froze
""")
_NO_VERB_BEFORE = NUMBER_WORDS | word_set("""
    with of in on at by for from to a an the this that these those its their our your his her some many most all about
    and or no more less than
""")
_DETERMINERS = word_set("a an the this that these those its their his her our my it them him us")
_AFTER_THING = word_set("at in on from with to by before after for that which who and or is was than under over")
_NOT_THINGS = word_set("same first last second next other most least very one ones")
_AFTER_VERB = word_set("""
    a an the on to at by in from into it us them about over under within nearly almost that this its their for up down
    out off
""")
_SPEAKER = re.compile(r"\b(?:I|we|us|our|ours|my|me|mine|you|your|yours|I'm|we're|I've|we've|let's)\b", re.IGNORECASE)
_POINTS_BACK = re.compile(r"^(?:It|That|This|These|Those|They|He|She)\b")
_NO_CLAUSE = re.compile(r"^(?:Here|So|And|But|Or|First|By then|Then|Now)\b")


class Clause(Record):
    """A part of a sentence."""

    text: str
    start: int
    """Offset in the sentence."""


def clause_around(text: str, start: int, end: int, language: str) -> Clause | None:
    """The sentence up to the end of the part in which the fact stands, or that part alone if this is too long.

    Where no mark parts a long text (automatic captions), some words on both sides, with dots for what is left out. None
    where a text hardly says anything beside the fact.
    """
    bounds = [match.start() for match in _PART_END[language].finditer(text) if not _in_number(text, match.start())]
    stop = next((bound for bound in bounds if bound >= end), len(text))
    head = text[:stop].rstrip(" .。!！;；")
    says_little = len(head) - (end - start) < _LEAST[language] or (language == "en" and not has_verb(head))
    if stop < len(text) and says_little:
        head = text.rstrip(" .。!！")
    if len(head) <= _LONGEST[language]:
        clause = Clause(text=head, start=0)
    else:
        begin = max((match.end() for match in _PART_END[language].finditer(text[:start])), default=0)
        part = text[begin:stop].rstrip(" .。!！;；")
        clause = (
            Clause(text=part, start=begin) if len(part) <= _LONGEST[language] else _excerpt(text, start, end, language)
        )
    return clause if len(clause.text) - (end - start) >= _LEAST[language] else None


def _excerpt(text: str, start: int, end: int, language: str) -> Clause:
    """Whole words within reach of the fact, between dots."""
    reach = _LONGEST[language] // 3
    begin, stop = max(0, start - reach), min(len(text), end + reach)
    if language == "en":
        begin = begin if begin == 0 else text.find(" ", begin) + 1
        stop = stop if stop == len(text) else text.rfind(" ", 0, stop)
    before, after = ("… " if begin else ""), (" …" if stop < len(text) else "")
    return Clause(text=f"{before}{text[begin:stop].strip()}{after}", start=begin - len(before))


def _in_number(text: str, position: int) -> bool:
    return text[position - 1 : position].isdigit() and text[position + 1 : position + 2].isdigit()


def has_verb(clause: str) -> bool:
    """Whether an English clause seems to have a finite verb."""
    words = _words(clause)
    return any(_is_verb(words, place) for place in range(len(words)))


def _words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z'’-]+|\d[\d,.]*|[,;:—]", text)


def _is_verb(words: list[str], place: int) -> bool:
    word = words[place].lower()
    if word in _AUXILIARIES or word in _PAST:
        return True
    before = words[place - 1].lower() if place else ""
    after = words[place + 1] if place + 1 < len(words) else ""
    if before == "," and word.endswith("ed") and after.lower() in _DETERMINERS:
        return True
    if not before.isalpha() or before in _NO_VERB_BEFORE:
        return False
    third_person = re.fullmatch(r"[a-z]+[^sui]s", word) and (after.lower() in _AFTER_VERB or after[:1].isdigit())
    return word.endswith("ed") or word == "says" or bool(third_person)


def definite_thing(text: str) -> str:
    """The first thing that *the* points to, of one or two words, with the article: ``the main engine``."""
    words = _words(text)
    for place, word in enumerate(words):
        for end in (place + 2, place + 3):
            thing = words[place + 1 : end]
            if word.lower() == "the" and _is_thing(thing) and _ends_thing(words, end):
                return f"the {' '.join(thing)}"
    return ""


def _is_thing(words: list[str]) -> bool:
    return bool(words) and all(re.fullmatch(r"[a-z]{3,}", word) and word not in _NOT_THINGS for word in words)


def _ends_thing(words: list[str], place: int) -> bool:
    """At the end of the text, a mark, a preposition or a verb."""
    return (
        place >= len(words)
        or not words[place][0].isalpha()
        or words[place].lower() in _AFTER_THING
        or (_is_verb(words, place))
    )


def is_spoken_in_person(clause: str) -> bool:
    """Whether somebody speaks of themselves or to the viewer (``we``, ``you``, 我们), so that only a quotation fits."""
    return bool(_SPEAKER.search(clause) or re.search(r"[我咱你您]", clause))


def opens_unresolved(clause: str) -> bool:
    """Whether the clause begins with a word that ties it to what was said before, so that only a quotation fits."""
    return points_back(clause) or clause.startswith("…") or bool(_NO_CLAUSE.match(clause))


def points_back(clause: str) -> bool:
    """Whether the clause begins with a pronoun for something in the sentence before it."""
    return bool(_POINTS_BACK.match(clause) or re.match(r"[这那它他她]", clause))
