"""Type 8, temporal development: what different sources tell with a time of day or a year, put in order.

"What TAG_D tells in “the alert reached every phone at …” comes earlier than what TAG_B tells in “It came in the night,
at around …”": the times themselves are left out. Needs three timed statements on one scale, two of them comparable
across sources twice. Sentences that name a weekday or a date are left aside, since a clock time is then not enough.
"""

import re
from collections.abc import Iterator
from itertools import combinations

from media.wordlists import CALENDAR_WORDS
from offline.composing import Composition, Half
from offline.findings import Finding, findings
from offline.reading import Material
from offline.voicing import order_claim, order_stem
from offline.words import words
from records.base import digest

NO_ORDER = "Fewer than three statements of two sources carry a time on one scale that can be compared."

_MOST = 12
"""Timed statements that are looked at, in order of source and time."""
_APART = {"time": 30.0, "year": 1.0}
"""Minutes and years from which on two times are surely apart."""
_DAY = re.compile(r"周[一二三四五六日天]|星期|昨天|明天|前天|\d+[日号]")


def compositions(material: Material, seed: str) -> Iterator[Composition]:
    """Type 8 questions: two relations between statements of different sources, as many sources as possible."""
    events = [one for one in findings(material) if one.family in _APART and _is_alone(one, material)][:_MOST]
    relations = [pair for pair in combinations(events, 2) if _comparable(*pair)]
    chains = [(one, two) for one, two in combinations(relations, 2) if one != two]
    for one, two in sorted(chains, key=lambda chain: (_sources(chain), digest([seed, *_names(chain)])), reverse=True):
        yield _compose(one, two, seed)


def _is_alone(finding: Finding, material: Material) -> bool:
    text = material.sentences[finding.tag][finding.sentence].text
    named = set(words(text, material.language)) & CALENDAR_WORDS
    return finding.family != "time" or not (named or _DAY.search(text))


def _comparable(left: Finding, right: Finding) -> bool:
    apart = _APART[left.family] * (2 if left.approximate or right.approximate else 1)
    return left.tag != right.tag and left.family == right.family and abs(left.amount - right.amount) >= apart


Relation = tuple[Finding, Finding]


def _sources(chain: tuple[Relation, Relation]) -> int:
    return len({finding.tag for relation in chain for finding in relation})


def _names(chain: tuple[Relation, Relation]) -> list[str]:
    return [str(finding.fact_id) for relation in chain for finding in relation]


def _compose(one: Relation, two: Relation, seed: str) -> Composition:
    facts = tuple({finding.fact_id: finding for finding in (*one, *two)}.values())
    return Composition(
        stem=order_stem(facts),
        joiner="and",
        halves=(_opening(_half(one, seed)), _half(two, seed)),
        facts=facts,
        reasoning="Times: " + "; ".join(f"{fact.tag} {fact.canonical} “{fact.clause}”" for fact in facts),
    )


def _half(relation: Relation, seed: str) -> Half:
    """The relation stated from one end or the other, by seed, so that keys do not always say *earlier*."""
    left, right = relation
    if digest([seed, "turn", *_names((relation, relation))])[0] in "01234567":
        left, right = right, left
    earlier = left.amount < right.amount
    return Half(
        tags=(left.tag, right.tag),
        true=order_claim(left, right, earlier=earlier),
        false=order_claim(left, right, earlier=not earlier),
        why_false=f"{left.tag} gives {left.value} and {right.tag} gives {right.value}.",
    )


def _opening(half: Half) -> Half:
    """The half that begins the option, with a capital letter."""
    capital = {"true": half.true[:1].upper() + half.true[1:], "false": half.false[:1].upper() + half.false[1:]}
    return half.model_copy(update=capital)
