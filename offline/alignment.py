"""Whether two facts of different sources are about the same thing: unit or noun, and words around the value.

"4 kilometres south of the harbour" and "six and a half kilometres from the harbour mouth" are in conflict; "22 crew
members" and "three countries" are not comparable. Facts about the same thing in other words are not recognised.
"""

import re
from collections import Counter

from offline.findings import Finding
from offline.reading import Material
from offline.words import terms

_ONE_SIZE = 20


def common_terms(material: Material) -> frozenset[str]:
    """Words that most sources of a group use: they name the story and align nothing."""
    used: Counter[str] = Counter()
    for tag in material.sentences:
        used.update({term for text in material.texts((tag,)) for term in terms(text, material.language)})
    return frozenset(term for term, count in used.items() if count > max(2, len(material.sentences) // 2))


def shared_terms(left: Finding, right: Finding, common: frozenset[str]) -> frozenset[str]:
    """Words around both values that are not common to the whole story."""
    return frozenset(set(left.context) & set(right.context) - common)


def in_conflict(left: Finding, right: Finding, common: frozenset[str]) -> bool:
    """Whether two sources give different values for what is recognisably the same."""
    return _same_quantity(left, right) and bool(shared_terms(left, right, common))


def kinship(left: Finding, right: Finding) -> float:
    """How far two facts speak of the same: unit or noun, and words around the value."""
    shared = len(set(left.context) & set(right.context))
    return (1.5 if _comparable(left, right) else 0.0) + 0.5 * min(2, shared)


def _comparable(left: Finding, right: Finding) -> bool:
    """Alike in unit and noun, and of one order of size: the age of a tree and a row of four years are not."""
    if (left.family, left.unit) != (right.family, right.unit) or left.family == "place":
        return False
    small, large = sorted((left.amount, right.amount))
    return left.noun.split()[-1:] == right.noun.split()[-1:] and large <= _ONE_SIZE * max(small, 1.0)


def _same_quantity(left: Finding, right: Finding) -> bool:
    if left.tag == right.tag or left.canonical == right.canonical or left.family != right.family:
        return False
    if left.family == "count":
        return bool(left.noun and right.noun) and _noun(left) == _noun(right)
    return left.family in ("amount", "percent", "money") and left.unit == right.unit


def _noun(finding: Finding) -> str:
    return re.sub(r"s$", "", finding.noun.split()[-1])
