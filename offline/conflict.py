"""Type 7, evidence-claim conflict: the same quantity with another value, or a denial of what another source says.

Two values conflict where unit or noun are equal and the words around them speak of the same thing ("4 kilometres south
of the harbour", "six and a half kilometres from the harbour mouth"). A denial is *no* or *not* before a noun that
another source uses without it ("not a demand problem", "demand has collapsed"). Conflicts in other words are not seen.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from offline.altering import wrong_values
from offline.comparison import half, said, worth
from offline.composing import Composition
from offline.denials import denial_pairs
from offline.findings import Finding, findings
from offline.reading import Material
from offline.voicing import conflict_stem
from offline.words import terms
from records.base import digest

NO_CONFLICT = "No two sources give different values for what is recognisably the same, and none denies another's words."


def compositions(material: Material, seed: str) -> Iterator[Composition]:
    """Type 7 questions: figures that differ, the clearest first, then denials."""
    yield from _figures(material, seed)
    yield from denial_pairs(material, seed)


def _figures(material: Material, seed: str) -> Iterator[Composition]:
    found = findings(material)
    wrong = {one.fact_id: wrong_values(one, found, material) for one in found}
    common = common_terms(material)
    scored = []
    for left, right in combinations(found, 2):
        shared = set(left.context) & set(right.context) - common
        if _same_quantity(left, right) and shared and wrong[left.fact_id] and wrong[right.fact_id]:
            scored.append(
                (len(shared) + worth(left) + worth(right), digest([seed, left.clause, right.clause]), left, right)
            )
    for _, _, left, right in sorted(scored, key=lambda entry: entry[:2], reverse=True):
        yield _compose(left, right, wrong[left.fact_id][0], wrong[right.fact_id][-1])


def common_terms(material: Material) -> frozenset[str]:
    """Words that most sources of a group use: they name the story and align nothing."""
    used: Counter[str] = Counter()
    for tag in material.sentences:
        used.update({term for text in material.texts((tag,)) for term in terms(text, material.language)})
    return frozenset(term for term, count in used.items() if count > max(2, len(material.sentences) // 2))


def _same_quantity(left: Finding, right: Finding) -> bool:
    if left.tag == right.tag or left.canonical == right.canonical or left.family != right.family:
        return False
    if left.family == "count":
        return bool(left.noun and right.noun) and _noun(left) == _noun(right)
    return left.family in ("amount", "percent", "money") and left.unit == right.unit


def _noun(finding: Finding) -> str:
    return re.sub(r"s$", "", finding.noun.split()[-1])


def _compose(claimed: Finding, tested: Finding, wrong_claim: str, wrong_test: str) -> Composition:
    return Composition(
        stem=conflict_stem(claimed, tested),
        joiner="while",
        halves=(half(claimed, wrong_claim, "claims"), half(tested, wrong_test)),
        facts=(claimed, tested),
        reasoning=f"Conflict: {said(claimed)} {said(tested)}",
    )
