"""Options that depend on where they stand: "both of the above", "A and C", 以上都对."""

import re

from records.questions import Question
from rules.base import Found, Rule, RuleContext, violation

_LETTERS = r"\(?[A-D]\)?"
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?i)\b(?:all|none|both|neither|any|either|some|two|three)\s+(?:of\s+)?(?:the\s+)?(?:above|below|preceding)\b",
        r"(?i)\b(?:all|none|both|neither|any|either)\s+of\s+(?:the|these)\s+(?:options|answers|choices|statements)\b",
        rf"\b(?i:options?|answers?|choices?|statements?)\s+{_LETTERS}(?![A-Za-z0-9_'’])",
        rf"^\W*(?i:both\s+|neither\s+|either\s+|only\s+)?{_LETTERS}(?:\s*(?:(?i:and|or|nor)|[&,])\s*{_LETTERS})+"
        r"(?:\s+(?i:are|is)\s+\w+)?\W*$",
        r"以上(?:都|皆|均|全|选项|各|说法|[两二三四]|所有|任|答案|表述|陈述)",
        r"上述(?:选项|各项|说法|都|皆|均|全)|以下(?:都|皆|均|全)|前[两三]项|选项\s*[A-D](?![A-Za-z0-9_])",
        r"^\W*(?:只有)?\s*[A-D](?:\s*[和与、或]\s*[A-D])+\s*(?:都|皆|均)?(?:对|正确|错|不对)?\W*$",
    )
)
_MEASURE = re.compile(r"[0-9一二三四五六七八九十百千万亿成半]\S{0,3}以上")


def depends_on_position(text: str) -> bool:
    """Whether an option's meaning changes when the options change places."""
    plain = _MEASURE.sub("", text)
    return any(pattern.search(plain) for pattern in _PATTERNS)


def needs_pinning(question: Question) -> bool:
    """Whether any option depends on the order of the options."""
    return any(depends_on_position(option.text) for option in question.options.values())


def _position_free(question: Question, context: RuleContext) -> Found:
    if question.pinned:
        return ()
    return tuple(
        violation("position-free", letter, f"Option {letter} speaks of other options; make a statement of its own.")
        for letter, option in question.options.items()
        if depends_on_position(option.text)
    )


POSITION_FREE = Rule(
    "position-free",
    {
        "en": "No option speaks of other options ('both of the above', 'A and C'): their order will change.",
        "zh": "选项不得提及其他选项（如“以上都对”“A 和 C”），因为顺序会改变。",
    },
    _position_free,
    source="design, option order",
)
