"""One source of a group: its video, words and metadata read together, or the reason why it cannot be used."""

from pathlib import Path

from media.files import Files, sha256_of
from media.metadata import Metadata, read_metadata
from media.probe import Probe, probe
from media.transcripts import Heard, read_transcript
from records.errors import InputError
from records.media import LeftOut, Source


def read_source(video_id: str, files: Files, group_language: str = "") -> Source | LeftOut:
    """Read one source, or say why it cannot be used: damaged or unreadable media, or neither picture nor words."""
    try:
        return _read(video_id, files, group_language)
    except OSError as error:
        reason = f"cannot be read ({error.strerror or error})"
        return refusal(video_id, Path(error.filename or files.first), reason, "Check the file and its permissions.")


def _read(video_id: str, files: Files, group_language: str) -> Source | LeftOut:
    metadata, notes = metadata_of(files)
    media = next(iter((*files.videos, *files.audio)), None)
    found = probe(media) if media else Probe()
    if media and found.problem:
        return refusal(video_id, media, found.problem, found.action)
    heard = read_transcript(files, metadata, group_language)
    if not found.has_picture and not heard.transcript.text:
        return _nothing_usable(video_id, files, media, heard)
    hashed = media or heard.file
    return Source(
        video_id=video_id,
        title=metadata.title,
        outlet=metadata.outlet,
        date=metadata.date,
        url=metadata.url,
        license=metadata.license,
        platform=metadata.platform,
        duration_s=metadata.duration_s or found.duration_s,
        video_file=str(media) if media and found.has_picture else None,
        caption_file=str(heard.file) if heard.file else None,
        media_sha256=sha256_of(hashed) if hashed else None,
        transcript=heard.transcript,
        notes=(*notes, *heard.notes, *_media_notes(files, media, found, heard)),
    )


def _nothing_usable(video_id: str, files: Files, media: Path | None, heard: Heard) -> LeftOut:
    if files.unfinished and not media:
        return refusal(video_id, files.unfinished[0], "is an unfinished download", "Let yt-dlp finish it.")
    if media:
        reason = "has no video stream, and there are no captions"
        return refusal(video_id, media, reason, "Download the picture as well, or add captions or a .txt transcript.")
    reason = heard.problem or "has no video and no words"
    return refusal(video_id, files.first, reason, "Add the video, captions or a .txt transcript.")


def _media_notes(files: Files, media: Path | None, found: Probe, heard: Heard) -> tuple[str, ...]:
    notes: list[str] = []
    if media is None:
        notes.append(f"{files.first.name}: has no video; only its words are used.")
    elif not found.has_picture:
        notes.append(f"{media.name}: has no video stream; only its words are used.")
    elif not found.has_sound:
        notes.append(f"{media.name}: has no sound.")
    if len(files.videos) > 1:
        others = ", ".join(path.name for path in files.videos[1:])
        notes.append(f"{files.videos[0].name}: is used; not used: {others}. Delete the files that are not wanted.")
    if not heard.transcript.text:
        notes.append(
            f"{files.first.name}: has no captions; only its frames are used. Add captions or a .txt transcript."
        )
    if media and _wrong_suffix(media, found):
        notes.append(f"{media.name}: is {found.format_name} inside; it is read as what it is. Rename it.")
    return tuple(notes)


_CONTAINERS = {
    ".mp4": "mp4", ".mov": "mov", ".m4v": "mp4", ".mkv": "matroska", ".webm": "webm", ".avi": "avi", ".flv": "flv",
    ".ts": "mpegts",
}  # fmt: skip


def _wrong_suffix(media: Path, found: Probe) -> bool:
    expected = _CONTAINERS.get(media.suffix.lower())
    return bool(expected and found.format_name) and expected not in found.format_name.split(",")


def metadata_of(files: Files) -> tuple[Metadata, tuple[str, ...]]:
    """A source's metadata; where its info.json is damaged, none and a note that says so."""
    if not files.info:
        return Metadata(), ()
    try:
        return read_metadata(files.info), ()
    except (InputError, OSError) as error:
        return Metadata(), (str(error),)


def refusal(video_id: str, file: Path, reason: str, action: str) -> LeftOut:
    """A source that cannot be used, the file that shows it, why, and what the user can do."""
    return LeftOut(video_id=video_id, file=str(file), reason=reason, action=action)
