"""In which order a judge sees the options. One deterministic permutation a call; letters are always the Question's.

``shown_order(question, "gpt", "TAG_A")`` gives such as ``("C", "A", "D", "B")``: what stands at A is the Question's C.
"""

import random

from records.base import digest
from records.questions import Letter, Question


def shown_order(question: Question, seat: str, unit: str) -> tuple[Letter, ...]:
    """A permutation that depends on the question's id, the seat and the unit alone; pinned options stay."""
    letters = list(question.options)
    if not question.pinned:
        random.Random(digest(["shown-order", question.question_id, seat, unit])).shuffle(letters)
    return tuple(letters)


def rotated_order(question: Question, rotation: int) -> tuple[Letter, ...]:
    """The options moved on by `rotation` places: over all rotations each stands once in each place (CircularEval)."""
    letters = tuple(question.options)
    return letters[rotation:] + letters[:rotation]


def shown_letter(letter: Letter, question: Question, order: tuple[Letter, ...]) -> Letter:
    """The letter under which a judge sees the Question's `letter`. Raises ValueError for a letter it does not have."""
    return tuple(question.options)[order.index(letter)]
