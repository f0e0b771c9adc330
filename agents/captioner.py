"""The captioner: a batch of frames in, for each a caption and ten relevance scores out (VNU-Bench 2.2, frame ranking).

batches → caption_request → (gateway) → read_captions. The sum of a frame's scores ranks it within its video.
"""

from collections import Counter
from collections.abc import Mapping

from agents.showing import image_part, language_name
from prompts import render
from prompts.taskheads import TaskHead, load_taskheads, taxonomy
from records.calls import CallFailure, Reply, Request, SpecPart, TextPart
from records.config import ModelSpec
from records.media import Frame, Group, Source, tag_of
from records.replies import CaptionReply

Caption = tuple[str, tuple[float, ...]]
"""A frame's caption, and its relevance to T1 … T10, each 0.0–1.0."""

TYPES = tuple(f"T{number}" for number in range(1, 11))


def batches(frames: tuple[Frame, ...], size: int) -> tuple[tuple[Frame, ...], ...]:
    """The frames in batches of at most `size`, in order. Raises ValueError for a size below 1."""
    if size < 1:
        raise ValueError(f"a batch has at least one frame, not {size}")
    return tuple(frames[start : start + size] for start in range(0, len(frames), size))


def caption_request(
    batch: tuple[Frame, ...],
    model: ModelSpec,
    group: Group,
    source: Source,
    heads: Mapping[str, TaskHead] | None = None,
) -> Request:
    """One call for a batch of one video's frames; they are numbered from 1 within the call, whatever their own numbers.

    Only frames are shown: a caption must not know what is said.
    """
    known = heads or load_taskheads()
    task = render(
        "captioner/task",
        count=len(batch),
        language=language_name(group.language),
        taxonomy=taxonomy({name: known[name] for name in TYPES}),
    )
    images = (image_part(tag_of(0), frame, number) for number, frame in enumerate(batch, start=1))
    return Request(
        task="caption",
        model=model,
        system=render("captioner/system"),
        parts=(TextPart(text=task), *images, SpecPart(values={"language": group.language, "count": len(batch)})),
        reply_model=CaptionReply,
        group_id=group.group_id,
        unit=source.video_id,
    )


def read_captions(reply: Reply, batch: tuple[Frame, ...]) -> dict[str, Caption] | CallFailure:
    """Caption and scores by frame hash; a failure where a frame is missing, doubled or not of this batch."""
    value = reply.value
    if not isinstance(value, CaptionReply):
        raise TypeError(f"captions are read from a CaptionReply, not from a {type(value).__name__}")
    problem = _mismatch([entry.frame for entry in value.frames], len(batch))
    if problem:
        return CallFailure(
            request_id=reply.request_id, outcome="unparsed", message=problem, raw=reply.raw, model=reply.model
        )
    return {
        batch[entry.frame - 1].sha256: (entry.caption.strip(), tuple(entry.scores))
        for entry in sorted(value.frames, key=lambda entry: entry.frame)
    }


def relevance(scores: tuple[float, ...]) -> float:
    """A frame's aggregate relevance, 0.0–10.0: the sum of its scores."""
    return sum(scores)


def _mismatch(numbers: list[int], count: int) -> str:
    """What is wrong with the frame numbers of a reply to `count` frames; empty if nothing is."""
    counted = Counter(numbers)
    problems = {
        "unknown": sorted(number for number in counted if not 1 <= number <= count),
        "missing": sorted(set(range(1, count + 1)) - set(counted)),
        "doubled": sorted(number for number, times in counted.items() if times > 1),
    }
    named = [f"{kind}: {', '.join(map(str, found))}" for kind, found in problems.items() if found]
    return f"captions do not fit the {count} frames ({'; '.join(named)})" if named else ""
