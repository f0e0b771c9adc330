"""An option's text cut into its claims, each with the sources that it is about.

``"TAG_A says 22, while TAG_B says 24."`` gives ``(TAG_A says 22; TAG_A)`` and ``(TAG_B says 24; TAG_B)``. The cut is
made at joining words that a tag follows closely; a clause that names no tag belongs to the clause before it.
"""

import re

from media.text import split_sentences
from offline.words import TAG, content, mentioned_tags
from records.base import Record
from records.media import Tag

_JOINT = re.compile(
    r"[,;]?\s+and\s+that\s+|"
    r"[,;]?\s+(?:while|whereas|and|but|then|although|though|yet)\s+|[;；]\s*|(?:，|,(?=\s))\s*(?:而|但|并且|随后|尽管|同时)?\s*"
)
_REACH = 40
"""Characters within which a tag must follow a joint for the joint to part two claims."""


class ClaimText(Record):
    """One claim of an option as a reader meets it."""

    text: str
    tags: tuple[Tag, ...]
    """In order of mention; empty where the option names no source."""


def split_claims(option: str, fallback: tuple[Tag, ...] = ()) -> tuple[ClaimText, ...]:
    """The claims of an option, in order; one at least. `fallback` are the tags of an option that names none."""
    pieces: list[str] = []
    start = 0
    for joint in _JOINT.finditer(option):
        if _outside_quotes(option, joint.start()) and _parts_claims(option, start, joint):
            pieces.append(option[start : joint.start()])
            start = joint.end()
    pieces.append(option[start:])
    return tuple(ClaimText(text=piece.strip(" .。"), tags=mentioned_tags(piece) or fallback) for piece in pieces)


def single_sentences(claim: ClaimText, language: str) -> tuple[ClaimText, ...]:
    """A claim that quotes two sentences of a source as two claims, since each is looked up for itself."""
    if len(claim.tags) > 1:
        return (claim,)
    said = re.sub(r"[“”\"]", "", content(claim.text))
    texts = split_sentences(said, language)
    return tuple(ClaimText(text=text.strip(" .。"), tags=claim.tags) for text in texts) if len(texts) > 1 else (claim,)


def _parts_claims(option: str, start: int, joint: re.Match[str]) -> bool:
    """A tag on either side, and the words between the tags say something (``TAG_A and TAG_B`` is one subject)."""
    before, after = option[start : joint.start()], option[joint.end() :]
    tag = TAG.search(after[:_REACH])
    last = list(TAG.finditer(before))
    if not tag or not last or _JOINT.search(after, 0, tag.start() + 1):
        return False
    said = before[last[-1].end() :]
    return len(re.findall(r"[\w\u4e00-\u9fff]", said)) >= 3


def _outside_quotes(text: str, position: int) -> bool:
    before = text[:position]
    return before.count("“") == before.count("”") and before.count('"') % 2 == 0


def statements(text: str, language: str) -> tuple[str, ...]:
    """A question's own words in the pieces in which it may state something: its sentences, parted where claims are."""
    pieces = (piece for sentence in _split(text, language) for piece in split_claims(sentence))
    return tuple(piece.text for piece in pieces if piece.text)


def _split(text: str, language: str) -> tuple[str, ...]:
    """Sentences that end outside quotation marks."""
    parts: list[str] = []
    for sentence in split_sentences(text, language):
        inside = bool(parts) and not _outside_quotes(parts[-1], len(parts[-1]))
        parts = [*parts[:-1], f"{parts[-1]} {sentence}"] if inside else [*parts, sentence]
    return tuple(parts)
