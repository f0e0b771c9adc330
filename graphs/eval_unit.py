"""The unit graph: one group's or video's material once, then every call on it side by side, then the predictions kept.

prepare ─Send→ ask (a candidate, setting, batch, rotation and sample each) → collect → END. A unit whose videos cannot
be used gives predictions that are unavailable, and does not end the others.
"""

import operator
from typing import Annotated, Any, NotRequired, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from agents.solver import read_predictions, solve_request, unasked
from graphs.eval_items import Unit
from graphs.eval_material import Material, Shown, gather
from graphs.eval_plan import Task
from graphs.eval_session import EvalSession
from records.benchmark import Prediction
from records.errors import InputError, RunError


class UnitState(TypedDict):
    """A unit on its way."""

    unit: Unit
    tasks: tuple[Task, ...]
    material: NotRequired[Material]
    problem: NotRequired[str]
    """Why the unit's videos cannot be shown."""
    predictions: Annotated[tuple[Prediction, ...], operator.add]
    shown: Annotated[tuple[tuple[str, str, Shown], ...], operator.add]
    """(Candidate, setting, facts)."""


class AskState(TypedDict):
    """One call with its unit."""

    unit: Unit
    task: Task
    material: Material


async def prepare_node(state: UnitState, runtime: Runtime[EvalSession]) -> dict[str, Any]:
    """The unit's videos, read and cut."""
    session = runtime.context
    try:
        return {"material": await gather(state["unit"], session.plan.benchmark, session.preparing, session.images)}
    except (InputError, RunError) as error:
        session.preparing.note(state["unit"].unit_id, str(error))
        return {"problem": str(error)}


def after_prepare(state: UnitState) -> list[Send] | str:
    """Every call side by side; to the end where there is nothing to show."""
    material = state.get("material")
    if material is None:
        return "collect"
    return [Send("ask", {"unit": state["unit"], "task": task, "material": material}) for task in state["tasks"]]


async def ask_node(state: AskState, runtime: Runtime[EvalSession]) -> dict[str, Any]:
    """One call, and the predictions that it gives."""
    session, task = runtime.context, state["task"]
    candidate = session.plan.candidate(task.candidate, task.turn.setting)
    items = [session.plan.benchmark.by_id[item_id] for item_id in task.item_ids]
    unit_id, setting = state["unit"].unit_id, task.turn.setting
    async with session.behind_the_first(unit_id, candidate, setting), session.place(candidate):
        try:
            seen, facts = await state["material"].seen(candidate.asking, candidate.spec)
        except (InputError, RunError) as error:
            session.preparing.note(unit_id, str(error))
            return {"predictions": unasked(items, candidate, task.turn, str(error))}
        request = solve_request(items, seen, candidate, task.turn, unit=unit_id)
        outcome = await session.gateway.ask(request)
    found = read_predictions(outcome, items, candidate, task.turn)
    session.progress.count("answers", len(found))
    return {"predictions": found, "shown": ((task.candidate, setting, facts),)}


def collect_node(state: UnitState, runtime: Runtime[EvalSession]) -> dict[str, Any]:
    """Keeps what the unit gave."""
    session = runtime.context
    found = state["predictions"]
    if state.get("problem"):
        found = tuple(
            prediction
            for task in state["tasks"]
            for prediction in unasked(
                [session.plan.benchmark.by_id[item_id] for item_id in task.item_ids],
                session.plan.candidate(task.candidate, task.turn.setting),
                task.turn,
                state.get("problem", ""),
            )
        )
    shown = {(candidate, setting): facts for candidate, setting, facts in state["shown"]}
    session.keep(state["unit"].unit_id, found, ((*names, facts) for names, facts in shown.items()))
    return {}


def build_unit_graph() -> CompiledStateGraph[UnitState, EvalSession, UnitState, UnitState]:
    """The compiled graph; stateless, so one serves all units."""
    graph = StateGraph(UnitState, context_schema=EvalSession)
    graph.add_node("prepare", prepare_node)
    graph.add_node("ask", ask_node, input_schema=AskState)
    graph.add_node("collect", collect_node)
    graph.add_edge(START, "prepare")
    graph.add_conditional_edges("prepare", after_prepare, ["ask", "collect"])
    graph.add_edge("ask", "collect")
    graph.add_edge("collect", END)
    return graph.compile(name="unit")
