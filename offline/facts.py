"""Judge 3: numbers, dates, times, names and negation of a claim, held against the sentence that it is about.

Works on values, not on spelling: ``half past 1`` is 01:30 and ``12万`` is 120000. An equal value speaks for a claim, an
unequal value of the same kind against it. Claims without such facts are left undecided.
"""

from offline.claims import ClaimText
from offline.contrast import contrast, proper_names, quantities, same_kind
from offline.ordering import relation_holds
from offline.reading import Material
from offline.words import NEGATIONS, terms, words
from records.questions import Letter

_FOUND, _CONTRADICTED, _ABSENT = 2.0, -3.0, -1.0
_NAME_ABSENT = -0.5
_TURNED = -2.0
_RELATION = 3.0
_EXCLUDED = 0.05
_STATED = 0.7
"""Severity of another statement that the evidence bears out in full: also right, though not what the key says."""


class Facts:
    """Scores claims by the facts in them, as log odds in steps that are the same for every question."""

    def __init__(self, stem: str, material: Material) -> None:
        self._stem, self._material, self._language = stem, material, material.language

    def scores(self, options: dict[Letter, tuple[ClaimText, ...]]) -> dict[Letter, float]:
        """Sum over the claims of an option; see `offline.solvers.Method`."""
        return {letter: sum(map(self._claim_score, claims)) for letter, claims in options.items()}

    def also_right(self, claim: ClaimText, key: tuple[ClaimText, ...]) -> float:
        """Little where facts exclude each other; else the share of terms that the key repeats, or true in itself."""
        near = [other for other in key if set(other.tags) & set(claim.tags)] or list(key)
        partner = max(near, key=lambda other: self._shared(claim, other))
        if contrast(claim, partner, self._language):
            return _EXCLUDED
        stated = _STATED if self._evidence_score(claim) >= _FOUND else 0.0
        return max(self._shared(claim, partner), stated)

    def because(self, claims: tuple[ClaimText, ...]) -> str:
        """The facts of the option and how each of its claims fares."""
        facts = [fact.canonical for claim in claims for fact in quantities(claim.text)]
        names = sorted({name for claim in claims for name in proper_names(claim.text, self._language)})
        scores = ", ".join(f"{self._claim_score(claim):+.1f}" for claim in claims)
        return f"Facts in the option: {', '.join(facts + names) or 'none'}; log odds of its claims: {scores}."

    def _claim_score(self, claim: ClaimText) -> float:
        return self._evidence_score(claim) + self._text_score(claim, (self._stem,), absent=False)

    def _evidence_score(self, claim: ClaimText) -> float:
        texts = self._material.texts(claim.tags)
        if not texts:
            return 0.0
        holds = relation_holds(claim, self._material)
        if holds is not None:
            return _RELATION if holds else -_RELATION
        return self._text_score(claim, texts, absent=True)

    def _text_score(self, claim: ClaimText, texts: tuple[str, ...], *, absent: bool) -> float:
        context = max(texts, key=lambda text: self._nearness(claim.text, text))
        score = sum(self._number_scores(claim, texts, context, absent))
        if absent:
            score += sum(self._name_scores(claim, texts))
            score += self._turned(claim, context)
        return score

    def _number_scores(self, claim: ClaimText, texts: tuple[str, ...], context: str, absent: bool) -> list[float]:
        here, scores = quantities(context), []
        everywhere = {found.canonical for text in texts for found in quantities(text)}
        for fact in quantities(claim.text):
            if fact.canonical in {found.canonical for found in here}:
                scores.append(_FOUND)
            elif any(same_kind(fact, found) for found in here) and absent:
                scores.append(_CONTRADICTED)
            elif fact.canonical in everywhere:
                scores.append(_FOUND / 2)
            elif absent:
                scores.append(_ABSENT)
        return scores

    def _name_scores(self, claim: ClaimText, texts: tuple[str, ...]) -> list[float]:
        there = " ".join(texts).casefold()
        return [0.0 if name in there else _NAME_ABSENT for name in proper_names(claim.text, self._language)]

    def _turned(self, claim: ClaimText, context: str) -> float:
        """A claim that repeats most of a sentence but turns it by a negation."""
        if self._nearness(claim.text, context) < 0.5:
            return 0.0
        ours = sum(word in NEGATIONS for word in words(claim.text, self._language))
        theirs = sum(word in NEGATIONS for word in words(context, self._language))
        return _TURNED if bool(ours) != bool(theirs) else 0.0

    def _nearness(self, claim: str, text: str) -> float:
        ours, theirs = set(terms(claim, self._language)), set(terms(text, self._language))
        return len(ours & theirs) / len(ours) if ours else 0.0

    def _shared(self, claim: ClaimText, other: ClaimText) -> float:
        return self._nearness(claim.text, other.text)
