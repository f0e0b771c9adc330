"""Questions on a video without a language model: in which order things are said (ES) and when (EL), from its notes.

Both quote the video's own words; order and times are those of the captions. Every other subtask is declined: it would
need to see, to know, or to weigh what may happen next.
"""

import random
from itertools import permutations
from typing import Any

_DECLINED = {
    "ED": "telling what happens needs more than an excerpt of what is said",
    "EP": "what comes next cannot be weighed by words and times",
    "object": "the embedded models do not see",
    "culture": "the embedded models know nothing of a culture",
    "science": "the embedded models know nothing of a science",
}
_STEMS = {
    "ES": {"en": "In which order are these sentences said in the video?", "zh": "视频中以下句子是按什么顺序说出的？"},
    "EL": {"en": "At about what time in the video is this said: “{said}”?", "zh": "视频大约在什么时候说到“{said}”？"},
}
_LONGEST = 80
_STEPS = 4


def write(spec: dict[str, Any]) -> dict[str, object]:
    """The reply to a drafting request of the video track; declined with the reason where it cannot be served."""
    type_id, family = str(spec["type_id"]), str(spec["family"])
    chance = random.Random(f"{spec.get('seed', 0)}/{type_id}/{spec.get('n', 1)}")
    if type_id == "ES":
        return _order(spec, chance)
    if type_id == "EL":
        return _moment(spec, chance)
    return _declined(_DECLINED.get(type_id) or _DECLINED.get(family) or "no lexical method serves this type")


def _order(spec: dict[str, Any], chance: random.Random) -> dict[str, object]:
    said = _distinct(spec)
    if len(said) < 3:
        return _declined("fewer than three paragraphs begin with a sentence that can be told from the others")
    chosen = sorted(chance.sample(said, min(_STEPS, len(said))), key=lambda each: each[0])
    true = tuple(range(1, len(chosen) + 1))
    others = chance.sample([order for order in permutations(true) if order != true], 3)
    orders = chance.sample([true, *others], 4)
    letters = dict(zip("ABCD", orders, strict=True))
    question = {
        "stem": _stem("ES", spec),
        "event": chosen[0][0],
        "steps": [{"item": number, "text": text} for number, text in chosen],
        "options": {letter: {"order": list(order)} for letter, order in letters.items()},
        "correct_answer": next(letter for letter, order in letters.items() if order == true),
        "evidence": ", ".join(_time(spec, number) for number, _ in chosen),
    }
    return {"reasoning": "the order of the captions", "declined": "", "question": question}


def _moment(spec: dict[str, Any], chance: random.Random) -> dict[str, object]:
    said = _distinct(spec)
    for number, text in chance.sample(said, len(said)):
        event = spec["events"][number - 1]
        right = _said_at(spec, event)
        wrong = _wrong_moments(spec, event, chance)
        if right and wrong:
            times = chance.sample([right, *wrong], 4)
            letters = dict(zip("ABCD", times, strict=True))
            question = {
                "stem": _stem("EL", spec).format(said=text),
                "event": number,
                "options": {letter: {"time_s": time} for letter, time in letters.items()},
                "correct_answer": next(letter for letter, time in letters.items() if time == right),
                "evidence": f"{right} s",
            }
            return {"reasoning": "the time of the caption", "declined": "", "question": question}
    return _declined("no sentence lies far enough from three other moments")


def _said_at(spec: dict[str, Any], event: dict[str, Any]) -> int:
    """The whole second at which an event's sentence begins; 0 where it is not known, or begins before the event."""
    starts = [each["start_s"] for each in spec.get("sentences", ()) if each["text"].strip() == event["event"].strip()]
    within = [start for start in starts if event["start_s"] <= start < event["end_s"]]
    return round(within[0]) if len(starts) == 1 and within else 0


def _wrong_moments(spec: dict[str, Any], event: dict[str, Any], chance: random.Random) -> list[int]:
    """Three whole seconds outside the paragraph and apart from each other; none where there is no room."""
    gap, duration = float(spec["time_gap_s"]), float(spec.get("duration_s") or 0.0)
    outside = [t for t in range(int(duration)) if t <= event["start_s"] - gap - 1 or t >= event["end_s"] + gap + 1]
    chosen: list[int] = []
    for time in chance.sample(outside, len(outside)):
        if len(chosen) < 3 and all(abs(time - other) >= gap for other in (*chosen, event["start_s"])):
            chosen.append(time)
    return chosen if len(chosen) == 3 else []


def _distinct(spec: dict[str, Any]) -> list[tuple[int, str]]:
    """Events by number with their first words, where these are short enough to quote and occur once."""
    found = [(number, _quotable(event["event"])) for number, event in enumerate(spec["events"], start=1)]
    texts = [text for _, text in found]
    return [(number, text) for number, text in found if text and texts.count(text) == 1]


def _quotable(text: str) -> str:
    plain = " ".join(text.split()).strip(" .。")
    return plain if 4 <= len(plain) <= _LONGEST and "→" not in plain else ""


def _stem(type_id: str, spec: dict[str, Any]) -> str:
    return _STEMS[type_id]["zh" if str(spec.get("language", "")).startswith("zh") else "en"]


def _time(spec: dict[str, Any], number: int) -> str:
    return f"{spec['events'][number - 1]['start_s']:.0f} s"


def _declined(reason: str) -> dict[str, object]:
    return {"reasoning": "", "declined": reason, "question": None}
