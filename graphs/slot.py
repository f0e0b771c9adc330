"""The slot graph: one question type of one group, from the first draft to an accepted question or a reason.

begin → ask → check ─┬─ redraft → ask      (rules are broken and attempts are left)
                     └─ record             (accepted, declined, rejected, failed or a duplicate)
"""

import operator
from typing import Annotated, Any, NotRequired, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from agents.drafter import (
    Declined,
    Unreadable,
    draft_request,
    impossible,
    read_draft,
    redraft_request,
    rule_context,
)
from graphs.session import Session
from graphs.slots import Slot
from records.calls import CallFailure, Reply, Request
from records.media import Evidence
from records.questions import DraftRecord, Question, RuleReport
from rules import check as check_rules


class SlotState(TypedDict):
    """A slot on its way to its end."""

    slot: Slot
    evidence: Evidence
    accepted: tuple[Question, ...]
    """Questions of this group that were accepted before, in order."""
    request: NotRequired[Request]
    outcome: NotRequired[Reply | CallFailure]
    draft: NotRequired[Question | Declined | Unreadable | None]
    reports: Annotated[tuple[RuleReport, ...], operator.add]
    request_ids: Annotated[tuple[str, ...], operator.add]
    record: NotRequired[DraftRecord]


def begin(state: SlotState, runtime: Runtime[Session]) -> dict[str, Any]:
    """The first request, or a refusal that needs no call (the type needs frames and there are none)."""
    session, slot, evidence = runtime.context, state["slot"], state["evidence"]
    head, model = session.heads[slot.type_id], session.panel.model(slot.drafter)
    refusal = impossible(head, evidence, model, session.panel)
    if refusal:
        return {"draft": refusal}
    request = draft_request(
        head, evidence, model, session.panel, n=slot.number, accepted_stems=stems(state), seed=session.seed,
        heads=session.heads, track=session.track,
    )  # fmt: skip
    return {"request": request}


def after_begin(state: SlotState) -> str:
    """To the drafter, unless the type cannot be asked at all."""
    return "ask" if "request" in state else "record"


async def ask(state: SlotState, runtime: Runtime[Session]) -> dict[str, Any]:
    """Asks the drafter for a first draft, or for a better one."""
    outcome = await runtime.context.gateway.ask(state["request"])
    return {"outcome": outcome, "request_ids": (outcome.request_id,)}


def check(state: SlotState, runtime: Runtime[Session]) -> dict[str, Any]:
    """Turns the reply into a question and reads the rules over it."""
    session, outcome, slot = runtime.context, state["outcome"], state["slot"]
    if isinstance(outcome, CallFailure):
        return {"draft": None}
    head, model = session.heads[slot.type_id], session.panel.model(slot.drafter)
    attempt = len(state["reports"]) + 1
    draft = read_draft(
        outcome, head, state["evidence"], model, seed=session.seed, attempt=attempt, track=session.track.name
    )
    if isinstance(draft, Declined):
        return {"draft": draft}
    if isinstance(draft, Unreadable):
        return {"draft": draft, "reports": (draft.report,)}
    context = rule_context(
        head, state["evidence"], model, session.panel, accepted_stems=stems(state), track=session.track
    )
    return {"draft": draft, "reports": (check_rules(draft, context),)}


def stems(state: SlotState) -> tuple[str, ...]:
    """The stems of the questions of this group that were accepted before."""
    return tuple(question.stem for question in state["accepted"])


def route(state: SlotState, runtime: Runtime[Session]) -> str:
    """Back to the drafter while rules are broken and attempts are left."""
    draft = state.get("draft")
    if draft is None or isinstance(draft, Declined) or not state["reports"][-1].violations:
        return "record"
    return "redraft" if len(state["reports"]) <= runtime.context.panel.redrafts else "record"


def redraft(state: SlotState, runtime: Runtime[Session]) -> dict[str, Any]:
    """The request that sends the draft back with its violations."""
    outcome = state["outcome"]
    if not isinstance(outcome, Reply):
        raise TypeError("only a reply can be sent back")
    return {"request": redraft_request(state["request"], outcome.raw, state["reports"][-1])}


def record(state: SlotState, runtime: Runtime[Session]) -> dict[str, DraftRecord]:
    """The slot's end, as it is kept."""
    slot, draft, outcome = state["slot"], state.get("draft"), state.get("outcome")
    last = state["reports"][-1] if state["reports"] else RuleReport()
    end, reason = how_it_ended(draft, outcome, last)
    kept = DraftRecord(
        slot=slot.key,
        group_id=slot.group_id,
        type_id=slot.type_id,
        drafter=runtime.context.panel.model(slot.drafter).model,
        outcome=end,
        question=draft if isinstance(draft, Question) else None,
        attempts=state["reports"],
        reason=reason,
        request_ids=state["request_ids"],
    )
    return {"record": kept}


def how_it_ended(
    draft: Question | Declined | Unreadable | None, outcome: Reply | CallFailure | None, last: RuleReport
) -> tuple[Any, str]:
    """Outcome and reason of a slot."""
    if isinstance(outcome, CallFailure):
        return "failed", f"{outcome.outcome}: {outcome.message}"
    if isinstance(draft, Declined):
        return "declined", draft.reason
    broken = [violation.rule_id for violation in last.violations]
    if not broken and isinstance(draft, Question):
        return "accepted", ""
    only_duplicates = bool(broken) and all("stem" in rule and "duplicate" in rule for rule in broken)
    return ("duplicate" if only_duplicates else "rejected-by-rules"), "; ".join(
        violation.message for violation in last.violations
    )


def build_slot_graph() -> CompiledStateGraph[SlotState, Session, SlotState, SlotState]:
    """The compiled slot graph; stateless, so one serves all slots."""
    graph = StateGraph(SlotState, context_schema=Session)
    graph.add_node("begin", begin)
    graph.add_node("ask", ask)
    graph.add_node("check", check)
    graph.add_node("redraft", redraft)
    graph.add_node("record", record)
    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", after_begin, ["ask", "record"])
    graph.add_edge("ask", "check")
    graph.add_conditional_edges("check", route, ["redraft", "record"])
    graph.add_edge("redraft", "ask")
    graph.add_edge("record", END)
    return graph.compile(name="slot")
