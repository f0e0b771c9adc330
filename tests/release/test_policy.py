"""What reviews decide: each policy, each way in which a person is still needed, and the reason in words."""

from typing import Any

import pytest

from records.questions import Option, Provenance, Question
from records.review import Assignment, Policy, Review, ReviewEdit
from records.verdicts import Item
from release.policy import Case, Settled, settle
from review.sheets import load_sheet

VNU, VISTA = load_sheet("vnu"), load_sheet("videovista")
SHORT = {"p": "pass", "u": "uncertainty", "f": "fail"}


def question(culture: str = "") -> Question:
    return Question(
        question_id="q1", group_id="g", type_id="T1", language="en", stem="Who?", options={"A": Option(text="x")},
        key="A", provenance=Provenance(drafter="people"), extra={"culture": culture} if culture else {},
    )  # fmt: skip


def review(name: str, scores: str, *, sheet: Any = VNU, revision: int = 0, **fields: Any) -> Review:
    names = [one.id for one in sheet.dimensions]
    values = [SHORT.get(score, score) for score in scores]
    return Review(
        item_id="q1", revision=revision, reviewer=name, scores=dict(zip(names, values, strict=False)),
        **{"role": "single", **fields},
    )  # fmt: skip


def case(*reviews: Review, edits: tuple[str, ...] = (), culture: str = "", assigned: str = "", **fields: Any) -> Case:
    item = Item(
        item_id="q1", judgement_set="s", question=question(culture), verdicts=(), decisions=(), outcome="kept",
        schedule="full",
    )  # fmt: skip
    seats = assigned.split() or [one.reviewer for one in reviews if one.role != "adjudicator"]
    return Case(
        item=item,
        reviews=reviews,
        edits=tuple(
            ReviewEdit(item_id="q1", revision=number, author=author, question=question())
            for number, author in enumerate(edits, start=1)
        ),
        assignments=tuple(Assignment(item_id="q1", reviewer=name) for name in seats),
        culture=culture,
        **fields,
    )


def outcome(found: Settled) -> tuple[str, str]:
    return found.outcome, "; ".join(found.needs) or found.reason


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        (["ppp"], ("released", "no fail in any dimension by 1 reviewer(s)")),
        (["uuu"], ("released", "no fail in any dimension by 1 reviewer(s)")),
        (["pfp"], ("discarded", "failed in naturalness (1 of 1)")),
        (["ppp", "ppp", "fpf"], ("discarded", "failed in correctness (1 of 3), task_compliance (1 of 3)")),
        (["ppp", "pp"], ("person", "r1 to finish")),
        (["fpp", "pp"], ("discarded", "failed in correctness (1 of 1)")),
    ],
)
def test_any_fail_discards(scores: list[str], expected: tuple[str, str]) -> None:
    found = settle(case(*(review(f"r{n}", one) for n, one in enumerate(scores))), VNU)
    assert outcome(found) == expected


@pytest.mark.parametrize(
    ("policy", "scores", "expected"),
    [
        (Policy(rule="majority"), ["ppp", "ppp", "fpp"], "released"),
        (Policy(rule="majority"), ["fpp", "ppp", "fpp"], "discarded"),
        (Policy(rule="majority"), ["fpp", "pfp", "ppf"], "released"),
        (Policy(rule="majority"), ["fpp", "ppp"], "person"),
        (Policy(rule="majority", tie="discard"), ["fpp", "ppp"], "discarded"),
        (Policy(rule="majority", tie="keep"), ["fpp", "ppp"], "released"),
        (Policy(rule="majority", uncertain="discard"), ["upp", "upp", "ppp"], "discarded"),
        (Policy(rule="majority", uncertain="person"), ["upp", "upp", "ppp"], "person"),
        (Policy(rule="majority", uncertain="person"), ["upp", "ppp", "ppp"], "released"),
        (Policy(rule="mean", accept=0.6), ["ppp", "fpp", "ppp"], "released"),
        (Policy(rule="mean", accept=0.6), ["ppp", "fpp"], "discarded"),
        (Policy(rule="mean", accept=0.5), ["ppp", "fpp"], "released"),
        (Policy(uncertain="person"), ["pup"], "person"),
        (Policy(uncertain="discard"), ["pup"], "discarded"),
        (Policy(disagreement="person"), ["ppp", "fpp", "ppp"], "person"),
        (Policy(disagreement="person"), ["fpp", "fpp"], "discarded"),
        (Policy(disagreement="person"), ["ppp", "upp"], "released"),
    ],
)
def test_other_policies(policy: Policy, scores: list[str], expected: str) -> None:
    found = settle(case(*(review(f"r{n}", one) for n, one in enumerate(scores))), VNU, policy)
    assert found.outcome == expected
    assert found.reason
    assert bool(found.needs) == (expected == "person")


@pytest.mark.parametrize(
    ("scores", "expected", "reason"),
    [
        (["122"], "released", "total 5 of 5"),
        (["022"], "revise", "total 4 of 5"),
        (["121"], "revise", "total 4 of 5"),
        (["111"], "discarded", "total 3 of 5"),
        (["122", "122", "111"], "released", "lower median 5 of the totals 3, 5, 5"),
        (["122", "022"], "revise", "lower median 4 of the totals 4, 5"),
        (["122", "111"], "discarded", "lower median 3 of the totals 3, 5"),
    ],
)
def test_the_video_tracks_total(scores: list[str], expected: str, reason: str) -> None:
    found = settle(case(*(review(f"r{n}", one, sheet=VISTA) for n, one in enumerate(scores))), VISTA)
    assert (found.outcome, found.reason) == (expected, reason)


def test_nobody_has_reviewed() -> None:
    assert outcome(settle(case(), VNU)) == ("person", "1 review(s) of revision 0")
    assert outcome(settle(case(assigned="ann bob"), VNU)) == ("person", "ann to review; bob to review")


def test_a_correction_must_be_scored_again() -> None:
    first = review("ann", "pfp")
    assert outcome(settle(case(first, edits=("ann",)), VNU)) == ("person", "1 review(s) of revision 1")
    again = settle(case(first, review("ann", "ppp", revision=1), edits=("ann",)), VNU)
    assert (again.outcome, again.revision, again.reviewers) == ("released", 1, 1)
    other = Policy(own_revision=False)
    both = case(first, review("ann", "ppp", revision=1), edits=("ann",))
    assert outcome(settle(both, VNU, other)) == ("person", "1 review(s) of revision 1")
    assert settle(case(review("bob", "ppp", revision=1), edits=("ann",)), VNU, other).outcome == "released"


def test_a_culture_item_needs_two_with_a_native() -> None:
    one, native = review("ann", "ppp"), review("mei", "ppp", native=True)
    assert outcome(settle(case(one, culture="chinese"), VNU)) == ("person", "1 review(s) of revision 0")
    two = settle(case(one, review("bob", "ppp"), culture="chinese"), VNU)
    assert outcome(two) == ("person", "a review by a native of chinese culture")
    assert settle(case(one, native, culture="chinese"), VNU).outcome == "released"
    assert settle(case(review("ann", "fpp"), culture="chinese"), VNU).outcome == "discarded"


@pytest.mark.parametrize(("scores", "expected"), [("ppp", "released"), ("fpp", "discarded")])
def test_an_adjudicator_decides_alone(scores: str, expected: str) -> None:
    found = settle(
        case(review("ann", "fpp"), review("bob", "ppp"), review("mei", scores, role="adjudicator")),
        VNU,
        Policy(disagreement="person"),
    )
    assert (found.outcome, found.disagreed) == (expected, True)
    assert "adjudicator" in found.reason


def test_videos_must_be_watched_where_the_policy_says_so() -> None:
    lazy = review("ann", "ppp", watched={"v1": 1.0, "v2": 0.5})
    strict = Policy(require_watched=True)
    assert settle(case(lazy, videos=("v1", "v2")), VNU).outcome == "released"
    assert outcome(settle(case(lazy, videos=("v1", "v2")), VNU, strict)) == ("person", "ann to watch v2")
    assert settle(case(lazy, videos=("v1",)), VNU, strict).outcome == "released"
