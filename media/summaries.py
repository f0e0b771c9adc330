"""Checks on a summary: facts that its transcript does not have, and a cut that ends at a sentence (VNU-Bench F.2).

``unknown_facts("12 ships wait off Vesk.", "About 40 ships wait.")`` gives
``("unknown-number: 12", "unknown-name: Vesk")``.
What is flagged is doubtful, not proven wrong: a summary may count what its transcript lists.
"""

import re

from media.quantities import Quantity, numbers
from media.text import clean, names, split_sentences, tokens
from media.wordlists import CALENDAR_WORDS
from records.text import language_of, normalized


def unknown_facts(summary: str, transcript: str) -> tuple[str, ...]:
    """Numbers, dates, times, weekdays and names of a summary that the transcript does not have, in order, each once.

    Numbers are compared by value, however they are written (``twenty-two`` and 22, 十二万 and 120,000).
    """
    known = numbers(transcript)
    values = {_fact(quantity) for quantity in known} | {_bare(quantity) for quantity in known}
    doubtful = [
        f"unknown-number: {quantity.text}"
        for quantity in numbers(summary)
        if _fact(quantity) not in values and _bare(quantity) not in values
    ]
    doubtful += [f"unknown-name: {name}" for name in _unknown_names(summary, transcript)]
    return tuple(dict.fromkeys(doubtful))


def _fact(quantity: Quantity) -> str:
    return quantity.canonical


def _bare(quantity: Quantity) -> str:
    """A quantity's value alone, since units may be worded differently; dates, times and names match as a whole."""
    whole = quantity.kind in ("date", "time", "label", "ordinal")
    return quantity.canonical if whole else f"={quantity.value:.10g}"


def _unknown_names(summary: str, transcript: str) -> list[str]:
    language = language_of(f"{summary} {transcript}")
    said = normalized(transcript)
    words = set(tokens(transcript, language))
    doubtful = [name for name in names(summary, language) if not _is_said(name, said, words, language)]
    days = re.findall(r"\b[A-Z][a-z]+day\b", summary)
    return doubtful + [day for day in days if day.lower() in CALENDAR_WORDS and day.lower() not in words]


def _is_said(name: str, said: str, words: set[str], language: str) -> bool:
    """Whether a name stands in the transcript, as a whole or (English) in each of its words."""
    if normalized(name) in said:
        return True
    return language == "en" and all(_stem(word) in words or word in words for word in tokens(name, language))


def _stem(word: str) -> str:
    return re.sub(r"['’]s$|s$", "", word)


def cut_at_sentence(text: str, limit: int) -> str:
    """The longest run of whole sentences within `limit` characters; never longer than that.

    A first sentence that is too long by itself is cut at a word (or, in Chinese, at a character) and ends with an
    ellipsis. Raises ValueError for a limit below 1.
    """
    if limit < 1:
        raise ValueError(f"a text cannot be cut to {limit} characters")
    whole = clean(text)
    if len(whole) <= limit:
        return whole
    language = language_of(whole)
    end = 0
    for sentence in split_sentences(whole, language):
        position = whole.index(sentence, end) + len(sentence)
        if position > limit:
            break
        end = position
    return whole[:end] if end else _cut_at_word(whole, limit)


def _cut_at_word(text: str, limit: int) -> str:
    head = text[: limit - 1]
    if not text[limit - 1 : limit].isspace() and language_of(text) != "zh" and " " in head:
        head = head.rsplit(" ", 1)[0]
    return head.rstrip(" ,;:，；：、") + "…"
