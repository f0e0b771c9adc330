"""Judge 1: BM25 over the sentences of the source that a claim is about (Robertson and Zaragoza 2009, via bm25s).

BM25 weights are log odds of relevance, so the sum over an option's claims goes into the softmax as it is; a word of the
claim that its best sentence lacks takes `_MISSING` off. A claim about a source that is not shown scores nothing. Words
are stems; numbers count as words, as they are written. What the question itself states counts like a source.
"""

import math
from functools import cached_property

from offline.claims import ClaimText, statements
from offline.contrast import contrast
from offline.reading import Material
from offline.solvers import RESTATED
from offline.words import is_numeral, terms
from records.media import Tag
from records.questions import Letter

_STEM = "stem"
_CONTRADICTED = 0.05
_MISSING = 1.0
"""Log odds against a claim for each of its words that the sentence does not have."""


class Bm25:
    """Scores claims by the best sentence of their sources, plus what the question's own words repeat of them."""

    full_grasp = 0.8

    def __init__(self, stem: str, material: Material) -> None:
        self._language = material.language
        self._documents: list[tuple[Tag, str]] = [
            (tag, text) for tag in material.tags for text in material.texts((tag,))
        ]
        self._documents += [(_STEM, piece) for piece in statements(stem, self._language)]

    def scores(self, options: dict[Letter, tuple[ClaimText, ...]]) -> dict[Letter, float]:
        """Sum over the claims of an option; see `offline.solvers.Method`."""
        return {letter: sum(map(self._claim_score, claims)) for letter, claims in options.items()}

    def found(self, claim: ClaimText) -> float | None:
        """Share of the claim's words in its best sentence."""
        if not any(tag in claim.tags for tag, _ in self._documents):
            return None
        return self._repeated(claim, self._best_sentence(claim, claim.tags)[1])

    def told(self, claim: ClaimText) -> float:
        """Share of the claim's words in the question's best piece."""
        return self._repeated(claim, self._best_sentence(claim, (_STEM,))[1])

    def also_right(self, claim: ClaimText, key: tuple[ClaimText, ...]) -> float:
        """The share of the claim's weight that a claim of the key repeats; little where the two exclude each other."""
        near = [other for other in key if set(other.tags) & set(claim.tags)] or list(key)
        partner = max(near, key=lambda other: self._shared(claim, other))
        if contrast(claim, partner, self._language):
            return _CONTRADICTED
        return self._shared(claim, partner) ** 3

    def because(self, claims: tuple[ClaimText, ...]) -> str:
        """The best sentence for the claim that has one."""
        best = max(claims, key=self._claim_score)
        score, text = self._best_sentence(best, best.tags)
        if not text:
            return "None of the sources shown is one that the option is about."
        return f"BM25 {score:.2f} for “{text}”."

    def _claim_score(self, claim: ClaimText) -> float:
        told = self._best_sentence(claim, (_STEM,))[0] if self.told(claim) >= RESTATED else self._told_numbers(claim)
        return self._best_sentence(claim, claim.tags)[0] + told

    def _told_numbers(self, claim: ClaimText) -> float:
        """The score of the claim's numbers alone in the question: a stem that tells them need not tell the rest."""
        numerals = tuple(term for term in terms(claim.text, self._language) if is_numeral(term))
        scores = self._scores(numerals)
        return max((scores[place] for place, (tag, _) in enumerate(self._documents) if tag == _STEM), default=0.0)

    def _best_sentence(self, claim: ClaimText, tags: tuple[Tag, ...]) -> tuple[float, str]:
        query = tuple(dict.fromkeys(terms(claim.text, self._language)))
        scores = self._scores(query)
        found = [
            (scores[place] - _MISSING * self._missing(query, text), text)
            for place, (tag, text) in enumerate(self._documents)
            if tag in tags
        ]
        return max(found, default=(0.0, ""))

    def _scores(self, query: tuple[str, ...]) -> list[float]:
        known = [term for term in query if term in self._vocabulary]
        return [float(score) for score in self._index.get_scores(known)] if known else [0.0] * len(self._documents)

    def _missing(self, query: tuple[str, ...], text: str) -> int:
        return len(set(query) - set(terms(text, self._language)))

    def _repeated(self, claim: ClaimText, text: str) -> float:
        ours = set(terms(claim.text, self._language))
        return len(ours & set(terms(text, self._language))) / len(ours) if ours else 0.0

    def _shared(self, claim: ClaimText, other: ClaimText) -> float:
        """The share of the claim's weight in rare words that the other claim has."""
        ours, theirs = set(terms(claim.text, self._language)), set(terms(other.text, self._language))
        total = sum(map(self._rarity, ours))
        return sum(map(self._rarity, ours & theirs)) / total if total else 0.0

    def _rarity(self, term: str) -> float:
        """BM25's inverse document frequency over the sentences shown (Lucene's form)."""
        count = sum(term in terms(text, self._language) for _, text in self._documents)
        return math.log(1 + (len(self._documents) - count + 0.5) / (count + 0.5))

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        return frozenset(term for _, text in self._documents for term in terms(text, self._language))

    @cached_property
    def _index(self):  # type: ignore[no-untyped-def]
        import bm25s

        index = bm25s.BM25(method="atire", idf_method="lucene")
        index.index([list(terms(text, self._language)) or ["∅"] for _, text in self._documents], show_progress=False)
        return index
