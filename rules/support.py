"""The support map: for the key, every source that carries it, and at least two of them."""

from records.questions import Question
from rules.base import Found, Rule, RuleContext, violation


def _support(question: Question, context: RuleContext) -> Found:
    tags = question.support_map.get(question.key)
    if tags is None:
        message = f"The support map has no entry for the key {question.key}; list every tag that supports the key."
        return (violation("support-map", "support_map", message),)
    found = []
    if len(set(tags)) < context.min_sources:
        message = f"The support map of the key lists {len(set(tags))} tag(s); it needs at least {context.min_sources}."
        found.append(violation("support-map", "support_map", message))
    missing = _missing(question)
    if missing:
        message = f"The key makes claims about {', '.join(missing)}; list these tags in its support map too."
        found.append(violation("support-map", "support_map", message))
    return tuple(found)


def _missing(question: Question) -> tuple[str, ...]:
    option = question.options.get(question.key)
    claimed = dict.fromkeys(tag for claim in (option.claims if option else ()) for tag in claim.tags)
    return tuple(tag for tag in claimed if tag not in question.support_map[question.key])


SUPPORT_MAP = Rule(
    "support-map",
    {
        "en": "In support_map, list under the key's letter all tags whose content carries the key: at least "
        "{min_sources}, and none that adds nothing.",
        "zh": "在 support_map 中，于正确选项的字母下列出支撑它的全部标签：至少 {min_sources} 个，且不列无关的标签。",
    },
    _support,
)
