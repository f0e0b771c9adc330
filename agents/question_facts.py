"""The facts of a video question that code knows: spans, times, boxes, true orders, the article and its culture.

A writer names events, objects and steps by their numbers; what these are is looked up here and goes into
`Question.extra` as text, where rules, tables, reviewers and solvers' clips read it (`rules.facts`).
"""

import json
from collections.abc import Mapping
from typing import Any

from agents.drafter import Declined
from media.segments import prediction_cut
from media.summaries import cut_at_sentence
from prompts.taskheads import TaskHead
from records.annotation import CultureFinding, ObjectDescription, Stage, VideoAnnotation, VideoSettings
from records.base import Record
from records.media import Source
from records.text import primary_language
from records.video import Article, EventAnnotation, Sighting
from records.video_replies import Written, WrittenObject, WrittenOrder
from rules.facts import box_text
from rules.orders import LEAST
from rules.prediction import PREDICTION

_BOXES = {
    "en": "Boxes are [x0, y0, x1, y1], shares of the picture's width and height counted from its top left corner.",
    "zh": "边界框写作 [x0, y0, x1, y1]，为占画面宽、高的比例，自左上角起算。",
}


class NoSuchNumber(ValueError):
    """A writer names an event, object or step that there is not; the message goes back to it."""

    def __init__(self, message: str, where: str) -> None:
        super().__init__(message)
        self.where = where


class Failed(Record):
    """A stage that this type rests on failed; asked again by ``--retry-failed``."""

    reason: str


class Material(Record):
    """What a question on one video is written from."""

    annotation: VideoAnnotation
    source: Source
    domain: str = ""
    settings: VideoSettings = VideoSettings()

    def finding(self, head: TaskHead) -> CultureFinding | None:
        """What was found about the culture that a type asks about."""
        return next((found for found in self.annotation.cultures if found.culture == head.needs), None)

    def article(self, head: TaskHead, n: int) -> Article | None:
        """The article of the n-th question of a type: concepts take turns."""
        finding = self.finding(head) if head.family == "culture" else None
        return finding.articles[(n - 1) % len(finding.articles)] if finding and finding.articles else None

    def article_text(self, article: Article) -> str:
        """As much of an article as writer, item and blind check get."""
        return cut_at_sentence(article.text or article.lead, self.settings.culture.article_characters)


def obstacle(head: TaskHead, material: Material) -> Declined | Failed | None:
    """Why this type cannot be asked of this video, known before any call; None if it can."""
    annotation = material.annotation
    for name in ("events", *(() if head.family == "event" else (head.family,))):
        stage = annotation.stage(name)
        if stage.outcome != "done":
            return _stopped(head, stage)
    missing = {
        "event": _event_obstacle,
        "object": _object_obstacle,
        "culture": _culture_obstacle,
        "science": _science_obstacle,
    }[head.family](head, material)
    return Declined(reason=f"{head.id}: {missing}.") if missing else None


def facts_of(written: Written[Any], head: TaskHead, material: Material, n: int) -> dict[str, str]:
    """Everything that code knows about a written question. Raises NoSuchNumber."""
    facts: dict[str, str] = {"family": head.family, "form": head.form, **_video_facts(material)}
    if head.form == "moment":
        facts["least_gap_s"] = f"{least_gap_s(head, material.settings):g}"
    if head.family == "object":
        facts |= _object_facts(written, head, material)
    else:
        facts |= _event_facts(written, head, material)
    article = material.article(head, n)
    if article:
        facts |= {
            "culture": head.needs,
            "article_title": article.title,
            "article_url": article.url,
            "article": material.article_text(article),
        }
    science = material.annotation.science
    if head.family == "science" and science:
        facts |= {"discipline": science.discipline, "sub_discipline": science.sub_discipline}
    return {name: value for name, value in facts.items() if value}


def stem_of(written: Written[Any], head: TaskHead, material: Material) -> str:
    """The stem; for boxes with a sentence that says how they are written."""
    stem = " ".join(written.stem.split())
    if head.form != "box":
        return stem
    chinese = primary_language(material.annotation.language) == "zh"
    return f"{stem}{'' if chinese else ' '}{_BOXES['zh' if chinese else 'en']}"


def least_gap_s(head: TaskHead, settings: VideoSettings) -> float:
    """Seconds that moments offered as options are apart."""
    return settings.objects.least_gap_s if head.family == "object" else settings.events.least_gap_s


def noticed(objects: tuple[ObjectDescription, ...]) -> tuple[ObjectDescription, ...]:
    """The objects that are large enough to notice at some time."""
    return tuple(each for each in objects if each.track.first_s is not None)


def _stopped(head: TaskHead, stage: Stage) -> Declined | Failed:
    reason = f"{head.id} rests on the stage {stage.name}: {stage.reason or stage.outcome}"
    return Failed(reason=reason) if stage.outcome == "failed" else Declined(reason=reason)


def _event_obstacle(head: TaskHead, material: Material) -> str:
    events, settings = material.annotation.events, material.settings.events
    if head.id == PREDICTION and len(events) <= settings.least_before:
        return f"needs more than {settings.least_before} events; this video has {len(events)}"
    if head.form == "order" and len(events) < LEAST:
        return f"needs at least {LEAST} events to put in order; this video has {len(events)}"
    if head.form == "moment":
        return _no_room(material)
    return ""


def _no_room(material: Material) -> str:
    """Three wrong moments, apart from each other, must fit beside the shortest event."""
    gap = material.settings.events.least_gap_s
    duration = material.annotation.duration_s or 0.0
    shortest = min(event.end_s - event.start_s for event in material.annotation.events)
    free = duration - shortest
    return "" if free >= 4 * gap else f"the video is too short for four moments {gap:g} s apart"


def _object_obstacle(head: TaskHead, material: Material) -> str:
    found = noticed(material.annotation.objects)
    if not found:
        return "no object is ever large enough to notice"
    if head.form == "moment" and not any(_clear(each, material) for each in found):
        return "no object has a clear first appearance"
    if head.form == "order" and len(found) < LEAST:
        return f"needs at least {LEAST} objects that are large enough to notice; this video has {len(found)}"
    if head.form == "box" and not any(each.track.first and not each.track.first.others for each in found):
        return "no object is the only one of its kind where it is first noticed"
    return ""


def _culture_obstacle(head: TaskHead, material: Material) -> str:
    finding = material.finding(head)
    if finding is None:
        return f"the video does not deal with {head.needs.title()} culture"
    return "" if finding.articles else f"no article was found for {', '.join(finding.concepts) or 'any concept'}"


def _science_obstacle(head: TaskHead, material: Material) -> str:
    science = material.annotation.science
    if science is None or head.needs == "nothing" or science.kind in (head.needs, "both"):
        return ""
    wanted = {"course": "a video that teaches concepts or methods", "experiment": "an experiment or a phenomenon shown"}
    return f"needs {wanted.get(head.needs, head.needs)}; this video is classed as {science.kind}"


def _video_facts(material: Material) -> dict[str, str]:
    duration = material.annotation.duration_s
    return {
        "platform": material.source.platform,
        "domain": material.domain,
        "duration_s": f"{duration:.3f}" if duration is not None else "",
    }


def _event_facts(written: Written[Any], head: TaskHead, material: Material) -> dict[str, str]:
    events = material.annotation.events
    if isinstance(written, WrittenOrder):
        return _event_order(written, events)
    event = _numbered(written.event, events, "event")
    facts = {"event": event.event, **_span("event", event.start_s, event.end_s)}
    if head.form == "moment":
        facts |= _span("answer", event.start_s, event.end_s)
    if head.id == PREDICTION:
        facts |= _clip(written.event - 1, material)
    return facts


def _clip(index: int, material: Material) -> dict[str, str]:
    if index == 0:
        return {"events_before": "0"}
    cut = prediction_cut(material.annotation.video_id, material.annotation.events, index)
    return {"events_before": str(index), **_span("clip", cut.start_s, cut.end_s)}


def _event_order(written: WrittenOrder, events: tuple[EventAnnotation, ...]) -> dict[str, str]:
    named = [(_numbered(step.item, events, "steps"), step.text.strip()) for step in written.steps]
    named.sort(key=lambda pair: pair[0].start_s)
    return {
        **_ordered([text for _, text in named], [event.start_s for event, _ in named]),
        **_span("event", named[0][0].start_s, named[-1][0].end_s),
    }


def _ordered(phrases: list[str], times: list[float]) -> dict[str, str]:
    written = [f"{time:.3f}" for time in times]
    return {"order": json.dumps(phrases, ensure_ascii=False), "order_times": json.dumps(written)}


def _object_facts(written: Written[Any], head: TaskHead, material: Material) -> dict[str, str]:
    objects = material.annotation.objects
    if isinstance(written, WrittenOrder):
        steps = [(_first(_numbered(step.item, objects, "steps")), step.text.strip()) for step in written.steps]
        steps.sort(key=lambda pair: pair[0].time_s)
        times = [sighting.time_s for sighting, _ in steps]
        return {**_ordered([text for _, text in steps], times), **_span("event", times[0], times[-1])}
    number = written.object if isinstance(written, WrittenObject) else 0
    each = _numbered(number, objects, "object")
    first = _first(each)
    if head.form == "moment" and not _clear(each, material):
        message = f"{each.track.name} is in view, small, long before it can be noticed; ask about another object."
        raise NoSuchNumber(message, "object")
    facts = {"object": each.track.name, **_span("event", first.time_s, first.time_s)}
    facts |= _span("answer", max(0.0, first.time_s - each.track.every_s), first.time_s)
    return {**facts, "box": box_text(first.box), "other_boxes": ";".join(box_text(box) for box in first.others)}


def _clear(each: ObjectDescription, material: Material) -> bool:
    """Whether an object is noticed about when it comes into view, so that its first appearance is clear."""
    track = each.track
    return track.first_s is not None and track.first_s - track.seen_s < material.settings.objects.least_gap_s


def _first(each: ObjectDescription) -> Sighting:
    first = each.track.first
    if first is None:
        raise NoSuchNumber(f"{each.track.name} is never large enough to notice; ask about another object.", "object")
    return first


def _span(name: str, start_s: float, end_s: float) -> Mapping[str, str]:
    return {f"{name}_start_s": f"{start_s:.3f}", f"{name}_end_s": f"{end_s:.3f}"}


def _numbered(number: int, things: tuple[Any, ...], where: str) -> Any:
    if not 1 <= number <= len(things):
        raise NoSuchNumber(f"There is no number {number}; the list runs from 1 to {len(things)}.", where)
    return things[number - 1]
