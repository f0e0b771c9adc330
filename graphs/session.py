"""What the nodes of all graphs reach: gateway, run, panel, track, task heads. Travels in `runtime.context`.

One session is one start of a command on one run, with one panel and one judgement set.
"""

import asyncio
from dataclasses import dataclass, field

from gateway.core import Gateway
from graphs.decoding import Decode
from graphs.progress import Progress
from judges.decide import Judgement
from prompts.taskheads import TaskHead
from records.base import Record, content_id
from records.config import ModelSpec, Panel, Track
from records.questions import DraftRecord, Question, RuleReport
from records.verdicts import Item, Verdict
from report.notes import Note
from store.ledger import cost_of
from store.run import Run

_PROBLEM = "problem"
"""Key of the one note that says why a group could not be done."""


class ImportedDrafts(Record):
    """Marks that all questions of a file on one group are in the run."""

    questions: int


@dataclass(frozen=True)
class Session:
    """Everything that a node may use and that is not state."""

    run: Run
    gateway: Gateway
    panel: Panel
    track: Track
    heads: dict[str, TaskHead]
    judgement_set: str
    seed: int = 0
    retry_failed: bool = False
    again: bool = False
    """True where decided items are judged anew, such as to complete a frugal run."""
    gate_by_rules: bool = True
    """False for questions from elsewhere: broken rules are reported, and the panel judges them all the same."""
    type_fit: ModelSpec | None = None
    """Asked whether a question from elsewhere keeps the rules of its type that code cannot read."""
    progress: Progress = field(default_factory=Progress)
    decoders: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))
    """Videos decoded at once: decoding is CPU work, whatever the number of groups side by side."""
    decode: Decode | None = None
    """Where candidate frames are cut instead of in threads here, such as on a Ray cluster."""

    def note(self, group_id: str, text: str) -> None:
        """Keeps a line that the user should read at the end, once."""
        note = Note(group_id=group_id, text=text)
        self.run.put("note", content_id("n", note), note, group_id=group_id)

    def problem(self, group_id: str, text: str) -> None:
        """Keeps why a group could not be done; an empty text settles what an earlier session found."""
        if text or self.run.get("note", _PROBLEM, Note, group_id=group_id) is not None:
            self.run.put("note", _PROBLEM, Note(group_id=group_id, text=text), group_id=group_id)

    def keep_draft(self, draft: DraftRecord) -> None:
        """Keeps the end of a slot."""
        self.run.put("draft", draft.slot, draft, group_id=draft.group_id)
        self.progress.count("drafts")

    def mark_imported(self, group_id: str, questions: int) -> None:
        """Says that the questions of a file on this group are all in the run."""
        self.run.put("imported", group_id, ImportedDrafts(questions=questions), group_id=group_id)

    def decided(self, question: Question) -> Item | None:
        """The item of a question if the run holds it and it is not to be asked again."""
        stored = self.run.get("item", question.question_id, Item, set_name=self.judgement_set)
        if stored is None or (self.retry_failed and stored.outcome == "undecided") or self.again:
            return None
        return stored

    def keep_item(self, item: Item, draft: DraftRecord) -> Item:
        """Keeps a judged item with what its drafting and judging cost."""
        asked = (*draft.request_ids, *(verdict.request_id for verdict in item.verdicts))
        costed = item.model_copy(update={"cost_usd": cost_of(self.run, asked)})
        group_id = item.question.group_id
        self.run.put("item", item.item_id, costed, group_id=group_id, set_name=self.judgement_set)
        self.progress.count(item.outcome)
        return costed

    def item(self, question: Question, verdicts: tuple[Verdict, ...], judged: Judgement, rules: RuleReport) -> Item:
        """The item of a judged question, with what its own calls cost."""
        return Item(
            item_id=question.question_id,
            judgement_set=self.judgement_set,
            question=question,
            verdicts=verdicts,
            decisions=judged.decisions,
            outcome=judged.outcome,
            removed_by=judged.removed_by,
            schedule=self.panel.schedule,
            calls_saved=judged.calls_saved,
            rule_warnings=tuple(f"{warning.rule_id}: {warning.message}" for warning in rules.warnings),
            tags_named=question.named_tags,
        )


__all__ = ["ImportedDrafts", "Note", "Session"]
