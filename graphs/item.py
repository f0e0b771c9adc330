"""The item graph: one accepted question before a panel, check by check, until its decision is certain.

plan ─Send→ solvability | ambiguity | difficulty | blind ─→ plan ─→ decide. Which calls come next is a pure function
of the verdicts so far (`judges.schedule`), so the frugal and the full schedule are the same graph.
"""

import operator
from typing import Annotated, Any, NotRequired, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from graphs.session import Session
from judges.decide import decide
from judges.requests import build_request, read_verdict
from judges.schedule import PlannedCall, next_calls
from records.errors import BenchwrightError
from records.media import Evidence
from records.questions import Question, RuleReport
from records.verdicts import Item, JudgeFailure, Verdict

CHECK_NODES = ("solvability", "ambiguity", "difficulty", "blind")


class ItemState(TypedDict):
    """A question on its way through the panel."""

    question: Question
    evidence: Evidence
    rules: RuleReport
    verdicts: Annotated[tuple[Verdict, ...], operator.add]
    item: NotRequired[Item]


class CallState(TypedDict):
    """What one judge's call needs."""

    call: PlannedCall
    question: Question
    evidence: Evidence


def plan(state: ItemState) -> dict[str, Any]:
    """A waiting place between rounds of calls; the routing is in `route`."""
    return {}


def route(state: ItemState, runtime: Runtime[Session]) -> list[Send] | str:
    """The next calls, in parallel, or the decision when no further call is needed."""
    calls = next_calls(state["question"], runtime.context.panel, state["evidence"].tags, state["verdicts"])
    shared = {"question": state["question"], "evidence": state["evidence"]}
    return [Send(call.check, {"call": call, **shared}) for call in calls] or "decide"


async def ask_judge(state: CallState, runtime: Runtime[Session]) -> dict[str, tuple[Verdict, ...]]:
    """One judge's call, from the plan to a verdict or a failure.

    A fault of our own in one call becomes a failure, so that one judge cannot end a run. A stop of the run and a run
    folder that cannot be written are no faults of one call: they go on to the caller.
    """
    session, call = runtime.context, state["call"]
    try:
        request = build_request(call, state["question"], state["evidence"], session.panel, seed=session.seed)
        outcome = await session.gateway.ask(request)
        return {"verdicts": (read_verdict(call, outcome, request),)}
    except BenchwrightError:
        raise
    except Exception as error:
        return {"verdicts": (broken(call, error),)}


def broken(call: PlannedCall, error: Exception) -> JudgeFailure:
    """The failure that an unexpected error makes of a call."""
    return JudgeFailure(
        check=call.check, seat=call.seat, model=call.model, unit=call.unit, outcome="unavailable",
        message=f"{type(error).__name__}: {error}", replaces=call.replaces,
    )  # fmt: skip


def decide_item(state: ItemState, runtime: Runtime[Session]) -> dict[str, Item]:
    """The item with all its verdicts and the decision that follows from them."""
    session, question = runtime.context, state["question"]
    judged = decide(question, state["verdicts"], session.panel, state["evidence"].tags, rule_report=state["rules"])
    return {"item": session.item(question, state["verdicts"], judged, state["rules"])}


def build_item_graph() -> CompiledStateGraph[ItemState, Session, ItemState, ItemState]:
    """The compiled item graph; stateless, so one serves all items."""
    graph = StateGraph(ItemState, context_schema=Session)
    graph.add_node("plan", plan)
    for check in CHECK_NODES:
        graph.add_node(check, ask_judge, input_schema=CallState)
        graph.add_edge(check, "plan")
    graph.add_node("decide", decide_item)
    graph.add_edge(START, "plan")
    graph.add_conditional_edges("plan", route, [*CHECK_NODES, "decide"])
    graph.add_edge("decide", END)
    return graph.compile(name="item")
