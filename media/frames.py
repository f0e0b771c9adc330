"""The frames of a video that may be shown to models: stored as JPEG by hash, ranked, and the best of them selected.

Without a captioner frames are ranked by what can be seen without a model (`media.candidates`), with one by the sum of
its ten relevance scores (VNU-Bench 2.2).
"""

from collections.abc import Mapping
from pathlib import Path

from media.framestore import FrameStore
from records.config import ImageSettings
from records.errors import InputError
from records.media import Frame, Source


def candidate_frames(source: Source, settings: ImageSettings, out: Path) -> tuple[Frame, ...]:
    """Candidate frames of a video, in order of time, ranked by what can be seen without a model.

    Writes each as ``out/<sha256>.jpg`` (longer side at most `settings.longer_side`, never enlarged). At most
    `settings.candidates`; none for a source without a picture. Raises InputError if the video cannot be decoded.
    """
    if not source.video_file:
        return ()
    import av

    from media.candidates import find_candidates

    try:
        found = find_candidates(Path(source.video_file), settings)
    except (av.error.FFmpegError, OSError) as error:
        raise InputError(f"{source.video_file}: cannot be decoded ({error}).", hint="Download it again.") from error
    store = FrameStore(out)
    return tuple(
        Frame(
            sha256=store.put(ranked.candidate.jpeg), video_id=source.video_id, number=number,
            time_s=ranked.candidate.time_s, width=ranked.candidate.size[0], height=ranked.candidate.size[1],
            rank=ranked.rank, signals=ranked.signals,
        )
        for number, ranked in enumerate(found, start=1)
    )  # fmt: skip


def select_frames(
    candidates: tuple[Frame, ...], count: int, captions: Mapping[str, tuple[str, tuple[float, ...]]] | None
) -> tuple[Frame, ...]:
    """The `count` best candidates in order of time, numbered from 1, with rank 1 for the best of all.

    `captions` maps a frame's hash to its caption and ten scores; then the sum of the scores ranks (VNU-Bench 2.2),
    with the ranking by signals deciding ties and placing frames that have no scores last. None: signals alone rank.
    """
    told = [_captioned(frame, (captions or {}).get(frame.sha256)) for frame in candidates]
    best = sorted(told, key=lambda frame: (-sum(frame.scores) if frame.scores else 1.0, frame.rank))[:count]
    ranks = {frame.sha256: rank for rank, frame in enumerate(best, start=1)}
    in_time = sorted(best, key=lambda frame: frame.time_s)
    return tuple(
        frame.model_copy(update={"number": number, "rank": ranks[frame.sha256]})
        for number, frame in enumerate(in_time, start=1)
    )


def _captioned(frame: Frame, told: tuple[str, tuple[float, ...]] | None) -> Frame:
    return frame if told is None else frame.model_copy(update={"caption": told[0], "scores": told[1]})
