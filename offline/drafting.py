"""The drafter's entry: from the evidence and the slot's facts to a draft, or to a reason why there is none.

Served: T2 (facts compared), T7 (a claim against another source's figure or denial), T8 (dated or timed events put in
order). All other types need an understanding of stance, picture or story that this method does not have, and are
declined.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from offline import chronology, comparison, conflict
from offline.composing import Composition, question_fields
from offline.reading import Material
from records.base import content_id
from records.questions import Claim, Joiner, Option, Provenance, Question, render_option
from records.replies import QuestionReply
from records.text import primary_language
from rules import RuleContext, check, crossed
from rules.duplicates import stem_overlap

_LANGUAGES = ("en", "zh", "yue", "cmn", "und", "")
_SPARE = 12
"""Questions composed beyond what is wanted, for those that break a rule."""
_DECLINED = {
    "T1": "comparing main claims needs an understanding of what a report concludes",
    "T3": "comparing pictures needs a model that sees them",
    "T4": "comparing perspectives needs an understanding of tone and emphasis",
    "T5": "comparing voice and picture needs a model that sees the frames",
    "T6": "joining spoken and shown evidence needs a model that sees the frames",
    "T9": "rebuilding a story needs an understanding of cause and consequence",
    "T10": "a summary of agreement and difference needs a judgement of what matters most",
}
_SERVED: dict[str, tuple[Callable[[Material, str], Iterator[Composition]], str]] = {
    "T2": (comparison.compositions, comparison.NO_FACTS),
    "T7": (conflict.compositions, conflict.NO_CONFLICT),
    "T8": (chronology.compositions, chronology.NO_ORDER),
}


def draft(material: Material, spec: dict[str, Any]) -> dict[str, object]:
    """The fields of a draft reply: a question that keeps the common rules and is crossed, or a reason to decline.

    `spec` gives type_id, n (from 1), seed, attempt, accepted_stems, frames and the rules' numbers. Slot n of a type
    gets the n-th question that a group yields, those counted that were accepted before; a redraft gets the next.
    """
    type_id = str(spec.get("type_id", ""))
    if type_id not in _SERVED:
        why = _DECLINED.get(type_id, "this method knows no such type")
        return _declined(f"The extractive drafter does not serve {type_id}: {why}.")
    language = str(spec.get("language", "und"))
    if primary_language(language) not in _LANGUAGES:
        return _declined(f"The extractive drafter writes English and Chinese; this group is in {language}.")
    compose, nothing = _SERVED[type_id]
    seed = f"{spec.get('seed', 0)}/{type_id}"
    accepted = tuple(spec.get("accepted_stems", ()))
    wanted = int(spec.get("n", 1)) + int(spec.get("attempt", 1)) - 1
    candidates = list(islice(compose(material, seed), 3 * (wanted + len(accepted)) + _SPARE))
    fresh = [one for one in candidates if not stem_overlap(one.stem, accepted)]
    wanted -= len(candidates) - len(fresh)
    sound = islice(_sound(fresh, material, spec, seed), max(0, wanted - 1), None)
    found = next(sound, None)
    if found is None:
        return _declined(nothing if not candidates else "The group yields no further question of this type.")
    return {"reasoning": found[0].reasoning, "declined": "", "question": found[1]}


def _declined(reason: str) -> dict[str, object]:
    return {"reasoning": "Facts were looked for in the sentences of each source.", "declined": reason, "question": None}


def _sound(
    compositions: Iterable[Composition], material: Material, spec: dict[str, Any], seed: str
) -> Iterator[tuple[Composition, dict[str, object]]]:
    """The questions that keep the rules and are crossed."""
    limit, joiners = int(spec.get("evidence_characters", 160)), tuple(spec.get("joiners", ()))
    for composition in compositions:
        composed = _joined(composition, joiners)
        fields = question_fields(composed, material, f"{seed}/{composed.stem}", limit)
        if _keeps_rules(fields, material, spec):
            yield composed, fields


def _joined(composed: Composition, joiners: tuple[Joiner, ...]) -> Composition:
    """With a joiner that the type allows."""
    return composed if not joiners or composed.joiner in joiners else composed.model_copy(update={"joiner": joiners[0]})


def _keeps_rules(fields: dict[str, object], material: Material, spec: dict[str, Any]) -> bool:
    question = as_question(QuestionReply.model_validate(fields), material, str(spec.get("type_id", "")))
    report = check(question, rule_context(material, spec))
    return not report.violations and crossed(question) is None


def rule_context(material: Material, spec: dict[str, Any]) -> RuleContext:
    """What the rules know of a slot: the frames shown, the stems accepted before it, the type's own numbers."""
    given = {name: spec[name] for name in ("min_sources", "evidence_characters", "evidence_sentences") if name in spec}
    return RuleContext(
        frames={tag: tuple(frame.number for frame in shown) for tag, shown in material.frames.items()},
        visual_options=int(spec.get("visual_claims", 0)),
        accepted_stems=tuple(spec.get("accepted_stems", ())),
        joiners=tuple(spec.get("joiners", ())),
        **given,
    )


def as_question(reply: QuestionReply, material: Material, type_id: str) -> Question:
    """A drafted question as the rules read it, without ids."""
    options = {}
    for letter, option in reply.options.items():
        claims = tuple(Claim(text=c.text, tags=tuple(c.tags), modality=c.modality) for c in option.claims)
        options[letter] = Option(text=render_option(claims, reply.joiner, material.language), claims=claims)
    return Question(
        question_id=content_id("q", reply), group_id="", type_id=type_id, language=material.language, stem=reply.stem,
        options=options, key=reply.correct_answer, evidence=reply.evidence,
        support_map={letter: tuple(tags) for letter, tags in reply.support_map.items()},
        evidence_frames=tuple(reply.evidence_frames), sources={tag: tag for tag in material.tags},
        provenance=Provenance(drafter="offline/extractive"),
    )  # fmt: skip
