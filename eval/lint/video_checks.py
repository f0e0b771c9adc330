"""Videos that are not in the folder, or that cannot be read; and the durations of those that can (PyAV, late)."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from eval.importers import VIDEO_SUFFIXES
from eval.lint.finding import Finding
from records.base import Record
from records.benchmark import BenchmarkItem
from records.errors import InputError


class Videos(Record):
    """What a folder holds of the items' videos."""

    found: dict[str, str]
    """Name in the benchmark (file or id) → path."""
    missing: tuple[str, ...]
    problems: dict[str, str]
    """Name → what is wrong with the file."""
    durations: dict[str, float]
    """Name → seconds."""


def look_up(items: Sequence[BenchmarkItem], folder: Path) -> Videos:
    """Find and open every video that the items name. Raises InputError for a folder that is none."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder.")
    by_name = _by_name(folder)
    wanted = dict.fromkeys(name for item in items for name in video_names(item))
    found = {name: path for name in wanted if (path := _find(name, by_name)) is not None}
    problems: dict[str, str] = {}
    durations: dict[str, float] = {}
    for name, path in found.items():
        _probe(name, path, problems, durations)
    missing = tuple(name for name in wanted if name not in found)
    paths = {name: str(path) for name, path in found.items()}
    return Videos(found=paths, missing=missing, problems=problems, durations=durations)


def with_paths(items: Sequence[BenchmarkItem], folder: Path) -> tuple[BenchmarkItem, ...]:
    """The items with the paths of their videos as they lie in a folder; a video that is not there keeps its name."""
    by_name = {name: path.relative_to(folder).as_posix() for name, path in _by_name(folder).items()}
    return tuple(
        item.model_copy(update={"video_files": tuple(_path(name, by_name) for name in video_names(item))})
        for item in items
    )


def _path(name: str, by_name: Mapping[str, str]) -> str:
    found = next((by_name[key] for key in (name, Path(name).name, Path(name).stem) if key in by_name), None)
    return found or (name if Path(name).suffix else f"{name}.mp4")


def video_names(item: BenchmarkItem) -> tuple[str, ...]:
    """The item's files where it names them, else its videos' ids."""
    return item.video_files or item.video_ids


def _by_name(folder: Path) -> dict[str, Path]:
    """Paths by relative path, file name, stem, and the id in brackets that yt-dlp writes."""
    names: dict[str, Path] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in VIDEO_SUFFIXES or not path.is_file():
            continue
        in_brackets = path.stem.rpartition("[")[2].removesuffix("]") if path.stem.endswith("]") else path.stem
        for name in (str(path.relative_to(folder)), path.name, path.stem, in_brackets):
            names.setdefault(name, path)
    return names


def _find(name: str, by_name: Mapping[str, Path]) -> Path | None:
    return next((by_name[key] for key in (name, Path(name).name, Path(name).stem) if key in by_name), None)


def _probe(name: str, path: Path, problems: dict[str, str], durations: dict[str, float]) -> None:
    from media.probe import probe

    probed = probe(path)
    if probed.problem:
        problems[name] = f"{path.name} {probed.problem}"
    elif not probed.has_picture:
        problems[name] = f"{path.name} has no picture"
    if probed.duration_s is not None:
        durations[name] = probed.duration_s


def video_findings(items: Sequence[BenchmarkItem], videos: Videos) -> Iterator[Finding]:
    """One finding an item and video that is missing or unreadable."""
    missing = set(videos.missing)
    for item in items:
        for name in video_names(item):
            if name in missing:
                message = f"the video {name} is not in the folder"
                yield Finding(item_id=item.item_id, check="missing-video", severity="error", message=message)
            elif name in videos.problems:
                yield Finding(
                    item_id=item.item_id, check="unreadable-video", severity="error", message=videos.problems[name]
                )
