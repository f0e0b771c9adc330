"""One sound question passes every rule; each change to it breaks exactly the rule that it should break."""

import pytest

from records.questions import Option, Question
from rules import RuleContext, check, sentences
from rules.base import Rule
from rules.checking import RULES, rule
from tests.rules.samples import A_FALSE, A_TRUE, B_FALSE, B_TRUE, CONTEXT, claim, option, plain, sound, with_option

LONG = "TAG_A says 22 aboard, " + "and it says so again and again " * 5 + "[FRAME: TAG_B #4]."


def broken(question: Question, context: RuleContext = CONTEXT) -> set[str]:
    return {violation.rule_id for violation in check(question, context).violations}


def test_a_sound_question_breaks_nothing_and_leaves_nothing_open() -> None:
    report = check(sound(), CONTEXT)
    assert (report.violations, report.warnings, report.not_checkable) == ((), (), ())


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (sound(stem="How does the number aboard compare in TAG_A with that of a rival?"), {"tags-named"}),
        (sound(stem="How do the two reports compare on the number aboard?"), {"tags-named"}),
        (sound(stem="How do the hours compare (TAG_A vs TAG_B vs TAG_X)?"), {"tags-exist"}),
        (sound(support_map={"C": ("TAG_A", "TAG_B", "TAG_C")}), {"tags-named"}),
        (sound(support_map={"C": ("TAG_A",)}), {"support-map"}),
        (sound(support_map={"C": ("TAG_A", "TAG_A")}), {"support-map"}),
        (sound(support_map={"A": ("TAG_A", "TAG_B")}), {"support-map"}),
        (sound(support_map={}), {"support-map"}),
        (sound(key="E"), {"one-key", "support-map"}),
        (sound(key=""), {"one-key", "support-map"}),
        (sound(options={k: o for k, o in sound().options.items() if k != "D"}), {"option-letters"}),
        (sound(options={**sound().options, "E": option(claim("TAG_A is silent"), claim("TAG_B is late"))}),
         {"option-letters"}),
        (with_option("D", option(claim("TAG_A is silent"), claim("TAG_B is late"), claim("TAG_B is brief"))),
         {"two-claims"}),
        (with_option("D", option(claim(A_FALSE), claim(B_FALSE), joiner="but")), {"joiner"}),
        (with_option("D", Option(text="Something else altogether.", claims=(claim(A_FALSE), claim(B_FALSE)))),
         {"joiner"}),
        (with_option("D", option(claim(A_TRUE), claim(B_TRUE + " on the coast"))), {"duplicate-options"}),
        (with_option("D", option(claim(B_TRUE), claim(A_TRUE))), {"duplicate-options"}),
        (with_option("D", option(claim("TAG_A praises the former"), claim(B_FALSE))), {"no-deictics"}),
        (with_option("D", option(claim("TAG_A agrees with both of the above"), claim(B_FALSE))), {"position-free"}),
        (sound(evidence=LONG), {"evidence-length"}),
        (sound(evidence="", evidence_frames=()), {"evidence-length", "frame-marker"}),
        (sound(evidence="TAG_A: 22. TAG_B: 19:05 [FRAME: TAG_B #4]. The warning came at 18:00."),
         {"evidence-sentences"}),
        (sound(evidence="TAG_A says 22 aboard; TAG_B reads 19:05.", evidence_frames=()), {"frame-marker"}),
        (sound(evidence="TAG_A says 22; 19:05 in TAG_B [FRAME: TAG_B#4]."), {"frame-marker"}),
        (sound(evidence="TAG_A says 22; 19:05 [FRAME: TAG_B #3].", evidence_frames=("TAG_B #3",)),
         {"frame-marker", "evidence-frames"}),
        (sound(evidence_frames=()), {"evidence-frames"}),
        (sound(evidence_frames=("TAG_B #4", "TAG_A #1")), {"evidence-frames"}),
        (sound(evidence_frames=("[FRAME: TAG_B #4]",)), {"evidence-frames"}),
    ],
)  # fmt: skip
def test_each_change_breaks_its_rule(question: Question, expected: set[str]) -> None:
    assert broken(question) == expected


def test_visual_claims_are_counted_where_the_type_asks_for_them() -> None:
    context = CONTEXT.model_copy(update={"visual_options": 2})
    assert broken(sound(), context) == {"visual-claims"}
    seen = option(claim("TAG_A reports 26 people on the ferry", modality="both"), claim(B_FALSE))
    one = with_option("D", seen)
    assert broken(one, context) == {"visual-claims"}
    shown = option(claim(A_FALSE, modality="shown"), claim(B_TRUE))
    two = one.model_copy(update={"options": {**one.options, "B": shown}})
    assert broken(two, context) == set()


def test_the_joiner_must_be_one_that_the_type_allows() -> None:
    assert broken(sound(), CONTEXT.model_copy(update={"joiners": ("and", "then")})) == {"joiner"}
    assert broken(sound(), CONTEXT.model_copy(update={"joiners": ("and", "while")})) == set()


def test_an_accepted_stem_is_not_asked_again() -> None:
    context = CONTEXT.model_copy(update={"accepted_stems": ("What do TAG_A and TAG_C show?", sound().stem.upper())})
    assert broken(sound(), context) == {"duplicate-stem"}


def test_without_frames_no_marker_is_asked_for_and_none_may_be_cited() -> None:
    none = RuleContext(frames={"TAG_A": (), "TAG_B": (), "TAG_C": ()})
    wordless = sound(evidence="TAG_A says 22 aboard; TAG_B says 19:05.", evidence_frames=())
    assert broken(wordless, none) == set()
    assert broken(sound(), none) == {"frame-marker", "evidence-frames"}


def test_where_nothing_is_known_of_frames_only_their_form_is_checked() -> None:
    report = check(sound(), RuleContext())
    assert (report.violations, report.not_checkable) == ((), ("frame-marker",))
    assert broken(sound(evidence="TAG_A says 22; 19:05 in TAG_B [FRAME: TAG_B#4]."), RuleContext()) == {"frame-marker"}


def test_plain_options_leave_structural_rules_open_and_are_not_blamed_for_it() -> None:
    report = check(plain("TAG_A is early.", "TAG_B is late.", "TAG_A is brief.", "TAG_B is long."), CONTEXT)
    assert report.violations == ()
    assert report.not_checkable == ("two-claims", "joiner", "crossed", "even-halves")
    visual = CONTEXT.model_copy(update={"visual_options": 2})
    open_rules = check(plain("TAG_A is early.", "TAG_B is late.", "TAG_A is brief.", "TAG_B is long."), visual)
    assert "visual-claims" in open_rules.not_checkable


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (with_option("C", option(claim(A_TRUE + " to the island, sailors and children counted in"), claim(B_TRUE))),
         {"key-length", "crossed"}),
        (with_option("D", option(claim("TAG_A leaves the number out"), claim("TAG_B leaves the hour out"))),
         {"even-halves"}),
        (sound(stem="TAG_A reports 22 people on the ferry and TAG_B has it leave an hour after the storm warning: "
               "how do TAG_A and TAG_B compare?"), {"stem-gives-key"}),
    ],
)  # fmt: skip
def test_what_gives_the_key_away_is_a_warning_only(question: Question, expected: set[str]) -> None:
    report = check(question, CONTEXT)
    assert {warning.rule_id for warning in report.warnings} == expected


@pytest.mark.parametrize("each", RULES, ids=lambda each: each.rule_id)
def test_every_rule_is_a_sentence_in_english_and_chinese(each: Rule) -> None:
    english, chinese = each.sentence("en", CONTEXT), each.sentence("zh-Hans", CONTEXT)
    assert english.endswith((".", ")"))
    assert chinese.endswith("。")
    assert "{" not in english + chinese
    assert sum("\u4e00" <= char <= "\u9fff" for char in chinese) > len(chinese) / 4


def test_the_drafter_reads_the_numbers_of_the_track() -> None:
    strict = RuleContext(evidence_characters=99, evidence_sentences=1, min_sources=3, frames={"TAG_A": (1,)})
    text = " ".join(sentences("en", strict))
    assert "at most 99 characters" in text
    assert "at least 3 different sources" in text
    assert "160" in " ".join(sentences("en"))


def test_rule_ids_differ_and_find_their_rule() -> None:
    ids = [each.rule_id for each in RULES]
    assert len(set(ids)) == len(ids)
    assert rule("crossed").level == "warning"
    with pytest.raises(KeyError):
        rule("no-such-rule")


@pytest.mark.parametrize(
    ("context", "shown"),
    [
        (RuleContext(), set()),
        (RuleContext(frames={"TAG_A": ()}), set()),
        (RuleContext(visual_options=2), {"visual-claims"}),
        (RuleContext(visual_options=2, frames={"TAG_A": (1,)}),
         {"visual-claims", "visual-cue", "frame-marker", "evidence-frames"}),
        (RuleContext(accepted_stems=("What?",)), {"duplicate-stem"}),
    ],
)  # fmt: skip
def test_the_drafter_reads_only_what_applies(context: RuleContext, shown: set[str]) -> None:
    depends = {"visual-claims", "visual-cue", "frame-marker", "evidence-frames", "duplicate-stem"}
    texts = sentences("en", context)
    assert {name for name in depends if rule(name).sentence("en", context) in texts} == shown
    assert len(texts) == len(RULES) - len(depends) + len(shown)
    assert len(sentences("zh")) == len(RULES)
