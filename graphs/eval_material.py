"""From a unit's videos to what a candidate sees of them: words, frames at the wanted size, strips, or the video itself.

Frames of a run are used as they are where size and quality fit; otherwise they are cut anew from the video at the same
moments. What several candidates see alike is made once. Decoding runs in threads, a few videos at a time.
"""

import asyncio
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents.solver import SeenSource
from graphs.clips import cut_source
from graphs.eval_items import Benchmark, Unit
from graphs.prepare import prepare, summarize
from graphs.session import Session
from records.base import Record, digest
from records.calls import TranscriptPart, VideoPart
from records.candidates import Asking
from records.config import ModelSpec, Track
from records.errors import InputError, RunError
from records.media import Evidence, Frame, Source, SourceEvidence, Tag, Transcript, tag_of
from store.run import Run

if TYPE_CHECKING:
    from media.files import Files


class Images:
    """The bytes behind the hashes of a request: the run's frames, and whole videos where they are."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._videos: dict[str, Path] = {}

    def add(self, sha256: str, path: Path) -> None:
        """Know a video by the hash of its bytes."""
        self._videos[sha256] = path

    def __call__(self, sha256: str) -> bytes:
        """The bytes. Raises RunError or OSError."""
        path = self._videos.get(sha256)
        return path.read_bytes() if path else self._run.image(sha256)


@dataclass(frozen=True)
class UnitSource:
    """One video of a unit, before any candidate's wishes."""

    tag: Tag
    source: Source
    transcript: Transcript
    summary: str = ""
    frames: tuple[Frame, ...] = ()
    """Ranked and stored at the track's size."""
    clip: tuple[float, float] | None = None
    """The stretch, in seconds, that may be seen; words and frames are within it already."""


class Shown(Record):
    """What one setting came to for one candidate on one unit: facts for the sweep's table."""

    frames: tuple[int, ...]
    """A video."""
    sides: tuple[int, ...]
    """Longest side of the frames, a video that has some."""
    inputs: str
    """A hash of everything shown."""


Seen = tuple[tuple[SeenSource, ...], Shown]


@dataclass
class Material:
    """A unit's videos, and what has been made of them so far."""

    unit: Unit
    sources: tuple[UnitSource, ...]
    session: Session
    images: Images
    stored: tuple[int, int]
    """Longest side and quality of the stored frames."""
    _made: dict[str, "asyncio.Task[Seen]"] = field(default_factory=dict)

    async def seen(self, asking: Asking, spec: ModelSpec) -> Seen:
        """What a candidate sees, and the facts about it; equal wishes are served once."""
        sees = spec.images or asking.input == "video"
        names = ("frames", "side", "jpeg_quality", "transcript", "summary_characters", "input")
        key = digest([sees, {name: getattr(asking, name) for name in names}])
        if key not in self._made:
            self._made[key] = asyncio.ensure_future(self._make(asking, sees))
        return await asyncio.shield(self._made[key])

    async def _make(self, asking: Asking, sees: bool) -> Seen:
        seen = tuple(await asyncio.gather(*(self._source(source, asking, sees) for source in self.sources)))
        return seen, shown_of(seen)

    async def _source(self, one: UnitSource, asking: Asking, sees: bool) -> SeenSource:
        words = await self._words(one, asking)
        video = self._video(one) if asking.input == "video" else None
        frames: tuple[Frame, ...] = ()
        if sees and not video:
            frames = await self._frames(one, asking)
        if frames and asking.input == "strip":
            frames = (await asyncio.to_thread(self._strip, frames, asking),)
        is_strip = asking.input == "strip" and bool(frames)
        return SeenSource(tag=one.tag, words=words, frames=frames, is_strip=is_strip, video=video)

    async def _words(self, one: UnitSource, asking: Asking) -> TranscriptPart | None:
        if asking.transcript == "none" or not one.transcript.text:
            return None
        language, limit = one.transcript.language, asking.summary_characters
        if asking.transcript == "full" or len(one.transcript.text) <= limit:
            text, sentences = one.transcript.text, one.transcript.sentences
            return TranscriptPart(tag=one.tag, text=text, sentences=sentences, language=language)
        summary = one.summary if one.summary and len(one.summary) <= limit else ""
        if not summary:
            seen = one.source.model_copy(update={"transcript": one.transcript})
            summary, _ = await summarize(self.session, seen, limit, self.unit.unit_id)
        return TranscriptPart(tag=one.tag, text=summary, form="summary", language=language)

    def _video(self, one: UnitSource) -> VideoPart | None:
        source = one.source
        if not source.video_file:
            return None
        if one.clip:
            return self._clip(one, one.clip)
        sha256 = source.media_sha256
        if not sha256:
            from media.files import sha256_of

            sha256 = sha256_of(Path(source.video_file))
        self.images.add(sha256, Path(source.video_file))
        return VideoPart(tag=one.tag, sha256=sha256, duration_s=source.duration_s)

    def _clip(self, one: UnitSource, clip: tuple[float, float]) -> VideoPart:
        """The stretch of a video as a file of its own, so that what comes after it is not in the request."""
        from media.files import sha256_of
        from media.sampling import cut_video

        start, end = clip
        path = self._out / f"{digest([one.source.video_file, start, end])[:16]}.mp4"
        if not path.exists():
            cut_video(Path(one.source.video_file or ""), path, start_s=start, end_s=end)
        sha256 = sha256_of(path)
        self.images.add(sha256, path)
        return VideoPart(tag=one.tag, sha256=sha256, duration_s=end - start)

    async def _frames(self, one: UnitSource, asking: Asking) -> tuple[Frame, ...]:
        rule = asking.rule
        if rule.kind == "none":
            return ()
        async with self.session.decoders:
            if rule.kind == "ranked":
                chosen = tuple(frame for frame in one.frames if frame.rank <= rule.count)
                return await asyncio.to_thread(self._sized, one, chosen, asking)
            return await asyncio.to_thread(self._sampled, one, asking)

    def _sampled(self, one: UnitSource, asking: Asking) -> tuple[Frame, ...]:
        from media.sampling import sample

        if not one.source.video_file:
            return ()
        return sample(
            Path(one.source.video_file), asking.rule, out=self._out, video_id=one.source.video_id, side=asking.side,
            quality=asking.jpeg_quality, clip=one.clip,
        )  # fmt: skip

    def _sized(self, one: UnitSource, frames: tuple[Frame, ...], asking: Asking) -> tuple[Frame, ...]:
        """Ranked frames at the wanted size: stored ones where they fit, else cut anew at the same moments."""
        from media.sampling import frames_at

        if not frames or (asking.side, asking.jpeg_quality) == self.stored:
            return frames
        path = Path(one.source.video_file) if one.source.video_file else None
        if path is None or not path.is_file():
            return tuple(self._shrunk(frame, asking) for frame in frames)
        times = [frame.time_s for frame in frames]
        cut = frames_at(
            path, times, out=self._out, video_id=one.source.video_id, side=asking.side, quality=asking.jpeg_quality
        )
        if len(cut) != len(frames):
            raise InputError(f"{path}: is not the video that the frames were cut from.", hint="Put that one back.")
        same = ("sha256", "width", "height")
        return tuple(
            frame.model_copy(update={name: getattr(new, name) for name in same})
            for frame, new in zip(frames, cut, strict=True)
        )

    def _shrunk(self, frame: Frame, asking: Asking) -> Frame:
        from media.sampling import shrunk

        data, (width, height) = shrunk(
            self.session.run.image(frame.sha256), asking.side or max(frame.width, frame.height), asking.jpeg_quality
        )
        return frame.model_copy(update={"sha256": self._put(data), "width": width, "height": height})

    def _strip(self, frames: Sequence[Frame], asking: Asking) -> Frame:
        from media.sampling import strip

        pictures = [self.session.run.image(frame.sha256) for frame in frames]
        data, (width, height) = strip(pictures, asking.jpeg_quality)
        changes = {"sha256": self._put(data), "width": width, "height": height, "number": 1, "rank": 1}
        return frames[0].model_copy(update=changes)

    def _put(self, data: bytes) -> str:
        from media.framestore import FrameStore

        return FrameStore(self._out).put(data)

    @property
    def _out(self) -> Path:
        return self.session.run.frames_dir


def shown_of(seen: Sequence[SeenSource]) -> Shown:
    """The facts about what was shown."""
    pictures = [[(frame.sha256, frame.width, frame.height) for frame in source.frames] for source in seen]
    content: list[Any] = [
        [source.tag, source.words.text if source.words else "", source.video.sha256 if source.video else "", found]
        for source, found in zip(seen, pictures, strict=True)
    ]
    return Shown(
        frames=tuple(len(found) for found in pictures),
        sides=tuple(max(max(width, height) for _, width, height in found) for found in pictures if found),
        inputs=digest(content),
    )


# --- where the videos come from --------------------------------------------------------------------------------------


async def gather(unit: Unit, benchmark: Benchmark, session: Session, images: Images) -> Material:
    """A unit's material. Raises InputError or RunError where its videos cannot be used."""
    stored = (session.track.images.longer_side, session.track.images.jpeg_quality)
    if unit.kind == "run":
        sources = await asyncio.to_thread(_of_run, unit, benchmark, session.run)
    elif unit.kind == "group":
        evidence = await prepare(session, Path(unit.folder))
        sources = _of_group(unit, evidence, session)
    elif unit.kind == "videos":
        sources = await _of_videos(unit, session)
    else:
        sources = ()
    if unit.clip:
        sources = tuple(clipped(source, unit.clip) for source in sources)
    return Material(unit=unit, sources=sources, session=session, images=images, stored=stored)


def clipped(one: UnitSource, clip: tuple[float, float]) -> UnitSource:
    """A source's words and frames within a stretch, the frames ranked anew; a summary tells of more and is left out."""
    seen = SourceEvidence(tag=one.tag, video_id=one.source.video_id, transcript=one.transcript, frames=one.frames)
    kept = cut_source(seen, *clip)
    best = sorted(kept.frames, key=lambda frame: frame.rank)
    ranks = {frame.sha256: rank for rank, frame in enumerate(best, start=1)}
    frames = tuple(frame.model_copy(update={"rank": ranks[frame.sha256]}) for frame in kept.frames)
    return replace(one, transcript=kept.transcript, frames=frames, summary="", clip=clip)


def _of_run(unit: Unit, benchmark: Benchmark, run: Run) -> tuple[UnitSource, ...]:
    """The evidence that the judges had; its frames come along into this run."""
    evidence, group = benchmark.evidence.get(unit.group_id), benchmark.groups.get(unit.group_id)
    if evidence is None or benchmark.run_folder is None:
        raise RunError(f"the run holds no evidence for the group {unit.group_id}.")
    run.put("evidence", unit.group_id, evidence, group_id=unit.group_id)
    known = {source.video_id: source for source in group.sources} if group else {}
    for frame in (frame for source in evidence.sources for frame in source.frames):
        _bring(benchmark.run_folder / "frames" / f"{frame.sha256}.jpg", run.frame_path(frame.sha256))
    return tuple(
        UnitSource(
            source.tag, known.get(source.video_id) or _bare(source), source.transcript, source.summary, source.frames
        )
        for source in evidence.sources
    )


def _bare(source: SourceEvidence) -> Source:
    return Source(video_id=source.video_id, transcript=source.transcript)


def _bring(found: Path, wanted: Path) -> None:
    """The same file in another place, whole or not at all, without a second copy where the disk allows it."""
    if wanted.exists():
        return
    if not found.is_file():
        raise RunError(f"frame {found} is missing.", hint="The run that the items come from has to be complete.")
    try:
        os.link(found, wanted)
    except FileExistsError:
        return
    except OSError:
        part = wanted.with_suffix(".part")
        shutil.copyfile(found, part)
        part.replace(wanted)


def _of_group(unit: Unit, evidence: Evidence, session: Session) -> tuple[UnitSource, ...]:
    """A folder's sources under the tags that the items use."""
    from records.media import Group

    group = session.run.get("group", evidence.group_id, Group)
    order = [source.video_id for source in group.sources] if group else [s.video_id for s in evidence.sources]
    tags = unit.sources or {tag_of(place): video_id for place, video_id in enumerate(order)}
    known = {source.video_id: source for source in evidence.sources}
    files = {source.video_id: source for source in group.sources} if group else {}
    strange = sorted(set(tags.values()) - set(known))
    if strange:
        raise InputError(
            f"{unit.folder}: the items speak of {', '.join(strange)}, which the folder does not hold.",
            hint=f"It holds: {', '.join(order)}.",
        )
    found = []
    for tag, video_id in sorted(tags.items()):
        source = known[video_id]
        found.append(
            UnitSource(tag, files.get(video_id) or _bare(source), source.transcript, source.summary, source.frames)
        )
    return tuple(found)


async def _of_videos(unit: Unit, session: Session) -> tuple[UnitSource, ...]:
    found = []
    for tag, name in unit.sources.items():
        source = await asyncio.to_thread(_read_video, name, Path(unit.files[name]))
        frames: tuple[Frame, ...] = ()
        if source.video_file and session.panel.views.draft.frames:
            frames = await _ranked(source, session)
        found.append(UnitSource(tag, source, source.transcript, "", frames))
    return tuple(found)


async def _ranked(source: Source, session: Session) -> tuple[Frame, ...]:
    """The best frames of a video by what can be seen without a model."""
    from media.frames import candidate_frames, select_frames

    async with session.decoders:
        candidates = await asyncio.to_thread(candidate_frames, source, session.track.images, session.run.frames_dir)
    return select_frames(candidates, session.panel.views.draft.frames, None)


def _read_video(name: str, path: Path) -> Source:
    """A video with the captions and metadata that lie beside it. Raises InputError if it cannot be used."""
    from media.sources import read_source
    from records.media import LeftOut

    source = read_source(Path(name).stem, files_of(path), "")
    if isinstance(source, LeftOut):
        raise InputError(f"{path.name}: {source.reason}.", hint=source.action)
    return source


def files_of(path: Path) -> "Files":
    """The video with its neighbours: ``NAME.en.vtt``, ``NAME.info.json`` …; looked for by name, not by listing."""
    import glob

    from media.files import CAPTION_SUFFIXES, Files

    stem = glob.escape(str(path.with_suffix("")))
    captions = []
    for suffix in CAPTION_SUFFIXES:
        for found in sorted(glob.glob(f"{stem}{suffix}") + glob.glob(f"{stem}.*{suffix}")):
            language = Path(found).name[len(path.stem) : -len(suffix)].strip(".")
            if "." not in language:
                captions.append((language, Path(found)))
    text, info = path.with_suffix(".txt"), path.with_suffix(".info.json")
    return Files(
        base=path.stem, videos=(path,), captions=tuple(captions), text=text if text.is_file() else None,
        info=info if info.is_file() else None,
    )  # fmt: skip


def preparing_track(track: Track) -> Track:
    """The track as evaluation reads groups: one usable source is enough."""
    return track.model_copy(update={"min_sources": 1})
