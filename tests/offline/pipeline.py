"""A group's way through drafting and judging with the embedded models, without a run: the real parts, no network.

`evidence_of(folder)` reads a group as the tool does, with frames that are only names (no video is decoded);
`drafted(...)` and `judged(...)` build the real requests and read the real replies.
"""

from functools import cache
from pathlib import Path

from agents.drafter import Declined, draft_request, read_draft
from graphs.configuration import load_panel, load_track
from judges.decide import Judgement, decide
from judges.requests import build_request, read_verdict
from judges.schedule import all_calls
from media.evidence import build_evidence
from media.groups import read_group
from offline import answer
from prompts.taskheads import load_taskheads
from records.calls import Reply, Request
from records.config import Panel
from records.media import Evidence, Frame, FrameSignals
from records.questions import Question
from records.verdicts import Verdict
from rules import check
from rules.base import RuleContext

SIGNALS = FrameSignals(text_density=0.5, sharpness=0.5, novelty=0.5)


@cache
def offline_panel() -> Panel:
    return load_panel("offline")


def evidence_of(folder: Path, seed: int = 0, frames: int = 8) -> Evidence:
    group = read_group(folder, load_track("news"))
    shown = {
        source.video_id: tuple(
            frame(source.video_id, number, source.duration_s or 60.0, frames) for number in range(1, frames + 1)
        )
        for source in group.sources
    }
    return build_evidence(group, shown, {}, seed)


def frame(video_id: str, number: int, duration_s: float, count: int) -> Frame:
    time_s = duration_s * (number - 0.5) / count
    return Frame(
        sha256=f"{video_id}-{number}", video_id=video_id, number=number, time_s=time_s, width=540, height=304,
        rank=number, signals=SIGNALS,
    )  # fmt: skip


def reply_to(request: Request) -> Reply:
    value = answer(request)
    return Reply(request_id="r", value=value, raw=value.model_dump_json())


def draft_calls(evidence: Evidence, types: tuple[str, ...], per_type: int, seed: int = 0) -> list[Request]:
    """The requests that drafting a group makes, in order, each with the stems accepted before it."""
    heads, panel, stems, made = load_taskheads(), offline_panel(), (), []
    for n in range(1, per_type + 1):
        for type_id in types:
            request = draft_request(
                heads[type_id], evidence, panel.model("extractive"), panel, n=n, accepted_stems=stems, seed=seed
            )
            made.append(request)
            value = answer(request)
            stems = (*stems, value.question.stem) if value.question else stems
    return made


def drafted(evidence: Evidence, types: tuple[str, ...], per_type: int, seed: int = 0) -> list[Question]:
    """The questions that drafting a group gives; each must keep the rules."""
    heads, panel, questions = load_taskheads(), offline_panel(), []
    for request in draft_calls(evidence, types, per_type, seed):
        type_id = request.unit.split("/")[0]
        question = read_draft(reply_to(request), heads[type_id], evidence, panel.model("extractive"), seed=seed)
        if not isinstance(question, Declined):
            questions.append(question)
    return questions


def context_of(evidence: Evidence) -> RuleContext:
    return RuleContext(frames={source.tag: tuple(f.number for f in source.frames) for source in evidence.sources})


def verdicts_on(
    question: Question, evidence: Evidence, panel: Panel | None = None, check: str | None = None
) -> list[Verdict]:
    """All verdicts of the panel, or those of one check."""
    panel = panel or offline_panel()
    verdicts = []
    for call in (c for c in all_calls(question, panel, evidence.tags) if check in (None, c.check)):
        request = build_request(call, question, evidence, panel, seed=0)
        verdicts.append(read_verdict(call, reply_to(request), request))
    return verdicts


def judged(question: Question, evidence: Evidence, panel: Panel | None = None) -> Judgement:
    panel = panel or offline_panel()
    return decide(question, verdicts_on(question, evidence, panel), panel, evidence.tags)


def removes(check: str, question: Question, evidence: Evidence) -> bool:
    """Whether a check of its own, whatever the others say, removes a question."""
    verdicts = verdicts_on(question, evidence, check=check)
    decided = decide(question, verdicts, offline_panel(), evidence.tags).decisions
    return next(decision.outcome for decision in decided if decision.check == check) == "removed"


def breaks(question: Question, evidence: Evidence) -> tuple[str, ...]:
    return tuple(violation.rule_id for violation in check(question, context_of(evidence)).violations)
