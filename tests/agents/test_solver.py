"""The solver's requests and what its replies become: order, rotation, forms, and that a failure never answers."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.solver import Round, SeenSource, read_predictions, solve_request, turned, unasked
from gateway.render import render
from records.benchmark import STANDING, BenchmarkItem
from records.calls import CallFailure, QuestionPart, Reply, TranscriptPart
from records.candidates import Asking, Candidate, read_frames
from records.config import ModelSpec
from records.media import Frame, FrameSignals
from records.verdicts import CallOutcome

SPEC = ModelSpec(name="m", model="hosted_vllm/m")


def candidate(**asking: Any) -> Candidate:
    return Candidate(spec=SPEC, asking=Asking(**asking))


def item(name: str = "i1", count: int = 4) -> BenchmarkItem:
    letters = "ABCDE"[:count]
    return BenchmarkItem(item_id=name, stem=f"Which of {name}?", options={x: f"{name} {x}" for x in letters}, key="B")


def seen(tag: str = "TAG_A", frames: int = 0, **facts: Any) -> SeenSource:
    signals = FrameSignals(text_density=0, sharpness=0, novelty=0)
    found = tuple(
        Frame(sha256="0" * 64, video_id="v", number=n, time_s=n, width=64, height=36, rank=n, signals=signals)
        for n in range(1, frames + 1)
    )
    return SeenSource(tag=tag, words=TranscriptPart(tag=tag, text="Said."), frames=found, **facts)


def text_of(request: Any) -> str:
    content = render(request).messages[1]["content"]
    return content if isinstance(content, str) else "\n".join(block.get("text", "") for block in content)


def reply(raw: str, **values: Any) -> Reply:
    from agents.solver import _answer_model

    value: Any = _answer_model(("A", "B", "C", "D"), "shared-prefix").model_construct(**values)
    return Reply(request_id="r", value=value, raw=raw, cost_usd=0.6)


def test_material_comes_first_and_is_the_prefix() -> None:
    sources = (seen("TAG_A", frames=1), seen("TAG_B"))
    first, second = (solve_request([item(name)], sources, candidate()) for name in ("i1", "i2"))
    assert first.parts[: first.prefix_parts] == second.parts[: second.prefix_parts]
    assert [part.kind for part in first.parts] == ["transcript", "image", "transcript", "text", "question", "spec"]
    assert first.prefix_parts == 3
    assert "TAG_A" in first.system
    assert "TAG_A" not in solve_request([item()], sources[:1], candidate()).system


def test_the_paper_s_order_has_the_question_first_and_the_reason_last() -> None:
    request = solve_request([item()], (seen(),), candidate(layout="paper"))
    assert [part.kind for part in request.parts] == ["question", "transcript", "spec"]
    assert list(request.reply_model.model_fields) == ["answer", "confidence", "rationale"]
    assert next(iter(solve_request([item()], (seen(),), candidate()).reply_model.model_fields)) == "rationale"


def test_without_material_the_prompt_says_so() -> None:
    request = solve_request([item()], (), candidate())
    assert "not shown to you, on purpose" in request.system
    assert "material" not in text_of(request)


@given(st.integers(2, 8), st.integers(0, 20))
def test_a_rotation_is_undone(count: int, rotation: int) -> None:
    letters = tuple("ABCDEFGH"[:count])
    shown = turned(letters, rotation)
    assert sorted(shown) == sorted(letters)
    assert shown[0] == letters[rotation % count]
    assert turned(letters, rotation + count) == shown


@pytest.mark.parametrize(("rotation", "said", "answer"), [(0, "B", "B"), (1, "A", "B"), (1, "D", "A"), (3, "C", "B")])
def test_answers_come_back_in_the_item_s_letters(rotation: int, said: str, answer: str) -> None:
    turn = Round(rotation=rotation)
    request = solve_request([item()], (), candidate(), turn)
    (shown,) = (part for part in request.parts if isinstance(part, QuestionPart))
    assert shown.options[said] == f"i1 {answer}"
    (found,) = read_predictions(reply("", answer=said, rationale="", confidence=None), [item()], candidate(), turn)
    assert (found.answer, found.rotation) == (answer, rotation)


def test_several_questions_have_names_and_share_the_cost() -> None:
    items = [item("i1"), item("i2", 5), item("i3")]
    request = solve_request(items, (seen(),), candidate(batch=0))
    assert [part.name for part in request.parts if isinstance(part, QuestionPart)] == ["q1", "q2", "q3"]
    assert request.reply_model.model_json_schema()["properties"]["q2"]["enum"] == list("ABCDE")
    found = read_predictions(reply('{"q1": "(D)", "q2": "E", "q3": "E"}'), items, candidate(batch=0))
    assert [(p.answer, p.outcome) for p in found] == [("D", "ok"), ("E", "ok"), (None, "unparsed")]
    assert [p.cost_usd for p in found] == pytest.approx([0.2] * 3)


def test_a_bare_letter_is_asked_alone() -> None:
    request = solve_request([item()], (seen(),), candidate(reply="letter"))
    assert request.plain
    assert request.repair == "none"
    assert "json" not in text_of(request).casefold()
    with pytest.raises(ValueError, match="one question"):
        solve_request([item("i1"), item("i2")], (seen(),), candidate(reply="letter"))


def test_a_strip_is_announced() -> None:
    assert "side by side" in text_of(solve_request([item()], (seen(frames=1, is_strip=True),), candidate()))


@pytest.mark.parametrize("outcome", [name for name in STANDING if name != "ok"])
def test_a_failed_call_never_answers(outcome: CallOutcome) -> None:
    failure = CallFailure(request_id="r", outcome=outcome, message="no", raw="The answer is B.")
    for p in read_predictions(failure, [item("i1"), item("i2")], candidate()):
        assert (p.answer, p.outcome, p.confidence) == (None, outcome, None)


def test_what_was_never_asked_is_unavailable() -> None:
    (found,) = unasked([item()], candidate(), Round(setting="frames=4"), "v.mp4 is gone")
    assert (found.standing, found.setting, found.message) == ("unavailable", "frames=4", "v.mp4 is gone")


@pytest.mark.parametrize(
    ("text", "kind", "count", "most"),
    [
        ("4", "ranked", 4, None), ("8f", "uniform", 8, None), ("1fps", "fps", 0, None), ("1fps(64)", "fps", 0, 64),
        ("0.5fps(9)", "fps", 0, 9), ("none", "none", 0, None), ("0", "none", 0, None), ("0f", "none", 0, None),
    ],
)  # fmt: skip
def test_frame_settings_are_read(text: str, kind: str, count: int, most: int | None) -> None:
    rule = read_frames(text)
    assert (rule.kind, rule.count, rule.most) == (kind, count, most)


@pytest.mark.parametrize("text", ["", "f", "-1", "4 f", "fps", "1fps()", "0fps", "1fps(0)", "four"])
def test_other_frame_settings_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="frames"):
        read_frames(text)
