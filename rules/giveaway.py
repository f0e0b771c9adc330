"""Signs by which the key can be told without evidence: it is the longest option, or the stem already says it."""

from rapidfuzz.distance import LCSseq

from records.questions import Question
from rules.base import Found, Rule, RuleContext, violation
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
