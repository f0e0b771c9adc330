"""Small questions, panels and judges for the tests of the panel."""

from collections.abc import Callable

from judges.schedule import PlannedCall, next_calls
from records.config import Checks, ModelSpec, Panel, SeatSpec
from records.media import Tag
from records.questions import Option, Provenance, Question
from records.verdicts import ChoiceVerdict, JudgeFailure, SeverityVerdict, Verdict

Answer = tuple[str, float | None] | float | None
"""(letter, confidence) of a choice, a severity, or None for a judge that failed."""


def a_question(key: str = "A", letters: str = "ABCD", **fields: object) -> Question:
    values: dict[str, object] = {
        "question_id": "q-1", "group_id": "g", "type_id": "T1", "language": "en",
        "stem": "What do TAG_A and TAG_B say?", "key": key,
        "options": {letter: Option(text=f"option {letter}") for letter in letters},
        "provenance": Provenance(drafter="people"),
    }  # fmt: skip
    return Question.model_validate(values | fields)


def a_panel(seats: int = 3, reserves: int = 0, **fields: object) -> Panel:
    models = tuple(ModelSpec(name=f"m{i}", model=f"openai/m{i}") for i in range(seats + reserves))
    values: dict[str, object] = {
        "name": "test",
        "models": models,
        "judges": tuple(SeatSpec(seat=f"s{i}", model=f"m{i}") for i in range(seats)),
        "reserves": tuple(SeatSpec(seat=f"r{i}", model=f"m{seats + i}") for i in range(reserves)),
        "checks": Checks(),
    }
    return Panel.model_validate(values | fields)


def verdict_of(call: PlannedCall, said: Answer) -> Verdict:
    """What a judge said, as the record that the graph would make of it."""
    place = {"seat": call.seat, "model": call.model, "unit": call.unit, "replaces": call.replaces}
    if said is None:
        return JudgeFailure(check=call.check, outcome="unavailable", message="down", **place)  # type: ignore[arg-type]
    if isinstance(said, float):
        return SeverityVerdict(severity=said, **place)
    return ChoiceVerdict(check=call.check, answer=said[0], confidence=said[1], **place)  # type: ignore[arg-type]


def run(
    question: Question, panel: Panel, tags: tuple[Tag, ...], says: Callable[[PlannedCall], Answer]
) -> tuple[Verdict, ...]:
    """Play a schedule to its end; asks no call twice and stops after a bounded number of rounds."""
    verdicts: list[Verdict] = []
    asked: set[tuple[str, str, str]] = set()
    for _ in range(1000):
        batch = next_calls(question, panel, tags, tuple(verdicts))
        if not batch:
            return tuple(verdicts)
        for call in batch:
            name = (call.check, call.seat, call.unit)
            assert name not in asked, f"{name} is asked twice"
            asked.add(name)
            verdicts.append(verdict_of(call, says(call)))
    raise AssertionError("the schedule does not end")
