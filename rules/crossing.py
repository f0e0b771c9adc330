"""Whether the options cross the facts of different sources, so that no single source settles the question.

Crossed: the key is "A says 22, B says 24", and "A says 22" also stands in a wrong option, as does "B says 24"; neither
stands in all four. Beyond the paper (design, "options are crossed"); needs options that came as claims.
"""

from collections.abc import Mapping

from records.media import Tag
from records.questions import Claim, Letter, Option, Question, Violation
from rules.base import Found, Rule, RuleContext, is_structured, violation
from rules.duplicates import overlap


def crossed(question: Question) -> Violation | None:
    """The first way in which a structured question is not crossed; None if it is, or if it is not structured."""
    key = question.options.get(question.key)
    if key is None or not is_structured(question):
        return None
    if len({tag for claim in key.claims for tag in claim.tags}) < 2:
        return _not_crossed("Both claims of the key rest on one source; cross facts of different sources.")
    found = (_spread(claim, question.options) for claim in key.claims)
    lone = (_settled_by(tag, key, question.options) for tag in question.sources)
    return next((violation for violation in (*found, *lone) if violation), None)


def holders(claim: Claim, options: Mapping[Letter, Option]) -> tuple[Letter, ...]:
    """The letters of the options in which a claim stands, in the same or in equal words about the same sources."""
    return tuple(letter for letter, option in options.items() if any(_equal(claim, other) for other in option.claims))


def _equal(first: Claim, second: Claim) -> bool:
    return set(first.tags) == set(second.tags) and overlap(first.text, second.text) == "same"


def _spread(claim: Claim, options: Mapping[Letter, Option]) -> Violation | None:
    count = len(holders(claim, options))
    about = " and ".join(claim.tags)
    if count < 2:
        return _not_crossed(f"The key's claim about {about} stands in no wrong option: repeat it word for word in one.")
    if count == len(options):
        return _not_crossed(f"The claim about {about} is the same in all options: vary it in at least one.")
    return None


def _settled_by(tag: Tag, key: Option, options: Mapping[Letter, Option]) -> Violation | None:
    """Whether whoever knows this source alone is left with the key: it refutes each wrong option's claim about it."""
    open_options = [letter for letter, option in options.items() if not _refutes(tag, key, option)]
    if len(open_options) >= 2:
        return None
    return _not_crossed(f"{tag} alone rules out every wrong option; leave it true in a second option.")


def _refutes(tag: Tag, key: Option, option: Option) -> bool:
    about = [claim for claim in option.claims if set(claim.tags) == {tag}]
    return any(not any(_equal(claim, true) for true in key.claims) for claim in about)


def _not_crossed(message: str) -> Violation:
    return violation("crossed", "options", message)


def _check(question: Question, context: RuleContext) -> Found:
    if not is_structured(question):
        return None
    found = crossed(question)
    return (found,) if found else ()


CROSSED = Rule(
    "crossed",
    {
        "en": "Cross the facts. Take a true claim about one source and a true claim about a different source; the key "
        "joins both. Put each true claim, in the same words, also into a wrong option beside a false claim, and let "
        "a further option hold two false claims. So each half of the key stands in two options, no half stands in "
        "all of them, and whoever knows a single source still faces at least two options.",
        "zh": "交叉组合事实：取关于某一来源的真论断与关于不同来源的真论断，二者合成正确选项；每个真论断再以相同措辞"
        "放进一个错误选项，与一个假论断搭配；剩下的选项含两个假论断。这样每半句真话出现在两个选项中，没有一句出现在全部"
        "选项中，只看任何一个来源都至少剩下两个可能的选项。",
    },
    _check,
    level="warning",
    source="design, options are crossed",
)
