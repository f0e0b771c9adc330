"""One question's whole life: evidence, drafts, every verdict, every decision's arithmetic, every call.

Example: ``question_life(run, "q-3b1f0a…")``, or ``question_life(run, "calder/T7/1")`` for a slot that gave nothing.
"""

from report.life_records import QuestionLife
from report.lives import Lives
from store.run import Run


def question_life(run: Run, item_id: str, set_name: str | None = None) -> QuestionLife:
    """The life of an item, of a drafted question, or of a slot; the beginning of an id will do if only one fits.

    Raises InputError for an id that the run does not have, naming those that are near.
    """
    lives = Lives(run, set_name or _set_of(run, item_id), whole=False)
    return lives.find(item_id)


def _set_of(run: Run, item_id: str) -> str:
    """The first set that has the item; the run's first set where none has."""
    having = {entry.set_name for entry in run.index("item") if entry.key.startswith(item_id)}
    ordered = [name for name in (run.manifest.judgement_set, *run.sets()) if name in having]
    return ordered[0] if ordered else run.manifest.judgement_set


def life_json(life: QuestionLife) -> str:
    """The record as indented JSON, for ``graphs.audit --json``."""
    return life.model_dump_json(indent=2)


def request_ids(life: QuestionLife) -> tuple[str, ...]:
    """Requests of a life, for reading their traces."""
    return tuple(dict.fromkeys(call.request_id for call in life.calls))
