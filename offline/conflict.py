"""Type 7, evidence-claim conflict: the same quantity with another value, or a denial of what another source says.

Two values conflict where unit or noun are equal and the words around them speak of the same thing ("4 kilometres south
of the harbour", "six and a half kilometres from the harbour mouth"). A denial is *no* or *not* before a noun that
another source uses without it ("not a demand problem", "demand has collapsed"). Conflicts in other words are not seen.
"""

from collections.abc import Iterator
from itertools import combinations

from offline.alignment import common_terms, in_conflict, shared_terms
from offline.comparison import alterable, half, said, worth
from offline.composing import Composition
from offline.denials import denial_pairs
from offline.findings import FactId, Finding
from offline.numerals import read_numeral
from offline.reading import Material
from offline.voicing import conflict_stem
from offline.words import stem, word_set
from records.base import digest

_RECORDS = frozenset(
    map(stem, word_set("data record records recorder list log measured counted camera image report documents tracking"))
) | word_set("数据 记录 名单 日志 测量 统计 电子屏 图")
NO_CONFLICT = "No two sources give different values for what is recognisably the same, and none denies another's words."


def compositions(material: Material, seed: str) -> Iterator[Composition]:
    """Type 7 questions: figures that differ, the clearest first, then denials."""
    yield from _figures(material, seed)
    yield from denial_pairs(material, seed)


def _figures(material: Material, seed: str) -> Iterator[Composition]:
    usable, wrong = alterable(material)
    common = common_terms(material)
    scored = []
    for left, right in combinations(usable, 2):
        shared = len(shared_terms(left, right, common))
        if in_conflict(left, right, common):
            draw = digest([seed, left.fact_id, right.fact_id])
            scored.append((shared + worth(left) + worth(right), draw, left, right))
    for _, _, left, right in sorted(scored, key=lambda entry: entry[:2], reverse=True):
        yield _compose(left, right, wrong)


def _compose(one: Finding, two: Finding, wrong: dict[FactId, tuple[str, ...]]) -> Composition:
    claimed, tested = (two, one) if _recorded(one) > _recorded(two) else (one, two)
    return Composition(
        stem=conflict_stem(claimed, tested),
        joiner="while",
        halves=(
            half(claimed, wrong[claimed.fact_id][0], "claims"),
            half(tested, _unswapped(wrong[tested.fact_id], claimed)),
        ),
        facts=(claimed, tested),
        reasoning=f"Conflict: {said(claimed)} {said(tested)}",
    )


def _unswapped(values: tuple[str, ...], claimed: Finding) -> str:
    """A wrong value other than the claimed one, so that no option merely swaps the two."""
    amounts = ((value, read_numeral(value)) for value in values)
    return next((value for value, form in amounts if form and form.amount != claimed.amount), values[-1])


def _recorded(finding: Finding) -> int:
    """How far a sentence speaks of something recorded or measured, and so tests a claim rather than makes it."""
    return len(set(finding.context) & _RECORDS)
