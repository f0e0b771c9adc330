"""Whether a refined transcript still says what was said: Chinese homophones, terms and fluency may change, facts not.

``refinement_problems("他叫林秀真，今年83岁。", "他叫林秀珍，今年83岁。")`` is empty: the new name sounds the same.
Method: VideoVista-CulturalLingo 3.1 (refinement keeps the meaning). It finds lost facts, not a changed tone.
"""

from collections import Counter
from collections.abc import Sequence

from media.quantities import numbers
from media.summaries import unknown_facts
from media.text import clean, count_characters
from media.transcripts import paragraph
from records.media import Transcript
from records.text import CJK

_SHORTEST, _LONGEST = 0.8, 1.25
"""How far the length may change, as a share of what it was."""
_LEEWAY = 6
"""Characters that may come or go in any case: punctuation, a filler word."""


def refinement_problems(before: str, after: str) -> tuple[str, ...]:
    """What keeps a refined text from being used, in words that can go back to the model; empty when nothing does.

    Numbers must stay, by value and in number; names must stay, or sound the same (Mandarin, tones aside); the length in
    characters must stay within 0.8 to 1.25 of what it was, give or take 6 characters.
    """
    if not clean(after):
        return ("the refined text is empty",) if clean(before) else ()
    return (*_number_problems(before, after), *_name_problems(before, after), *_length_problems(before, after))


def refined(transcript: Transcript, sentences: Sequence[str]) -> Transcript:
    """The transcript with these texts for its sentences; times stay. Raises ValueError unless there is one for each."""
    if len(sentences) != len(transcript.sentences):
        raise ValueError(f"{len(transcript.sentences)} sentences were given, {len(sentences)} came back")
    kept = tuple(
        old.model_copy(update={"text": clean(new) or old.text})
        for old, new in zip(transcript.sentences, sentences, strict=True)
    )
    return transcript.model_copy(update={"sentences": kept, "text": paragraph(kept)})


def _number_problems(before: str, after: str) -> list[str]:
    lost = _facts(before, after, "unknown-number: ")
    added = _facts(after, before, "unknown-number: ")
    if not lost and not added:
        rarer = _amounts(before) - _amounts(after)
        lost = [f"{amount:g} stands less often than before" for amount in rarer]
    return [f"number lost: {fact}" for fact in lost] + [f"number added: {fact}" for fact in added]


def _amounts(text: str) -> Counter[float]:
    """How often each amount stands in a text."""
    return Counter(quantity.value for quantity in numbers(text))


def _name_problems(before: str, after: str) -> list[str]:
    lost = [name for name in _facts(before, after, "unknown-name: ") if not _sounds_in(name, after)]
    added = [name for name in _facts(after, before, "unknown-name: ") if not _sounds_in(name, before)]
    return [f"name lost: {name}" for name in lost] + [f"name added: {name}" for name in added]


def _facts(text: str, other: str, kind: str) -> list[str]:
    """Facts of one kind that `text` has and `other` has not."""
    return [fact.removeprefix(kind) for fact in unknown_facts(text, other) if fact.startswith(kind)]


def _length_problems(before: str, after: str) -> list[str]:
    was, now = count_characters(before), count_characters(after)
    if _SHORTEST * was - _LEEWAY <= now <= _LONGEST * was + _LEEWAY:
        return []
    return [f"length changed from {was} to {now} characters"]


def _sounds_in(name: str, text: str) -> bool:
    """Whether a Chinese name is heard in a text, written with whatever characters of the same sound."""
    if not CJK.search(name):
        return False
    wanted, heard = _syllables(name), _syllables(text)
    return any(heard[start : start + len(wanted)] == wanted for start in range(len(heard) - len(wanted) + 1))


def _syllables(text: str) -> list[str]:
    """Mandarin syllables without tones, one a character; what is no character stays as it is."""
    from pypinyin import lazy_pinyin

    return [syllable for syllable in lazy_pinyin(text) if syllable.strip()]
