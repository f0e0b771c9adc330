"""Judge 1: BM25 over the sentences of the source that a claim is about (Robertson and Zaragoza 2009, via bm25s).

BM25 weights are log odds of relevance, so the sum over an option's claims goes into the softmax as it is. A claim about
a source that is not shown scores nothing. Words are stems; numbers count as words, as they are written.
"""

from functools import cached_property

from offline.claims import ClaimText
from offline.contrast import contrast
from offline.reading import Material
from offline.words import terms
from records.media import Tag
from records.questions import Letter

_STEM = "stem"
_CONTRADICTED = 0.05


class Bm25:
    """Scores claims by the best sentence of their sources, plus what the question's own words repeat of them."""

    def __init__(self, stem: str, material: Material) -> None:
        self._language = material.language
        self._documents: list[tuple[Tag, str]] = [
            (tag, text) for tag in material.tags for text in material.texts((tag,))
        ]
        self._documents.append((_STEM, stem))

    def scores(self, options: dict[Letter, tuple[ClaimText, ...]]) -> dict[Letter, float]:
        """Sum over the claims of an option; see `offline.solvers.Method`."""
        return {letter: sum(map(self._claim_score, claims)) for letter, claims in options.items()}

    def also_right(self, claim: ClaimText, key: tuple[ClaimText, ...]) -> float:
        """The share of the claim's weight that a claim of the key repeats; little where the two exclude each other."""
        near = [other for other in key if set(other.tags) & set(claim.tags)] or list(key)
        partner = max(near, key=lambda other: self._shared(claim, other))
        if contrast(claim, partner, self._language):
            return _CONTRADICTED
        return self._shared(claim, partner)

    def because(self, claims: tuple[ClaimText, ...]) -> str:
        """The best sentence for the claim that has one."""
        best = max(claims, key=self._claim_score)
        score, text = self._best_sentence(best)
        if not text:
            return "BM25 finds no sentence of the sources shown that shares a word with the option."
        return f"BM25 {score:.2f} for “{text}”."

    def _claim_score(self, claim: ClaimText) -> float:
        return self._best_sentence(claim)[0] + self._ranked(claim)[-1]

    def _best_sentence(self, claim: ClaimText) -> tuple[float, str]:
        ranked = self._ranked(claim)
        found = [(ranked[index], text) for index, (tag, text) in enumerate(self._documents) if tag in claim.tags]
        return max((pair for pair in found if pair[0] > 0), default=(0.0, ""))

    def _ranked(self, claim: ClaimText) -> list[float]:
        query = [term for term in dict.fromkeys(terms(claim.text, self._language)) if term in self._vocabulary]
        return [float(score) for score in self._index.get_scores(query)] if query else [0.0] * len(self._documents)

    def _shared(self, claim: ClaimText, other: ClaimText) -> float:
        ours, theirs = set(terms(claim.text, self._language)), set(terms(other.text, self._language))
        return len(ours & theirs) / len(ours) if ours else 0.0

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        return frozenset(term for _, text in self._documents for term in terms(text, self._language))

    @cached_property
    def _index(self):  # type: ignore[no-untyped-def]
        import bm25s

        index = bm25s.BM25(method="atire", idf_method="lucene")
        index.index([list(terms(text, self._language)) or ["∅"] for _, text in self._documents], show_progress=False)
        return index
