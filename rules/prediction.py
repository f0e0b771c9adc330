"""Event prediction: the clip ends before the event that is asked for, after enough has been shown to expect it.

Source: VideoVista-CulturalLingo 3.2 and E (event prediction).
"""

from records.questions import Question
from rules.base import Found, Rule, RuleContext, violation
from rules.facts import number, span

PREDICTION = "EP"


def _cut(question: Question, context: RuleContext) -> Found:
    if question.type_id != PREDICTION:
        return ()
    event = span(question.extra, "event_start_s", "event_end_s")
    clip = span(question.extra, "clip_start_s", "clip_end_s")
    if event is None:
        return (violation("prediction-cut", "stem", "Name the event that is to be predicted by its number."),)
    if clip is None or clip[0] == clip[1]:
        return (
            violation("prediction-cut", "stem", "Predict an event that something comes before, not the first one."),
        )
    if clip[1] > event[0]:
        return (violation("prediction-cut", "stem", "The clip would already show the event that is to be predicted."),)
    before = number(question.extra, "events_before") or 0
    if before < context.least_before:
        message = f"Only {before:g} events come before; predict one with at least {context.least_before} before it."
        return (violation("prediction-cut", "stem", message),)
    return ()


PREDICTION_CUT = Rule(
    "prediction-cut",
    {
        "en": "Predict an event with at least {least_before} events before it; give its number. The clip that solvers "
        "see ends where that event begins, so nothing from then on may be needed or told.",
        "zh": "所预测的事件之前至少有 {least_before} 个事件；给出其编号。答题者看到的片段在该事件开始处结束，"
        "其后的内容不得成为依据，也不得透露。",
    },
    _cut,
    source="VideoVista-CulturalLingo E (event prediction)",
    applies=lambda context: context.type_id == PREDICTION,
)
