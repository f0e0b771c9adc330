"""From two facts with a true and a false claim each to a drafted question with crossed options.

The four options are (true, true), (true, false), (false, true) and (false, false): whoever knows one source is left
with two. Letters are dealt by seed.
"""

import random

from offline.findings import Finding
from offline.reading import Material
from offline.voicing import evidence
from records.base import Record, digest
from records.media import Tag
from records.questions import Joiner


class Half(Record):
    """One half of the options: what the sources say, and the same with something changed."""

    tags: tuple[Tag, ...]
    true: str
    false: str
    why_false: str
    """What rules the false claim out, in words."""


class Composition(Record):
    """A question before its letters are dealt."""

    stem: str
    joiner: Joiner
    halves: tuple[Half, Half]
    facts: tuple[Finding, ...]
    """The facts that the key rests on, for evidence and frames."""
    reasoning: str


def question_fields(composed: Composition, material: Material, seed: str, limit: int = 160) -> dict[str, object]:
    """The fields of a question reply, with evidence of at most `limit` characters."""
    first, second = composed.halves
    options = [
        (_claims(composed, True, True), ""),
        (_claims(composed, True, False), second.why_false),
        (_claims(composed, False, True), first.why_false),
        (_claims(composed, False, False), f"{first.why_false} {second.why_false}"),
    ]
    order = list(range(4))
    random.Random(int(digest(["letters", seed])[:12], 16)).shuffle(order)
    letters = dict(zip("ABCD", order, strict=True))
    key = next(letter for letter, place in letters.items() if place == 0)
    line, frames = evidence(composed.facts, material, limit)
    return {
        "stem": composed.stem,
        "joiner": composed.joiner,
        "options": {
            letter: {"claims": options[place][0], "fails_because": options[place][1]}
            for letter, place in letters.items()
        },
        "correct_answer": key,
        "evidence": line,
        "support_map": {key: sorted({tag for half in composed.halves for tag in half.tags})},
        "evidence_frames": list(frames),
    }


def _claims(composed: Composition, first: bool, second: bool) -> list[dict[str, object]]:
    chosen = zip(composed.halves, (first, second), strict=True)
    return [
        {"text": half.true if holds else half.false, "tags": list(half.tags), "modality": "spoken"}
        for half, holds in chosen
    ]
