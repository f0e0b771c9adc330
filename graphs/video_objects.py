"""The object graph: is the video fit, which objects, where are they each second, what are they like.

classify → choose → look → box → describe; any step may end it with a reason. Method: VideoVista-CulturalLingo 3.2.
"""

import asyncio
import operator
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from agents.classifiers import object_class_request, read_object_class
from agents.object_finder import (
    NamedObject,
    describe_request,
    ground_request,
    named_tracks,
    objects_request,
    presence_request,
    read_boxes,
    read_descriptions,
    read_objects,
    read_presence,
)
from agents.roles import Role, missing, model_for
from graphs.asking import Asked, ask_checked
from graphs.video_session import VideoSession
from media.objects import find_objects, look_times, tracks_of
from media.sampling import frames_at
from records.annotation import ObjectDescription, Stage, VideoAnnotation
from records.config import ModelSpec
from records.errors import ConfigurationError, InputError
from records.media import Frame, Source
from records.video import Detection, ObjectTrack


class ObjectState(TypedDict):
    """A video on its way to objects with boxes and descriptions."""

    annotation: VideoAnnotation
    source: Source
    named: NotRequired[tuple[NamedObject, ...]]
    frames: NotRequired[tuple[Frame, ...]]
    """One a second."""
    present: NotRequired[dict[str, list[float]]]
    """Phrase → seconds at which the object is in view."""
    objects: NotRequired[tuple[ObjectDescription, ...]]
    end: NotRequired[Stage]
    """How it ended, once it has."""
    request_ids: Annotated[tuple[str, ...], operator.add]


async def classify(state: ObjectState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """Real world, rich in objects, objects that move; all three, or it ends here."""
    session = runtime.context
    if not state["source"].video_file:
        return {"end": ended("declined", "there is no picture")}
    model = model_for(session.panel, "classifier")
    if model is None:
        return without(session, "classifier")
    asked = await ask_checked(session, object_class_request(state["annotation"], model), read_object_class, 0)
    if asked.failure:
        return failed(asked)
    reason = asked.value or ""
    return {"request_ids": asked.request_ids, **({"end": ended("declined", reason)} if reason else {})}


async def choose(state: ObjectState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """Three to five objects."""
    session = runtime.context
    model = model_for(session.panel, "extractor")
    if model is None:
        return without(session, "extractor")
    asked = await ask_checked(
        session, objects_request(state["annotation"], model), read_objects, session.settings.cutting.attempts
    )
    if asked.value is None:
        return failed(asked)
    return {"named": asked.value, "request_ids": asked.request_ids}


async def look(state: ObjectState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """Which objects are in view at which second: a batch of frames a call, side by side."""
    session, source = runtime.context, state["source"]
    model = model_for(session.panel, "presence")
    if model is None:
        return without(session, "presence")
    frames = await second_frames(session, source, state["annotation"].duration_s or 0.0)
    size = session.settings.object_stages.presence_frames
    batches = [frames[start : start + size] for start in range(0, len(frames), size)]
    found = await asyncio.gather(*(presence(session, state["named"], batch, model) for batch in batches))
    asked_ids = tuple(asked for one in found for asked in one.request_ids)
    broken = next((one for one in found if one.value is None), None)
    if broken is not None:
        return {**failed(broken), "request_ids": asked_ids}
    present: dict[str, list[float]] = {each.phrase: [] for each in state["named"]}
    for one in found:
        for phrase, times in (one.value or {}).items():
            present[phrase] += times
    return {"frames": frames, "present": present, "request_ids": asked_ids}


async def presence(
    session: VideoSession, named: tuple[NamedObject, ...], batch: tuple[Frame, ...], model: ModelSpec
) -> Asked[dict[str, list[float]]]:
    """The objects in view in one batch of frames."""
    request = presence_request(named, batch, model, group_id=batch[0].video_id)
    return await ask_checked(
        session, request, lambda reply: read_presence(reply, named, batch), session.settings.cutting.attempts
    )


async def second_frames(session: VideoSession, source: Source, duration_s: float) -> tuple[Frame, ...]:
    """One frame a second (`objects.per_second`), up to `most_seconds`."""
    settings = session.settings
    until = min(duration_s, float(settings.object_stages.most_seconds))
    if until < duration_s:
        session.note(source.video_id, f"objects are looked for in its first {until:g} of {duration_s:g} seconds")
    async with session.decoders:
        return await asyncio.to_thread(
            frames_at, Path(source.video_file or ""), look_times(until, settings.objects), out=session.run.frames_dir,
            video_id=source.video_id, side=session.track.images.longer_side, quality=session.track.images.jpeg_quality,
        )  # fmt: skip


async def box(state: ObjectState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """Boxes and masks where the objects are in view: by the detector, else by the panel's grounder."""
    session = runtime.context
    try:
        tools = await asyncio.to_thread(lambda: session.tools.detector)
    except ConfigurationError as error:
        return {"end": ended("declined", str(error))}
    if tools is None:
        found = await grounded(session, state)
        if isinstance(found, dict):
            return found
        tracks, asked_ids = found
    else:
        detector, segmenter = tools
        phrases = [each.phrase for each in state["named"]]
        try:
            async with session.signals:
                tracks = await asyncio.to_thread(
                    find_objects, Path(state["source"].video_file or ""), phrases, detector, session.settings.objects,
                    segmenter=segmenter, present=state["present"],
                )  # fmt: skip
        except InputError as error:
            return {"end": ended("failed", str(error))}
        asked_ids = ()
    if not tracks:
        return {"end": ended("declined", "none of the objects was found"), "request_ids": asked_ids}
    return {"objects": named_tracks(tracks, state["named"]), "request_ids": asked_ids}


async def grounded(
    session: VideoSession, state: ObjectState
) -> tuple[tuple[ObjectTrack, ...], tuple[str, ...]] | dict[str, Any]:
    """Tracks from the boxes that the panel's grounder draws, one frame a call, side by side."""
    model = model_for(session.panel, "grounder")
    if model is None:
        return without(session, "grounder")
    named, present = state["named"], state["present"]
    looks = [
        (frame, wanted)
        for frame in state["frames"]
        if (wanted := tuple(each for each in named if frame.time_s in present[each.phrase]))
    ]
    asked = await asyncio.gather(*(ground(session, frame, wanted, model) for frame, wanted in looks))
    asked_ids = tuple(one_id for one in asked for one_id in one.request_ids)
    broken = next((one for one in asked if one.value is None), None)
    if broken is not None:
        return {**failed(broken), "request_ids": asked_ids}
    seen = {frame.time_s: one.value or () for (frame, _), one in zip(looks, asked, strict=True)}
    return tracks_of([each.phrase for each in named], seen, session.settings.objects), asked_ids


async def ground(
    session: VideoSession, frame: Frame, wanted: tuple[NamedObject, ...], model: ModelSpec
) -> Asked[tuple[Detection, ...]]:
    """The boxes of one frame."""
    request = ground_request(wanted, frame, model, group_id=frame.video_id)
    return await ask_checked(
        session, request, lambda reply: read_boxes(reply, wanted), session.settings.cutting.attempts
    )


async def describe(state: ObjectState, runtime: Runtime[VideoSession]) -> dict[str, Any]:
    """What each object is like, in time and space."""
    session, objects = runtime.context, state["objects"]
    model = model_for(session.panel, "describer")
    if model is None:
        return without(session, "describer")
    asked = await ask_checked(
        session, describe_request(objects, state["annotation"], model),
        lambda reply: read_descriptions(reply, objects), session.settings.cutting.attempts,
    )  # fmt: skip
    if asked.value is None:
        return failed(asked)
    done = ended("done", f"{len(objects)} objects")
    return {"objects": asked.value, "request_ids": asked.request_ids, "end": done}


def onward(following: str) -> Any:
    """A route to the next step, unless it has ended."""
    return lambda state: END if "end" in state else following


def ended(outcome: Any, reason: str) -> Stage:
    """The end of the object stages."""
    return Stage(name="object", outcome=outcome, reason=reason)


def failed(asked: Asked[Any]) -> dict[str, Any]:
    """An end because a call failed, or because no reply kept the checks."""
    reason = asked.failure or f"no usable reply: {'; '.join(asked.faults)}"
    return {"end": ended("failed", reason), "request_ids": asked.request_ids}


def without(session: VideoSession, role: Role) -> dict[str, Any]:
    """An end because the panel has no model for a step."""
    return {"end": ended("declined", missing(session.panel, role))}


def build_object_graph() -> CompiledStateGraph[ObjectState, VideoSession, ObjectState, ObjectState]:
    """The compiled object graph; stateless, so one serves all videos."""
    graph = StateGraph(ObjectState, context_schema=VideoSession)
    steps = {"classify": classify, "choose": choose, "look": look, "box": box, "describe": describe}
    for name, step in steps.items():
        graph.add_node(name, step)
    names = list(steps)
    graph.add_edge(START, names[0])
    for name, following in pairwise(names):
        graph.add_conditional_edges(name, onward(following), [following, END])
    graph.add_edge(names[-1], END)
    return graph.compile(name="objects")
