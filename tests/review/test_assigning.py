"""Assignments: laws by property tests, the paper's numbers by examples."""

from collections import Counter, defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st

from records.review import Assignment, Reviewer
from review.assigning import AssignmentSettings, Job, Plan, assign, sample


def jobs(count: int, groups: int = 5, **fields: str) -> list[Job]:
    return [Job(item_id=f"q{index:03}", group_id=f"g{index % groups}", **fields) for index in range(count)]


def people(count: int) -> list[Reviewer]:
    return [Reviewer(name=f"r{index}") for index in range(count)]


def by_item(plan: Plan) -> dict[str, list[Assignment]]:
    found: dict[str, list[Assignment]] = defaultdict(list)
    for one in plan.assignments:
        found[one.item_id].append(one)
    return found


@given(st.integers(0, 60), st.integers(1, 9), st.floats(0, 1), st.integers(1, 4), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_every_item_gets_as_many_different_people_as_it_needs(
    count: int, persons: int, share: float, several: int, seed: int
) -> None:
    chosen = AssignmentSettings(share=share, share_reviewers=several, seed=seed)
    made = assign(jobs(count), people(persons), chosen)
    sampled = sample([job.item_id for job in jobs(count)], share, seed)
    seats = by_item(made)
    for job in jobs(count):
        names = [one.reviewer for one in seats[job.item_id]]
        wanted = max(1, several if job.item_id in sampled else 0)
        assert len(names) == len(set(names)) == min(wanted, persons)
    assert bool(made.gaps) == any(len(seats[item]) < several for item in sampled)


@given(st.integers(1, 80), st.integers(1, 9), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_loads_differ_by_one_at_most_and_groups_stay_together(count: int, persons: int, seed: int) -> None:
    made = assign(jobs(count), people(persons), AssignmentSettings(share=0, seed=seed))
    loads = Counter({one.name: 0 for one in people(persons)})
    loads.update(one.reviewer for one in made.assignments)
    assert max(loads.values()) - min(loads.values()) <= 1


def test_one_persons_groups_are_few() -> None:
    made = assign(jobs(40, groups=8), people(4), AssignmentSettings(share=0))
    groups = {job.item_id: job.group_id for job in jobs(40, groups=8)}
    watched = defaultdict(set)
    for one in made.assignments:
        watched[one.reviewer].add(groups[one.item_id])
    assert all(len(found) == 2 for found in watched.values())


def test_a_tenth_goes_to_three() -> None:
    made = assign(jobs(120), people(6))
    counts = Counter(len(found) for found in by_item(made).values())
    assert counts == {1: 108, 3: 12}
    assert {one.role for one in made.assignments} == {"single", "agreement"}


def test_the_same_seed_gives_the_same_plan_and_another_another() -> None:
    one, two = (assign(jobs(30), people(4), AssignmentSettings(seed=1)) for _ in range(2))
    assert one == two
    assert one != assign(jobs(30), people(4), AssignmentSettings(seed=2))


def test_culture_items_go_to_two_with_a_native() -> None:
    reviewers = [Reviewer(name="ann"), Reviewer(name="bob"), Reviewer(name="mei", native=("Chinese",))]
    made = assign(jobs(20, culture="chinese"), reviewers, AssignmentSettings(share=0))
    for found in by_item(made).values():
        assert len(found) == 2
        assert [one.reviewer for one in found if one.native] == ["mei"]
        assert {one.role for one in found} == {"culture"}
    assert not made.gaps


def test_a_missing_native_is_said() -> None:
    made = assign(jobs(1, culture="chinese"), people(3), AssignmentSettings(share=0))
    assert [gap.message for gap in made.gaps] == ["nobody is marked as native to chinese"]
    assert len(made.assignments) == 2


def test_nobody_gets_an_item_that_they_cannot_read() -> None:
    reviewers = [Reviewer(name="ann", languages=("en",)), Reviewer(name="mei", languages=("zh", "en"))]
    made = assign(jobs(10, language="zh"), reviewers, AssignmentSettings(share=0))
    assert {one.reviewer for one in made.assignments} == {"mei"}


@given(st.integers(1, 40), st.integers(0, 20), st.integers(2, 6))
@settings(max_examples=40, deadline=None)
def test_later_items_and_people_change_no_assignment(first: int, more: int, persons: int) -> None:
    before = assign(jobs(first), people(persons - 1))
    after = assign(jobs(first + more), people(persons), existing=before.assignments)
    assert set(before.assignments) <= set(after.assignments)
    assert assign(jobs(first + more), people(persons), existing=after.assignments) == after


def test_an_adjudicator_does_not_fill_a_reviewers_seat() -> None:
    settled = Assignment(item_id="q000", reviewer="r1", role="adjudicator")
    made = assign(jobs(1), people(2), AssignmentSettings(share=0), [settled])
    assert {one.role for one in made.assignments} == {"adjudicator", "single"}
