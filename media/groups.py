"""A folder of videos on one story becomes a Group: who is in it, what was left out and why, what to know about it.

``group.json`` (``{"topic": …, "domain": …, "video_ids": […]}``) names the sources and their order; without one every
video, caption file and text of the folder is a source, as yt-dlp leaves them.
"""

from collections import Counter
from pathlib import Path

from media.files import Files, files_of
from media.manifest import Manifest, read_manifest
from media.sources import metadata_of, read_source, refusal
from records.config import Track
from records.errors import InputError
from records.media import Group, LeftOut, Source
from records.text import primary_language

MOST_SOURCES = 26
"""TAG_A to TAG_Z."""


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
            left_out.append(refusal(video_id, folder / "group.json", "is listed twice", "Remove the second entry."))
        elif video_id not in by_id:
            action = "Download it into the folder, or remove the id from group.json."
            left_out.append(refusal(video_id, folder / "group.json", "no file of the folder has this id", action))
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
        metadata, _ = metadata_of(files)
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


def _refused(source: Source, sources: list[Source], files: Files) -> LeftOut | None:
    """Why a readable source is left out all the same: it is there already, or the group is full."""
    twin = next((other for other in sources if other.media_sha256 == source.media_sha256), None)
    if twin:
        reason = f"is the same file as {twin.video_id}, byte for byte"
        return refusal(source.video_id, files.first, reason, "Remove one of the two.")
    if len(sources) >= MOST_SOURCES:
        reason = f"a group has at most {MOST_SOURCES} sources"
        return refusal(source.video_id, files.first, reason, "Split the group, or list the best sources in group.json.")
    return None


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
