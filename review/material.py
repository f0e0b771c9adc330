"""What is there to review: the kept questions of a run with their groups, evidence, task heads and traces.

Read from the run without its writer's lock, so that people may review while graphs.generate is still at work.
"""

import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prompts.heads import TaskHead, load_taskheads
from records.annotation import VIDEO_FAMILIES
from records.errors import RunError
from records.media import Evidence, Frame, Group, Source, Tag
from records.questions import Question
from records.text import primary_language
from records.verdicts import Item
from review.assigning import Job
from rules import RuleContext
from store.exports import natural
from store.run import Run

ENTRY_KEYS = ("article_title", "entry", "wikipedia", "article")
"""Keys of `Question.extra` under which the title of the background article may stand (VideoVista D.3)."""
_FRESH_S = 5.0


@dataclass(frozen=True)
class Material:
    """Everything that reviewers may see, read at one moment."""

    set_name: str
    items: Mapping[str, Item]
    """By item id, sorted by group, type and id."""
    groups: Mapping[str, Group]
    evidences: Mapping[str, Evidence]
    heads: Mapping[str, TaskHead] = field(default_factory=dict)
    evidence_characters: int = 160
    evidence_sentences: int = 2

    @property
    def track(self) -> str:
        """The track of the first item; empty without items."""
        return next((item.question.track for item in self.items.values()), "")

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The items as far as their assignment goes."""
        return tuple(job_of(item) for item in self.items.values())

    def source(self, question: Question, tag: Tag) -> Source | None:
        """The source that a question names by a tag, or None if the group does not have it."""
        group = self.groups.get(question.group_id)
        video_id = question.sources.get(tag)
        return next((source for source in group.sources if source.video_id == video_id), None) if group else None

    def frames(self, question: Question, tag: Tag) -> tuple[Frame, ...]:
        """The frames that models saw of a source, in order of time."""
        evidence = self.evidences.get(question.group_id)
        video_id = question.sources.get(tag)
        if evidence is None:
            return ()
        return next((source.frames for source in evidence.sources if source.video_id == video_id), ())

    def has_file(self, group_id: str, source: Source) -> bool:
        """Whether a source's video lies where the run found it, or in its group's folder."""
        return video_path(self.groups[group_id], source) is not None

    def video_ids(self, group_id: str) -> tuple[str, ...]:
        """The videos of a group that can be played, in its order; sources of text alone are left out."""
        group = self.groups.get(group_id)
        return tuple(source.video_id for source in group.sources if source.video_file) if group else ()

    def rule_context(self, question: Question, item_id: str) -> RuleContext:
        """What the rules need to know about a question of this run."""
        head = self.heads.get(question.type_id)
        video = head is not None and head.family in VIDEO_FAMILIES
        others = (
            item.question
            for item in self.items.values()
            if item.question.group_id == question.group_id and item.item_id != item_id
        )
        known = {
            "visual_options": head.visual_claims, "min_sources": head.min_sources, "joiners": head.joiners,
        } if head else {"min_sources": min(2, max(1, len(question.sources)))}  # fmt: skip
        return RuleContext(
            frames={tag: tuple(frame.number for frame in self.frames(question, tag)) for tag in question.sources},
            evidence_characters=self.evidence_characters,
            evidence_sentences=self.evidence_sentences,
            accepted_stems=tuple(one.stem for one in others if not video or one.type_id == question.type_id),
            option_count=len(question.options),
            **known,
            **(_video_context(head, question) if head and video else {}),
        )


def video_path(group: Group, source: Source) -> Path | None:
    """The file of a source's video, links followed: only a file inside its group's folder, else None."""
    if not source.video_file:
        return None
    here = Path(group.folder) / Path(source.video_file).name
    path = (here if here.is_file() else Path(source.video_file)).resolve()
    return path if path.is_file() and path.is_relative_to(Path(group.folder).resolve()) else None


def _video_context(head: TaskHead, question: Question) -> dict[str, Any]:
    """What the video track's rules need beside; the gap between moments stands with the question."""
    gap = question.extra.get("least_gap_s", "")
    facts = {"family": head.family, "type_id": head.id, "form": head.form}
    return {**facts, "time_gap_s": float(gap)} if gap.replace(".", "", 1).isdigit() else facts


def job_of(item: Item) -> Job:
    """An item as far as its assignment goes."""
    question = item.question
    return Job(
        item_id=item.item_id,
        group_id=question.group_id,
        language=primary_language(question.language) if question.language else "",
        culture=culture_of(question),
    )


def culture_of(question: Question) -> str:
    """The culture that a question is about, lower case; empty if it is about none."""
    return question.extra.get("culture", "").strip().casefold()


def entry_of(question: Question) -> str:
    """The title of the article with the background of a culture question; empty if there is none."""
    return next((question.extra[key].strip() for key in ENTRY_KEYS if question.extra.get(key, "").strip()), "")


def load_material(
    run: Run,
    *,
    set_name: str = "",
    outcomes: Collection[str] = ("kept",),
    taskheads: tuple[Path, ...] = (),
    groups_folder: Path | None = None,
) -> Material:
    """The items of a judgement set with these outcomes. Raises RunError if the set is unknown.

    `groups_folder` is where the groups' folders lie now, if they were moved since the run.
    """
    name = chosen_set(run, set_name)
    items = [item for item in run.all("item", Item, set_name=name) if item.outcome in outcomes]
    items.sort(key=lambda item: (item.question.group_id, natural(item.question.type_id), item.item_id))
    track = run.manifest.track
    return Material(
        set_name=name,
        items={item.item_id: item for item in items},
        groups={group.group_id: moved(group, groups_folder) for group in run.all("group", Group)},
        evidences={evidence.group_id: evidence for evidence in run.all("evidence", Evidence)},
        heads=load_taskheads(taskheads, kind="all"),
        **({} if track is None else _evidence_limits(track.evidence_characters, track.evidence_sentences)),
    )


def moved(group: Group, groups_folder: Path | None) -> Group:
    """The group under another folder of groups; as it is where none is given."""
    return group.model_copy(update={"folder": str(groups_folder / group.group_id)}) if groups_folder else group


def chosen_set(run: Run, wanted: str) -> str:
    """The judgement set to review: the wanted one, else the run's first, else the only one.

    Raises RunError listing the sets if the wanted one is not there, or if the run has no items.
    """
    sets = run.sets()
    if wanted and wanted not in sets:
        raise RunError(f"{run.folder} has no judgement set {wanted!r}.", hint=f"It has: {', '.join(sets) or 'none'}.")
    if not sets:
        raise RunError(f"{run.folder} has no judged items yet.", hint="Run graphs.generate first.")
    if wanted:
        return wanted
    return run.manifest.judgement_set if run.manifest.judgement_set in sets else sets[0]


class LiveMaterial:
    """The material of a run that may still grow: read again when something was written, at most every few seconds."""

    def __init__(self, run: Run, **how: Any) -> None:
        """Reads once at the start; takes and raises what `load_material` does."""
        self.run = run
        self._how = how
        self._mutex = threading.Lock()
        self._read_at = time.monotonic()
        self._state = self._written()
        self._material = self._load()

    def now(self) -> Material:
        """The material, at most a few seconds old."""
        with self._mutex:
            if time.monotonic() - self._read_at > _FRESH_S:
                self._read_at = time.monotonic()
                state = self._written()
                if state != self._state:
                    self._state, self._material = state, self._load()
            return self._material

    def _written(self) -> tuple[int, str]:
        index = self.run.index()
        return len(index), max((one.written for one in index), default="")

    def _load(self) -> Material:
        return load_material(self.run, **self._how)


def _evidence_limits(characters: int, sentences: int) -> dict[str, int]:
    return {"evidence_characters": characters, "evidence_sentences": sentences}
