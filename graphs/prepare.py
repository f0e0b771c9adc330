"""From a folder of videos to the evidence that models see: read, cut frames, caption and rank them, summarise.

Media work runs in threads, a few videos at a time. What is finished is in the run: a second session reuses it.
"""

import asyncio
from collections.abc import Iterable
from pathlib import Path

from agents import captioner, summarizer
from graphs.session import Session
from media.evidence import build_evidence
from media.frames import candidate_frames, select_frames
from media.groups import read_group
from records.calls import CallFailure
from records.config import Panel, View
from records.errors import RunError
from records.media import Evidence, Frame, Group, Source

Captions = dict[str, tuple[str, tuple[float, ...]]]
Summary = tuple[str, tuple[str, ...]]


async def prepare(session: Session, folder: Path) -> Evidence:
    """The evidence of a group, from the run if it is there already.

    Raises InputError if the group cannot be used, and RunError if its files changed since the run began.
    """
    group = await asyncio.to_thread(read_group, folder, session.track)
    stored = session.run.get("group", group.group_id, Group)
    if stored and not same_media(stored, group):
        raise RunError(
            f"{folder}: the files of this group are not those that the run {session.run.folder} began with.",
            hint="Put them back, or start another run with --run NAME.",
        )
    evidence = session.run.get("evidence", group.group_id, Evidence)
    if stored and evidence:
        return evidence
    session.run.put("group", group.group_id, group, group_id=group.group_id)
    evidence = await gather_evidence(session, group)
    session.run.put("evidence", group.group_id, evidence, group_id=group.group_id)
    return evidence


def same_media(stored: Group, found: Group) -> bool:
    """Whether two readings of a group hold the same videos and words, wherever the folder lies now."""

    def content(group: Group) -> list[tuple[str, str | None, str]]:
        return [(source.video_id, source.media_sha256, source.transcript.text) for source in group.sources]

    return content(stored) == content(found)


async def gather_evidence(session: Session, group: Group) -> Evidence:
    """Frames and summaries of all sources, side by side, as one evidence record."""
    frames = await asyncio.gather(*(source_frames(session, group, source) for source in group.sources))
    summaries = await asyncio.gather(*(source_summary(session, group, source) for source in group.sources))
    ids = [source.video_id for source in group.sources]
    return build_evidence(
        group,
        dict(zip(ids, frames, strict=True)),
        dict(zip(ids, summaries, strict=True)),
        session.seed,
        mask_outlets=session.panel.mask_outlets,
    )


async def source_frames(session: Session, group: Group, source: Source) -> tuple[Frame, ...]:
    """The top-ranked frames of a source; none for a source without a picture."""
    count = most_frames(session.panel)
    if not source.video_file or not count:
        return ()
    candidates = await cut_frames(session, source)
    captions = await caption(session, group, source, candidates)
    return select_frames(candidates, count, captions)


async def cut_frames(session: Session, source: Source) -> tuple[Frame, ...]:
    """A video's candidate frames, in the run's folder of frames."""
    images, out = session.track.images, session.run.frames_dir
    if session.decode is not None:
        return await session.decode(source, images, out)
    async with session.decoders:
        return await asyncio.to_thread(candidate_frames, source, images, out)


async def caption(session: Session, group: Group, source: Source, frames: tuple[Frame, ...]) -> Captions | None:
    """Captions and scores by frame hash; None without a captioner, or when one of its calls gave no usable reply."""
    if not session.panel.captioner or not frames:
        return None
    model = session.panel.model(session.panel.captioner)
    batches = captioner.batches(frames, session.track.images.caption_batch)
    requests = [captioner.caption_request(batch, model, group, source, session.heads) for batch in batches]
    outcomes = await asyncio.gather(*(session.gateway.ask(request) for request in requests))
    captions: Captions = {}
    for batch, outcome in zip(batches, outcomes, strict=True):
        read = outcome if isinstance(outcome, CallFailure) else captioner.read_captions(outcome, batch)
        if isinstance(read, CallFailure):
            session.note(group.group_id, f"{source.video_id}: frames not captioned ({read.outcome}: {read.message})")
            return None
        captions.update(read)
    return captions


async def source_summary(session: Session, group: Group, source: Source) -> Summary:
    """A source's summary where a stage shows one and the transcript is too long; otherwise empty.

    Asked once more if it is too long, then cut at a sentence and flagged.
    """
    limit = summary_limit((session.panel.views.draft, session.panel.views.judge), source)
    if limit is None:
        return "", ()
    return await summarize(session, source, limit, group.group_id)


async def summarize(session: Session, source: Source, limit: int, group_id: str) -> Summary:
    """At most `limit` characters of a source's transcript (VNU-Bench F.2) and what is doubtful about them."""
    if not session.panel.summarizer:
        raise RunError(
            f"{source.video_id}: its transcript is longer than {limit} characters and the panel "
            f"{session.panel.name!r} has no summarizer.",
            hint="Name one under `summarizer:`, or set the view's transcript to full.",
        )
    model = session.panel.model(session.panel.summarizer)
    previous = ""
    for attempt in (1, 2):
        request = summarizer.summary_request(source.transcript, model, limit, group_id=group_id, previous=previous)
        outcome = await session.gateway.ask(request)
        if isinstance(outcome, CallFailure):
            raise RunError(
                f"{source.video_id}: no summary ({outcome.outcome}: {outcome.message}).",
                hint="Run the same command with --retry-failed.",
            )
        text, flags = summarizer.read_summary(outcome, source.transcript, limit, last=attempt == 2)
        if summarizer.TOO_LONG not in flags:
            return text, flags
        previous = text
    return text, flags


def most_frames(panel: Panel) -> int:
    """The most frames a source that any stage of this panel shows."""
    return max(panel.views.draft.frames, panel.views.judge.frames, panel.views.evaluate.frames)


def summary_limit(views: Iterable[View], source: Source) -> int | None:
    """The length to which a source must be summarised, or None where no view asks for it."""
    limits = [view.summary_characters for view in views if view.transcript == "summary"]
    return min(limits) if limits and len(source.transcript.text) > min(limits) else None
