"""The plan of an evaluation: which candidate is asked which questions in which way, one task a call.

One task: ``Task(candidate="qwen", setting="frames=4", item_ids=("q-1",), rotation=0, sample=0)``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from agents.solver import Round
from graphs.eval_candidates import Setting, changed
from graphs.eval_items import Benchmark, Unit
from records.base import Record
from records.benchmark import BenchmarkItem, Prediction
from records.candidates import Asking, Candidate, Candidates
from records.config import Panel, Track, View, Views

PredictionKey = tuple[str, str, str, int, int]
"""Model, setting, item, rotation, sample."""

RANKED_AT_LEAST = 8
"""Ranked frames are chosen from so many, as for the judges, so that their numbers do not depend on what is asked."""


class Task(Record):
    """One call that is to be made."""

    candidate: str
    turn: Round
    item_ids: tuple[str, ...]

    @property
    def keys(self) -> tuple[PredictionKey, ...]:
        """The predictions that it will give."""
        turn = self.turn
        return tuple((self.candidate, turn.setting, item, turn.rotation, turn.sample) for item in self.item_ids)


@dataclass(frozen=True)
class EvalPlan:
    """Everything that is fixed before anything is asked."""

    benchmark: Benchmark
    models: Candidates
    settings: tuple[Setting, ...]
    track: Track
    suspect: dict[str, str] = field(default_factory=dict)
    """Candidate → why its score is suspect."""
    notes: tuple[str, ...] = ()
    asked: Mapping[tuple[str, str], Candidate] = field(default_factory=dict)
    """(Candidate, setting) → the candidate as it is asked there."""

    def candidate(self, name: str, setting: str) -> Candidate:
        """The candidate as a setting asks it."""
        return self.asked[name, setting]

    def preparing_panel(self) -> Panel:
        """What the media stage reads: the most ranked frames that anyone sees, the summarizer, the captioner."""
        specs = {spec.name: spec for spec in (*(c.spec for c in self.models.candidates), *self.models.helpers)}
        return Panel(
            name=self.models.name,
            models=tuple(specs.values()),
            captioner=self.models.captioner,
            summarizer=self.models.summarizer,
            views=_only_frames(most_ranked(self.asked.values())),
        )

    def tasks(self, unit: Unit) -> tuple[Task, ...]:
        """All calls on a unit, candidate by candidate."""
        items = self.benchmark.of(unit)
        return tuple(
            Task(candidate=name, turn=turn, item_ids=tuple(item.item_id for item in batch))
            for (name, setting), candidate in self.asked.items()
            for batch in batches(items, candidate.asking)
            for turn in turns(setting, candidate.asking, max(len(item.options) for item in batch))
        )


def _only_frames(count: int) -> Views:
    view = View(transcript="full", frames=count)
    return Views(draft=view, judge=view, evaluate=view)


def variants(models: Candidates, settings: Iterable[Setting]) -> dict[tuple[str, str], Candidate]:
    """Each candidate as each setting asks it. Raises ConfigurationError for settings that do not go together."""
    return {
        (candidate.name, setting.name): candidate.model_copy(update={"asking": changed(candidate, setting.changes)})
        for setting in settings
        for candidate in models.candidates
    }


def most_ranked(candidates: Iterable[Candidate]) -> int:
    """The most top-ranked frames a video that anyone is shown; 0 where nobody sees ranked frames."""
    counts = [
        candidate.asking.rule.count
        for candidate in candidates
        if candidate.asking.rule.kind == "ranked" and candidate.spec.images and candidate.asking.input != "video"
    ]
    return max([*counts, RANKED_AT_LEAST]) if counts else 0


def shows_anything(candidates: Iterable[Candidate]) -> bool:
    """Whether some candidate sees or reads anything beside the question."""
    return any(
        asking.transcript != "none" or asking.rule.kind != "none" or asking.input == "video"
        for asking in (candidate.asking for candidate in candidates)
    )


def batches(items: tuple[BenchmarkItem, ...], asking: Asking) -> tuple[tuple[BenchmarkItem, ...], ...]:
    """The questions of a unit as they are asked together: alone, so many at a time, or (0) all at once."""
    size = asking.batch or max(1, len(items))
    return tuple(items[start : start + size] for start in range(0, len(items), size))


def turns(setting: str, asking: Asking, options: int) -> tuple[Round, ...]:
    """Every rotation (of the question with most options) and repeat."""
    rotations = range(options if asking.circular else 1)
    return tuple(
        Round(setting=setting, rotation=rotation, sample=sample)
        for sample in range(asking.repeats)
        for rotation in rotations
    )


def key_of(prediction: Prediction) -> PredictionKey:
    """What makes a prediction that of one asking."""
    return (prediction.model, prediction.setting, prediction.item_id, prediction.rotation, prediction.sample)
