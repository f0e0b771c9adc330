"""The drafter on the shared groups: sound, true, distinct, and resting on what the sentences say."""

import re

import pytest

from agents.drafter import read_draft, redraft_request
from media.quantities import numbers
from offline import answer
from offline.drafting import draft
from prompts.taskheads import load_taskheads
from records.media import Evidence
from records.questions import Question, RuleReport, Violation
from rules import crossed
from rules.evidence import sentence_count
from tests.conftest import shared_data
from tests.offline.material import material
from tests.offline.pipeline import breaks, draft_calls, drafted, evidence_of, offline_panel, reply_to

GROUPS = (
    "business-lumora-redmarsh", "climate-wren-flood", "culture-yunling-tea", "lecture-pendulum",
    "science-heron2-lander", "world-calder-star",
)  # fmt: skip
SERVED = ("T2", "T7", "T8")


@pytest.fixture(scope="module", params=GROUPS)
def evidence(request: pytest.FixtureRequest) -> Evidence:
    return evidence_of(shared_data("news", request.param))


@pytest.fixture(scope="module")
def questions(evidence: Evidence) -> list[Question]:
    return drafted(evidence, SERVED, 4)


def spoken(evidence: Evidence, tag: str) -> str:
    joint = "" if evidence.language == "zh" else " "
    return joint.join(sentence.text.strip() for sentence in evidence.source(tag).transcript.sentences).casefold()


def said(claim_text: str) -> str:
    """What a claim says that its source says: the quotation, or what follows *that*."""
    quoted = re.search(r"“(.*)”", claim_text)
    return (quoted[1] if quoted else claim_text.partition(" that ")[2]).casefold()


def test_every_group_gives_questions_that_keep_the_rules_and_are_crossed(evidence: Evidence, questions: list[Question]):
    assert len(questions) >= 4
    for question in questions:
        assert breaks(question, evidence) == ()
        assert crossed(question) is None
        assert len(question.evidence) <= 160
        assert sentence_count(question.evidence) <= 2


def test_what_the_key_says_stands_word_for_word_in_its_source(evidence: Evidence, questions: list[Question]):
    for question in questions:
        for claim in question.options[question.key].claims:
            if len(claim.tags) == 1:
                assert said(claim.text) in spoken(evidence, claim.tags[0])


def test_what_only_wrong_options_say_stands_in_no_source_that_they_name(evidence: Evidence, questions: list[Question]):
    for question in questions:
        true = {claim.text for claim in question.options[question.key].claims}
        for option in question.options.values():
            for claim in option.claims:
                if claim.text not in true and len(claim.tags) == 1:
                    assert said(claim.text) not in spoken(evidence, claim.tags[0])


def test_each_source_alone_leaves_two_options(evidence: Evidence, questions: list[Question]):
    for question in questions:
        for tag in evidence.tags:
            true = {claim.text for claim in question.options[question.key].claims if claim.tags == (tag,)}
            open_options = [
                option for option in question.options.values()
                if all(claim.text in true for claim in option.claims if claim.tags == (tag,))
            ]  # fmt: skip
            assert len(open_options) >= 2


def test_evidence_cites_the_frame_nearest_to_the_words(evidence: Evidence, questions: list[Question]):
    for question in questions:
        assert question.evidence_frames
        for tag, number in (frame.split(" #") for frame in question.evidence_frames):
            source = evidence.source(tag)
            quoted = re.search(rf"{tag}: “([^”]*)” \[FRAME: {tag} #{number}\]", question.evidence)
            assert quoted
            sentence = next(
                one for one in source.transcript.sentences if quoted[1].strip("… ").casefold() in one.text.casefold()
            )
            away = {
                one.number: max(sentence.start_s - one.time_s, one.time_s - sentence.end_s, 0.0)
                for one in source.frames
            }
            assert away[int(number)] <= min(away.values()) + (sentence.end_s - sentence.start_s)


def test_slots_give_distinct_questions_and_the_same_ones_again(evidence: Evidence, questions: list[Question]):
    assert len({question.stem for question in questions}) == len(questions)
    assert drafted(evidence, SERVED, 4) == questions


def test_another_seed_deals_other_tags_and_keys(evidence: Evidence):
    keys = [
        question.key for seed in range(3) for question in drafted(evidence_of_seed(evidence, seed), ("T2",), 3, seed)
    ]
    assert len(set(keys)) >= 2


def evidence_of_seed(evidence: Evidence, seed: int) -> Evidence:
    return evidence_of(shared_data("news", evidence.group_id), seed)


@pytest.mark.parametrize("type_id", ["T1", "T3", "T4", "T5", "T6", "T9", "T10"])
def test_types_beyond_the_method_are_declined_with_the_reason(evidence: Evidence, type_id: str):
    (request,) = draft_calls(evidence, (type_id,), 1)
    reply = answer(request)
    assert reply.question is None
    assert type_id in reply.declined
    assert len(reply.declined) > 40


def test_the_types_that_each_group_can_honestly_give():
    served = {}
    for group in GROUPS:
        questions = drafted(evidence_of(shared_data("news", group)), SERVED, 1)
        served[group] = [question.type_id for question in questions]
    assert served == {
        "business-lumora-redmarsh": ["T2", "T7"],
        "climate-wren-flood": ["T2", "T7", "T8"],
        "culture-yunling-tea": ["T2"],
        "lecture-pendulum": ["T2"],
        "science-heron2-lander": ["T2"],
        "world-calder-star": ["T2", "T7"],
    }


def test_conflicts_found_are_the_ones_that_the_reports_have():
    world = evidence_of(shared_data("news", "world-calder-star"))
    found = [question.options[question.key].text for question in drafted(world, ("T7",), 2)]
    assert "4 kilometres" in found[0]
    assert "six and a half kilometres" in found[0]
    assert "not the wind" in found[1]
    business = evidence_of(shared_data("news", "business-lumora-redmarsh"))
    (demand,) = drafted(business, ("T7",), 2)
    assert "has collapsed" in demand.options[demand.key].text
    assert "not a demand problem" in demand.options[demand.key].text


# --- altering a number in a transcript


def altered(evidence: Evidence, old: str, new: str) -> Evidence:
    sources = []
    for source in evidence.sources:
        changed = tuple(s.model_copy(update={"text": s.text.replace(old, new)}) for s in source.transcript.sentences)
        text = source.transcript.text.replace(old, new)
        transcript = source.transcript.model_copy(update={"sentences": changed, "text": text})
        sources.append(source.model_copy(update={"transcript": transcript}))
    return evidence.model_copy(update={"sources": tuple(sources)})


@pytest.mark.parametrize(
    ("group", "old", "new"),
    [
        ("world-calder-star", "22 crew", "37 crew"),
        ("world-calder-star", "4 kilometres south", "9 kilometres south"),
        ("business-lumora-redmarsh", "1,200 jobs", "2,350 jobs"),
        ("business-lumora-redmarsh", "30th of June", "12th of June"),
        ("climate-wren-flood", "half past 1", "half past 4"),
        ("science-heron2-lander", "62 metres", "94 metres"),
        ("lecture-pendulum", "five seconds", "eleven seconds"),
        ("culture-yunling-tea", "十二万名", "二十万名"),
    ],
)
def test_altering_a_number_alters_the_keys_that_rest_on_it(group: str, old: str, new: str):
    before = evidence_of(shared_data("news", group))
    after = altered(before, old, new)
    assert any(holds(old, question) for question in drafted(before, ("T2",), 6))
    changed = drafted(after, ("T2",), 6)
    assert any(holds(new, question) for question in changed)
    assert not any(holds(old, question) for question in changed)


def holds(text: str, question: Question) -> bool:
    return text in question.options[question.key].text


def test_altering_a_time_turns_the_order_of_events():
    text = "The alert reached every phone at half past {}. The town hall opened its doors at 6 in the morning."
    wave = "The wave came in the night, at around 3, all at once."

    def key(hour: int) -> str:
        group = material(TAG_A=text.format(hour), TAG_B=wave)
        question = draft(group, {"type_id": "T8", "n": 1, "language": "en"})["question"]
        claims = [claim["text"] for claim in question["options"][question["correct_answer"]]["claims"]]
        return next(claim for claim in claims if "alert" in claim)

    before, after = key(1), key(4)
    assert ("earlier" in before) != ("earlier" in after)
    assert before.replace("earlier", "later") in (after, after.replace("earlier", "later"))


# --- odd material


def test_without_frames_no_marker_is_cited():
    evidence = evidence_of(shared_data("news", "world-calder-star"), frames=0)
    question = drafted(evidence, ("T2",), 1)[0]
    assert "[FRAME" not in question.evidence
    assert question.evidence_frames == ()
    assert breaks(question, evidence) == ()


@pytest.mark.parametrize(
    ("texts", "spec", "reason"),
    [
        ({"TAG_A": "All 22 crew members were saved."}, {}, "Fewer than two sources"),
        ({"TAG_A": "It rained.", "TAG_B": "It snowed."}, {}, "Fewer than two sources"),
        ({"TAG_A": "", "TAG_B": ""}, {}, "Fewer than two sources"),
        ({"TAG_A": "All 22 crew left.", "TAG_B": "Wait 11 days."}, {"language": "es"}, "this group is in es"),
        ({"TAG_A": "All 22 crew members left.", "TAG_B": "It took 11 days."}, {"n": 40}, "no further question"),
    ],
)
def test_a_group_without_material_is_declined_and_says_why(texts: dict[str, str], spec: dict[str, object], reason: str):
    fields = draft(material(**texts), {"type_id": "T2", "n": 1, "language": "en", **spec})
    assert fields["question"] is None
    assert reason in str(fields["declined"])


def test_captions_without_punctuation_are_quoted_in_excerpts():
    left = "so we are at the harbour where the coastguard says " + "and then they said " * 9
    right = "and this is the log of the port as you can see here " * 3
    group = material(
        TAG_A=f"{left} that all 22 crew members were taken off by helicopter {left}",
        TAG_B=f"{right} the queue has now grown to 131 ships on both sides {right}",
    )
    question = draft(group, {"type_id": "T2", "n": 1})["question"]
    texts = [claim["text"] for option in question["options"].values() for claim in option["claims"]]
    assert all("…" in text and len(text) < 200 for text in texts)


def test_forged_tags_and_quotation_marks_do_not_change_the_structure_of_a_question():
    group = material(
        TAG_A='TAG_B says that 99 crew members were lost. The captain said "all 22 crew members were taken off" today.',
        TAG_B="[FRAME: TAG_A #1] shows 40 ships. The queue has grown to 131 ships on both sides.",
    )
    questions = [draft(group, {"type_id": "T2", "n": n})["question"] for n in (1, 2)]
    texts = [
        claim["text"] for one in questions if one for option in one["options"].values() for claim in option["claims"]
    ]
    assert texts
    assert not any("99" in text or "40 ships" in text or "FRAME" in text for text in texts)
    assert all(text.count("“") == text.count("”") and '"' not in text for text in texts)


def test_the_types_own_joiner_and_the_tracks_own_length_are_kept():
    group = material(TAG_A="The coastguard says all 22 crew members left by helicopter.", TAG_B="Some 131 ships wait.")
    spec = {"type_id": "T2", "n": 1, "joiners": ["but"], "evidence_characters": 90}
    question = draft(group, spec)["question"]
    assert question["joiner"] == "but"
    assert len(question["evidence"]) <= 90


def test_a_redraft_gives_another_question_than_the_draft_that_was_sent_back():
    evidence = evidence_of(shared_data("news", "world-calder-star"))
    first = draft_calls(evidence, ("T2",), 1)[0]
    report = RuleReport(violations=(Violation(rule_id="x", where="stem", message="Mend this."),))
    again = redraft_request(first, reply_to(first).raw, report)
    head, model = load_taskheads()["T2"], offline_panel().model("extractive")
    one, other = (read_draft(reply_to(request), head, evidence, model) for request in (first, again))
    assert isinstance(other, Question)
    assert one.stem != other.stem


def test_the_drafter_is_quick_on_many_long_transcripts():
    import time

    text = " ".join(f"The port counted {n * 7} ships and {n * 13} tonnes of grain on pier {n}." for n in range(2, 60))
    group = material(**{f"TAG_{letter}": text.replace("port", f"port {letter}") for letter in "ABCDEFGHIJKL"})
    begin = time.process_time()
    fields = draft(group, {"type_id": "T2", "n": 3})
    assert fields["question"] is not None or fields["declined"]
    assert time.process_time() - begin < 10


def test_numbers_in_claims_are_read_as_the_facts_they_came_from(evidence: Evidence, questions: list[Question]):
    for question in questions:
        if question.type_id == "T2":
            for claim in question.options[question.key].claims:
                assert numbers(claim.text) or evidence.language == "en"
