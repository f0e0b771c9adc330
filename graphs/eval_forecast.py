"""What an evaluation will probably take, before anything is asked: calls, tokens and cost of each candidate.

The real requests are built around stand-in frames and nothing is sent. low: shared prefixes are served from the cache;
high: every reply is as long as the model may make it.
"""

import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from agents.solver import SeenSource, solve_request
from gateway.estimate import estimate
from gateway.preflight import Need
from graphs.eval_items import Benchmark, Unit
from graphs.eval_plan import EvalPlan, Task
from graphs.forecast import dollars
from records.base import Record
from records.calls import Request, TranscriptPart, VideoPart
from records.candidates import Candidate
from records.errors import ConfigurationError, InputError
from records.media import Frame, FrameSignals, Source, Tag, Transcript, tag_of

if TYPE_CHECKING:
    from rich.console import Console

Case = Literal["low", "expected", "high"]
CASES: tuple[Case, ...] = ("low", "expected", "high")
_UNKNOWN = FrameSignals(text_density=0.0, sharpness=0.0, novelty=0.0)


def _costs(amount: float | None) -> dict[Case, float | None]:
    return dict.fromkeys(CASES, amount)


class Line(Record):
    """What one candidate will take. Costs are None where no price is known."""

    calls: int = 0
    questions: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: dict[Case, float | None] = Field(default_factory=lambda: _costs(0.0))

    def plus(self, other: "Line") -> "Line":
        """The sum of two."""
        costs: dict[Case, float | None] = {}
        for case in CASES:
            mine, theirs = self.cost_usd[case], other.cost_usd[case]
            costs[case] = None if mine is None or theirs is None else mine + theirs
        counts = ("calls", "questions", "prompt_tokens", "completion_tokens")
        return Line(**{name: getattr(self, name) + getattr(other, name) for name in counts}, cost_usd=costs)


class EvalForecast(Record):
    """The forecast of an evaluation."""

    lines: dict[str, Line]
    """By model and task."""
    needs: tuple[Need, ...]
    """What each model will have to take at most."""

    @property
    def total(self) -> Line:
        """Everything."""
        total = Line()
        for line in self.lines.values():
            total = total.plus(line)
        return total


class LikelySource(Record):
    """What is known of a video before it is opened for good."""

    tag: Tag
    video_id: str
    transcript: Transcript
    duration_s: float | None = None
    has_picture: bool = True
    summary: str = ""
    ranked: int | None = None
    """Ranked frames that there are, where that is known."""


def forecast(plan: EvalPlan, tasks: Iterable[tuple[Unit, tuple[Task, ...]]]) -> EvalForecast:
    """The forecast of these calls. Raises ConfigurationError where a summary is needed and nobody makes it."""
    lines: dict[str, Line] = {}
    most: dict[str, Need] = {}
    summarised: set[tuple[str, int]] = set()
    for unit, mine in tasks:
        sources = likely_sources(unit, plan.benchmark, plan)
        seen_by: dict[tuple[str, str], tuple[SeenSource, ...]] = {}
        for task in mine:
            candidate = plan.candidate(task.candidate, task.turn.setting)
            names = (task.candidate, task.turn.setting)
            if names not in seen_by:
                seen_by[names] = tuple(likely_seen(source, candidate) for source in sources)
                _add_summaries(lines, plan, sources, candidate, summarised)
            items = [plan.benchmark.by_id[item_id] for item_id in task.item_ids]
            request = solve_request(items, seen_by[names], candidate, task.turn, unit=unit.unit_id)
            lines[task.candidate] = lines.get(task.candidate, Line()).plus(line_of(request, candidate, len(items)))
            _note_need(most, request, candidate, unit)
    return EvalForecast(lines=lines, needs=(*most.values(), *_helper_needs(plan, summarised)))


def line_of(request: Request, candidate: Candidate, questions: int) -> Line:
    """One call."""
    reply = 8 if candidate.asking.reply == "letter" else 10 * questions if questions > 1 else None
    guess = estimate(request, usual_reply=reply)
    return Line(
        calls=1,
        questions=questions,
        prompt_tokens=guess.prompt_tokens,
        completion_tokens=guess.completion_tokens,
        cost_usd={"low": guess.cost_low_usd, "expected": guess.cost_usd, "high": guess.cost_high_usd},
    )


def _note_need(most: dict[str, Need], request: Request, candidate: Candidate, unit: Unit) -> None:
    guess = estimate(request)
    before = most.get(candidate.name)
    images, tokens = guess.images, guess.prompt_tokens
    if before and (before.images, before.prompt_tokens) >= (images, tokens):
        return
    most[candidate.name] = Need(
        role=f"candidate {candidate.name}", model=candidate.spec, images=max(images, before.images if before else 0),
        prompt_tokens=max(tokens, before.prompt_tokens if before else 0), where=unit.unit_id,
    )  # fmt: skip


def _helper_needs(plan: EvalPlan, summarised: set[tuple[str, int]]) -> list[Need]:
    needs = []
    if summarised and plan.models.summarizer:
        needs.append(Need(role="summarizer", model=plan.models.model(plan.models.summarizer)))
    grouped = any(unit.kind == "group" for unit in plan.benchmark.units)
    if plan.models.captioner and grouped:
        model = plan.models.model(plan.models.captioner)
        needs.append(Need(role="captioner", model=model, images=plan.track.images.caption_batch, must_see=True))
    return needs


def _add_summaries(
    lines: dict[str, Line], plan: EvalPlan, sources: Iterable[LikelySource], candidate: Candidate,
    summarised: set[tuple[str, int]],
) -> None:  # fmt: skip
    """Adds the summaries that a candidate needs and that nobody has asked for yet."""
    from agents.summarizer import summary_request

    limit = candidate.asking.summary_characters
    for source in sources:
        if not needs_summary(source, candidate) or (source.transcript.text, limit) in summarised:
            continue
        if not plan.models.summarizer:
            raise ConfigurationError(
                f"{source.video_id}: its transcript has {len(source.transcript.text)} characters, candidates get a "
                f"summary of at most {limit}, and no model makes it.",
                hint="Name one with --summarizer MODEL, or say --transcript full.",
            )
        summarised.add((source.transcript.text, limit))
        model = plan.models.model(plan.models.summarizer)
        request = summary_request(source.transcript, model, limit)
        guess = estimate(request)
        costs: dict[Case, float | None] = {
            "low": guess.cost_low_usd, "expected": guess.cost_usd, "high": guess.cost_high_usd,
        }  # fmt: skip
        line = Line(
            calls=1, prompt_tokens=guess.prompt_tokens, completion_tokens=guess.completion_tokens, cost_usd=costs
        )
        lines[f"{model.name} (summaries)"] = lines.get(f"{model.name} (summaries)", Line()).plus(line)


def needs_summary(source: LikelySource, candidate: Candidate) -> bool:
    """Whether a candidate is to get a summary of this source that is not there yet."""
    asking = candidate.asking
    too_long = len(source.transcript.text) > asking.summary_characters
    has_one = bool(source.summary) and len(source.summary) <= asking.summary_characters
    return asking.transcript == "summary" and too_long and not has_one


def likely_sources(unit: Unit, benchmark: Benchmark, plan: EvalPlan) -> tuple[LikelySource, ...]:
    """A unit's sources as far as they are known without cutting frames; none where the folder cannot be read."""
    if unit.kind == "run" and unit.group_id in benchmark.evidence:
        return tuple(
            LikelySource(
                tag=source.tag, video_id=source.video_id, transcript=source.transcript, summary=source.summary,
                has_picture=bool(source.frames), ranked=len(source.frames),
                duration_s=_duration(benchmark, unit.group_id, source.video_id),
            )
            for source in benchmark.evidence[unit.group_id].sources
        )  # fmt: skip
    with contextlib.suppress(InputError):
        if unit.kind == "group":
            return _of_group(unit, plan)
        if unit.kind == "videos":
            return _of_videos(unit, benchmark)
    return ()


def _duration(benchmark: Benchmark, group_id: str, video_id: str) -> float | None:
    group = benchmark.groups.get(group_id)
    found = [source.duration_s for source in group.sources if source.video_id == video_id] if group else []
    return found[0] if found else None


def _of_group(unit: Unit, plan: EvalPlan) -> tuple[LikelySource, ...]:
    from media.groups import read_group

    group = read_group(Path(unit.folder), plan.track)
    known = {source.video_id: source for source in group.sources}
    tags = unit.sources or {tag_of(place): video_id for place, video_id in enumerate(known)}
    return tuple(_likely(tag, known[video_id]) for tag, video_id in sorted(tags.items()) if video_id in known)


def _likely(tag: Tag, source: Source) -> LikelySource:
    return LikelySource(
        tag=tag, video_id=source.video_id, transcript=source.transcript, duration_s=source.duration_s,
        has_picture=source.video_file is not None,
    )  # fmt: skip


def _of_videos(unit: Unit, benchmark: Benchmark) -> tuple[LikelySource, ...]:
    """Words from the captions beside the files; lengths from the look at the folder."""
    from graphs.eval_material import files_of
    from media.metadata import Metadata
    from media.transcripts import read_transcript

    found = []
    for tag, name in unit.sources.items():
        heard = read_transcript(files_of(Path(unit.files[name])), Metadata(), "")
        found.append(
            LikelySource(tag=tag, video_id=name, transcript=heard.transcript, duration_s=benchmark.durations.get(name))
        )
    return tuple(found)


def likely_seen(source: LikelySource, candidate: Candidate) -> SeenSource:
    """What a candidate will see of a source, with stand-ins for frames."""
    asking = candidate.asking
    sees = candidate.spec.images and source.has_picture
    video = None
    if asking.input == "video" and source.has_picture:
        video = VideoPart(tag=source.tag, sha256="0" * 64, duration_s=source.duration_s)
    count = _count(source, candidate) if sees and not video else 0
    if asking.input == "strip":
        count = min(count, 1)
    return SeenSource(
        tag=source.tag, words=_words(source, candidate), is_strip=asking.input == "strip" and bool(count), video=video,
        frames=tuple(_frame(source, number) for number in range(1, count + 1)),
    )  # fmt: skip


def _count(source: LikelySource, candidate: Candidate) -> int:
    from media.sampling import frame_count

    count = frame_count(candidate.asking.rule, source.duration_s)
    ranked = candidate.asking.rule.kind == "ranked" and source.ranked is not None
    return min(count, source.ranked or 0) if ranked else count


def _frame(source: LikelySource, number: int) -> Frame:
    return Frame(
        sha256=f"{number:064d}", video_id=source.video_id, number=number, time_s=float(number), width=540, height=304,
        rank=number, signals=_UNKNOWN,
    )  # fmt: skip


def _words(source: LikelySource, candidate: Candidate) -> TranscriptPart | None:
    text, asking = source.transcript.text, candidate.asking
    if asking.transcript == "none" or not text:
        return None
    if asking.transcript == "summary" and len(text) > asking.summary_characters:
        text = source.summary or text[: asking.summary_characters]
    return TranscriptPart(tag=source.tag, text=text, language=source.transcript.language)


# --- telling ---------------------------------------------------------------------------------------------------------


def one_line(found: EvalForecast) -> str:
    """The forecast in a sentence."""
    total = found.total
    cost = {case: dollars(total.cost_usd[case]) for case in CASES}
    tokens = total.prompt_tokens + total.completion_tokens
    return (
        f"Forecast: {total.calls:,} calls, {tokens:,} tokens, {cost['expected']} ({cost['low']} to {cost['high']}). "
        "Equal requests are asked once."
    )


def show(found: EvalForecast, out: "Console", title: str) -> None:
    """The forecast as a table."""
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    table.add_column("model")
    for name in ("questions", "calls", "prompt tokens", "reply tokens", "cost low", "cost expected", "cost high"):
        table.add_column(name, justify="right")
    for name, line in (*found.lines.items(), ("in all", found.total)):
        if name == "in all":
            table.add_section()
        counts = (line.questions, line.calls, line.prompt_tokens, line.completion_tokens)
        table.add_row(name, *(f"{count:,}" for count in counts), *(dollars(line.cost_usd[case]) for case in CASES))
    out.print(table)
    unknown = [name for name, line in found.lines.items() if line.cost_usd["expected"] is None]
    if unknown:
        out.print(f"No price is known for {', '.join(unknown)}: give `price:` in the candidates file.", markup=False)
