"""The three judges: real confidences, fair to position, and blind to what is not shown."""

from itertools import permutations

import pytest

from offline import answer
from records.calls import QuestionPart
from tests.offline.material import asked

SOLVERS = ("bm25", "ngrams", "facts")
A = "The coastguard says all 22 crew members were taken off by helicopter. About 40 ships are waiting. No one was hurt."
B = "Tracking data places the ship six and a half kilometres from the harbour mouth. The ministry did not answer."
OPTIONS = {
    "A": "TAG_A reports that all 22 crew members were taken off by helicopter, while TAG_B reports that tracking data "
    "places the ship six and a half kilometres from the harbour mouth.",
    "B": "TAG_A reports that all 22 crew members were taken off by helicopter, while TAG_B reports that tracking data "
    "places the ship eight kilometres from the harbour mouth.",
    "C": "TAG_A reports that all 24 crew members were taken off by helicopter, while TAG_B reports that tracking data "
    "places the ship six and a half kilometres from the harbour mouth.",
    "D": "TAG_A reports that all 24 crew members were taken off by helicopter, while TAG_B reports that tracking data "
    "places the ship eight kilometres from the harbour mouth.",
}
STEM = "How many crew members does TAG_A mention, and how many kilometres does TAG_B give (TAG_A vs TAG_B)?"
QUESTION = QuestionPart(stem=STEM, options=OPTIONS)


@pytest.mark.parametrize("solver", SOLVERS)
def test_with_all_sources_the_key_is_found(solver: str):
    reply = answer(asked(solver, QUESTION, TAG_A=A, TAG_B=B))
    assert reply.answer == "A"
    assert reply.confidence > 0.5
    assert reply.rationale


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("shown", "left"), [({"TAG_A": A}, {"A", "B"}), ({"TAG_B": B}, {"A", "C"})])
def test_one_source_leaves_two_options_at_about_half_each(solver: str, shown: dict[str, str], left: set[str]):
    reply = answer(asked(solver, QUESTION, "solvability", **shown))
    assert reply.answer in left
    assert 0.4 <= reply.confidence <= 0.65


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("shown", [{}, {"TAG_C": "The lane is open. A report is due in the autumn."}])
def test_without_a_source_of_the_question_nothing_is_known(solver: str, shown: dict[str, str]):
    reply = answer(asked(solver, QUESTION, "blind" if not shown else "solvability", **shown))
    assert reply.confidence == 0.25


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_answer_goes_with_the_option_and_not_with_its_letter(solver: str):
    chosen = set()
    for order in list(permutations("ABCD"))[::5]:
        shuffled = dict(zip("ABCD", (OPTIONS[letter] for letter in order), strict=True))
        reply = answer(asked(solver, QuestionPart(stem=STEM, options=shuffled), TAG_A=A, TAG_B=B))
        chosen.add((shuffled[reply.answer], reply.confidence))
    assert len(chosen) == 1


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_guess_goes_by_position_so_that_rotations_find_it_out(solver: str):
    for order in ("ABCD", "BCDA", "DCBA"):
        rotated = QuestionPart(stem=STEM, options=dict(zip("ABCD", (OPTIONS[x] for x in order), strict=True)))
        assert answer(asked(solver, rotated, "blind")).answer == "A"


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_stem_that_tells_the_key_makes_sure_even_without_sources(solver: str):
    told = QuestionPart(stem=f"It is known that {OPTIONS['C'][:-1]}. {STEM}", options=OPTIONS)
    reply = answer(asked(solver, told, "blind"))
    assert reply.answer == "C"
    assert reply.confidence >= 0.8


@pytest.mark.parametrize("solver", SOLVERS)
def test_options_in_other_words_leave_the_methods_unsure(solver: str):
    vague = {
        "A": "TAG_A praises the rescue as a triumph, while TAG_B hints at a cover-up.",
        "B": "TAG_A mourns a disaster, while TAG_B defends the authorities.",
        "C": "TAG_A treats the story as routine, while TAG_B dwells on commerce.",
        "D": "TAG_A doubts the official account, while TAG_B sides with officials.",
    }
    question = QuestionPart(stem="Which angle do TAG_A and TAG_B take (TAG_A vs TAG_B)?", options=vague)
    assert answer(asked(solver, question, TAG_A=A, TAG_B=B)).confidence < 0.6


def severity(solver: str, gold: str, alternative: str) -> float:
    options = {"A": gold, "B": alternative, "C": OPTIONS["C"], "D": OPTIONS["D"]}
    question = QuestionPart(stem=STEM, options=options, gold="A", alternative="B")
    return answer(asked(solver, question, "ambiguity", TAG_A=A, TAG_B=B)).severity


@pytest.mark.parametrize("solver", SOLVERS)
def test_22_crew_beside_24_crew_is_not_ambiguous(solver: str):
    assert severity(solver, OPTIONS["A"], OPTIONS["C"]) < 0.2
    assert severity(solver, "TAG_A says 22 crew.", "TAG_A says 24 crew.") < 0.3


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    "alternative",
    [
        OPTIONS["A"],
        "TAG_B reports that tracking data places the ship six and a half kilometres from the harbour mouth, while "
        "TAG_A reports that all 22 crew members were taken off by helicopter.",
    ],
)
def test_the_key_again_and_with_swapped_clauses_is_fully_ambiguous(solver: str, alternative: str):
    assert severity(solver, OPTIONS["A"], alternative) >= 0.9


@pytest.mark.parametrize("solver", ["bm25", "facts"])
def test_a_turned_order_is_an_exclusion_and_a_restated_one_is_not(solver: str):
    gold = "What TAG_A tells in “the alert went out at …” comes earlier than what TAG_B tells in “the wave came at …”."
    turned = gold.replace("earlier", "later")
    assert severity(solver, gold, turned) < 0.2


def test_the_facts_judge_knows_the_order_of_two_times():
    texts = {"TAG_A": "The alert reached every phone at half past 1.", "TAG_B": "It came in the night, at around 3."}
    first = (
        "What TAG_A tells in “the alert reached every phone at …” comes {} than what TAG_B tells in “It came in the "
    )
    first += "night, at around …”"
    options = {"A": first.format("earlier"), "B": first.format("later")}
    reply = answer(asked("facts", QuestionPart(stem="In what order (TAG_A vs TAG_B)?", options=options), **texts))
    assert reply.answer == "A"
    assert reply.confidence > 0.9


def test_values_count_and_not_their_spelling():
    options = {"A": "TAG_A says that 1,200 jobs go.", "B": "TAG_A says that 1,800 jobs go."}
    question = QuestionPart(stem="How many jobs does TAG_A give?", options=options)
    reply = answer(asked("facts", question, TAG_A="Twelve hundred people work here, and 1200 jobs go."))
    assert reply.answer == "A"


@pytest.mark.parametrize("solver", SOLVERS)
def test_chinese_options_are_told_apart(solver: str):
    text = "组委会说，第一天就来了十二万名游客。活动为期七天。"
    options = {"A": "TAG_A 提到“第一天就来了九万名游客”。", "B": "TAG_A 提到“第一天就来了十二万名游客”。"}
    reply = answer(asked(solver, QuestionPart(stem="TAG_A 提到的人数是多少？", options=options), TAG_A=text))
    assert reply.answer == "B"
    assert reply.confidence > 0.6
