"""Words that point instead of naming: "the former", "the other", 前者 … A question names its sources by their tags.

Only pronoun uses are broken rules: "not one drop", "first responders", "one of the", "at first" and "the second most"
name what they speak of. What a source is quoted as saying (in double quotation marks) is left alone.
"""

import re
from collections.abc import Iterator

from records.questions import Question
from rules.base import Found, Rule, RuleContext, violation

_REPORTS = (
    r"(?:says?|said|shows?|showed|reports?|reported|claims?|claimed|states?|stated|argues?|argued|blames?|blamed|"
    r"presents?|presented|frames?|framed|focus(?:es|ed)?|stress(?:es|ed)?|tells?|told|confirms?|confirmed|"
    r"contradicts?|contradicted|cites?|cited|describes?|described|emphasi[sz]es?|emphasi[sz]ed|mentions?|mentioned|"
    r"suggests?|suggested|denies|denied|concludes?|concluded|treats?|treated)"
)
_SAYS = (
    rf"(?:{_REPORTS}|gives?|gave|puts?|has|have|had|is|was|are|were|does|did|do|names?|named|uses?|used|calls?|called|"
    r"makes?|made|takes?|took|keeps?|kept|offers?|offered|adds?|added|supports?|supported|holds?|held|leaves?|left|"
    r"lists?|listed|ends?|ended|begins?|began|opens?|opened|relies|relied|leans?|sees?|saw|places?|placed|dates?|dated|"
    r"stays?|stayed|remains?|remained|can|could|will|would|may|might|must|should|cannot|only|never|also|merely|simply|"
    r"instead)"
)
_SOURCE = r"(?:sources?|reports?|outlets?|videos?|channels?|broadcasts?|broadcasters?|clips?|stations?|segments?)"
_STOP = r"(?=\s*(?:[,.;:!?)…—–-]|$))"
_LINK = r"(?=\s+(?:and|or|but|while|whereas|as|than|in|on|of|from|with|by|to|for|at|that|which|who|does|did)\b)"
_AS_PRONOUN = rf"(?:{_STOP}|{_LINK}|(?=\s+{_SAYS}\b)|(?='s\b))"

_ENGLISH = (
    rf"\bthe\s+former{_AS_PRONOUN}",
    r"\bthe\s+former\b(?=.*\bthe\s+latter\b)",
    r"\bthe\s+latter\b(?!\s+(?:half|part|parts|stages?|days|weeks|months|years|decades?|phases?|portions?)\b)",
    rf"\b(?:the\s+former|the\s+latter)\s+{_SOURCE}\b",
    r"\bthe\s+others\b",
    rf"\bthe\s+other(?:\s+(?:two|three|four|five))?(?:{_AS_PRONOUN}|\s+{_SOURCE}\b)",
    rf"\banother\s+{_SOURCE}\b",
    rf"\b(?:the\s+)?(?:other|another|this|that|each|former|latter)\s+ones?\b(?!-)(?:{_AS_PRONOUN})",
    rf"\bthe\s+ones?(?:{_STOP}|(?=\s+(?:that|which|who|in|from|of|with|by|{_SAYS})\b))",
    rf"(?<!no )(?<!any )(?<!every )(?<!each )(?<!some )(?<!which )\bone\s+(?={_REPORTS}\b)",
    rf"\bthe\s+(?:first|second)(?:\s+{_SOURCE}\b|\s+ones?\b|{_STOP}|(?=\s+{_SAYS}\b)|(?='s\b))",
)
_CHINESE = (
    r"前者|后者",
    r"另一(?:个|家|则|篇|段|份|部|位|条)?(?:来源|报道|媒体|视频|消息)",
    r"另一(?:个|家|则|篇|份|者|方)(?!面)",
    r"(?:前|后)一(?:个|家|则|篇|段|份)(?:来源|报道|媒体|视频|消息)?(?=[，。；、：？说称报则认指显给把却]|$)",
    r"第[一二](?:个|家|则|篇|段|份)(?:来源|报道|媒体|视频|消息|(?=[，。；、：？说称报则认指显给把却]|$))",
    r"其[一二](?=[，、：说称报则认指显给])",
    r"[这那]一个(?=[，。；、：？说称报则认指显给把却]|$)",
)
_PATTERNS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in (*_ENGLISH, *_CHINESE))
_SPEECH = re.compile(r"“[^”]*”|\"[^\"]*\"|「[^」]*」|『[^』]*』")


def pointing_words(text: str) -> tuple[str, ...]:
    """The deictic pronouns of a text, as they stand there, each once."""
    plain = _SPEECH.sub(lambda match: " " * len(match[0]), text)
    return tuple(dict.fromkeys(match.strip() for match in _matches(plain)))


def _matches(text: str) -> Iterator[str]:
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            yield match[0]


def _deictic(question: Question, context: RuleContext) -> Found:
    places = {"stem": question.stem} | {letter: option.text for letter, option in question.options.items()}
    places["evidence"] = question.evidence
    found = []
    for where, text in places.items():
        words = pointing_words(text)
        if words:
            quoted = ", ".join(f"'{word}'" for word in words)
            found.append(violation("no-deictics", where, f"{quoted} points; name the source or the thing itself."))
    return tuple(found)


NO_DEICTICS = Rule(
    "no-deictics",
    {
        "en": "Never point at a source or a thing with 'one', 'the other', 'the former', 'the latter', 'the first' or "
        "'the second'; repeat the tag or the noun. ('One of the ships' or 'first responders' are fine: they name.)",
        "zh": "不要用“前者”“后者”“另一个”“第一个”“第二个”等指代来源或事物；请重复写出标签或名词。",
    },
    _deictic,
)
