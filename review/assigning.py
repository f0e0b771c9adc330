"""Who reviews what: a pure plan, the same for the same seed, that later calls only add to.

Every item goes to one reviewer, a seeded share to three (VNU-Bench 2.5), items about a culture to two of whom one is
its native (VideoVista-CulturalLingo 3.3). Items of one group go to one reviewer where that keeps the load even, since
its videos must be watched before the first of them is scored.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from pydantic import ConfigDict, Field

from records.base import Record, digest
from records.review import Assignment, AssignmentRole, Reviewer


class Job(Record):
    """An item as far as its assignment goes."""

    item_id: str
    group_id: str
    language: str = ""
    """Primary language subtag."""
    culture: str = ""
    """``chinese``, ``american``, …; empty for items that are not about a culture."""


class AssignmentSettings(Record):
    """How many people see an item."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    each: int = Field(default=1, ge=1)
    """Reviewers of an ordinary item."""
    share: float = Field(default=0.1, ge=0, le=1)
    """Share of the items that several people review, for agreement."""
    share_reviewers: int = Field(default=3, ge=1)
    """Reviewers of an item of that share."""
    culture_reviewers: int = Field(default=2, ge=1)
    """Reviewers of an item about a culture, one of them its native."""
    seed: int = 0
    """Draws the share and breaks ties."""


class Gap(Record):
    """An item for which the right people are missing."""

    item_id: str
    message: str


class Plan(Record):
    """All assignments, old and new, and what could not be filled."""

    assignments: tuple[Assignment, ...]
    """Sorted by item and reviewer."""
    gaps: tuple[Gap, ...] = ()


def assign(
    jobs: Iterable[Job],
    reviewers: Sequence[Reviewer],
    settings: AssignmentSettings | None = None,
    existing: Iterable[Assignment] = (),
) -> Plan:
    """The plan for these jobs. Existing assignments stay, also those of people or items that are gone."""
    chosen = settings or AssignmentSettings()
    table = _Table(reviewers, chosen, tuple(existing))
    ordered = sorted(jobs, key=lambda job: (job.group_id, job.item_id))
    sampled = sample(tuple(job.item_id for job in ordered), chosen.share, chosen.seed)
    table.set_quota(sum(wanted(job, chosen, sampled) for job in ordered))
    for job in sorted(ordered, key=lambda job: (not job.culture, job.item_id not in sampled)):
        table.fill(job, wanted(job, chosen, sampled), _role(job, sampled))
    return table.plan()


def sample(item_ids: Sequence[str], share: float, seed: int) -> frozenset[str]:
    """The seeded share of the items that several people review: the nearest whole number, at least one if any."""
    count = max(1, round(share * len(item_ids))) if share > 0 and item_ids else 0
    return frozenset(sorted(item_ids, key=lambda item_id: digest(["share", seed, item_id]))[:count])


def wanted(job: Job, settings: AssignmentSettings, sampled: frozenset[str]) -> int:
    """How many people should review an item."""
    return max(
        settings.each,
        settings.culture_reviewers if job.culture else 0,
        settings.share_reviewers if job.item_id in sampled else 0,
    )


def is_native(reviewer: Reviewer, job: Job) -> bool:
    """Whether a reviewer is a native of an item's culture."""
    return bool(job.culture) and job.culture.casefold() in {word.casefold() for word in reviewer.native}


def reads(reviewer: Reviewer, job: Job) -> bool:
    """Whether a reviewer reads an item's language."""
    return not reviewer.languages or not job.language or job.language in reviewer.languages


class _Table:
    """The plan while it is made: loads, and the groups that each reviewer already watches."""

    def __init__(
        self, reviewers: Sequence[Reviewer], settings: AssignmentSettings, existing: tuple[Assignment, ...]
    ) -> None:
        self._reviewers = sorted(reviewers, key=lambda reviewer: reviewer.name)
        self._settings = settings
        self._made: dict[tuple[str, str], Assignment] = {(one.item_id, one.reviewer): one for one in existing}
        self._by_item: dict[str, list[str]] = defaultdict(list)
        for one in existing:
            self._by_item[one.item_id].append(one.reviewer)
        self._load = Counter(one.reviewer for one in existing)
        self._groups: dict[str, set[str]] = defaultdict(set)
        self._gaps: list[Gap] = []
        self._quota = 0

    def set_quota(self, slots: int) -> None:
        """An even load: everybody gets the quota before anybody gets more."""
        self._quota = slots // max(1, len(self._reviewers))

    def fill(self, job: Job, count: int, role: AssignmentRole) -> None:
        """Give a job its people, a native first where it is about a culture."""
        for name in self._by_item[job.item_id]:
            self._groups[name].add(job.group_id)
        if job.culture and not self._has_native(job) and not self._take(job, role, natives_only=True):
            self._gaps.append(Gap(item_id=job.item_id, message=f"nobody is marked as native to {job.culture}"))
        while self._seats(job) < count:
            if not self._take(job, role, natives_only=False):
                missing = count - self._seats(job)
                self._gaps.append(Gap(item_id=job.item_id, message=f"{missing} more reviewer(s) needed"))
                return

    def plan(self) -> Plan:
        """What was made."""
        ordered = sorted(self._made.values(), key=lambda one: (one.item_id, one.reviewer))
        return Plan(assignments=tuple(ordered), gaps=tuple(self._gaps))

    def _has_native(self, job: Job) -> bool:
        return any(self._made[job.item_id, name].native for name in self._by_item[job.item_id])

    def _seats(self, job: Job) -> int:
        names = self._by_item[job.item_id]
        return sum(self._made[job.item_id, name].role != "adjudicator" for name in names)

    def _take(self, job: Job, role: AssignmentRole, *, natives_only: bool) -> bool:
        free = [
            reviewer
            for reviewer in self._reviewers
            if reads(reviewer, job)
            and reviewer.name not in self._by_item[job.item_id]
            and (not natives_only or is_native(reviewer, job))
        ]
        if not free:
            return False
        self._seat(job, min(free, key=lambda reviewer: self._preference(reviewer, job)), role)
        return True

    def _preference(self, reviewer: Reviewer, job: Job) -> tuple[bool, bool, bool, int, str]:
        load = self._load[reviewer.name]
        watches = job.group_id in self._groups[reviewer.name]
        tie = digest([self._settings.seed, reviewer.name, job.item_id])
        return (load >= self._quota, load > self._quota, not watches, load, tie)

    def _seat(self, job: Job, reviewer: Reviewer, role: AssignmentRole) -> None:
        native = is_native(reviewer, job)
        made = Assignment(item_id=job.item_id, reviewer=reviewer.name, role=role, native=native)
        self._made[job.item_id, reviewer.name] = made
        self._by_item[job.item_id].append(reviewer.name)
        self._groups[reviewer.name].add(job.group_id)
        self._load[reviewer.name] += 1


def _role(job: Job, sampled: frozenset[str]) -> AssignmentRole:
    if job.item_id in sampled:
        return "agreement"
    return "culture" if job.culture else "single"
