"""The embedded models on single videos: ratings that follow the counts, cuts that cover, keys that are true."""

from itertools import pairwise
from typing import Any

import pytest

from offline.notes import cut, excerpt, rate
from offline.timeline import write
from records.media import Sentence

TALK = (
    "The bar hangs on a thread.", "A board on the left tips the bar.", "The board weighs forty grams.",
    "Paint dries on a shelf.", "The shelf stands by the window.", "Green paint needs an hour on the shelf.",
    "Tea is served at four.", "The tea is green and hot.",
)  # fmt: skip


def sentences(*texts: str, step: float = 5.0, spoken: float = 4.5) -> list[dict[str, Any]]:
    timed = (Sentence(start_s=step * n, end_s=step * n + spoken, text=text) for n, text in enumerate(texts))
    return [sentence.model_dump() for sentence in timed]


@pytest.mark.parametrize(
    ("said", "duration", "rich"),
    [
        (sentences(*TALK), 40, True),
        (sentences("Yeah.", "Oh no!", "Thanks for watching.", "La la la.", spoken=1.0), 60, False),
        (sentences(*TALK), 400, False),
        ([], 40, False),
    ],
    ids=["a talk", "cries", "a talk in a long silent video", "nothing"],
)
def test_a_rating_follows_the_counts(said: list[dict[str, Any]], duration: float, rich: bool) -> None:
    found = rate({"language": "en", "duration_s": duration, "sentences": said})
    grades = [found[name] for name in ("coherence", "continuity", "density")]
    assert all(isinstance(grade, int) and 1 <= grade <= 5 for grade in grades)
    assert (min(grades) >= 3) == rich  # type: ignore[type-var]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_a_cut_covers_every_sentence_once(count: int) -> None:
    found = cut({"language": "en", "first": 11, "sentences": sentences(*TALK[:count])})
    pieces: Any = found["pieces"]
    covered = [number for piece in pieces for number in range(piece["first"], piece["last"] + 1)]
    assert covered == list(range(11, 11 + count))


def test_a_cut_stands_where_the_subject_changes() -> None:
    pieces: Any = cut({"language": "en", "first": 1, "sentences": sentences(*TALK)})["pieces"]
    assert [piece["first"] for piece in pieces] == [1, 4, 7]


def test_an_event_is_the_first_sentence_word_for_word() -> None:
    said = [Sentence.model_validate(each) for each in sentences("One thing.", "Another.")]
    found = excerpt({}, said)
    assert (found["event"], found["audio"]) == ("One thing.", "Another.")
    assert excerpt({"text": "Only text."}, [])["event"] == "Only text."
    with pytest.raises(ValueError, match="no words"):
        excerpt({"text": " "}, [])


def spec(type_id: str, **changes: Any) -> dict[str, Any]:
    events = [
        {"event": TALK[place], "audio": "", "start_s": 15.0 * n, "end_s": 15.0 * (n + 1)}
        for n, place in enumerate((0, 3, 6))
    ]
    said = sentences(*TALK, step=5.6)
    values = {"type_id": type_id, "family": "event", "form": "order", "language": "en", "n": 1, "seed": 0}
    return {**values, "events": events, "sentences": said, "duration_s": 60.0, "time_gap_s": 5.0, **changes}


@pytest.mark.parametrize("n", range(1, 6))
def test_the_key_of_an_order_is_the_order_of_the_events(n: int) -> None:
    question: Any = write(spec("ES", n=n))["question"]
    items = [question["steps"][place - 1]["item"] for place in question["options"][question["correct_answer"]]["order"]]
    assert items == sorted(items)
    orders = [tuple(option["order"]) for option in question["options"].values()]
    assert len(set(orders)) == 4


@pytest.mark.parametrize("n", range(1, 6))
def test_the_key_of_a_moment_is_when_the_sentence_begins_not_its_segment(n: int) -> None:
    question: Any = write(spec("EL", n=n))["question"]
    right = question["options"][question["correct_answer"]]["time_s"]
    start = {TALK[3]: 16.8, TALK[6]: 33.6}[next(text for text in TALK if text.strip(".") in question["stem"])]
    assert right == round(start)
    times = sorted(option["time_s"] for option in question["options"].values())
    assert all(later - earlier >= 5 for earlier, later in pairwise(times))


@pytest.mark.parametrize(
    ("type_id", "changes", "reason"),
    [
        ("ED", {}, "excerpt"), ("EP", {}, "words and times"), ("OTL", {"family": "object"}, "do not see"),
        ("CC", {"family": "culture"}, "culture"), ("SP", {"family": "science"}, "science"),
        ("XX", {}, "no lexical method"), ("EL", {"time_gap_s": 30.0}, "far enough"),
        ("EL", {"sentences": []}, "far enough"),
        ("ES", {"events": spec("ES")["events"][:2]}, "fewer than three"),
        ("ES", {"events": [{**each, "event": "The same."} for each in spec("ES")["events"]]}, "fewer than three"),
    ],
)  # fmt: skip
def test_what_cannot_be_served_honestly_is_declined(type_id: str, changes: dict[str, Any], reason: str) -> None:
    found = write(spec(type_id, **changes))
    assert found["question"] is None
    assert reason in str(found["declined"])
