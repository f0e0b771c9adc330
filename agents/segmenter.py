"""Cuts an audio-rich transcript into paragraphs by sentence numbers, checked by code (VideoVista-CulturalLingo 3.1).

windows → segment_request → (gateway) → read_ranges → (first, last) pairs of sentence numbers that cover the whole, or
what is wrong with them. Times come from the sentences (`media.segments.speech_segments`), never from the model.
"""

from itertools import pairwise

from agents.listing import numbered_sentences
from agents.mending import Faults
from media.segments import range_problems
from prompts import render
from records.calls import Reply, Request, SpecPart, TextPart
from records.config import ModelSpec
from records.media import Transcript
from records.video_replies import SegmentReply

Range = tuple[int, int]
"""Numbers of a paragraph's first and last sentence, from 1."""


def windows(count: int, size: int) -> tuple[Range, ...]:
    """The sentences in runs of at most `size`, as even as can be. Raises ValueError for a size below 1."""
    if size < 1:
        raise ValueError(f"a window has at least one sentence, not {size}")
    parts = -(-count // size)
    borders = [round(part * count / parts) for part in range(parts + 1)] if parts else [0]
    return tuple((start + 1, end) for start, end in pairwise(borders))


def segment_request(transcript: Transcript, window: Range, model: ModelSpec, *, group_id: str) -> Request:
    """A request to cut the sentences of one window; their numbers are those of the whole transcript."""
    first, last = window
    sentences = transcript.sentences[first - 1 : last]
    task = render("video/segment", count=len(sentences), first=first, last=last)
    spec = {
        "language": transcript.language,
        "first": first,
        "last": last,
        "sentences": [sentence.model_dump() for sentence in sentences],
    }
    return Request(
        task="segment",
        model=model,
        system=render("video/segment-system"),
        parts=(
            numbered_sentences("sentences", enumerate(sentences, start=first)),
            TextPart(text=task),
            SpecPart(values=spec),
        ),
        reply_model=SegmentReply,
        group_id=group_id,
        unit=f"sentences {first}-{last}",
    )


def read_ranges(reply: Reply, window: Range) -> tuple[Range, ...] | Faults:
    """The paragraphs of a window, or why they cannot be used: gaps, overlaps, numbers that there are not."""
    value = reply.value
    if not isinstance(value, SegmentReply):
        raise TypeError(f"paragraphs are read from a SegmentReply, not from a {type(value).__name__}")
    before = window[0] - 1
    ranges = tuple((piece.first - before, piece.last - before) for piece in value.pieces)
    problems = range_problems(ranges, window[1] - before)
    if problems:
        shifted = f" (sentence 1 there is sentence {window[0]} here)" if before else ""
        return Faults(problems=tuple(f"{problem}{shifted}" for problem in problems))
    return tuple((first + before, last + before) for first, last in ranges)
