import hypothesis.strategies as st
import pytest
from hypothesis import given

from eval.groupings import GROUPINGS, duration_bin, event_position
from eval.metrics import evaluate, tally
from records.benchmark import STANDING, BenchmarkItem, Prediction
from records.errors import InputError
from records.verdicts import CallOutcome
from tests.eval import samples
from tests.eval.samples import item, predicted

FAILED = [outcome for outcome in STANDING if outcome != "ok"]


def ten(prefix: str = "q") -> tuple[BenchmarkItem, ...]:
    return tuple(item(f"{prefix}{n}", "ABCD"[n % 4], group_id=f"g{n}", type_id=f"T{1 + n % 2}") for n in range(10))


def overall(items: tuple[BenchmarkItem, ...], *predictions: Prediction) -> dict[str, object]:
    score = evaluate(items, predictions, groupings=())[0].overall
    return {
        "accuracy": score.accuracy, "scored": score.scored, "complete": score.complete,
        "answered": score.accuracy_answered, "worst": score.worst, "best": score.best,
    }  # fmt: skip


def test_plain_accuracy() -> None:
    items = ten()
    found = [predicted(one.item_id, one.key if n < 7 else "ABCD"[(n + 1) % 4]) for n, one in enumerate(items)]
    assert overall(items, *found) == {
        "accuracy": 0.7, "scored": 10, "complete": True, "answered": 0.7, "worst": None, "best": None,
    }  # fmt: skip


@pytest.mark.parametrize("outcome", ["refused", "filtered", "truncated", "unparsed"])
def test_a_reply_without_an_answer_is_wrong_and_accuracy_over_answered_stands_beside(outcome: CallOutcome) -> None:
    items = ten()
    found = [predicted(one.item_id, one.key) for one in items[:8]]
    found += [predicted(one.item_id, None, outcome=outcome) for one in items[8:]]
    assert overall(items, *found) == {
        "accuracy": 0.8, "scored": 10, "complete": True, "answered": 1.0, "worst": None, "best": None,
    }  # fmt: skip
    assert evaluate(items, found, groupings=())[0].overall.rate(outcome) == 0.2


@pytest.mark.parametrize(
    "outcome", ["unavailable", "rate-limited", "misconfigured", "context-too-long", "too-many-images"]
)
def test_a_reply_that_never_came_makes_a_score_incomplete_neither_lower_nor_higher(outcome: CallOutcome) -> None:
    items = ten()
    found = [predicted(one.item_id, one.key if n < 6 else "ABCD"[(n + 1) % 4]) for n, one in enumerate(items[:8])]
    found += [predicted(one.item_id, None, outcome=outcome) for one in items[8:]]
    assert overall(items, *found) == {
        "accuracy": 0.75, "scored": 8, "complete": False, "answered": 0.75, "worst": 0.6, "best": 0.8,
    }  # fmt: skip


def test_items_that_were_never_asked_are_missing_too() -> None:
    items = ten()
    found = overall(items, *(predicted(one.item_id, one.key) for one in items[:5]))
    assert found == {
        "accuracy": 1.0, "scored": 5, "complete": False, "answered": 1.0, "worst": 0.5, "best": 1.0,
    }  # fmt: skip


def test_nothing_scored_is_not_zero() -> None:
    items = ten()
    found = overall(items, *(predicted(one.item_id, None, outcome="unavailable") for one in items))
    assert found == {
        "accuracy": None, "scored": 0, "complete": False, "answered": None, "worst": 0.0, "best": 1.0,
    }  # fmt: skip


def test_repeats_are_averaged_within_the_item() -> None:
    items = ten()[:2]
    right, wrong = items[0].key, "D"
    found = [predicted("q0", answer, sample=n) for n, answer in enumerate((right, right, wrong))]
    found += [predicted("q1", None, sample=0, outcome="unavailable"), predicted("q1", items[1].key, sample=1)]
    score = evaluate(items, found, groupings=())[0].overall
    assert score.accuracy == pytest.approx((2 / 3 + 1) / 2)
    assert (score.scored, score.complete, score.outcomes) == (2, False, {"ok": 4, "unavailable": 1})


def test_rotations_do_not_enter_plain_accuracy() -> None:
    items = ten()[:1]
    found = [predicted("q0", items[0].key), predicted("q0", "B", rotation=1), predicted("q0", "C", rotation=2)]
    assert overall(items, *found)["accuracy"] == 1.0


def test_settings_of_a_sweep_are_candidates_of_their_own() -> None:
    items = ten()
    found = [predicted(one.item_id, one.key, setting="frames=4") for one in items]
    found += [predicted(one.item_id, "A", setting="frames=1") for one in items]
    assert [(s.setting, s.overall.accuracy) for s in evaluate(items, found, groupings=())] == [
        ("frames=4", 1.0), ("frames=1", 0.3),
    ]  # fmt: skip


def test_chance_follows_the_number_of_options() -> None:
    two = item("q1", options={"A": "yes", "B": "no"})
    five = item("q2", options=dict(zip("ABCDE", "vwxyz", strict=True)))
    score = evaluate((two, five), [predicted("q1", "A")], groupings=())[0].overall
    assert score.chance == pytest.approx((1 / 2 + 1 / 5) / 2)


def test_macro_weighs_types_alike() -> None:
    items = (*(item(f"a{n}", type_id="T1") for n in range(9)), item("b", type_id="T7"))
    found = [predicted(one.item_id, "A" if one.type_id == "T1" else "B") for one in items]
    scores = evaluate(items, found)[0]
    assert scores.overall.accuracy == pytest.approx(0.9)
    assert scores.macro is not None
    assert scores.macro.accuracy == pytest.approx(0.5)


def test_groupings_place_items_or_say_why_not() -> None:
    items = (*samples.news(2), *samples.videos(3))
    scores = evaluate(items, samples.answers(items, "m", 0.5))[0]
    assert list(scores.by["type"])[:3] == ["T1", "T2", "T3"]
    assert list(scores.by["type"])[10:14] == [name for name, _ in samples.SUBTASKS[:4]]
    assert list(scores.by["family"]) == ["comparison", "integration", "event", "object", "culture", "science"]
    assert list(scores.by["duration"]) == ["short", "medium", "long"]
    assert set(scores.by["culture"]) == {"Chinese", "American", "European"}
    assert scores.by["family"]["comparison"].n == 10
    assert scores.unknown["duration"].n == 20
    assert "duration" in scores.unknown["duration"].reason
    assert scores.unknown["domain"].n == len(samples.videos(3))
    assert "outlet" not in scores.by
    assert scores.unknown["outlet"].n == len(items)


def test_an_item_of_several_outlets_counts_under_each() -> None:
    items = (item("q1", outlets=("Orbis24", "Tideline")), item("q2", outlets=("Orbis24",)))
    by = evaluate(items, [predicted("q1", "A"), predicted("q2", "B")])[0].by["outlet"]
    assert {name: (score.n, score.accuracy) for name, score in by.items()} == {
        "Orbis24": (2, 0.5), "Tideline": (1, 1.0),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "name"),
    [(119.9, "short"), (120, "medium"), (600, "medium"), (600.1, "long"), (0.0, "short"), (None, "")],
)
def test_bounds_of_the_duration_bins(seconds: float | None, name: str) -> None:
    assert duration_bin(seconds) == name


@pytest.mark.parametrize(
    ("start", "end", "duration", "half"),
    [(10, None, 60, "early"), (29.9, 30, 60, "early"), (30, 30, 60, "late"), (20, 50, 60, "late"), (10, 10, None, "")],
)
def test_early_and_late(start: float, end: float | None, duration: float | None, half: str) -> None:
    assert event_position(item(event_start_s=start, event_end_s=end, duration_s=duration)) == half


REFUSED = {
    "an unknown item": ([predicted("q99", "A")], "no such item"),
    "a letter that the question has not": ([predicted("q0", "E")], "'E' is not among A, B, C, D"),
    "two predictions": ([predicted("q0", "A"), predicted("q0", "B")], "two predictions of m for q0"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_counted_is_refused(case: str) -> None:
    found, message = REFUSED[case]
    with pytest.raises(InputError, match=message):
        tally(ten(), found)


def test_items_without_a_key_or_with_one_id_are_refused() -> None:
    with pytest.raises(InputError, match="1 item\\(s\\) have no key, first q1"):
        tally((item("q1", None),), [])
    with pytest.raises(InputError, match="'q1' occurs more than once"):
        tally((item("q1"), item("q1")), [])


OUTCOMES = st.sampled_from(list(STANDING))


@given(st.lists(st.tuples(OUTCOMES, st.booleans()), min_size=1, max_size=30), st.integers(0, 29), OUTCOMES)
def test_failing_a_call_never_raises_the_number_of_right_answers(
    replies: list[tuple[CallOutcome, bool]], place: int, failure: CallOutcome
) -> None:
    items = tuple(item(f"q{n}") for n in range(len(replies)))
    place %= len(replies)

    def correct(changed: bool) -> float:
        found = []
        for n, (outcome, right) in enumerate(replies):
            is_failed = (changed and n == place and failure != "ok") or outcome != "ok"
            used = failure if changed and n == place and failure != "ok" else outcome
            found.append(predicted(f"q{n}", None if is_failed else "A" if right else "B", outcome=used))
        return evaluate(items, found, groupings=())[0].overall.correct

    assert correct(True) <= correct(False)


@given(st.lists(st.tuples(OUTCOMES, st.booleans()), min_size=1, max_size=40))
def test_an_incomplete_score_lies_between_its_bounds(replies: list[tuple[CallOutcome, bool]]) -> None:
    items = tuple(item(f"q{n}") for n in range(len(replies)))
    found = [
        predicted(f"q{n}", ("A" if right else "B") if outcome == "ok" else None, outcome=outcome)
        for n, (outcome, right) in enumerate(replies)
    ]
    score = evaluate(items, found, groupings=())[0].overall
    if score.complete:
        assert (score.worst, score.best) == (None, None)
    elif score.accuracy is not None:
        assert score.worst is not None
        assert score.best is not None
        assert score.worst <= score.accuracy + 1e-9
        assert score.accuracy <= score.best + 1e-9


def test_every_grouping_says_why_an_item_may_be_missing() -> None:
    assert all(grouping.missing for grouping in GROUPINGS.values())
