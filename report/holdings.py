"""What a run holds about a judgement set, read on demand: table by table for a page, row by row for one question."""

import json
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property

from sqlalchemy import select

from records.media import Evidence, Group
from records.questions import DraftRecord
from records.verdicts import Item
from report.life_records import CallLife
from store import tables
from store.run import Run


class Holdings:
    """Items, drafts, evidence and calls of one judgement set.

    With ``whole=True`` each table is read once, when it is first needed; otherwise only the rows that are asked for.
    """

    def __init__(self, run: Run, set_name: str, *, whole: bool) -> None:
        self.run = run
        self.set_name = set_name
        self.whole = whole

    @cached_property
    def item_ids(self) -> frozenset[str]:
        """Ids of all items of the set."""
        return frozenset(entry.key for entry in self.run.index("item", set_name=self.set_name))

    @cached_property
    def items(self) -> dict[str, Item]:
        """All items of the set, by id."""
        return {item.item_id: item for item in self.run.all("item", Item, set_name=self.set_name)}

    def item(self, item_id: str) -> Item | None:
        """One item, or None."""
        if self.whole:
            return self.items.get(item_id)
        return self.run.get("item", item_id, Item, set_name=self.set_name)

    @cached_property
    def outcomes(self) -> dict[str, dict[str, str]]:
        """Item id → judgement set → outcome."""
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for entry in self.run.index("item"):
            found[entry.key][entry.set_name] = entry.outcome
        return found

    @cached_property
    def drafts(self) -> tuple[DraftRecord, ...]:
        """All drafting slots of the run."""
        return self.run.all("draft", DraftRecord)

    @cached_property
    def lost(self) -> dict[str, DraftRecord]:
        """Slot → draft that has no item in this set: lost, or not judged yet."""
        return {
            draft.slot: draft
            for draft in self.drafts
            if draft.outcome != "accepted" or not draft.question or draft.question.question_id not in self.item_ids
        }

    @cached_property
    def draft_of(self) -> dict[str, DraftRecord]:
        """Item id → the draft that was accepted."""
        return {
            draft.question.question_id: draft
            for draft in self.drafts
            if draft.question is not None and draft.outcome == "accepted"
        }

    def evidence(self, group_id: str) -> Evidence | None:
        """A group's evidence, or None."""
        return self._evidence.get(group_id) if self.whole else self.run.get("evidence", group_id, Evidence)

    def group(self, group_id: str) -> Group | None:
        """A group as it was found on disk, or None."""
        return self._groups.get(group_id) if self.whole else self.run.get("group", group_id, Group)

    def calls(self, request_id: str) -> tuple[CallLife, ...]:
        """Every asking of a request, oldest first."""
        if self.whole:
            return self._calls.get(request_id, ())
        return call_lives(self.run, (request_id,)).get(request_id, ())

    def reasoning(self, request_id: str) -> str:
        """The drafter's reasoning: the field of its last reply, or what the provider gave beside it."""
        if not request_id:
            return ""
        found = self._replies if self.whole else self.run.replies(request_id=request_id)
        return reasoning_of(*found.get(request_id, ("", "")))

    @cached_property
    def _evidence(self) -> dict[str, Evidence]:
        return {evidence.group_id: evidence for evidence in self.run.all("evidence", Evidence)}

    @cached_property
    def _groups(self) -> dict[str, Group]:
        return {group.group_id: group for group in self.run.all("group", Group)}

    @cached_property
    def _calls(self) -> dict[str, tuple[CallLife, ...]]:
        return call_lives(self.run)

    @cached_property
    def _replies(self) -> dict[str, tuple[str, str]]:
        return self.run.replies(task="draft")


def call_lives(run: Run, request_ids: Iterable[str] | None = None) -> dict[str, tuple[CallLife, ...]]:
    """Request id → every asking, read from the journal's columns alone; None means all requests."""
    calls, hits = tables.calls.c, tables.hits.c
    names = [name for name in CallLife.model_fields if name != "cache_hits"]
    asked = select(*(calls[name] for name in names)).order_by(calls.asked)
    used = select(hits.request_id, hits["count"])
    if request_ids is not None:
        wanted = list(request_ids)
        asked, used = asked.where(calls.request_id.in_(wanted)), used.where(hits.request_id.in_(wanted))
    counts: dict[str, int] = defaultdict(int)
    for request_id, count in run.rows(used):
        counts[request_id] += count
    found: dict[str, list[CallLife]] = defaultdict(list)
    for row in run.rows(asked):
        values = dict(zip(names, row, strict=True))
        found[values["request_id"]].append(CallLife(**values, cache_hits=counts[values["request_id"]]))
    return {request_id: tuple(rows) for request_id, rows in found.items()}


def reasoning_of(reply_json: str, provided: str) -> str:
    """The reasoning in a drafter's reply, or else what the provider gave beside it."""
    try:
        reply = json.loads(reply_json or "{}")
    except ValueError:
        return provided
    said = reply.get("reasoning", "") if isinstance(reply, dict) else ""
    return str(said) or provided
