"""Whether two claims rule each other out, by what can be seen in words: numbers, names, negation, opposites, order.

"all 22 crew members" and "all 24 crew members" do, by a number; "A is earlier than B" and "B is later than A" do not.
Contradictions that need knowledge of the world are not seen.
"""

from functools import lru_cache

from media.quantities import Quantity, numbers
from media.text import names
from offline.claims import ClaimText
from offline.words import NEGATIONS, OPPOSITES, TAG, stem, words


@lru_cache(maxsize=16384)
def quantities(text: str) -> tuple[Quantity, ...]:
    """The numbers, dates and times of a claim that can be compared; ordinals and numbers in names left out."""
    return tuple(found for found in numbers(TAG.sub("  —  ", text)) if found.kind not in ("ordinal", "label"))


@lru_cache(maxsize=16384)
def proper_names(text: str, language: str) -> frozenset[str]:
    """The names in a claim, case-folded, without source tags."""
    return frozenset(name.casefold() for name in names(TAG.sub(" ", text), language) if not name.startswith("TAG"))


def same_kind(left: Quantity, right: Quantity) -> bool:
    """Whether two quantities measure alike, so that unequal values exclude each other."""
    if left.kind != right.kind or left.unit != right.unit:
        return False
    return bool(left.unit) or left.kind != "number" or not (left.noun and right.noun) or _noun(left) == _noun(right)


def _noun(quantity: Quantity) -> str:
    return stem(quantity.noun.casefold().split()[-1]) if quantity.noun.isascii() else quantity.noun


def contrast(left: ClaimText, right: ClaimText, language: str) -> str:
    """What makes two claims exclude each other, in words, or an empty string."""
    return (
        _number_contrast(left.text, right.text)
        or _turn_contrast(left, right, language)
        or _name_contrast(left.text, right.text, language)
    )


def _number_contrast(left: str, right: str) -> str:
    ours, theirs = quantities(left), quantities(right)
    only_left = [one for one in ours if one.canonical not in {other.canonical for other in theirs}]
    only_right = [one for one in theirs if one.canonical not in {other.canonical for other in ours}]
    for one in only_left:
        for other in only_right:
            if same_kind(one, other):
                return f"{one.text} against {other.text}"
    return ""


def _turn_contrast(left: ClaimText, right: ClaimText, language: str) -> str:
    """Negation, opposites and the order of two tags: an even number of turns leaves the meaning as it was."""
    ours, theirs = words(left.text, language), words(right.text, language)
    turns = ["a negation"] if sum(w in NEGATIONS for w in ours) % 2 != sum(w in NEGATIONS for w in theirs) % 2 else []
    for one, other in OPPOSITES:
        if (one in ours and other in theirs and other not in ours and one not in theirs) or (
            other in ours and one in theirs and one not in ours and other not in theirs
        ):
            turns.append(f"{one} against {other}")
    comparing = len(left.tags) == len(right.tags) == 2 and set(left.tags) == set(right.tags)
    if comparing and left.tags != right.tags:
        turns.append("the order of the sources")
    return turns[0] if len(turns) % 2 else ""


def _name_contrast(left: str, right: str, language: str) -> str:
    ours, theirs = proper_names(left, language), proper_names(right, language)
    only_left, only_right = ours - theirs, theirs - ours
    if only_left and only_right:
        return f"{min(only_left)} against {min(only_right)}"
    return ""
