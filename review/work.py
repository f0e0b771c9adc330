"""Where a reviewer stands: which items are theirs, which revision they are to score, what is still to do. Pure.

A reviewer of a shared item scores revision 0 first, even if somebody has corrected it meanwhile: several judgements
of one text are what agreement is computed from, and nobody is to be led by another's correction.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Literal

from records.base import Record
from records.review import (
    Assignment,
    AssignmentRole,
    Comment,
    Review,
    ReviewEdit,
    Reviewer,
    Score,
    Sheet,
    Verdict,
    Watched,
)
from review.material import Material

Status = Literal["todo", "started", "again", "revise", "done"]
"""``again``: a new revision waits for this reviewer's scores. ``revise``: their scores ask for a correction."""


class Standing(Record):
    """One item in one reviewer's queue."""

    item_id: str
    group_id: str
    type_id: str
    role: AssignmentRole | Literal["extra"]
    native: bool = False
    revision: int
    """The revision that this reviewer is to see now."""
    latest: int
    status: Status
    verdict: Verdict
    """What their own scores of that revision ask for."""
    scores: dict[str, str]
    comment: str = ""

    @property
    def complete(self) -> bool:
        """Whether the reviewer has scored the revision that they see."""
        return self.verdict != "incomplete"

    @property
    def open(self) -> bool:
        """Whether something is left to do."""
        return self.status != "done"


class Progress(Record):
    """One reviewer's progress."""

    reviewer: str
    assigned: int
    done: int
    started: int
    """Scored in part, or waiting for a correction or a second scoring."""


def standings(
    material: Material,
    sheet: Sheet,
    reviewer: Reviewer,
    assignments: Iterable[Assignment],
    scores: Iterable[Score],
    comments: Iterable[Comment] = (),
    edits: Iterable[ReviewEdit] = (),
) -> tuple[Standing, ...]:
    """A reviewer's queue in the order of the material. A lead's ends with the items that are not theirs."""
    mine = {one.item_id: one for one in assignments if one.reviewer == reviewer.name}
    given = _by_item(score for score in scores if score.reviewer == reviewer.name)
    said = {(one.item_id, one.revision): one.text for one in comments if one.reviewer == reviewer.name}
    revisions: dict[str, list[ReviewEdit]] = defaultdict(list)
    for edit in edits:
        revisions[edit.item_id].append(edit)
    queue = [
        _standing(material, sheet, reviewer, item_id, mine.get(item_id), given[item_id], said, revisions[item_id])
        for item_id in material.items
        if item_id in mine or reviewer.lead
    ]
    return tuple(sorted(queue, key=lambda one: one.role == "extra"))


def progress(queue: Iterable[Standing], reviewer: str) -> Progress:
    """How far a reviewer is with the items that are theirs."""
    assigned = [one for one in queue if one.role != "extra"]
    return Progress(
        reviewer=reviewer,
        assigned=len(assigned),
        done=sum(not one.open for one in assigned),
        started=sum(one.open and one.status != "todo" for one in assigned),
    )


def reviews(
    sheet: Sheet,
    assignments: Iterable[Assignment],
    scores: Iterable[Score],
    comments: Iterable[Comment] = (),
    watched: Iterable[Watched] = (),
    group_of: Mapping[str, str] | None = None,
) -> tuple[Review, ...]:
    """All reviews, complete or not, sorted by item, revision and reviewer.

    `group_of` (item id → group id) joins what was watched to the items. Scores of dimensions that the sheet does not
    have are left out.
    """
    seats = {(one.item_id, one.reviewer): one for one in assignments}
    said = {(one.item_id, one.revision, one.reviewer): one.text for one in comments}
    seen: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for one in watched:
        seen[one.reviewer, one.group_id][one.video_id] = round(one.share, 4)
    known = {dimension.id: dimension.values for dimension in sheet.dimensions}
    grouped: dict[tuple[str, int, str], list[Score]] = defaultdict(list)
    for score in scores:
        if score.level in known.get(score.dimension, ()):
            grouped[score.item_id, score.revision, score.reviewer].append(score)
    return tuple(
        _review(key, grouped[key], seats.get((key[0], key[2])), said.get(key, ""), seen, group_of or {})
        for key in sorted(grouped)
    )


def unwatched(video_ids: Iterable[str], watched: Mapping[str, float], least: float) -> tuple[tuple[str, float], ...]:
    """The videos of which less than `least` was watched, with the share that was."""
    return tuple((one, watched.get(one, 0.0)) for one in video_ids if watched.get(one, 0.0) < least)


def _review(
    key: tuple[str, int, str],
    given: list[Score],
    seat: Assignment | None,
    comment: str,
    seen: Mapping[tuple[str, str], dict[str, float]],
    group_of: Mapping[str, str],
) -> Review:
    item_id, revision, reviewer = key
    return Review(
        item_id=item_id,
        revision=revision,
        reviewer=reviewer,
        role=seat.role if seat else "extra",
        native=seat.native if seat else False,
        scores={score.dimension: score.level for score in given},
        comment=comment,
        watched=seen.get((reviewer, group_of.get(item_id, "")), {}),
        at=max(score.at for score in given),
    )


def _standing(
    material: Material,
    sheet: Sheet,
    reviewer: Reviewer,
    item_id: str,
    seat: Assignment | None,
    given: Mapping[int, dict[str, str]],
    said: Mapping[tuple[str, int], str],
    edits: list[ReviewEdit],
) -> Standing:
    role = seat.role if seat else "extra"
    revision = _revision(sheet, reviewer.name, role, given, edits)
    scores = {name: value for name, value in given.get(revision, {}).items() if _known(sheet, name, value)}
    verdict = sheet.verdict(scores)
    question = material.items[item_id].question
    return Standing(
        item_id=item_id,
        group_id=question.group_id,
        type_id=question.type_id,
        role=role,
        native=seat.native if seat else False,
        revision=revision,
        latest=len(edits),
        status=_status(verdict, scores, revision, len(edits)),
        verdict=verdict,
        scores=scores,
        comment=said.get((item_id, revision), ""),
    )


def _revision(
    sheet: Sheet, reviewer: str, role: str, given: Mapping[int, dict[str, str]], edits: list[ReviewEdit]
) -> int:
    latest = len(edits)
    complete = [revision for revision, scores in given.items() if sheet.complete(scores) and revision <= latest]
    if latest == 0 or (role in ("agreement", "culture") and 0 not in complete):
        return 0
    if given.get(latest) or not complete or _scores_again(sheet, reviewer, role, edits[-1]):
        return latest
    return max(complete)


def _scores_again(sheet: Sheet, reviewer: str, role: str, edit: ReviewEdit) -> bool:
    """Whether a reviewer who scored an earlier revision is to score the latest one."""
    if role in ("culture", "adjudicator"):
        return True
    return (edit.author == reviewer) == sheet.policy.own_revision


def _status(verdict: Verdict, scores: Mapping[str, str], revision: int, latest: int) -> Status:
    if verdict == "incomplete":
        return "started" if scores else "again" if revision else "todo"
    return "revise" if verdict == "revise" and revision == latest else "done"


def _known(sheet: Sheet, dimension: str, value: str) -> bool:
    return any(one.id == dimension and value in one.values for one in sheet.dimensions)


def _by_item(scores: Iterable[Score]) -> dict[str, dict[int, dict[str, str]]]:
    grouped: dict[str, dict[int, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for score in scores:
        grouped[score.item_id][score.revision][score.dimension] = score.level
    return grouped
