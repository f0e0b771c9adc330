"""Type 2, event comparison: two facts of two sources, best of the same kind (two distances, two numbers of people).

Each half of an option repeats a source's clause with the value that the source gives or with a wrong one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations

from offline.alignment import common_terms, in_conflict, kinship
from offline.altering import wrong_values
from offline.clauses import has_verb, is_spoken_in_person, opens_unresolved
from offline.composing import Composition, Half
from offline.findings import FactId, Finding, findings
from offline.reading import Material
from offline.voicing import claim, comparison_stem
from records.base import digest

_PER_SOURCE = 16
NO_FACTS = "Fewer than two sources give a number, date or time in a clause that can be repeated."


def compositions(material: Material, seed: str) -> Iterator[Composition]:
    """Type 2 questions, the best first; each fact is used again only when all others are used up."""
    usable, wrong = alterable(material)
    for left, right in ranked_pairs(usable, seed, common_terms(material)):
        yield _compose(left, right, wrong[left.fact_id][0], wrong[right.fact_id][0], seed)


def alterable(material: Material) -> tuple[list[Finding], dict[FactId, tuple[str, ...]]]:
    """The facts that read best, at most `_PER_SOURCE` of a source, and the wrong values that each can take."""
    found = findings(material)
    pool = best_of_each(found)
    wrong = {one.fact_id: wrong_values(one, found, material) for one in pool}
    return [one for one in pool if wrong[one.fact_id]], wrong


def best_of_each(found: Iterable[Finding]) -> list[Finding]:
    """The best facts of each source, so that long transcripts stay quick."""
    counts: Counter[str] = Counter()
    kept = []
    for one in sorted(found, key=lambda one: (-worth(one), one.fact_id)):
        counts[one.tag] += 1
        kept += [one] if counts[one.tag] <= _PER_SOURCE else []
    return kept


def ranked_pairs(
    found: Iterable[Finding], seed: str, common: frozenset[str] = frozenset()
) -> Iterator[tuple[Finding, Finding]]:
    """Pairs of facts of different sources: comparable ones first, spread over facts and sources.

    Pairs in open conflict come late, since they make type 7 questions; `common` are the words of the whole story.
    """
    pairs = [(a, b) for a, b in combinations(found, 2) if a.tag != b.tag]
    rated = [(_value(a, b, common), _draw((a, b), seed), a, b) for a, b in pairs]
    uses: Counter[object] = Counter()
    while rated:
        best = max(rated, key=lambda entry: (entry[0] - _again(entry[2], entry[3], uses), entry[1]))
        rated.remove(best)
        _, _, left, right = best
        uses.update([left.fact_id, right.fact_id, (left.tag, left.sentence), (right.tag, right.sentence)])
        uses.update([(left.tag, right.tag)])
        yield left, right


def _value(left: Finding, right: Finding, common: frozenset[str]) -> float:
    return worth(left) + worth(right) + kinship(left, right) - (2.5 if in_conflict(left, right, common) else 0.0)


def _again(left: Finding, right: Finding, uses: Counter[object]) -> float:
    """What it costs to come back to facts, sentences and sources."""
    again = sum(3.0 * uses[one.fact_id] + 1.0 * uses[(one.tag, one.sentence)] for one in (left, right))
    return again + 0.75 * uses[(left.tag, right.tag)]


def _draw(pair: tuple[Finding, Finding], seed: str) -> str:
    return digest([seed, *(str(one.fact_id) for one in pair)])


def worth(finding: Finding) -> float:
    """How well a fact reads in an option: a clause of its own, a unit or noun, a speaker in the third person."""
    score = 1.0 if finding.unit or finding.noun or finding.family not in ("count", "amount") else 0.0
    score -= 0.75 if opens_unresolved(finding.clause) else 0.0
    score -= 1.0 if finding.amount < 10 and finding.family == "count" else 0.0
    score -= 0.5 if finding.amount < 5 and finding.family == "amount" else 0.0
    score -= 1.0 if finding.family == "place" else 0.0
    if finding.language == "en":
        score += 0.5 if has_verb(finding.clause) else -1.5
        score -= 0.25 if is_spoken_in_person(finding.clause) else 0.0
    return score - max(0, len(finding.clause) - 90) / 40


def _compose(left: Finding, right: Finding, wrong_left: str, wrong_right: str, seed: str) -> Composition:
    return Composition(
        stem=comparison_stem(left, right, f"{seed}{left.fact_id}{right.fact_id}"),
        joiner="while",
        halves=(half(left, wrong_left), half(right, wrong_right)),
        facts=(left, right),
        reasoning=f"{said(left)} {said(right)} Options cross {left.value} or {wrong_left} with {right.value} or "
        f"{wrong_right}.",
    )


def half(finding: Finding, wrong: str, verb: str = "reports") -> Half:
    """The two claims about a fact: as its source gives it, and with the wrong value."""
    return Half(
        tags=(finding.tag,),
        true=claim(finding, finding.clause, verb),
        false=claim(finding, finding.with_value(wrong), verb),
        why_false=f"{finding.tag} gives {finding.value}, not {wrong}.",
    )


def said(finding: Finding) -> str:
    """A fact as a line of the drafter's reasoning."""
    return f"{finding.tag} at {finding.time_s:.0f} s: “{finding.clause}”."
