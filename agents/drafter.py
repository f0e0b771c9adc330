"""The drafter: from a group's evidence to a request for one question, and from its reply to a Question.

draft_request → (gateway) → read_draft → Question | Declined | Unreadable; a draft that breaks rules goes back with
redraft_request. Pure: nothing is asked here, and the rules are read by whoever calls.
"""

import re
from collections.abc import Mapping
from typing import Any

from agents.showing import language_name, shown_frames, source_parts
from prompts import render, sha256
from prompts.taskheads import TaskHead, load_taskheads, taxonomy
from records.base import Record, digest
from records.calls import Part, QuotedPart, Reply, Request, SpecPart, TextPart
from records.config import ModelSpec, Panel, Track
from records.media import Evidence
from records.questions import (
    Claim,
    Letter,
    Option,
    Provenance,
    Question,
    RuleReport,
    Violation,
    question_id,
    render_option,
)
from records.replies import DraftReply, OptionReply, QuestionReply
from rules import RuleContext, sentences
from rules.permutation import arranged

_FRAME = re.compile(r"(TAG_[A-Z])\s*#\s*(\d+)")
_FILES = ("drafter/system", "drafter/task", "drafter/reply", "drafter/redraft")


class Declined(Record):
    """No question, and that is no error: the drafter, or a precondition, says why this type cannot be asked."""

    reason: str


class Unreadable(Record):
    """A reply that held neither a question nor a reason; its report sends it back."""

    report: RuleReport


def impossible(head: TaskHead, evidence: Evidence, model: ModelSpec, panel: Panel) -> Declined | None:
    """Why this type cannot be asked of this group by this drafter at all, known before any call; None if it can."""
    if len(evidence.sources) < head.min_sources:
        return Declined(reason=f"{head.id} needs {head.min_sources} sources; this group has {len(evidence.sources)}.")
    with_frames = sum(bool(frames) for frames in shown_frames(evidence, model, panel.views.draft).values())
    if head.needs_frames and not with_frames:
        why = "the drafter takes no images" if not model.images else "no source has frames"
        return Declined(reason=f"{head.id} needs frames, but {why}.")
    return None


def rule_context(
    head: TaskHead,
    evidence: Evidence,
    model: ModelSpec,
    panel: Panel,
    *,
    accepted_stems: tuple[str, ...] = (),
    track: Track | None = None,
) -> RuleContext:
    """What the rules must know about a draft of this type: the frames are those that this drafter is shown."""
    frames = shown_frames(evidence, model, panel.views.draft)
    return RuleContext(
        frames={tag: tuple(frame.number for frame in found) for tag, found in frames.items()},
        visual_options=head.visual_claims,
        min_sources=head.min_sources,
        evidence_characters=track.evidence_characters if track else 160,
        evidence_sentences=track.evidence_sentences if track else 2,
        accepted_stems=accepted_stems,
        joiners=head.joiners,
    )


def draft_request(
    head: TaskHead,
    evidence: Evidence,
    model: ModelSpec,
    panel: Panel,
    *,
    n: int,
    accepted_stems: tuple[str, ...] = (),
    seed: int = 0,
    heads: Mapping[str, TaskHead] | None = None,
    track: Track | None = None,
) -> Request:
    """The request for the n-th question (from 1) of a type: VNU-Bench 2.3, with the evidence first.

    The system text, the transcripts and the frames are the same for all types of a group (`prefix_parts`), so that a
    server with a prefix cache reads them once; the task head, the common rules and the accepted stems follow.
    """
    context = rule_context(head, evidence, model, panel, accepted_stems=accepted_stems, track=track)
    prefix = source_parts(evidence, model, panel.views.draft)
    return Request(
        task="draft",
        model=model,
        system=render("drafter/system", taxonomy=taxonomy(heads or load_taskheads())),
        parts=(*prefix, *_task_parts(head, evidence, context), _spec(head, evidence, context, n, seed)),
        prefix_parts=len(prefix),
        reply_model=DraftReply,
        repair="instructor",
        temperature=panel.draft_temperature,
        sample=n - 1,
        group_id=evidence.group_id,
        unit=f"{head.id}/{n}",
    )


def redraft_request(previous: Request, raw: str, report: RuleReport) -> Request:
    """The same request with the draft that broke rules and what it broke; the shared prefix stays as it was."""
    kept = tuple(part for part in previous.parts if not _belongs_to_redraft(part))
    spec = next((part.values for part in kept if isinstance(part, SpecPart)), {})
    attempt = int(spec.get("attempt", 1)) + 1
    lines = [f"- {violation.where}: {violation.message}" for violation in report.violations]
    values = {**spec, "attempt": attempt, "violations": [violation.rule_id for violation in report.violations]}
    parts: tuple[Part, ...] = (
        *(part for part in kept if not isinstance(part, SpecPart)),
        QuotedPart(name="previous-draft", text=raw),
        QuotedPart(name="violations", text="\n".join(lines)),
        TextPart(text=render("drafter/redraft", count=len(lines))),
        SpecPart(values=values),
    )
    return previous.model_copy(update={"parts": parts})


def read_draft(
    reply: Reply | DraftReply,
    head: TaskHead,
    evidence: Evidence,
    model: ModelSpec,
    *,
    seed: int = 0,
    request_id: str = "",
    attempt: int = 1,
    track: str = "news",
) -> Question | Declined | Unreadable:
    """The reply as a Question with rendered options, moved into the one order that its id and the seed give.

    Tags and letters stay as the drafter wrote them, even wrong ones: the rules say so.
    """
    value = reply.value if isinstance(reply, Reply) else reply
    if not isinstance(value, DraftReply):
        raise TypeError(f"a draft is read from a DraftReply, not from a {type(value).__name__}")
    if value.question is None:
        return Declined(reason=value.declined.strip()) if value.declined.strip() else _nothing_said()
    provenance = Provenance(
        drafter=model.model,
        family=model.family,
        prompt_sha256=prompt_sha256(head),
        attempt=attempt,
        request_id=reply.request_id if isinstance(reply, Reply) else request_id,
    )
    return arranged(_question(value.question, head, evidence, provenance, track), seed)


def prompt_sha256(head: TaskHead) -> str:
    """One hash over everything that words a draft's prompt: the head, the prompt files, the rules' sentences."""
    return digest([head.sha256, *(sha256(name) for name in _FILES), list(sentences("en")), list(sentences("zh"))])


def _task_parts(head: TaskHead, evidence: Evidence, context: RuleContext) -> tuple[Part, ...]:
    task = render(
        "drafter/task",
        type_id=head.id,
        name=head.name,
        family=head.family,
        body=head.body,
        min_sources=head.min_sources,
        option_shape=head.option_shape,
        joiners=", ".join(head.joiners),
        decline_when=head.decline_when,
        rules=sentences(evidence.language, context),
    )
    accepted = context.accepted_stems
    stems = (QuotedPart(name="accepted-stems", text="\n".join(f"- {stem}" for stem in accepted)),) if accepted else ()
    reply = render(
        "drafter/reply",
        accepted=bool(accepted),
        language=language_name(evidence.language),
        joiners=", ".join(head.joiners),
    )
    return (TextPart(text=task), *stems, TextPart(text=reply))


def _spec(head: TaskHead, evidence: Evidence, context: RuleContext, n: int, seed: int) -> SpecPart:
    """What the offline drafter reads in place of the prompt."""
    values: dict[str, Any] = {
        "type_id": head.id,
        "family": head.family,
        "language": evidence.language,
        "n": n,
        "seed": seed,
        "tags": list(evidence.tags),
        "frames": {tag: list(numbers) for tag, numbers in context.frames.items()},
        "min_sources": head.min_sources,
        "visual_claims": head.visual_claims,
        "joiners": list(head.joiners),
        "evidence_characters": context.evidence_characters,
        "evidence_sentences": context.evidence_sentences,
        "accepted_stems": list(context.accepted_stems),
        "attempt": 1,
        "violations": [],
    }
    return SpecPart(values=values)


def _belongs_to_redraft(part: Part) -> bool:
    if isinstance(part, QuotedPart):
        return part.name in ("previous-draft", "violations")
    return isinstance(part, TextPart) and part.text.startswith(_redraft_opening())


def _redraft_opening() -> str:
    return render("drafter/redraft", count=0).split(" breaks ")[0]


def _nothing_said() -> Unreadable:
    message = "The reply held neither a question nor a reason to decline; give one of the two."
    return Unreadable(
        report=RuleReport(violations=(Violation(rule_id="no-question", where="options", message=message),))
    )


def _question(
    drafted: QuestionReply, head: TaskHead, evidence: Evidence, provenance: Provenance, track: str
) -> Question:
    language = evidence.language
    options: dict[Letter, Option] = {
        letter: _option(drafted.options[letter], drafted, language) for letter in sorted(drafted.options)
    }
    stem, key = drafted.stem.strip(), drafted.correct_answer
    texts = tuple(option.text for option in options.values())
    key_text = options[key].text if key in options else ""
    return Question(
        question_id=question_id(evidence.group_id, head.id, stem, texts, key_text),
        group_id=evidence.group_id,
        track=track,
        type_id=head.id,
        language=language,
        stem=stem,
        options=options,
        key=key,
        evidence=drafted.evidence.strip(),
        support_map={letter: tuple(dict.fromkeys(tags)) for letter, tags in drafted.support_map.items()},
        evidence_frames=tuple(dict.fromkeys(_frame(frame) for frame in drafted.evidence_frames)),
        sources={source.tag: source.video_id for source in evidence.sources},
        provenance=provenance,
    )


def _option(reply: OptionReply, drafted: QuestionReply, language: str) -> Option:
    claims = tuple(
        Claim(text=claim.text.strip(), tags=tuple(dict.fromkeys(claim.tags)), modality=claim.modality)
        for claim in reply.claims
    )
    return Option(text=render_option(claims, drafted.joiner, language), claims=claims)


def _frame(text: str) -> str:
    """``TAG_A #3`` from ``[FRAME: TAG_A #3]`` and the like; anything else stays for the rules to refuse."""
    found = _FRAME.search(text)
    return f"{found[1]} #{int(found[2])}" if found else text.strip()
