"""Options that are boxes: valid, the right one where the object was measured, the wrong ones elsewhere.

``[0.01, 0.05, 0.99, 0.68]`` is x0, y0, x1, y1 as shares of the frame. Source: VideoVista-CulturalLingo E (object
spatial localization).
"""

from itertools import combinations

from records.questions import Letter, Question, Violation
from records.video import Box
from rules.base import Found, Rule, RuleContext, violation
from rules.clock import clock, moments_in
from rules.facts import box_of, form_of, iou, number


def _boxes(question: Question, context: RuleContext) -> Found:
    if form_of(question) != "box":
        return ()
    measured = box_of(question.extra.get("box", ""))
    if measured is None:
        return None
    boxes = {letter: box_of(option.text) for letter, option in question.options.items()}
    invalid = [letter for letter, box in boxes.items() if box is None]
    if invalid:
        return tuple(_wrong(letter, _invalid(letter)) for letter in invalid)
    known = {letter: box for letter, box in boxes.items() if box is not None}
    return (
        *_key(question.key, known, measured, context),
        *_distractors(question, known, measured, context),
        *_alike(known, context),
        *_moment(question, context),
    )


def _invalid(letter: Letter) -> str:
    return f"Option {letter} is no box: give x0, y0, x1, y1 from 0 to 1 with x0 < x1 and y0 < y1."


def _key(key: Letter, boxes: dict[Letter, Box], measured: Box, context: RuleContext) -> tuple[Violation, ...]:
    if key not in boxes or iou(boxes[key], measured) >= context.key_iou:
        return ()
    return (_wrong(key, "The key is not the box that was measured; give exactly that one."),)


def _distractors(
    question: Question, boxes: dict[Letter, Box], measured: Box, context: RuleContext
) -> tuple[Violation, ...]:
    others = [box for text in question.extra.get("other_boxes", "").split(";") if (box := box_of(text))]
    found = []
    for letter, box in boxes.items():
        if letter == question.key:
            continue
        if iou(box, measured) >= context.most_iou:
            found.append(_wrong(letter, f"Option {letter} overlaps the right box too much; move or resize it."))
        if any(iou(box, other) >= context.most_iou for other in others):
            found.append(_wrong(letter, f"Option {letter} shows another object of the same name; move it."))
    return tuple(found)


def _alike(boxes: dict[Letter, Box], context: RuleContext) -> tuple[Violation, ...]:
    pairs = [(a, b) for a, b in combinations(sorted(boxes), 2) if iou(boxes[a], boxes[b]) >= context.key_iou]
    return tuple(_wrong("options", f"Options {a} and {b} are the same box.") for a, b in pairs)


def _moment(question: Question, context: RuleContext) -> tuple[Violation, ...]:
    asked = number(question.extra, "event_start_s")
    if asked is None or any(abs(time - asked) <= context.time_tolerance_s for time in moments_in(question.stem)):
        return ()
    return (violation("boxes", "stem", f"Name the moment, {clock(asked)}, in the stem."),)


def _wrong(where: str, message: str) -> Violation:
    return violation("boxes", where, message)


BOXES = Rule(
    "boxes",
    {
        "en": "The options are boxes x0, y0, x1, y1 as shares of the frame, with x0 < x1 and y0 < y1. The key is the "
        "measured box as it stands; each wrong box overlaps it by less than {most_iou:g} (intersection over union) and "
        "shows no other object of that name. The stem names the moment in the form 0:00:13.",
        "zh": "选项为边界框 x0, y0, x1, y1（占画面的比例，x0 < x1，y0 < y1）。正确选项照录测得的边界框；"
        "错误边界框与它的交并比小于 {most_iou:g}，也不框住同名的其他物体。题干写明时刻，形式如 0:00:13。",
    },
    _boxes,
    source="VideoVista-CulturalLingo E (object spatial localization)",
    applies=lambda context: context.form == "box",
)
