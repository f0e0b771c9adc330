"""Denials of what another source says: *no* or *not* before a noun that another source uses without it.

"It is not a demand problem" denies a demand; "Demand for our electric cars has collapsed" asserts one. English only.
The false half of a denial drops the negation; that of an assertion changes a value or negates its verb.
"""

import re
from collections.abc import Iterator

from offline.altering import wrong_values
from offline.comparison import half as value_half
from offline.composing import Composition, Half
from offline.findings import Finding, findings, is_usable, plain_finding
from offline.reading import Material
from offline.voicing import claim, denial_stem
from offline.words import NEGATIONS, stem, terms, words

_DENIAL = re.compile(r"\b(?:not\s+(?P<article>a|an|the|any)|(?P<no>no))\s+(?P<what>[a-z]{3,}(?:\s+[a-z]{3,})?)")
_IDLE = frozenset({"one", "longer", "more", "less", "doubt", "matter", "idea", "such", "other", "same", "way", "least"})
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|will|can|could|would|should|must|may|might)\b")
_NEAR = 2
"""Words after *no* or *not a* among which the denied noun stands."""


def denial_pairs(material: Material, seed: str) -> Iterator[Composition]:
    """Type 7 questions from a denial in one source and an assertion of the same noun in another."""
    if material.language != "en":
        return
    found = findings(material)
    for tag in material.tags:
        for index in range(len(material.sentences.get(tag, ()))):
            yield from _from_sentence(tag, index, material, found)


def _from_sentence(tag: str, index: int, material: Material, found: tuple[Finding, ...]) -> Iterator[Composition]:
    text = material.sentences[tag][index].text.strip()
    match = _DENIAL.search(text)
    if not match or not is_usable(text):
        return
    denied = [word for word in match["what"].split()[:_NEAR] if word not in _IDLE]
    if not denied or match["what"].split()[0] in _IDLE:
        return
    for other, place, noun in _assertions(tag, denied, material):
        asserted = _assertion_half(other, place, material, found)
        denial = _denial_half(tag, index, match, material)
        if asserted and denial:
            yield Composition(
                stem=denial_stem(noun, other, denial[1]),
                joiner="while",
                halves=(asserted[0], denial[0]),
                facts=(asserted[1], denial[1]),
                reasoning=f"Conflict: {tag} denies {noun}; {other} speaks of it without a denial.",
            )


def _assertions(tag: str, denied: list[str], material: Material) -> Iterator[tuple[str, int, str]]:
    """Sentences of other sources that use a denied noun without a negation, the fullest match first."""
    for noun in denied:
        for other in material.tags:
            for place, sentence in enumerate(material.sentences.get(other, ())):
                said = words(sentence.text, "en")
                if other != tag and not set(said) & NEGATIONS and stem(noun) in terms(sentence.text, "en"):
                    yield other, place, noun


def _assertion_half(
    tag: str, place: int, material: Material, found: tuple[Finding, ...]
) -> tuple[Half, Finding] | None:
    for finding in found:
        wrong = wrong_values(finding, found, material) if (finding.tag, finding.sentence) == (tag, place) else ()
        if wrong:
            return value_half(finding, wrong[0], "claims"), finding
    text = material.sentences[tag][place].text.strip()
    verb = _VERB.search(text)
    if not verb or not is_usable(text):
        return None
    plain = plain_finding(tag, place, verb.start(), verb.end(), material)
    if plain is None:
        return None
    return _half(plain, f"{plain.value} not", f"{tag} affirms it.", "claims"), plain


def _denial_half(tag: str, index: int, match: re.Match[str], material: Material) -> tuple[Half, Finding] | None:
    negation_end = match.start("article") if match["article"] else match.end("no")
    finding = plain_finding(tag, index, match.start(), negation_end, material)
    if finding is None:
        return None
    affirmed = "" if match["article"] else _article(match["what"])
    return _half(finding, affirmed, f"{tag} denies it.", "reports"), finding


def _article(noun: str) -> str:
    first = noun.split()[0]
    if first.endswith("s"):
        return "some"
    return "an" if first[0] in "aeiou" else "a"


def _half(finding: Finding, turned: str, why: str, verb: str) -> Half:
    return Half(
        tags=(finding.tag,),
        true=claim(finding, finding.clause, verb),
        false=claim(finding, finding.with_value(turned), verb),
        why_false=why,
    )
