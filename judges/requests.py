"""From a planned call to the request that is sent, and from what came back to a verdict. Pure.

`shared-prefix` puts the evidence first, the same for all questions of a group, so that a server prefills it once.
`paper` keeps the order and the reply fields of VNU-Bench E.1–E.3: question, options, transcripts, frames.
"""

from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from judges.blind import ARTICLE, ARTICLE_FIELD
from judges.checks import check_named
from judges.orders import shown_letter
from judges.schedule import PlannedCall
from prompts import render
from records.answers import read_confidence
from records.base import digest
from records.calls import (
    CallFailure,
    ImagePart,
    Part,
    QuestionPart,
    QuotedPart,
    Reply,
    Request,
    SpecPart,
    TextPart,
    TranscriptPart,
)
from records.config import ModelSpec, Panel, View
from records.media import Evidence, Frame, SourceEvidence, Tag
from records.questions import Letter, Question
from records.replies import Confidence, ReplyModel
from records.verdicts import CallOutcome, ChoiceVerdict, JudgeFailure, SeverityVerdict, Verdict

Layout = Literal["shared-prefix", "paper"]


def build_request(call: PlannedCall, question: Question, evidence: Evidence, panel: Panel, *, seed: int) -> Request:
    """The request of one planned call.

    What the judge sees follows `panel.views.judge`; a model without images gets no frames. Only the ambiguity check
    shows which option is the key. `seed` is told to models that read no prompt; it shapes nothing else.
    """
    model = panel.model(call.model)
    shown = _shown_sources(call, evidence)
    asked = question_part(question, call)
    spec = SpecPart(values=_facts(call, question, seed))
    if panel.layout == "paper":
        system, parts, prefix = _paper(call, question, asked, shown, model, panel.views.judge)
    else:
        system, parts, prefix = _shared_prefix(call, question, asked, shown, model, panel.views.judge)
    return Request(
        task=check_named(call.check).task,
        model=model,
        system=system,
        parts=(*parts, spec),
        prefix_parts=prefix,
        reply_model=reply_model(call, tuple(asked.options), panel.layout),
        reader="answers",
        group_id=question.group_id,
        item_id=question.question_id,
        seat=call.seat,
        unit=call.unit,
    )


def read_verdict(call: PlannedCall, outcome: Reply | CallFailure, request: Request) -> Verdict:
    """What came back as a verdict, in the letters of the Question; a reply without a usable one is a failure."""
    if isinstance(outcome, CallFailure):
        return _failure(call, outcome.outcome, outcome.message, outcome.request_id)
    said = outcome.value.model_dump()
    return _severity(call, said, outcome) if call.check == "ambiguity" else _choice(call, said, outcome, request)


# --- what is asked ---------------------------------------------------------------------------------------------------


def question_part(question: Question, call: PlannedCall) -> QuestionPart:
    """The question with its options in the order of the call, under the Question's letters from first to last."""
    labels = tuple(question.options)
    texts = (question.options[letter].text for letter in call.shown_order)
    pair: dict[str, Letter] = {}
    if call.check == "ambiguity":
        pair = {
            "gold": shown_letter(question.key, question, call.shown_order),
            "alternative": shown_letter(call.unit, question, call.shown_order),
        }
    return QuestionPart(stem=question.stem, options=dict(zip(labels, texts, strict=True)), **pair)


def evidence_parts(sources: tuple[SourceEvidence, ...], model: ModelSpec, view: View) -> tuple[Part, ...]:
    """Source by source in tag order, its transcript and then its frames: a group's first source is a prefix of all."""
    parts: list[Part] = []
    for source in sources:
        parts += [*transcript_parts(source, view), *frame_parts(source, model, view)]
    return tuple(parts)


def transcript_parts(source: SourceEvidence, view: View) -> tuple[TranscriptPart, ...]:
    """A source's words as the view wants them; none where it hides transcripts."""
    if view.transcript == "none":
        return ()
    language = source.transcript.language
    if view.transcript == "summary" and source.summary:
        return (TranscriptPart(tag=source.tag, text=source.summary, form="summary", language=language),)
    transcript = source.transcript
    return (TranscriptPart(tag=source.tag, text=transcript.text, sentences=transcript.sentences, language=language),)


def frame_parts(source: SourceEvidence, model: ModelSpec, view: View) -> tuple[ImagePart, ...]:
    """A source's best-ranked frames in order of time, as many as the view wants; none for a text-only model."""
    if not model.images:
        return ()
    best = sorted(source.frames, key=lambda frame: frame.rank)[: view.frames]
    return tuple(_image(source.tag, frame) for frame in sorted(best, key=lambda frame: frame.number))


def _image(tag: Tag, frame: Frame) -> ImagePart:
    return ImagePart(
        tag=tag,
        number=frame.number,
        sha256=frame.sha256,
        width=frame.width,
        height=frame.height,
        time_s=frame.time_s,
        caption=frame.caption,
    )


def _shown_sources(call: PlannedCall, evidence: Evidence) -> tuple[SourceEvidence, ...]:
    if call.check == "blind":
        return ()
    return (evidence.source(call.unit),) if call.check == "solvability" else evidence.sources


def _facts(call: PlannedCall, question: Question, seed: int) -> dict[str, Any]:
    return {"check": call.check, "language": question.language, "type_id": question.type_id, "seed": seed}


def _article_parts(call: PlannedCall, question: Question) -> tuple[Part, ...]:
    if not call.unit.startswith(f"{ARTICLE}-"):
        return ()
    return (QuotedPart(name="article", text=question.extra.get(ARTICLE_FIELD, "")),)


# --- the two layouts -------------------------------------------------------------------------------------------------

Prompt = tuple[str, tuple[Part, ...], int]
"""System text, parts, and how many leading parts the prompts of a group share."""


def _shared_prefix(
    call: PlannedCall,
    question: Question,
    asked: QuestionPart,
    shown: tuple[SourceEvidence, ...],
    model: ModelSpec,
    view: View,
) -> Prompt:
    evidence = evidence_parts(shown, model, view)
    article = _article_parts(call, question)
    instructions = TextPart(text=_instructions(call, tuple(asked.options)))
    return render("judges/system"), (*evidence, *article, instructions, asked), len(evidence)


def _instructions(call: PlannedCall, letters: tuple[Letter, ...]) -> str:
    if call.check == "solvability":
        return render("judges/solvability", tag=call.unit, letters=either(letters))
    if call.check == "ambiguity":
        return render("judges/ambiguity")
    if call.check == "difficulty":
        return render("judges/difficulty", letters=either(letters))
    name = "judges/blind-article" if call.unit.startswith(f"{ARTICLE}-") else "judges/blind"
    return render(name, letters=either(letters), count=len(letters))


def _paper(
    call: PlannedCall,
    question: Question,
    asked: QuestionPart,
    shown: tuple[SourceEvidence, ...],
    model: ModelSpec,
    view: View,
) -> Prompt:
    transcripts = tuple(part for source in shown for part in transcript_parts(source, view))
    frames = tuple(part for source in shown for part in frame_parts(source, model, view))
    parts: list[Part] = [asked, *_article_parts(call, question)]
    parts += [TextPart(text="Transcripts:"), *transcripts] if transcripts else []
    parts += [TextPart(text="Videos:"), *frames] if frames else []
    return _paper_system(call, tuple(asked.options)), tuple(parts), 0


def _paper_system(call: PlannedCall, letters: tuple[Letter, ...]) -> str:
    if call.check == "ambiguity":
        return render("judges/paper-ambiguity")
    if call.check == "blind":
        article = call.unit.startswith(f"{ARTICLE}-")
        return render("judges/paper-blind", letters=either(letters), article=article)
    return render("judges/paper-solver", letters=either(letters))


def either(letters: tuple[Letter, ...]) -> str:
    """``A, B, C or D``."""
    return f"{', '.join(letters[:-1])} or {letters[-1]}" if len(letters) > 1 else letters[0]


# --- replies ---------------------------------------------------------------------------------------------------------


class SeverityFirst(ReplyModel):
    """The ambiguity reply of the paper: the severity alone (E.3)."""

    severity: Confidence


class ReasonThenSeverity(ReplyModel):
    """The ambiguity reply of the shared layout."""

    rationale: str = Field(description="What supports and what rules out the alternative.")
    severity: Confidence = Field(description="0.0 plainly wrong, 1.0 as right as the key.")


def reply_model(call: PlannedCall, letters: tuple[Letter, ...], layout: Layout) -> type[BaseModel]:
    """The reply that a call asks for; a choice is limited to the question's letters."""
    if call.check == "ambiguity":
        return SeverityFirst if layout == "paper" else ReasonThenSeverity
    return _choice_reply(letters, layout)


@lru_cache(maxsize=64)
def _choice_reply(letters: tuple[Letter, ...], layout: Layout) -> type[BaseModel]:
    rationale: Any = (str, Field(description="The reason, in a few sentences."))
    answer: Any = (Literal[letters], Field(description="The letter of the chosen option."))
    sure: Any = (float | None, Field(description="Probability, 0.0 to 1.0, that the letter is the key."))
    if layout == "paper":
        return create_model("PaperChoice", __base__=ReplyModel, answer=answer, confidence=sure, rationale=rationale)
    return create_model("ReasonedChoice", __base__=ReplyModel, rationale=rationale, answer=answer, confidence=sure)


def _choice(call: PlannedCall, said: dict[str, Any], reply: Reply, request: Request) -> Verdict:
    labels = next(tuple(part.options) for part in request.parts if isinstance(part, QuestionPart))
    if said.get("answer") not in labels:
        return _failure(call, "unparsed", f"the answer is none of {', '.join(labels)}", reply.request_id)
    confidence, _ = read_confidence(said.get("confidence"))
    return ChoiceVerdict(
        check=call.check,
        seat=call.seat,
        model=call.model,
        unit=call.unit,
        answer=call.shown_order[labels.index(said["answer"])],
        confidence=confidence,
        rationale=said.get("rationale") or "",
        shown_order=call.shown_order,
        request_id=reply.request_id,
        replaces=call.replaces,
    )


def _severity(call: PlannedCall, said: dict[str, Any], reply: Reply) -> Verdict:
    severity = said.get("severity")
    if isinstance(severity, bool) or not isinstance(severity, (int, float)) or not 0 <= severity <= 1:
        return _failure(call, "unparsed", "the severity is no number from 0.0 to 1.0", reply.request_id)
    return SeverityVerdict(
        seat=call.seat,
        model=call.model,
        unit=call.unit,
        severity=float(severity),
        rationale=said.get("rationale") or "",
        request_id=reply.request_id,
        replaces=call.replaces,
    )


def _failure(call: PlannedCall, outcome: CallOutcome, message: str, request_id: str) -> JudgeFailure:
    return JudgeFailure(
        check=call.check,
        seat=call.seat,
        model=call.model,
        unit=call.unit,
        outcome=outcome,
        message=message,
        request_id=request_id,
        replaces=call.replaces,
    )


def prompts_digest(layout: Layout) -> str:
    """One hash over the judge prompts of a layout, for the run's provenance."""
    from prompts import sha256

    shared = ("system", "solvability", "ambiguity", "difficulty", "blind", "blind-article")
    names = ("paper-solver", "paper-ambiguity", "paper-blind") if layout == "paper" else shared
    return digest([sha256(f"judges/{name}") for name in names])
