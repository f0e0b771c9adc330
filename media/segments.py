"""A video in segments: paragraphs of its speech, cut by a language model and checked here, or scenes joined by looks.

``align(["Good morning. A ship …", "The coast guard …"], sentences)`` says which sentences each paragraph holds, or what
is wrong with the cuts; ``scene_segments(path, "v1", SegmentSettings())`` needs no words. Also the checks of questions
that rest on segments. Method: VideoVista-CulturalLingo 3.1, appendix E; the joining follows Panda-70M's splitting.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from media.probe import probe
from media.transcripts import paragraph
from records.base import Record
from records.errors import InputError
from records.media import Sentence, Transcript
from records.text import normalized
from records.video import Cut, EventAnnotation, Segment, SegmentSettings

if TYPE_CHECKING:
    from media.decoding import Picture
    from media.embeddings import ImageEncoder

Range = tuple[int, int]
"""First and last sentence of a paragraph, counted from 1, both included."""

# --- speech: the cuts that a language model proposes


class Alignment(Record):
    """Where a model's paragraphs stand among the sentences. `ranges` is empty where there are `problems`."""

    ranges: tuple[Range, ...] = ()
    problems: tuple[str, ...] = ()
    """In words that can go back to the model."""


def align(pieces: Sequence[str], sentences: Sequence[Sentence]) -> Alignment:
    """Find the sentences of each paragraph of a transcript that a model has cut into pieces.

    Each cut must fall on a sentence border, and the pieces together must be the whole transcript, in order. Letters
    and digits count; spaces, punctuation and letter case do not, since models tidy these up.
    """
    whole = "".join(_letters(sentence.text) for sentence in sentences)
    parts = [_letters(piece) for piece in pieces]
    if any(not part for part in parts) or not parts:
        return Alignment(problems=("each paragraph must hold at least one sentence of the transcript",))
    if "".join(parts) != whole:
        return Alignment(problems=(_difference(parts, whole, sentences),))
    ends = _ends(_letters(sentence.text) for sentence in sentences)
    cuts = _ends(parts)
    problems = tuple(
        f"paragraph {number} ends inside sentence {bisect_left(ends, cut) + 1}: "
        f"“{sentences[bisect_left(ends, cut)].text}”"
        for number, cut in enumerate(cuts, start=1)
        if cut not in ends
    )
    if problems:
        return Alignment(problems=problems)
    lasts = [_last_at(ends, cut) for cut in cuts]
    return Alignment(ranges=tuple(zip([1, *(last + 1 for last in lasts[:-1])], lasts, strict=True)))


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", normalized(text))


def _ends(texts: Iterator[str] | Sequence[str]) -> list[int]:
    """Where each text ends when all are written one after another."""
    ends, position = [], 0
    for text in texts:
        position += len(text)
        ends.append(position)
    return ends


def _last_at(ends: list[int], cut: int) -> int:
    """The number, from 1, of the last sentence that ends at a cut; one without letters goes with what precedes it."""
    return len(ends) - ends[::-1].index(cut)


def _difference(parts: list[str], whole: str, sentences: Sequence[Sentence]) -> str:
    """Where the paragraphs first leave the transcript, as a sentence and a paragraph that the model knows."""
    said = "".join(parts)
    same = next((i for i, (a, b) in enumerate(zip(said, whole, strict=False)) if a != b), min(len(said), len(whole)))
    starts = [0, *_ends(_letters(sentence.text) for sentence in sentences)]
    number = min(max(1, sum(start <= same for start in starts)), len(sentences))
    if not sentences:
        return "the transcript has no sentences"
    if same == len(said):
        return f"the paragraphs stop too early: sentence {number} is missing, “{_text(sentences, number)}”"
    if same == len(whole):
        return "the paragraphs go on after the transcript has ended; use its own words only, each once"
    where = bisect_left(_ends(parts), same + 1) + 1
    return (
        f"paragraph {where} differs from the transcript at sentence {number}, “{_text(sentences, number)}”; "
        "keep every sentence, in order, as it is"
    )


def _text(sentences: Sequence[Sentence], number: int) -> str:
    return sentences[number - 1].text


def range_problems(ranges: Sequence[Range], count: int) -> tuple[str, ...]:
    """What is wrong with paragraphs given as sentence numbers; empty if nothing is.

    Together they must cover 1 to `count`, the number of sentences, in order, each once.
    """
    if not ranges:
        return ("there must be at least one paragraph",)
    problems = [f"paragraph {first}-{last} runs backwards" for first, last in ranges if last < first]
    if ranges[0][0] != 1:
        problems.append(f"the first paragraph must begin with sentence 1, not {ranges[0][0]}")
    for (_, last), (first, _) in pairwise(ranges):
        if first > last + 1:
            problems.append(f"sentences {last + 1} to {first - 1} are in no paragraph")
        elif first <= last:
            problems.append(f"sentence {first} is in two paragraphs")
    if ranges[-1][1] != count:
        problems.append(f"the last paragraph must end with sentence {count}, not {ranges[-1][1]}")
    return tuple(problems)


def speech_segments(video_id: str, transcript: Transcript, ranges: Sequence[Range]) -> tuple[Segment, ...]:
    """The segments of a transcript cut into paragraphs, from the first sentence's start to the last one's end.

    Raises ValueError where `range_problems` finds something, or where the transcript has no times.
    """
    sentences = transcript.sentences
    problems = range_problems(ranges, len(sentences))
    if problems:
        raise ValueError("; ".join(problems))
    if all(sentence.end_s <= 0 for sentence in sentences):
        raise ValueError(f"{video_id}: a transcript of origin {transcript.origin} has no times to cut a video by")
    starts = [sentences[first - 1].start_s for first, _ in ranges]
    segments = []
    for index, (first, last) in enumerate(ranges):
        heard = sentences[first - 1 : last]
        until = max(sentence.end_s for sentence in heard)
        if index + 1 < len(starts):
            until = min(until, starts[index + 1]) if starts[index + 1] > starts[index] else until
        segments.append(
            Segment(
                video_id=video_id, index=index, start_s=starts[index], end_s=max(until, starts[index] + 0.001),
                text=paragraph(heard), origin="speech",
            )
        )  # fmt: skip
    return tuple(segments)


# --- scenes: cut where the picture changes, joined where both sides look alike

_LOOK_EVERY_S = 0.25
_LOOK_SIDE = 320
_EDGE = 2
"""How many looks from a cut a piece is compared at, so that a fade shows neither side in the other."""


@dataclass
class _Piece:
    """A stretch of video as it looks near its two ends."""

    start_s: float
    end_s: float
    head: Picture
    tail: Picture


@dataclass(frozen=True)
class _Joint:
    """The cut between two pieces."""

    time_s: float
    likeness: float


def scene_segments(
    path: Path,
    video_id: str,
    settings: SegmentSettings | None = None,
    encoder: ImageEncoder | None = None,
    transcript: Transcript | None = None,
) -> tuple[Segment, ...]:
    """The segments of a video by what is shown; together they cover it from 0 to its end.

    Cuts of PySceneDetect's content detector, and steps of `step_s` within long scenes, are undone where the picture
    before and the picture after look alike to `encoder` (colours and a perceptual hash without one). The words of
    `transcript` go to the segment in which their sentence has its middle. The video is decoded once; three pictures
    a piece are held at most. Raises InputError if it cannot be read.
    """
    import av

    from media.embeddings import ColourAndHash

    settings, encoder = settings or SegmentSettings(), encoder or ColourAndHash()
    found = probe(path)
    if found.problem or not found.has_picture:
        raise InputError(f"{path}: {found.problem or 'has no picture'}.", hint=found.action or "Download it again.")
    try:
        ends_s, joints = _looked_through(path, settings, encoder)
    except (av.error.FFmpegError, OSError) as error:
        raise InputError(f"{path}: cannot be decoded ({error}).", hint="Download it again.") from error
    cuts = stitched(joints, max(ends_s, found.duration_s or 0.0), settings, encoder.same)
    sentences = transcript.sentences if transcript else ()
    return tuple(
        Segment(
            video_id=video_id, index=index, start_s=start_s, end_s=end_s,
            text=paragraph(_said_between(sentences, start_s, end_s, is_last=index == len(cuts) - 2)), origin="scenes",
        )
        for index, (start_s, end_s) in enumerate(pairwise(cuts))
    )  # fmt: skip


def _said_between(
    sentences: Sequence[Sentence], start_s: float, end_s: float, *, is_last: bool
) -> tuple[Sentence, ...]:
    middles = [(sentence, (sentence.start_s + sentence.end_s) / 2) for sentence in sentences]
    return tuple(sentence for sentence, middle in middles if start_s <= middle and (middle < end_s or is_last))


def _looked_through(
    path: Path, settings: SegmentSettings, encoder: ImageEncoder
) -> tuple[float, list[tuple[float, float]]]:
    """When the last picture ends, and each cut with the likeness of its two sides."""
    joints: list[tuple[float, float]] = []
    previous: _Piece | None = None
    for piece in _pieces(path, settings.step_s):
        if previous is not None:
            before, after = encoder.encode([previous.tail.pixels, piece.head.pixels])
            joints.append((piece.start_s, float(before @ after)))
        previous = piece
    return (previous.end_s if previous else 0.0), joints


def _pieces(path: Path, step_s: float) -> Iterator[_Piece]:
    """Stretches between cuts, a long scene in steps, one after another."""
    from media.decoding import pictures
    from media.scenes import SceneCounter

    scenes = SceneCounter()
    scene, start_s = 0, 0.0
    seen: deque[Picture] = deque(maxlen=_EDGE + 1)
    head: Picture | None = None
    looks = 0
    for picture in pictures(path, _LOOK_SIDE, _LOOK_EVERY_S):
        number = scenes.see(picture.time_s, picture.pixels).number
        if head is not None and (number != scene or picture.time_s - start_s >= step_s):
            yield _Piece(start_s, picture.time_s, head, seen[0])
            start_s, head, looks = picture.time_s, None, 0
            seen.clear()
        scene = number
        seen.append(picture)
        looks += 1
        if head is None or looks <= _EDGE + 1:
            head = picture
    if head is not None:
        yield _Piece(start_s, seen[-1].time_s + _LOOK_EVERY_S, head, seen[0])


def stitched(
    joints: Sequence[tuple[float, float]], duration_s: float, settings: SegmentSettings, same: float
) -> tuple[float, ...]:
    """The borders of the segments, 0 and `duration_s` included, from possible cuts (time, likeness of the two sides).

    A cut stays where its sides are less alike than `settings.same` (else `same`, the encoder's). Then the most alike
    cuts beside segments that are too short are undone, and segments that are too long get back their least alike ones.
    """
    limit = settings.same if settings.same is not None else same
    possible = [_Joint(time_s, likeness) for time_s, likeness in joints if 0.0 < time_s < duration_s]
    kept = [joint for joint in possible if joint.likeness < limit]
    kept = _without_short(kept, duration_s, settings.shortest_s)
    kept = _with_long_cut(kept, possible, duration_s, settings)
    return (0.0, *(joint.time_s for joint in kept), round(duration_s, 3))


def _without_short(kept: list[_Joint], duration_s: float, shortest_s: float) -> list[_Joint]:
    while kept:
        borders = [0.0, *(joint.time_s for joint in kept), duration_s]
        lengths = [end - start for start, end in pairwise(borders)]
        short = min(range(len(lengths)), key=lengths.__getitem__)
        if lengths[short] >= shortest_s:
            break
        beside = [index for index in (short - 1, short) if 0 <= index < len(kept)]
        del kept[max(beside, key=lambda index: kept[index].likeness)]
    return kept


def _with_long_cut(
    kept: list[_Joint], possible: list[_Joint], duration_s: float, settings: SegmentSettings
) -> list[_Joint]:
    kept = list(kept)
    while True:
        borders = [0.0, *(joint.time_s for joint in kept), duration_s]
        inner = [
            joint
            for start, end in pairwise(borders)
            if end - start > settings.longest_s
            for joint in possible
            if start < joint.time_s < end and min(joint.time_s - start, end - joint.time_s) >= settings.shortest_s
        ]
        if not inner:
            return kept
        kept = sorted([*kept, min(inner, key=lambda joint: joint.likeness)], key=lambda joint: joint.time_s)


# --- questions that rest on segments


def prediction_cut(video_id: str, events: Sequence[EventAnnotation], index: int, lead_s: float = 0.0) -> Cut:
    """The clip that a question about event `index` (from 0) shows: from the start until `lead_s` before that event.

    Raises ValueError for the first event, which nothing precedes, and for an index that there is not.
    """
    if not 0 < index < len(events):
        raise ValueError(f"event {index} of {len(events)} cannot be predicted: it needs an event before it")
    event = events[index]
    return Cut(
        video_id=video_id, start_s=0.0, end_s=event.start_s - lead_s,
        event_start_s=event.start_s, event_end_s=event.end_s,
    )  # fmt: skip


Span = tuple[float, float]
"""Start and end in seconds."""
_LEEWAY_S = 1.0
"""Times in options are read by people, who count in seconds."""


def span_problems(
    options: Sequence[Span], key: int, within: Span, duration_s: float, least_gap_s: float = 3.0
) -> tuple[str, ...]:
    """What is unfair about the options of an event-localization question; empty if nothing is.

    The right span must lie within its segment (give or take a second) and cover half of it; wrong ones must neither
    overlap the right one nor come nearer to it than `least_gap_s`; all must lie in the video and differ.
    """
    problems = [f"option {number} runs backwards" for number, (start, end) in enumerate(options, 1) if end <= start]
    problems += [
        f"option {number} lies outside the video (0-{duration_s:g} s)"
        for number, (start, end) in enumerate(options, 1)
        if start < 0 or end > duration_s + 0.5
    ]
    right = options[key]
    inside = right[0] >= within[0] - _LEEWAY_S and right[1] <= within[1] + _LEEWAY_S
    if not inside or right[1] - right[0] < 0.5 * (within[1] - within[0]):
        problems.append(f"the right option must be about {within[0]:g}-{within[1]:g} s, where the event is")
    for number, (start, end) in enumerate(options, 1):
        if number - 1 != key and max(start - right[1], right[0] - end) < least_gap_s:
            problems.append(f"option {number} is less than {least_gap_s:g} s from the right one")
    if len(set(options)) < len(options):
        problems.append("two options are the same")
    return tuple(problems)
