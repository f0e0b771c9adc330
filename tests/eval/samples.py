"""Small benchmarks and predictions made in code, with everything that tables split by."""

import random
from collections.abc import Sequence

from eval.candidates import CandidateInfo
from eval.enrich import enriched
from records.benchmark import BenchmarkItem, Prediction
from records.verdicts import CallOutcome

SUBTASKS = (
    ("Event Description", "event"), ("Event Prediction", "event"), ("Event Sequence", "event"),
    ("Event Localization", "event"), ("Object Temporal Localization", "object"),
    ("Object Temporal Sequence", "object"), ("Object Spatial Localization", "object"), ("Chinese Culture", "culture"),
    ("American Culture", "culture"), ("European Culture", "culture"), ("Summarization & Synthesis", "science"),
    ("Comparison & Contrast", "science"), ("Application & Procedure", "science"), ("Science Principle", "science"),
)  # fmt: skip
DOMAINS = ("World", "Business & Economy", "Health")
DISCIPLINES = (("Mathematics", "Calculus"), ("Physics", "Mechanics"), ("Chemistry", "Organic Chemistry"))


def item(item_id: str = "q1", key: str | None = "A", **fields: object) -> BenchmarkItem:
    """One item with four options."""
    options = {"A": "the pilot", "B": "the owner", "C": "the minister", "D": "the harbour master"}
    given = {"item_id": item_id, "stem": f"Who speaks first in {item_id}?", "options": options, "key": key, **fields}
    return BenchmarkItem.model_validate(given)


def predicted(item_id: str, answer: str | None, model: str = "m", **fields: object) -> Prediction:
    """A prediction; without an answer it is unparsed unless another outcome is given."""
    outcome = fields.pop("outcome", "ok" if answer else "unparsed")
    given = {"model": model, "item_id": item_id, "answer": answer, "outcome": outcome, **fields}
    return Prediction.model_validate(given)


def news(groups: int = 12) -> tuple[BenchmarkItem, ...]:
    """Ten questions (T1–T10) a group, in three domains."""
    return tuple(
        enriched(
            item(
                f"g{group:02d}-t{number}",
                "ABCD"[(group + number) % 4],
                group_id=f"g{group:02d}",
                video_ids=(f"v{group}a", f"v{group}b"),
                type_id=f"T{number}",
                domain=DOMAINS[group % 3],
                language="en",
                drafter=("gpt", "qwen")[group % 2],
            )
        )
        for group in range(groups)
        for number in range(1, 11)
    )


def videos(each: int = 6) -> tuple[BenchmarkItem, ...]:
    """`each` questions for each of the fourteen subtasks, in two languages, with durations and disciplines."""
    return tuple(
        _video_item(number * each + n, type_id, family)
        for number, (type_id, family) in enumerate(SUBTASKS)
        for n in range(each)
    )


def _video_item(number: int, type_id: str, family: str) -> BenchmarkItem:
    duration = (60.0, 300.0, 900.0)[number % 3]
    discipline, field = DISCIPLINES[number % 3] if family == "science" else ("", "")
    given: dict[str, object] = {"video_ids": (f"vid{number:03d}",), "type_id": type_id, "category": family}
    given |= {"language": ("en", "zh")[number % 2], "duration_s": duration}
    given |= {"discipline": discipline, "sub_discipline": field}
    key = "ABCD"[number % 4]
    if type_id == "Event Localization":
        times = {letter: f"0:00:{5 + 10 * place:02d}" for place, letter in enumerate("ABCD")}
        given |= {"options": {**times, key: "0:00:50" if number % 2 else "0:00:08"}, "duration_s": 60.0 + number % 3}
    return enriched(item(f"{type_id} {number}", key, **given))


def answers(
    items: Sequence[BenchmarkItem], model: str, skill: float, *, confident: bool = False, **fields: object
) -> tuple[Prediction, ...]:
    """Predictions that are right with the given probability; seeded by the model's name."""
    drawn = random.Random(model)
    found = []
    for one in items:
        knows = drawn.random() < skill
        answer = one.key if knows else drawn.choice([letter for letter in one.options if letter != one.key])
        confidence = round(0.5 + 0.5 * drawn.random(), 2) if confident else None
        found.append(predicted(one.item_id, answer, model, confidence=confidence, **fields))
    return tuple(found)


def failed(found: Sequence[Prediction], outcome: CallOutcome, every: int) -> tuple[Prediction, ...]:
    """The same predictions with every n-th call failed."""
    return tuple(
        p.model_copy(update={"answer": None, "outcome": outcome, "confidence": None}) if i % every == 0 else p
        for i, p in enumerate(found)
    )


INFOS = {
    "open7": CandidateInfo(
        label="Open_7B & co", llm="Base-7B", frames="1fps(64)", section="Open-source Video LMMs", size_b=7
    ),
    "open8": CandidateInfo(label="Open 8B", llm="Base-8B", frames="16f", section="Open-source Video LMMs", size_b=8),
    "closed": CandidateInfo(label="Closed One", llm="Closed", frames="1fps", section="Proprietary LMMs"),
    "judge": CandidateInfo(
        label="Judge", llm="Judge", frames="8f", section="Proprietary LMMs", contaminated="judged these items"
    ),
}


def panel_of_models(items: Sequence[BenchmarkItem]) -> tuple[Prediction, ...]:
    """Four models: one with refusals, one with replies that never came, one suspect."""
    return (
        *answers(items, "open7", 0.45),
        *failed(answers(items, "open8", 0.5), "refused", 10),
        *failed(answers(items, "closed", 0.75, confident=True), "unavailable", 25),
        *answers(items, "judge", 0.7, confident=True),
    )
