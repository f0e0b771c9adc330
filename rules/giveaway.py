"""Signs by which the key can be told without evidence: its length, halves that return, a stem that already says it."""

from rapidfuzz.distance import LCSseq

from records.questions import Option, Question
from rules.base import Found, Rule, RuleContext, is_structured, violation
from rules.crossing import holders
from rules.duplicates import content_tokens

LONGER = 1.25
"""The key gives itself away when it is this many times as long as the longest wrong option."""
SHARE = 0.8
"""The stem hands over the key when it holds this share of the key's words, in order."""


def _length(question: Question, context: RuleContext) -> Found:
    key = question.options.get(question.key)
    wrong = [len(option.text) for letter, option in question.options.items() if letter != question.key]
    if key is None or not wrong or len(key.text) < LONGER * max(wrong):
        return ()
    message = "The key is much longer than every wrong option; level the lengths."
    return (violation("key-length", question.key, message),)


def _stem(question: Question, context: RuleContext) -> Found:
    key = question.options.get(question.key)
    words, stem = content_tokens(key.text) if key else (), content_tokens(question.stem)
    if len(words) < 5 or LCSseq.similarity(words, stem) < SHARE * len(words):
        return ()
    return (violation("stem-gives-key", "stem", "The stem already says what the key says; ask without telling."),)


def _halves(question: Question, context: RuleContext) -> Found:
    if not is_structured(question):
        return None
    returns = {letter: _returns(option, question) for letter, option in question.options.items()}
    key = returns.pop(question.key, 0)
    if not returns or key <= max(returns.values()):
        return ()
    message = "The key's halves return more often than those of any wrong option; let false halves return as well."
    return (violation("even-halves", "options", message),)


def _returns(option: Option, question: Question) -> int:
    """In how many options the claims of an option stand, added up: what counting clauses gives away."""
    return sum(len(holders(claim, question.options)) for claim in option.claims)


KEY_LENGTH = Rule(
    "key-length",
    {
        "en": "The key is not the longest option, nor the most precise or the most hedged; all four have about the "
        "same length, tone and detail.",
        "zh": "正确选项不应是最长、最精确或语气最谨慎的一个；四个选项长度、语气、详略相近。",
    },
    _length,
    level="warning",
    source="design, options",
)

STEM_GIVES_KEY = Rule(
    "stem-gives-key",
    {
        "en": "The stem tells no fact that decides between the options.",
        "zh": "题干不得透露足以区分选项的事实。",
    },
    _stem,
    level="warning",
    source="design, options",
)

EVEN_HALVES = Rule(
    "even-halves",
    {
        "en": "False halves return as often as true ones: whoever merely counts how often a clause occurs among the "
        "options must not find the key.",
        "zh": "假的半句与真的半句重复次数相同：仅靠统计某个小句在选项中出现的次数，不应能找出正确选项。",
    },
    _halves,
    level="warning",
    source="design, options are crossed",
)
