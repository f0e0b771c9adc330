"""A folder of videos on one story becomes a Group: who is in it, what was left out and why, what to know about it.

``group.json`` (``{"topic": …, "domain": …, "video_ids": […]}``) names the sources and their order; without one every
video, caption file and text of the folder is a source, as yt-dlp leaves them.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from pydantic import Field

from media.files import Files, decoded, files_of, sha256_of
from media.metadata import Metadata, read_metadata
from media.probe import Probe, probe
from media.transcripts import Heard, read_transcript
from records.base import Record
from records.config import Track
from records.errors import InputError
from records.media import Group, LeftOut, Source
from records.text import primary_language

MOST_SOURCES = 26
"""TAG_A to TAG_Z."""
_KNOWN_KEYS = frozenset({"topic", "domain", "language", "video_ids"})


class Manifest(Record):
    """What group.json says, or what stands in for it."""

    topic: str = ""
    domain: str = ""
    language: str = ""
    video_ids: tuple[str, ...] | None = None
    """None: every source found in the folder."""
    extra: dict[str, Any] = Field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def read_group(folder: Path, track: Track) -> Group:
    """Read a group; sources that cannot be used are left out and say why.

    Raises InputError for a folder or group.json that cannot be read, and where fewer sources than
    `track.min_sources` can be used: then the message lists why each other one was left out.
    """
    found, strange = _listed(folder)
    manifest = read_manifest(folder)
    wanted, left_out, warnings = _wanted(found, manifest, folder)
    sources: list[Source] = []
    for video_id, files in wanted:
        source = read_source(video_id, files, manifest.language)
        refused = source if isinstance(source, LeftOut) else _refused(source, sources, files)
        if refused:
            left_out.append(refused)
        elif isinstance(source, Source):
            sources.append(source)
    if len(sources) < track.min_sources:
        raise _too_few(folder, track, sources, left_out)
    language = _language(sources, manifest.language)
    return Group(
        group_id=folder.resolve().name,
        folder=str(folder),
        topic=manifest.topic or folder.resolve().name,
        domain=manifest.domain,
        language=language,
        sources=tuple(sources),
        left_out=tuple(left_out),
        warnings=(
            *manifest.warnings, *warnings, *_unknown_files(strange), *_domain_warning(manifest, track, folder),
            *_mixed_languages(sources, language, folder),
        ),
        extra=manifest.extra,
    )  # fmt: skip


def find_groups(folder: Path) -> tuple[Path, ...]:
    """The groups in a folder of groups, by name; a folder that is itself a group counts as its only one.

    Raises InputError if the folder is missing or holds no group.
    """
    _must_be_folder(folder)
    inside = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    groups = tuple(path for path in inside if _looks_like_group(path))
    if not groups and _looks_like_group(folder):
        return (folder,)
    if not groups:
        raise InputError(
            f"{folder}: holds no group.", hint="A group is a folder with videos, captions or texts on one story."
        )
    return groups


def _looks_like_group(folder: Path) -> bool:
    return (folder / "group.json").is_file() or bool(files_of(folder)[0])


def _must_be_folder(folder: Path) -> None:
    if not folder.is_dir():
        state = "is not a folder" if folder.exists() else "does not exist"
        raise InputError(f"{folder}: {state}.", hint="Give the folder that holds the videos.")


def _listed(folder: Path) -> tuple[dict[str, Files], tuple[Path, ...]]:
    _must_be_folder(folder)
    try:
        return files_of(folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror}).", hint="Check its permissions.") from error


def read_manifest(folder: Path) -> Manifest:
    """Read group.json, where there is one; keys it lacks are warned about, keys we do not know are kept.

    Raises InputError, naming file and key, if it is no JSON object or a key has the wrong type.
    """
    path = folder / "group.json"
    if not path.exists():
        return Manifest()
    fields = _json_object(path)
    warnings = [
        f"{path}: has no {key!r}; {instead}."
        for key, instead in (
            ("topic", "the folder's name is used"), ("domain", "the group has no domain"),
            ("video_ids", "every source in the folder is used"),
        )
        if fields.get(key) in (None, "", [])
    ]  # fmt: skip
    return Manifest(
        **{key: _string(path, fields, key) for key in ("topic", "domain", "language")},
        video_ids=_ids(path, fields),
        extra={key: value for key, value in fields.items() if key not in _KNOWN_KEYS},
        warnings=tuple(warnings),
    )


def _json_object(path: Path) -> dict[str, Any]:
    hint = "Mend it, or delete it: without a group.json the folder is read by its file names."
    try:
        fields = json.loads(decoded(path))
    except (ValueError, RecursionError, OSError) as error:
        raise InputError(f"{path}: is not valid JSON ({error}).", hint=hint) from error
    if not isinstance(fields, dict):
        raise InputError(f"{path}: holds {_kind(fields)}, not an object with topic, domain and video_ids.", hint=hint)
    return fields


def _kind(value: object) -> str:
    names = {list: "a list", str: "a text", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "nothing")


def _string(path: Path, fields: dict[str, Any], key: str) -> str:
    value = fields.get(key) or ""
    if not isinstance(value, str):
        raise InputError(f"{path}: {key!r} is {_kind(value)}, not a text.", hint=f'Write "{key}": "…".')
    return value.strip()


def _ids(path: Path, fields: dict[str, Any]) -> tuple[str, ...] | None:
    ids = fields.get("video_ids") or None
    if ids is None:
        return None
    if not isinstance(ids, list) or not all(
        isinstance(item, str | int) and item not in ("", True, False) for item in ids
    ):
        raise InputError(f"{path}: 'video_ids' is not a list of ids.", hint='Write "video_ids": ["id1", "id2"].')
    return tuple(str(item) for item in ids)


Wanted = list[tuple[str, Files]]


def _wanted(found: dict[str, Files], manifest: Manifest, folder: Path) -> tuple[Wanted, list[LeftOut], list[str]]:
    """The sources to read, in order; ids without files and repeated ids; warnings about files that are not used."""
    by_id, warnings = _by_id(found)
    if manifest.video_ids is None:
        return list(by_id.items()), [], warnings
    left_out: list[LeftOut] = []
    wanted: Wanted = []
    for position, video_id in enumerate(manifest.video_ids):
        if video_id in manifest.video_ids[:position]:
            left_out.append(_left(video_id, folder / "group.json", "is listed twice", "Remove the second entry."))
        elif video_id not in by_id:
            action = "Download it into the folder, or remove the id from group.json."
            left_out.append(_left(video_id, folder / "group.json", "no file of the folder has this id", action))
        else:
            wanted.append((video_id, by_id[video_id]))
    unlisted = sorted(set(by_id) - set(manifest.video_ids))
    if unlisted:
        warnings.append(f"{folder}: not listed in group.json and not used: {', '.join(unlisted)}.")
    return wanted, left_out, warnings


def _by_id(found: dict[str, Files]) -> tuple[dict[str, Files], list[str]]:
    """Sources by id; a second set of files for the same id is warned about and not used."""
    by_id: dict[str, Files] = {}
    warnings: list[str] = []
    for files in found.values():
        metadata, _ = _metadata(files)
        if metadata.is_playlist and not _has_content(files):
            continue
        video_id = files.named_id if files.named_id != files.base else metadata.video_id or files.base
        if video_id in by_id:
            warnings.append(
                f"{files.first.name}: has the same id ({video_id}) as {by_id[video_id].first.name} and is not used; "
                "delete one of the two."
            )
        else:
            by_id[video_id] = files
    return by_id, warnings


def _has_content(files: Files) -> bool:
    return bool(files.videos or files.audio or files.captions or files.text or files.unfinished)


def _metadata(files: Files) -> tuple[Metadata, tuple[str, ...]]:
    if not files.info:
        return Metadata(), ()
    try:
        return read_metadata(files.info), ()
    except (InputError, OSError) as error:
        return Metadata(), (str(error),)


def read_source(video_id: str, files: Files, group_language: str = "") -> Source | LeftOut:
    """Read one source, or say why it cannot be used: damaged media, or neither picture nor words."""
    metadata, notes = _metadata(files)
    media = next(iter((*files.videos, *files.audio)), None)
    found = probe(media) if media else Probe()
    if media and found.problem:
        return _left(video_id, media, found.problem, found.action)
    heard = read_transcript(files, metadata, group_language)
    if not found.has_picture and not heard.transcript.text:
        return _nothing_usable(video_id, files, media, heard)
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
        media_sha256=sha256_of(hashed) if (hashed := media or heard.file) else None,
        transcript=heard.transcript,
        notes=(*notes, *heard.notes, *_media_notes(files, media, found, heard)),
    )


def _nothing_usable(video_id: str, files: Files, media: Path | None, heard: Heard) -> LeftOut:
    if files.unfinished and not media:
        return _left(video_id, files.unfinished[0], "is an unfinished download", "Let yt-dlp finish it.")
    if media:
        reason = "has no video stream, and there are no captions"
        return _left(video_id, media, reason, "Download the picture as well, or add captions or a .txt transcript.")
    reason = (
        heard.notes[0].split(": ", 1)[-1].split(". ")[0].rstrip(".") if heard.notes else "has no video and no words"
    )
    return _left(video_id, files.first, reason, "Add the video, captions or a .txt transcript.")


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


def _refused(source: Source, sources: list[Source], files: Files) -> LeftOut | None:
    """Why a readable source is left out all the same: it is there already, or the group is full."""
    twin = next((other for other in sources if other.media_sha256 == source.media_sha256), None)
    if twin:
        reason = f"is the same file as {twin.video_id}, byte for byte"
        return _left(source.video_id, files.first, reason, "Remove one of the two.")
    if len(sources) >= MOST_SOURCES:
        reason = f"a group has at most {MOST_SOURCES} sources"
        return _left(source.video_id, files.first, reason, "Split the group, or list the best sources in group.json.")
    return None


def _left(video_id: str, file: Path, reason: str, action: str) -> LeftOut:
    return LeftOut(video_id=video_id, file=str(file), reason=reason, action=action)


def _too_few(folder: Path, track: Track, sources: list[Source], left_out: list[LeftOut]) -> InputError:
    usable = f"{len(sources)} usable source" + ("s" if len(sources) != 1 else "")
    reasons = "".join(f" {Path(left.file).name} ({left.video_id}): {left.reason}. {left.action}" for left in left_out)
    return InputError(
        f"{folder}: has {usable}, but the track {track.name} needs {track.min_sources}.",
        hint=f"Left out:{reasons}" if left_out else "Put more videos, captions or .txt transcripts into the folder.",
    )


def _language(sources: list[Source], stated: str) -> str:
    """The primary language of most sources; the stated one breaks a tie, else the earlier source does."""
    spoken = [primary_language(source.transcript.language) for source in sources if source.transcript.text]
    counts = Counter(spoken)
    if not counts:
        return primary_language(stated) or "en"
    most = max(counts.values())
    tied = [language for language, count in counts.items() if count == most]
    return primary_language(stated) if primary_language(stated) in tied else tied[0]


def _mixed_languages(sources: list[Source], language: str, folder: Path) -> tuple[str, ...]:
    others = [
        f"{source.video_id} ({source.transcript.language})"
        for source in sources
        if source.transcript.text and primary_language(source.transcript.language) != language
    ]
    if not others:
        return ()
    return (
        f"{folder}: languages differ; questions are written in {language}. Not in {language}: {', '.join(others)}.",
    )


def _domain_warning(manifest: Manifest, track: Track, folder: Path) -> tuple[str, ...]:
    if not manifest.domain or not track.domains or manifest.domain in track.domains:
        return ()
    known = ", ".join(track.domains)
    return (f"{folder / 'group.json'}: domain {manifest.domain!r} is none of the track's domains ({known}).",)


def _unknown_files(strange: tuple[Path, ...]) -> tuple[str, ...]:
    return tuple(
        f"{path.name}: is not used; {path.suffix or 'a name without extension'} is no known kind of video, captions or "
        "text. Rename it if it is one."
        for path in strange
    )
