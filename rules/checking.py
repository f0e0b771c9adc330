"""The catalogue of common rules and its two uses: what the drafter reads, and what code says about a question.

``check(question, RuleContext(frames={"TAG_A": (1, 2)}))`` gives a RuleReport. Adding a rule is one file and one line
in `RULES`.
"""

from records.questions import Question, RuleReport, Violation
from rules import crossing, duplicates, evidence, giveaway, guidance, options, position, support, tags, wording
from rules.base import Rule, RuleContext
from rules.facts import VIDEO_FAMILIES, family_of
from rules.video import VIDEO_RULES

RULES: tuple[Rule, ...] = (
    tags.TAGS_NAMED,
    tags.TAGS_EXIST,
    support.SUPPORT_MAP,
    guidance.SAME_STORY,
    guidance.ONE_FOCUS,
    guidance.VISUAL_CUE,
    options.OPTION_LETTERS,
    options.TWO_CLAIMS,
    options.JOINER,
    options.ONE_KEY,
    guidance.TEMPTING_DISTRACTORS,
    crossing.CROSSED,
    duplicates.DISTINCT_OPTIONS,
    giveaway.EVEN_HALVES,
    giveaway.KEY_LENGTH,
    giveaway.STEM_GIVES_KEY,
    options.VISUAL_CLAIMS,
    position.POSITION_FREE,
    wording.NO_DEICTICS,
    guidance.NO_INVENTION,
    evidence.EVIDENCE_LENGTH,
    evidence.EVIDENCE_SENTENCES,
    evidence.FRAME_MARKER,
    evidence.EVIDENCE_FRAMES,
    duplicates.DISTINCT_STEM,
)


def rules_for(family: str) -> tuple[Rule, ...]:
    """The rules of a family of the video track; the common rules of the news track for any other name."""
    return VIDEO_RULES if family in VIDEO_FAMILIES else RULES


def check(question: Question, context: RuleContext) -> RuleReport:
    """What the rules of a question's track say about it, in the order of the catalogue.

    Those of VNU-Bench C.3, or those of `rules.video` where the question says that it is of that track's families.
    """
    found: dict[str, list[Violation]] = {"violation": [], "warning": []}
    not_checkable = []
    for rule in rules_for(family_of(question)):
        result = rule.check(question, context) if rule.check else ()
        if result is None:
            not_checkable.append(rule.rule_id)
        else:
            found[rule.level].extend(result)
    return RuleReport(
        violations=tuple(found["violation"]), not_checkable=tuple(not_checkable), warnings=tuple(found["warning"])
    )


def sentences(language: str = "en", context: RuleContext | None = None) -> tuple[str, ...]:
    """The rules as the drafter reads them, in English or Chinese, with the context's numbers filled in.

    With a context only the rules that apply in it; without one all, with the paper's numbers.
    """
    if context is None:
        return tuple(rule.sentence(language, RuleContext(visual_options=2)) for rule in RULES)
    return tuple(rule.sentence(language, context) for rule in rules_for(context.family) if rule.applies(context))


def rule(rule_id: str) -> Rule:
    """The rule of an id. Raises KeyError if there is none."""
    return {each.rule_id: each for each in RULES}[rule_id]
