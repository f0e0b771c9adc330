"""From cues to sentences with times: marks removed, rolling repeats collapsed, words joined and cut at sentences.

YouTube's automatic captions show every line twice, once as it is spoken and once above the next line. Repeats are
looked for in the cue just before only, so that a sentence that is really said twice stays.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from itertools import pairwise

from media.captions import CaptionFile, Cue
from media.text import clean, join, split_sentences
from records.media import Sentence

_SOUNDS = (
    "music|applause|laughter|laughs|laughing|cheering|cheers|silence|inaudible|crosstalk|sighs|coughs|gasps|singing|"
    "chuckles|sirens?|beeping|foreign|背景音乐|音乐|掌声|笑声|欢呼声?|歌声|静音|听不清"
)
_SOUND = re.compile(
    rf"\[[^\[\]]{{0,60}}\]|【[^【】]{{0,20}}】|[♪♫♬🎵🎶]"
    rf"|[(（]\s*(?!(?:the|an?|with|in|at|and|of|to|for|from)\b)(?:[^()（）]{{0,20}}\b)?(?:{_SOUNDS})(?:\b[^()（）]{{0,20}})?\s*[)）]",
    re.IGNORECASE,
)
_SHOUTED = re.compile(r"\([A-Z][A-Z' -]{2,30}\)")
"""Sounds and speakers that a captioner put into capitals: ``(DOOR SLAMS)``."""
_DASH = re.compile(r"^\s*(?:[-–—]\s+|-(?=[^\W\d])|(?:>>+|»)\s*)+")
_ROLE = re.compile(
    r"^\s*(?:(?:speaker|reporter|narrator|anchor|host|interviewer|interviewee|man|woman|announcer|voice-?over)"
    r"(?:\s*#?\s*\d+)?|记者|主持人|旁白|解说|嘉宾|男声|女声)\s*[:：]\s*",
    re.IGNORECASE,
)
_INNER_SPEAKER = re.compile(r"\s*(?:>>+|»)\s*")
_NEAR_S = 0.06
"""Rolling cues follow one another without a gap worth the name."""
_PAUSE_S = 0.8
"""A pause that ends a sentence where nobody wrote punctuation."""
_LONG = 180
"""Characters after which unpunctuated speech is cut at the next cue."""


def sentences_of(captions: CaptionFile, language: str) -> tuple[Sentence, ...]:
    """The spoken sentences of a caption file, in order, with the times in which they are heard (seconds)."""
    return joined(without_repeats(captions), language)


def joined(cues: Iterable[Cue], language: str) -> tuple[Sentence, ...]:
    """The sentences of cues that hold new words only, such as the timed words of speech recognition."""
    spoken = [cleaned for cue in cues if (cleaned := without_marks(cue)).lines]
    stretches = [_Stretch(run) for run in _runs(spoken)]
    return tuple(sentence for stretch in stretches for sentence in stretch.sentences(language))


def without_marks(cue: Cue) -> Cue:
    """A cue without sound marks (``[Music]``, ``(applause)``) and speaker marks (``>>``, leading dashes)."""
    lines = (_spoken(line) for line in cue.lines)
    return cue.model_copy(update={"lines": tuple(line for line in lines if line)})


def _spoken(line: str) -> str:
    heard = _DASH.sub("", _SOUND.sub(" ", _SHOUTED.sub(" ", line)).strip())
    return clean(_INNER_SPEAKER.sub(" ", _ROLE.sub("", heard)))


def without_repeats(captions: CaptionFile) -> tuple[Cue, ...]:
    """Cues that hold new words only.

    A cue that overlaps the one before it in time and says the same is always dropped. Lines carried over from the cue
    before are dropped only in a file that rolls throughout (`rolls`).
    """
    cues = captions.cues
    rolling = rolls(captions)
    kept = [*cues[:1]]
    for previous, cue in pairwise(cues):
        same = cue.lines == previous.lines and cue.start_s < previous.end_s
        carried = len(cue.lines) if same else _carried(previous, cue) if rolling else 0
        new = cue.lines[carried:]
        if rolling and not carried:
            new = _grown(previous, cue)
        if new:
            kept.append(cue.model_copy(update={"lines": new}))
    return tuple(cue for cue in kept if cue.lines)


def rolls(captions: CaptionFile) -> bool:
    """Whether a file shows lines twice by design: its words are timed, or a third of its cues repeat the last and add.

    A chorus repeats without adding, so it is no sign.
    """
    if captions.word_timed:
        return True
    pairs = [(a, b) for a, b in pairwise(captions.cues) if a.lines and b.lines]
    adding = sum((bool(carried := _carried(a, b)) and carried < len(b.lines)) or _grows(a, b) for a, b in pairs)
    brief = sum(a.end_s - a.start_s <= _NEAR_S for a in captions.cues)
    return len(pairs) >= 2 and adding >= 2 and 3 * (adding + brief) >= len(pairs)


def _carried(previous: Cue, cue: Cue) -> int:
    """How many lines at the start of a cue are the last lines of the one before it, which it follows at once."""
    if cue.start_s - previous.end_s > _NEAR_S:
        return 0
    longest = min(len(previous.lines), len(cue.lines))
    return next((k for k in range(longest, 0, -1) if previous.lines[-k:] == cue.lines[:k]), 0)


def _grows(previous: Cue, cue: Cue) -> bool:
    before, now = " ".join(previous.lines), " ".join(cue.lines)
    return cue.start_s - previous.end_s <= _NEAR_S and now != before and now.startswith(before)


def _grown(previous: Cue, cue: Cue) -> tuple[str, ...]:
    """What a cue adds to the one before, where it repeats it word for word and goes on."""
    if not _grows(previous, cue):
        return cue.lines
    added = " ".join(cue.lines)[len(" ".join(previous.lines)) :].strip()
    return (added,) if added else ()


def _runs(cues: list[Cue]) -> list[list[Cue]]:
    """Cues that belong together: cut where speech without punctuation pauses or grows too long."""
    runs: list[list[Cue]] = []
    length = 0
    for cue in cues:
        text = " ".join(cue.lines)
        if runs and not _breaks(runs[-1][-1], cue, length):
            runs[-1].append(cue)
            length += len(text)
        else:
            runs.append([cue])
            length = len(text)
        if _ENDS.search(text):
            length = 0
    return runs


_ENDS = re.compile(r"[.!?。！？…][\"'”’」』）)]*$")
_PUNCTUATED = re.compile(r"[.!?。！？]")


def _breaks(previous: Cue, cue: Cue, length: int) -> bool:
    if _PUNCTUATED.search(" ".join(cue.lines)) or _ENDS.search(" ".join(previous.lines)):
        return False
    return (cue.start_s - previous.end_s >= _PAUSE_S and length > 40) or length > _LONG


class _Stretch:
    """Cues joined into one text, with the time of each of its characters."""

    def __init__(self, cues: list[Cue]) -> None:
        self.text = ""
        self._starts: list[int] = []
        self._cues = cues
        for cue in cues:
            words = join(cue.lines)
            gap = " " if self.text and join((self.text[-1], words))[1] == " " else ""
            self._starts.append(len(self.text) + len(gap))
            self.text += gap + words

    def sentences(self, language: str) -> list[Sentence]:
        pieces = split_sentences(self.text, language)
        found: list[Sentence] = []
        position = 0
        for piece in pieces:
            position = self.text.index(piece, position)
            end = position + len(piece)
            found.append(Sentence(start_s=self._time(position), end_s=self._time(end, last=True), text=piece))
            position = end
        return found

    def _time(self, offset: int, *, last: bool = False) -> float:
        """Seconds at a character, spread evenly over its cue; rounded to milliseconds."""
        index = bisect_right(self._starts, offset - last) - 1
        cue = self._cues[max(index, 0)]
        begins = self._starts[max(index, 0)]
        ends = len(self.text[: self._starts[index + 1]].rstrip()) if index + 1 < len(self._starts) else len(self.text)
        share = (offset - begins) / max(1, ends - begins)
        return round(cue.start_s + min(1.0, max(0.0, share)) * (cue.end_s - cue.start_s), 3)
