"""What the nodes of an evaluation reach: gateway, run, plan, what is known. Travels in `runtime.context`."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from gateway.core import Gateway
from graphs.eval_material import Images, Shown
from graphs.eval_plan import EvalPlan, PredictionKey, Task, key_of
from graphs.progress import Progress
from graphs.session import Session
from records.benchmark import Prediction
from records.candidates import Candidate
from store.run import Run

PREPARED_PER_PLACE = 2
"""Requests of a candidate that stand ready for each one in flight: no place waits, and no more are in memory."""


class EvalProgress(Progress):
    """Progress in questions and calls."""

    def line(self, groups: int) -> str:
        """The line shown, such as ``video 3/40 · 96 answers · 140 calls (64 in flight) · $0.42``."""
        seen = self.counts
        parts = [
            f"unit {min(seen['groups'] + 1, groups)}/{groups}",
            f"{seen['answers']} answers",
            f"{seen['calls']} calls ({self.in_flight} in flight)",
            f"${self.cost_usd:.2f}",
        ]
        parts += [f"{count} {outcome}" for outcome, count in sorted(self.failures.items())]
        return " · ".join(parts)


@dataclass(frozen=True)
class EvalSession:
    """One start of the command on one run."""

    run: Run
    gateway: Gateway
    plan: EvalPlan
    preparing: Session
    """What reading groups, cutting frames and summarising need."""
    images: Images
    progress: Progress
    _places: dict[str, asyncio.Semaphore] = field(default_factory=dict)
    _led: dict[tuple[str, str, str], asyncio.Event] = field(default_factory=dict)

    def place(self, candidate: Candidate) -> asyncio.Semaphore:
        """Where a candidate's requests wait before they are built."""
        if candidate.name not in self._places:
            places = PREPARED_PER_PLACE * candidate.spec.concurrency
            self._places[candidate.name] = asyncio.Semaphore(places)
        return self._places[candidate.name]

    @asynccontextmanager
    async def behind_the_first(self, unit_id: str, candidate: Candidate, setting: str) -> AsyncIterator[None]:
        """The first call on the same material goes ahead, so that the server's prefix cache serves the others.

        They wait here, before they take a place or are built, so that the first calls of other units go out meanwhile.
        """
        shares = candidate.spec.prefix_cache and candidate.asking.layout == "shared-prefix"
        key = (unit_id, candidate.name, setting)
        if not shares or candidate.spec.is_offline:
            yield
        elif key in self._led:
            await self._led[key].wait()
            yield
        else:
            self._led[key] = asyncio.Event()
            try:
                yield
            finally:
                self._led[key].set()

    def keep(self, unit_id: str, predictions: Iterable[Prediction], shown: Iterable[tuple[str, str, Shown]]) -> None:
        """Keeps a unit's predictions together, and what was shown for them."""
        with self.run.transaction():
            for prediction in predictions:
                name = f"{prediction.item_id}/{prediction.rotation}/{prediction.sample}"
                self.run.put("prediction", name, prediction, group_id=unit_id, set_name=set_name(prediction))
            for candidate, setting, facts in shown:
                self.run.put("shown", f"{candidate}/{unit_id}", facts, group_id=unit_id, set_name=setting)


def set_name(prediction: Prediction) -> str:
    """Where a candidate's predictions of one setting are kept."""
    return f"{prediction.model} [{prediction.setting}]" if prediction.setting else prediction.model


def known(run: Run, *, retry_failed: bool) -> frozenset[PredictionKey]:
    """What the run holds already; with `retry_failed` without what was unavailable.

    A refused, truncated or unreadable reply is an answer that counts as wrong: it is never asked for twice.
    """
    found = run.all("prediction", Prediction)
    return frozenset(key_of(p) for p in found if not (retry_failed and p.standing == "unavailable"))


def pending(tasks: Iterable[Task], done: frozenset[PredictionKey]) -> tuple[Task, ...]:
    """The tasks of which something is not known yet."""
    return tuple(task for task in tasks if not done.issuperset(task.keys))
