"""The question writer: why a type is not asked, what code makes of each form of reply, and which facts it adds."""

import json
from typing import Any

import pytest

from agents.drafter import Declined, Unreadable
from agents.question_facts import Failed, Material, obstacle
from agents.question_writer import read_written, reply_model, rewrite_request, rule_context, write_request
from graphs.configuration import load_track
from prompts.taskheads import load_taskheads
from records.annotation import ScienceFinding, Stage
from records.calls import QuotedPart, Reply, SpecPart
from records.config import ModelSpec, Panel
from records.media import Source, Transcript
from records.questions import Question, RuleReport, Violation
from records.video import Box
from rules import check
from tests.agents.samples import reply
from tests.agents.video_samples import annotation, described

HEADS = load_taskheads(kind="video")
TRACK = load_track("videovista")
WRITER = ModelSpec(name="writer", model="test/writer", family="test", images=False)
PANEL = Panel(name="p", models=(WRITER,), drafters=("writer",))
TEXTS = ("It is put down", "It is thrown away", "It is painted over", "It is counted aloud")


def material(language: str = "en", **changes: object) -> Material:
    source = Source(video_id="v", platform="Youtube", transcript=Transcript(language=language, origin="none"))
    return Material(annotation=annotation(language, **changes), source=source, domain="Education")


def written(type_id: str, **question: Any) -> Reply:
    values = {
        "event": 2,
        "correct_answer": "A",
        "evidence": "0:00:16",
        "stem": "What is done with it then?",
        **question,
    }
    return reply(reply_model(HEADS[type_id]).model_validate({"reasoning": "", "question": values}))


def read(type_id: str, given: Material | None = None, n: int = 1, **question: Any) -> Any:
    return read_written(written(type_id, **question), HEADS[type_id], given or material(), WRITER, TRACK, n=n)


def texts() -> dict[str, Any]:
    return {letter: {"text": text} for letter, text in zip("ABCD", TEXTS, strict=True)}


def right(question: Question) -> str:
    return question.options[question.key].text


def problems(question: Question, given: Material | None = None) -> list[str]:
    context = rule_context(HEADS[question.type_id], given or material(), TRACK)
    return [f"{v.rule_id}: {v.message}" for v in check(question, context).violations]


# --- why a type is not asked


@pytest.mark.parametrize(
    ("type_id", "changes", "words"),
    [
        ("ED", {}, ""),
        ("EP", {"events": annotation().events[:2]}, "more than 2 events"),
        ("ES", {"events": annotation().events[:2]}, "at least 3 events"),
        ("EL", {"duration_s": 20.0}, "too short"),
        ("EL", {"duration_s": None}, "too short"),
        ("OTL", {"objects": ()}, "large enough"),
        ("OTL", {"objects": (described("a kettle", 9.0, small_before=6.0),)}, "clear first appearance"),
        ("OTS", {"objects": annotation().objects[:2]}, "at least 3 objects"),
        (
            "OSL",
            {"objects": (described("a hat", 9.0, others=(Box(x0=0.6, y0=0.1, x1=0.9, y1=0.5),)),)},
            "only one of its",
        ),
        ("CC", {"cultures": ()}, "Chinese culture"),
        ("AC", {"cultures": tuple(c.model_copy(update={"articles": ()}) for c in annotation().cultures)}, "no article"),
        ("SS", {"science": ScienceFinding(relevance=5, density=5, kind="experiment")}, "teaches concepts"),
        ("SP", {"science": ScienceFinding(relevance=5, density=5, kind="course")}, "an experiment"),
        ("SP", {"stages": ()}, "rests on the stage events"),
    ],
)
def test_a_type_that_the_video_does_not_offer_is_declined(type_id: str, changes: dict[str, object], words: str) -> None:
    found = obstacle(HEADS[type_id], material(**changes))
    if not words:
        assert found is None
        return
    assert isinstance(found, Declined)
    assert words in found.reason


@pytest.mark.parametrize("name", ["events", "object"])
def test_a_stage_that_failed_fails_the_types_that_rest_on_it(name: str) -> None:
    stages = tuple(
        Stage(name=each, outcome="failed" if each == name else "done", reason="refused: no")
        for each in ("events", "object")
    )
    assert isinstance(obstacle(HEADS["OTL"], material(stages=stages)), Failed)
    assert isinstance(obstacle(HEADS["ED"], material(stages=stages)), Failed) == (name == "events")


# --- the forms


def test_text_with_the_facts_of_its_event() -> None:
    question = read("ED", options=texts())
    assert right(question) == TEXTS[0]
    assert {option.text for option in question.options.values()} == set(TEXTS)
    assert question.extra == {
        "family": "event", "form": "text", "platform": "Youtube", "domain": "Education", "duration_s": "60.000",
        "event": "The host ties a thread.", "event_start_s": "15.000", "event_end_s": "30.000",
    }  # fmt: skip
    assert (question.sources, question.support_map) == ({"TAG_A": "v"}, {question.key: ("TAG_A",)})
    assert (question.language, question.track) == ("en", "videovista")
    assert not problems(question)


def test_the_order_of_the_options_follows_from_id_and_seed() -> None:
    first = read("ED", options=texts())
    turned = dict(zip("ABCD", [*list(texts().values())[1:], texts()["A"]], strict=True))
    again = read("ED", options=turned, correct_answer="D")
    assert (again.question_id, again.options, again.key) == (first.question_id, first.options, first.key)


def test_roles_stay_with_their_options() -> None:
    roles = ("dual-error", "correct", "knowledge-error", "comprehension-error")
    options = {x: {"text": t, "role": r} for x, t, r in zip("ABCD", TEXTS, roles, strict=True)}
    question = read("SP", options=options, correct_answer="B")
    assert {option.text: option.role for option in question.options.values()} == dict(zip(TEXTS, roles, strict=True))
    assert question.extra["discipline"] == "physics"
    assert not problems(question)
    assert any("key has the role" in each for each in problems(read("SP", options=options, correct_answer="A")))


@pytest.mark.parametrize(
    ("event", "clip", "problem"),
    [(3, "30.000", ""), (4, "45.000", ""), (2, "15.000", "Only 1 events"), (1, None, "something comes before")],
)
def test_a_prediction_records_its_cut(event: int, clip: str | None, problem: str) -> None:
    question = read("EP", options=texts(), event=event)
    assert question.extra.get("clip_end_s") == clip
    found = problems(question)
    assert bool(found) == bool(problem)
    assert all(problem in each for each in found)


@pytest.mark.parametrize(
    ("times", "key", "broken"),
    [
        ((16.4, 2, 40, 52), "A", False), ((33.4, 2, 40, 52), "A", True), ((16.4, 12, 40, 52), "A", True),
        ((16.4, 2, 40, 43), "A", True), ((16.4, 2, 40, 75), "A", True), ((16.4, 2, 40, 52), "B", True),
    ],
)  # fmt: skip
def test_moments_are_written_out_and_checked_against_the_event(
    times: tuple[float, ...], key: str, broken: bool
) -> None:
    options = {letter: {"time_s": time} for letter, time in zip("ABCD", times, strict=True)}
    question = read("EL", options=options, correct_answer=key)
    assert right(question) == {16.4: "0:00:16", 33.4: "0:00:33", 2: "0:00:02"}[times["ABCD".index(key)]]
    assert bool(problems(question)) == broken


def test_the_first_sight_of_an_object() -> None:
    options = {letter: {"time_s": time} for letter, time in zip("ABCD", (20, 5, 33, 50), strict=True)}
    question = read("OTL", options=options, object=2)
    assert (right(question), question.extra["object"]) == ("0:00:20", "a map")
    assert (question.extra["answer_start_s"], question.extra["answer_end_s"]) == ("19.000", "20.000")
    assert not problems(question)
    assert problems(read("OTL", options=options, object=1))


def orders(*each: list[int]) -> dict[str, Any]:
    return {letter: {"order": order} for letter, order in zip("ABCD", each, strict=True)}


def test_an_order_is_written_out_and_known_by_code() -> None:
    steps = [{"item": 3, "text": "hanging a board"}, {"item": 1, "text": "opening"}, {"item": 2, "text": "tying"}]
    question = read("ES", options=orders([2, 3, 1], [1, 2, 3], [3, 2, 1], [2, 1, 3]), steps=steps)
    assert right(question) == "opening → tying → hanging a board"
    assert json.loads(question.extra["order"]) == ["opening", "tying", "hanging a board"]
    assert (question.extra["event_start_s"], question.extra["event_end_s"]) == ("0.000", "45.000")
    assert not problems(question)
    wrong = read("ES", options=orders([1, 2, 3], [2, 3, 1], [3, 2, 1], [2, 1, 3]), steps=steps)
    assert any("true order" in each for each in problems(wrong))


def test_two_steps_of_one_event_have_no_order() -> None:
    steps = [{"item": 1, "text": "opening"}, {"item": 1, "text": "looking"}, {"item": 2, "text": "tying"}]
    question = read("ES", options=orders([1, 2, 3], [2, 3, 1], [3, 2, 1], [2, 1, 3]), steps=steps)
    assert any("too close" in each for each in problems(question))


def test_the_order_of_objects_is_that_of_their_first_sight() -> None:
    steps = [{"item": 3, "text": "a hat"}, {"item": 1, "text": "a kettle"}, {"item": 2, "text": "a map"}]
    question = read("OTS", options=orders([2, 3, 1], [1, 2, 3], [3, 2, 1], [2, 1, 3]), steps=steps)
    assert right(question) == "a kettle → a map → a hat"
    assert not problems(question)
    near = material(objects=(described("a kettle", 5.0), described("a map", 6.0), described("a hat", 40.0)))
    close = read("OTS", near, options=orders([2, 3, 1], [1, 2, 3], [3, 2, 1], [2, 1, 3]), steps=steps)
    assert any("too close" in each for each in problems(close, near))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_boxes_are_written_out_with_how_to_read_them(language: str) -> None:
    boxes = ([0.1, 0.1, 0.4, 0.5], [0.6, 0.1, 0.9, 0.5], [0.6, 0.55, 0.9, 0.95], [0.1, 0.58, 0.4, 0.98])
    options = {letter: {"box": box} for letter, box in zip("ABCD", boxes, strict=True)}
    stem = "在0:00:05时，哪个框最贴合水壶？" if language == "zh" else "At 0:00:05, which box fits the kettle best?"
    question = read("OSL", material(language), options=options, object=1, stem=stem)
    assert right(question) == "[0.10, 0.10, 0.40, 0.50]"
    assert question.stem.startswith(stem)
    assert "[x0, y0, x1, y1]" in question.stem
    assert not problems(question, material(language))


@pytest.mark.parametrize(("n", "title"), [(1, "Lantern dance"), (2, "Kite"), (3, "Lantern dance")])
def test_concepts_take_turns_and_the_article_goes_with_the_item(n: int, title: str) -> None:
    (chinese, *others) = annotation().cultures
    kite = chinese.articles[0].model_copy(update={"title": "Kite", "text": "A kite. " * 900})
    given = material(cultures=(chinese.model_copy(update={"articles": (*chinese.articles, kite)}), *others))
    question = read("CC", given, n=n, options=texts())
    assert (question.extra["article_title"], question.extra["culture"]) == (title, "chinese")
    assert question.extra["article_url"] == "https://example.org"
    assert 0 < len(question.extra["article"]) <= given.settings.culture.article_characters


# --- replies that are no question


@pytest.mark.parametrize(
    ("type_id", "question", "where"),
    [
        ("ED", {"options": texts(), "event": 9}, "event"),
        ("ED", {"options": texts(), "event": 0}, "event"),
        ("OTL", {"options": {x: {"time_s": 1} for x in "ABCD"}, "object": 7}, "object"),
        (
            "ES",
            {"options": orders([1, 2, 4], *[[1, 2, 3]] * 3), "steps": [{"item": n, "text": "x"} for n in (1, 2, 3)]},
            "options",
        ),
        (
            "ES",
            {"options": orders(*[[1, 2, 3]] * 4), "steps": [{"item": n, "text": "x"} for n in (1, 2, 8)]},
            "steps",
        ),
    ],
)
def test_a_number_that_there_is_not_goes_back(type_id: str, question: dict[str, Any], where: str) -> None:
    found = read(type_id, **question)
    assert isinstance(found, Unreadable)
    assert found.report.violations[0].where == where


def test_an_object_that_is_seen_small_long_before_goes_back() -> None:
    objects = (described("a kettle", 9.0, small_before=6.0), *annotation().objects[1:])
    options = {letter: {"time_s": time} for letter, time in zip("ABCD", (9, 20, 33, 50), strict=True)}
    found = read("OTL", material(objects=objects), options=options, object=1)
    assert isinstance(found, Unreadable)
    assert "small, long before" in found.report.violations[0].message


def test_a_refusal_with_and_without_a_reason() -> None:
    model = reply_model(HEADS["ED"])
    declined = reply(model.model_validate({"reasoning": "", "declined": " nothing happens "}))
    assert read_written(declined, HEADS["ED"], material(), WRITER, TRACK, n=1) == Declined(reason="nothing happens")
    nothing = reply(model.model_validate({"reasoning": ""}))
    assert isinstance(read_written(nothing, HEADS["ED"], material(), WRITER, TRACK, n=1), Unreadable)


# --- redrafts


def test_a_draft_goes_back_from_the_first_request() -> None:
    first = write_request(HEADS["ED"], material(), WRITER, PANEL, TRACK, HEADS, n=1)
    report = RuleReport(violations=(Violation(rule_id="one-key", where="key", message="Give one."),))
    second = rewrite_request(first, '{"stem": "old"}', report, 2)
    third = rewrite_request(first, '{"stem": "newer"}', report, 3)
    assert second.parts[0] == first.parts[0]
    assert len(third.parts) == len(second.parts) == len(first.parts) + 3
    quoted = {part.name: part.text for part in third.parts if isinstance(part, QuotedPart)}
    assert quoted["previous-draft"] == '{"stem": "newer"}'
    assert quoted["violations"] == "- key: Give one."
    (spec,) = (part.values for part in third.parts if isinstance(part, SpecPart))
    assert (spec["attempt"], spec["violations"]) == (3, ["one-key"])
