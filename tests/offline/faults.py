"""Faults planted by code into sound drafts: one source settles it, a clause-swapped twin of the key, a told key.

Each function gives questions that are sound but for the one fault. Works on structured questions of two halves.
"""

from collections.abc import Iterator

from media.quantities import numbers
from offline.numerals import read_numeral, write_like
from records.questions import Claim, Option, Question, render_option
from rules.options import joiner_of


def settled_by_one_source(question: Question) -> Iterator[Question]:
    """The claim about one source is true in the key alone, or the only one that varies at all."""
    first, second = question.options[question.key].claims
    wrong = [letter for letter in question.options if letter != question.key]
    for kept, varied, order in ((second, first, 1), (first, second, -1)):
        others = altered(varied, 3)
        if len(others) == 3:
            pairs = [(other, kept)[::order] for other in others]
            yield with_options(question, dict(zip(wrong, pairs, strict=True)))
            false = next(c for o in question.options.values() for c in o.claims if c.tags == kept.tags and c != kept)
            pairs = [(others[0], kept)[::order], (others[1], false)[::order], (others[2], kept)[::order]]
            yield with_options(question, dict(zip(wrong, pairs, strict=True)))
            false = (altered(kept, 3) * 3)[:3] or [false] * 3
            pairs = [(other, b)[::order] for other, b in zip(others, false, strict=True)]
            yield with_options(question, dict(zip(wrong, pairs, strict=True)))


def altered(claim: Claim, count: int) -> list[Claim]:
    """The claim with other values in place of its first changeable one."""
    found: list[Claim] = []
    for quantity in numbers(claim.text):
        form = read_numeral(quantity.text, last=quantity.kind == "date")
        if form is None or quantity.kind in ("label", "ordinal"):
            continue
        for factor in (1.4, 0.6, 0.8, 1.8, 0.4, 2.5, 3, 0.2):
            amount = round(form.amount * factor, form.decimals) if form.amount < 20 else round(form.amount * factor, -1)
            value = write_like(form, amount)
            if value and value != quantity.text and amount >= 2 and not (quantity.kind == "date" and amount > 28):
                found.append(
                    claim.model_copy(update={"text": claim.text[: quantity.start] + value + claim.text[quantity.end :]})
                )
        unique = list({one.text: one for one in found}.values())
        if len(unique) >= count:
            return unique[:count]
        found = []
    return []


def with_twin(question: Question) -> Iterator[Question]:
    """A wrong option becomes the key with its clauses swapped."""
    claims = question.options[question.key].claims
    for letter in question.options:
        if letter != question.key:
            yield with_options(question, {letter: claims[::-1]})


def with_told_key(question: Question) -> Iterator[Question]:
    """The stem says what the key says, in three manners."""
    first, second = (claim.text for claim in question.options[question.key].claims)
    if question.language == "zh":
        tellings = (f"已知{first}，且{second}。", f"{first}；{second}。", f"既然{second}，又有{first}，")
    else:
        key = question.options[question.key].text
        yield question.model_copy(update={"stem": f"{question.stem} ({key})"})
        yield question.model_copy(update={"stem": f"{key[:-1]}: {question.stem}"})
        tellings = (
            f"Given that {first} and that {second}: ",
            f"{first}. {second}. ",
            f"It is known that {second}, and that {first}. ",
        )
    for telling in tellings:
        yield question.model_copy(update={"stem": telling + question.stem})


def with_options(question: Question, pairs: dict[str, tuple[Claim, ...]]) -> Question:
    joiner = joiner_of(question.options.values(), question.language)
    assert joiner
    changed = {
        letter: Option(text=render_option(claims, joiner, question.language), claims=tuple(claims))
        for letter, claims in pairs.items()
    }
    return question.model_copy(update={"options": {**question.options, **changed}})
