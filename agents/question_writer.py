"""The question writer of the video track: from the notes on a video to a request, and from its reply to a Question.

write_request → (gateway) → read_written → Question | Declined | Unreadable. Facts that tables and rules need (spans,
times, boxes, orders, the article) go into `Question.extra` by code, from the numbers that the model names. Pure.
Method: VideoVista-CulturalLingo 3.2, D.2 and E.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from agents.drafter import Declined, Unreadable
from agents.listing import events_part, objects_part
from agents.question_facts import Material, NoSuchNumber, facts_of, least_gap_s, stem_of
from agents.showing import language_name
from prompts import render, sha256
from prompts.taskheads import TaskHead, taxonomy
from records.base import digest
from records.calls import Part, QuotedPart, Reply, Request, SpecPart, TextPart
from records.config import ModelSpec, Panel, Track
from records.media import tag_of
from records.questions import Option, Provenance, Question, RuleReport, Violation, question_id
from records.video import Box
from records.video_replies import (
    AnyOption,
    BoxDraftReply,
    BoxOption,
    MomentDraftReply,
    MomentOption,
    ObjectMomentDraftReply,
    OrderDraftReply,
    OrderOption,
    RoleOption,
    RolesDraftReply,
    TextDraftReply,
    TextOption,
    VideoDraftReply,
    Written,
    WrittenOrder,
)
from rules import RuleContext, sentences
from rules.clock import clock
from rules.facts import box_text
from rules.orders import order_text
from rules.permutation import arranged
from rules.wording_video import asked_about

VIDEO = tag_of(0)
_FILES = ("video/writer-system", "video/writer-task", "video/writer-reply", "video/writer-redraft")


def reply_model(head: TaskHead) -> type[BaseModel]:
    """The reply that a type asks for, by the form of its options."""
    if head.form == "moment":
        return ObjectMomentDraftReply if head.family == "object" else MomentDraftReply
    forms: dict[str, type[BaseModel]] = {
        "text": TextDraftReply,
        "roles": RolesDraftReply,
        "order": OrderDraftReply,
        "box": BoxDraftReply,
    }
    return forms[head.form]


def rule_context(head: TaskHead, material: Material, track: Track, *, accepted: Sequence[Question] = ()) -> RuleContext:
    """What the rules must know about a draft of this type."""
    settings = material.settings
    return RuleContext(
        min_sources=1,
        evidence_characters=track.evidence_characters,
        evidence_sentences=track.evidence_sentences,
        accepted_stems=tuple(asked_about(question) for question in accepted if question.type_id == head.id),
        family=head.family,
        type_id=head.id,
        form=head.form,
        time_gap_s=least_gap_s(head, settings),
        order_gap_s=settings.objects.least_gap_s if head.family == "object" else 0.0,
        most_iou=settings.objects.most_iou,
        key_iou=settings.object_stages.key_iou,
        least_before=settings.events.least_before,
    )


def write_request(
    head: TaskHead,
    material: Material,
    model: ModelSpec,
    panel: Panel,
    track: Track,
    heads: Mapping[str, TaskHead],
    *,
    n: int,
    accepted: Sequence[Question] = (),
    seed: int = 0,
) -> Request:
    """The request for the n-th question (from 1) of a type.

    The system text and the log of events are the same for all types of a video (`prefix_parts`).
    """
    context = rule_context(head, material, track, accepted=accepted)
    events = events_part("events", material.annotation.events)
    extra = _extra_parts(head, material, n)
    return Request(
        task="draft",
        model=model,
        system=render("video/writer-system", taxonomy=taxonomy(heads)),
        parts=(events, *extra, *_task_parts(head, material, context), _spec(head, material, context, n, seed)),
        prefix_parts=1,
        reply_model=reply_model(head),
        repair="instructor",
        temperature=panel.draft_temperature,
        sample=n - 1,
        group_id=material.annotation.video_id,
        unit=f"{head.id}/{n}",
    )


def rewrite_request(first: Request, raw: str, report: RuleReport, attempt: int) -> Request:
    """The first request once more, with the draft that broke rules and what it broke; the prefix stays as it was."""
    lines = [f"- {violation.where}: {violation.message}" for violation in report.violations]
    parts: list[Part] = []
    for part in first.parts:
        if isinstance(part, SpecPart):
            broken = [violation.rule_id for violation in report.violations]
            parts.append(SpecPart(values={**part.values, "attempt": attempt, "violations": broken}))
        else:
            parts.append(part)
    again = (
        QuotedPart(name="previous-draft", text=raw),
        QuotedPart(name="violations", text="\n".join(lines)),
        TextPart(text=render("video/writer-redraft", count=len(lines))),
    )
    return first.model_copy(update={"parts": (*parts, *again)})


def read_written(
    reply: Reply,
    head: TaskHead,
    material: Material,
    model: ModelSpec,
    track: Track,
    *,
    n: int,
    seed: int = 0,
    attempt: int = 1,
) -> Question | Declined | Unreadable:
    """The reply as a Question with its facts, in the one order of options that its id and the seed give."""
    value = reply.value
    if not isinstance(value, VideoDraftReply):
        raise TypeError(f"a question is read from a VideoDraftReply, not from a {type(value).__name__}")
    written = value.question
    if not isinstance(written, Written):
        said = value.declined.strip()
        return Declined(reason=said) if said else unreadable("Give a question, or a reason to decline it.", "options")
    try:
        extra = facts_of(written, head, material, n)
        options = {letter: _option(option, written) for letter, option in sorted(written.options.items())}
    except NoSuchNumber as error:
        return unreadable(str(error), error.where)
    stem = stem_of(written, head, material)
    annotation = material.annotation
    texts = tuple(option.text for option in options.values())
    key = written.correct_answer
    question = Question(
        question_id=question_id(annotation.video_id, head.id, stem, texts, options[key].text if key in options else ""),
        group_id=annotation.video_id,
        track=track.name,
        type_id=head.id,
        language=annotation.language,
        stem=stem,
        options=options,
        key=key,
        evidence=written.evidence.strip(),
        support_map={key: (VIDEO,)},
        sources={VIDEO: annotation.video_id},
        provenance=Provenance(
            drafter=model.model,
            family=model.family,
            prompt_sha256=prompt_sha256(head),
            attempt=attempt,
            request_id=reply.request_id,
        ),
        extra=extra,
    )
    return arranged(question, seed)


def unreadable(message: str, where: str) -> Unreadable:
    """A reply that cannot become a question, with what goes back to the writer."""
    violation = Violation(rule_id="no-question", where=where, message=message)
    return Unreadable(report=RuleReport(violations=(violation,)))


def prompt_sha256(head: TaskHead) -> str:
    """One hash over everything that words a draft's prompt: the head, the prompt files, the rules' sentences."""
    context = RuleContext(family=head.family, type_id=head.id, form=head.form)
    worded = [list(sentences(language, context)) for language in ("en", "zh")]
    return digest([head.sha256, *(sha256(name) for name in _FILES), *worded])


def _option(option: AnyOption, written: Written[Any]) -> Option:
    """An option as it is kept: what is no text is written out by code. Raises NoSuchNumber."""
    if isinstance(option, RoleOption):
        return Option(text=option.text.strip(), role=option.role)
    if isinstance(option, TextOption):
        return Option(text=option.text.strip())
    if isinstance(option, MomentOption):
        return Option(text=clock(option.time_s))
    if isinstance(option, BoxOption):
        return Option(text=_box(option.box))
    return Option(text=_order(option, written))


def _box(values: list[float]) -> str:
    """A box in normal form; one without area stays as the model gave it, for the rules to refuse."""
    x0, y0, x1, y1 = values
    if x0 < x1 and y0 < y1:
        return box_text(Box(x0=x0, y0=y0, x1=x1, y1=y1))
    return f"[{', '.join(f'{value:.2f}' for value in values)}]"


def _order(option: OrderOption, written: Written[Any]) -> str:
    steps = written.steps if isinstance(written, WrittenOrder) else []
    if any(not 1 <= place <= len(steps) for place in option.order):
        raise NoSuchNumber(f"An order names steps by their position in your list, 1 to {len(steps)}.", "options")
    return order_text(tuple(steps[place - 1].text.strip() for place in option.order))


def _extra_parts(head: TaskHead, material: Material, n: int) -> tuple[Part, ...]:
    if head.family == "object":
        return (objects_part(material.annotation.objects),)
    article = material.article(head, n)
    if article is None:
        return ()
    return (QuotedPart(name="article", text=material.article_text(article), attributes={"title": article.title}),)


def _task_parts(head: TaskHead, material: Material, context: RuleContext) -> tuple[Part, ...]:
    language = material.annotation.language
    task = render(
        "video/writer-task",
        type_id=head.id,
        name=head.name,
        family=head.family,
        body=head.body,
        option_shape=head.option_shape,
        decline_when=head.decline_when,
        rules=sentences(language, context),
    )
    reply = render(
        "video/writer-reply",
        accepted=bool(context.accepted_stems),
        language=language_name(language),
        form=head.form,
        type_id=head.id,
        needs_object=head.family == "object" and head.form in ("moment", "box"),
        things="objects" if head.family == "object" else "events",
        evidence_characters=context.evidence_characters,
    )
    stems = "\n".join(f"- {stem}" for stem in context.accepted_stems)
    accepted = (QuotedPart(name="accepted-stems", text=stems),) if stems else ()
    return (TextPart(text=task), *accepted, TextPart(text=reply))


def _spec(head: TaskHead, material: Material, context: RuleContext, n: int, seed: int) -> SpecPart:
    """What the embedded writer reads in place of the prompt."""
    annotation = material.annotation
    values: dict[str, Any] = {
        "type_id": head.id,
        "family": head.family,
        "form": head.form,
        "language": annotation.language,
        "n": n,
        "seed": seed,
        "duration_s": annotation.duration_s,
        "time_gap_s": context.time_gap_s,
        "events": [event.model_dump() for event in annotation.events],
        "sentences": [sentence.model_dump() for sentence in material.source.transcript.sentences],
        "evidence_characters": context.evidence_characters,
        "accepted_stems": list(context.accepted_stems),
        "attempt": 1,
        "violations": [],
    }
    return SpecPart(values=values)
