"""Notes on a video without a language model: its captions rated, cut and excerpted by their words and times.

A rating counts words and spoken time; a cut stands where the words before and after share least; an event is the first
sentence of its paragraph, word for word. Nothing is said about pictures.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from offline.words import terms
from records.media import Sentence

PIECE_S = 15.0
"""Paragraphs of about this length, so that a short report still has several."""
_SIDE = 2
"""Sentences on each side of a cut that are compared, and the fewest in a paragraph."""


def rate(spec: dict[str, Any]) -> dict[str, object]:
    """Grades 1 to 5 by counts: sentences that share a word with another, time spoken, content words a minute."""
    sentences, language = _sentences(spec), str(spec.get("language", ""))
    length = float(spec.get("duration_s") or 0.0) or max((s.end_s for s in sentences), default=0.0)
    words = [frozenset(terms(sentence.text, language)) for sentence in sentences]
    linked = sum(any(one & other for j, other in enumerate(words) if j != i) for i, one in enumerate(words))
    share = sum(max(0.0, s.end_s - s.start_s) for s in sentences) / length if length else 0.0
    rate_a_minute = 60.0 * sum(map(len, words)) / length if length else 0.0
    coherence = _grade(linked / len(words) / 0.6) if len(words) > 1 else 1
    return {
        "reasoning": f"{linked} of {len(words)} sentences share a word with another; "
        f"{share:.0%} of the time is spoken; {rate_a_minute:.0f} content words a minute.",
        "coherence": coherence,
        "continuity": _grade(share / 0.8),
        "density": _grade(rate_a_minute / 50.0),
    }


def cut(spec: dict[str, Any]) -> dict[str, object]:
    """Paragraphs of about `PIECE_S`, cut where neighbouring sentences share the fewest words."""
    sentences, first = _sentences(spec), int(spec["first"])
    words = [frozenset(terms(sentence.text, str(spec.get("language", "")))) for sentence in sentences]
    length = sentences[-1].end_s - sentences[0].start_s
    wanted = max(0, min(len(sentences) // _SIDE, round(length / PIECE_S)) - 1)
    cuts: list[int] = []
    for place in sorted(range(_SIDE, len(words) - _SIDE + 1), key=lambda place: (_cohesion(words, place), place)):
        if len(cuts) < wanted and all(abs(place - other) >= _SIDE for other in cuts):
            cuts.append(place)
    borders = [0, *sorted(cuts), len(sentences)]
    pieces = [
        {"topic": " ".join(sentences[start].text.split()[:6]), "first": first + start, "last": first + end - 1}
        for start, end in pairwise(borders)
    ]
    return {"reasoning": "cut where neighbouring sentences share the fewest words", "pieces": pieces}


def excerpt(spec: dict[str, Any], sentences: Sequence[Sentence]) -> dict[str, object]:
    """The first sentence of a paragraph as its event, the others as what is said. Raises ValueError without words."""
    texts = [sentence.text for sentence in sentences] or [str(spec.get("text", ""))]
    if not texts[0].strip():
        raise ValueError("there are no words to excerpt")
    return {
        "reasoning": "the paragraph's first sentence, word for word",
        "event": texts[0],
        "audio": " ".join(texts[1:]),
    }


def _cohesion(words: Sequence[frozenset[str]], place: int) -> float:
    before = frozenset().union(*words[max(0, place - _SIDE) : place])
    after = frozenset().union(*words[place : place + _SIDE])
    return len(before & after) / (len(before | after) or 1)


def _grade(share: float) -> int:
    return 1 + round(4 * min(1.0, max(0.0, share)))


def _sentences(spec: dict[str, Any]) -> tuple[Sentence, ...]:
    return tuple(Sentence.model_validate(value) for value in spec.get("sentences", ()))
