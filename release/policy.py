"""From reviews to a decision about each item: released, discarded, to be revised, or waiting for a person.

Pure, and in words: every decision carries the reason, and what waits says for whom. Only reviews of an item's latest
revision count. A fail proves a discard at once; everything else waits until all who were asked have answered.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import median_low
from typing import Literal, TypeVar

from pydantic import Field

from records.base import Record
from records.review import Assignment, Policy, Review, ReviewEdit, Sheet, Verdict
from records.verdicts import Item

OfItem = TypeVar("OfItem", Review, ReviewEdit, Assignment)
Outcome = Literal["released", "discarded", "revise", "person"]


class Settled(Record):
    """What was decided about one item, and why."""

    item_id: str
    group_id: str
    type_id: str
    outcome: Outcome
    revision: int
    reason: str
    reviewers: int
    """Complete reviews of this revision that count."""
    disagreed: bool = False
    """The reviewers' own decisions differed."""
    needs: tuple[str, ...] = ()
    """What a person still has to do, for the outcomes ``person`` and ``revise``."""


class Case(Record):
    """Everything that is known about one item."""

    item: Item
    reviews: tuple[Review, ...] = ()
    edits: tuple[ReviewEdit, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    culture: str = ""
    videos: tuple[str, ...] = ()
    """Video ids that had to be watched."""


class _Ruling(Record):
    outcome: Outcome
    reason: str
    needs: tuple[str, ...] = Field(default=())


def cases(
    items: Iterable[Item],
    reviews: Iterable[Review],
    edits: Iterable[ReviewEdit] = (),
    assignments: Iterable[Assignment] = (),
    videos: Mapping[str, tuple[str, ...]] | None = None,
) -> tuple[Case, ...]:
    """One case an item, in the order of the items; `videos` gives the videos of a group."""
    given, changed, seats = _by_item(reviews), _by_item(edits), _by_item(assignments)
    return tuple(
        Case(
            item=item,
            reviews=tuple(given[item.item_id]),
            edits=tuple(sorted(changed[item.item_id], key=lambda one: one.revision)),
            assignments=tuple(seats[item.item_id]),
            culture=item.question.extra.get("culture", "").strip().casefold(),
            videos=(videos or {}).get(item.question.group_id, ()),
        )
        for item in items
    )


def settle(case: Case, sheet: Sheet, policy: Policy | None = None) -> Settled:
    """The decision about an item under the sheet's policy, or another."""
    rules = policy or sheet.policy
    counted = _counted(case, sheet, rules)
    verdicts = [sheet.verdict(review.scores, rules) for review in counted]
    ruling = _ruling(case, sheet, rules, counted, verdicts)
    question = case.item.question
    return Settled(
        item_id=case.item.item_id,
        group_id=question.group_id,
        type_id=question.type_id,
        outcome=ruling.outcome,
        revision=len(case.edits),
        reason=ruling.reason,
        reviewers=len(counted),
        disagreed=len(set(verdicts)) > 1,
        needs=ruling.needs,
    )


def _by_item(found: Iterable[OfItem]) -> dict[str, list[OfItem]]:
    grouped: dict[str, list[OfItem]] = defaultdict(list)
    for one in found:
        grouped[one.item_id].append(one)
    return grouped


def _ruling(
    case: Case, sheet: Sheet, policy: Policy, counted: Sequence[Review], verdicts: Sequence[Verdict]
) -> _Ruling:
    settled_by = [review for review in counted if review.role == "adjudicator"]
    if settled_by:
        return _alone(settled_by[-1], sheet, policy)
    if policy.rule == "any-fail" and policy.disagreement == "rule" and "discard" in verdicts:
        return _Ruling(outcome="discarded", reason=_who_failed(counted, sheet))
    missing = _missing(case, counted, sheet, policy)
    if missing:
        return _Ruling(outcome="person", reason="reviews are missing", needs=missing)
    if policy.disagreement == "person" and len(set(verdicts)) > 1:
        parts = ", ".join(f"{verdicts.count(one)} {one}" for one in dict.fromkeys(verdicts))
        return _Ruling(outcome="person", reason=f"reviewers disagree: {parts}", needs=("an adjudicator",))
    return _RULES[policy.rule](counted, sheet, policy)


def _alone(review: Review, sheet: Sheet, policy: Policy) -> _Ruling:
    verdict = sheet.verdict(review.scores, policy)
    reason = f"settled by an adjudicator: {verdict}"
    return _of_verdict(verdict, reason)


def _any_fail(counted: Sequence[Review], sheet: Sheet, policy: Policy) -> _Ruling:
    verdicts = [sheet.verdict(review.scores, policy) for review in counted]
    if "discard" in verdicts:
        return _Ruling(outcome="discarded", reason=_who_failed(counted, sheet))
    if "person" in verdicts:
        return _of_verdict("person", "a score is neither a fail nor the best")
    return _Ruling(outcome="released", reason=f"no fail in any dimension by {len(counted)} reviewer(s)")


def _majority(counted: Sequence[Review], sheet: Sheet, policy: Policy) -> _Ruling:
    doubtful = []
    for dimension in sheet.dimensions:
        levels = [dimension.level(review.scores[dimension.id]) for review in counted]
        fails = sum(level.fails for level in levels)
        share = f"{fails} of {len(levels)} fail {dimension.id}"
        if 2 * fails > len(levels):
            return _Ruling(outcome="discarded", reason=share)
        if fails and 2 * fails == len(levels):
            verdict: Verdict = {"person": "person", "discard": "discard", "keep": "accept"}[policy.tie]  # type: ignore[assignment]
            if verdict != "accept":
                return _of_verdict(verdict, f"{share}, an even split")
        if 2 * sum(level.points < dimension.best for level in levels) > len(levels):
            doubtful.append(dimension.id)
    if doubtful and policy.uncertain != "keep":
        verdict = "discard" if policy.uncertain == "discard" else "person"
        return _of_verdict(verdict, f"most reviewers are uncertain about {', '.join(doubtful)}")
    return _Ruling(outcome="released", reason=f"no dimension is failed by most of {len(counted)} reviewer(s)")


def _mean(counted: Sequence[Review], sheet: Sheet, policy: Policy) -> _Ruling:
    least = policy.accept or 0.0
    for dimension in sheet.dimensions:
        points = [dimension.level(review.scores[dimension.id]).points for review in counted]
        share = sum(points) / len(points) / dimension.best
        if round(share, 6) < least:
            return _Ruling(outcome="discarded", reason=f"mean of {dimension.id} is {share:.2f}, below {least:g}")
    return _Ruling(outcome="released", reason=f"every dimension's mean is {least:g} or more")


def _total(counted: Sequence[Review], sheet: Sheet, policy: Policy) -> _Ruling:
    totals = sorted(sheet.total(review.scores) for review in counted)
    middle = median_low(totals)
    words = f"total {middle:g} of {sheet.best:g}"
    if len(totals) > 1:
        words = f"lower median {middle:g} of the totals {', '.join(f'{one:g}' for one in totals)}"
    if middle >= (policy.accept or 0):
        return _Ruling(outcome="released", reason=words)
    if policy.revise is not None and middle >= policy.revise:
        return _of_verdict("revise", words)
    return _Ruling(outcome="discarded", reason=words)


_RULES = {"any-fail": _any_fail, "majority": _majority, "mean": _mean, "total": _total}


def _of_verdict(verdict: Verdict, reason: str) -> _Ruling:
    if verdict == "accept":
        return _Ruling(outcome="released", reason=reason)
    if verdict == "discard":
        return _Ruling(outcome="discarded", reason=reason)
    if verdict == "revise":
        return _Ruling(outcome="revise", reason=reason, needs=("a correction, then scores of the new revision",))
    return _Ruling(outcome="person", reason=reason, needs=("an adjudicator",))


def _counted(case: Case, sheet: Sheet, policy: Policy) -> list[Review]:
    latest = len(case.edits)
    author = case.edits[-1].author if case.edits else ""
    return [
        review
        for review in case.reviews
        if review.revision == latest
        and sheet.complete(review.scores)
        and (policy.own_revision or review.reviewer != author)
        and (not policy.require_watched or not _unwatched(case, review, sheet))
    ]


def _missing(case: Case, counted: Sequence[Review], sheet: Sheet, policy: Policy) -> tuple[str, ...]:
    """What is still to be done before the reviews can be put together."""
    done = {review.reviewer for review in counted}
    seats = [one for one in case.assignments if one.role != "adjudicator"]
    waiting = sorted(one.reviewer for one in seats if one.reviewer not in done)
    needs = []
    if not case.edits:
        needs += [_what_is_missing(case, name, sheet, policy) for name in waiting]
    least = 2 if case.culture else 1
    if len(counted) < least and not (needs and len(counted) + len(needs) >= least):
        needs.append(f"{least - len(counted)} review(s) of revision {len(case.edits)}")
    if case.culture and not needs and not any(review.native for review in counted):
        needs.append(f"a review by a native of {case.culture} culture")
    return tuple(needs)


def _what_is_missing(case: Case, name: str, sheet: Sheet, policy: Policy) -> str:
    scored = [one for one in case.reviews if one.reviewer == name and one.revision == len(case.edits)]
    if scored and sheet.complete(scored[0].scores) and policy.require_watched:
        return f"{name} to watch {', '.join(_unwatched(case, scored[0], sheet))}"
    return f"{name} to finish" if scored else f"{name} to review"


def _unwatched(case: Case, review: Review, sheet: Sheet) -> list[str]:
    return [video for video in case.videos if review.watched.get(video, 0.0) < sheet.watched]


def _who_failed(counted: Sequence[Review], sheet: Sheet) -> str:
    failed: dict[str, int] = {}
    for review in counted:
        for dimension in sheet.dimensions:
            if dimension.level(review.scores[dimension.id]).fails:
                failed[dimension.id] = failed.get(dimension.id, 0) + 1
    words = ", ".join(f"{name} ({count} of {len(counted)})" for name, count in failed.items())
    return f"failed in {words}" if words else "uncertain, which this policy discards"
