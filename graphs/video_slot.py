"""The slot graph of the video track: one type of one video, from the first draft to a question or a reason.

begin → ask → check ─┬─ redraft → ask      (rules are broken and attempts are left)
                     └─ record             (accepted, declined, rejected, failed or a duplicate)
"""

import operator
from typing import Annotated, Any, NotRequired, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from agents.drafter import Declined, Unreadable
from agents.question_facts import Failed, Material, obstacle
from agents.question_writer import read_written, rewrite_request, rule_context, write_request
from graphs.slot import how_it_ended
from graphs.slots import Slot
from graphs.video_session import VideoSession
from records.calls import CallFailure, Reply, Request
from records.questions import DraftRecord, Question, RuleReport
from rules import check as check_rules


class VideoSlotState(TypedDict):
    """A slot on its way to its end."""

    slot: Slot
    material: Material
    accepted: tuple[Question, ...]
    first: NotRequired[Request]
    """The first request, from which every redraft starts."""
    request: NotRequired[Request]
    outcome: NotRequired[Reply | CallFailure]
    draft: NotRequired[Question | Declined | Unreadable | Failed | None]
    reports: Annotated[tuple[RuleReport, ...], operator.add]
    request_ids: Annotated[tuple[str, ...], operator.add]
    record: NotRequired[DraftRecord]


def begin(state: VideoSlotState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """The first request, or a refusal that needs no call: the video does not offer what the type needs."""
    session, slot, material = runtime.context, state["slot"], state["material"]
    head = session.heads[slot.type_id]
    refusal = obstacle(head, material)
    if refusal:
        return {"draft": refusal}
    request = write_request(
        head, material, session.panel.model(slot.drafter), session.panel, session.track, session.heads,
        n=slot.number, accepted=state["accepted"], seed=session.seed,
    )  # fmt: skip
    return {"request": request, "first": request}


def after_begin(state: VideoSlotState) -> str:
    """To the writer, unless the type cannot be asked at all."""
    return "ask" if "request" in state else "record"


async def ask(state: VideoSlotState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """Asks for a first draft, or for a better one."""
    outcome = await runtime.context.gateway.ask(state["request"])
    return {"outcome": outcome, "request_ids": (outcome.request_id,)}


def check(state: VideoSlotState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """Turns the reply into a question and reads the rules over it."""
    session, outcome, slot = runtime.context, state["outcome"], state["slot"]
    if isinstance(outcome, CallFailure):
        return {"draft": None}
    head, material = session.heads[slot.type_id], state["material"]
    draft = read_written(
        outcome, head, material, session.panel.model(slot.drafter), session.track,
        n=slot.number, seed=session.seed, attempt=len(state["reports"]) + 1,
    )  # fmt: skip
    if isinstance(draft, Declined):
        return {"draft": draft}
    if isinstance(draft, Unreadable):
        return {"draft": draft, "reports": (draft.report,)}
    context = rule_context(head, material, session.track, accepted=state["accepted"])
    return {"draft": draft, "reports": (check_rules(draft, context),)}


def route(state: VideoSlotState, runtime: Runtime[VideoSession]) -> str:
    """Back to the writer while rules are broken and attempts are left."""
    draft = state.get("draft")
    if draft is None or isinstance(draft, Declined) or not state["reports"][-1].violations:
        return "record"
    return "redraft" if len(state["reports"]) <= runtime.context.panel.redrafts else "record"


def redraft(state: VideoSlotState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """The request that sends the draft back with its violations."""
    outcome = state["outcome"]
    if not isinstance(outcome, Reply):
        raise TypeError("only a reply can be sent back")
    attempt = len(state["reports"]) + 1
    return {"request": rewrite_request(state["first"], outcome.raw, state["reports"][-1], attempt)}


def record(state: VideoSlotState, runtime: Runtime[VideoSession]) -> dict[str, DraftRecord]:
    """The slot's end, as it is kept."""
    slot, draft = state["slot"], state.get("draft")
    last = state["reports"][-1] if state["reports"] else RuleReport()
    if isinstance(draft, Failed):
        end, reason = "failed", draft.reason
    else:
        end, reason = how_it_ended(draft, state.get("outcome"), last)
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


def build_video_slot_graph() -> CompiledStateGraph[VideoSlotState, VideoSession, VideoSlotState, VideoSlotState]:
    """The compiled slot graph; stateless, so one serves all slots."""
    graph = StateGraph(VideoSlotState, context_schema=VideoSession)
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
    return graph.compile(name="video-slot")
