"""Questions that people wrote, from a file: the paper's output format as JSON or JSON lines, plain or structured.

``{"group": "calder", "type_id": "T2", "question": "…", "options": {"A": "…", …}, "correct_answer": "C", …}`` becomes a
Question; `adopt` then writes it in the tags of a group's evidence, so that it can take the place of a draft.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from records.errors import InputError
from records.media import Evidence, Frame, Tag, tag_of
from records.questions import Claim, Joiner, Modality, Option, Provenance, Question, question_id, render_option
from records.text import language_of
from rules.permutation import arranged
from rules.position import needs_pinning
from rules.tags import TAG, tags_in

PEOPLE = "people"
_LETTERS = "ABCDEFGHIJ"
_MARKER = re.compile(r"(TAG_[A-Z]) #(\d+)")


class _ClaimRow(BaseModel):
    model_config = ConfigDict(extra="ignore")

    text: str = Field(min_length=1)
    tags: tuple[str, ...] = ()
    modality: Modality = "both"


class _OptionRow(BaseModel):
    model_config = ConfigDict(extra="ignore")

    text: str = ""
    claims: tuple[_ClaimRow, ...] = ()
    role: str = ""


class _Row(BaseModel):
    """One question of a file, under any of the names that its fields have in use."""

    model_config = ConfigDict(extra="ignore")

    type_id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    options: dict[str, _OptionRow] = Field(min_length=2)
    correct_answer: str
    layer: str = "hard"
    evidence: str = ""
    support_map: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    evidence_frames: tuple[str, ...] = ()
    frame_times: dict[str, float] = Field(default_factory=dict)
    group: str = ""
    sources: dict[str, str] = Field(default_factory=dict)
    language: str = ""
    joiner: Joiner | None = None
    item_id: str = ""
    drafter: str = PEOPLE
    pinned: bool = False
    track: str = "news"
    extra: dict[str, str] = Field(default_factory=dict)

    @field_validator("options", mode="before")
    @classmethod
    def _options(cls, value: object) -> object:
        if isinstance(value, list):
            value = dict(zip(_LETTERS, value, strict=False))
        if isinstance(value, Mapping):
            return {key: {"text": option} if isinstance(option, str) else option for key, option in value.items()}
        return value

    @field_validator("sources", mode="before")
    @classmethod
    def _sources(cls, value: object) -> object:
        if isinstance(value, list):
            return {tag_of(place): video for place, video in enumerate(value)}
        return value

    @field_validator("correct_answer", mode="before")
    @classmethod
    def _answer(cls, value: object) -> object:
        return value.strip().strip("().").upper() if isinstance(value, str) else value


_NAMES = {
    "question": ("question", "stem"),
    "correct_answer": ("correct_answer", "answer", "key"),
    "group": ("group", "group_id"),
    "item_id": ("item_id", "question_id", "id"),
}


def read_drafts(path: Path, *, default_group: str = "") -> tuple[Question, ...]:
    """The questions of a file: one JSON object a line, a JSON array, or an object with ``questions`` or ``items``.

    `default_group` serves rows that name no group. Raises InputError naming the file and the line (JSON lines) or the
    number of the question (JSON), and the field.
    """
    questions: list[Question] = []
    seen: dict[str, str] = {}
    for where, value in _rows(Path(path)):
        question = _question(_row(value, where), default_group, where)
        name = question.provenance.external_id
        if name and name in seen:
            raise InputError(f"{where}: the id {name} was used before, in {seen[name]}.", hint="Ids must differ.")
        seen[name] = where
        questions.append(question)
    if not questions:
        raise InputError(f"{path}: there is no question in this file.", hint="One JSON object a line is expected.")
    return tuple(questions)


def adopt(question: Question, evidence: Evidence, *, order: tuple[str, ...] = (), seed: int | None = None) -> Question:
    """The question in the tags of this evidence, with its id; with a seed, its options in their deterministic order.

    Tags are followed through the question's own `sources`; without these, TAG_A is the first video of `order` (the
    group's video_ids). Video ids that are written out become tags. A frame with a known time becomes the nearest frame
    that there is. Raises InputError for a video that the group does not have.
    """
    here = {source.video_id: source.tag for source in evidence.sources}
    names = _new_names(question, here, order)
    frames = _frame_moves(question, evidence, names)
    moved = _rewritten(question, names, frames)
    pinned = moved.pinned or needs_pinning(moved)
    texts = tuple(option.text for option in moved.options.values())
    identity = question_id(evidence.group_id, moved.type_id, moved.stem, texts, moved.options[moved.key].text)
    adopted = moved.model_copy(
        update={
            "question_id": identity,
            "group_id": evidence.group_id,
            "sources": {source.tag: source.video_id for source in evidence.sources},
            "pinned": pinned,
            "extra": {key: value for key, value in moved.extra.items() if key != "frame_times"},
        }
    )
    return adopted if seed is None else arranged(adopted, seed)


def _rows(path: Path) -> Iterator[tuple[str, object]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path}: cannot be read ({error}).", hint="Give a JSON or JSON lines file in UTF-8."
        ) from error
    rows = _whole(text)
    if rows is None:
        yield from _lines(path, text)
    else:
        yield from ((f"{path}, question {number}", row) for number, row in enumerate(rows, start=1))


def _whole(text: str) -> list[Any] | None:
    """The file's questions if it is one JSON value; None for JSON lines."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    if isinstance(value, dict):
        return next((value[name] for name in ("questions", "items") if isinstance(value.get(name), list)), [value])
    return value if isinstance(value, list) else None


def _lines(path: Path, text: str) -> Iterator[tuple[str, object]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            yield f"{path}, line {number}", json.loads(line)
        except ValueError as error:
            raise InputError(
                f"{path}, line {number}: not JSON ({error}).", hint="Each line holds one JSON object."
            ) from error


def _row(value: object, where: str) -> _Row:
    if not isinstance(value, dict):
        raise InputError(f"{where}: a question is a JSON object.", hint="Its fields stand in docs/adding-a-type.md.")
    try:
        return _Row.model_validate(_renamed(value))
    except ValidationError as error:
        problem = error.errors()[0]
        field = ".".join(str(part) for part in problem["loc"]) or "question"
        said = "is missing" if problem["type"] == "missing" else problem["msg"]
        raise InputError(f"{where}: {field}: {said}.", hint=_FIELDS) from error


_FIELDS = (
    "Needed are type_id, question, options (A to D) and correct_answer; evidence, support_map, evidence_frames, "
    "group, sources and item_id are read too."
)


def _renamed(value: Mapping[str, object]) -> dict[str, object]:
    row = {key: item for key, item in value.items() if item is not None}
    for name, others in _NAMES.items():
        found = next((row[other] for other in others if other in row), None)
        if found is not None:
            row[name] = found
    return row | _with_claims(row)


def _with_claims(row: Mapping[str, object]) -> dict[str, object]:
    """Options with the claims and roles beside them (`option_claims`, `option_roles` of an exported item)."""
    options, claims, roles = row.get("options"), row.get("option_claims", {}), row.get("option_roles", {})
    if not (isinstance(options, dict) and isinstance(claims, dict) and isinstance(roles, dict) and (claims or roles)):
        return {}
    joined = {
        key: {"text": text, "claims": claims.get(key, ()), "role": roles.get(key, "")}
        for key, text in options.items()
        if isinstance(text, str)
    }
    return {"options": {**options, **joined}}


def _question(row: _Row, default_group: str, where: str) -> Question:
    group = row.group or default_group
    if not group:
        raise InputError(f"{where}: no group.", hint="Name the group's folder under `group`, or give one --group.")
    language = row.language or language_of(row.question)
    options = {letter: _option(option, row.joiner, language, where) for letter, option in sorted(row.options.items())}
    if row.correct_answer not in options:
        raise InputError(
            f"{where}: correct_answer is {row.correct_answer!r}, which is not the letter of an option.",
            hint=f"There are {', '.join(options)}.",
        )
    texts = tuple(option.text for option in options.values())
    return Question(
        question_id=question_id(group, row.type_id, row.question, texts, options[row.correct_answer].text),
        group_id=group,
        track=row.track,
        layer=row.layer,
        type_id=row.type_id,
        language=language,
        stem=row.question.strip(),
        options=options,
        key=row.correct_answer,
        evidence=row.evidence.strip(),
        support_map=row.support_map,
        evidence_frames=row.evidence_frames,
        sources=row.sources,
        pinned=row.pinned,
        provenance=Provenance(drafter=row.drafter or PEOPLE, external_id=row.item_id),
        extra={**row.extra, **({"frame_times": json.dumps(row.frame_times)} if row.frame_times else {})},
    )


def _option(row: _OptionRow, joiner: Joiner | None, language: str, where: str) -> Option:
    claims = tuple(
        Claim(text=claim.text, tags=claim.tags or tags_in(claim.text), modality=claim.modality) for claim in row.claims
    )
    text = row.text.strip()
    if not text and claims and joiner:
        text = render_option(claims, joiner, language)
    if not text:
        raise InputError(f"{where}: an option has no text.", hint="Give its text, or its claims and a joiner.")
    return Option(text=text, claims=claims, role=row.role)


def _new_names(question: Question, here: Mapping[str, Tag], order: tuple[str, ...]) -> dict[str, Tag]:
    """Every name that the question may use for a source (its tag, the video's id) → the tag of the evidence."""
    sources = dict(question.sources) or {tag_of(place): video for place, video in enumerate(order)}
    used = _tags_of(question)
    missing = [f"{tag} ({sources[tag]})" if tag in sources else tag for tag in used if sources.get(tag) not in here]
    if missing:
        who = question.provenance.external_id or question.question_id
        raise InputError(
            f"question {who}: {', '.join(missing)} is no usable source of its group.",
            hint="Let `sources` map each tag to a video id of the group.",
        )
    tags = {tag: here[video] for tag, video in sources.items() if video in here}
    return {**here, **tags}


def _tags_of(question: Question) -> tuple[Tag, ...]:
    texts = [question.stem, question.evidence, *(option.text for option in question.options.values())]
    texts += [tag for tags in question.support_map.values() for tag in tags] + list(question.evidence_frames)
    return tags_in(" ".join(texts))


def _frame_moves(question: Question, evidence: Evidence, names: Mapping[str, Tag]) -> dict[str, str]:
    """``TAG_A #3`` in the question's terms → the same picture in the evidence's terms, where its time is known."""
    times: dict[str, float] = json.loads(question.extra.get("frame_times", "{}"))
    moves = {}
    for marker, time_s in times.items():
        tag = names.get(marker.split(" #")[0])
        frames = evidence.source(tag).frames if tag else ()
        if tag and frames:
            moves[marker] = f"{tag} #{_nearest(frames, time_s).number}"
    return moves


def _nearest(frames: tuple[Frame, ...], time_s: float) -> Frame:
    return min(frames, key=lambda frame: (abs(frame.time_s - time_s), frame.number))


def _rewritten(question: Question, names: Mapping[str, Tag], frames: Mapping[str, str]) -> Question:
    words = sorted(names, key=len, reverse=True)
    pattern = re.compile(rf"(?<![A-Za-z0-9_-])(?:{'|'.join(map(re.escape, words))})(?![A-Za-z0-9_-])") if words else TAG

    def follow(text: str) -> str:
        parts = re.split(rf"({_MARKER.pattern})", text)
        kept = [part for place, part in enumerate(parts) if place % 4 in (0, 1)]
        return "".join(
            frames.get(part) or pattern.sub(lambda match: names.get(match[0], match[0]), part) for part in kept
        )

    return question.model_copy(
        update={
            "stem": follow(question.stem),
            "options": {letter: _followed(option, follow, names) for letter, option in question.options.items()},
            "evidence": follow(question.evidence),
            "support_map": {
                letter: tuple(names.get(tag, tag) for tag in tags) for letter, tags in question.support_map.items()
            },
            "evidence_frames": tuple(dict.fromkeys(follow(frame) for frame in question.evidence_frames)),
        }
    )


def _followed(option: Option, follow: Any, names: Mapping[str, Tag]) -> Option:
    claims = tuple(
        claim.model_copy(update={"text": follow(claim.text), "tags": tuple(names.get(tag, tag) for tag in claim.tags)})
        for claim in option.claims
    )
    return option.model_copy(update={"text": follow(option.text), "claims": claims})
