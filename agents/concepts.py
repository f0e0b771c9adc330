"""The concepts of a culture that a video shows, as titles to look up (VideoVista-CulturalLingo 3.2, Culture).

concepts_request → (gateway) → read_concepts → at most two titles, the most prominent first.
"""

from agents.classifiers import video_parts
from agents.showing import language_name
from prompts import render
from records.annotation import CultureFinding, VideoAnnotation
from records.calls import QuotedPart, Reply, Request, SpecPart, TextPart
from records.config import ModelSpec
from records.media import Transcript
from records.video_replies import ConceptsReply


def concepts_request(
    finding: CultureFinding, annotation: VideoAnnotation, transcript: Transcript, model: ModelSpec, count: int
) -> Request:
    """A request for the concepts of one culture."""
    shown = video_parts(annotation, model, transcript)
    reason = (QuotedPart(name="reason", text=finding.reason),) if finding.reason else ()
    task = render(
        "video/concepts",
        culture=finding.culture.title(),
        reason=bool(reason),
        count=count,
        language=language_name(annotation.language),
    )
    return Request(
        task="extract-concepts",
        model=model,
        system=render("video/classify-system"),
        parts=(*shown, *reason, TextPart(text=task), SpecPart(values={"culture": finding.culture, "count": count})),
        prefix_parts=len(shown),
        reply_model=ConceptsReply,
        group_id=annotation.video_id,
        unit=finding.culture,
    )


def read_concepts(reply: Reply, count: int) -> tuple[str, ...]:
    """The concepts, each once, at most `count`."""
    value = reply.value
    if not isinstance(value, ConceptsReply):
        raise TypeError(f"concepts are read from a ConceptsReply, not from a {type(value).__name__}")
    titles = (" ".join(concept.concept.split()) for concept in value.concepts)
    return tuple(dict.fromkeys(title for title in titles if title))[:count]
