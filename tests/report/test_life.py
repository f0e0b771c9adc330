"""One question's life: everything that was said about it, found by any of its names."""

from pathlib import Path

import pytest

from records.errors import InputError
from records.verdicts import Decision, Item
from report.life import life_json, question_life, request_ids
from report.life_records import QuestionLife
from report.lives import Lives, cited_labels
from store.run import Run
from tests.store.building import (
    SET,
    Judged,
    build_run,
    call,
    choice,
    manifest,
    question,
    unit_decision,
)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return build_run(tmp_path / "run")


def named(run: Run, outcome: str, removed_by: str | None = None) -> Item:
    return next(one for one in run.all("item", Item) if one.outcome == outcome and one.removed_by == removed_by)


def test_a_kept_question_tells_drafts_checks_verdicts_and_calls(run: Run) -> None:
    life = question_life(run, "calder/T2/1")
    assert (life.outcome, life.reason, life.slot, life.topic) == (
        "kept", "", "calder/T2/1", "Grain carrier Calder Star runs aground",
    )  # fmt: skip
    first, second = life.attempts
    assert [violation.rule_id for violation in first.violations] == ["names-tags"]
    assert second.violations == ()
    assert first.call is not None
    assert first.call.cost_usd == pytest.approx(0.02)
    solvability, ambiguity, difficulty, blind = life.checks
    assert len(solvability.verdicts) == 9
    assert [unit.unit for unit in solvability.units] == ["TAG_A", "TAG_B", "TAG_C"]
    told = solvability.verdicts[0]
    assert (told.seat, told.unit, told.answer, told.right, told.confidence) == ("gemini", "TAG_A", "C", True, 0.9)
    assert told.rationale.startswith("TAG_A alone")
    assert told.shown_order == ("B", "D", "A", "C")
    assert max(verdict.severity or 0 for verdict in ambiguity.verdicts) == 0.4
    assert difficulty.units[0].explanation == "2.0 against 3 from 3 of 3 seats"
    assert blind.outcome == "off"
    assert len(life.calls) == 2 + 9 + 9 + 3
    assert life.cost_usd == pytest.approx(2 * 0.02 + 21 * 0.01)
    assert difficulty.cost_usd == pytest.approx(0.03)


def test_cited_frames_come_from_the_list_and_from_the_evidence(run: Run) -> None:
    life = question_life(run, "calder/T2/1")
    assert [frame.label for frame in life.cited_frames] == ["TAG_B #2"]
    assert run.frame_path(life.cited_frames[0].sha256).is_file()
    asked = question("When (TAG_A vs TAG_B)?").model_copy(
        update={"evidence_frames": ("TAG_A #1", "[FRAME: TAG_B #03]"), "evidence": "x [FRAME:TAG_C # 2] TAG_A #9"}
    )
    assert cited_labels(asked) == {"TAG_A #1", "TAG_B #3", "TAG_C #2"}


def test_a_failed_judge_is_a_failure_and_no_answer(run: Run) -> None:
    life = question_life(run, named(run, "undecided").item_id)
    failed = [verdict for verdict in life.checks[0].verdicts if verdict.failure]
    assert [(one.seat, one.unit, one.answer, one.right) for one in failed] == [
        ("gemini", "TAG_B", "", None), ("gpt-4o", "TAG_B", "", None),
    ]  # fmt: skip
    assert failed[0].failure == "truncated: stopped at 4096"
    assert failed[0].call is not None
    assert failed[0].call.outcome == "truncated"
    assert life.reason == "TAG_B: None against 2 from 1 of 3 seats"


@pytest.mark.parametrize(
    ("slot", "outcome", "reason"),
    [
        ("calder/T1/1", "rejected-by-rules", "The former is not allowed."),
        ("calder/T1/2", "duplicate", "same stem as T2/1"),
        ("calder/T10/1", "declined", "The reports share no common summary."),
        ("calder/T10/2", "failed", "refused: the provider refused the request."),
    ],
)
def test_a_slot_that_gave_nothing_has_a_life_too(run: Run, slot: str, outcome: str, reason: str) -> None:
    life = question_life(run, slot)
    assert (life.anchor, life.outcome, life.reason, life.checks) == (slot, outcome, reason, ())
    assert len(life.calls) == 1


def test_an_accepted_draft_without_a_judgement_is_pending(run: Run) -> None:
    life = question_life(run, "calder/T2/1", "another-set")
    assert life.outcome == "pending"
    assert "no panel has judged it yet" in life.reason


def test_the_beginning_of_an_id_is_enough_where_only_one_fits(run: Run) -> None:
    item = named(run, "removed", "ambiguity")
    assert question_life(run, item.item_id[:10]).anchor == item.item_id
    with pytest.raises(InputError, match=r"several questions named 'q-'.*Do you mean"):
        question_life(run, "q-")
    with pytest.raises(InputError, match=r"no question named 'calder/T2/88'.*Do you mean calder/T2"):
        question_life(run, "calder/T2/88")
    with pytest.raises(InputError, match=r"no question named 'zzz'.*items.jsonl"):
        question_life(run, "zzz")
    with pytest.raises(InputError):
        question_life(run, "")


def test_other_judgement_sets_are_named(run: Run) -> None:
    item = named(run, "kept")
    other = item.model_copy(update={"outcome": "removed", "removed_by": "difficulty", "judgement_set": "second"})
    run.put("item", other.item_id, other, group_id="calder", set_name="second")
    assert question_life(run, item.item_id).other_sets == {"second": "removed"}
    assert question_life(run, item.item_id, "second").other_sets == {SET: "kept"}
    only = item.model_copy(update={"item_id": "q-only", "judgement_set": "second"})
    run.put("item", "q-only", only, set_name="second")
    assert question_life(run, "q-only").judgement_set == "second", "found in the set that has it"


def test_a_life_is_json_and_comes_back(run: Run) -> None:
    life = question_life(run, "calder/T2/1")
    assert QuestionLife.model_validate_json(life_json(life)) == life
    assert len(request_ids(life)) == 23
    assert len(run.calls(request_ids=request_ids(life))) == 23


def test_the_drafters_reasoning_is_read_from_its_reply(run: Run) -> None:
    draft = question_life(run, "calder/T2/1")
    request_id = draft.attempts[1].call.request_id if draft.attempts[1].call else ""
    run.finished(call(request_id, "draft", asked=2, reply_json='{"reasoning": "22 against 24", "question": null}'))
    assert question_life(run, "calder/T2/1").attempts[1].reasoning == "22 against 24"
    run.finished(call(request_id, "draft", asked=3, reply_json="not json", reasoning="from the provider"))
    assert question_life(run, "calder/T2/1").attempts[1].reasoning == "from the provider"


def test_cache_hits_and_every_asking_are_shown(run: Run) -> None:
    item = named(run, "kept")
    request_id = item.verdicts[0].request_id
    again = run.trace(request_id)[0].model_copy(update={"asked": 2, "cost_usd": 0.5})
    run.finished(again)
    run.cache_hit(again)
    calls = [one for one in question_life(run, item.item_id).calls if one.request_id == request_id]
    assert [(one.asked, one.cache_hits) for one in calls] == [(1, 1), (2, 1)]


def test_a_question_from_elsewhere_needs_no_evidence(tmp_path: Path) -> None:
    asked = question("When (TAG_A vs TAG_B)?")
    verdicts = tuple(choice(asked, "blind", "qwen", f"rotation-{n}", "C", 0.3) for n in range(4))
    made = Decision(check="blind", outcome="passed", units=(unit_decision("all", "passed", 0.0, 2),))
    item = Judged(asked).item().model_copy(update={"verdicts": verdicts, "decisions": (made,)})
    with Run.create(tmp_path / "foreign", manifest()) as run:
        run.put("item", item.item_id, item, set_name=SET)
        life = question_life(run, item.item_id)
    assert [source.video_id for source in life.sources] == ["calderOrb1", "calderTid2", "calderPal4"]
    assert life.cited_frames == ()
    assert [verdict.unit for verdict in life.checks[0].verdicts] == [f"rotation-{n}" for n in range(4)]
    assert life.cost_usd == item.cost_usd, "without a journal the item's own figure stands"


def test_all_lives_are_the_items_and_the_lost_slots(run: Run) -> None:
    lives = list(Lives(run).all())
    assert len(lives) == 10
    assert [life.outcome for life in lives[6:]] == ["rejected-by-rules", "duplicate", "declined", "failed"]
    assert [life.slot for life in lives[6:]] == ["calder/T1/1", "calder/T1/2", "calder/T10/1", "calder/T10/2"]
