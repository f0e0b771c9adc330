"""Where a reviewer stands, and what they may see: the desk on a run made from records."""

from collections.abc import Sequence

import pytest

from records.errors import InputError
from records.review import Assignment, Reviewer
from review import pages
from review.assigning import AssignmentSettings
from review.desk import Desk, Refused
from review.edits import EditForm, changes, form_of, revised
from review.journal import StaleEdit
from review.material import entry_of
from tests.review.conftest import ANN, BOB, MEI
from tests.review.synthetic import MARKUP

ALL = AssignmentSettings(share=1.0)


def give(desk: Desk, reviewer: Reviewer, item_id: str, *levels: str, revision: int = 0) -> None:
    for dimension, level in zip(desk.sheet.dimensions, levels, strict=False):
        desk.score(reviewer, item_id, revision, dimension.id, level)


def first(desk: Desk, group: str = "calder") -> str:
    return next(item_id for item_id, item in desk.material.items.items() if item.question.group_id == group)


def corrected(desk: Desk, item_id: str, revision: int = 0, **fields: object) -> EditForm:
    return form_of(desk.question(item_id, revision)).model_copy(update=fields)


def test_only_kept_items_are_there_in_the_order_of_groups_and_types(desk: Desk) -> None:
    questions = [item.question for item in desk.material.items.values()]
    assert [(one.group_id, one.type_id) for one in questions] == [
        (group, kind) for group in ("calder", "redmarsh", "tea") for kind in ("T1", "T2", "T3")
    ]


def test_a_reviewer_sees_only_their_own_items(desk: Desk) -> None:
    desk.plan((ANN, BOB), AssignmentSettings(share=0, culture_reviewers=1))
    mine = {one.item_id for one in desk.queue(ANN)}
    theirs = {one.item_id for one in desk.queue(BOB)}
    assert mine
    assert not mine & theirs
    assert mine | theirs == set(desk.material.items)
    with pytest.raises(Refused, match="not assigned to you"):
        desk.score(ANN, min(theirs), 0, "correctness", "pass")
    with pytest.raises(Refused):
        desk.standing(ANN, "no-such-item")
    assert len(desk.queue(MEI)) == len(desk.material.items), "a lead may open every item"


@pytest.mark.parametrize(
    ("levels", "status"), [((), "todo"), (("pass",), "started"), (("pass", "pass", "fail"), "done")]
)
def test_the_status_follows_the_scores(desk: Desk, levels: Sequence[str], status: str) -> None:
    desk.plan((ANN, BOB, MEI), ALL)
    item_id = first(desk)
    give(desk, ANN, item_id, *levels)
    assert desk.standing(ANN, item_id).status == status
    assert desk.standing(BOB, item_id).status == "todo", "nobody's scores touch another's"


def test_wrong_scores_are_refused(desk: Desk) -> None:
    desk.plan((ANN,), ALL)
    item_id = first(desk)
    with pytest.raises(InputError, match="cannot be 'great'"):
        desk.score(ANN, item_id, 0, "correctness", "great")
    with pytest.raises(InputError, match="no dimension 'style'"):
        desk.score(ANN, item_id, 0, "style", "pass")
    with pytest.raises(InputError, match="no revision 1"):
        desk.score(ANN, item_id, 1, "correctness", "pass")


def test_verdicts_reasoning_and_others_open_after_scoring(desk: Desk) -> None:
    desk.plan((ANN, BOB, MEI), ALL)
    item_id = first(desk)
    give(desk, BOB, item_id, "fail", "pass", "pass")
    give(desk, ANN, item_id, "pass", "pass")
    with pytest.raises(Refused, match="give all scores first"):
        desk.after(ANN, item_id)
    give(desk, ANN, item_id, "pass", "pass", "pass")
    opened = desk.after(ANN, item_id)
    assert [(one.reviewer, one.scores["correctness"]) for one in opened.others] == [("bob", "fail")]
    text = pages.after(opened, desk.sheet, "en")
    for part in ("SECRET-RATIONALE", "SECRET-REASONING", "503", "bob"):
        assert part in text
    assert [what for _, what, _ in desk.journal.openings(item_id)] == ["verdicts"]


def test_nothing_hidden_is_in_the_page_before_it_is_asked_for(desk: Desk) -> None:
    desk.plan((ANN, BOB, MEI), ALL)
    item_id = first(desk)
    give(desk, BOB, item_id, "fail", "pass", "pass")
    standing = desk.standing(ANN, item_id)
    question = desk.question(item_id, 0)
    page = "".join((
        pages.question(desk.material, question, standing, "en"),
        pages.viewer(desk.material, question, {}, "en"),
        pages.score_sheet(desk.sheet, standing, "en"),
    ))  # fmt: skip
    for hidden in ("SECRET", "bw-is-key", "The key is", question.evidence, "checked"):
        assert hidden not in page
    shown = pages.question(desk.material, question, standing, "en", show_key=True)
    assert f"The key is <b>{question.key}</b>" in shown
    assert shown.count("bw-is-key") == 1


def test_text_from_outside_is_escaped(desk: Desk) -> None:
    question = desk.question(first(desk), 0).model_copy(update={"stem": MARKUP, "evidence": MARKUP})
    desk.plan((ANN,), ALL)
    standing = desk.standing(ANN, first(desk))
    text = pages.viewer(desk.material, question, {}, "en") + pages.question(
        desk.material, question, standing, "en", show_key=True
    )
    assert "<img src=x" not in text
    assert text.count("&lt;img src=x") >= 3


def test_a_link_that_is_no_web_address_is_left_out() -> None:
    assert pages.safe_link("javascript:alert(1)") == ""
    assert pages.safe_link("https://example.org/") == "https://example.org/"


def test_watching_is_recorded_and_missing_parts_are_told(desk: Desk) -> None:
    desk.plan((ANN,), ALL)
    desk.watch(ANN, "calder", "calder-a", 3.0, [(0, 3)])
    desk.watch(ANN, "calder", "calder-b", 3.0, [(0, 1)])
    saved = desk.score(ANN, first(desk), 0, "correctness", "pass")
    assert saved.unwatched == (("calder-b", pytest.approx(1 / 3)),)
    desk.watch(ANN, "calder", "calder-b", 3.0, [(1, 3)])
    assert desk.score(ANN, first(desk), 0, "correctness", "fail").unwatched == ()
    with pytest.raises(InputError, match="no video 'tea-b'"):
        desk.watch(ANN, "tea", "tea-b", 3.0, [(0, 1)])


def test_a_culture_item_names_its_article_and_its_native(desk: Desk) -> None:
    desk.plan((ANN, BOB, MEI), AssignmentSettings(share=0))
    item_id = first(desk, "tea")
    assert desk.standing(MEI, item_id).native
    assert entry_of(desk.question(item_id, 0)) == "Pu'er tea"
    text = pages.question(desk.material, desk.question(item_id, 0), desk.standing(MEI, item_id), "zh")
    assert "Pu&#39;er tea" in text
    assert 'href="https://zh.wikipedia.org/wiki/普洱茶"' in text
    assert "ARTICLE-TEXT" in text
    assert pages.entry_link("Pu'er tea", "en") == "https://en.wikipedia.org/wiki/Pu%27er_tea"


# Corrections


def test_a_correction_is_a_new_revision_that_waits_for_scores(desk: Desk) -> None:
    desk.plan((ANN,), AssignmentSettings(share=0, culture_reviewers=1))
    item_id = first(desk)
    with pytest.raises(Refused, match="score this revision first"):
        desk.save_edit(ANN, item_id, 0, corrected(desk, item_id, stem="What do TAG_A and TAG_B say of it?"))
    give(desk, ANN, item_id, "pass", "uncertainty", "pass")
    edit = desk.save_edit(ANN, item_id, 0, corrected(desk, item_id, stem="What do TAG_A and TAG_B say of it?"), "stiff")
    assert (edit.revision, edit.author, edit.reason) == (1, "ann", "stiff")
    assert edit.question.question_id != item_id
    assert desk.question(item_id, 0).question_id == item_id, "the old one stays"
    standing = desk.standing(ANN, item_id)
    assert (standing.revision, standing.status, standing.scores) == (1, "again", {})
    give(desk, ANN, item_id, "pass", "pass", "pass", revision=1)
    assert desk.standing(ANN, item_id).status == "done"
    assert "say of it" in pages.after(desk.after(ANN, item_id), desk.sheet, "en")


def test_a_reviewer_of_a_shared_item_scores_the_first_text_first(desk: Desk) -> None:
    desk.plan((ANN, BOB, MEI), ALL)
    item_id = first(desk)
    give(desk, ANN, item_id, "pass", "fail", "pass")
    desk.save_edit(ANN, item_id, 0, corrected(desk, item_id, stem="Another question about TAG_A and TAG_B?"))
    assert desk.standing(BOB, item_id).revision == 0
    give(desk, BOB, item_id, "pass", "pass", "pass")
    assert desk.standing(BOB, item_id).status == "done", "the author scores the new text"
    assert desk.standing(ANN, item_id).status == "again"


def test_both_reviewers_of_a_culture_item_score_the_correction(desk: Desk) -> None:
    desk.plan((ANN, MEI), AssignmentSettings(share=0))
    item_id = first(desk, "tea")
    for reviewer in (ANN, MEI):
        give(desk, reviewer, item_id, "pass", "pass", "pass")
    desk.save_edit(MEI, item_id, 0, corrected(desk, item_id, stem="TAG_A 与 TAG_B 有何不同说法？"))
    assert [desk.standing(one, item_id).status for one in (ANN, MEI)] == ["again", "again"]


def test_two_corrections_of_one_revision_do_not_overwrite_each_other(desk: Desk) -> None:
    desk.plan((ANN, BOB, MEI), ALL)
    item_id = first(desk)
    for reviewer in (ANN, BOB):
        give(desk, reviewer, item_id, "pass", "fail", "pass")
    desk.save_edit(ANN, item_id, 0, corrected(desk, item_id, stem="One question about TAG_A and TAG_B?"))
    with pytest.raises(StaleEdit):
        desk.save_edit(BOB, item_id, 0, corrected(desk, item_id, stem="Two questions about TAG_A and TAG_B?"))


def test_the_rules_see_the_new_text(desk: Desk) -> None:
    item_id = first(desk)
    assert not desk.check(item_id, 0, corrected(desk, item_id)).violations
    report = desk.check(item_id, 0, corrected(desk, item_id, stem="What does the former say?"))
    assert {"tags-named", "no-deictics"} <= {one.rule_id for one in report.violations}


def test_the_video_tracks_rules_know_their_type(desk: Desk) -> None:
    question = desk.question(first(desk), 0)
    located = question.model_copy(
        update={"type_id": "EL", "track": "videovista", "extra": {"family": "event", "least_gap_s": "7.5"}}
    )
    context = desk.material.rule_context(located, "another")
    assert (context.family, context.type_id, context.time_gap_s, context.min_sources) == ("event", "EL", 7.5, 1)
    assert context.form == desk.material.heads["EL"].form
    assert desk.material.rule_context(question, first(desk)).family == ""


def test_a_changed_option_keeps_its_halves_where_the_text_still_has_two(desk: Desk) -> None:
    question = desk.question(first(desk), 0)
    texts = form_of(question).options
    halved = {**texts, "A": "TAG_A counts 99 crew, while TAG_B puts it 9 km off."}
    made = revised(question, form_of(question).model_copy(update={"options": halved}))
    assert [claim.text for claim in made.options["A"].claims] == ["TAG_A counts 99 crew", "TAG_B puts it 9 km off"]
    assert made.options["B"] == question.options["B"]
    whole = revised(question, form_of(question).model_copy(update={"options": {**texts, "A": "TAG_A is silent."}}))
    assert whole.options["A"].claims == ()


def test_a_corrected_key_takes_the_support_along(desk: Desk) -> None:
    question = desk.question(first(desk), 0)
    other = next(letter for letter in question.options if letter != question.key)
    made = revised(question, form_of(question).model_copy(update={"key": other, "support": ("TAG_A",)}))
    assert made.support_map == {other: ("TAG_A",)}
    assert changes(question, made) == (
        ("key", question.key, other),
        ("support", "TAG_A, TAG_B", "TAG_A"),
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "nothing was changed"),
        ({"stem": " \n"}, "stem: is empty"),
        ({"key": "Z"}, "key: 'Z' is not one of A, B, C, D"),
        ({"support": ("TAG_Q",)}, "support: TAG_Q is no source"),
        ({"options": {"A": "a"}}, "options: A, B, C, D are needed"),
        ({"options": {"A": "a", "B": " ", "C": "c", "D": "d"}}, "option B: is empty"),
    ],
)
def test_unusable_corrections_are_told_by_field(desk: Desk, fields: dict[str, object], message: str) -> None:
    question = desk.question(first(desk), 0)
    with pytest.raises(InputError, match=message):
        revised(question, form_of(question).model_copy(update=fields))


def test_evidence_markers_become_the_evidence_frames(desk: Desk) -> None:
    question = desk.question(first(desk), 0)
    evidence = "Seen twice [FRAME: TAG_A #2] and [FRAME: TAG_B #1], again [FRAME: TAG_A #2]."
    made = revised(question, form_of(question).model_copy(update={"evidence": evidence}))
    assert made.evidence_frames == ("TAG_A #2", "TAG_B #1")


# People


def test_progress_counts_what_is_done(desk: Desk) -> None:
    desk.plan((ANN, BOB, MEI), ALL)
    give(desk, ANN, first(desk), "pass", "pass", "pass")
    give(desk, ANN, first(desk, "tea"), "pass")
    assert [(one.reviewer, one.assigned, one.done, one.started) for one in desk.progress((ANN, MEI))] == [
        ("ann", 9, 1, 1),
        ("mei", 9, 0, 0),
    ]


def test_reviews_join_scores_comments_roles_and_what_was_watched(desk: Desk) -> None:
    desk.plan((ANN, BOB, MEI), ALL)
    item_id = first(desk)
    give(desk, ANN, item_id, "pass", "fail")
    desk.comment(ANN, item_id, 0, " stiff ")
    desk.watch(ANN, "calder", "calder-a", 3.0, [(0, 1.5)])
    (review,) = desk.reviews()
    assert review.scores == {"correctness": "pass", "naturalness": "fail"}
    assert (review.comment, review.role, review.watched) == ("stiff", "agreement", {"calder-a": 0.5})


def test_an_adjudicator_sees_the_latest_revision(desk: Desk) -> None:
    desk.plan((ANN,), AssignmentSettings(share=0))
    item_id = first(desk)
    give(desk, ANN, item_id, "pass", "fail", "pass")
    desk.save_edit(ANN, item_id, 0, corrected(desk, item_id, stem="A better question about TAG_A and TAG_B?"))
    desk.journal.add_assignments([Assignment(item_id=item_id, reviewer="bob", role="adjudicator")])
    standing = desk.standing(BOB, item_id)
    assert (standing.revision, standing.role) == (1, "adjudicator")
