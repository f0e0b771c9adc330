"""The clause of a sentence that carries a fact, and whether it can stand after "reports that".

``"It drove 62 metres, turned, and looked back."`` around ``62 metres`` gives ``"It drove 62 metres"``: what follows the
fact's own part is left out where what is left has a verb. Verbs are guessed from endings and a list.
"""

import re

from media.wordlists import NUMBER_WORDS
from offline.words import word_set
from records.base import Record

_LONGEST = {"en": 130, "zh": 48}
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
    """The sentence up to the end of the part in which the fact stands; None where that is too long to be an option."""
    bounds = [match.start() for match in _PART_END[language].finditer(text) if not _in_number(text, match.start())]
    stop = next((bound for bound in bounds if bound >= end), len(text))
    head = text[:stop].rstrip(" .。!！;；")
    if stop < len(text) and language == "en" and not has_verb(head):
        head = text.rstrip(" .。!！")
    clause = Clause(text=head, start=0)
    if len(head) > _LONGEST[language]:
        begin = max((match.end() for match in _PART_END[language].finditer(text[:start])), default=0)
        clause = Clause(text=head[begin:], start=begin)
    if len(clause.text) > _LONGEST[language] or len(clause.text) - (end - start) < (4 if language == "zh" else 8):
        return None
    return clause


def _in_number(text: str, position: int) -> bool:
    return text[position - 1 : position].isdigit() and text[position + 1 : position + 2].isdigit()


def has_verb(clause: str) -> bool:
    """Whether an English clause seems to have a finite verb."""
    words = re.findall(r"[A-Za-z'’-]+|\d[\d,.]*", clause)
    for place, word in enumerate(words):
        lower = word.lower()
        if lower in _AUXILIARIES or lower in _PAST:
            return True
        before, after = (
            (words[place - 1].lower() if place else ""),
            (words[place + 1] if place + 1 < len(words) else ""),
        )
        if place and lower.endswith("ed") and before not in _NO_VERB_BEFORE:
            return True
        third_person = re.fullmatch(r"[a-z]+[^sui]s", lower) and before.isalpha() and before not in _NO_VERB_BEFORE
        if third_person and (after.lower() in _AFTER_VERB or after[:1].isdigit()):
            return True
    return False


def is_spoken_in_person(clause: str) -> bool:
    """Whether somebody speaks of themselves or to the viewer (``we``, ``you``, 我们), so that only a quotation fits."""
    return bool(_SPEAKER.search(clause) or re.search(r"[我咱你您]", clause))


def opens_unresolved(clause: str) -> bool:
    """Whether the clause begins with a word that ties it to what was said before, so that only a quotation fits."""
    return points_back(clause) or bool(_NO_CLAUSE.match(clause))


def points_back(clause: str) -> bool:
    """Whether the clause begins with a pronoun for something in the sentence before it."""
    return bool(_POINTS_BACK.match(clause) or re.match(r"[这那它他她]", clause))
