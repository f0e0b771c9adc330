"""A group as models see it: tags dealt by seed, transcripts, summaries and frames; no outlet, title or date.

Names that are spoken in a transcript or shown in a frame stay, unless outlet names are masked (`media.masking`).
"""

import hashlib
from collections.abc import Mapping

from media.masking import mask_outlets as masked
from records.base import content_id
from records.media import Evidence, Frame, Group, Source, SourceEvidence, Tag, tag_of


def deal_tags(group: Group, seed: int) -> dict[str, Tag]:
    """Video id → tag. The order depends on the seed, the group's id and the set of video ids, and on nothing else."""
    order = sorted((source.video_id for source in group.sources), key=lambda video_id: _draw(seed, group, video_id))
    return {video_id: tag_of(index) for index, video_id in enumerate(order)}


def _draw(seed: int, group: Group, video_id: str) -> str:
    return hashlib.sha256(f"{seed}\0{group.group_id}\0{video_id}".encode()).hexdigest()


def build_evidence(
    group: Group,
    frames: Mapping[str, tuple[Frame, ...]],
    summaries: Mapping[str, tuple[str, tuple[str, ...]]],
    seed: int,
    *,
    mask_outlets: bool = False,
) -> Evidence:
    """The evidence of a group, its sources in tag order.

    `frames` are each video's selected frames, `summaries` each video's summary with its flags, both by video id; a
    video without an entry has none. With `mask_outlets`, spoken outlet names are replaced by tags.
    """
    tags = deal_tags(group, seed)
    sources = sorted((source for source in group.sources), key=lambda source: tags[source.video_id])
    seen = tuple(
        _source_evidence(source, tags[source.video_id], frames.get(source.video_id, ()), summaries.get(source.video_id))
        for source in sources
    )
    if mask_outlets:
        seen = tuple(_masked(source, group, tags) for source in seen)
    content = [
        group.group_id,
        group.topic,
        group.domain,
        group.language,
        [source.model_dump(mode="json") for source in seen],
    ]
    return Evidence(
        evidence_id=content_id("e", content),
        group_id=group.group_id,
        topic=group.topic,
        domain=group.domain,
        language=group.language,
        sources=seen,
    )


def _source_evidence(
    source: Source, tag: Tag, frames: tuple[Frame, ...], summary: tuple[str, tuple[str, ...]] | None
) -> SourceEvidence:
    text, flags = summary or ("", ())
    scored = any(frame.scores for frame in frames)
    return SourceEvidence(
        tag=tag,
        video_id=source.video_id,
        transcript=source.transcript,
        summary=text,
        summary_flags=flags,
        frames=tuple(sorted(frames, key=lambda frame: frame.time_s)),
        ranking="captioner" if scored else "signals" if frames else "none",
    )


def _masked(source: SourceEvidence, group: Group, tags: Mapping[str, Tag]) -> SourceEvidence:
    return source.model_copy(
        update={
            "transcript": masked(source.transcript, group, tags),
            "summary": masked(source.summary, group, tags),
        }
    )
