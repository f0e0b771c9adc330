"""The video graph: from one video to notes on it, from notes to questions, from questions to the panel.

read → hear → rate → cut → refine → log ⟲ (one segment a round) ─┬→ objects, culture, science, side by side ─→ keep
keep → draft ⟲ (one slot a round) ─Send→ judge → END. What the run already holds is not done again.
Method: VideoVista-CulturalLingo 3.1 to 3.3.
"""

import asyncio
import operator
from typing import Annotated, Any, NotRequired, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from agents.question_facts import Material
from graphs import video_families, video_stages
from graphs.group import JudgeState, accepted, declined_before
from graphs.group import judge as judge_question
from graphs.prepare import most_frames, same_media
from graphs.slots import Slot
from graphs.video_families import Branch
from graphs.video_session import VideoSession
from graphs.video_slot import VideoSlotState, build_video_slot_graph
from graphs.video_stages import Cuts
from media.evidence import build_evidence
from media.frames import candidate_frames, select_frames
from media.videos import VideoFiles, language_found, read_video
from records.annotation import Stage, TranscriptQuality, VideoAnnotation
from records.errors import RunError
from records.media import Evidence, Frame, Group, Transcript
from records.questions import DraftRecord
from records.verdicts import Item
from records.video import EventAnnotation


class VideoState(TypedDict):
    """A video on its way through the run."""

    video: VideoFiles
    slots: tuple[Slot, ...]
    """Slots that are still to be filled; the first is next."""
    group: NotRequired[Group]
    language: NotRequired[str]
    transcript: NotRequired[Transcript]
    quality: NotRequired[TranscriptQuality | None]
    cuts: NotRequired[Cuts]
    frames: NotRequired[tuple[Frame, ...]]
    events: Annotated[tuple[EventAnnotation, ...], operator.add]
    stages: Annotated[tuple[Stage, ...], operator.add]
    branches: Annotated[tuple[Branch, ...], operator.add]
    annotation: NotRequired[VideoAnnotation]
    evidence: NotRequired[Evidence]
    drafts: Annotated[tuple[DraftRecord, ...], operator.add]
    items: Annotated[tuple[Item, ...], operator.add]


async def read(state: VideoState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """The video with its captions and metadata; notes on it where the run has them.

    Raises InputError for a video that cannot be used, and RunError if its files changed since the run began.
    """
    session = runtime.context
    group = await asyncio.to_thread(read_video, state["video"], session.language)
    stored = session.run.get("group", group.group_id, Group)
    if stored and not same_media(stored, group):
        raise RunError(
            f"{group.sources[0].video_file or group.folder}: is not the video that the run {session.run.folder} "
            "began with.",
            hint="Put it back, or start another run with --run NAME.",
        )
    session.run.put("group", group.group_id, group, group_id=group.group_id)
    annotation = session.run.get("annotation", group.group_id, VideoAnnotation)
    evidence = session.run.get("evidence", group.group_id, Evidence)
    if annotation and evidence and not (session.retry_failed and annotation.failed):
        return {"group": group, "annotation": annotation, "evidence": evidence}
    for warning in group.warnings:
        session.note(group.group_id, warning)
    return {"group": group}


def after_read(state: VideoState) -> str:
    """To the stages, or straight to the questions where the notes are there."""
    return "hear" if "annotation" not in state else "draft" if state["slots"] else END


async def hear(state: VideoState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """The words, and the language in which questions will be written."""
    session, group = runtime.context, state["group"]
    transcript, stage = await video_stages.hear(session, group.sources[0], group.language)
    language = group.language
    if language == "und":
        language = language_found(transcript.language, transcript.text)
    if language == "und":
        language = "en"
        session.note(group.group_id, "nothing is said in it and --lang is auto; its questions are written in English")
    return {"transcript": transcript, "language": language, "stages": (stage,)}


async def rate(state: VideoState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """Audio-rich or audio-noisy."""
    quality, stage = await video_stages.rate(runtime.context, state["transcript"], state["group"].sources[0])
    return {"quality": quality, "stages": (stage,)}


async def cut(state: VideoState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """The segments."""
    cuts, stage = await video_stages.cut(
        runtime.context, state["transcript"], state["quality"], state["group"].sources[0]
    )
    return {"cuts": cuts, "stages": (stage,)}


async def refine(state: VideoState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """Better words where the language needs them, and the frames of each segment."""
    session, source = runtime.context, state["group"].sources[0]
    transcript, stage = await video_stages.refine(session, state["transcript"], state["language"], source.video_id)
    cuts = Cuts(video_stages.with_words(state["cuts"], transcript), state["cuts"].ranges)
    frames = await video_stages.segment_frames(session, cuts.segments, source)
    return {"transcript": transcript, "cuts": cuts, "frames": frames, "stages": (stage,)}


async def log(state: VideoState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """The event of the next segment."""
    segments = state["cuts"].segments
    segment = segments[len(state["events"])]
    event, stage = await video_stages.log_event(
        runtime.context, segment, len(segments), state["events"], state["frames"], state["transcript"],
        state["language"],
    )  # fmt: skip
    return {"events": (event,) if event else (), "stages": (stage,)}


def blocked(name: str, following: str) -> Any:
    """A route onward, or to the end of the stages where a stage found nothing to go on with."""

    def route(state: VideoState) -> str:
        last = [stage for stage in state["stages"] if stage.name == name][-1]
        return "keep" if last.outcome == "failed" else following

    return route


def after_cut(state: VideoState) -> str:
    """On with segments; without any there is nothing to log."""
    return "refine" if state["cuts"].segments else "keep"


def after_log(state: VideoState, runtime: Runtime[VideoSession]) -> list[str] | str:
    """To the next segment; after the last, to the families that were asked for, side by side."""
    if state["stages"][-1].outcome != "done":
        return "keep"
    if len(state["events"]) < len(state["cuts"].segments):
        return "log"
    wanted: list[str] = [family for family in ("object", "culture", "science") if family in runtime.context.families]
    return wanted or "keep"


async def objects(state: VideoState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """The object family."""
    found = await video_families.objects(runtime.context, notes(state), state["group"].sources[0])
    return {"branches": (found,)}


async def culture(state: VideoState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """The culture family."""
    return {"branches": (await video_families.culture(runtime.context, notes(state), state["transcript"]),)}


async def science(state: VideoState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """The science family."""
    return {"branches": (await video_families.science(runtime.context, notes(state), state["transcript"]),)}


def notes(state: VideoState) -> VideoAnnotation:
    """What is known of the video so far."""
    source = state["group"].sources[0]
    branches = state["branches"]
    return VideoAnnotation(
        video_id=source.video_id,
        language=state["language"],
        duration_s=source.duration_s,
        quality=state.get("quality"),
        segments=state["cuts"].segments if "cuts" in state else (),
        events=state["events"],
        frames=state.get("frames", ()),
        objects=tuple(each for branch in branches for each in branch.objects),
        cultures=tuple(each for branch in branches for each in branch.cultures),
        science=next((branch.science for branch in branches if branch.science), None),
        stages=(*ends_of(state["stages"]), *(branch.stage for branch in branches)),
    )


def ends_of(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """One stage a name: the last, with the calls of all. Without events the reason is that of the stage before."""
    named: dict[str, Stage] = {}
    for stage in stages:
        before = named.pop(stage.name, None)
        asked = (*(before.request_ids if before else ()), *stage.request_ids)
        named[stage.name] = stage.model_copy(update={"request_ids": asked})
    if "events" not in named:
        stopped = next((stage for stage in named.values() if stage.outcome == "failed"), stages[-1])
        outcome = "failed" if stopped.outcome == "failed" else "declined"
        named["events"] = Stage(name="events", outcome=outcome, reason=f"{stopped.name}: {stopped.reason}")
    return tuple(named.values())


async def keep(state: VideoState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """Notes and evidence into the run, so that another session need not find them again."""
    session, group = runtime.context, state["group"]
    annotation = notes(state)
    for stage in annotation.stages:
        if stage.outcome in ("declined", "failed"):
            session.note(group.group_id, f"{stage.name}: {stage.reason}")
    evidence = await shown(session, group, state["transcript"], annotation.language)
    session.run.put("annotation", group.group_id, annotation, group_id=group.group_id)
    session.run.put("evidence", group.group_id, evidence, group_id=group.group_id)
    return {"annotation": annotation, "evidence": evidence}


async def shown(session: VideoSession, group: Group, transcript: Transcript, language: str) -> Evidence:
    """What judges and people see of the video: its words, refined where they were, and its best frames."""
    source = group.sources[0].model_copy(update={"transcript": transcript})
    count = most_frames(session.panel)
    frames: tuple[Frame, ...] = ()
    if source.video_file and count:
        async with session.decoders:
            found = await asyncio.to_thread(candidate_frames, source, session.track.images, session.run.frames_dir)
        frames = select_frames(found, count, None)
    read_again = group.model_copy(update={"sources": (source,), "language": language})
    return build_evidence(read_again, {source.video_id: frames}, {}, session.seed)


async def draft(state: VideoState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """Fills the next slot, from the run if it is there already."""
    session, (slot, *rest) = runtime.context, state["slots"]
    stored = session.run.get("draft", slot.key, DraftRecord, group_id=slot.group_id)
    if stored is None or (stored.outcome == "failed" and session.retry_failed):
        stored = declined_already(session, slot, state["drafts"]) or await fill(session, slot, state)
        session.keep_draft(stored)
    return {"slots": tuple(rest), "drafts": (stored,)}


def declined_already(session: VideoSession, slot: Slot, drafts: tuple[DraftRecord, ...]) -> DraftRecord | None:
    """A type that was declined is not asked again, except for culture: there each question has its own article."""
    if session.heads[slot.type_id].family == "culture":
        return None
    return declined_before(slot, session.panel.model(slot.drafter).model, drafts)


async def fill(session: VideoSession, slot: Slot, state: VideoState) -> DraftRecord:
    """One slot through the slot graph."""
    group = state["group"]
    material = Material(
        annotation=state["annotation"], source=group.sources[0], domain=group.domain, settings=session.settings
    )
    start: VideoSlotState = {
        "slot": slot, "material": material, "accepted": accepted(state["drafts"]), "reports": (), "request_ids": (),
    }  # fmt: skip
    end = await _SLOT.ainvoke(start, context=session)
    record: DraftRecord = end["record"]
    return record


def after_keep(state: VideoState) -> str:
    """To the first slot, or to the end."""
    return "draft" if state["slots"] else END


def after_draft(state: VideoState) -> list[Send] | str:
    """To the next slot; after the last one, every accepted question to the panel, side by side."""
    if state["slots"]:
        return "draft"
    drafts = [draft for draft in state["drafts"] if draft.outcome == "accepted"]
    return [Send("judge", {"draft": draft, "evidence": state["evidence"]}) for draft in drafts] or END


async def judge(state: JudgeState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """One question before the panel."""
    return {"items": (await judge_question(runtime.context, state["draft"], state["evidence"]),)}


def build_video_graph() -> CompiledStateGraph[VideoState, VideoSession, VideoState, VideoState]:
    """The compiled video graph; stateless, so one serves all videos."""
    graph = StateGraph(VideoState, context_schema=VideoSession)
    for step in (read, hear, rate, cut, refine, log, culture, science, keep, draft):
        graph.add_node(step.__name__, step)
    graph.add_node("object", objects)
    graph.add_node("judge", judge, input_schema=JudgeState)
    graph.add_edge(START, "read")
    graph.add_conditional_edges("read", after_read, ["hear", "draft", END])
    graph.add_edge("hear", "rate")
    graph.add_conditional_edges("rate", blocked("quality", "cut"), ["cut", "keep"])
    graph.add_conditional_edges("cut", after_cut, ["refine", "keep"])
    graph.add_conditional_edges("refine", blocked("refinement", "log"), ["log", "keep"])
    graph.add_conditional_edges("log", after_log, ["log", "object", "culture", "science", "keep"])
    for family in ("object", "culture", "science"):
        graph.add_edge(family, "keep")
    graph.add_conditional_edges("keep", after_keep, ["draft", END])
    graph.add_conditional_edges("draft", after_draft, ["draft", "judge", END])
    graph.add_edge("judge", END)
    return graph.compile(name="video")


_SLOT = build_video_slot_graph()
