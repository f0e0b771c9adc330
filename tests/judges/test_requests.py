"""What judges are sent, in both layouts, and how what comes back becomes a verdict in the Question's letters."""

import os
from pathlib import Path

import pytest
from pydantic import BaseModel

from judges.base import either
from judges.checks import CHECKS, check_named
from judges.orders import rotated_order, shown_letter, shown_order
from judges.requests import build_request, prompts_digest, question_part, read_verdict, reply_model
from judges.schedule import PlannedCall, all_calls
from records.answers import AnswerReading, read_answer
from records.calls import CallFailure, ImagePart, QuestionPart, Reply, Request, SpecPart, TextPart, TranscriptPart
from records.config import Checks, ModelSpec, Panel, View, Views
from records.media import Evidence, Frame, FrameSignals, Sentence, SourceEvidence, Transcript
from records.questions import Question
from records.verdicts import ChoiceVerdict, JudgeFailure, SeverityVerdict
from tests.judges.builders import a_panel, a_question

GOLDEN = Path(__file__).parent / "golden"
BLIND = {"blind": {"enabled": True, "with_article": True}}


def a_frame(number: int, rank: int) -> Frame:
    return Frame(
        sha256=f"{number}" * 64, video_id="v", number=number, time_s=number * 2.0, width=540, height=304, rank=rank,
        signals=FrameSignals(text_density=0.1, sharpness=0.2, novelty=0.3), caption=f"caption {number}",
    )  # fmt: skip


def a_source(letter: str, text: str, frames: tuple[Frame, ...] = (), summary: str = "") -> SourceEvidence:
    sentences = (Sentence(start_s=0.0, end_s=2.0, text=text),)
    transcript = Transcript(language="en", origin="captions", sentences=sentences, text=text)
    return SourceEvidence(
        tag=f"TAG_{letter}", video_id=letter, transcript=transcript, frames=frames, summary=summary,
        ranking="signals" if frames else "none",
    )  # fmt: skip


EVIDENCE = Evidence(
    evidence_id="e", group_id="g", topic="t", domain="World", language="en",
    sources=(
        a_source("A", "The ship had 22 crew.", (a_frame(1, 3), a_frame(2, 1), a_frame(3, 2)), summary="22 crew."),
        a_source("B", "The list shows 24 names.", (a_frame(4, 1),)),
    ),
)  # fmt: skip
QUESTION = a_question("A", extra={"article": "An article about ships."}, language="en")


def planned(check: str, panel: Panel, question: Question = QUESTION, unit: str | None = None) -> PlannedCall:
    calls = all_calls(question, panel, EVIDENCE.tags)
    return next(call for call in calls if call.check == check and unit in (None, call.unit))


def request_for(check: str, unit: str | None = None, **fields: object) -> tuple[PlannedCall, Request]:
    panel = a_panel(3, checks=Checks.model_validate(BLIND), **fields)
    call = planned(check, panel, unit=unit)
    return call, build_request(call, QUESTION, EVIDENCE, panel, seed=7)


def dump(request: Request) -> str:
    """A request as text, for people to read in a golden file."""
    lines = [f"== system\n{request.system}"]
    for index, part in enumerate(request.parts):
        shared = " (prefix)" if index < request.prefix_parts else ""
        fields = part.model_dump_json(exclude={"kind"}, indent=1, exclude_defaults=True)
        lines.append(f"== {part.kind}{shared}\n{part.text if isinstance(part, TextPart) else fields}")
    return "\n\n".join([*lines, f"== reply\n{', '.join(request.reply_model.model_fields)}"]) + "\n"


CASES = [
    ("solvability", "TAG_B"), ("ambiguity", "C"), ("difficulty", "all"), ("blind", "rotation-1"),
    ("blind", "article-rotation-2"),
]  # fmt: skip


@pytest.mark.parametrize("layout", ["shared-prefix", "paper"])
@pytest.mark.parametrize(("check", "unit"), CASES)
def test_golden(check: str, unit: str, layout: str) -> None:
    _, request = request_for(check, unit, layout=layout)
    name = f"{layout}-{check}" + ("-article" if unit.startswith("article") else "")
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("BENCHWRIGHT_WRITE_GOLDEN"):
        path.write_text(dump(request))
    assert dump(request) == path.read_text()


def test_solvability_shows_one_source_and_never_the_key() -> None:
    call, request = request_for("solvability", "TAG_B")
    assert {part.tag for part in request.parts if isinstance(part, TranscriptPart | ImagePart)} == {"TAG_B"}
    (asked,) = [part for part in request.parts if isinstance(part, QuestionPart)]
    assert (asked.gold, asked.alternative) == (None, None)
    assert (request.task, request.seat, request.unit) == ("solvability", call.seat, "TAG_B")


def test_a_group_shares_its_prefix() -> None:
    """Difficulty and ambiguity share all evidence; solvability of the first source is a prefix of both."""
    _, whole = request_for("difficulty")
    _, pair = request_for("ambiguity", "B")
    _, first = request_for("solvability", "TAG_A")
    assert whole.system == pair.system == first.system
    assert whole.parts[: whole.prefix_parts] == pair.parts[: pair.prefix_parts]
    assert whole.parts[: first.prefix_parts] == first.parts[: first.prefix_parts]
    kinds = [part.kind for part in whole.parts[: whole.prefix_parts]]
    assert kinds == ["transcript", "image", "image", "image", "transcript", "image"]


def test_the_paper_layout_asks_before_it_shows() -> None:
    _, request = request_for("difficulty", layout="paper")
    kinds = [part.kind for part in request.parts]
    assert kinds == ["question", "text", "transcript", "transcript", "text", *["image"] * 4, "spec"]
    assert request.prefix_parts == 0
    assert list(request.reply_model.model_fields) == ["answer", "confidence", "rationale"]
    _, pair = request_for("ambiguity", layout="paper")
    assert list(pair.reply_model.model_fields) == ["severity"]


def test_blind_shows_no_evidence_in_either_layout() -> None:
    for layout in ("shared-prefix", "paper"):
        _, request = request_for("blind", "rotation-0", layout=layout)
        assert not [part for part in request.parts if isinstance(part, TranscriptPart | ImagePart)]
        assert "article" not in {getattr(part, "name", "") for part in request.parts}


def test_the_ambiguity_pair_is_named_by_the_letters_shown() -> None:
    _, request = request_for("ambiguity", "C")
    (asked,) = [part for part in request.parts if isinstance(part, QuestionPart)]
    assert asked.options[asked.gold or ""] == "option A"
    assert asked.options[asked.alternative or ""] == "option C"


@pytest.mark.parametrize(
    ("view", "images", "transcripts", "frames"),
    [
        (View(), True, ["The ship had 22 crew.", "The list shows 24 names."], [1, 2, 3, 4]),
        (View(frames=1), True, ["The ship had 22 crew.", "The list shows 24 names."], [2, 4]),
        (View(frames=2), True, ["The ship had 22 crew.", "The list shows 24 names."], [2, 3, 4]),
        (View(frames=0), True, ["The ship had 22 crew.", "The list shows 24 names."], []),
        (View(), False, ["The ship had 22 crew.", "The list shows 24 names."], []),
        (View(transcript="summary"), True, ["22 crew.", "The list shows 24 names."], [1, 2, 3, 4]),
        (View(transcript="none"), True, [], [1, 2, 3, 4]),
    ],
)
def test_a_judge_sees_what_its_view_and_its_model_allow(
    view: View, images: bool, transcripts: list[str], frames: list[int]
) -> None:
    panel = a_panel(1, views=Views(judge=view))
    models = tuple(model.model_copy(update={"images": images}) for model in panel.models)
    panel = panel.model_copy(update={"models": models})
    request = build_request(planned("difficulty", panel), QUESTION, EVIDENCE, panel, seed=0)
    assert [part.text for part in request.parts if isinstance(part, TranscriptPart)] == transcripts
    assert [part.number for part in request.parts if isinstance(part, ImagePart)] == frames


def test_offline_models_get_sentences_and_the_facts_of_the_task() -> None:
    _, request = request_for("difficulty")
    (spec,) = [part for part in request.parts if isinstance(part, SpecPart)]
    assert spec.values == {"check": "difficulty", "language": "en", "type_id": "T1", "seed": 7}
    first = next(part for part in request.parts if isinstance(part, TranscriptPart))
    assert first.sentences[0].text == "The ship had 22 crew."


def test_options_are_permuted_by_source_and_seat_and_the_same_on_every_run() -> None:
    orders = {(seat, tag): shown_order(QUESTION, seat, tag) for seat in ("s0", "s1", "s2") for tag in EVIDENCE.tags}
    assert orders == {name: shown_order(QUESTION, *name) for name in orders}
    assert len(set(orders.values())) > 1
    assert all(sorted(order) == list("ABCD") for order in orders.values())
    many = [a_question(question_id=f"q{number}") for number in range(400)]
    positions = [shown_letter("A", question, shown_order(question, "s", "t")) for question in many]
    assert all(60 < positions.count(letter) < 140 for letter in "ABCD")
    assert shown_order(a_question(pinned=True), "s0", "TAG_A") == ("A", "B", "C", "D")


def test_rotations_put_every_option_once_in_every_place() -> None:
    orders = [rotated_order(QUESTION, rotation) for rotation in range(4)]
    assert all({order[place] for order in orders} == set("ABCD") for place in range(4))


def reply(value: BaseModel) -> Reply:
    return Reply(request_id="r-1", value=value, raw="", model="m0")


def test_an_answer_is_mapped_back_to_the_questions_letters() -> None:
    for check, unit in CASES:
        if check == "ambiguity":
            continue
        call, request = request_for(check, unit)
        for shown, meant in zip("ABCD", call.shown_order, strict=True):
            value = request.reply_model.model_validate({"rationale": "x", "answer": shown, "confidence": 0.5})
            verdict = read_verdict(call, reply(value), request)
            assert isinstance(verdict, ChoiceVerdict)
            (asked,) = [part for part in request.parts if isinstance(part, QuestionPart)]
            assert asked.options[shown] == QUESTION.options[verdict.answer].text
            assert (verdict.answer, verdict.confidence, verdict.rationale) == (meant, 0.5, "x")
            assert (verdict.unit, verdict.seat, verdict.shown_order) == (unit, call.seat, call.shown_order)
            assert verdict.request_id == "r-1"


class Loose(BaseModel):
    """A reply that did not pass the reader."""

    answer: object = None
    confidence: object = None
    severity: object = None


@pytest.mark.parametrize("answer", ["E", "", None, "a", "AB", 1])
def test_an_answer_that_is_no_letter_is_a_failure(answer: object) -> None:
    call, request = request_for("difficulty")
    verdict = read_verdict(call, reply(Loose(answer=answer)), request)
    assert isinstance(verdict, JudgeFailure)
    assert verdict.outcome == "unparsed"


@pytest.mark.parametrize(
    ("said", "read"), [(0.9, 0.9), (90, 0.9), (None, None), (-1, None), (140, None), ("high", None)]
)
def test_confidences_are_read_as_everywhere(said: object, read: float | None) -> None:
    call, request = request_for("difficulty")
    verdict = read_verdict(call, reply(Loose(answer="A", confidence=said)), request)
    assert isinstance(verdict, ChoiceVerdict)
    assert verdict.confidence == read


@pytest.mark.parametrize(("said", "read"), [(0.0, 0.0), (1, 1.0), (0.6, 0.6), (1.1, None), (-0.1, None), ("0.5", None),
                                            (None, None), (True, None), (float("nan"), None)])  # fmt: skip
def test_a_severity_out_of_range_is_a_failure(said: object, read: float | None) -> None:
    call, request = request_for("ambiguity")
    verdict = read_verdict(call, reply(Loose(severity=said)), request)
    if read is None:
        assert isinstance(verdict, JudgeFailure)
    else:
        assert isinstance(verdict, SeverityVerdict)
        assert (verdict.severity, verdict.unit) == (read, call.unit)


def test_a_failed_call_is_a_failure_of_its_seat() -> None:
    call, request = request_for("solvability", "TAG_A")
    call = call.model_copy(update={"replaces": "s9"})
    failure = CallFailure(request_id="r-2", outcome="rate-limited", message="429")
    verdict = read_verdict(call, failure, request)
    assert verdict == JudgeFailure(
        check="solvability", seat=call.seat, model=call.model, unit="TAG_A", outcome="rate-limited", message="429",
        request_id="r-2", replaces="s9",
    )  # fmt: skip


def test_a_choice_is_limited_to_the_questions_letters() -> None:
    question = a_question("B", "ABC")
    panel = a_panel(1)
    request = build_request(planned("difficulty", panel, question), question, EVIDENCE, panel, seed=0)
    schema = request.reply_model.model_json_schema()
    assert schema["properties"]["answer"]["enum"] == ["A", "B", "C"]
    assert schema["required"] == ["rationale", "answer", "confidence"]
    assert "A, B or C" in " ".join(part.text for part in request.parts if isinstance(part, TextPart))


def test_reply_models_are_made_once() -> None:
    check = check_named("difficulty")
    assert reply_model(check, ("A", "B"), "paper") is reply_model(check, ("A", "B"), "paper")


def test_the_reader_and_the_reply_model_fit() -> None:
    call, request = request_for("difficulty")
    (asked,) = [part for part in request.parts if isinstance(part, QuestionPart)]
    reading = read_answer('{"rationale": "x", "answer": "(B)", "confidence": "85%"}', asked.options)
    assert isinstance(reading, AnswerReading)
    value = request.reply_model.model_validate(reading.model_dump(exclude={"repairs"}))
    verdict = read_verdict(call, reply(value), request)
    assert isinstance(verdict, ChoiceVerdict)
    assert (verdict.answer, verdict.confidence) == (call.shown_order[1], 0.85)


def test_small_helpers() -> None:
    assert either(("A",)) == "A"
    assert either(("A", "B", "C")) == "A, B or C"
    assert len(prompts_digest()) == 64
    assert [check.name for check in CHECKS] == [check.task for check in CHECKS]
    part = question_part(QUESTION, planned("difficulty", a_panel(1)))
    assert set(part.options.values()) == {f"option {letter}" for letter in "ABCD"}


def test_nothing_that_tables_know_reaches_a_judge() -> None:
    """Titles, outlets and captions of frames stay out of every prompt text."""
    for check, unit in CASES:
        _, request = request_for(check, unit)
        texts = [request.system, *(part.text for part in request.parts if isinstance(part, TextPart))]
        assert not any("caption 1" in text or "World" in text for text in texts)


def test_a_text_only_model_is_a_seat_like_any_other() -> None:
    panel = a_panel(1)
    spec = ModelSpec(name="m0", model="offline/bm25", transport="offline", images=False)
    panel = panel.model_copy(update={"models": (spec,)})
    request = build_request(planned("difficulty", panel), QUESTION, EVIDENCE, panel, seed=0)
    assert request.model.is_offline


@pytest.mark.parametrize(("check", "unit"), [("difficulty", "all"), ("ambiguity", "B"), ("solvability", "TAG_A")])
def test_a_judges_reasons_name_the_options_by_the_questions_letters(check: str, unit: str) -> None:
    call = planned(check, a_panel(3), unit=unit).model_copy(update={"shown_order": ("C", "D", "A", "B")})
    request = build_request(call, QUESTION, EVIDENCE, a_panel(3), seed=7)
    said = {
        "rationale": "Option A is ruled out, so option C stands.",
        "answer": "C",
        "confidence": 0.4,
        "severity": 0.2,
    }
    reply = Reply(request_id="r", value=request.reply_model.model_validate(said), raw="")
    verdict = read_verdict(call, reply, request)
    assert isinstance(verdict, ChoiceVerdict | SeverityVerdict)
    assert verdict.rationale == "Option C is ruled out, so option A stands."
