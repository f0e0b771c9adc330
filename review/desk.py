"""What the page asks for and saves, for one reviewer at a time: the run's material, the journal, the rules together.

Every method checks that the item is the reviewer's to see. Nothing here knows the web.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from records.base import Record
from records.calls import CallRecord
from records.errors import BenchwrightError, InputError
from records.questions import Question, RuleReport
from records.review import (
    Assignment,
    Comment,
    Review,
    ReviewEdit,
    Reviewer,
    Score,
    Sheet,
    Span,
    Verdict,
    Watched,
    Words,
)
from records.verdicts import Item
from review.assigning import AssignmentSettings, Plan, assign
from review.edits import EditForm, form_of, revised
from review.journal import Journal
from review.material import LiveMaterial, Material, video_path
from review.work import Progress, Standing, Status, progress, reviews, standings, unwatched
from rules import check
from store.run import Run

LONGEST_TEXT = 20_000
_HASH = re.compile(r"[0-9a-f]{64}")


class Refused(BenchwrightError):
    """Something that this reviewer may not see or do."""


class Saved(Record):
    """What the page is told after a score or a comment was kept."""

    at: str
    complete: bool
    status: Status
    verdict: Verdict
    total: float
    unwatched: tuple[tuple[str, float], ...]
    """Video id and share watched, of the videos that were not watched to the end."""
    revision: int
    """The revision that this reviewer is to see now."""
    latest: int
    """The item's latest revision."""
    shows_total: bool
    """Whether the sheet's policy adds points up."""
    advice: tuple[Words, ...] = ()
    """What to mend, where the scores ask for a correction."""
    progress: Progress


class After(Record):
    """What opens after scoring: the item with its verdicts, the drafter's trace, others' reviews, the revisions."""

    item: Item
    trace: CallRecord | None
    others: tuple[Review, ...]
    edits: tuple[ReviewEdit, ...]


@dataclass(frozen=True)
class Desk:
    """Everything that the page reaches."""

    run: Run
    journal: Journal
    sheet: Sheet
    live: LiveMaterial

    @property
    def material(self) -> Material:
        """What there is to review, at most a few seconds old."""
        return self.live.now()

    def plan(self, reviewers: Sequence[Reviewer], settings: AssignmentSettings) -> Plan:
        """Deal out what nobody has yet, and keep it. Returns the whole plan."""
        made = assign(self.material.jobs, reviewers, settings, self.journal.assignments())
        self.journal.add_assignments(made.assignments)
        return made

    # Seeing

    def queue(self, reviewer: Reviewer) -> tuple[Standing, ...]:
        """The reviewer's items in order."""
        name = reviewer.name
        return standings(
            self.material,
            self.sheet,
            reviewer,
            self.journal.assignments(reviewer=name),
            self.journal.scores(reviewer=name),
            self.journal.comments(reviewer=name),
            self.journal.edits(),
        )

    def standing(self, reviewer: Reviewer, item_id: str) -> Standing:
        """Where a reviewer stands with one item. Raises Refused if it is not theirs."""
        item = self.material.items.get(item_id)
        if item is not None:
            only = {item_id: item}
            material = Material(self.material.set_name, only, self.material.groups, self.material.evidences)
            seats = self.journal.assignments(item_id=item_id, reviewer=reviewer.name)
            given = self.journal.scores(item_id=item_id, reviewer=reviewer.name)
            said = self.journal.comments(item_id=item_id, reviewer=reviewer.name)
            edits = self.journal.edits(item_id=item_id)
            for one in standings(material, self.sheet, reviewer, seats, given, said, edits):
                return one
        raise Refused("this item is not assigned to you.", hint="A lead can assign it: python -m review.assign.")

    def question(self, item_id: str, revision: int) -> Question:
        """A revision of a question. Raises InputError for a revision that does not exist."""
        if revision == 0:
            return self.material.items[item_id].question
        for edit in self.journal.edits(item_id=item_id):
            if edit.revision == revision:
                return edit.question
        raise InputError(f"item {item_id} has no revision {revision}.")

    def author(self, item_id: str, revision: int) -> str:
        """Who wrote a revision; empty for revision 0."""
        return next((one.author for one in self.journal.edits(item_id=item_id) if one.revision == revision), "")

    def watched(self, reviewer: Reviewer, group_id: str) -> dict[str, float]:
        """Video id → share that a reviewer has watched."""
        return {one.video_id: one.share for one in self.journal.watched(reviewer=reviewer.name, group_id=group_id)}

    def key_opened(self, reviewer: Reviewer, item_id: str) -> None:
        """Note that the reviewer asked for the key."""
        self.standing(reviewer, item_id)
        self.journal.opened(item_id, reviewer.name, "key")

    def after(self, reviewer: Reviewer, item_id: str) -> After:
        """Verdicts, reasoning, others' reviews. Raises Refused before the reviewer has scored what they see."""
        standing = self.standing(reviewer, item_id)
        if not standing.complete:
            raise Refused("give all scores first; then the verdicts open.")
        self.journal.opened(item_id, reviewer.name, "verdicts")
        item = self.material.items[item_id]
        traces = self.run.trace(item.question.provenance.request_id) if item.question.provenance.request_id else ()
        scores = self.journal.scores(item_id=item_id)
        made = reviews(
            self.sheet, self.journal.assignments(item_id=item_id), scores, self.journal.comments(item_id=item_id)
        )
        return After(
            item=item,
            trace=traces[-1] if traces else None,
            others=tuple(one for one in made if one.reviewer != reviewer.name and one.revision <= standing.revision),
            edits=self.journal.edits(item_id=item_id)[: standing.revision],
        )

    # Saving

    def score(self, reviewer: Reviewer, item_id: str, revision: int, dimension: str, level: str) -> Saved:
        """Keep one score. Raises Refused or InputError for what is not the reviewer's or not on the sheet."""
        standing = self.standing(reviewer, item_id)
        _refuse_revision(standing, revision)
        if dimension not in {one.id for one in self.sheet.dimensions}:
            raise InputError(f"the sheet has no dimension {dimension!r}.")
        if level not in self.sheet.dimension(dimension).values:
            raise InputError(f"{dimension} cannot be {level!r}.", hint=_choices(self.sheet, dimension))
        kept = self.journal.save_score(
            Score(item_id=item_id, revision=revision, reviewer=reviewer.name, dimension=dimension, level=level)
        )
        return self._saved(reviewer, item_id, kept.at)

    def comment(self, reviewer: Reviewer, item_id: str, revision: int, text: str) -> Saved:
        """Keep a comment; an empty one takes the earlier one back."""
        _refuse_revision(self.standing(reviewer, item_id), revision)
        if len(text) > LONGEST_TEXT:
            raise InputError(f"a comment may have {LONGEST_TEXT} characters at most, not {len(text)}.")
        kept = self.journal.save_comment(
            Comment(item_id=item_id, revision=revision, reviewer=reviewer.name, text=text.strip())
        )
        return self._saved(reviewer, item_id, kept.at)

    def watch(
        self, reviewer: Reviewer, group_id: str, video_id: str, duration_s: float, spans: Sequence[Span]
    ) -> Watched:
        """Add what was seen of a video. Raises InputError for a video that the run does not have."""
        if video_id not in self.material.video_ids(group_id):
            raise InputError(f"group {group_id!r} has no video {video_id!r}.")
        return self.journal.add_watched(reviewer.name, group_id, video_id, duration_s, spans)

    def check(self, item_id: str, revision: int, form: EditForm) -> RuleReport:
        """What the rules say about a revision with the form's texts. Raises InputError for unusable fields."""
        before = self.question(item_id, revision)
        question = before if form == form_of(before) else revised(before, form)
        return check(question, self.material.rule_context(question, item_id))

    def save_edit(
        self, reviewer: Reviewer, item_id: str, revision: int, form: EditForm, reason: str = ""
    ) -> ReviewEdit:
        """Keep a correction of the revision that the reviewer sees, as the next one.

        Raises Refused before they have scored it, StaleEdit if somebody was faster, InputError for unusable fields.
        """
        standing = self.standing(reviewer, item_id)
        if revision == standing.revision and not standing.complete:
            raise Refused("score this revision first; then you can correct it.")
        question = revised(self.question(item_id, revision), form)
        report = check(question, self.material.rule_context(question, item_id))
        return self.journal.save_edit(
            ReviewEdit(
                item_id=item_id,
                revision=revision + 1,
                author=reviewer.name,
                question=question,
                report=report,
                reason=reason.strip()[:LONGEST_TEXT],
            )
        )

    def _saved(self, reviewer: Reviewer, item_id: str, at: str) -> Saved:
        queue = self.queue(reviewer)
        standing = next(one for one in queue if one.item_id == item_id)
        videos = self.material.video_ids(standing.group_id)
        seen = self.watched(reviewer, standing.group_id)
        return Saved(
            at=at,
            complete=standing.complete,
            status=standing.status,
            verdict=standing.verdict,
            total=self.sheet.total(standing.scores),
            unwatched=unwatched(videos, seen, self.sheet.watched),
            revision=standing.revision,
            latest=standing.latest,
            shows_total=self.sheet.policy.rule == "total",
            advice=advice(self.sheet, standing),
            progress=progress(queue, reviewer.name),
        )

    # Everybody

    def progress(self, reviewers: Sequence[Reviewer]) -> tuple[Progress, ...]:
        """How far everybody is; numbers only, nobody's scores."""
        return tuple(progress(self.queue(one.model_copy(update={"lead": False})), one.name) for one in reviewers)

    def reviews(self) -> tuple[Review, ...]:
        """All reviews of this run, for statistics."""
        items = self.material.items
        return reviews(
            self.sheet,
            self.journal.assignments(),
            (score for score in self.journal.scores() if score.item_id in items),
            self.journal.comments(),
            self.journal.watched(),
            {item_id: item.question.group_id for item_id, item in items.items()},
        )

    def assignments(self) -> tuple[Assignment, ...]:
        """All assignments."""
        return self.journal.assignments()

    # Files

    def video_path(self, group_id: str, video_id: str) -> Path:
        """The file of a video of the run. Raises Refused for anything that is not a video in its group's folder."""
        group = self.material.groups.get(group_id)
        source = next((one for one in group.sources if one.video_id == video_id), None) if group else None
        path = video_path(group, source) if group and source else None
        if path is None:
            raise Refused("the run has no such video.")
        return path

    def frame_path(self, sha256: str) -> Path:
        """The file of a frame of the run. Raises Refused for anything else."""
        path = self.run.frame_path(sha256).resolve() if _HASH.fullmatch(sha256) else None
        if path is None or not path.is_file() or not path.is_relative_to(self.run.frames_dir.resolve()):
            raise Refused("the run has no such frame.")
        return path


def advice(sheet: Sheet, standing: Standing) -> tuple[Words, ...]:
    """What the sheet says to a reviewer whose scores ask for a correction (VideoVista-CulturalLingo 3.3)."""
    if standing.verdict != "revise":
        return ()
    short = {one.id for one in sheet.dimensions if one.level(standing.scores[one.id]).points < one.best}
    return tuple(one.say for one in sheet.policy.advice if one.dimension in short)


def _refuse_revision(standing: Standing, revision: int) -> None:
    if not 0 <= revision <= standing.latest:
        raise InputError(f"this item has no revision {revision}.")


def _choices(sheet: Sheet, dimension: str) -> str:
    return f"Choose one of: {', '.join(sheet.dimension(dimension).values)}."
