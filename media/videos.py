"""Single videos for the video track: each becomes a group of one source, with its captions and metadata beside it.

``find_videos([Path("clips/")])`` lists a folder's videos by id; ``read_video(found["abc"], "auto")`` gives a Group.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from media.files import Files, decoded, files_of
from media.manifest import Manifest, read_manifest
from media.sources import metadata_of, read_source
from records.base import Record
from records.errors import InputError
from records.media import Group, LeftOut
from records.text import language_of, primary_language


class VideoFiles(Record):
    """A video that was found: its id, its files and what the folder says about it."""

    video_id: str
    folder: Path
    files: Files
    manifest: Manifest = Manifest()


def find_videos(paths: Iterable[Path]) -> dict[str, VideoFiles]:
    """Videos by id, in order: a file with what lies beside it, or everything in a folder.

    Raises InputError for a path that is missing, a folder without videos, and two videos of one id.
    """
    found: dict[str, VideoFiles] = {}
    for path in paths:
        for video in _videos_in(path):
            other = found.setdefault(video.video_id, video)
            if other.files.first.resolve() != video.files.first.resolve():
                raise InputError(
                    f"two videos have the id {video.video_id!r}: {other.files.first} and {video.files.first}.",
                    hint="Rename one of them, or leave one out.",
                )
    return found


def read_video(video: VideoFiles, language: str = "auto") -> Group:
    """A video as a group of one source. `language` other than ``auto`` is the language in which questions are written.

    Raises InputError for a video that can be neither seen nor heard.
    """
    asked = "" if language == "auto" else language
    source = read_source(video.video_id, video.files, asked or video.manifest.language)
    if isinstance(source, LeftOut):
        raise InputError(f"{source.file}: {source.reason}.", hint=source.action)
    return Group(
        group_id=video.video_id,
        folder=str(video.folder),
        topic=source.title or video.video_id,
        domain=video.manifest.domain or category_of(video.files),
        language=asked or language_found(source.transcript.language, source.transcript.text),
        sources=(source,),
        warnings=source.notes,
    )


def language_found(tag: str, text: str) -> str:
    """The language of a transcript: its tag's, else that of its script; ``und`` where nothing is said."""
    primary = primary_language(tag)
    if primary not in ("", "und"):
        return primary
    return language_of(text) if text else "und"


def category_of(files: Files) -> str:
    """The video's category on its platform (``categories`` of the info.json); empty where it has none."""
    if not files.info:
        return ""
    try:
        info = json.loads(decoded(files.info))
    except (ValueError, RecursionError, OSError):
        return ""
    categories = info.get("categories") if isinstance(info, dict) else None
    return next((name for name in categories if isinstance(name, str)), "") if isinstance(categories, list) else ""


def _videos_in(path: Path) -> tuple[VideoFiles, ...]:
    if not path.exists():
        raise InputError(f"{path}: does not exist.", hint="Give a video file, or a folder of videos.")
    folder = path if path.is_dir() else path.parent
    manifest = read_manifest(folder)
    videos = tuple(
        VideoFiles(video_id=_id_of(files), folder=folder, files=files, manifest=manifest)
        for files in files_of(folder)[0].values()
        if _has_content(files)
    )
    if path.is_dir():
        if not videos:
            raise InputError(f"{path}: holds no video.", hint="Give a folder with videos, or one video file.")
        return videos
    mine = tuple(video for video in videos if path in _all(video.files))
    if not mine:
        raise InputError(f"{path}: is no video, captions or text file.", hint="Give a file such as NAME.mp4.")
    return mine


def _has_content(files: Files) -> bool:
    return bool(files.videos or files.audio or files.captions or files.text)


def _all(files: Files) -> tuple[Path, ...]:
    return (*files.videos, *files.audio, *(path for _, path in files.captions), *((files.text,) if files.text else ()))


def _id_of(files: Files) -> str:
    if files.named_id != files.base:
        return files.named_id
    return metadata_of(files)[0].video_id or files.base
