"""The embedded panel as a whole: what it keeps of sound drafts, and what it removes of planted faults."""

from collections.abc import Callable, Iterator

import pytest

from records.media import Evidence
from records.questions import Question
from tests.conftest import shared_data
from tests.offline.faults import settled_by_one_source, with_told_key, with_twin
from tests.offline.pipeline import drafted, evidence_of, judged, offline_panel, removes
from tests.offline.test_drafting import GROUPS, SERVED

Drafts = list[tuple[Question, Evidence]]


@pytest.fixture(scope="module")
def drafts() -> Drafts:
    """What the panel drafts by default, of every group."""
    per_type = offline_panel().drafts_per_type
    groups = [evidence_of(shared_data("news", name)) for name in GROUPS]
    return [(question, evidence) for evidence in groups for question in drafted(evidence, SERVED, per_type)]


def test_three_questions_are_kept_of_each_english_group_and_one_of_the_chinese(drafts: Drafts):
    kept = dict.fromkeys(GROUPS, 0)
    for question, evidence in drafts:
        kept[evidence.group_id] += judged(question, evidence).outcome == "kept"
    assert kept.pop("culture-yunling-tea") >= 1
    assert min(kept.values()) >= 3


def test_no_sound_draft_is_removed_as_solvable_or_ambiguous(drafts: Drafts):
    assert not any(removes(check, *one) for one in drafts for check in ("solvability", "ambiguity"))


@pytest.mark.parametrize(
    ("check", "plant", "least"),
    [
        ("solvability", settled_by_one_source, 60),
        ("ambiguity", with_twin, 50),
        ("solvability", with_told_key, 80),
        ("difficulty", with_told_key, 80),
    ],
)
def test_of_planted_faults_each_check_removes_nine_in_ten(
    drafts: Drafts, check: str, plant: Callable[[Question], Iterator[Question]], least: int
):
    planted = [(fault, evidence) for question, evidence in drafts for fault in plant(question)]
    removed = [removes(check, *one) for one in planted]
    assert len(removed) >= least
    assert sum(removed) / len(removed) >= 0.9
