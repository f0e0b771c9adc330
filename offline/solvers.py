"""The embedded judges: three lexical methods behind one way of answering.

A method gives each option a log score from the evidence shown; softmax over the options gives the answer and its
confidence, so that options which the evidence cannot tell apart share their probability. For the ambiguity check a
method says how far each claim of the alternative could stand beside the key. See `docs/offline.md`.
"""

import math
from collections.abc import Callable
from typing import Protocol

from offline.claims import ClaimText, single_sentences, split_claims
from offline.reading import Material
from offline.words import mean, mentioned_tags
from records.calls import QuestionPart
from records.errors import ConfigurationError
from records.questions import Letter

STEEPNESS = 2.0
RESTATED = 0.6
"""Share of a claim's wording from which on a statement in the question is taken to state the claim or its opposite."""

Options = dict[Letter, tuple[ClaimText, ...]]


class Method(Protocol):
    """A lexical method, made ready for one question and the evidence shown with it."""

    full_grasp: float
    """Share of an option's wording from which on the method trusts its scores in full."""

    def scores(self, options: Options) -> dict[Letter, float]:
        """A log score an option: differences count, the level does not."""

    def found(self, claim: ClaimText) -> float | None:
        """Share (0.0–1.0) of a claim's wording that its sources repeat; None where none of them is shown."""

    def told(self, claim: ClaimText) -> float:
        """Share (0.0–1.0) of a claim's wording that a statement in the question repeats."""

    def also_right(self, claim: ClaimText, key: tuple[ClaimText, ...]) -> float:
        """How far (0.0–1.0) a claim of the alternative could be right, given that all claims of the key are."""

    def because(self, claims: tuple[ClaimText, ...]) -> str:
        """What the evidence shown says to an option, in one sentence."""


def choose(model: str, question: QuestionPart, material: Material) -> dict[str, object]:
    """The fields of a choice reply: rationale, answer, confidence 0.0–1.0.

    Options that score alike share their probability, and the first of them is named: whoever can only guess answers
    by position, which is what rotated options find out.
    """
    options = _options(question, material.language)
    method = _method(model)(question.stem, material)
    chances = softmax(_tempered(method, options))
    best = max(chances, key=lambda letter: round(chances[letter], 9))
    return {
        "rationale": f"{method.because(options[best])} {_standing(chances)}",
        "answer": best,
        "confidence": round(chances[best], 4),
    }


def severity(model: str, question: QuestionPart, material: Material) -> dict[str, object]:
    """The fields of a severity reply: rationale, severity 0.0–1.0.

    An alternative is as right as its weakest claim. Raises ConfigurationError where no pair is designated.
    """
    if question.gold not in question.options or question.alternative not in question.options:
        raise ConfigurationError("The ambiguity check needs a question with a designated key and alternative.")
    options = _options(question, material.language)
    key, alternative = options[question.gold], options[question.alternative]
    method = _method(model)(question.stem, material)
    found = [(method.also_right(claim, key), claim) for claim in alternative]
    weakest, claim = min(found, key=lambda pair: pair[0])
    return {
        "rationale": f"The alternative is as right as its weakest claim, “{claim.text}”: {weakest:.2f}.",
        "severity": round(min(1.0, max(0.0, weakest)), 4),
    }


def _tempered(method: Method, options: Options) -> dict[Letter, float]:
    """Scores in proportion to what the method can grasp: hardly a word found, hardly a preference."""
    trust = max(min(1.0, _grasp(method, claims) / method.full_grasp) ** STEEPNESS for claims in options.values())
    return {letter: score * trust for letter, score in method.scores(options).items()}


def _grasp(method: Method, claims: tuple[ClaimText, ...]) -> float:
    """How much of an option's wording is repeated at all, over the claims that something is known about."""
    shares = []
    for claim in claims:
        found, told = method.found(claim), method.told(claim)
        if found is not None or told >= RESTATED:
            shares.append(max(found or 0.0, told if told >= RESTATED else 0.0))
    return mean(shares)


def softmax(scores: dict[Letter, float]) -> dict[Letter, float]:
    """Probabilities from log scores."""
    top = max(scores.values())
    weights = {letter: math.exp(score - top) for letter, score in scores.items()}
    total = sum(weights.values())
    return {letter: weight / total for letter, weight in weights.items()}


def _options(question: QuestionPart, language: str) -> Options:
    fallback = mentioned_tags(question.stem)
    claims = {letter: split_claims(text, fallback) for letter, text in question.options.items()}
    return {letter: tuple(p for c in found for p in single_sentences(c, language)) for letter, found in claims.items()}


def _standing(chances: dict[Letter, float]) -> str:
    ranked = sorted(chances.items(), key=lambda pair: (-pair[1], pair[0]))
    return "Chances: " + ", ".join(f"{letter} {chance:.2f}" for letter, chance in ranked) + "."


def _method(model: str) -> Callable[[str, Material], Method]:
    if model == "offline/bm25":
        from offline.bm25 import Bm25

        return Bm25
    if model == "offline/ngrams":
        from offline.ngrams import Ngrams

        return Ngrams
    from offline.facts import Facts

    return Facts
