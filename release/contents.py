"""The content of a release as records: the items with balanced keys, their sources, decisions and reviews. Pure."""

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from records.base import Record, digest
from records.media import Frame, Group, Source, SourceEvidence
from records.questions import Question
from records.review import Review
from records.verdicts import Item
from release.balance import LetterCounts, balanced, letter_counts
from release.inputs import EvidenceLevel, ReleaseInput
from release.lines import CheckLine, ClaimLine, DecisionLine, FrameLine, ReleaseLine, ReviewLine, SourceLine
from release.policy import Case, Settled, cases, settle
from store.exports import deciding_unit, natural

_ARTICLE = "article"
"""The article's text is somebody's work like a transcript; its title and address always go out."""
_SAFE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"


class Contents(Record):
    """Everything that is written, before it is written."""

    items: tuple[ReleaseLine, ...]
    """Sorted by group, type and id."""
    sources: tuple[SourceLine, ...]
    """The sources of the groups that have items, sorted by group and place in it."""
    decisions: tuple[DecisionLine, ...]
    reviews: tuple[ReviewLine, ...]
    letters_before: LetterCounts
    letters: LetterCounts
    permuted: int
    """Items whose options were permuted for the balance."""


def contents(given: ReleaseInput) -> Contents:
    """What a release of this input holds."""
    found = _cases(given)
    settled = {case.item.item_id: _settled(case, given) for case in found}
    questions = {case.item.item_id: _latest(case) for case in found if settled[case.item.item_id].outcome == "released"}
    arranged = balanced(questions)
    released = [case for case in found if case.item.item_id in arranged]
    numbers = _numbers(given.reviews)
    lines = [_line(given, case, arranged[case.item.item_id], settled[case.item.item_id]) for case in released]
    return Contents(
        items=tuple(sorted(lines, key=lambda line: (line.group_id, natural(line.type_id), line.item_id))),
        sources=tuple(_sources(given, {line.group_id for line in lines})),
        decisions=tuple(_decision(settled[case.item.item_id], numbers) for case in found) if given.reviewed else (),
        reviews=_reviews(given, numbers) if given.reviewed else (),
        letters_before=letter_counts(questions.values()),
        letters=letter_counts(arranged.values()),
        permuted=sum(arranged[name] != question for name, question in questions.items()),
    )


def decided(given: ReleaseInput) -> tuple[Settled, ...]:
    """What is decided about every item, with the reviewers' own names in `needs`; for the team, not for the public."""
    return tuple(_settled(case, given) for case in _cases(given))


def media_name(group_id: str, video_id: str, ending: str) -> str:
    """The path of a source's file within a release: safe on every system, and different for different sources."""
    return str(PurePosixPath(_safe(group_id)) / (_safe(video_id) + ending))


def _safe(name: str) -> str:
    """A file name; where letters had to go, a hash keeps it unique."""
    clean = "".join(char if char in _SAFE else "_" for char in name).strip(".") or "_"
    return clean if clean == name else f"{clean}-{digest(name.encode())[:8]}"


def _cases(given: ReleaseInput) -> tuple[Case, ...]:
    ordered = sorted(
        given.items, key=lambda item: (item.question.group_id, natural(item.question.type_id), item.item_id)
    )
    videos = {
        group.group_id: tuple(source.video_id for source in group.sources if source.video_file)
        for group in given.groups
    }
    return cases(ordered, given.reviews, given.edits, given.assignments, videos)


def _settled(case: Case, given: ReleaseInput) -> Settled:
    if given.reviewed:
        return settle(case, given.sheet, given.policy)
    return Settled(
        item_id=case.item.item_id, group_id=case.item.question.group_id, type_id=case.item.question.type_id,
        outcome="released", revision=len(case.edits), reason="kept by the panel; not reviewed by people", reviewers=0,
    )  # fmt: skip


def _latest(case: Case) -> Question:
    return case.edits[-1].question if case.edits else case.item.question


def _line(given: ReleaseInput, case: Case, question: Question, settled: Settled) -> ReleaseLine:
    letters = sorted(question.options)
    claims = {letter: option.claims for letter, option in question.options.items() if option.claims}
    return ReleaseLine(
        item_id=case.item.item_id,
        question_id=question.question_id,
        revision=settled.revision,
        group_id=question.group_id,
        track=question.track,
        layer=question.layer,
        type_id=question.type_id,
        category=question.type_id,
        language=question.language,
        domain=given.domain(question.group_id),
        src=f"{question.track}/{question.group_id}",
        question=question.stem,
        options={letter: question.options[letter].text for letter in letters},
        correct_answer=question.key,
        answer=question.key,
        answer_index=letters.index(question.key),
        evidence=question.evidence,
        support_map=question.support_map,
        evidence_frames=question.evidence_frames,
        sources=question.sources,
        option_claims={
            letter: tuple(ClaimLine(**claim.model_dump()) for claim in claims[letter]) for letter in sorted(claims)
        },
        option_roles={letter: question.options[letter].role for letter in letters if question.options[letter].role},
        pinned=question.pinned,
        drafter=question.provenance.drafter,
        drafter_family=question.provenance.family,
        judges=tuple(sorted({verdict.model for verdict in case.item.verdicts})),
        judgement_set=case.item.judgement_set,
        checks=_checks(case.item),
        reviewers=settled.reviewers,
        extra={name: value for name, value in question.extra.items() if given.evidence == "full" or name != _ARTICLE},
    )


def _checks(item: Item) -> tuple[CheckLine, ...]:
    made = []
    for decision in item.decisions:
        unit = deciding_unit(decision)
        made.append(
            CheckLine(
                check=decision.check,
                outcome=decision.outcome,
                statistic=unit.statistic if unit else None,
                threshold=unit.threshold if unit else None,
            )
        )
    return tuple(made)


def _sources(given: ReleaseInput, used: set[str]) -> Iterable[SourceLine]:
    evidences = {evidence.group_id: evidence for evidence in given.evidences}
    for group in sorted(given.groups, key=lambda group: group.group_id):
        if group.group_id not in used:
            continue
        evidence = evidences.get(group.group_id)
        seen = {one.video_id: one for one in evidence.sources} if evidence else {}
        for source in group.sources:
            yield _source(given.evidence, group, source, seen.get(source.video_id))


def _source(level: EvidenceLevel, group: Group, source: Source, seen: SourceEvidence | None) -> SourceLine:
    transcript = source.transcript.text
    video = source.video_file
    whole = level == "full"
    ending = PurePosixPath(video).suffix.lower() if video else ""
    return SourceLine(
        group_id=group.group_id,
        topic=group.topic,
        domain=group.domain,
        video_id=source.video_id,
        title=source.title,
        outlet=source.outlet,
        platform=source.platform,
        date=source.date,
        url=source.url if source.url.startswith(("http://", "https://")) else "",
        license=source.license or "unknown",
        media="video" if video else "text",
        duration_s=source.duration_s,
        media_sha256=source.media_sha256 or "",
        media_file=f"media/{media_name(group.group_id, source.video_id, ending)}" if whole and video else "",
        language=source.transcript.language,
        transcript_origin=source.transcript.origin,
        transcript_characters=len(transcript),
        transcript_sha256=digest(transcript.encode()) if transcript else "",
        transcript_file=f"transcripts/{media_name(group.group_id, source.video_id, '.json')}"
        if whole and transcript
        else "",
        frames=tuple(_frame(level, frame) for frame in (seen.frames if seen else ())),
    )


def _frame(level: EvidenceLevel, frame: Frame) -> FrameLine:
    fields = {name: getattr(frame, name) for name in ("number", "time_s", "rank", "width", "height", "sha256")}
    return FrameLine(**fields, file="" if level == "none" else f"frames/{frame.sha256}.jpg")


def _numbers(reviews: Iterable[Review]) -> dict[str, str]:
    """Reviewer → ``reviewer-1`` …, in an order that says nothing about names."""
    names = sorted({review.reviewer for review in reviews}, key=lambda name: digest(["reviewer", name]))
    return {name: f"reviewer-{number}" for number, name in enumerate(names, start=1)}


def _decision(settled: Settled, numbers: Mapping[str, str]) -> DecisionLine:
    needs = tuple(_without_names(need, numbers) for need in settled.needs)
    fields = {name: getattr(settled, name) for name in DecisionLine.model_fields if name != "needs"}
    return DecisionLine(**fields, needs=needs)


def _without_names(need: str, numbers: Mapping[str, str]) -> str:
    name, space, rest = need.partition(" to ")
    return f"{numbers.get(name, 'a reviewer')} to {rest}" if space else need


def _reviews(given: ReleaseInput, numbers: Mapping[str, str]) -> tuple[ReviewLine, ...]:
    group_of = {item.item_id: item.question.group_id for item in given.items}
    videos = {
        group.group_id: [source.video_id for source in group.sources if source.video_file] for group in given.groups
    }
    return tuple(
        ReviewLine(
            item_id=review.item_id,
            revision=review.revision,
            reviewer=numbers[review.reviewer],
            role=review.role,
            native=review.native,
            scores=review.scores,
            watched=min(
                (review.watched.get(video, 0.0) for video in videos.get(group_of.get(review.item_id, ""), [])),
                default=1.0,
            ),
        )
        for review in sorted(given.reviews, key=lambda one: (one.item_id, one.revision, numbers[one.reviewer]))
    )
