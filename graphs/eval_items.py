"""What is asked: the items of a run or of a benchmark file, and the units of media that they are about.

A unit is one group of videos (a run's, or a folder's) or one video; its items are asked on the same material. Items of
a run bring their evidence along; others need ``--groups``, ``--group`` or ``--videos``.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import Field

from graphs import cli
from graphs.slots import group_names
from records.base import Record, digest
from records.benchmark import BenchmarkItem
from records.config import ModelSpec, Panel
from records.errors import ConfigurationError, InputError, RunError
from records.media import Evidence, Group, Tag, tag_of
from records.verdicts import Item
from rules.facts import span
from store.manifest import FILE as MANIFEST_FILE
from store.run import Run


class Unit(Record):
    """Items that are asked on the same videos."""

    unit_id: str
    kind: Literal["run", "group", "videos", "none"]
    """Evidence of a run, a folder to be read, single files, or nothing to show."""
    group_id: str = ""
    folder: str = ""
    sources: dict[Tag, str] = Field(default_factory=dict)
    """Tag → video id; empty where the order of the group decides."""
    files: dict[str, str] = Field(default_factory=dict)
    """Video id → path, for single files."""
    clip: tuple[float, float] | None = None
    """The stretch, in seconds, that may be seen: event prediction ends before the event. None: all of it."""
    item_ids: tuple[str, ...]


@dataclass(frozen=True)
class Benchmark:
    """Everything that is known about the items before anything is asked."""

    name: str
    items: tuple[BenchmarkItem, ...]
    units: tuple[Unit, ...]
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    """Group id → evidence, for items of a run."""
    groups: Mapping[str, Group] = field(default_factory=dict)
    run_folder: Path | None = None
    """The run that the items come from; its frames are used."""
    drafters: tuple[ModelSpec, ...] = ()
    judges: tuple[ModelSpec, ...] = ()
    judged: dict[str, dict[str, int]] | None = None
    """Drafter → outcome → items, where a run says so."""
    durations: Mapping[str, float] = field(default_factory=dict)
    """Seconds by video id, for single files."""
    notes: tuple[str, ...] = ()
    by_id: Mapping[str, BenchmarkItem] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """A hash of what the items ask."""
        return digest([[item.item_id, item.stem, item.options, item.key] for item in self.items])

    def of(self, unit: Unit) -> tuple[BenchmarkItem, ...]:
        """The items of a unit, in order."""
        return tuple(self.by_id[item_id] for item_id in unit.item_ids)


def load_benchmark(arguments: argparse.Namespace, *, shown: bool) -> Benchmark:
    """The items that the flags name, with their units. `shown`: whether some candidate is to see or read anything.

    Raises InputError or RunError saying what is missing.
    """
    path = Path(arguments.items)
    named = path if path.exists() else Path(arguments.runs) / arguments.items
    if (named / MANIFEST_FILE).is_file():
        return _of_run(named, arguments)
    return _of_file(path, arguments, shown=shown)


def limited(items: Sequence[BenchmarkItem], limit: tuple[int, int] | None) -> tuple[BenchmarkItem, ...]:
    """The items of a range that counts from 1. Raises ConfigurationError for a range beyond the last item."""
    low, high = limit or (1, len(items))
    if items and low > len(items):
        raise ConfigurationError(f"--limit begins at item {low}; there are {len(items)} items.")
    return tuple(items[low - 1 : high])


# --- a run -----------------------------------------------------------------------------------------------------------


def _of_run(folder: Path, arguments: argparse.Namespace) -> Benchmark:
    from eval.from_run import items_of_run

    with Run.open(folder) as run:
        set_name = arguments.judgement_set or run.manifest.judgement_set
        panel = run.panel(set_name) or run.manifest.panel
        seats = _seats(panel)
        items = items_of_run(run, set_name, judges=[model.model for model in seats])
        items = _with_metadata(items, arguments)
        judged = _judged(run.all("item", Item, set_name=set_name))
        evidence = {found.group_id: found for found in run.all("evidence", Evidence)}
        groups = {found.group_id: found for found in run.all("group", Group)}
        first = run.manifest.panel
    if not items:
        known = "" if not arguments.judgement_set else f" in the judgement set {set_name!r}"
        raise RunError(f"{folder} holds no kept item{known}.", hint="Only kept items are asked; see graphs.list.")
    chosen = limited(items, arguments.limit)
    return Benchmark(
        name=folder.name,
        items=chosen,
        units=group_units(chosen, "run", {}),
        evidence=evidence,
        groups=groups,
        run_folder=folder,
        drafters=tuple(first.model(name) for name in first.drafters) if first else (),
        judges=seats,
        judged=judged,
        by_id={item.item_id: item for item in chosen},
    )


def _seats(panel: Panel | None) -> tuple[ModelSpec, ...]:
    return tuple(panel.model(seat.model) for seat in (*panel.judges, *panel.reserves)) if panel else ()


def _judged(items: Iterable[Item]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for item in items:
        counts.setdefault(item.question.provenance.drafter, Counter())[item.outcome] += 1
    return {drafter: dict(found) for drafter, found in counts.items()}


def _with_metadata(items: tuple[BenchmarkItem, ...], arguments: argparse.Namespace) -> tuple[BenchmarkItem, ...]:
    if not arguments.metadata or not items:
        return items
    from eval.metadata import join_metadata

    return join_metadata(items, arguments.metadata).items


# --- a file ----------------------------------------------------------------------------------------------------------


def _of_file(path: Path, arguments: argparse.Namespace, *, shown: bool) -> Benchmark:
    from eval.cli import read_items

    found = read_items(path, arguments)
    keyed = tuple(item for item in found.items if item.key)
    notes = list(found.notes)
    if len(keyed) < len(found.items):
        notes.append(f"{len(found.items) - len(keyed)} items without a key are left out (see python -m eval.lint)")
    chosen = limited(keyed, arguments.limit)
    if not chosen:
        raise InputError(f"{path}: holds no item that can be asked.", hint="See python -m eval.lint.")
    media = _Media(chosen, arguments, shown=shown)
    notes += media.notes
    drafters, judges = _makers_beside(path, chosen)
    return Benchmark(
        name=path.stem,
        items=media.items,
        units=media.units,
        drafters=(*drafters, *_specs(item.drafter for item in chosen)),
        judges=(*judges, *_specs(name for item in chosen for name in item.judges)),
        durations=media.durations,
        notes=tuple(notes),
        by_id={item.item_id: item for item in media.items},
    )


def _makers_beside(path: Path, items: Iterable[BenchmarkItem]) -> tuple[tuple[ModelSpec, ...], tuple[ModelSpec, ...]]:
    """Who drafted and judged the ``items.jsonl`` that still lies in its run's folder: the file names no judges."""
    above = path.resolve().parents[:3]  # RUN/items.jsonl or RUN/sets/NAME/items.jsonl
    folder = next((parent for parent in (*above[:1], *above[2:]) if (parent / "run.yaml").is_file()), None)
    if folder is None:
        return (), ()
    with Run.open(folder) as run:
        first = run.manifest.panel
        named = {item.extra.get("judgement_set", "") for item in items} - {""} or {run.manifest.judgement_set}
        judges = tuple(spec for name in sorted(named) for spec in _seats(run.panel(name) or first))
    return (tuple(first.model(name) for name in first.drafters) if first else ()), judges


def _specs(names: Iterable[str]) -> tuple[ModelSpec, ...]:
    """Models that a benchmark file names as its makers."""
    known = dict.fromkeys(name for name in names if name and name != "people")
    return tuple(ModelSpec(name=name, model=name) for name in known)


class _Media:
    """The units of a file's items: groups where folders are given for them, else single videos."""

    def __init__(self, items: tuple[BenchmarkItem, ...], arguments: argparse.Namespace, *, shown: bool) -> None:
        self.items = items
        self.notes: list[str] = []
        self.durations: dict[str, float] = {}
        folders = _folders(arguments)
        if not shown:
            self.units = group_units(items, "none", {})
        elif folders:
            self.items = tuple(_with_group(item, folders) for item in items)
            self.units = group_units(self.items, "group", folders)
        elif arguments.videos:
            self.units = self._videos(arguments)
        else:
            raise InputError(
                f"{arguments.items}: the items are about videos, and none were given.",
                hint="Give --videos DIR, --groups DIR or --group DIR; to ask without any material: "
                "--frames none --transcript none.",
            )

    def _videos(self, arguments: argparse.Namespace) -> tuple[Unit, ...]:
        from eval.lint.video_checks import look_up, video_names

        found = look_up(self.items, arguments.videos)
        bad = {*found.missing, *found.problems}
        lacking = tuple(item for item in self.items if not video_names(item) or bad & set(video_names(item)))
        if lacking and not arguments.skip_missing:
            raise InputError(_what_is_missing(lacking, found.missing, found.problems), hint=_SKIP)
        if len(lacking) == len(self.items):
            raise InputError(f"{arguments.videos}: holds none of the items' videos.", hint="Look at the file names.")
        if lacking:
            self.notes.append(f"{len(lacking)} items are left out: their videos are missing or cannot be read")
        gone = {item.item_id for item in lacking}
        self.items = tuple(item for item in self.items if item.item_id not in gone)
        self.durations = dict(found.durations)
        return _video_units(self.items, found.found)


_SKIP = "Mend the folder, or say --skip-missing: then these items are left out, and every table is without them."


def _what_is_missing(lacking: Sequence[BenchmarkItem], missing: Sequence[str], problems: Mapping[str, str]) -> str:
    parts = []
    if missing:
        parts.append(f"{len(missing)} videos are not there (such as {missing[0]})")
    if problems:
        parts.append(f"{len(problems)} cannot be read (such as {next(iter(problems.values()))})")
    return f"{len(lacking)} items cannot be shown: {'; '.join(parts) or 'they name no video'}."


def _folders(arguments: argparse.Namespace) -> dict[str, Path]:
    from media.groups import find_groups

    return group_names([*arguments.group, *(found for folder in arguments.groups for found in find_groups(folder))])


def _with_group(item: BenchmarkItem, folders: Mapping[str, Path]) -> BenchmarkItem:
    """The item under the group that was given for it. Raises InputError where there is none."""
    name = item.group_id or (next(iter(folders)) if len(folders) == 1 else "")
    if name not in folders:
        raise InputError(
            f"item {item.item_id}: its group {name or '(none named)'} was not given.",
            hint=f"Given are: {', '.join(list(folders)[:8])}.",
        )
    from media.manifest import read_manifest

    known = {"group_id": name, "domain": item.domain or read_manifest(folders[name]).domain}
    return item.model_copy(update=known)


def group_units(
    items: Sequence[BenchmarkItem], kind: Literal["run", "group", "none"], folders: Mapping[str, Path]
) -> tuple[Unit, ...]:
    """One unit a group, tagging and clip; items that name the same group in other tags are a unit of their own."""
    found: dict[tuple[str, str], list[BenchmarkItem]] = {}
    for item in items:
        found.setdefault((item.cluster, digest([item.sources, clip_of(item)])), []).append(item)
    taken: Counter[str] = Counter()
    units = []
    for (cluster, _), members in found.items():
        taken[cluster] += 1
        group_id = members[0].group_id
        units.append(
            Unit(
                unit_id=cluster if taken[cluster] == 1 else f"{cluster}#{taken[cluster]}",
                kind=kind,
                group_id=group_id,
                folder=str(folders.get(group_id, "")),
                sources=members[0].sources,
                clip=clip_of(members[0]),
                item_ids=tuple(item.item_id for item in members),
            )
        )
    return tuple(units)


def _video_units(items: Sequence[BenchmarkItem], paths: Mapping[str, str]) -> tuple[Unit, ...]:
    from eval.lint.video_checks import video_names

    found: dict[tuple[tuple[str, ...], tuple[float, float] | None], list[BenchmarkItem]] = {}
    for item in items:
        found.setdefault((video_names(item), clip_of(item)), []).append(item)
    return tuple(
        Unit(
            unit_id="+".join(names) + (f"@{clip[1]:g}s" if clip else ""),
            kind="videos",
            sources={tag_of(place): name for place, name in enumerate(names)},
            files={name: paths[name] for name in names},
            clip=clip,
            item_ids=tuple(item.item_id for item in members),
        )
        for (names, clip), members in found.items()
    )


def clip_of(item: BenchmarkItem) -> tuple[float, float] | None:
    """The stretch of the video that a question may be asked on; None for the whole."""
    return span(item.extra, "clip_start_s", "clip_end_s")


def named_tags(items: Iterable[BenchmarkItem]) -> bool:
    """Whether any question speaks of tags."""
    return any(re.search(r"\bTAG_[A-Z]\b", item.stem) for item in items)


def run_folder(arguments: argparse.Namespace, benchmark: Benchmark, candidates: str) -> Path:
    """The run that the flags name, or one that the same command finds again."""
    return cli.run_folder(arguments, f"eval-{benchmark.name}-{candidates}")
