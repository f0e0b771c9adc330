"""Which families a video serves, beside events: objects, cultures with their articles, science. One function each.

Each returns a Branch: what was found, and a Stage that says how it ended.
"""

import asyncio
from functools import partial

from agents.classifiers import (
    culture_class_request,
    read_culture_class,
    read_science_class,
    science_class_request,
    science_refusal,
)
from agents.concepts import concepts_request, read_concepts
from agents.roles import missing, model_for
from graphs.asking import ask_checked
from graphs.video_objects import ObjectState, build_object_graph
from graphs.video_session import VideoSession
from records.annotation import CultureFinding, ObjectDescription, ScienceFinding, Stage, VideoAnnotation
from records.base import Record
from records.errors import ConfigurationError, InputError
from records.media import Source, Transcript
from records.video import Article


class Branch(Record):
    """What one family's stages found."""

    stage: Stage
    objects: tuple[ObjectDescription, ...] = ()
    cultures: tuple[CultureFinding, ...] = ()
    science: ScienceFinding | None = None


async def objects(session: VideoSession, annotation: VideoAnnotation, source: Source) -> Branch:
    """Objects with times, boxes and descriptions."""
    start: ObjectState = {"annotation": annotation, "source": source, "request_ids": ()}
    end = await _OBJECTS.ainvoke(start, context=session)
    stage: Stage = end["end"].model_copy(update={"request_ids": end["request_ids"]})
    found = end.get("objects", ()) if stage.outcome == "done" else ()
    return Branch(stage=stage, objects=found)


async def science(session: VideoSession, annotation: VideoAnnotation, transcript: Transcript) -> Branch:
    """Whether and what science the video teaches."""
    model = model_for(session.panel, "classifier")
    if model is None:
        return Branch(stage=_stage("science", "declined", missing(session.panel, "classifier")))
    settings = session.settings.science
    request = science_class_request(annotation, transcript, model, settings)
    asked = await ask_checked(session, request, lambda reply: read_science_class(reply, settings), 0)
    if asked.value is None:
        return Branch(stage=_stage("science", "failed", asked.failure, asked.request_ids))
    refusal = science_refusal(asked.value, settings)
    if refusal:
        return Branch(stage=_stage("science", "declined", refusal, asked.request_ids), science=asked.value)
    return Branch(stage=_stage("science", "done", asked.value.kind, asked.request_ids), science=asked.value)


async def culture(session: VideoSession, annotation: VideoAnnotation, transcript: Transcript) -> Branch:
    """The cultures that the video deals with, their concepts, and an article on each."""
    model = model_for(session.panel, "classifier")
    if model is None:
        return Branch(stage=_stage("culture", "declined", missing(session.panel, "classifier")))
    try:
        await session.tools.consult(lambda: session.tools.wikipedia)
    except (ConfigurationError, InputError) as error:
        return Branch(stage=_stage("culture", "declined", str(error)))
    request = culture_class_request(annotation, transcript, model)
    wanted = session.settings.culture.cultures
    asked = await ask_checked(session, request, lambda reply: read_culture_class(reply, wanted), 0)
    if asked.value is None:
        return Branch(stage=_stage("culture", "failed", asked.failure, asked.request_ids))
    if not asked.value:
        reason = "the video deals with none of the cultures that are asked about"
        return Branch(stage=_stage("culture", "declined", reason, asked.request_ids))
    found = await asyncio.gather(*(with_articles(session, each, annotation, transcript) for each in asked.value))
    failure = next((stage for _, stage in found if stage.outcome == "failed"), None)
    asked_ids = (*asked.request_ids, *(one for _, stage in found for one in stage.request_ids))
    if failure:
        return Branch(stage=_stage("culture", "failed", failure.reason, asked_ids))
    done = _stage("culture", "done", ", ".join(finding.culture for finding, _ in found), asked_ids)
    return Branch(stage=done, cultures=tuple(finding for finding, _ in found))


async def with_articles(
    session: VideoSession, finding: CultureFinding, annotation: VideoAnnotation, transcript: Transcript
) -> tuple[CultureFinding, Stage]:
    """A culture with its concepts and the nearest article on each; a concept without one is left without."""
    count = session.settings.culture.concepts
    model = model_for(session.panel, "concepts")
    if model is None:
        return finding, _stage("culture", "declined", missing(session.panel, "concepts"))
    request = concepts_request(finding, annotation, transcript, model, count)
    asked = await ask_checked(session, request, lambda reply: read_concepts(reply, count), 0)
    if asked.value is None:
        return finding, _stage("culture", "failed", asked.failure, asked.request_ids)
    articles: list[Article] = []
    for concept in asked.value:
        article = await session.tools.consult(partial(session.tools.article_on, concept))
        if article and article.title not in {known.title for known in articles}:
            articles.append(article)
    found = finding.model_copy(update={"concepts": asked.value, "articles": tuple(articles)})
    return found, _stage("culture", "done", "", asked.request_ids)


def _stage(name: str, outcome: str, reason: str, request_ids: tuple[str, ...] = ()) -> Stage:
    return Stage.model_validate({"name": name, "outcome": outcome, "reason": reason, "request_ids": request_ids})


_OBJECTS = build_object_graph()
