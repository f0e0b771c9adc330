"""Judge 3: numbers, dates, times, names and negation of a claim, held against the sentence that it is about.

Works on values, not on spelling: ``half past 1`` is 01:30 and ``12万`` is 120000. An equal value speaks for a claim, an
unequal value of the same kind against it. Claims without such facts are left undecided.
"""

from offline.claims import ClaimText, statements
from offline.contrast import contrast, proper_names, quantities, same_kind
from offline.ordering import relation_holds
from offline.reading import Material
from offline.solvers import RESTATED
from offline.words import NEGATIONS, mentioned_tags, terms, words
from records.questions import Letter

_FOUND, _CONTRADICTED, _ABSENT = 3.0, -3.0, -1.5
"""About twenty to one for or against; four to one against where no value of the kind is given."""
_NAME_FOUND, _NAME_ABSENT = 0.5, -1.5
_TURNED = -2.0
_NEAR = 0.5
"""Share of a claim's words from which on a sentence is about the same."""
_RELATION = 3.0
_EXCLUDED = 0.05
_STATED = 0.7
"""Severity of another statement that the evidence bears out in full: also right, though not what the key says."""


class Facts:
    """Scores claims by the facts in them, as log odds in steps that are the same for every question."""

    full_grasp = 0.8

    def __init__(self, stem: str, material: Material) -> None:
        self._stem, self._material, self._language = stem, material, material.language

    def scores(self, options: dict[Letter, tuple[ClaimText, ...]]) -> dict[Letter, float]:
        """Sum over the claims of an option; see `offline.solvers.Method`."""
        return {letter: sum(map(self._claim_score, claims)) for letter, claims in options.items()}

    def found(self, claim: ClaimText) -> float | None:
        """Share of the claim's words in the sentence that it is held against; all of an order that could be told."""
        if relation_holds(claim, self._material) is not None:
            return 1.0
        texts = self._material.texts(claim.tags)
        return max(self._nearness(claim.text, text) for text in texts) if texts else None

    def told(self, claim: ClaimText) -> float:
        """Share of the claim's words in the question's nearest piece."""
        return self._nearness(claim.text, self._told_piece(claim))

    def also_right(self, claim: ClaimText, key: tuple[ClaimText, ...]) -> float:
        """Little where facts exclude each other; else the share of terms that the key repeats, or true in itself."""
        near = [other for other in key if set(other.tags) & set(claim.tags)] or list(key)
        partner = max(near, key=lambda other: self._shared(claim, other))
        if contrast(claim, partner, self._language):
            return _EXCLUDED
        ours, theirs = self._facts(claim), self._facts(partner)
        alike = len(ours & theirs) / len(ours | theirs) if ours | theirs else self._shared(claim, partner)
        stated = _STATED if ours and self._evidence_score(claim) >= _FOUND else 0.0
        return max(alike * self._shared(claim, partner) ** 2, stated * (self.found(claim) or 0.0) ** 2)

    def because(self, claims: tuple[ClaimText, ...]) -> str:
        """The facts of the option and how each of its claims fares."""
        facts = [fact.canonical for claim in claims for fact in quantities(claim.text)]
        names = sorted({name for claim in claims for name in proper_names(claim.text, self._language)})
        scores = ", ".join(f"{self._claim_score(claim):+.1f}" for claim in claims)
        return f"Facts in the option: {', '.join(facts + names) or 'none'}; log odds of its claims: {scores}."

    def _facts(self, claim: ClaimText) -> frozenset[str]:
        numbers = (fact.canonical for fact in quantities(claim.text))
        return frozenset(numbers) | proper_names(claim.text, self._language)

    def _claim_score(self, claim: ClaimText) -> float:
        return self._evidence_score(claim) + self._told_score(claim)

    def _evidence_score(self, claim: ClaimText) -> float:
        texts = self._material.texts(claim.tags)
        if not texts:
            return 0.0
        holds = relation_holds(claim, self._material)
        if holds is not None:
            return _RELATION if holds else -_RELATION
        return self._text_score(claim, texts)

    def _told_score(self, claim: ClaimText) -> float:
        """What the question's own words say to the claim: nearly the same, or at least its values."""
        if self.told(claim) < RESTATED:
            values = {found.canonical for found in quantities(self._stem)}
            return sum(_FOUND for fact in quantities(claim.text) if fact.canonical in values)
        piece = self._told_piece(claim)
        opposed = contrast(claim, ClaimText(text=piece, tags=mentioned_tags(piece)), self._language)
        return -_RELATION if opposed else _RELATION

    def _told_piece(self, claim: ClaimText) -> str:
        pieces = statements(self._stem, self._language)
        return max(pieces, key=lambda piece: self._nearness(claim.text, piece), default="")

    def _text_score(self, claim: ClaimText, texts: tuple[str, ...]) -> float:
        context = max(texts, key=lambda text: self._nearness(claim.text, text))
        score = sum(self._number_scores(claim, texts, context)) + sum(self._name_scores(claim, texts))
        return score + self._turned(claim.text, context)

    def _number_scores(self, claim: ClaimText, texts: tuple[str, ...], context: str) -> list[float]:
        here, scores = quantities(context), []
        everywhere = {found.canonical for text in texts for found in quantities(text)}
        for fact in quantities(claim.text):
            if fact.canonical in {found.canonical for found in here}:
                scores.append(_FOUND)
            elif any(same_kind(fact, found) for found in here):
                scores.append(_CONTRADICTED)
            else:
                scores.append(_FOUND / 2 if fact.canonical in everywhere else _ABSENT)
        return scores

    def _name_scores(self, claim: ClaimText, texts: tuple[str, ...]) -> list[float]:
        there = " ".join(texts).casefold()
        return [_NAME_FOUND if name in there else _NAME_ABSENT for name in proper_names(claim.text, self._language)]

    def _turned(self, claim: str, context: str) -> float:
        """A claim that repeats most of a sentence but turns it by a negation."""
        if self._nearness(claim, context) < _NEAR:
            return 0.0
        ours, theirs = (any(word in NEGATIONS for word in words(text, self._language)) for text in (claim, context))
        return _TURNED if ours != theirs else 0.0

    def _nearness(self, claim: str, text: str) -> float:
        ours, theirs = set(terms(claim, self._language)), set(terms(text, self._language))
        return len(ours & theirs) / len(ours) if ours else 0.0

    def _shared(self, claim: ClaimText, other: ClaimText) -> float:
        return self._nearness(claim.text, other.text)
