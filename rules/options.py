"""The form of the options: four letters, one key, two claims each, joined in one way, and enough that can be seen."""

from collections.abc import Iterable

from records.questions import Joiner, Option, Question, Violation, render_option
from rules.base import Found, Rule, RuleContext, is_structured, violation

JOINERS: tuple[Joiner, ...] = ("while", "whereas", "and", "but", "then", "although")


def _four(question: Question, context: RuleContext) -> Found:
    expected = tuple("ABCDEFGHIJ"[: context.option_count])
    found = []
    if tuple(sorted(question.options)) != expected:
        message = f"Give the options {', '.join(expected)}, no more and no fewer."
        found.append(violation("option-letters", "options", message))
    for letter, option in question.options.items():
        if not option.text.strip(" .。"):
            found.append(violation("option-letters", letter, f"Option {letter} is empty; write it out."))
    return tuple(found)


def _key(question: Question, context: RuleContext) -> Found:
    if question.key in question.options:
        return ()
    message = f"The key '{question.key}' is not the letter of an option; give exactly one letter."
    return (violation("one-key", "key", message),)


def _two_claims(question: Question, context: RuleContext) -> Found:
    if not is_structured(question):
        return None
    return tuple(
        violation("two-claims", letter, f"Option {letter} has {len(option.claims)} claims; give exactly two.")
        for letter, option in question.options.items()
        if len(option.claims) != 2
    )


def joiner_of(options: Iterable[Option], language: str) -> Joiner | None:
    """The joiner that renders all options from their claims; None where no single one does."""
    group = tuple(options)
    for joiner in JOINERS:
        if all(option.text == render_option(option.claims, joiner, language) for option in group):
            return joiner
    return None


def _joined(question: Question, context: RuleContext) -> Found:
    if not is_structured(question):
        return None
    joiner = joiner_of(question.options.values(), question.language)
    allowed = context.joiners or JOINERS
    if joiner in allowed:
        return ()
    message = f"Join the two claims of all options with the same word, one of: {', '.join(allowed)}."
    return (violation("joiner", "options", message),)


def _visual(question: Question, context: RuleContext) -> Found:
    if not context.visual_options:
        return ()
    if not is_structured(question):
        return None
    seen = [letter for letter, option in question.options.items() if _is_visual(option)]
    if len(seen) >= context.visual_options:
        return ()
    return (_too_few_visual(len(seen), context.visual_options),)


def _is_visual(option: Option) -> bool:
    return any(claim.modality in ("shown", "both") for claim in option.claims)


def _too_few_visual(count: int, needed: int) -> Violation:
    message = f"{count} options make a claim about what is shown; at least {needed} must (modality shown or both)."
    return violation("visual-claims", "options", message)


OPTION_LETTERS = Rule(
    "option-letters",
    {"en": "Give exactly {option_count} options.", "zh": "恰好给出 {option_count} 个选项。"},
    _four,
)

ONE_KEY = Rule(
    "one-key",
    {
        "en": "With all sources considered together exactly one option is true. Before you settle, go through the "
        "three wrong options and name for each the evidence that makes it false; if you cannot, rewrite it.",
        "zh": "综合所有来源，恰有一个选项为真。定稿前逐一检查三个错误选项，写出使其为假的证据；写不出，就改写该选项。",
    },
    _key,
)

TWO_CLAIMS = Rule(
    "two-claims",
    {
        "en": "Each option is the conjunction of two short claims that can be checked apart from each other. Give "
        "them as two clauses of about the same weight; the program joins them into one sentence.",
        "zh": "每个选项由两个简短、可分别核对的论断组成。分别写成两个分量相当的小句，由程序连成一句。",
    },
    _two_claims,
)

JOINER = Rule(
    "joiner",
    {
        "en": "One joining word serves all options, so that it gives nothing away.",
        "zh": "所有选项使用同一个连接词，以免泄露答案。",
    },
    _joined,
)

VISUAL_CLAIMS = Rule(
    "visual-claims",
    {
        "en": "At least {visual_options} options make a claim about what is shown, such as a number on a card, a "
        "label, a logo, a map or a place; mark it with modality shown or both.",
        "zh": "至少 {visual_options} 个选项要包含关于画面的论断，如字幕卡上的数字、标签、标志、地图或地点，并把 "
        "modality 标为 shown 或 both。",
    },
    _visual,
    applies=lambda context: context.visual_options > 0,
)
