"""The funnel: every draft is counted once, in all splits, and the costs are those of the judgement set."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from records.questions import DraftRecord
from records.verdicts import Item
from report.funnel import STEPS, Funnel, FunnelRow, funnel, is_offline, shown_steps
from report.markdown import funnel_markdown
from report.summary import OFFLINE, OFFLINE_JUDGES, summary_lines
from store.run import Run
from tests.store.building import (
    SET,
    Judged,
    accepted,
    build_run,
    journal_item,
    manifest,
    panel,
    question,
    unaccepted,
)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return build_run(tmp_path / "run", groups=("calder", "wren"))


def test_every_step_counts_what_fell_there(run: Run) -> None:
    found = funnel(run, SET)
    assert found.total.drafted == 20
    assert {step: number for step, number in found.total.steps.items() if number} == {
        "broke-rules": 2, "duplicate": 2, "declined": 2, "failed": 2, "solvable": 2, "ambiguous": 2, "too-easy": 2,
        "undecided": 2, "kept": 4,
    }  # fmt: skip
    assert (found.total.not_crossed, found.total.uncrossed) == (2, 2)
    assert [row.label for row in found.by_type] == ["T1", "T2", "T7", "T10"]
    assert [row.kept for row in found.by_type] == [0, 2, 2, 0]
    assert [row.label for row in found.by_drafter] == ["gpt-5"]
    assert found.checks_off == ("crossed", "blind")


def test_money_and_calls_are_those_of_the_ledger(run: Run) -> None:
    found = funnel(run, SET)
    assert found.ledger.cost_usd == pytest.approx(run.spent_usd())
    assert found.kept_cost_usd == pytest.approx(run.spent_usd() / 4)
    assert found.calls_saved == 2 * (1 + 12 + 3)
    assert sum(row.calls for row in found.by_model) == found.ledger.calls == len(run.calls())
    assert found.ledger.failed == {"truncated": 4}


def test_another_set_pays_for_drafting_and_its_own_judges_only(run: Run) -> None:
    asked = question("When did the ship strike and how many were aboard (TAG_A vs TAG_B)?")
    draft = next(one for one in run.all("draft", DraftRecord) if one.question == asked or one.slot == "calder/T2/1")
    assert draft.question is not None
    other = Judged(draft.question).solvability(2).item(set_name="second")
    verdicts = tuple(one.model_copy(update={"request_id": one.request_id + "x"}) for one in other.verdicts)
    other = other.model_copy(update={"verdicts": verdicts})
    run.put("item", other.item_id, other, group_id="calder", set_name="second")
    run.put("panel", "second", panel().model_copy(update={"name": "mixed"}), set_name="second")
    before = funnel(run, SET).ledger.cost_usd
    journal_item(run, other)
    second = funnel(run, "second")
    assert (second.panel, second.total.steps["solvable"], second.total.steps["pending"]) == ("mixed", 1, 11)
    drafting = sum(row.cost_usd for row in second.by_task if row.key["task"] == "draft")
    assert second.ledger.cost_usd == pytest.approx(drafting + 0.01 * len(verdicts))
    assert funnel(run, SET).ledger.cost_usd == pytest.approx(before)


def test_questions_from_elsewhere_are_drafts_too(tmp_path: Path) -> None:
    with Run.create(tmp_path / "foreign", manifest()) as run:
        item = Judged(question("When (TAG_A vs TAG_B)?")).solvability().ambiguity().difficulty().item()
        run.put("item", item.item_id, item, set_name=SET)
        found = funnel(run)
    assert (found.total.drafted, found.total.kept) == (1, 1)


def test_an_empty_run_has_an_empty_funnel(tmp_path: Path) -> None:
    with Run.create(tmp_path / "empty", manifest()) as run:
        found = funnel(run)
    assert found.total.drafted == 0
    assert found.kept_cost_usd is None
    assert summary_lines(found)[0] == "Nothing was drafted yet."
    assert "| drafted | 0 |" in funnel_markdown(found)


def test_expected_removals_can_be_handed_in(run: Run) -> None:
    assert funnel(run, SET).expected_by_guessing["difficulty"] == pytest.approx(2 * (1 / 4) ** 3)
    handed = funnel(run, SET, expected={"solvability": 3.5})
    assert any("about 3.5 solvable from one source (found 2)" in line for line in summary_lines(handed))


def test_no_language_model_is_said_only_when_all_are_offline(tmp_path: Path) -> None:
    assert is_offline(panel(offline=True))
    assert not is_offline(panel())
    assert not is_offline(None)
    mixed = panel(offline=True)
    online = mixed.models[0].model_copy(update={"model": "openai/gpt-5"})
    assert not is_offline(mixed.model_copy(update={"models": (online, *mixed.models[1:])}))
    ended = DraftRecord(slot="c/T1/1", group_id="c", type_id="T1", drafter="offline/extractive", outcome="declined")
    with Run.create(tmp_path / "offline", manifest(offline=True)) as run:
        run.put("draft", "c/T1/1", ended, group_id="c")
        assert summary_lines(funnel(run))[-1] == OFFLINE
        for other in ("openai/gpt-5", "people"):
            run.put("draft", "c/T1/2", ended.model_copy(update={"drafter": other}), group_id="c")
            assert summary_lines(funnel(run))[-1] == OFFLINE_JUDGES
    with build_run(tmp_path / "online") as run:
        assert not {OFFLINE, OFFLINE_JUDGES} & set(summary_lines(funnel(run)))


def test_questions_that_break_rules_and_are_judged_all_the_same_are_counted(tmp_path: Path) -> None:
    with build_run(tmp_path / "run") as run:
        items = run.all("item", Item, set_name=SET)
        plain = [item.model_copy(update={"rule_warnings": ()}) for item in items]
        assert not [line for line in summary_lines(funnel(run, SET, items=plain)) if "warnings of the rules" in line]
        broken = [plain[0].model_copy(update={"rule_warnings": ("named-tags: names one tag",)}), *plain[1:]]
        found = funnel(run, SET, items=broken)
        assert (found.total.warned, found.total.not_crossed) == (1, 0)
        sentence = "Of 6 judged questions, 1 with warnings of the rules, which are reported and remove nothing."
        assert sentence in summary_lines(found)


def test_a_removal_for_uncrossed_options_is_a_step_and_no_warning() -> None:
    steps = dict.fromkeys(STEPS, 0) | {"not-crossed": 2, "kept": 1}
    row = FunnelRow(label="all", drafted=3, steps=steps, not_crossed=2)
    assert row.uncrossed == 0
    assert "not-crossed" in shown_steps(row)


judgements = st.sampled_from(["kept", "solvable", "ambiguous", "easy", "undecided", "rules", "declined", "waiting"])


def add(run: Run, number: int, kind: str) -> None:
    asked = question(f"Question {number} (TAG_A vs TAG_B)?", type_id=f"T{number % 3}")
    if kind in {"rules", "declined"}:
        outcome = "rejected-by-rules" if kind == "rules" else kind
        draft = unaccepted("calder", asked.type_id, number, outcome)
        run.put("draft", draft.slot, draft)
        return
    draft = accepted(asked, number)
    run.put("draft", draft.slot, draft)
    if kind == "waiting":
        return
    judged = Judged(asked).solvability(2 if kind == "solvable" else 0, failed=2 if kind == "undecided" else 0)
    judged.ambiguity(0.9 if kind == "ambiguous" else 0.1).difficulty(3 if kind == "easy" else 1)
    item = judged.item()
    run.put("item", item.item_id, item, set_name=SET)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kinds=st.lists(judgements, max_size=12))
def test_steps_add_up_to_the_drafts_in_every_split(kinds: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    with Run.create(tmp_path_factory.mktemp("runs") / "run", manifest()) as run:
        with run.transaction():
            for number, kind in enumerate(kinds):
                add(run, number, kind)
        found = funnel(run, SET)
        kept = sum(item.outcome == "kept" for item in run.all("item", Item))
    rows = (found.total, *found.by_type, *found.by_drafter)
    assert all(sum(row.steps.values()) == row.drafted for row in rows)
    assert sum(row.drafted for row in found.by_type) == found.total.drafted == len(kinds)
    assert found.total.kept == kept == kinds.count("kept")
    assert found.total.steps["pending"] == kinds.count("waiting")
    assert Funnel.model_validate_json(found.model_dump_json()) == found
