"""Correcting a question: from the fields of a form to a new Question, which the rules then check.

An option keeps its two claims when its new text still joins two halves; otherwise the structure of that option is
gone, and rules that need it say "not checkable".
"""

import re
from typing import get_args

from records.base import Record
from records.errors import InputError
from records.media import Tag
from records.questions import Claim, Joiner, Letter, Option, Question, question_id, render_option

_MARKER = re.compile(r"\[FRAME:\s*(TAG_[A-Z])\s*#(\d+)\s*\]")


class EditForm(Record):
    """What a reviewer may change."""

    stem: str
    options: dict[Letter, str]
    key: Letter
    evidence: str = ""
    support: tuple[Tag, ...] = ()
    """Sources that support the key."""


def form_of(question: Question) -> EditForm:
    """A question as the form shows it."""
    return EditForm(
        stem=question.stem,
        options={letter: option.text for letter, option in question.options.items()},
        key=question.key,
        evidence=question.evidence,
        support=question.support_map.get(question.key, ()),
    )


def revised(question: Question, form: EditForm) -> Question:
    """The question as the form says, under an id that follows its new content.

    Raises InputError naming the field if nothing was changed, or if a text is empty or the key is no option.
    """
    clean = _cleaned(form)
    _refuse_unusable(question, clean)
    options = {letter: _option(question, letter, text) for letter, text in clean.options.items()}
    markers = tuple(dict.fromkeys(f"{tag} #{number}" for tag, number in _MARKER.findall(clean.evidence)))
    texts = tuple(clean.options.values())
    support = {letter: tags for letter, tags in question.support_map.items() if letter != question.key}
    return question.model_copy(
        update={
            "question_id": question_id(
                question.group_id, question.type_id, clean.stem, texts, clean.options[clean.key]
            ),
            "stem": clean.stem,
            "options": options,
            "key": clean.key,
            "evidence": clean.evidence,
            "evidence_frames": question.evidence_frames if clean.evidence == question.evidence else markers,
            "support_map": dict(sorted({**support, clean.key: clean.support}.items())),
        }
    )


def changes(before: Question, after: Question) -> tuple[tuple[str, str, str], ...]:
    """What differs between two revisions: (field, old text, new text), in the order of the page."""
    old, new = form_of(before), form_of(after)
    pairs = [
        ("stem", old.stem, new.stem),
        *((letter, old.options.get(letter, ""), text) for letter, text in new.options.items()),
        ("key", old.key, new.key),
        ("evidence", old.evidence, new.evidence),
        ("support", ", ".join(old.support), ", ".join(new.support)),
    ]
    return tuple(pair for pair in pairs if pair[1] != pair[2])


def _cleaned(form: EditForm) -> EditForm:
    return form.model_copy(
        update={
            "stem": " ".join(form.stem.split()),
            "options": {letter: " ".join(text.split()) for letter, text in form.options.items()},
            "evidence": " ".join(form.evidence.split()),
            "support": tuple(dict.fromkeys(form.support)),
        }
    )


def _refuse_unusable(question: Question, form: EditForm) -> None:
    if form == form_of(question):
        raise InputError("nothing was changed.", hint="Change a field, or close the form.")
    if not form.stem:
        raise InputError("stem: is empty.", hint="Write the question.")
    if set(form.options) != set(question.options):
        raise InputError(f"options: {', '.join(question.options)} are needed.")
    for letter, text in form.options.items():
        if not text:
            raise InputError(f"option {letter}: is empty.", hint="Write it, or discard the item by its scores.")
    if form.key not in form.options:
        raise InputError(f"key: {form.key!r} is not one of {', '.join(form.options)}.")
    unknown = sorted(set(form.support) - set(question.sources))
    if unknown and question.sources:
        raise InputError(f"support: {', '.join(unknown)} is no source of this group.")


def _option(question: Question, letter: Letter, text: str) -> Option:
    old = question.options[letter]
    if text == old.text:
        return old
    return Option(text=text, claims=_claims(old, text, question.language), role=old.role)


def _claims(old: Option, text: str, language: str) -> tuple[Claim, ...]:
    """The old claims with the new words, where the text still has as many halves at the old joint; else none."""
    joint = _joint(old, language)
    parts = text.rstrip("。.．").split(joint) if joint else []
    if not old.claims or len(parts) != len(old.claims) or not all(part.strip() for part in parts):
        return ()
    return tuple(claim.model_copy(update={"text": part.strip()}) for claim, part in zip(old.claims, parts, strict=True))


def _joint(option: Option, language: str) -> str:
    """What stands between an option's two claims, such as ", while "; empty if it cannot be told."""
    if len(option.claims) < 2:
        return ""
    for joiner in get_args(Joiner):
        if render_option(option.claims, joiner, language) == option.text:
            left, right = (Claim(text=mark, tags=(), modality="both") for mark in ("\x01", "\x02"))
            return render_option((left, right), joiner, language).split("\x01")[1].split("\x02")[0]
    return ""
