"""The video track's rules: a table of cases for each, one for each way in which a question can be wrong."""

import json

import pytest

from records.questions import Option, Provenance, Question
from records.video import Box
from rules import RuleContext, check, sentences
from rules.checking import RULES, rules_for
from rules.clock import clock, moments_in, seconds_of
from rules.facts import box_of, box_text, iou
from rules.video import VIDEO_RULES
from rules.wording_video import asked_about, notes_in


def question(
    type_id: str,
    family: str,
    form: str,
    options: dict[str, str],
    *,
    key: str = "A",
    language: str = "en",
    stem: str = "What is done with the boards?",
    roles: tuple[str, ...] = ("", "", "", ""),
    evidence: str = "0:00:07",
    **facts: str,
) -> Question:
    made = {letter: Option(text=text, role=role) for (letter, text), role in zip(options.items(), roles, strict=False)}
    return Question(
        question_id="q-1",
        group_id="v",
        track="videovista",
        type_id=type_id,
        language=language,
        stem=stem,
        options=made,
        key=key,
        evidence=evidence,
        sources={"TAG_A": "v"},
        support_map={key: ("TAG_A",)},
        provenance=Provenance(drafter="test"),
        extra={"family": family, "form": form, **facts},
    )


def letters(*texts: str) -> dict[str, str]:
    return dict(zip("ABCD", texts, strict=False))


def broken(asked: Question, context: RuleContext | None = None) -> list[tuple[str, str]]:
    report = check(asked, context or RuleContext())
    return [(violation.rule_id, violation.where) for violation in report.violations]


WORDS = letters("It moves the knot", "It cuts the thread", "It paints the boards", "It counts them aloud")


def test_a_sound_question_keeps_every_rule() -> None:
    report = check(question("ED", "event", "text", WORDS), RuleContext())
    assert not report.violations
    assert not report.not_checkable


def test_only_questions_of_the_track_get_its_rules() -> None:
    assert rules_for("event") is VIDEO_RULES
    assert rules_for("") is RULES
    assert rules_for("comparison") is RULES
    foreign = question("ED", "event", "text", WORDS).model_copy(update={"extra": {}})
    assert "tags-named" in {violation.rule_id for violation in check(foreign, RuleContext()).violations}
    assert len({rule.rule_id for rule in VIDEO_RULES}) == len(VIDEO_RULES)


# --- moments

EL = {"answer_start_s": "20", "answer_end_s": "40", "duration_s": "90"}


@pytest.mark.parametrize(
    ("times", "facts", "wrong"),
    [
        (("0:00:21", "0:00:05", "0:00:55", "0:01:10"), EL, []),
        (("0:00:19", "0:00:05", "0:00:55", "0:01:10"), EL, []),
        (("00:41", "00:05", "00:55", "01:10"), EL, []),
        (("0:00:45", "0:00:05", "0:00:55", "0:01:10"), EL, ["A"]),
        (("0:00:21", "0:00:16", "0:00:55", "0:01:10"), EL, ["B"]),
        (("0:00:21", "0:00:30", "0:00:55", "0:01:10"), EL, ["B"]),
        (("0:00:21", "0:00:05", "0:00:55", "0:00:58"), EL, ["options"]),
        (("0:00:21", "0:00:05", "0:00:55", "0:01:40"), EL, ["D"]),
        (("0:00:21", "0:00:05", "later", "0:75:10"), EL, ["C", "D"]),
        (("0:00:21", "0:00:05", "0:00:55", "0:01:40"), {**EL, "duration_s": ""}, []),
        (
            ("0:00:06", "0:00:02", "0:00:10", "0:00:14"),
            {"answer_start_s": "5", "answer_end_s": "6", "least_gap_s": "3"},
            [],
        ),
        (
            ("0:00:06", "0:00:03", "0:00:10", "0:00:14"),
            {"answer_start_s": "5", "answer_end_s": "6", "least_gap_s": "3"},
            ["B"],
        ),
        (
            ("0:00:08", "0:00:02", "0:00:12", "0:00:16"),
            {"answer_start_s": "5", "answer_end_s": "6", "least_gap_s": "3"},
            ["A"],
        ),
    ],
    ids=[
        "sound",
        "a second early",
        "short form",
        "key elsewhere",
        "too near before",
        "within the event",
        "two alike",
        "past the end",
        "no moments",
        "length unknown",
        "object",
        "object too near",
        "object key late",
    ],
)
def test_moments(times: tuple[str, ...], facts: dict[str, str], wrong: list[str]) -> None:
    facts = {name: value for name, value in facts.items() if value}
    found = broken(question("EL", "event", "moment", letters(*times), stem="At about what time is it shown?", **facts))
    assert [rule for rule, _ in found] == ["moments"] * len(wrong)
    assert {where for _, where in found} == set(wrong)


def test_moments_without_known_times_cannot_be_checked() -> None:
    asked = question("EL", "event", "moment", letters("0:01", "0:02", "0:03", "0:04"))
    assert "moments" in check(asked, RuleContext()).not_checkable


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0:01:35", 95), ("01:35", 95), ("1:02:03", 3723), (" 0:05 ", 5), ("95", None), ("0:61", None), ("1:75:00", None)],
)
def test_seconds_of(text: str, seconds: float | None) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("seconds", [0, 5, 59.6, 60, 3599, 3600, 86399])
def test_a_moment_survives_being_written(seconds: float) -> None:
    assert seconds_of(clock(seconds)) == round(seconds)
    assert moments_in(f"At {clock(seconds)}, which box fits?") == (round(seconds),)


# --- orders

ORDER = {"order": json.dumps(["a knot", "a board", "a bar"]), "order_times": json.dumps(["3", "9", "20"])}
TRUE = "a knot → a board → a bar"


@pytest.mark.parametrize(
    ("orders", "key", "gap", "wrong"),
    [
        ((TRUE, "a board → a knot → a bar", "a bar → a knot → a board", "a knot → a bar → a board"), "A", 0, []),
        (
            (TRUE, "a board → a knot → a bar", "a bar → a knot → a board", "a knot → a bar → a board"),
            "A",
            8,
            ["options"],
        ),
        ((TRUE, TRUE, "a bar → a knot → a board", "a knot → a bar → a board"), "A", 0, ["options"]),
        ((TRUE, "a board → a knot → a bar", "a bar → a knot → a board", "a knot → a bar → a board"), "B", 0, ["B"]),
        ((TRUE, "a board → a knot", "a bar → a knot → a board", "a knot → a bar → a board"), "A", 0, ["B"]),
        ((TRUE, "a knot → a knot → a bar", "a bar → a knot → a board", "a knot → a bar → a board"), "A", 0, ["B"]),
        ((TRUE, "a boat → a knot → a bar", "a bar → a knot → a board", "a knot → a bar → a board"), "A", 0, ["B"]),
    ],
    ids=["sound", "too close", "twice", "wrong key", "one missing", "one twice", "a stranger"],
)
def test_orders(orders: tuple[str, ...], key: str, gap: float, wrong: list[str]) -> None:
    asked = question("ES", "event", "order", letters(*orders), key=key, **ORDER)
    assert broken(asked, RuleContext(order_gap_s=gap)) == [("orders", where) for where in wrong]


@pytest.mark.parametrize("phrases", [["a", "b"], ["a", "b", "b"]])
def test_an_order_needs_three_distinct_steps(phrases: list[str]) -> None:
    text = " → ".join(phrases)
    asked = question("ES", "event", "order", letters(text, text, text, text), order=json.dumps(phrases))
    assert ("orders", "options") in broken(asked)


# --- boxes

BOX = {"box": "[0.10, 0.10, 0.40, 0.50]", "event_start_s": "13"}
FAR = ("[0.60, 0.10, 0.90, 0.50]", "[0.60, 0.55, 0.90, 0.95]", "[0.10, 0.58, 0.40, 0.98]")
AT_13 = "At 0:00:13, which box fits the red board best?"


@pytest.mark.parametrize(
    ("boxes", "more", "wrong"),
    [
        (("[0.10, 0.10, 0.40, 0.50]", *FAR), {}, []),
        (("[0.10, 0.10, 0.41, 0.50]", *FAR), {}, []),
        (("[0.20, 0.20, 0.50, 0.60]", *FAR), {}, ["A"]),
        (("[0.10, 0.10, 0.40, 0.50]", "[0.15, 0.10, 0.45, 0.50]", *FAR[1:]), {}, ["B"]),
        (("[0.10, 0.10, 0.40, 0.50]", FAR[0], FAR[0], FAR[1]), {}, ["options"]),
        (("[0.10, 0.10, 0.40, 0.50]", "[0.90, 0.10, 0.60, 0.50]", *FAR[1:]), {}, ["B"]),
        (("[0.10, 0.10, 0.40, 0.50]", "[0.60, 0.10, 1.20, 0.50]", *FAR[1:]), {}, ["B"]),
        (("[0.10, 0.10, 0.40, 0.50]", "on the left", *FAR[1:]), {}, ["B"]),
        (("[0.10, 0.10, 0.40, 0.50]", *FAR), {"other_boxes": "[0.62, 0.12, 0.92, 0.52]"}, ["B"]),
        (("[0.10, 0.10, 0.40, 0.50]", *FAR), {"stem": "Which box fits the red board best?"}, ["stem"]),
    ],
    ids=[
        "sound",
        "rounded",
        "wrong key",
        "overlaps",
        "twice",
        "backwards",
        "outside",
        "words",
        "its like",
        "no moment",
    ],
)
def test_boxes(boxes: tuple[str, ...], more: dict[str, str], wrong: list[str]) -> None:
    asked = question("OSL", "object", "box", letters(*boxes), **{"stem": AT_13, **BOX, **more})
    assert broken(asked) == [("boxes", where) for where in wrong]


def test_box_texts() -> None:
    box = Box(x0=0.014, y0=0.05, x1=0.996, y1=0.68)
    assert box_text(box) == "[0.01, 0.05, 1.00, 0.68]"
    assert box_of(box_text(box)) == Box(x0=0.01, y0=0.05, x1=1.0, y1=0.68)
    assert iou(box, box) == pytest.approx(1.0)
    assert iou(box, Box(x0=0, y0=0.7, x1=1, y1=1)) == 0.0
    assert iou(Box(x0=0, y0=0, x1=0.5, y1=1), Box(x0=0.25, y0=0, x1=0.75, y1=1)) == pytest.approx(1 / 3)


# --- roles

ROLES = ("correct", "comprehension-error", "knowledge-error", "dual-error")


@pytest.mark.parametrize(
    ("roles", "key", "wrong"),
    [
        (ROLES, "A", []),
        (ROLES, "B", ["key"]),
        (("correct", "correct", "knowledge-error", "dual-error"), "A", ["options"]),
        (("correct", "dual-error", "knowledge-error", "dual-error"), "A", ["options"]),
        (("", "comprehension-error", "knowledge-error", "dual-error"), "A", ["options", "key"]),
        (("right", "comprehension-error", "knowledge-error", "dual-error"), "A", ["options", "key"]),
    ],
)
def test_the_four_roles_stand_once_each(roles: tuple[str, ...], key: str, wrong: list[str]) -> None:
    asked = question("SP", "science", "roles", WORDS, key=key, roles=roles)
    assert broken(asked) == [("option-roles", where) for where in wrong]


# --- prediction

CLIP = {"event_start_s": "45", "event_end_s": "60", "clip_start_s": "0", "clip_end_s": "45", "events_before": "3"}


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (CLIP, ""),
        ({**CLIP, "clip_end_s": "50"}, "would already show"),
        ({**CLIP, "clip_end_s": "0"}, "something comes before"),
        ({"event_start_s": "0", "event_end_s": "9", "events_before": "0"}, "something comes before"),
        ({**CLIP, "events_before": "1"}, "Only 1 events come before"),
        ({}, "Name the event"),
    ],
    ids=["sound", "shows the event", "empty clip", "first event", "too little before", "no event"],
)
def test_the_clip_ends_before_what_is_predicted(facts: dict[str, str], words: str) -> None:
    report = check(question("EP", "event", "text", WORDS, **facts), RuleContext())
    found = [violation.message for violation in report.violations]
    assert bool(found) == bool(words)
    assert all(words in message for message in found)
    assert not check(question("ED", "event", "text", WORDS), RuleContext()).violations


# --- wording


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("What does the host do in event 3?", True),
        ("What happens in segment #2?", True),
        ("According to the transcript, what is said?", True),
        ("What does TAG_A show?", True),
        ("According to the article, when was it built?", True),
        ("What does Wikipedia say of it?", True),
        ("视频中第3个事件是什么？", True),
        ("根据事件列表，先发生什么？", True),
        ("维基百科中如何介绍它？", True),
        ("文章中提到的年份是哪一年？", True),
        ("What happens at the sporting event?", False),
        ("Which article of clothing is blue?", False),
        ("How many objects fall?", False),
        ("视频中的事件发生在哪里？", False),
        ("这首歌是哪一年写的？", False),
        ("What is written in the newspaper?", False),
    ],
)
def test_a_question_speaks_of_the_video(text: str, found: bool) -> None:
    assert bool(notes_in(text)) == found


@pytest.mark.parametrize(
    ("language", "stem", "options", "wrong"),
    [
        ("en", "What is done with the boards?", WORDS, []),
        ("zh", "主持人如何处理木板？", letters("移动绳结", "剪断细线", "涂上颜色", "大声计数"), []),
        ("zh", "What is done with the boards?", WORDS, ["stem", "options"]),
        ("en", "主持人如何处理木板？", WORDS, ["stem"]),
        ("zh", "这首歌由哪个乐队演唱？", letters("Blur", "Oasis", "Pulp", "Suede"), []),
        ("fr", "Que fait-on avec les planches ?", WORDS, []),
        ("und", "主持人如何处理木板？", WORDS, []),
    ],
)
def test_a_question_is_in_the_videos_language(
    language: str, stem: str, options: dict[str, str], wrong: list[str]
) -> None:
    asked = question("ED", "event", "text", options, language=language, stem=stem)
    assert broken(asked) == [("in-language", where) for where in wrong]


def test_the_same_is_not_asked_twice() -> None:
    first = question("ED", "event", "text", WORDS)
    assert ("duplicate-stem", "stem") in broken(first, RuleContext(accepted_stems=(asked_about(first),)))
    order = question("ES", "event", "order", letters(*[TRUE] * 4), stem="In which order?", **ORDER)
    other = order.model_copy(update={"extra": {**order.extra, "order": json.dumps(["a saw", "a nail", "a plank"])}})
    assert "a board" in asked_about(order)
    context = RuleContext(accepted_stems=(asked_about(order),))
    assert ("duplicate-stem", "stem") in broken(order, context)
    assert ("duplicate-stem", "stem") not in broken(other, context)


@pytest.mark.parametrize(
    ("change", "rule_id"),
    [
        ({"options": {letter: Option(text=text) for letter, text in list(WORDS.items())[:3]}}, "option-letters"),
        ({"key": "E"}, "one-key"),
        ({"evidence": ""}, "evidence-length"),
        ({"evidence": "a" * 161}, "evidence-length"),
        ({"evidence": "One. Two. Three."}, "evidence-sentences"),
        ({"options": {x: Option(text=t) for x, t in {**WORDS, "D": "Both of the above"}.items()}}, "position-free"),
        ({"options": {x: Option(text=t) for x, t in {**WORDS, "D": WORDS["A"]}.items()}}, "duplicate-options"),
    ],
)
def test_the_common_rules_that_hold_here_too(change: dict[str, object], rule_id: str) -> None:
    asked = question("ED", "event", "text", WORDS).model_copy(update=change)
    assert rule_id in {rule for rule, _ in broken(asked)}


# --- what writers read


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("family", "type_id", "form", "only"),
    [
        ("event", "EL", "moment", "moments"),
        ("event", "ES", "order", "orders"),
        ("object", "OSL", "box", "boxes"),
        ("science", "SP", "roles", "option-roles"),
        ("event", "EP", "text", "prediction-cut"),
    ],
)
def test_a_writer_reads_the_rules_of_its_form(family: str, type_id: str, form: str, only: str, language: str) -> None:
    context = RuleContext(family=family, type_id=type_id, form=form)
    read = sentences(language, context)
    own = {rule.rule_id: rule.sentence(language, context) for rule in VIDEO_RULES}
    special = ("moments", "orders", "boxes", "option-roles", "prediction-cut")
    assert own[only] in read
    assert not [name for name in special if name != only and own[name] in read]
    assert not any("{" in sentence for sentence in read)
    assert not any("TAG_" in sentence for sentence in read)


def test_numbers_of_the_track_stand_in_the_sentences() -> None:
    context = RuleContext(family="event", type_id="EL", form="moment", time_gap_s=7.5)
    assert any("7.5 seconds" in sentence for sentence in sentences("en", context))
