"""items.jsonl, rejected.jsonl and undecided.jsonl of a run: sorted, whole or not at all, equal content equal bytes.

Example: ``write_exports(run, "main")`` writes the three files into the run's folder and gives their line counts.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from records.base import Record, digest
from records.config import Panel
from records.media import Evidence, Group
from records.questions import DraftRecord, Question
from records.verdicts import Check, Decision, Item, UnitDecision
from store.files import replacing
from store.ledger import request_costs
from store.lines import (
    ClaimLine,
    DecisionLine,
    ItemLine,
    Line,
    RejectedBy,
    RejectedLine,
    UndecidedLine,
    UnitLine,
)
from store.run import Run

FILES = {"kept": "items.jsonl", "rejected": "rejected.jsonl", "undecided": "undecided.jsonl"}

_DRAFT_REASONS: dict[str, RejectedBy] = {
    "rejected-by-rules": "rules", "duplicate": "duplicate", "declined": "declined", "failed": "failed",
}  # fmt: skip


class ExportCounts(Record):
    """Lines written to each file."""

    kept: int
    rejected: int
    undecided: int


def write_exports(run: Run, set_name: str, folder: Path | None = None) -> ExportCounts:
    """Write the three files of a judgement set, by default where `output_folder` says.

    Each file appears at once under its name (a temporary file that is renamed), so that a reader never sees half.
    """
    lines = export_lines(run, set_name)
    by_status = {status: [line for line in lines if line.status == status] for status in FILES}
    into = folder or output_folder(run, set_name)
    into.mkdir(parents=True, exist_ok=True)
    for status, name in FILES.items():
        write_lines(into / name, by_status[status])
    return ExportCounts(**{status: len(found) for status, found in by_status.items()})


def output_folder(run: Run, set_name: str) -> Path:
    """Where a judgement set's files go: the run's folder for its first set, ``sets/<name>`` for every other."""
    if set_name == run.manifest.judgement_set:
        return run.folder
    return run.folder / "sets" / safe_name(set_name)


def safe_name(text: str) -> str:
    """A file or anchor name for any text: itself where that is safe, else with a hash that tells it apart."""
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", text):
        return text
    return f"{re.sub(r'[^A-Za-z0-9]+', '-', text).strip('-')}-{digest(text)[:6]}".strip("-")


def export_lines(run: Run, set_name: str) -> tuple[Line, ...]:
    """Every line of the three files, sorted by group, type and question."""
    domains = group_domains(run)
    costs = request_costs(run)
    drafts = run.all("draft", DraftRecord)
    slots = {draft.question.question_id: draft.slot for draft in drafts if draft.question is not None}
    items = run.all("item", Item, set_name=set_name)
    track = run.manifest.track.name if run.manifest.track else ""
    read: tuple[Group | Evidence, ...] = (*run.all("group", Group), *run.all("evidence", Evidence))
    spoken = {group.group_id: group.language for group in read}
    seats = _seats(run.panel(set_name))
    judged = (_item_line(item, domains, slots).model_copy(update={"judges": seats}) for item in items)
    lines: list[Line] = [*judged, *_draft_lines(drafts, domains, costs)]
    placed = (_placed(line, track, spoken) if isinstance(line, RejectedLine) else line for line in lines)
    return tuple(sorted(placed, key=_order))


def _seats(panel: Panel | None) -> tuple[str, ...]:
    """The models of a panel's seats and reserves, each once."""
    if panel is None:
        return ()
    return tuple(dict.fromkeys(panel.model(seat.model).model for seat in (*panel.judges, *panel.reserves)))


def _placed(line: RejectedLine, track: str, languages: Mapping[str, str]) -> RejectedLine:
    """A line without a question, with the track and the language of its group."""
    if line.track:
        return line
    return line.model_copy(
        update={
            "track": track,
            "language": languages.get(line.group_id, ""),
            "src": f"{track}/{line.group_id}" if track else line.group_id,
        }
    )


def group_domains(run: Run) -> dict[str, str]:
    """Group id → domain, of every group that was read."""
    groups = {group.group_id: group.domain for group in run.all("group", Group)}
    return groups | {evidence.group_id: evidence.domain for evidence in run.all("evidence", Evidence)}


def write_lines(path: Path, lines: Iterable[Record]) -> None:
    """Write records as JSON Lines in one step: UTF-8, keys in the order of the schema."""
    with replacing(path) as file:
        for line in lines:
            file.write(json.dumps(line.model_dump(mode="json"), ensure_ascii=False) + "\n")


def natural(text: str) -> tuple[tuple[int, str], ...]:
    """A sort key under which T2 comes before T10."""
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", text) if part)


def _order(line: Line) -> Any:
    slot = line.slot if isinstance(line, RejectedLine) else ""
    return (line.group_id, natural(line.type_id), line.item_id, natural(slot))


def _item_line(item: Item, domains: Mapping[str, str], slots: Mapping[str, str]) -> Line:
    shared = {
        **_question_fields(item.question, domains),
        "judgement_set": item.judgement_set,
        "schedule": item.schedule,
        "decisions": tuple(decision_line(decision) for decision in item.decisions),
        "rule_warnings": item.rule_warnings,
        "cost_usd": round(item.cost_usd, 8),
        "calls_saved": item.calls_saved,
    }
    if item.outcome == "kept":
        return ItemLine(**shared)
    if item.outcome == "undecided":
        return UndecidedLine(**shared, reason=reason_of(item))
    slot = slots.get(item.item_id, "")
    return RejectedLine(**shared, rejected_by=removing_check(item), reason=reason_of(item), slot=slot)


def _draft_lines(
    drafts: Iterable[DraftRecord], domains: Mapping[str, str], costs: Mapping[str, float]
) -> Iterator[RejectedLine]:
    for draft in drafts:
        if draft.outcome != "accepted":
            yield _draft_line(draft, domains, math.fsum(costs.get(asked, 0.0) for asked in draft.request_ids))


def _draft_line(draft: DraftRecord, domains: Mapping[str, str], cost_usd: float) -> RejectedLine:
    last = draft.attempts[-1] if draft.attempts else None
    fields = _question_fields(draft.question, domains) if draft.question else _no_question(draft, domains)
    return RejectedLine(
        **{**fields, "attempt": max(1, len(draft.attempts)), "drafter": draft.drafter},
        judgement_set="",
        schedule="",
        decisions=(),
        rule_warnings=tuple(warning.rule_id for warning in last.warnings) if last else (),
        cost_usd=round(cost_usd, 8),
        calls_saved=0,
        rejected_by=_DRAFT_REASONS[draft.outcome],
        reason=draft.reason or draft_reason(draft),
        slot=draft.slot,
        violations=last.violations if last else (),
    )


def draft_reason(draft: DraftRecord) -> str:
    """Why a slot gave no question, in words: its own reason, or the rules that its last draft broke."""
    if draft.reason or not draft.attempts:
        return draft.reason
    return "; ".join(violation.message for violation in draft.attempts[-1].violations)


def removing_check(item: Item) -> Check:
    """The check that removed an item. Raises ValueError for an item that no check removed."""
    found = item.removed_by or next((made.check for made in item.decisions if made.outcome == "removed"), None)
    if found is None:
        raise ValueError(f"item {item.item_id} is {item.outcome}, but no check removed it")
    return found


def reason_of(item: Item) -> str:
    """Why an item was removed or is undecided: the explanations of the checks that say so."""
    if item.outcome == "removed":
        found = [decision for decision in item.decisions if decision.check == removing_check(item)]
    else:
        found = [decision for decision in item.decisions if decision.outcome == "undecided"]
    return "; ".join(filter(None, (explanation_of(decision) for decision in found)))


def explanation_of(decision: Decision) -> str:
    """Why a check removes or leaves undecided, by the arithmetic of its units; otherwise the decision's own words."""
    telling = [unit for unit in decision.units if unit.outcome == decision.outcome and unit.explanation]
    if telling and decision.outcome in {"removed", "undecided"}:
        return "; ".join(f"{unit.unit}: {unit.explanation}" for unit in telling)
    return decision.explanation


def deciding_unit(decision: Decision) -> UnitDecision | None:
    """The unit with the largest statistic: the one nearest to removal."""
    known = [unit for unit in decision.units if unit.statistic is not None]
    return max(known, key=lambda unit: unit.statistic or 0.0, default=None)


def decision_line(decision: Decision) -> DecisionLine:
    """A decision as it is exported."""
    deciding = deciding_unit(decision)
    return DecisionLine(
        check=decision.check,
        outcome=decision.outcome,
        statistic=deciding.statistic if deciding else None,
        threshold=deciding.threshold if deciding else next((unit.threshold for unit in decision.units), None),
        explanation=explanation_of(decision),
        units=tuple(UnitLine(**unit.model_dump(include=set(UnitLine.model_fields))) for unit in decision.units),
    )


def _question_fields(question: Question, domains: Mapping[str, str]) -> dict[str, Any]:
    letters = tuple(question.options)
    claims = {letter: option.claims for letter, option in question.options.items() if option.claims}
    return {
        "item_id": question.question_id,
        "question_id": question.question_id,
        "group_id": question.group_id,
        "track": question.track,
        "layer": question.layer,
        "type_id": question.type_id,
        "category": question.type_id,
        "language": question.language,
        "domain": domains.get(question.group_id, ""),
        "src": f"{question.track}/{question.group_id}",
        "question": question.stem,
        "options": {letter: option.text for letter, option in question.options.items()},
        "correct_answer": question.key,
        "answer": question.key,
        "answer_index": letters.index(question.key) if question.key in letters else -1,
        "evidence": question.evidence,
        "support_map": question.support_map,
        "evidence_frames": question.evidence_frames,
        "sources": question.sources,
        "option_claims": {
            letter: tuple(ClaimLine(**claim.model_dump()) for claim in found) for letter, found in claims.items()
        },
        "option_roles": {letter: option.role for letter, option in question.options.items() if option.role},
        "drafter": question.provenance.drafter,
        "attempt": question.provenance.attempt,
        "extra": question.extra,
    }


def _no_question(draft: DraftRecord, domains: Mapping[str, str]) -> dict[str, Any]:
    texts = dict.fromkeys(("item_id", "question_id", "track", "layer", "language", "question"), "")
    return {
        **texts,
        "group_id": draft.group_id,
        "type_id": draft.type_id,
        "category": draft.type_id,
        "domain": domains.get(draft.group_id, ""),
        "src": draft.group_id,
        "options": {},
        "correct_answer": "",
        "answer": "",
        "answer_index": -1,
        "evidence": "",
        "support_map": {},
        "evidence_frames": (),
        "sources": {},
        "option_claims": {},
        "option_roles": {},
        "extra": {},
    }
