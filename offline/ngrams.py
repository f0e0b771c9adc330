"""Judge 2: character n-grams, weighted by how far they set the options apart, looked up in the claim's best sentence.

What stands in all four options says nothing and weighs nothing. An option's fit is the share of its remaining weight
that the evidence repeats; the softmax takes `_SHARPNESS` times its logarithm. The method knows neither words nor
numbers: 22 and 24 are two strings that differ by a few n-grams.
"""

import math
from collections import Counter
from functools import lru_cache

from offline.claims import ClaimText, statements
from offline.reading import Material
from offline.words import content
from records.questions import Letter
from records.text import normalized

_SIZES = {"en": (3, 4, 5), "zh": (1, 2, 3)}
_SHARPNESS = 3.0
_FLOOR = 0.05
"""Fit of an option of which the evidence repeats nothing: one n-gram in twenty may be missed or found by chance."""
_LEAK = 0.5
"""From this share on the question's own words count as evidence for an option."""
_VERBATIM, _TOLD = 0.97, 3.0
"""An option of which the question repeats practically all that sets it apart, and the log odds that this gives it."""


@lru_cache(maxsize=65536)
def grams(text: str, language: str) -> frozenset[str]:
    """The character n-grams of a text in normal form, word ends marked, tags left out."""
    plain = f" {normalized(content(text))} "
    return frozenset(plain[i : i + size] for size in _SIZES[language] for i in range(len(plain) - size + 1))


class Ngrams:
    """Scores options by the n-grams that set them apart."""

    full_grasp = 0.4

    def __init__(self, stem: str, material: Material) -> None:
        self._stem, self._material, self._language = stem, material, material.language

    def scores(self, options: dict[Letter, tuple[ClaimText, ...]]) -> dict[Letter, float]:
        """Sharpened log fit of each option; see `offline.solvers.Method`."""
        weights = self._weights(options)
        found = {letter: self._fit(claims, weights) for letter, claims in options.items()}
        leaked = {letter: self._leaked(claims, weights) for letter, claims in options.items()}
        scores = {letter: _SHARPNESS * math.log(_FLOOR + fit) for letter, fit in found.items()}
        if max(leaked.values()) >= _LEAK:
            scores = {k: score + _SHARPNESS * math.log(_FLOOR + leaked[k]) for k, score in scores.items()}
        return {k: score + (_TOLD if leaked[k] >= _VERBATIM else 0.0) for k, score in scores.items()}

    def found(self, claim: ClaimText) -> float | None:
        """Share of all of the claim's n-grams in its nearest sentence."""
        texts = self._material.texts(claim.tags)
        return self._share_of(claim, texts) if texts else None

    def told(self, claim: ClaimText) -> float:
        """Share of all of the claim's n-grams in the question's nearest piece."""
        return self._share_of(claim, statements(self._stem, self._language))

    def also_right(self, claim: ClaimText, key: tuple[ClaimText, ...]) -> float:
        """Likeness to the key's nearest claim, times how well the evidence bears what is different."""
        near = [other for other in key if set(other.tags) & set(claim.tags)] or list(key)
        partner = max(near, key=lambda other: self._likeness(claim, other))
        ours, theirs = grams(claim.text, self._language), grams(partner.text, self._language)
        fit, other_fit = self._share(claim, ours - theirs), self._share(partner, theirs - ours)
        odds = min(1.0, ((_FLOOR + fit) / (_FLOOR + other_fit)) ** _SHARPNESS)
        return float(self._likeness(claim, partner) * odds)

    def because(self, claims: tuple[ClaimText, ...]) -> str:
        """How much of the option's wording the evidence repeats."""
        shares = [self._share(claim, grams(claim.text, self._language)) for claim in claims]
        return f"The sources shown repeat {sum(shares) / len(shares):.0%} of the option's character n-grams."

    def _weights(self, options: dict[Letter, tuple[ClaimText, ...]]) -> dict[str, float]:
        held = [frozenset().union(*(grams(c.text, self._language) for c in claims)) for claims in options.values()]
        counts = Counter(gram for one in held for gram in one)
        return {gram: math.log(len(held) / count) for gram, count in counts.items() if count < len(held)}

    def _fit(self, claims: tuple[ClaimText, ...], weights: dict[str, float]) -> float:
        """Over the claims about sources that are shown."""
        shown = [(claim, texts) for claim in claims if (texts := self._material.texts(claim.tags))]
        return self._repeated(shown, weights)

    def _leaked(self, claims: tuple[ClaimText, ...], weights: dict[str, float]) -> float:
        told = statements(self._stem, self._language)
        return self._repeated([(claim, told) for claim in claims], weights)

    def _repeated(self, claims: list[tuple[ClaimText, tuple[str, ...]]], weights: dict[str, float]) -> float:
        """The share of the telling weight that the best text of each claim repeats."""
        total = repeated = 0.0
        for claim, texts in claims:
            telling = {gram for gram in grams(claim.text, self._language) if gram in weights}
            total += sum(weights[gram] for gram in telling)
            repeated += sum(weights[gram] for gram in telling & self._nearest(claim, texts))
        return repeated / total if total else 0.0

    def _share_of(self, claim: ClaimText, texts: tuple[str, ...]) -> float:
        ours = grams(claim.text, self._language)
        return len(ours & self._nearest(claim, texts)) / len(ours) if ours else 0.0

    def _share(self, claim: ClaimText, wanted: frozenset[str]) -> float:
        return len(wanted & self._best_sentence(claim)) / len(wanted) if wanted else 1.0

    def _best_sentence(self, claim: ClaimText) -> frozenset[str]:
        return self._nearest(claim, self._material.texts(claim.tags))

    def _nearest(self, claim: ClaimText, texts: tuple[str, ...]) -> frozenset[str]:
        """The n-grams of the text that shares most with the claim."""
        ours = grams(claim.text, self._language)
        found = (grams(text, self._language) for text in texts)
        return max(found, key=lambda text: len(text & ours), default=frozenset())

    def _likeness(self, claim: ClaimText, other: ClaimText) -> float:
        ours, theirs = grams(claim.text, self._language), grams(other.text, self._language)
        return len(ours & theirs) / len(ours) if ours else 0.0
