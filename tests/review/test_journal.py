"""The journal: what was saved is there, from many threads and processes at once, and nothing is overwritten."""

import multiprocessing
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.errors import RunError
from records.questions import Option, Provenance, Question
from records.review import Assignment, Comment, ReviewEdit, Score
from review.journal import FILE, Journal, StaleEdit
from review.sheets import load_sheet
from review.spans import merged

QUESTION = Question(
    question_id="q", group_id="g", type_id="T1", language="en", stem="Who?", options={"A": Option(text="x")}, key="A",
    provenance=Provenance(drafter="people"),
)  # fmt: skip


def score(item: str = "q1", level: str = "pass", *, reviewer: str = "ann", revision: int = 0) -> Score:
    return Score(item_id=item, revision=revision, reviewer=reviewer, dimension="correctness", level=level)


def edit(revision: int, author: str = "ann") -> ReviewEdit:
    return ReviewEdit(item_id="q1", revision=revision, author=author, question=QUESTION)


def test_the_latest_score_counts_and_the_earlier_stay(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        for level in ("fail", "pass", "pass"):
            assert journal.save_score(score(level=level)).at.endswith("Z")
        journal.save_score(score(level="uncertainty", revision=1))
        assert [(one.revision, one.level) for one in journal.scores()] == [(0, "pass"), (1, "uncertainty")]
        assert [one.level for one in journal.score_history("q1")] == ["fail", "pass", "uncertainty"]


def test_scores_are_found_by_item_and_reviewer(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        journal.save_score(score("q1"))
        journal.save_score(score("q2", reviewer="bob"))
        assert [one.item_id for one in journal.scores(reviewer="bob")] == ["q2"]
        assert [one.reviewer for one in journal.scores(item_id="q1")] == ["ann"]


def test_an_empty_comment_takes_the_earlier_back(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        journal.save_comment(Comment(item_id="q1", reviewer="ann", text="hm"))
        journal.save_comment(Comment(item_id="q2", reviewer="ann", text="stays"))
        journal.save_comment(Comment(item_id="q1", reviewer="ann", text=""))
        assert [one.text for one in journal.comments()] == ["stays"]


def test_watched_spans_only_grow(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        journal.add_watched("ann", "g", "v", 100, [(0, 10)])
        seen = journal.add_watched("ann", "g", "v", 100, [(5, 20), (50, 60), (90, 300)])
        assert seen.spans == ((0, 20), (50, 60), (90, 100))
        assert seen.share == pytest.approx(0.4)
        assert journal.watched(reviewer="ann", group_id="g") == (seen,)
        assert journal.watched(reviewer="bob") == ()


def test_a_second_editor_of_the_same_revision_is_told(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        journal.save_edit(edit(1))
        with pytest.raises(StaleEdit, match="has revision 1 already"):
            journal.save_edit(edit(1, "bob"))
        with pytest.raises(StaleEdit):
            journal.save_edit(edit(3))
        journal.save_edit(edit(2, "bob"))
        assert [(one.revision, one.author) for one in journal.edits(item_id="q1")] == [(1, "ann"), (2, "bob")]


def test_assignments_are_added_once(tmp_path: Path) -> None:
    made = [Assignment(item_id="q1", reviewer=name) for name in ("ann", "bob")]
    with Journal.open(tmp_path) as journal:
        assert journal.add_assignments(made) == 2
        assert journal.add_assignments([*made, Assignment(item_id="q2", reviewer="ann")]) == 1
        assert len(journal.assignments(reviewer="ann")) == 2


def test_another_sheet_is_refused_once_scores_are_given(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        journal.use_sheet(load_sheet("videovista"))
        journal.use_sheet(load_sheet("vnu"))
        journal.save_score(score())
        journal.use_sheet(load_sheet("vnu"))
        with pytest.raises(RunError, match="holds scores of another sheet"):
            journal.use_sheet(load_sheet("videovista"))


def test_a_missing_or_damaged_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="has no reviews yet"):
        Journal.open(tmp_path, create=False)
    (tmp_path / FILE).write_bytes(b"this is not a database, not at all" * 100)
    with pytest.raises(RunError, match=r"reviews\.sqlite cannot be used"):
        Journal.open(tmp_path)


def test_ten_reviewers_at_once_lose_nothing(tmp_path: Path) -> None:
    def work(name: str) -> None:
        for number in range(12):
            journal.save_score(score(f"q{number}", "pass" if number % 2 else "fail", reviewer=name))
            journal.add_watched("everybody", "g", "v", 300, [(number, number + 1)])

    with Journal.open(tmp_path) as journal:
        with ThreadPoolExecutor(10) as pool:
            list(pool.map(work, [f"r{number}" for number in range(10)]))
        assert len(journal.scores()) == 120
        assert journal.watched()[0].spans == ((0, 12),)


def _process(folder: str, name: str) -> None:
    with Journal.open(Path(folder)) as journal:
        for number in range(20):
            journal.save_score(score(f"q{number}", reviewer=name))


def test_several_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_process, args=(str(tmp_path), f"r{number}")) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=60)
    with Journal.open(tmp_path) as journal:
        assert len(journal.scores()) == 80
    with sqlite3.connect(tmp_path / FILE) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


SPANS = st.lists(st.tuples(st.floats(-5, 120, width=16), st.floats(-5, 120, width=16)), max_size=12)


@given(SPANS)
def test_merged_spans_are_sorted_apart_and_within_the_video(spans: list[tuple[float, float]]) -> None:
    made = merged(spans, 100)
    assert all(0 <= start < end <= 100 for start, end in made)
    assert all(one[1] < two[0] for one, two in pairwise(made))
    assert merged(made, 100) == made


@given(SPANS, SPANS)
def test_merging_in_parts_is_merging_at_once(one: list[tuple[float, float]], two: list[tuple[float, float]]) -> None:
    parts = merged([*merged(one, 100), *merged(two, 100)], 100)
    whole = merged([*one, *two], 100)
    assert sum(end - start for start, end in parts) == pytest.approx(sum(end - start for start, end in whole), abs=0.05)


def test_spans_that_are_no_numbers_are_left_out() -> None:
    assert merged([(float("nan"), 3), (0, float("inf")), (2, 1), (1, 2)], 10) == ((1, 2),)
