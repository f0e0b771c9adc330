"""How a question about one video is worded: in the video's language, about the video and not about our notes on it."""

import re

from records.questions import Question
from records.text import language_of, normalized, primary_language
from rules.base import Found, Rule, RuleContext, violation
from rules.duplicates import stem_overlap
from rules.facts import form_of, texts

_NOTES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bTAG_[A-Z]\b",
        r"\b(?:events?|segments?|objects?|steps?)\s*(?:no\.?|number|#)?\s*\d+\b",
        r"\b(?:event|segment|object)\s+(?:list|sequence list|annotations?|descriptions?)\b",
        r"\b(?:transcripts?|annotations?|captions? file|bounding[- ]box annotations?)\b",
        r"\b(?:the|this|given|provided|background)\s+article\b|\bwikipedia\b|\bencyclop(?:a|ae)dia (?:entry|article)\b",
        r"(?:事件|片段|物体|对象)\s*(?:列表|清单|标注|\d+)|第\s*[\d一二三四五六七八九十]+\s*(?:个|段)?\s*(?:事件|片段)",
        r"文字稿|转录|标注|(?:文章|条目|词条|百科)(?:中|里|所|提)|维基百科",
    )
)
_LONG = 60
"""Options shorter than this in all may be names that are not translated."""


def notes_in(text: str) -> tuple[str, ...]:
    """The words of a text that speak of our notes instead of the video, each once."""
    return tuple(dict.fromkeys(match[0] for pattern in _NOTES for match in pattern.finditer(text)))


def _about_the_video(question: Question, context: RuleContext) -> Found:
    places = {"stem": question.stem} | {letter: option.text for letter, option in question.options.items()}
    found = []
    for where, text in places.items():
        words = notes_in(text)
        if words:
            quoted = ", ".join(f"'{word}'" for word in words)
            message = f"{quoted} speaks of the notes that you were given; speak of the video as its viewer does."
            found.append(violation("about-the-video", where, message))
    return tuple(found)


def _language(question: Question, context: RuleContext) -> Found:
    expected = primary_language(question.language)
    if not expected or expected == "und":
        return None
    written = {"stem": question.stem}
    options = " ".join(option.text for option in question.options.values())
    if form_of(question) in ("text", "roles", "order") and len(options) >= _LONG:
        written["options"] = options
    wrong = [where for where, text in written.items() if (language_of(text) == "zh") != (expected == "zh")]
    name = {"zh": "Chinese", "en": "English"}.get(expected, f"the video's language ({expected})")
    return tuple(violation("in-language", where, f"Write the {where} in {name}.") for where in wrong)


def _asked_anew(question: Question, context: RuleContext) -> Found:
    other = stem_overlap(asked_about(question), context.accepted_stems)
    if other is None:
        return ()
    return (violation("duplicate-stem", "stem", f"An accepted question already asks this: '{other}'. Ask another."),)


def asked_about(question: Question) -> str:
    """What a question asks: its stem, and for an order the things that are put in order."""
    things = sorted(texts(question.extra, "order"), key=normalized)
    return f"{question.stem} ({'; '.join(things)})" if things else question.stem


ABOUT_THE_VIDEO = Rule(
    "about-the-video",
    {
        "en": "Speak of the video as its viewer knows it. Event numbers, the list of events, descriptions, boxes that "
        "were measured, and the background article are your notes: no stem or option mentions them.",
        "zh": "以观众看到的视频为对象来提问。事件编号、事件列表、描述、测得的数据和背景条目"
        "都是你的笔记，题干和选项不得提及。",
    },
    _about_the_video,
    source="VideoVista-CulturalLingo 3.2 (every question depends on the video)",
)

IN_LANGUAGE = Rule(
    "in-language",
    {
        "en": "Write stem and options in the video's language; names stay as they are.",
        "zh": "题干和选项用视频的语言书写；名称照录。",
    },
    _language,
    source="VideoVista-CulturalLingo 3.4 (two languages)",
)

ASKED_ANEW = Rule(
    "duplicate-stem",
    {
        "en": "Ask about something that none of the accepted questions asks about.",
        "zh": "所问内容不得与已采纳的问题重复。",
    },
    _asked_anew,
    source="VNU-Bench 2.3 (anti-repetition)",
    applies=lambda context: bool(context.accepted_stems),
)
