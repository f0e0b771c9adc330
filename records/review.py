"""What people say about questions: score sheets and policies, assignments, scores, watched spans, edits, reviews.

Score + Comment + Watched → Review (one reviewer, one item, one revision) → `release.policy` settles the item.
Nothing is edited: a new score is a new record, the latest counts; an edit is a new revision, the old one stays.
"""

import math
import re
from collections.abc import Iterable
from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from records.base import Record
from records.questions import Question, RuleReport

Words = dict[str, str]
"""A text in several languages: primary language subtag → words. ``{"en": "pass", "zh": "通过"}``."""

_CONFIG = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

RESERVED_KEYS = frozenset("npkvceowr?")
"""Keys of the page itself (next, previous, key, verdicts, comment, edit, …); a sheet may not take them for scores."""

_FREE_KEYS = "1234567890qtyuiasdfghjlzxbm"
_WORDED = ("name", "question", "criteria", "say")
_ID = re.compile(r"[^\W_][\w-]{0,63}")
RESERVED_IDS = frozenset(
    {"item_id", "revision", "reviewer", "role", "group_id", "type_id", "language", "question", "sources", "entry",
     "comment", "overall", "pooled", "panel"}
)  # fmt: skip
"""Columns of the spreadsheet and rows of the agreement table; a dimension may not be called like one."""


def said(words: Words, language: str) -> str:
    """The words in a language, else in English, else in whatever language there is; empty for none."""
    return words.get(language) or words.get("en") or next(iter(words.values()), "")


class Level(Record):
    """One score that a dimension can get."""

    model_config = _CONFIG

    value: str
    """What is stored: ``pass``, ``2``."""
    name: Words
    """On the button. A plain string is taken as English."""
    points: float
    """Place on the scale, for ordinal agreement, means and totals."""
    fails: bool = False
    """True: this score alone discards the item under the rule ``any-fail``."""
    criteria: Words = Field(default_factory=dict)
    """When to give this score, shown beside the button."""
    key: str = ""
    """Keyboard shortcut; by default the next free one of 1–9 in the order of the sheet."""


class Dimension(Record):
    """One thing that a reviewer scores."""

    model_config = _CONFIG

    id: str
    """Name in files and tables, such as ``naturalness``."""
    name: Words
    """Heading on the page."""
    question: Words = Field(default_factory=dict)
    """What the reviewer asks themselves."""
    levels: tuple[Level, ...] = Field(min_length=2)
    """From worst to best."""

    def level(self, value: str) -> Level:
        """The level of a value. Raises KeyError if the dimension has none."""
        for level in self.levels:
            if level.value == value:
                return level
        raise KeyError(value)

    @property
    def values(self) -> tuple[str, ...]:
        """All values, worst to best."""
        return tuple(level.value for level in self.levels)

    @property
    def best(self) -> float:
        """The most points that it can get."""
        return max(level.points for level in self.levels)


class Advice(Record):
    """What the app tells a reviewer whose scores ask for a revision."""

    model_config = _CONFIG

    dimension: str
    """Shown when this dimension did not get its best score."""
    say: Words
    """What to do."""


class Policy(Record):
    """How scores become a decision about an item."""

    model_config = _CONFIG

    rule: Literal["any-fail", "majority", "mean", "total"] = "any-fail"
    """``any-fail``: one failing score in any dimension by any reviewer discards (VNU-Bench 2.5). ``majority``: a
    dimension fails when more than half of the reviewers fail it. ``mean``: a dimension fails when its mean share of
    the best points is below `accept`. ``total``: each reviewer's points are summed, the lower median of the sums is
    accepted, revised or discarded (VideoVista-CulturalLingo 3.3)."""
    accept: float | None = None
    """``total``: accepted from this sum on. ``mean``: least mean share (0.0 to 1.0) of a dimension's best points."""
    revise: float | None = None
    """``total``: from this sum on (and below `accept`) the item is to be revised and scored again; below it goes."""
    tie: Literal["person", "discard", "keep"] = "person"
    """``majority``: what an even split over a failing dimension means."""
    uncertain: Literal["keep", "person", "discard"] = "keep"
    """What a score that neither fails nor is the best means, under ``any-fail`` and ``majority``."""
    disagreement: Literal["rule", "person"] = "rule"
    """``rule``: the rule above settles it. ``person``: where reviewers' own decisions differ, an adjudicator is asked
    for; the adjudicator's review then decides alone."""
    own_revision: bool = True
    """Whether the author of a revision may be the one who scores it."""
    require_watched: bool = False
    """True: a review counts only where its reviewer has watched every video of the group to the sheet's share."""
    advice: tuple[Advice, ...] = ()
    """What the app says when a review asks for a revision."""


Verdict = Literal["accept", "revise", "discard", "person", "incomplete"]
"""What one review by itself asks for; ``person``: it cannot say."""


class Sheet(Record):
    """A score sheet: what reviewers score, in which words, and what follows from it. One YAML file."""

    model_config = _CONFIG

    name: str
    """Name in files and tables; the file's name if left out."""
    tracks: tuple[str, ...] = ()
    """Tracks (``news``, ``video``) for which this sheet is chosen by itself."""
    title: Words
    """Heading of the sheet."""
    source: str = ""
    """Where the sheet comes from."""
    dimensions: tuple[Dimension, ...] = Field(min_length=1)
    """In the order in which they are scored."""
    policy: Policy = Policy()
    """How the scores decide; ``graphs.release --policy`` may name another file."""
    watched: float = Field(default=0.95, ge=0, le=1)
    """Share of a video that counts as watched; below it saving warns."""

    @model_validator(mode="before")
    @classmethod
    def _shorthand(cls, values: Any) -> Any:
        return _with_keys(_with_words(values)) if isinstance(values, dict) else values

    @model_validator(mode="after")
    def _is_sound(self) -> "Sheet":
        ids = [dimension.id for dimension in self.dimensions]
        _refuse_doubled("dimension ids", ids)
        for name in ids:
            _refuse_id(name)
        for dimension in self.dimensions:
            _refuse_doubled(f"values of {dimension.id}", dimension.values)
            _refuse_values(dimension)
            points = [level.points for level in dimension.levels]
            if points != sorted(set(points)):
                raise ValueError(f"{dimension.id}: list levels from worst to best, each with more points than the last")
        keys = [level.key for dimension in self.dimensions for level in dimension.levels]
        _refuse_doubled("shortcut keys", [key for key in keys if key])
        taken = sorted(set(keys) & RESERVED_KEYS)
        if taken:
            raise ValueError(f"shortcut keys {', '.join(taken)} belong to the page (reserved: {_spelled()})")
        if any(len(key) > 1 for key in keys):
            raise ValueError("a shortcut key is one character")
        self._check_policy(ids)
        return self

    def _check_policy(self, ids: list[str]) -> None:
        policy = self.policy
        unknown = sorted({advice.dimension for advice in policy.advice} - set(ids))
        if unknown:
            raise ValueError(f"policy.advice names no dimension of this sheet: {', '.join(unknown)}")
        if policy.rule in ("any-fail", "majority") and not any(
            level.fails for dimension in self.dimensions for level in dimension.levels
        ):
            raise ValueError(f"policy.rule {policy.rule} needs a level with `fails: true`")
        if policy.rule in ("mean", "total") and policy.accept is None:
            raise ValueError(f"policy.rule {policy.rule} needs policy.accept")
        if policy.rule == "mean" and not 0 <= (policy.accept or 0) <= 1:
            raise ValueError("policy.accept is a share from 0 to 1 under the rule mean")
        if policy.rule == "mean" and any(level.points < 0 for one in self.dimensions for level in one.levels):
            raise ValueError("policy.rule mean needs points of 0 or more: it compares shares of the best points")
        if policy.accept is not None and policy.rule not in ("mean", "total"):
            raise ValueError(f"policy.accept means nothing under the rule {policy.rule}; leave it out")
        if policy.revise is not None and policy.rule != "total":
            raise ValueError(f"policy.revise means nothing under the rule {policy.rule}; leave it out")
        if policy.rule == "total" and (policy.accept or 0) > self.best:
            raise ValueError(f"policy.accept is {policy.accept}, but the sheet's best total is {self.best:g}")
        if policy.revise is not None and policy.accept is not None and policy.revise > policy.accept:
            raise ValueError("policy.revise must not be above policy.accept")

    @property
    def best(self) -> float:
        """The best total of points."""
        return sum(dimension.best for dimension in self.dimensions)

    def dimension(self, name: str) -> Dimension:
        """The dimension of an id. Raises KeyError if there is none."""
        for dimension in self.dimensions:
            if dimension.id == name:
                return dimension
        raise KeyError(name)

    def total(self, scores: dict[str, str]) -> float:
        """The points of a review's scores, summed over the dimensions that were scored."""
        return sum(self.dimension(name).level(value).points for name, value in scores.items())

    def verdict(self, scores: dict[str, str], policy: Policy | None = None) -> Verdict:
        """What one review's scores ask for under the sheet's policy, or another."""
        rules = policy or self.policy
        if not self.complete(scores):
            return "incomplete"
        levels = {dimension.id: dimension.level(scores[dimension.id]) for dimension in self.dimensions}
        if rules.rule == "total":
            return _by_total(sum(level.points for level in levels.values()), rules)
        if rules.rule == "mean":
            shares = [levels[dimension.id].points / dimension.best for dimension in self.dimensions]
            return "accept" if min(shares) >= (rules.accept or 0) else "discard"
        if any(level.fails for level in levels.values()):
            return "discard"
        doubtful = any(levels[dimension.id].points < dimension.best for dimension in self.dimensions)
        return _UNCERTAIN[rules.uncertain] if doubtful else "accept"

    def complete(self, scores: dict[str, str]) -> bool:
        """Whether every dimension has a score."""
        return all(dimension.id in scores for dimension in self.dimensions)


_UNCERTAIN: dict[str, Verdict] = {"keep": "accept", "person": "person", "discard": "discard"}


def _by_total(total: float, policy: Policy) -> Verdict:
    if total >= (policy.accept or 0):
        return "accept"
    return "revise" if policy.revise is not None and total >= policy.revise else "discard"


def _with_words(values: dict[str, Any], worded: tuple[str, ...] = ("title",)) -> dict[str, Any]:
    """A copy in which plain strings under a field of `Words` are English, and numbers as values are strings."""
    out = dict(values)
    for name in worded:
        if isinstance(out.get(name), str):
            out[name] = {"en": out[name]}
    if type(out.get("value")) in (int, float):
        out["value"] = str(out["value"])
    for name in ("dimensions", "levels", "advice"):
        if isinstance(out.get(name), (list, tuple)):
            out[name] = [_with_words(entry, _WORDED) if isinstance(entry, dict) else entry for entry in out[name]]
    if isinstance(out.get("policy"), dict):
        out["policy"] = _with_words(out["policy"], ())
    return out


def _with_keys(values: dict[str, Any]) -> dict[str, Any]:
    """Levels without a shortcut get the next free key: 1 to 9 in the order of the sheet, then letters."""
    dimensions = values.get("dimensions")
    if not isinstance(dimensions, list):
        return values
    levels = [
        level
        for dimension in dimensions
        if isinstance(dimension, dict) and isinstance(dimension.get("levels"), list)
        for level in dimension["levels"]
        if isinstance(level, dict)
    ]
    used = {str(level.get("key", "")) for level in levels}
    free = (key for key in _FREE_KEYS if key not in used)
    for level in levels:
        if not level.get("key"):
            level["key"] = next(free, "")
    return values


def _refuse_id(name: str) -> None:
    if not _ID.fullmatch(name):
        raise ValueError(
            f"{name!r} cannot be a dimension's id: letters, digits, _ and -, beginning with a letter or digit"
        )
    if name in RESERVED_IDS or name.startswith(("edit_", "option_")):
        raise ValueError(f"{name!r} cannot be a dimension's id: a column of the review tables has that name")


def _refuse_values(dimension: Dimension) -> None:
    for level in dimension.levels:
        if not level.value or level.value != level.value.strip():
            raise ValueError(f"{dimension.id}: {level.value!r} cannot be a value: it is empty or has spaces around it")
        if not math.isfinite(level.points):
            raise ValueError(f"{dimension.id}: {level.value} needs a number of points, not {level.points}")


def _refuse_doubled(what: str, values: Iterable[str]) -> None:
    found = list(values)
    doubled = sorted({value for value in found if found.count(value) > 1})
    if doubled:
        raise ValueError(f"{what} must differ; used twice: {', '.join(doubled)}")


def _spelled() -> str:
    return " ".join(sorted(RESERVED_KEYS))


class Reviewer(Record):
    """A person who reviews, as the users file names them (without the password)."""

    name: str
    """Sign-in name."""
    lead: bool = False
    """May open every item, and sees everybody's progress."""
    native: tuple[str, ...] = ()
    """Cultures or language subtags of which this person is a native: ``chinese``, ``zh``."""
    languages: tuple[str, ...] = ()
    """Primary language subtags that this person reads; empty: all."""


AssignmentRole = Literal["single", "agreement", "culture", "adjudicator"]


class Assignment(Record):
    """One item for one reviewer."""

    item_id: str
    reviewer: str
    role: AssignmentRole = "single"
    """``agreement``: one of the several reviewers of the sampled share. ``culture``: one of at least two reviewers of
    an item about a culture. ``adjudicator``: settles what the others left open."""
    native: bool = False
    """This reviewer is a native of the item's culture."""


class Score(Record):
    """One score, saved the moment it is given."""

    item_id: str
    revision: int = Field(default=0, ge=0)
    """0 is the item as it was judged; each edit adds one."""
    reviewer: str
    dimension: str
    level: str
    at: str = ""
    """ISO time, UTC."""


class Comment(Record):
    """A reviewer's remark on an item; the latest counts, an empty one takes it back."""

    item_id: str
    revision: int = Field(default=0, ge=0)
    reviewer: str
    text: str
    at: str = ""


Span = tuple[float, float]
"""Start and end in seconds."""


class Watched(Record):
    """Which parts of a video a reviewer has seen."""

    reviewer: str
    group_id: str
    video_id: str
    duration_s: float = Field(gt=0)
    spans: tuple[Span, ...] = ()
    """Sorted, without overlaps."""

    @property
    def share(self) -> float:
        """Share of the video that was watched, 0.0 to 1.0; a second played twice counts once."""
        return min(1.0, sum(end - start for start, end in self.spans) / self.duration_s)


class ReviewEdit(Record):
    """A corrected question: a new revision with its author. The earlier ones stay."""

    item_id: str
    revision: int = Field(ge=1)
    author: str
    at: str = ""
    question: Question
    """The whole question as corrected; its `question_id` follows the new text, the item keeps its id."""
    report: RuleReport = RuleReport()
    """What the rules said about the new text when it was saved."""
    reason: str = ""


class Review(Record):
    """Everything that one reviewer has said about one revision of an item."""

    item_id: str
    revision: int
    reviewer: str
    role: AssignmentRole | Literal["extra"] = "extra"
    """``extra``: a review that nobody was assigned to."""
    native: bool = False
    scores: dict[str, str]
    """Dimension → value; every dimension of the sheet when the review is complete."""
    comment: str = ""
    watched: dict[str, float] = Field(default_factory=dict)
    """Video id → share watched."""
    at: str = ""
    """Time of the latest score."""


class Measure(Record):
    """One coefficient of agreement with its interval, or the reason why it has no value."""

    value: float | None
    low: float | None = None
    high: float | None = None
    """95 % interval; None where there is none."""
    note: str = ""
    """Why there is no value, or what is special about it."""


class AgreementRow(Record):
    """How far reviewers agree in one dimension, or over all of them."""

    dimension: str
    """A dimension's id; ``overall`` (mean over dimensions), ``pooled`` (all ratings as one table), ``panel``."""
    items: int
    """Items with two ratings or more."""
    ratings: int
    reviewers: int
    pairwise: Measure | None = None
    """Share of equal labels over all pairs of reviewers."""
    fleiss: Measure | None = None
    alpha: Measure | None = None
    """Krippendorff's, nominal."""
    alpha_ordinal: Measure | None = None
    """Krippendorff's, with the levels' order."""
    cohen: Measure | None = None
    """Mean over the pairs of reviewers; for ``panel`` that of people and panel."""
