"""Reads the lives of a judgement set's questions: each table of the run once, when it is first needed.

``Lives(run, "main").all()`` gives every item and every slot that gave none; ``find`` one of them by id.
"""

import difflib
import math
import re
from collections.abc import Iterable, Iterator

from records.errors import InputError
from records.media import Evidence, Frame, Group, Source, SourceEvidence
from records.questions import DraftRecord, Question, RuleReport
from records.verdicts import Check, Decision, Item, JudgeFailure, SeverityVerdict, Verdict
from report.funnel import is_not_crossed
from report.holdings import Holdings
from report.life_records import (
    AttemptLife,
    AttemptWords,
    CallLife,
    CheckLife,
    FrameLife,
    QuestionLife,
    SourceLife,
    VerdictLife,
)
from store.exports import draft_reason, explanation_of, natural, reason_of
from store.run import Run

CHECK_TITLES: dict[Check, str] = {
    "crossed": "Crossed options",
    "solvability": "Single-source solvability",
    "ambiguity": "Ambiguity",
    "difficulty": "Difficulty",
    "blind": "Blind",
}


_LABEL = re.compile(r"(TAG_[A-Z])\s*#\s*(\d+)")
_MARKER = re.compile(rf"\[FRAME:\s*{_LABEL.pattern}\s*\]")
_TASKS = ("draft", *CHECK_TITLES)


class Lives:
    """The lives of one judgement set; with ``whole=False`` one life is given without reading a run of thousands."""

    def __init__(self, run: Run, set_name: str | None = None, *, whole: bool = True) -> None:
        self.run = run
        self.set_name = set_name or run.manifest.judgement_set
        self.holdings = Holdings(run, self.set_name, whole=whole)

    def all(self) -> Iterator[QuestionLife]:
        """Every item, then every slot that gave none, each sorted by group, type and number."""
        items = sorted(self.holdings.items, key=self._order)
        for anchor in (*items, *sorted(self.holdings.lost, key=natural)):
            yield self.life(anchor)

    @property
    def group_ids(self) -> frozenset[str]:
        """Every group that has a life."""
        judged = (item.question.group_id for item in self.holdings.items.values())
        return frozenset((*judged, *(draft.group_id for draft in self.holdings.lost.values())))

    def find(self, wanted: str) -> QuestionLife:
        """A life by anchor, slot, question id, or the beginning of one. Raises InputError."""
        names = self._names()
        if wanted in names:
            return self.life(names[wanted])
        fitting = sorted({anchor for name, anchor in names.items() if wanted and name.startswith(wanted)})
        if len(fitting) == 1:
            return self.life(fitting[0])
        near = fitting[:5] or difflib.get_close_matches(wanted, names, n=3, cutoff=0.5)
        hint = f"Do you mean {', '.join(near)}?" if near else "items.jsonl and rejected.jsonl list item_id and slot."
        what = "several questions" if fitting else "no question"
        raise InputError(f"run {self.run.name} has {what} named {wanted!r} in set {self.set_name!r}.", hint=hint)

    def life(self, anchor: str) -> QuestionLife:
        """The life of an anchor. Raises KeyError for a name that is none."""
        item = self.holdings.item(anchor)
        return self._of_item(item) if item else self._of_draft(self.holdings.lost[anchor])

    def group_sources(self, group_id: str) -> tuple[SourceLife, ...]:
        """What models saw of a group, whatever the question."""
        evidence = self.holdings.evidence(group_id)
        return self._sources(None, evidence, self.holdings.group(group_id)) if evidence else ()

    def topic(self, group_id: str) -> str:
        """A group's topic; empty where unknown."""
        found = self.holdings.evidence(group_id) or self.holdings.group(group_id)
        return found.topic if found else ""

    def _names(self) -> dict[str, str]:
        """Every name that a life goes by → its anchor; an item's own id wins."""
        held = self.holdings
        names = {draft.question.question_id: slot for slot, draft in held.lost.items() if draft.question}
        names |= {draft.slot: item_id for item_id, draft in held.draft_of.items() if item_id in held.item_ids}
        return names | {slot: slot for slot in held.lost} | {item_id: item_id for item_id in held.item_ids}

    def _order(self, item_id: str) -> tuple[object, ...]:
        question = self.holdings.items[item_id].question
        draft = self.holdings.draft_of.get(item_id)
        return (question.group_id, natural(question.type_id), natural(draft.slot if draft else ""), item_id)

    # Putting a life together

    def _of_item(self, item: Item) -> QuestionLife:
        draft = self.holdings.draft_of.get(item.item_id)
        checks = tuple(self._check(item, decision) for decision in item.decisions)
        attempts = self._attempts(draft) if draft else ()
        asked = [*_requests(draft), *(verdict.request_id for verdict in item.verdicts)]
        calls = self._calls_of(asked)
        others = {
            name: outcome for name, outcome in self.holdings.outcomes[item.item_id].items() if name != self.set_name
        }
        return QuestionLife(
            **self._shared(item.question, item.question.group_id),
            anchor=item.item_id,
            slot=draft.slot if draft else "",
            outcome=item.outcome,
            removed_by=item.removed_by,
            reason="" if item.outcome == "kept" else reason_of(item),
            type_id=item.question.type_id,
            drafter=item.question.provenance.drafter,
            attempts=attempts,
            checks=checks,
            not_crossed=is_not_crossed(item),
            rule_warnings=item.rule_warnings,
            calls=calls,
            cost_usd=math.fsum(call.cost_usd for call in calls) if calls else item.cost_usd,
            schedule=item.schedule,
            calls_saved=item.calls_saved,
            other_sets=others,
        )

    def _of_draft(self, draft: DraftRecord) -> QuestionLife:
        calls = self._calls_of(_requests(draft))
        last = draft.attempts[-1] if draft.attempts else RuleReport()
        pending = draft.outcome == "accepted"
        return QuestionLife(
            **self._shared(draft.question, draft.group_id),
            anchor=draft.slot,
            slot=draft.slot,
            outcome="pending" if pending else draft.outcome,
            reason="accepted by the rules; no panel has judged it yet" if pending else draft_reason(draft),
            type_id=draft.type_id,
            drafter=draft.drafter,
            attempts=self._attempts(draft),
            rule_warnings=tuple(warning.rule_id for warning in last.warnings),
            calls=calls,
            cost_usd=math.fsum(call.cost_usd for call in calls),
        )

    def _shared(self, question: Question | None, group_id: str) -> dict[str, object]:
        evidence, group = self.holdings.evidence(group_id), self.holdings.group(group_id)
        sources = self._sources(question, evidence, group)
        known = evidence or group
        return {
            "run": self.run.name,
            "judgement_set": self.set_name,
            "group_id": group_id,
            "topic": known.topic if known else "",
            "domain": known.domain if known else "",
            "question": question,
            "sources": sources,
            "cited_frames": tuple(frame for source in sources for frame in source.frames if frame.cited),
        }

    def _sources(
        self, question: Question | None, evidence: Evidence | None, group: Group | None
    ) -> tuple[SourceLife, ...]:
        metadata = {source.video_id: source for source in group.sources} if group else {}
        named = question.named_tags if question else ()
        cited = cited_labels(question) if question else frozenset()
        if evidence is None:
            tags = question.sources.items() if question else ()
            return tuple(_bare_source(tag, video, metadata.get(video), tag in named) for tag, video in tags)
        return tuple(_source(one, metadata.get(one.video_id), named, cited) for one in evidence.sources)

    def _attempts(self, draft: DraftRecord) -> tuple[AttemptLife, ...]:
        count = max(len(draft.attempts), len(draft.request_ids))
        return tuple(self._attempt(draft, index) for index in range(count))

    def _attempt(self, draft: DraftRecord, index: int) -> AttemptLife:
        read = index < len(draft.attempts)
        report = draft.attempts[index] if read else RuleReport()
        request_id = draft.request_ids[index] if index < len(draft.request_ids) else ""
        calls = self.holdings.calls(request_id)
        return AttemptLife(
            number=index + 1,
            said=_attempt_words(report) if read else "declined" if draft.outcome == "declined" else "no draft",
            violations=report.violations,
            warnings=report.warnings,
            not_checkable=report.not_checkable,
            reasoning=self.holdings.reasoning(request_id),
            call=calls[-1] if calls else None,
        )

    def _check(self, item: Item, decision: Decision) -> CheckLife:
        made = [verdict for verdict in item.verdicts if verdict.check == decision.check]
        verdicts = [self._verdict(item, verdict) for verdict in made]
        order = {unit.unit: place for place, unit in enumerate(decision.units)}
        verdicts.sort(key=lambda one: (order.get(one.unit, len(order)), natural(one.unit), one.seat))
        return CheckLife(
            check=decision.check,
            title=CHECK_TITLES[decision.check],
            outcome=decision.outcome,
            explanation=explanation_of(decision),
            units=decision.units,
            verdicts=tuple(verdicts),
            cost_usd=math.fsum(call.cost_usd for call in self._calls_of(verdict.request_id for verdict in made)),
        )

    def _verdict(self, item: Item, verdict: Verdict) -> VerdictLife:
        calls = self.holdings.calls(verdict.request_id)
        call = calls[-1] if calls else None
        if isinstance(verdict, JudgeFailure):
            return VerdictLife(**_seat(verdict), failure=f"{verdict.outcome}: {verdict.message}", call=call)
        shared = {**_seat(verdict), "rationale": verdict.rationale, "replaces": verdict.replaces, "call": call}
        if isinstance(verdict, SeverityVerdict):
            return VerdictLife(**shared, severity=verdict.severity)
        return VerdictLife(
            **shared,
            answer=verdict.answer,
            right=verdict.answer == item.question.key,
            confidence=verdict.confidence,
            shown_order=verdict.shown_order,
        )

    def _calls_of(self, request_ids: Iterable[str]) -> tuple[CallLife, ...]:
        found = [call for one in dict.fromkeys(request_ids) for call in self.holdings.calls(one)]
        return tuple(sorted(found, key=_call_order))


def _attempt_words(report: RuleReport) -> AttemptWords:
    if report.violations:
        return "breaks rules"
    return "keeps the rules, with warnings" if report.warnings else "keeps the rules"


def cited_labels(question: Question) -> frozenset[str]:
    """Frames that a question cites, as ``TAG_A #3``: those it lists and those that its evidence marks."""
    listed = _LABEL.findall("; ".join(question.evidence_frames))
    return frozenset(f"{tag} #{int(number)}" for tag, number in (*listed, *_MARKER.findall(question.evidence)))


def _call_order(call: CallLife) -> tuple[object, ...]:
    """By the second in which it began; calls of the same second by task, unit and seat."""
    task = _TASKS.index(call.task) if call.task in _TASKS else len(_TASKS)
    return (call.started[:19], task, natural(call.unit), call.seat, call.asked)


def _requests(draft: DraftRecord | None) -> tuple[str, ...]:
    return draft.request_ids if draft else ()


def _seat(verdict: Verdict) -> dict[str, str]:
    return {"seat": verdict.seat, "model": verdict.model, "unit": verdict.unit}


def _source(seen: SourceEvidence, known: Source | None, named: tuple[str, ...], cited: frozenset[str]) -> SourceLife:
    bare = _bare_source(seen.tag, seen.video_id, known, seen.tag in named)
    return bare.model_copy(
        update={
            "language": seen.transcript.language,
            "origin": seen.transcript.origin,
            "ranking": seen.ranking,
            "summary": seen.summary,
            "sentences": seen.transcript.sentences,
            "frames": tuple(_frame(seen.tag, frame, cited) for frame in seen.frames),
        }
    )


def _bare_source(tag: str, video_id: str, known: Source | None, named: bool) -> SourceLife:
    told = {name: getattr(known, name) for name in ("title", "outlet", "date", "url")} if known else {}
    return SourceLife(tag=tag, video_id=video_id, named=named, **told)


def _frame(tag: str, frame: Frame, cited: frozenset[str]) -> FrameLife:
    return FrameLife(
        tag=tag,
        number=frame.number,
        sha256=frame.sha256,
        time_s=frame.time_s,
        width=frame.width,
        height=frame.height,
        caption=frame.caption,
        cited=f"{tag} #{frame.number}" in cited,
    )
