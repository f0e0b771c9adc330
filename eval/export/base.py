"""What exporters share: the columns that every harness gets, and facts about the benchmark as a whole."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.groupings import language
from records.base import Record
from records.benchmark import BenchmarkItem
from records.errors import InputError

_TEMPLATES = Path(__file__).parents[1] / "templates" / "export"


class About(Record):
    """The benchmark as a whole."""

    name: str
    """Letters, digits, ``-`` and ``_``; file and task names are made of it."""
    title: str = ""
    license: str = "unknown"
    """A licence id as Hugging Face writes it, such as ``cc-by-4.0``."""
    videos: str = "videos"
    """Folder of the videos as the harness will find it; an environment variable can change it there."""
    notes: tuple[str, ...] = ()

    @property
    def variable(self) -> str:
        """The environment variable that says where the videos are: ``MY_BENCH_VIDEOS``."""
        return re.sub(r"\W+", "_", self.name).upper() + "_VIDEOS"


@dataclass(frozen=True)
class Exporter:
    """One target. `write` fills an existing, empty folder and returns the files."""

    name: str
    describes: str
    write: Callable[[tuple[BenchmarkItem, ...], Path, About], tuple[Path, ...]]


def checked(items: Sequence[BenchmarkItem]) -> tuple[BenchmarkItem, ...]:
    """The items if they can be exported. Raises InputError for an item without a key or with fewer than two options."""
    for item in items:
        if item.key is None or len(item.options) < 2:
            why = item.key_note or "it has fewer than two options"
            raise InputError(
                f"item {item.item_id} cannot be exported: {why}.",
                hint="Mend the file, or leave such items out with --skip-without-key.",
            )
    return tuple(items)


def common_row(item: BenchmarkItem) -> dict[str, Any]:
    """The columns that harnesses know, then ours; lists stay lists."""
    letters = list(item.options)
    return {
        "question_id": item.item_id,
        "question": item.stem,
        "options": list(item.options.values()),
        "answer": item.key,
        "answer_index": letters.index(item.key or letters[0]),
        "category": item.type_id,
        "src": item.cluster,
        "group_id": item.group_id,
        "family": item.family,
        "track": item.track,
        "language": language(item),
        "domain": item.domain,
        "video_id": list(item.video_ids),
        "video_path": list(video_paths(item)),
        "tags": list(item.sources),
        "duration_s": item.duration_s,
        "culture": item.culture,
        "discipline": item.discipline,
        "sub_discipline": item.sub_discipline,
        "platform": list(item.platforms),
        "outlet": list(item.outlets),
        "event_start_s": item.event_start_s,
        "event_end_s": item.event_end_s,
    }


def video_paths(item: BenchmarkItem) -> tuple[str, ...]:
    """The item's files within the folder of videos; ``<id>.mp4`` where the benchmark names ids only."""
    return item.video_files or tuple(f"{video}.mp4" for video in item.video_ids)


def evidence_order(item: BenchmarkItem) -> str:
    """One line that says which video is which tag; empty where the question speaks of no tags."""
    if not item.sources:
        return ""
    places = {video: place for place, video in enumerate(item.video_ids, 1)}
    named = (f"{tag} is video {places[video]}" for tag, video in item.sources.items() if video in places)
    return "The videos in order: " + ", ".join(named) + "."


def filled(template: str, **fields: object) -> str:
    """A file from the templates, its ``[[ field ]]`` filled in. Raises on a field that is missing."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(  # noqa: S701 (the output is YAML, Markdown and Python, not HTML)
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        variable_start_string="[[",
        variable_end_string="]]",
        block_start_string="[%",
        block_end_string="%]",
        comment_start_string="[#",
        comment_end_string="#]",
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(**fields)


def write_text(path: Path, text: str) -> Path:
    """Write a text file with its folder; returns the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    return path
