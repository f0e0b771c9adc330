"""The catalogue of common rules and its two uses: what the drafter reads, and what code says about a question.

``check(question, RuleContext(frames={"TAG_A": (1, 2)}))`` gives a RuleReport. Adding a rule is one file and one line
in `RULES`.
"""

from records.questions import Question, RuleReport, Violation
from rules import crossing, duplicates, evidence, giveaway, guidance, options, position, support, tags, wording
from rules.base import Rule, RuleContext

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


def check(question: Question, context: RuleContext) -> RuleReport:
    """What the common rules say about a question (VNU-Bench C.3), in the order of the catalogue."""
    found: dict[str, list[Violation]] = {"violation": [], "warning": []}
    not_checkable = []
    for rule in RULES:
        result = rule.check(question, context) if rule.check else ()
        if result is None:
            not_checkable.append(rule.rule_id)
        else:
            found[rule.level].extend(result)
    return RuleReport(
        violations=tuple(found["violation"]), not_checkable=tuple(not_checkable), warnings=tuple(found["warning"])
    )


def sentences(language: str = "en", context: RuleContext | None = None) -> tuple[str, ...]:
    """The common rules as the drafter reads them, in English or Chinese, with the context's numbers filled in.

    With a context only the rules that apply in it; without one all, with the paper's numbers.
    """
    if context is None:
        return tuple(rule.sentence(language, RuleContext(visual_options=2)) for rule in RULES)
    return tuple(rule.sentence(language, context) for rule in RULES if rule.applies(context))


def rule(rule_id: str) -> Rule:
    """The rule of an id. Raises KeyError if there is none."""
    return {each.rule_id: each for each in RULES}[rule_id]
