"""Which task families a video serves: objects, three cultures, science (VideoVista-CulturalLingo 3.2).

…_request → (gateway) → read_… → a finding, or a reason why the video is left out. Frames, log and words are shown.
"""

from collections.abc import Sequence
from typing import Literal, TypeVar

from pydantic import BaseModel

from agents.listing import events_part
from agents.showing import image_part
from prompts import render
from records.annotation import CULTURES, Culture, CultureFinding, ScienceFinding, ScienceSettings, VideoAnnotation
from records.calls import Part, Reply, Request, SpecPart, TextPart, TranscriptPart
from records.config import ModelSpec
from records.media import Frame, Transcript, tag_of
from records.video_replies import CultureClassReply, ObjectClassReply, ScienceClassReply

VIDEO = tag_of(0)
ReplyType = TypeVar("ReplyType", bound=BaseModel)
FRAMES = 16
"""Frames of a video that a classifier sees, spread evenly."""


def spread(frames: Sequence[Frame], most: int) -> tuple[Frame, ...]:
    """At most so many of the frames, evenly spread."""
    count = len(frames)
    return tuple(frames) if count <= most else tuple(frames[place * count // most] for place in range(most))


def video_parts(annotation: VideoAnnotation, model: ModelSpec, transcript: Transcript | None = None) -> list[Part]:
    """Log, words where wanted, and frames of a video: the same for all classifiers of a model that read words."""
    parts: list[Part] = [events_part("events", annotation.events)] if annotation.events else []
    if transcript and transcript.text:
        language = transcript.language
        parts.append(TranscriptPart(tag=VIDEO, text=transcript.text, sentences=transcript.sentences, language=language))
    if model.images:
        parts += [image_part(VIDEO, frame) for frame in spread(annotation.frames, FRAMES)]
    return parts


def object_class_request(annotation: VideoAnnotation, model: ModelSpec) -> Request:
    """Is the video filmed, rich in objects, and do they move?"""
    return _request("object", annotation, model, ObjectClassReply, render("video/classify-object"), None)


def culture_class_request(annotation: VideoAnnotation, transcript: Transcript, model: ModelSpec) -> Request:
    """Does the video deal with Chinese, American, European culture, each by itself?"""
    return _request("culture", annotation, model, CultureClassReply, render("video/classify-culture"), transcript)


def science_class_request(
    annotation: VideoAnnotation, transcript: Transcript, model: ModelSpec, settings: ScienceSettings
) -> Request:
    """Does the video teach science, how densely, which, and by a course or by an experiment?"""
    listed = [(name, ", ".join(branches)) for name, branches in settings.disciplines.items()]
    task = render("video/classify-science", disciplines=listed)
    return _request("science", annotation, model, ScienceClassReply, task, transcript)


def read_object_class(reply: Reply) -> str:
    """Why questions about objects cannot be asked; empty where they can."""
    value = _value(reply, ObjectClassReply)
    missing = [
        words
        for holds, words in (
            (value.real_world, "it is not filmed in the real world"),
            (value.rich_objects, "it is not rich in objects"),
            (value.moving_objects, "nothing comes, goes or moves in it"),
        )
        if not holds
    ]
    return "; ".join(missing)


def read_culture_class(reply: Reply, wanted: Sequence[Culture] = CULTURES) -> tuple[CultureFinding, ...]:
    """The wanted cultures that the video deals with, without concepts or articles yet."""
    value = _value(reply, CultureClassReply)
    related = [culture for culture in wanted if getattr(value, culture)]
    return tuple(CultureFinding(culture=culture, reason=value.reasoning.strip()) for culture in related)


def read_science_class(reply: Reply, settings: ScienceSettings) -> ScienceFinding:
    """What kind of science; a discipline that is not in the vocabulary is left empty."""
    value = _value(reply, ScienceClassReply)
    names = {name.casefold(): name for name in settings.disciplines}
    discipline = names.get(value.discipline.strip().casefold(), "" if names else value.discipline.strip())
    branches = {name.casefold(): name for name in settings.disciplines.get(discipline, ())}
    sub = value.sub_discipline.strip()
    return ScienceFinding(
        relevance=value.relevance,
        density=value.density,
        kind=value.kind,
        discipline=discipline,
        sub_discipline=branches.get(sub.casefold(), "" if branches else sub),
        reason=value.reasoning.strip(),
    )


def science_refusal(finding: ScienceFinding, settings: ScienceSettings) -> str:
    """Why science questions cannot be asked of a video; empty where they can."""
    if finding.relevance < settings.least_relevance:
        return f"relevance to science is {finding.relevance} of 5; {settings.least_relevance} is needed"
    if finding.density < settings.least_density:
        return f"knowledge density is {finding.density} of 5; {settings.least_density} is needed"
    return "it neither teaches a course nor shows an experiment" if finding.kind == "neither" else ""


def _request(
    what: Literal["object", "culture", "science"],
    annotation: VideoAnnotation,
    model: ModelSpec,
    reply: type[BaseModel],
    task: str,
    transcript: Transcript | None,
) -> Request:
    shown = video_parts(annotation, model, transcript)
    return Request(
        task="classify",
        model=model,
        system=render("video/classify-system"),
        parts=(*shown, TextPart(text=task), SpecPart(values={"class": what, "language": annotation.language})),
        prefix_parts=len(shown),
        reply_model=reply,
        group_id=annotation.video_id,
        unit=what,
    )


def _value(reply: Reply, kind: type[ReplyType]) -> ReplyType:
    if not isinstance(reply.value, kind):
        raise TypeError(f"a class is read from a {kind.__name__}, not from a {type(reply.value).__name__}")
    return reply.value
