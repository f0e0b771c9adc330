"""The solver: a candidate model is asked one question, or several on the same videos; its reply becomes predictions.

    solve_request(items, seen, candidate) → (gateway) → read_predictions(outcome, items, …)

Method: VNU-Bench 3.2 and E.1, VideoVista-CulturalLingo 4 and B. The options are shown in the benchmark's order, turned
by `rotation` places in circular evaluation; answers come back in the item's own letters. Does not score.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, WithJsonSchema, create_model

from agents.showing import image_part
from prompts import render
from records.answers import AnswerReading, read_answers
from records.base import Record
from records.benchmark import BenchmarkItem, Prediction
from records.calls import (
    CallFailure,
    Part,
    QuestionPart,
    Reply,
    Request,
    SpecPart,
    TextPart,
    TranscriptPart,
    VideoPart,
)
from records.candidates import Candidate
from records.media import Frame, Tag
from records.questions import Letter
from records.replies import ReplyModel
from records.text import language_of

RAW_KEPT = 2000
"""Characters of a reply that a prediction keeps; the trace has all of it."""


class SeenSource(Record):
    """What a candidate sees of one video."""

    tag: Tag
    words: TranscriptPart | None = None
    frames: tuple[Frame, ...] = ()
    """In order of time; a strip is one frame."""
    is_strip: bool = False
    video: VideoPart | None = None


class Round(Record):
    """Which asking of its questions a request is."""

    setting: str = ""
    """The point of a sweep."""
    rotation: int = Field(default=0, ge=0)
    """By how many places the options are turned."""
    sample: int = Field(default=0, ge=0)
    """Index among repeats."""


# --- what is asked ---------------------------------------------------------------------------------------------------


def solve_request(
    items: Sequence[BenchmarkItem],
    seen: Sequence[SeenSource],
    candidate: Candidate,
    turn: Round | None = None,
    *,
    unit: str = "",
) -> Request:
    """The request that asks a candidate these questions, all on the same videos.

    Several questions are asked as q1, q2, … and answered in one object. Raises ValueError without a question, and for
    several in letter mode.
    """
    turn = turn or Round()
    if not items or (len(items) > 1 and candidate.asking.reply == "letter"):
        raise ValueError("one question is asked at a time where the reply is a bare letter, and at least one always")
    material = material_parts(seen)
    several, many = len(seen) > 1, len(items) > 1
    questions = tuple(_question(item, turn.rotation, f"q{n}" if many else "") for n, item in enumerate(items, start=1))
    spec = SpecPart(values={"language": items[0].language or language_of(items[0].stem), "type_id": items[0].type_id})
    letters = either(tuple(questions[0].options))
    if candidate.asking.layout == "paper" and material and not many and candidate.asking.reply == "json":
        system = render("solver/paper", several=several, letters=letters)
        parts: tuple[Part, ...] = (questions[0], *material, spec)
        prefix = 0
    else:
        system = render("solver/system", several=several, shown=bool(material))
        task = TextPart(text=_task(candidate, len(items), letters, shown=bool(material)))
        parts = (*material, task, *questions, spec)
        prefix = len(material)
    return Request(
        task="evaluate",
        model=candidate.spec,
        system=system,
        parts=parts,
        prefix_parts=prefix,
        reply_model=_reply_model(questions, candidate),
        repair="schema" if candidate.asking.mend and candidate.asking.reply == "json" else "none",
        reader="answers",
        plain=candidate.asking.reply == "letter",
        sample=turn.sample,
        temperature=candidate.spec.temperature or 0.0,
        group_id=unit,
        item_id=items[0].item_id if not many else "",
        seat=candidate.name,
        unit="/".join(filter(None, (turn.setting, f"rotation-{turn.rotation}" if turn.rotation else ""))),
    )


def material_parts(seen: Sequence[SeenSource]) -> tuple[Part, ...]:
    """Source by source in tag order: its words, then its pictures or the video itself."""
    parts: list[Part] = []
    if any(source.is_strip for source in seen):
        parts.append(TextPart(text=render("solver/strip")))
    for source in seen:
        if source.words is not None:
            parts.append(source.words)
        parts += [image_part(source.tag, frame) for frame in source.frames]
        if source.video is not None:
            parts.append(source.video)
    return tuple(parts)


def turned(letters: Sequence[Letter], rotation: int) -> tuple[Letter, ...]:
    """The item's letters in the order in which a rotation shows them: A, B, C, D turned by one is B, C, D, A."""
    places = len(letters)
    return tuple(letters[(place + rotation) % places] for place in range(places))


def _question(item: BenchmarkItem, rotation: int, name: str) -> QuestionPart:
    letters = tuple(item.options)
    texts = (item.options[letter] for letter in turned(letters, rotation))
    return QuestionPart(name=name, stem=item.stem, options=dict(zip(letters, texts, strict=True)))


def _task(candidate: Candidate, questions: int, letters: str, *, shown: bool) -> str:
    if questions > 1:
        return render("solver/batch", count=questions, shown=shown)
    return render(f"solver/{candidate.asking.reply}", letters=letters, shown=shown)


def either(letters: Sequence[Letter]) -> str:
    """``A, B, C or D``."""
    return f"{', '.join(letters[:-1])} or {letters[-1]}" if len(letters) > 1 else "".join(letters)


# --- replies ---------------------------------------------------------------------------------------------------------


def _reply_model(questions: Sequence[QuestionPart], candidate: Candidate) -> type[BaseModel]:
    if questions[0].name:
        return _answers_model(tuple((part.name, tuple(part.options)) for part in questions))
    return _answer_model(tuple(questions[0].options), candidate.asking.layout)


@lru_cache(maxsize=64)
def _answer_model(letters: tuple[Letter, ...], layout: str) -> type[BaseModel]:
    rationale: Any = (str, Field(default="", description="What decides it, in at most two sentences."))
    answer: Any = (Literal[letters], Field(description="The letter of the chosen option."))
    sure: Any = (float | None, Field(default=None, description="Probability, 0.0 to 1.0, that the letter is right."))
    if layout == "paper":
        return create_model("PaperAnswer", __base__=ReplyModel, answer=answer, confidence=sure, rationale=rationale)
    return create_model("Answer", __base__=ReplyModel, rationale=rationale, answer=answer, confidence=sure)


@lru_cache(maxsize=512)
def _answers_model(questions: tuple[tuple[str, tuple[Letter, ...]], ...]) -> type[BaseModel]:
    """Question id → letter. A letter that cannot be read is None, so that one lost answer costs no other."""
    fields: dict[str, Any] = {name: (_letter_type(letters), None) for name, letters in questions}
    return create_model("Answers", __base__=ReplyModel, **fields)


def _letter_type(letters: tuple[Letter, ...]) -> Any:
    schema = {"type": "string", "enum": list(letters)}
    return Annotated[Literal[letters] | None, WithJsonSchema(schema)]


def read_predictions(
    outcome: Reply | CallFailure, items: Sequence[BenchmarkItem], candidate: Candidate, turn: Round | None = None
) -> tuple[Prediction, ...]:
    """One prediction an item. A failed call has no answer; a reply without a readable letter is `unparsed`."""
    turn = turn or Round()
    if isinstance(outcome, CallFailure):
        return tuple(_failed(item, outcome, candidate, turn, outcome.message, len(items)) for item in items)
    if len(items) == 1:
        said = outcome.value.model_dump()
        return (_answered(items[0], outcome, candidate, turn, said),)
    names = {f"q{n}": tuple(item.options) for n, item in enumerate(items, start=1)}
    readings = read_answers(outcome.raw, names)
    found = []
    for item, reading in zip(items, readings.values(), strict=True):
        said = {"answer": reading.answer} if isinstance(reading, AnswerReading) else {"why": reading.message}
        found.append(_answered(item, outcome, candidate, turn, said, share=len(items)))
    return tuple(found)


def unasked(items: Sequence[BenchmarkItem], candidate: Candidate, turn: Round, message: str) -> tuple[Prediction, ...]:
    """Predictions for items whose videos could not be shown: unavailable, so that the score is incomplete."""
    return tuple(Prediction(**_common(item, candidate, turn), outcome="unavailable", message=message) for item in items)


def _answered(
    item: BenchmarkItem, reply: Reply, candidate: Candidate, turn: Round, said: dict[str, Any], share: int = 1
) -> Prediction:
    letters = tuple(item.options)
    facts = {
        **_common(item, candidate, turn),
        "raw": reply.raw[:RAW_KEPT],
        "request_id": reply.request_id,
        "latency_s": reply.latency_s,
        "cost_usd": reply.cost_usd / share,
        "cached": reply.cached,
    }
    if said.get("answer") not in letters:
        return Prediction(**facts, outcome="unparsed", message=str(said.get("why") or "no letter of the question"))
    return Prediction(
        **facts,
        answer=turned(letters, turn.rotation)[letters.index(said["answer"])],
        confidence=_confidence(said.get("confidence")),
        rationale=said.get("rationale") or "",
    )


def _confidence(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and 0 <= value <= 1 else None


def _failed(
    item: BenchmarkItem, failure: CallFailure, candidate: Candidate, turn: Round, message: str, share: int
) -> Prediction:
    return Prediction(
        **_common(item, candidate, turn),
        outcome=failure.outcome,
        message=message,
        raw=failure.raw[:RAW_KEPT],
        request_id=failure.request_id,
        cost_usd=failure.cost_usd / share,
        cached=failure.journalled,
    )


def _common(item: BenchmarkItem, candidate: Candidate, turn: Round) -> dict[str, Any]:
    return {
        "model": candidate.name,
        "item_id": item.item_id,
        "setting": turn.setting,
        "sample": turn.sample,
        "rotation": turn.rotation,
    }
