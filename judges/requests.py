"""From a planned call to the request that is sent, and from what came back to a verdict. Pure.

`shared-prefix` puts the evidence first, the same for all questions of a group, so that a server prefills it once.
`paper` keeps the order and the reply fields of VNU-Bench E.1–E.3: question, options, transcripts, frames.
"""

from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from judges.base import PanelCheck
from judges.checks import check_named
from judges.orders import shown_letter
from judges.schedule import PlannedCall
from prompts import render, sha256
from prompts.rendering import FOLDER
from records.answers import read_confidence
from records.base import Record, digest
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
from rules.permutation import relabelled

Layout = Literal["shared-prefix", "paper"]


def build_request(call: PlannedCall, question: Question, evidence: Evidence, panel: Panel, *, seed: int) -> Request:
    """The request of one planned call.

    What the judge sees follows `panel.views.judge`; a model without images gets no frames. Only the ambiguity check
    shows which option is the key. `seed` is told to models that read no prompt; it shapes nothing else.
    """
    check = check_named(call.check)
    asked = question_part(question, call)
    shown = _Shown(
        sources=check.sources(call.unit, evidence),
        quoted=check.quoted(call.unit, question),
        question=asked,
        model=panel.model(call.model),
        view=panel.views.judge,
    )
    prompt = _paper if panel.layout == "paper" else _shared_prefix
    system, parts, prefix = prompt(check, call.unit, shown)
    return Request(
        task=check.task,
        model=shown.model,
        system=system,
        parts=(*parts, SpecPart(values=_facts(call, question, seed))),
        prefix_parts=prefix,
        reply_model=reply_model(check, tuple(asked.options), panel.layout),
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
    if check_named(call.check).asks == "severity":
        return _severity(call, said, outcome, request)
    return _choice(call, said, outcome, request)


# --- what is asked ---------------------------------------------------------------------------------------------------


def question_part(question: Question, call: PlannedCall) -> QuestionPart:
    """The question with its options in the order of the call, under the Question's letters from first to last."""
    labels = tuple(question.options)
    texts = (question.options[letter].text for letter in call.shown_order)
    pair: dict[str, Letter] = {}
    if check_named(call.check).shows_key:
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


def _facts(call: PlannedCall, question: Question, seed: int) -> dict[str, Any]:
    return {"check": call.check, "language": question.language, "type_id": question.type_id, "seed": seed}


# --- the two layouts -------------------------------------------------------------------------------------------------


class _Shown(Record):
    """What a call puts before a model."""

    sources: tuple[SourceEvidence, ...]
    quoted: tuple[QuotedPart, ...]
    question: QuestionPart
    model: ModelSpec
    view: View

    @property
    def letters(self) -> tuple[Letter, ...]:
        return tuple(self.question.options)


Prompt = tuple[str, tuple[Part, ...], int]
"""System text, parts, and how many leading parts the prompts of a group share."""


def _shared_prefix(check: PanelCheck, unit: str, shown: _Shown) -> Prompt:
    evidence = evidence_parts(shown.sources, shown.model, shown.view)
    instructions = TextPart(text=check.instructions(unit, shown.letters))
    return render("judges/system"), (*evidence, *shown.quoted, instructions, shown.question), len(evidence)


def _paper(check: PanelCheck, unit: str, shown: _Shown) -> Prompt:
    transcripts = [part for source in shown.sources for part in transcript_parts(source, shown.view)]
    frames = [part for source in shown.sources for part in frame_parts(source, shown.model, shown.view)]
    parts: list[Part] = [shown.question, *shown.quoted]
    parts += [TextPart(text="Transcripts:"), *transcripts] if transcripts else []
    parts += [TextPart(text="Videos:"), *frames] if frames else []
    return check.paper_system(unit, shown.letters), tuple(parts), 0


# --- replies ---------------------------------------------------------------------------------------------------------


class SeverityFirst(ReplyModel):
    """The ambiguity reply of the paper: the severity alone (E.3)."""

    severity: Confidence


class ReasonThenSeverity(ReplyModel):
    """The ambiguity reply of the shared layout."""

    rationale: str = Field(description="What supports and what rules out the alternative.")
    severity: Confidence = Field(description="0.0 plainly wrong, 1.0 as right as the key.")


def reply_model(check: PanelCheck, letters: tuple[Letter, ...], layout: Layout) -> type[BaseModel]:
    """The reply that a check asks for; a choice is limited to the question's letters."""
    if check.asks == "severity":
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
    labels = _labels(request)
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
        rationale=_in_own_letters(said.get("rationale"), labels, call),
        shown_order=call.shown_order,
        request_id=reply.request_id,
        replaces=call.replaces,
    )


def _labels(request: Request) -> tuple[Letter, ...]:
    return next(tuple(part.options) for part in request.parts if isinstance(part, QuestionPart))


def _in_own_letters(rationale: str | None, labels: tuple[Letter, ...], call: PlannedCall) -> str:
    """A judge's reasons with the options named by the Question's letters instead of those that the judge saw."""
    return relabelled(rationale or "", dict(zip(labels, call.shown_order, strict=True)))


def _severity(call: PlannedCall, said: dict[str, Any], reply: Reply, request: Request) -> Verdict:
    severity = said.get("severity")
    labels = _labels(request)
    if isinstance(severity, bool) or not isinstance(severity, (int, float)) or not 0 <= severity <= 1:
        return _failure(call, "unparsed", "the severity is no number from 0.0 to 1.0", reply.request_id)
    return SeverityVerdict(
        seat=call.seat,
        model=call.model,
        unit=call.unit,
        severity=float(severity),
        rationale=_in_own_letters(said.get("rationale"), labels, call),
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


def prompts_digest() -> str:
    """One hash over all prompt files of the judges, for the run's provenance."""
    files = sorted((FOLDER / "judges").glob("*.md"))
    return digest([[path.name, sha256(f"judges/{path.stem}")] for path in files])
