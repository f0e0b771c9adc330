"""The group graph: evidence once, drafts one after another, then all accepted questions before the panel.

prepare → draft ⟲ (one slot a round) ─Send→ judge → END. With ``--drafts`` the questions of people take the place of
drafting. What the run already holds is not done again.
"""

import operator
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from agents.imported import adopt
from agents.typefit import read_typefit, typefit_request
from graphs.clips import evidence_of
from graphs.item import ItemState, build_item_graph
from graphs.prepare import prepare
from graphs.session import Session
from graphs.slot import SlotState, build_slot_graph
from graphs.slots import Slot
from records.calls import CallFailure
from records.media import Evidence, Group
from records.questions import DraftRecord, Question, RuleReport, Violation
from records.verdicts import Item
from rules import RuleContext
from rules import check as check_rules


class GroupState(TypedDict):
    """A group on its way through the run."""

    folder: Path
    slots: tuple[Slot, ...]
    """Slots that are still to be filled; the first is next."""
    imported: NotRequired[tuple[Question, ...] | None]
    """Questions that came from a file; None where an LLM drafts."""
    evidence: NotRequired[Evidence]
    drafts: Annotated[tuple[DraftRecord, ...], operator.add]
    items: Annotated[tuple[Item, ...], operator.add]


class JudgeState(TypedDict):
    """One accepted question with its evidence."""

    draft: DraftRecord
    evidence: Evidence


async def prepare_node(state: GroupState, runtime: Runtime[Session]) -> dict[str, Any]:
    """The group's evidence."""
    return {"evidence": await prepare(runtime.context, state["folder"])}


async def draft_node(state: GroupState, runtime: Runtime[Session]) -> dict[str, Any]:
    """Fills the next slot, from the run if it is there already."""
    session, (slot, *rest) = runtime.context, state["slots"]
    stored = session.run.get("draft", slot.key, DraftRecord, group_id=slot.group_id)
    again = stored is not None and stored.outcome == "failed" and session.retry_failed
    if stored is None or again:
        drafter = session.panel.model(slot.drafter).model
        stored = declined_before(slot, drafter, state["drafts"]) or await fill(session, slot, state)
        session.keep_draft(stored)
    return {"slots": tuple(rest), "drafts": (stored,)}


def declined_before(slot: Slot, drafter: str, drafts: tuple[DraftRecord, ...]) -> DraftRecord | None:
    """A type that the same drafter declined for this group is not asked again: the slot ends with the same reason."""
    for draft in drafts:
        if (draft.type_id, draft.outcome, draft.drafter) == (slot.type_id, "declined", drafter):
            return draft.model_copy(update={"slot": slot.key, "request_ids": (), "attempts": ()})
    return None


async def fill(session: Session, slot: Slot, state: GroupState) -> DraftRecord:
    """One slot through the slot graph."""
    start: SlotState = {
        "slot": slot, "evidence": state["evidence"], "accepted": accepted(state["drafts"]),
        "reports": (), "request_ids": (),
    }  # fmt: skip
    end = await _SLOT.ainvoke(start, context=session)
    record: DraftRecord = end["record"]
    return record


async def import_node(state: GroupState, runtime: Runtime[Session]) -> dict[str, Any]:
    """Questions from a file, in this group's tags: the rules are read over them, and they take the place of drafts."""
    session, evidence = runtime.context, state["evidence"]
    group = session.run.get("group", evidence.group_id, Group)
    order = tuple(source.video_id for source in group.sources) if group else ()
    seed = session.seed if session.gate_by_rules else None
    drafts: list[DraftRecord] = []
    for number, given in enumerate(state.get("imported") or (), start=1):
        question = adopt(given, evidence, order=order, seed=seed)
        report = check_rules(question, imported_context(session, question, evidence, tuple(drafts)))
        report = await with_type_fit(session, question, report)
        drafts.append(imported_draft(question, report, number, gated=session.gate_by_rules))
        session.keep_draft(drafts[-1])
    session.mark_imported(evidence.group_id, len(drafts))
    return {"drafts": tuple(drafts)}


def imported_draft(question: Question, report: RuleReport, number: int, *, gated: bool) -> DraftRecord:
    """The end of an imported question's slot; without a gate, broken rules become warnings."""
    broken = bool(report.violations) and gated
    kept = report if gated else report.model_copy(
        update={"violations": (), "warnings": (*report.violations, *report.warnings)}
    )  # fmt: skip
    return DraftRecord(
        slot=f"{question.group_id}/{question.type_id}/{question.provenance.external_id or number}",
        group_id=question.group_id,
        type_id=question.type_id,
        drafter=question.provenance.drafter,
        outcome="rejected-by-rules" if broken else "accepted",
        question=question,
        attempts=(kept,),
        reason="; ".join(violation.message for violation in report.violations) if broken else "",
    )


async def with_type_fit(session: Session, question: Question, report: RuleReport) -> RuleReport:
    """The report with what a model says about the rules of the type that code cannot read from plain options."""
    head = session.heads.get(question.type_id)
    if session.type_fit is None or head is None:
        return report
    request = typefit_request(question, head, session.type_fit, report)
    outcome = await session.gateway.ask(request)
    fit = outcome if isinstance(outcome, CallFailure) else read_typefit(outcome, question, request)
    if isinstance(fit, CallFailure):
        session.note(question.group_id, f"{question.question_id}: type fit not told ({fit.outcome}: {fit.message})")
        return report
    session.run.put("type-fit", question.question_id, fit, group_id=question.group_id)
    said = tuple(
        Violation(rule_id=name, where="type", message=f"{fit.model} finds {name} broken: {fit.rationale}")
        for name in fit.broken_rules
    )
    return report.model_copy(update={"warnings": (*report.warnings, *said)})


def imported_context(
    session: Session, question: Question, evidence: Evidence, before: tuple[DraftRecord, ...]
) -> RuleContext:
    """What the rules must know about a question from a file: its type's rules where the type has a head."""
    head = session.heads.get(question.type_id)
    shown = session.panel.views.draft.frames
    return RuleContext(
        frames={s.tag: tuple(f.number for f in s.frames if f.rank <= shown) for s in evidence.sources if s.frames},
        visual_options=head.visual_claims if head else 0,
        min_sources=head.min_sources if head else session.track.min_sources,
        evidence_characters=session.track.evidence_characters,
        evidence_sentences=session.track.evidence_sentences,
        accepted_stems=tuple(question.stem for question in accepted(before)),
        joiners=head.joiners if head else (),
        option_count=len(question.options),
    )


def after_prepare(state: GroupState) -> list[Send] | str:
    """To the import, to the first slot, or straight to the end."""
    if state.get("imported") is not None:
        return "import"
    return "draft" if state["slots"] else END


def after_draft(state: GroupState) -> list[Send] | str:
    """To the next slot; after the last one, every accepted question to the panel, side by side."""
    if state["slots"] and state.get("imported") is None:
        return "draft"
    drafts = [draft for draft in state["drafts"] if draft.outcome == "accepted"]
    return [Send("judge", {"draft": draft, "evidence": state["evidence"]}) for draft in drafts] or END


async def judge_node(state: JudgeState, runtime: Runtime[Session]) -> dict[str, Any]:
    """One question before the panel."""
    return {"items": (await judge(runtime.context, state["draft"], state["evidence"]),)}


async def judge(session: Session, draft: DraftRecord, evidence: Evidence) -> Item:
    """One accepted question through the item graph, unless the run holds its decision."""
    question = draft.question
    if question is None:
        raise TypeError(f"{draft.slot}: an accepted draft has a question")
    stored = session.decided(question)
    if stored is not None:
        return stored
    report = draft.attempts[-1] if draft.attempts else RuleReport()
    shown = evidence_of(question, evidence)
    start: ItemState = {"question": question, "evidence": shown, "rules": report, "verdicts": ()}
    end = await _ITEM.ainvoke(start, context=session)
    item: Item = end["item"]
    return session.keep_item(item, draft)


def accepted(drafts: tuple[DraftRecord, ...]) -> tuple[Question, ...]:
    """The accepted questions, in order."""
    return tuple(draft.question for draft in drafts if draft.outcome == "accepted" and draft.question)


def build_group_graph() -> CompiledStateGraph[GroupState, Session, GroupState, GroupState]:
    """The compiled group graph; stateless, so one serves all groups."""
    graph = StateGraph(GroupState, context_schema=Session)
    graph.add_node("prepare", prepare_node)
    graph.add_node("draft", draft_node)
    graph.add_node("import", import_node)
    graph.add_node("judge", judge_node, input_schema=JudgeState)
    graph.add_edge(START, "prepare")
    graph.add_conditional_edges("prepare", after_prepare, ["draft", "import", END])
    graph.add_conditional_edges("draft", after_draft, ["draft", "judge", END])
    graph.add_conditional_edges("import", after_draft, ["judge", END])
    graph.add_edge("judge", END)
    return graph.compile(name="group")


_SLOT = build_slot_graph()
_ITEM = build_item_graph()
