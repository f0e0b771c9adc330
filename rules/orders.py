"""Options that are orders of the same things: each a different order, the key the true one, and the truth unmistakable.

``["a", "b", "c"]`` in `extra["order"]` is the true order; option texts join the same phrases with an arrow.
Source: VideoVista-CulturalLingo E (event sequence, object temporal sequence).
"""

from itertools import pairwise

from records.questions import Question, Violation
from rules.base import Found, Rule, RuleContext, violation
from rules.facts import form_of, texts

ARROW = " → "
_APART = 0.001
"""Seconds; what begins at the same moment has no order."""
LEAST = 3
"""Fewer things have too few orders for four options that differ."""


def order_text(phrases: tuple[str, ...]) -> str:
    """An order as options write it."""
    return ARROW.join(phrases)


def _orders(question: Question, context: RuleContext) -> Found:
    if form_of(question) != "order":
        return ()
    true = texts(question.extra, "order")
    if not true:
        return None
    said = {letter: tuple(option.text.split(ARROW)) for letter, option in question.options.items()}
    strange = [letter for letter, order in said.items() if sorted(order) != sorted(true)]
    found = [_wrong(letter, f"Option {letter} must name every step exactly once.") for letter in strange]
    if len(set(true)) < max(LEAST, len(true)):
        found.append(_wrong("options", f"Order at least {LEAST} steps, each with a phrase of its own."))
    if len(set(said.values())) < len(said):
        found.append(_wrong("options", "Two options claim the same order; let all four differ."))
    if question.key in said and said[question.key] != true:
        found.append(_wrong(question.key, f"The true order is {order_text(true)}; make it the key."))
    return tuple(found) + _too_close(question, context)


def _too_close(question: Question, context: RuleContext) -> tuple[Violation, ...]:
    times = [float(time) for time in texts(question.extra, "order_times")]
    phrases = texts(question.extra, "order")
    close = [place for place, (one, two) in enumerate(pairwise(times)) if two - one < max(context.order_gap_s, _APART)]
    return tuple(
        _wrong("options", f"'{phrases[p]}' and '{phrases[p + 1]}' begin too close together; choose others.")
        for p in close
    )


def _wrong(where: str, message: str) -> Violation:
    return violation("orders", where, message)


ORDERS = Rule(
    "orders",
    {
        "en": "Name three to five steps once, each by a short phrase that says nothing about time or order. Every "
        "option is an order of all of them, no two alike; the key is the order in which they begin in the video.",
        "zh": "列出三到五个步骤，每个用一个不透露时间或先后的短语。每个选项都是全部步骤的一种排列，互不相同；"
        "正确选项是它们在视频中出现的先后顺序。",
    },
    _orders,
    source="VideoVista-CulturalLingo E (sequence)",
    applies=lambda context: context.form == "order",
)
