"""Which sources a question uses, and whether it says so: tags named in the stem, and only tags that exist."""

import re

from records.media import Tag
from records.questions import Question
from rules.base import Found, Rule, RuleContext, violation

TAG = re.compile(r"TAG_[A-Z](?![A-Za-z0-9_])")


def tags_in(text: str) -> tuple[Tag, ...]:
    """The tags that a text mentions, each once, in order of mention."""
    return tuple(dict.fromkeys(TAG.findall(text)))


def used_tags(question: Question) -> tuple[Tag, ...]:
    """Every tag that options, claims, evidence or support map rest on, in order of use."""
    used: dict[Tag, None] = {}
    for option in question.options.values():
        used.update(dict.fromkeys(tags_in(option.text)))
        for claim in option.claims:
            used.update(dict.fromkeys(claim.tags))
    for tags in question.support_map.values():
        used.update(dict.fromkeys(tags))
    used.update(dict.fromkeys(tags_in(question.evidence)))
    return tuple(used)


def _named(question: Question, context: RuleContext) -> Found:
    named = tags_in(question.stem)
    found = []
    if len(named) < context.min_sources:
        message = f"The stem names {len(named)} source tags; name at least {context.min_sources}, all that you use."
        found.append(violation("tags-named", "stem", message))
    unnamed = [tag for tag in used_tags(question) if tag not in named]
    if unnamed:
        message = f"The stem does not name {', '.join(unnamed)}, used elsewhere in the question; name each tag there."
        found.append(violation("tags-named", "stem", message))
    return tuple(found)


def _exist(question: Question, context: RuleContext) -> Found:
    known = tuple(question.sources) or tuple(context.frames)
    if not known:
        return None
    places = {"stem": tags_in(question.stem), "evidence": tags_in(question.evidence)}
    places["support_map"] = tuple(tag for tags in question.support_map.values() for tag in tags)
    for letter, option in question.options.items():
        places[letter] = (*tags_in(option.text), *(tag for claim in option.claims for tag in claim.tags))
    found = []
    for where, tags in places.items():
        unknown = list(dict.fromkeys(tag for tag in tags if tag not in known))
        if unknown:
            message = f"There is no source {', '.join(unknown)}; the sources are {', '.join(known)}."
            found.append(violation("tags-exist", where, message))
    return tuple(found)


TAGS_NAMED = Rule(
    "tags-named",
    {
        "en": "Use at least {min_sources} different sources, and name every tag that you use in the stem itself, for "
        "instance as (TAG_A vs TAG_B) or as 'in TAG_A, TAG_B and TAG_C'. A tag that appears in an option, "
        "in the evidence or in the support map must also stand in the stem.",
        "zh": "至少使用 {min_sources} 个不同来源，并在题干中写出用到的每一个标签，例如“（TAG_A 对比 TAG_B）”或"
        "“综合 TAG_A、TAG_B 与 TAG_C”。凡在选项、证据或支持表里出现的标签，题干里也必须出现。",
    },
    _named,
)

TAGS_EXIST = Rule(
    "tags-exist",
    {
        "en": "Use only tags that you were given.",
        "zh": "只使用给定的标签。",
    },
    _exist,
)
