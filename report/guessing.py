"""How many removals guessing alone would give, at the confidences that a panel's judges state.

A judge that guesses is right one time in as many as there are options; it counts towards a removal where its stated
confidence reaches the threshold. Where a seat was not asked (frugal schedule) or failed, its share of confident
answers within the same check stands in.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from records.config import Panel
from records.verdicts import Check, ChoiceVerdict, Decision, Item

_GUESSED: tuple[Check, ...] = ("solvability", "difficulty", "blind")


def expected_by_guessing(items: Sequence[Item], panel: Panel | None) -> dict[Check, float]:
    """Check → expected number of removals, for the checks that ask for an answer; empty without a panel.

    Solvability: some source has a majority of right and confident seats. Difficulty: every seat is right and
    confident. Blind: a majority is right in every rotation, whatever the confidence.
    """
    if panel is None or not panel.judges:
        return {}
    seats = tuple(seat.seat for seat in panel.judges)
    thresholds: dict[Check, float] = {
        "solvability": panel.checks.solvability.confidence,
        "difficulty": panel.checks.difficulty.confidence,
        "blind": 0.0,
    }
    return {
        check: math.fsum(_of_item(item, made, seats, panel.majority, thresholds[check], shares) for item, made in asked)
        for check in _GUESSED
        if (asked := _asked(items, check))
        for shares in [_confident_shares(items, check, seats, thresholds[check])]
    }


def at_least(needed: int, chances: Sequence[float]) -> float:
    """The probability that at least `needed` of independent events of these chances happen."""
    counts = [1.0]
    for chance in chances:
        longer = [*counts, 0.0]
        for happened in range(len(counts), 0, -1):
            longer[happened] = longer[happened] * (1 - chance) + counts[happened - 1] * chance
        longer[0] *= 1 - chance
        counts = longer
    return math.fsum(counts[max(0, needed) :])


def _asked(items: Iterable[Item], check: Check) -> list[tuple[Item, Decision]]:
    made = ((item, decision) for item in items for decision in item.decisions if decision.check == check)
    return [(item, decision) for item, decision in made if decision.outcome not in {"off", "not-run"}]


def _of_item(
    item: Item, made: Decision, seats: tuple[str, ...], majority: int, threshold: float, shares: Mapping[str, float]
) -> float:
    options = max(1, len(item.question.options))
    if made.check == "blind":
        lucky = (1 / options) ** (1 if item.question.pinned else options)
        return _any(at_least(majority, [lucky] * len(seats)) for _ in made.units)
    sure = _confidences(item, made.check, threshold)
    needed = len(seats) if made.check == "difficulty" else majority
    chances = ([sure.get((unit.unit, seat), shares[seat]) / options for seat in seats] for unit in made.units)
    return _any(at_least(needed, of_unit) for of_unit in chances)


def _any(chances: Iterable[float]) -> float:
    return 1 - math.prod(1 - chance for chance in chances)


def _confidences(item: Item, check: Check, threshold: float) -> dict[tuple[str, str], float]:
    return {
        (verdict.unit, verdict.replaces or verdict.seat): float(_reaches(verdict, threshold))
        for verdict in item.verdicts
        if isinstance(verdict, ChoiceVerdict) and verdict.check == check
    }


def _reaches(verdict: ChoiceVerdict, threshold: float) -> bool:
    return verdict.confidence is not None and verdict.confidence >= threshold


def _confident_shares(
    items: Sequence[Item], check: Check, seats: tuple[str, ...], threshold: float
) -> dict[str, float]:
    found: dict[str, list[float]] = defaultdict(list)
    for item in items:
        for (_, seat), sure in _confidences(item, check, threshold).items():
            found[seat].append(sure)
    return {seat: sum(found[seat]) / len(found[seat]) if found[seat] else 0.0 for seat in seats}
