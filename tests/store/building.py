"""Synthetic runs built from records alone: every outcome once, with real facts, no model and no video."""

import io
from pathlib import Path

from PIL import Image, ImageDraw

from records.base import digest
from records.calls import Attempt, CallRecord, Usage
from records.config import Checks, ModelSpec, Panel, Price, SeatSpec, Track
from records.media import (
    Evidence,
    Frame,
    FrameSignals,
    Group,
    Sentence,
    Source,
    SourceEvidence,
    Transcript,
    tag_of,
)
from records.questions import Claim, DraftRecord, Option, Provenance, Question, RuleReport, Violation, question_id
from records.verdicts import (
    Check,
    CheckOutcome,
    ChoiceVerdict,
    Decision,
    Item,
    JudgeFailure,
    SeverityVerdict,
    UnitDecision,
    Verdict,
)
from store.run import Run, RunManifest

SEATS = ("gemini", "gpt-4o", "qwen")
SET = "main"


def panel(*, offline: bool = False) -> Panel:
    prefix = "offline/" if offline else "openai/"
    models = tuple(
        ModelSpec(name=name, model=prefix + name, price=Price(input=1.0, output=4.0)) for name in ("gpt-5", *SEATS)
    )
    seats = tuple(SeatSpec(seat=name, model=name) for name in SEATS)
    return Panel(name="paper", models=models, drafters=("gpt-5",), judges=seats, checks=Checks())


def track() -> Track:
    return Track(name="news", types=("T1", "T2", "T7", "T10"), domains=("World",))


def manifest(*, offline: bool = False, groups: tuple[str, ...] = ("calder",), seed: int = 7) -> RunManifest:
    return RunManifest(
        command=("graphs.generate", "--group", "calder", "--seed", str(seed)),
        seed=seed,
        groups=dict.fromkeys(groups, ""),
        panel=panel(offline=offline),
        track=track(),
        prompts={"drafter.md": "0" * 64},
        planned_drafts=12 * len(groups),
        commit="abc1234",
    )


def jpeg(words: str, hue: int = 120) -> bytes:
    image = Image.new("HSV", (320, 180), (hue % 256, 90, 150)).convert("RGB")
    ImageDraw.Draw(image).text((16, 80), words, fill="white")
    out = io.BytesIO()
    image.save(out, "JPEG", quality=65)
    return out.getvalue()


SAID = {
    "Orb1": ("At 4:20 local time it struck a sandbank 4 kilometres south of the harbour.", "It was the storm."),
    "Tid2": ("The list on the desk has 24 names.", "The sea was flat that night."),
    "Pal4": ("Not one drop of oil was lost, says the minister.", "The image shows a slick of 7.2 kilometres."),
}


def source(group: str, name: str, outlet: str) -> Source:
    words = SAID[name]
    sentences = tuple(Sentence(start_s=4.0 * i, end_s=4.0 * i + 3.5, text=text) for i, text in enumerate(words))
    return Source(
        video_id=f"{group}{name}",
        title=f"{outlet}: the Calder Star aground",
        outlet=outlet,
        date="2025-03-11",
        duration_s=52.0,
        video_file=f"{group}{name}.mp4",
        transcript=Transcript(language="en", origin="captions", sentences=sentences, text=" ".join(words)),
    )


def group_of(group: str = "calder") -> Group:
    outlets = {"Orb1": "Orbis24", "Tid2": "Tideline", "Pal4": "Pallas"}
    return Group(
        group_id=group,
        folder=group,
        topic="Grain carrier Calder Star runs aground",
        domain="World",
        language="en",
        sources=tuple(source(group, name, outlet) for name, outlet in outlets.items()),
    )


def put_frames(run: Run, video_id: str, hue: int) -> tuple[Frame, ...]:
    frames = []
    for number in (1, 2, 3):
        data = jpeg(f"{video_id} #{number}", hue + 20 * number)
        sha = digest(data)
        run.frame_path(sha).write_bytes(data)
        signals = FrameSignals(text_density=0.2, sharpness=0.5, novelty=0.4)
        frames.append(
            Frame(
                sha256=sha, video_id=video_id, number=number, time_s=4.0 * number, width=320, height=180, rank=number,
                signals=signals, caption=f"Still {number} of {video_id}",
            )
        )  # fmt: skip
    return tuple(frames)


def evidence_of(run: Run, group: Group) -> Evidence:
    sources = tuple(
        SourceEvidence(
            tag=tag_of(index), video_id=one.video_id, transcript=one.transcript,
            frames=put_frames(run, one.video_id, 80 * index), ranking="captioner",
        )
        for index, one in enumerate(group.sources)
    )  # fmt: skip
    return Evidence(
        evidence_id="e-1", group_id=group.group_id, topic=group.topic, domain=group.domain, language="en",
        sources=sources,
    )  # fmt: skip


def question(stem: str, *, group: str = "calder", type_id: str = "T2", key: str = "C", attempt: int = 1) -> Question:
    halves = [("at 4:20", "22 people"), ("at 3:52", "22 people"), ("at 4:20", "24 people"), ("at 3:52", "24 people")]
    options = {
        letter: Option(
            text=f"TAG_A has the ship strike {when}, while TAG_B counts {crew}.",
            claims=(
                Claim(text=f"TAG_A has the ship strike {when}", tags=("TAG_A",), modality="spoken"),
                Claim(text=f"TAG_B counts {crew}", tags=("TAG_B",), modality="shown"),
            ),
        )
        for letter, (when, crew) in zip("ABCD", halves, strict=True)
    }
    texts = tuple(option.text for option in options.values())
    return Question(
        question_id=question_id(group, type_id, stem, texts, options[key].text),
        group_id=group,
        type_id=type_id,
        language="en",
        stem=stem,
        options=options,
        key=key,
        evidence="TAG_A says 4:20; the list in TAG_B has 24 names [FRAME: TAG_B #2].",
        support_map={key: ("TAG_A", "TAG_B")},
        evidence_frames=("TAG_B #2",),
        sources={tag_of(i): f"{group}{name}" for i, name in enumerate(SAID)},
        provenance=Provenance(drafter="gpt-5", family="gpt", attempt=attempt, request_id=draft_request(stem, attempt)),
    )


def draft_request(stem: str, attempt: int) -> str:
    return f"r-{digest([stem, attempt])[:12]}"


def judge_request(item_id: str, check: str, seat: str, unit: str) -> str:
    return f"r-{digest([item_id, check, seat, unit])[:12]}"


def choice(asked: Question, check: Check, seat: str, unit: str, answer: str, confidence: float | None) -> ChoiceVerdict:
    return ChoiceVerdict(
        check=check, seat=seat, model=f"openai/{seat}", unit=unit, answer=answer, confidence=confidence,
        rationale=f"{unit} alone says little about the other report, so {answer} is the best guess.",
        shown_order=("B", "D", "A", "C"), request_id=judge_request(asked.question_id, check, seat, unit),
    )  # fmt: skip


def severity(asked: Question, seat: str, unit: str, value: float) -> SeverityVerdict:
    return SeverityVerdict(
        seat=seat, model=f"openai/{seat}", unit=unit, severity=value, rationale=f"{unit} states another number.",
        request_id=judge_request(asked.question_id, "ambiguity", seat, unit),
    )  # fmt: skip


def failure(asked: Question, check: Check, seat: str, unit: str) -> JudgeFailure:
    return JudgeFailure(
        check=check, seat=seat, model=f"openai/{seat}", unit=unit, outcome="truncated", message="stopped at 4096",
        request_id=judge_request(asked.question_id, check, seat, unit),
    )  # fmt: skip


def unit_decision(unit: str, outcome: str, statistic: float | None, threshold: float, votes: int = 3) -> UnitDecision:
    return UnitDecision.model_validate(
        {
            "unit": unit, "outcome": outcome, "statistic": statistic, "threshold": threshold, "votes": votes,
            "seats": 3, "explanation": f"{statistic} against {threshold} from {votes} of 3 seats",
        }
    )  # fmt: skip


class Judged:
    """Verdicts and decisions of one question, check by check."""

    def __init__(self, asked: Question) -> None:
        self.question = asked
        self.verdicts: list[Verdict] = []
        self.decisions: list[Decision] = []

    def solvability(self, right: int = 0, *, failed: int = 0, confidence: float = 0.9) -> "Judged":
        """`right` seats answer the key with confidence from TAG_A; `failed` seats give nothing for TAG_B."""
        units = []
        for tag in self.question.sources:
            for n, seat in enumerate(SEATS):
                if tag == "TAG_B" and n < failed:
                    self.verdicts.append(failure(self.question, "solvability", seat, tag))
                    continue
                solved = tag == "TAG_A" and n < right
                answer, sure = (self.question.key, confidence) if solved else ("A", 0.4)
                self.verdicts.append(choice(self.question, "solvability", seat, tag, answer, sure))
            votes = 3 - failed if tag == "TAG_B" else 3
            count = right if tag == "TAG_A" else 0
            outcome = "removed" if count >= 2 else "undecided" if votes < 2 else "passed"
            units.append(unit_decision(tag, outcome, float(count) if votes >= 2 else None, 2, votes))
        return self._decide("solvability", units)

    def ambiguity(self, worst: float = 0.2) -> "Judged":
        units = []
        for n, letter in enumerate(x for x in self.question.options if x != self.question.key):
            value = worst if n == 1 else 0.1
            self.verdicts += [severity(self.question, seat, letter, value) for seat in SEATS]
            units.append(unit_decision(letter, "removed" if value >= 0.6 else "passed", value, 0.6))
        return self._decide("ambiguity", units)

    def difficulty(self, right: int = 2) -> "Judged":
        for n, seat in enumerate(SEATS):
            answer, sure = (self.question.key, 0.95) if n < right else ("B", 0.6)
            self.verdicts.append(choice(self.question, "difficulty", seat, "all", answer, sure))
        return self._decide(
            "difficulty", [unit_decision("all", "removed" if right == 3 else "passed", float(right), 3)]
        )

    def skipped(self, *checks: Check) -> "Judged":
        self.decisions += [Decision(check=check, outcome="not-run") for check in checks]
        return self

    def _decide(self, check: Check, units: list[UnitDecision]) -> "Judged":
        found = {unit.outcome for unit in units}
        outcome: CheckOutcome = "removed" if "removed" in found else "undecided" if "undecided" in found else "passed"
        self.decisions.append(Decision(check=check, outcome=outcome, units=tuple(units)))
        return self

    def item(self, *, set_name: str = SET, warnings: tuple[str, ...] = (), calls_saved: int = 0) -> Item:
        removed = next((made.check for made in self.decisions if made.outcome == "removed"), None)
        undecided = any(made.outcome == "undecided" for made in self.decisions)
        decisions = (*self.decisions, Decision(check="blind", outcome="off"))
        return Item(
            item_id=self.question.question_id,
            judgement_set=set_name,
            question=self.question,
            verdicts=tuple(self.verdicts),
            decisions=decisions,
            outcome="removed" if removed else "undecided" if undecided else "kept",
            removed_by=removed,
            schedule="frugal",
            calls_saved=calls_saved,
            rule_warnings=warnings,
            cost_usd=0.02 + 0.01 * len(self.verdicts),
            tags_named=("TAG_A", "TAG_B"),
        )


def call(request_id: str, task: str, **more: object) -> CallRecord:
    long = "TAG_A says that the ship struck at 4:20. " * 40
    values = {
        "request_id": request_id, "task": task, "model": "openai/gpt-5", "transport": "litellm", "outcome": "ok",
        "messages": (
            {"role": "system", "content": "Compare the reports. " * 30},
            {"role": "user", "content": [
                {"type": "text", "text": long},
                {"type": "image", "sha256": "a" * 64, "label": "[FRAME: TAG_A #1]"},
                {"type": "text", "text": f"Question of {request_id}"},
            ]},
        ),
        "raw": '{"rationale": "…", "answer": "C"}', "reply_json": '{"answer": "C"}',
        "attempts": (Attempt(started="2026-11-29T10:00:00Z", latency_s=2.0, outcome="ok"),),
        "usage": Usage(prompt_tokens=5000, completion_tokens=200, cached_tokens=4000, images=1),
        "cost_usd": 0.01, "latency_s": 2.0, "started": "2026-11-29T10:00:00Z",
        **more,
    }  # fmt: skip
    return CallRecord.model_validate(values)


def journal_draft(run: Run, draft: DraftRecord, item_id: str = "") -> None:
    for request_id in draft.request_ids:
        run.finished(
            call(request_id, "draft", group_id=draft.group_id, item_id=item_id, unit=draft.slot, cost_usd=0.02)
        )


def journal_item(run: Run, item: Item) -> None:
    for verdict in item.verdicts:
        failed = isinstance(verdict, JudgeFailure)
        run.finished(
            call(
                verdict.request_id, verdict.check, model=verdict.model, seat=verdict.seat, unit=verdict.unit,
                group_id=item.question.group_id, item_id=item.item_id,
                outcome=verdict.outcome if isinstance(verdict, JudgeFailure) else "ok",
                reply_json="" if failed else '{"answer": "C"}',
            )
        )  # fmt: skip


def accepted(asked: Question, number: int, earlier: tuple[RuleReport, ...] = ()) -> DraftRecord:
    attempts = (*earlier, RuleReport())
    return DraftRecord(
        slot=f"{asked.group_id}/{asked.type_id}/{number}", group_id=asked.group_id, type_id=asked.type_id,
        drafter="gpt-5", outcome="accepted", question=asked, attempts=attempts,
        request_ids=tuple(draft_request(asked.stem, n + 1) for n in range(len(attempts))),
    )  # fmt: skip


def broken_rule(message: str = "Name TAG_B in the question.") -> RuleReport:
    return RuleReport(violations=(Violation(rule_id="names-tags", where="stem", message=message),))


def unaccepted(group: str, type_id: str, number: int, outcome: str, **more: object) -> DraftRecord:
    slot = f"{group}/{type_id}/{number}"
    values = {
        "slot": slot, "group_id": group, "type_id": type_id, "drafter": "gpt-5", "outcome": outcome,
        "request_ids": (f"r-{digest(slot)[:12]}",), **more,
    }  # fmt: skip
    return DraftRecord.model_validate(values)


def fill_group(run: Run, name: str = "calder", set_name: str = SET) -> None:
    """One group with every outcome: 2 kept, 1 each of solvable, ambiguous, too easy, undecided, and 4 lost drafts."""
    group = group_of(name)
    run.put("group", name, group, group_id=name)
    run.put("evidence", name, evidence_of(run, group), group_id=name)
    stems = {
        "kept": "When did the ship strike and how many were aboard (TAG_A vs TAG_B)?",
        "kept too": "How do the hour in TAG_A and the list in TAG_B go together (TAG_A vs TAG_B)?",
        "solvable": "At what hour does TAG_A have the ship strike (TAG_A vs TAG_B)?",
        "ambiguous": "What do TAG_A and TAG_B say about crew and hour (TAG_A vs TAG_B)?",
        "easy": "Which ship do TAG_A and TAG_B speak of (TAG_A vs TAG_B)?",
        "undecided": "Does the claim in TAG_A hold against TAG_B (TAG_A vs TAG_B)?",
    }
    asked = {
        word: question(stem, group=name, type_id="T7" if word in {"kept too", "undecided"} else "T2")
        for word, stem in stems.items()
    }
    judged = {
        "kept": Judged(asked["kept"]).solvability(1).ambiguity(0.4).difficulty(2).item(set_name=set_name),
        "kept too": Judged(asked["kept too"]).solvability().ambiguity().difficulty(1).item(
            set_name=set_name, warnings=("crossed",), calls_saved=1
        ),
        "solvable": Judged(asked["solvable"]).solvability(2).skipped("ambiguity", "difficulty").item(
            set_name=set_name, calls_saved=12
        ),
        "ambiguous": Judged(asked["ambiguous"]).solvability().ambiguity(0.8).skipped("difficulty").item(
            set_name=set_name, calls_saved=3
        ),
        "easy": Judged(asked["easy"]).solvability().ambiguity().difficulty(3).item(set_name=set_name),
        "undecided": Judged(asked["undecided"]).solvability(failed=2).ambiguity().difficulty(0).item(set_name=set_name),
    }  # fmt: skip
    for number, (word, one) in enumerate(asked.items(), start=1):
        draft = accepted(one, number, (broken_rule(),) if word == "kept" else ())
        run.put("draft", draft.slot, draft, group_id=name)
        journal_draft(run, draft, one.question_id)
    for item in judged.values():
        run.put("item", item.item_id, item, group_id=name, set_name=set_name)
        journal_item(run, item)
    for draft in lost_drafts(name):
        run.put("draft", draft.slot, draft, group_id=name)
        journal_draft(run, draft)


def lost_drafts(name: str) -> tuple[DraftRecord, ...]:
    twin = question("Who struck what, and when, in TAG_A (TAG_A vs TAG_B)?", group=name, type_id="T1", attempt=3)
    rules = (broken_rule(), broken_rule(), broken_rule("The former is not allowed."))
    return (
        unaccepted(name, "T1", 1, "rejected-by-rules", question=twin, attempts=rules),
        unaccepted(name, "T1", 2, "duplicate", question=twin, attempts=(RuleReport(),), reason="same stem as T2/1"),
        unaccepted(name, "T10", 1, "declined", reason="The reports share no common summary."),
        unaccepted(name, "T10", 2, "failed", reason="refused: the provider refused the request."),
    )


def build_run(folder: Path, *, groups: tuple[str, ...] = ("calder",), offline: bool = False) -> Run:
    """A finished run, open for writing."""
    run = Run.create(folder, manifest(offline=offline, groups=groups))
    with run.transaction():
        for name in groups:
            fill_group(run, name)
    return run
