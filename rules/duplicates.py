"""Texts that say the same: equal after normalization, equal but for empty words, or one contained in the other.

``overlap("TAG_A says the pump failed.", "TAG_A says that the pump failed at night.")`` is ``"contained"``. Two texts
that differ in a number, a negation, a tag or any other word on both sides are different. Paraphrases in other words
are the judges' task, not this file's.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from rapidfuzz.distance import LCSseq

from records.base import Record
from records.questions import Letter, Option, Question, Violation
from records.text import CJK, normalized
from rules.base import Found, Rule, RuleContext, violation

Kind = Literal["same", "contains", "contained"]
"""``contains``: the first text says all that the second says, and more."""

_TOKEN = re.compile(r"tag_[a-z]|\d+(?:[.,:]\d+)*%?|[^\W\d_]+(?:['’][^\W\d_]+)?|[%°€$£¥]")
_EMPTY_WORDS = """
a an the that this these those while whereas and then although though is are was were be been has have had do does
did of its it their there so as also which just very
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
_EMPTY_ZH = frozenset("的了着而则并且也就都是在把被将其这那")
_CONTRAST_WORDS = """
not no never none nothing nobody neither nor without cannot can't isn't wasn't aren't weren't doesn't don't didn't
hasn't haven't won't only merely except unless but however yet instead rather before after until by more less fewer
than almost nearly about half twice over under too despite if may might barely hardly partly mostly largely seldom
supposedly allegedly wrongly falsely
"""
_CONTRAST = frozenset(_CONTRAST_WORDS.split())
_CONTRAST_ZH = frozenset("不没未无非仅只除但却反前后多少约近半倍超若或可误假")
_HALVES = re.compile(
    r",?\s+(?:while|whereas|although|though)\s+|,\s+(?:and|but|then)\s+|;\s*|"
    r"[，；]\s*(?:而|并且|但是|但|随后|尽管|则|却)?\s*",
    re.IGNORECASE,
)
_NESTED = 0.75
"""Share of a stem's words that a shorter stem must have for both to ask the same."""
_ASKING_WORDS = """
how what which when where who why vs versus in on to from for with about between and or compare comparison differ
difference
"""
_ASKING = frozenset(_ASKING_WORDS.split())
_ASKING_ZH = frozenset("与和对比有何什么怎样如吗呢哪")
_LEAST = 3
"""Fewest words of content for which "contained" means something."""


class Overlap(Record):
    """Two options that say the same, or of which one says all that the other says."""

    first: Letter
    second: Letter
    kind: Kind


def content_tokens(text: str) -> tuple[str, ...]:
    """The words that carry content, in order, in a plain form; ideographs one by one, numbers whole.

    ``"TAG_A says that it was 22"`` gives ``("tag_a", "say", "22")``.
    """
    tokens = []
    for word in _TOKEN.findall(_spelled(text)):
        tokens += _ideographs(word) if CJK.search(word) else _plain_form(word)
    return tuple(tokens)


def overlap(first: str, second: str) -> Kind | None:
    """How two texts overlap in content, None where each says something that the other does not."""
    return _compare(content_tokens(first), content_tokens(second))


def option_overlap(first: Option, second: Option) -> Kind | None:
    """As `overlap`, half by half and whatever the order of the halves."""
    whole = overlap(first.text, second.text)
    return whole or _compare_halves(_halves(first), _halves(second))


def option_overlaps(options: Mapping[Letter, Option]) -> tuple[Overlap, ...]:
    """All pairs of options that overlap, in the order of their letters."""
    letters = sorted(options)
    pairs = [(one, two) for place, one in enumerate(letters) for two in letters[place + 1 :]]
    kinds = ((one, two, option_overlap(options[one], options[two])) for one, two in pairs)
    return tuple(Overlap(first=one, second=two, kind=kind) for one, two, kind in kinds if kind)


def stem_overlap(stem: str, others: Iterable[str]) -> str | None:
    """The first of the other stems that asks the same of the same sources; None if none does.

    The order of the words and the words that merely ask do not count. A stem that asks all that another one asks, and
    little else, asks the same.
    """
    asked = _asked(stem)
    return next(
        (other for other in others if normalized(stem) == normalized(other) or _same(asked, _asked(other))), None
    )


def _asked(stem: str) -> tuple[frozenset[str], frozenset[str]]:
    """The tags of a stem and what is asked about them."""
    words = frozenset(content_tokens(stem))
    tags = frozenset(word for word in words if word.startswith("tag_"))
    return tags, words - tags - _ASKING - _ASKING_ZH


def _same(first: tuple[frozenset[str], frozenset[str]], second: tuple[frozenset[str], frozenset[str]]) -> bool:
    if first[0] != second[0] or not (first[1] or second[1]):
        return False
    fewer, more = sorted((first[1], second[1]), key=len)
    nested = fewer <= more and len(fewer) >= _LEAST and len(fewer) >= _NESTED * len(more)
    return fewer == more or nested


def fingerprint(text: str) -> str:
    """Equal for texts that are the same after normalization and without empty words; for grouping many texts."""
    return " ".join(content_tokens(text)) or normalized(text)


def _spelled(text: str) -> str:
    return normalized(text).replace("’", "'")


def _ideographs(word: str) -> list[str]:
    return [char for char in word if char not in _EMPTY_ZH]


def _plain_form(word: str) -> list[str]:
    word = word.removesuffix("'s")
    if word in _EMPTY:
        return []
    return [_stem(word)]


def _stem(word: str) -> str:
    """The plural and third-person s taken off, which is all that near-duplicates of one drafter need."""
    if word.startswith("tag_") or word in _CONTRAST or len(word) < 4 or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") else word


def _compare(first: tuple[str, ...], second: tuple[str, ...]) -> Kind | None:
    if not first or not second:
        return None
    if first == second:
        return "same"
    if min(len(first), len(second)) < _LEAST:
        return None
    if _adds_only(longer=first, shorter=second):
        return "contains"
    return "contained" if _adds_only(longer=second, shorter=first) else None


def _adds_only(*, longer: tuple[str, ...], shorter: tuple[str, ...]) -> bool:
    """Whether the longer text is the shorter one with details put in that limit or deny nothing."""
    edits = LCSseq.editops(shorter, longer)
    added = [longer[edit.dest_pos] for edit in edits if edit.tag == "insert"]
    return len(added) == len(edits) and not any(word in _CONTRAST or word in _CONTRAST_ZH for word in added)


def _halves(option: Option) -> tuple[tuple[str, ...], ...]:
    texts = [claim.text for claim in option.claims] or [part for part in _HALVES.split(option.text) if part]
    return tuple(content_tokens(text) for text in texts)


def _compare_halves(first: tuple[tuple[str, ...], ...], second: tuple[tuple[str, ...], ...]) -> Kind | None:
    """Two halves each: the same in either order, or each half of one contained in a half of the other."""
    if len(first) != 2 or len(second) != 2:
        return None
    for order in (second, second[::-1]):
        kinds = {_compare(one, two) for one, two in zip(first, order, strict=True)}
        if None not in kinds and not {"contains", "contained"} <= kinds:
            return "contains" if "contains" in kinds else "contained" if "contained" in kinds else "same"
    return None


def _distinct_options(question: Question, context: RuleContext) -> Found:
    return tuple(_too_close(question, pair) for pair in option_overlaps(question.options))


def _too_close(question: Question, pair: Overlap) -> Violation:
    first, second = (pair.second, pair.first) if pair.kind == "contained" else (pair.first, pair.second)
    says = "say the same" if pair.kind == "same" else f"overlap: {first} only adds detail to what {second} says"
    message = f"Options {pair.first} and {pair.second} {says}; make them differ in a checkable fact."
    return violation("duplicate-options", "options", message)


def _distinct_stem(question: Question, context: RuleContext) -> Found:
    other = stem_overlap(question.stem, context.accepted_stems)
    if other is None:
        return ()
    return (violation("duplicate-stem", "stem", f"An accepted question already asks this: '{other}'. Ask another."),)


DISTINCT_OPTIONS = Rule(
    "duplicate-options",
    {
        "en": "No option repeats another one, with or without other words around it; above all, no wrong option is a "
        "looser or a more detailed wording of the key. Any two options differ in a fact that can be checked.",
        "zh": "任何选项不得重复另一选项的内容，尤其不得是正确选项的笼统版或详细版。"
        "任意两个选项都应在某个可核对的事实上不同。",
    },
    _distinct_options,
    source="design, options; VNU-Bench C.3 (exactly one option is true)",
)

DISTINCT_STEM = Rule(
    "duplicate-stem",
    {
        "en": "Ask about something that none of the accepted questions asks about.",
        "zh": "所问内容不得与已采纳的问题重复。",
    },
    _distinct_stem,
    source="VNU-Bench 2.3 (anti-repetition)",
    applies=lambda context: bool(context.accepted_stems),
)
