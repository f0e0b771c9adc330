"""An extractive summary: a source's most central sentences in their order, as many as the limit holds.

Central is a sentence whose words occur often in the transcript; a sentence with numbers or names counts more, since a
summary must keep them (VNU-Bench F.2). Nothing is rephrased, so nothing can be invented.
"""

from collections import Counter
from typing import Any

from media.quantities import numbers
from media.text import count_characters, names
from offline.reading import Material
from offline.words import terms

_LIMIT = 1000


def summarize(material: Material, spec: dict[str, Any]) -> dict[str, object]:
    """The field of a summary reply. The limit in characters is the spec's ``limit``, or else 1,000."""
    sentences = [sentence.text.strip() for tag in material.tags for sentence in material.sentences.get(tag, ())]
    limit = int(spec.get("limit", spec.get("summary_characters", _LIMIT)))
    return {"summary": _joined(_chosen(sentences, material.language, limit), material.language)}


def _chosen(sentences: list[str], language: str, limit: int) -> list[str]:
    """The best sentences that fit together, in their order; the best one cut at the limit where none fits."""
    weights = Counter(term for sentence in sentences for term in set(terms(sentence, language)))
    ranked = sorted(range(len(sentences)), key=lambda place: (-_worth(sentences[place], weights, language), place))
    kept: list[int] = []
    for place in ranked:
        trial = [sentences[one] for one in sorted([*kept, place])]
        if count_characters(_joined(trial, language)) <= limit:
            kept.append(place)
    return [sentences[place] for place in sorted(kept)] or [sentences[ranked[0]][:limit]] if sentences else []


def _worth(sentence: str, weights: Counter[str], language: str) -> float:
    found = set(terms(sentence, language))
    central = sum(weights[term] for term in found) / (len(found) + 1)
    return central + 0.5 * len(numbers(sentence)) + 0.25 * len(names(sentence, language))


def _joined(sentences: list[str], language: str) -> str:
    return ("" if language == "zh" else " ").join(sentences)
