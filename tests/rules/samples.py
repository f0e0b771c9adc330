"""A sound, structured question on two invented reports, and small changes to it."""

from typing import Any

from records.questions import Claim, Joiner, Modality, Option, Provenance, Question, render_option
from rules import RuleContext

CONTEXT = RuleContext(frames={"TAG_A": (1, 2, 3), "TAG_B": (1, 4), "TAG_C": ()})

A_TRUE = "TAG_A reports 22 people on the ferry"
A_FALSE = "TAG_A reports 26 people on the ferry"
B_TRUE = "TAG_B has it leave an hour after the storm warning"
B_FALSE = "TAG_B has it leave an hour ahead of the storm warning"


def claim(text: str, *tags: str, modality: Modality = "spoken") -> Claim:
    return Claim(text=text, tags=tags or (text[:5],), modality=modality)


def option(*claims: Claim, joiner: Joiner = "while", language: str = "en") -> Option:
    return Option(text=render_option(claims, joiner, language), claims=claims)


def sound(**changes: Any) -> Question:
    """Key C; each half of it also stands in a wrong option."""
    options = {
        "A": option(claim(A_TRUE), claim(B_FALSE)),
        "B": option(claim(A_FALSE), claim(B_TRUE)),
        "C": option(claim(A_TRUE), claim(B_TRUE)),
        "D": option(claim(A_FALSE), claim(B_FALSE)),
    }
    question = Question(
        question_id="q-1",
        group_id="ferry",
        type_id="T2",
        language="en",
        stem="How do the number aboard and the hour of departure compare (TAG_A vs TAG_B)?",
        options=options,
        key="C",
        evidence="TAG_A says 22 aboard; the ferry's clock in TAG_B reads 19:05 [FRAME: TAG_B #4].",
        support_map={"C": ("TAG_A", "TAG_B")},
        evidence_frames=("TAG_B #4",),
        sources={"TAG_A": "v1", "TAG_B": "v2", "TAG_C": "v3"},
        provenance=Provenance(drafter="test/drafter"),
    )
    return question.model_copy(update=changes)


def with_option(letter: str, new: Option, **changes: Any) -> Question:
    question = sound(**changes)
    return question.model_copy(update={"options": {**question.options, letter: new}})


def plain(*texts: str, **changes: Any) -> Question:
    """A question whose options come without claims."""
    return sound(
        options={letter: Option(text=text) for letter, text in zip("ABCDEFGH", texts, strict=False)}, **changes
    )
