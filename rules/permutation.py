"""Moving options: one deterministic order for each question, and everything that names a letter moves along.

``arranged(question, seed)`` does not depend on the order in which the options came, so doing it twice changes
nothing. Order ``("C", "A", "B", "D")`` puts the option that was C first.
"""

import re
from collections.abc import Mapping

from records.base import canonical_json, digest
from records.questions import Letter, Question

Order = tuple[Letter, ...]

_LIST = r"[A-H](?![A-Za-z0-9_'’])(?:\s*(?:,|/|、|and|or|nor|&|和|与|或|及)+\s*[A-H](?![A-Za-z0-9_'’]))*"
_CHANCE = r"[A-H]\s*[:=]?\s*[01]?\.\d+"
_NAMED = re.compile(
    rf"(?<![A-Za-z_]){_CHANCE}(?:\s*[,;]?\s*(?:and\s+)?{_CHANCE})+"
    rf"|(?<![A-Za-z])(?:(?:options?|answers?|choices?|alternatives?|distractors?|letters?)\s*|选项\s*|答案\s*)\(?{_LIST}",
    re.IGNORECASE,
)
_LETTER = re.compile(r"(?<![A-Za-z_])[A-H](?![A-Za-z0-9_])")


def arranged(question: Question, seed: int) -> Question:
    """The question with its options in the one order that its id and a seed give; pinned questions stay as they are."""
    return question if question.pinned else permute(question, drawn_order(question, seed))


def drawn_order(question: Question, seed: int) -> Order:
    """The order in which `arranged` puts the options: by a hash of id, seed and option, so uniform over questions."""

    def place(letter: Letter) -> str:
        option = canonical_json(question.options[letter])
        return digest([question.question_id, seed, option, letter == question.key])

    return tuple(sorted(question.options, key=place))


def permute(question: Question, order: Order) -> Question:
    """The question with its options in a new order; key, support map and letters in the evidence follow.

    Raises ValueError if the order is not one of the question's letters, or if the question is pinned and would move.
    """
    letters = tuple(sorted(question.options))
    if tuple(sorted(order)) != letters:
        raise ValueError(f"an order of {', '.join(letters)} is needed, not of {', '.join(order)}")
    if question.pinned and order != letters:
        raise ValueError(f"question {question.question_id} is pinned: its options depend on their order")
    moves = dict(zip(order, letters, strict=True))
    support = {moves.get(letter, letter): tags for letter, tags in question.support_map.items()}
    return question.model_copy(
        update={
            "options": {new: question.options[old] for new, old in zip(letters, order, strict=True)},
            "key": moves.get(question.key, question.key),
            "support_map": dict(sorted(support.items())),
            "evidence": relabelled(question.evidence, moves),
        }
    )


def inverse(order: Order) -> Order:
    """The order that undoes another: permuting by both gives the same question."""
    places = dict(zip(order, sorted(order), strict=True))
    return tuple(places[letter] for letter in sorted(order))


def with_key_at(question: Question, letter: Letter) -> Question:
    """The question with its key under a given letter, moved by exchanging two options."""
    swap = {letter: question.key, question.key: letter}
    return permute(question, tuple(swap.get(each, each) for each in sorted(question.options)))


def relabelled(text: str, moves: Mapping[Letter, Letter]) -> str:
    """A text in which "option B", "options A and C" or 选项 B name the options by their new letters (old → new).

    So do two or more letters with a probability each, such as "A 0.48, B 0.52".
    """

    def follow(match: re.Match[str]) -> str:
        head = re.match(r"\D*?(?=\(?[A-H](?![A-Za-z]))", match[0])
        start = head.end() if head else 0
        return match[0][:start] + _LETTER.sub(lambda one: moves.get(one[0], one[0]), match[0][start:])

    return _NAMED.sub(follow, text)
