"""What a run will probably take, before anything is asked: calls, tokens and cost, as low, expected and high.

The real requests are built, from the groups' real transcripts and as many frames as each stage would show, around a
question of usual length; nothing is sent. low: a third of the drafts fall out, the frugal schedule stops early and
prefixes are served from the cache. expected: every slot gives a question at the first attempt and the schedule goes
its usual way. high: every redraft is used, everything is asked, nothing is cached.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Literal

from agents import captioner, summarizer
from agents.drafter import draft_request, impossible
from gateway.estimate import Estimate, estimate
from graphs.prepare import most_frames, summary_limit
from graphs.slots import Slot
from judges.requests import build_request
from judges.schedule import next_calls
from media.evidence import build_evidence
from prompts.taskheads import TaskHead
from records.base import Record
from records.calls import Request
from records.config import Panel, Track
from records.media import Evidence, Frame, FrameSignals, Group, Source
from records.questions import Claim, Option, Provenance, Question
from records.verdicts import Check
from report.words import count, number_of
from store.run import Run

if TYPE_CHECKING:
    from rich.console import Console

Case = Literal["low", "expected", "high"]
CASES: tuple[Case, ...] = ("low", "expected", "high")

_ACCEPTED = {"low": 2 / 3, "expected": 1.0, "high": 1.0}
_REMOVED: dict[Check, float] = {"solvability": 828 / 6374, "ambiguity": 637 / 5546, "difficulty": 775 / 4909}
"""Share of the questions reaching a check that it removes, as VNU-Bench 2.4 counts them."""
SECONDS_A_CANDIDATE = 6.0
"""Candidate frames of a video: about one in so many seconds, up to the track's limit."""


class Amount(Record):
    """Calls, tokens and cost of one kind of call under one case. Cost is None where a price is unknown."""

    calls: float = 0.0
    prompt_tokens: float = 0.0
    completion_tokens: float = 0.0
    cost_usd: float | None = 0.0

    def plus(self, other: "Amount") -> "Amount":
        """The sum of two amounts."""
        unknown = self.cost_usd is None or other.cost_usd is None
        return Amount(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost_usd=None if unknown else (self.cost_usd or 0.0) + (other.cost_usd or 0.0),
        )


class Forecast(Record):
    """What a run will probably take, by model and task, under each case."""

    groups: int
    drafts: int
    """Drafting slots, or the questions of a file."""
    work: str = "drafting slots"
    """What `drafts` counts."""
    lines: dict[str, dict[Case, Amount]]
    """``<model> <task>`` → case → amount."""

    def total(self, case: Case) -> Amount:
        """Everything under one case."""
        total = Amount()
        for line in self.lines.values():
            total = total.plus(line.get(case, Amount()))
        return total


def forecast(
    groups: Iterable[Group], slots: tuple[Slot, ...], panel: Panel, track: Track, heads: dict[str, TaskHead], *,
    seed: int, questions: Mapping[str, tuple[Question, ...]] | None = None,
) -> Forecast:  # fmt: skip
    """The forecast of a run over groups that were read but whose frames were not cut.

    `questions` are those that a file has on each group, by group id; they take the place of the slots.
    """
    lines: dict[str, dict[Case, Amount]] = {}
    count = drafts = 0
    for group in groups:
        mine = tuple(slot for slot in slots if slot.group_id == group.group_id)
        evidence = likely_evidence(group, panel, track, seed)
        given = questions.get(group.group_id, ()) if questions is not None else ()
        count, drafts = count + 1, drafts + (len(mine) if questions is None else len(given))
        _add_media(lines, group, panel, track)
        asked = _add_drafts(lines, mine, evidence, panel, heads, track, seed) if questions is None else len(given)
        add_judges(lines, dict.fromkeys(CASES, float(asked)), evidence, panel, seed, middle_one(given))
    work = "drafting slots" if questions is None else "questions from a file"
    return Forecast(groups=count, drafts=drafts, lines=lines, work=work)


def likely_evidence(group: Group, panel: Panel, track: Track, seed: int) -> Evidence:
    """Evidence with as many stand-in frames as each video will give, and summaries of the longest allowed length."""
    frames = {source.video_id: likely_frames(source, panel, track) for source in group.sources}
    views = (panel.views.draft, panel.views.judge)
    limits = {source.video_id: summary_limit(views, source) for source in group.sources}
    summaries = {
        source.video_id: (source.transcript.text[:limit] if (limit := limits[source.video_id]) else "", ())
        for source in group.sources
    }
    return build_evidence(group, frames, summaries, seed)


def likely_frames(source: Source, panel: Panel, track: Track) -> tuple[Frame, ...]:
    """Stand-ins for the frames of a video: as many as asked for, fewer only for a video of a few seconds."""
    if not source.video_file:
        return ()
    count = min(most_frames(panel), likely_candidates(source, track))
    signals = FrameSignals(text_density=0.0, sharpness=0.0, novelty=0.0)
    return tuple(
        Frame(
            sha256=f"{number:064d}", video_id=source.video_id, number=number, time_s=float(number),
            width=track.images.longer_side, height=track.images.longer_side * 9 // 16, rank=number, signals=signals,
        )
        for number in range(1, count + 1)
    )  # fmt: skip


def likely_candidates(source: Source, track: Track) -> int:
    """How many frames of a video will be candidates, by its length (a minute where that is unknown)."""
    seconds = source.duration_s if source.duration_s is not None else 60.0
    return max(1, min(track.images.candidates, round(seconds / SECONDS_A_CANDIDATE)))


def usual_question(evidence: Evidence) -> Question:
    """A question of usual length on this group, to measure prompts with."""
    tags = evidence.tags[: max(2, min(3, len(evidence.tags)))]
    chinese = evidence.language.startswith("zh")
    words = (
        "各来源对这一数字的报道不同"
        if chinese
        else "reports a figure for the same quantity that differs from the other account"
    )
    stem = f"({' vs '.join(tags)}) " + (
        "哪一项符合各来源？" * 2 if chinese else "Which option matches what each source reports about it? " * 2
    )
    claims = tuple(Claim(text=f"{tag} {words}", tags=(tag,), modality="spoken") for tag in tags[:2])
    text = ", while ".join(claim.text for claim in claims) + "."
    return Question(
        question_id="q-forecast", group_id=evidence.group_id, type_id="T2", language=evidence.language, stem=stem,
        options={letter: Option(text=text, claims=claims) for letter in "ABCD"}, key="A",
        sources={source.tag: source.video_id for source in evidence.sources}, provenance=Provenance(drafter="forecast"),
    )  # fmt: skip


def _add_media(lines: dict[str, dict[Case, Amount]], group: Group, panel: Panel, track: Track) -> None:
    for source in group.sources:
        if panel.captioner and source.video_file:
            model = panel.model(panel.captioner)
            frames = likely_frames(source, panel, track)[:1] * likely_candidates(source, track)
            for batch in captioner.batches(frames, track.images.caption_batch):
                add_request(lines, captioner.caption_request(batch, model, group, source), dict.fromkeys(CASES, 1.0))
        limit = summary_limit((panel.views.draft, panel.views.judge), source)
        if panel.summarizer and limit:
            request = summarizer.summary_request(
                source.transcript, panel.model(panel.summarizer), limit, group_id=group.group_id
            )
            add_request(lines, request, {"low": 1.0, "expected": 1.0, "high": 2.0})


def _add_drafts(
    lines: dict[str, dict[Case, Amount]], slots: tuple[Slot, ...], evidence: Evidence, panel: Panel,
    heads: dict[str, TaskHead], track: Track, seed: int,
) -> int:  # fmt: skip
    """Adds the drafting calls of a group; returns how many questions they can give."""
    stem, stems, asked = usual_question(evidence).stem, 0, 0
    for slot in slots:
        model = panel.model(slot.drafter)
        if impossible(heads[slot.type_id], evidence, model, panel):
            continue
        request = draft_request(
            heads[slot.type_id], evidence, model, panel, n=slot.number, accepted_stems=(stem,) * stems, seed=seed,
            heads=heads, track=track,
        )  # fmt: skip
        add_request(lines, request, {"low": 1.0, "expected": 1.0, "high": 1.0 + panel.redrafts})
        stems, asked = stems + 1, asked + 1
    return asked


def middle_one(questions: tuple[Question, ...]) -> Question | None:
    """The question of middle length; None of none."""
    by_length = sorted(
        questions, key=lambda one: len(one.stem) + sum(len(option.text) for option in one.options.values())
    )
    return by_length[len(by_length) // 2] if by_length else None


def add_judges(
    lines: dict[str, dict[Case, Amount]],
    questions: Mapping[Case, float],
    evidence: Evidence,
    panel: Panel,
    seed: int,
    like: Question | None = None,
) -> None:
    """Adds the judges' calls for so many questions: each planned call of the full schedule, weighed by the case.

    `like` is one of them, where they are known already.
    """
    question = like or usual_question(evidence)
    everything = panel.model_copy(update={"schedule": "full"})
    for call in next_calls(question, everything, evidence.tags, ()):
        weights = {case: questions[case] * reached(call.check, case, panel) for case in CASES}
        add_request(lines, build_request(call, question, evidence, panel, seed=seed), weights)


def reached(check: Check, case: Case, panel: Panel) -> float:
    """Expected calls of one planned call a question under a case."""
    if case == "high" or panel.schedule == "full":
        return _ACCEPTED[case]
    share = _ACCEPTED[case]
    for earlier in ("solvability", "ambiguity", "difficulty"):
        if earlier == check:
            break
        share *= 1 - _REMOVED[earlier] * (2 if case == "low" else 1)
    return share * asked_frugally(check, case, len(panel.judges))


def asked_frugally(check: Check, case: Case, seats: int) -> float:
    """Share of a check's seats that the frugal schedule asks where nothing is removed.

    Solvability and ambiguity pass as soon as a majority for removal is out of reach; difficulty passes at the first
    wrong or unsure answer. In the expected case some seats disagree, and half of the remaining ones are asked too.
    """
    enough = 1 if check == "difficulty" else seats - seats // 2
    least = enough / seats
    return least if case == "low" else least + (1 - least) * (0.5 if check == "difficulty" else 0.1)


def add_request(lines: dict[str, dict[Case, Amount]], request: Request, weights: dict[Case, float]) -> None:
    """Counts a request under each case, so many times."""
    line = lines.setdefault(f"{request.model.name} {request.task}", {})
    guess = estimate(request)
    for case, weight in weights.items():
        line[case] = line.get(case, Amount()).plus(_amount(guess, case, weight))


def _amount(guess: Estimate, case: Case, weight: float) -> Amount:
    cost = {"low": guess.cost_low_usd, "expected": guess.cost_usd, "high": guess.cost_usd}[case]
    return Amount(
        calls=weight,
        prompt_tokens=weight * guess.prompt_tokens,
        completion_tokens=weight * guess.completion_tokens,
        cost_usd=None if cost is None else weight * cost,
    )


def show(found: Forecast, out: "Console") -> None:
    """The forecast as a table, for 80 columns and wider: what is expected, and the cost under each case."""
    from rich import box
    from rich.table import Table

    title = f"Forecast: {number_of(found.groups, 'group')}, {found.drafts} {found.work}"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("model", overflow="fold")
    table.add_column("task", no_wrap=True)
    for name in ("calls", "in", "out", *CASES):
        table.add_column(name, justify="right", no_wrap=True)
    rows = [*found.lines.items(), ("in all ", {case: found.total(case) for case in CASES})]
    for name, line in rows:
        if name == "in all ":
            table.add_section()
        middle, (model, _, task) = line["expected"], name.rpartition(" ")
        amounts = (count(round(amount)) for amount in (middle.calls, middle.prompt_tokens, middle.completion_tokens))
        table.add_row(model, task, *amounts, *(cents(line[case].cost_usd) for case in CASES))
    out.print(table)
    out.print("Calls and tokens in and out as expected; cost low, expected and high.")
    if found.total("expected").cost_usd is None:
        unknown = Counter(name.split(" ")[0] for name, line in found.lines.items() if line["expected"].cost_usd is None)
        out.print(f"No price is known for {', '.join(sorted(unknown))}: give `price:` in the panel file.")


def dollars(amount: float | None) -> str:
    """``$1.23``, or ``unknown``."""
    return "unknown" if amount is None else f"${amount:,.2f}" if amount >= 0.1 or amount == 0 else f"${amount:.4f}"


def cents(amount: float | None) -> str:
    """``$1.23``, ``<$0.01``, ``$0``, or ``unknown``."""
    if amount is None:
        return "unknown"
    return "$0" if amount == 0 else "<$0.01" if amount < 0.005 else f"${amount:,.2f}"


def one_line(found: Forecast) -> str:
    """The forecast in a sentence."""
    low, middle, high = (found.total(case) for case in CASES)
    return (
        f"Forecast: {middle.calls:,.0f} calls ({low.calls:,.0f} to {high.calls:,.0f}), "
        f"{middle.prompt_tokens + middle.completion_tokens:,.0f} tokens, "
        f"{dollars(middle.cost_usd)} ({dollars(low.cost_usd)} to {dollars(high.cost_usd)})"
    )


def longest_prompts(groups: Iterable[Group], panel: Panel, track: Track) -> dict[str, tuple[int, int, str]]:
    """Seat → most images in one of its prompts, tokens of the longest one, and the group that needs them."""
    return longest_of((likely_evidence(group, panel, track, 0) for group in groups), panel)


def longest_of(groups: Iterable[Evidence], panel: Panel) -> dict[str, tuple[int, int, str]]:
    """The same from evidence."""
    longest: dict[str, tuple[int, int, str]] = {}
    everything = panel.model_copy(update={"schedule": "full"})
    for evidence in groups:
        question = usual_question(evidence)
        for call in next_calls(question, everything, evidence.tags, ()):
            if call.check in ("difficulty", "ambiguity", "blind"):
                guess = estimate(build_request(call, question, evidence, panel, seed=0))
                most = longest.get(call.seat, (0, 0, ""))
                longest[call.seat] = max(most, (guess.images, guess.prompt_tokens, evidence.group_id))
    return longest


def extrapolate(run: Run, plan_slots: int, pilot_slots: int, work: str, out: "Console") -> None:
    """After a pilot: what the whole plan would cost and give at the rate of the groups that were run.

    `work` says what is counted: ``slots``, or ``questions`` of a file.
    """
    from report.funnel import funnel

    found = funnel(run)
    if not pilot_slots or not found.ledger.calls + found.ledger.cache_hits:
        return
    factor = plan_slots / pilot_slots
    kept = found.total.kept
    out.print(
        f"Pilot: {pilot_slots} of {plan_slots} {work}. At this rate the whole run takes about "
        f"{found.ledger.calls * factor:,.0f} calls, {dollars(found.ledger.cost_usd * factor)} "
        f"and gives about {kept * factor:,.0f} questions. The same command without --pilot goes on from here."
    )
