"""Each decision rule with a table of cases, one for each way it can be wrong."""

import pytest

from judges.ambiguity import combined
from judges.decide import Judgement, decide
from judges.schedule import next_calls
from records.config import Checks, Panel
from records.questions import Claim, Option, RuleReport, Violation
from records.verdicts import ChoiceVerdict, Decision, JudgeFailure, SeverityVerdict, Verdict
from tests.judges.builders import Answer, a_panel, a_question

TAGS = ("TAG_A", "TAG_B")
FAILED = None


def only(check: str, **settings: object) -> Checks:
    """Checks with one of them switched on."""
    names = ("solvability", "ambiguity", "difficulty", "blind")
    values: dict[str, object] = {name: {"enabled": name == check} for name in names}
    own = {name: value for name, value in settings.items() if name != "min_votes"}
    values[check] = {"enabled": True, **own}
    return Checks.model_validate(values | {"min_votes": settings.get("min_votes")})


def said(check: str, unit: str, votes: list[Answer]) -> list[Verdict]:
    verdicts: list[Verdict] = []
    for number, vote in enumerate(votes):
        seat, model = f"s{number}", f"m{number}"
        if vote is None:
            verdicts.append(
                JudgeFailure(check=check, seat=seat, model=model, unit=unit, outcome="unparsed", message="?")  # type: ignore[arg-type]
            )
        elif isinstance(vote, float):
            verdicts.append(SeverityVerdict(seat=seat, model=model, unit=unit, severity=vote))
        else:
            verdicts.append(
                ChoiceVerdict(check=check, seat=seat, model=model, unit=unit, answer=vote[0], confidence=vote[1])  # type: ignore[arg-type]
            )
    return verdicts


def decision(judgement: Judgement, check: str) -> Decision:
    return next(item for item in judgement.decisions if item.check == check)


YES, UNSURE, NO, SILENT = ("A", 0.8), ("A", 0.7999), ("B", 1.0), ("A", None)


@pytest.mark.parametrize(
    ("seats", "min_votes", "votes", "outcome"),
    [
        (3, None, [YES, YES, NO], "removed"),
        (3, None, [YES, NO, NO], "passed"),
        (3, None, [YES, YES, FAILED], "removed"),
        (3, None, [YES, NO, FAILED], "passed"),
        (3, None, [YES, FAILED, FAILED], "undecided"),
        (3, None, [NO, FAILED, FAILED], "undecided"),
        (3, 1, [NO, FAILED, FAILED], "passed"),
        (3, 1, [YES, FAILED, FAILED], "passed"),  # one of three is no majority of the configured seats
        (3, 3, [YES, YES, FAILED], "undecided"),
        (3, 3, [NO, NO, FAILED], "undecided"),
        (3, None, [YES, UNSURE, UNSURE], "passed"),
        (3, None, [YES, SILENT, SILENT], "passed"),
        (3, None, [("A", 0.8), ("A", 80 / 100), NO], "removed"),
        (2, None, [YES, NO], "passed"),  # a tie is no majority
        (2, None, [YES, YES], "removed"),
        (2, None, [YES, FAILED], "undecided"),
        (1, None, [YES], "removed"),
        (1, None, [FAILED], "undecided"),
        (4, None, [YES, YES, NO, NO], "passed"),
        (4, None, [YES, YES, YES, FAILED], "removed"),
        (5, None, [FAILED] * 5, "undecided"),
    ],
)
def test_a_source(seats: int, min_votes: int | None, votes: list[Answer], outcome: str) -> None:
    panel = a_panel(seats, checks=only("solvability", min_votes=min_votes), schedule="full")
    verdicts = said("solvability", "TAG_A", votes) + said("solvability", "TAG_B", [NO] * seats)
    judged = decide(a_question("A"), verdicts, panel, TAGS)
    found = decision(judged, "solvability")
    assert [unit.outcome for unit in found.units] == [outcome, "passed"]
    assert found.outcome == outcome
    assert judged.outcome == {"removed": "removed", "passed": "kept", "undecided": "undecided"}[outcome]


@pytest.mark.parametrize(
    ("how", "min_votes", "votes", "outcome", "statistic"),
    [
        ("median", None, [0.6, 0.6, 0.0], "removed", 0.6),
        ("median", None, [0.5999999, 0.6, 0.0], "passed", 0.5999999),
        ("median", None, [0.9, 0.59, FAILED], "passed", 0.59),  # the lower of two
        ("median", None, [0.9, 0.6, FAILED], "removed", 0.6),
        ("median", None, [1.0, FAILED, FAILED], "undecided", 1.0),
        ("median", 1, [1.0, FAILED, FAILED], "removed", 1.0),
        ("max", None, [0.0, 0.0, 0.6], "removed", 0.6),
        ("max", None, [0.0, 0.0, 0.59], "passed", 0.59),
        ("max", None, [1.0, FAILED, FAILED], "undecided", 1.0),
        ("mean", None, [0.6, 0.6, 0.6], "removed", 0.6),
        ("mean", None, [0.5, 0.6, 0.7], "removed", 0.6),  # 0.6000000000000001 or less: rounded first
        ("mean", None, [0.1, 0.7, 1.0], "removed", 0.6),
        ("mean", None, [0.5999996, 0.5999996, 0.5999996], "removed", 0.6),  # rounds up to the threshold
        ("mean", None, [0.5999994, 0.5999994, 0.5999994], "passed", 0.599999),
        ("mean", None, [0.2, 1.0, FAILED], "removed", 0.6),
        ("mean", None, [FAILED, FAILED, FAILED], "undecided", None),
    ],
)
def test_a_pair(how: str, min_votes: int | None, votes: list[Answer], outcome: str, statistic: float | None) -> None:
    panel = a_panel(3, checks=only("ambiguity", combine=how, min_votes=min_votes), schedule="full")
    verdicts = said("ambiguity", "B", [0.0] * 3) + said("ambiguity", "C", votes) + said("ambiguity", "D", [0.0] * 3)
    found = decision(decide(a_question("A"), verdicts, panel, TAGS), "ambiguity")
    assert [unit.unit for unit in found.units] == ["B", "C", "D"]
    assert (found.units[1].outcome, found.units[1].statistic) == (outcome, statistic)
    assert found.outcome == outcome


def test_the_combiners() -> None:
    assert combined([0.1, 0.9], "median") == 0.1
    assert combined([0.3, 0.1, 0.9, 0.5], "median") == 0.3
    assert combined([0.1, 0.2], "mean") == 0.15
    with pytest.raises(ValueError, match="no severities"):
        combined([], "max")


@pytest.mark.parametrize(
    ("votes", "outcome"),
    [
        ([YES, YES, YES], "removed"),
        ([YES, YES, UNSURE], "passed"),
        ([YES, YES, NO], "passed"),
        ([YES, YES, FAILED], "undecided"),
        ([FAILED, FAILED, NO], "passed"),  # one wrong answer is enough, whatever fails
        ([FAILED, FAILED, SILENT], "passed"),
        ([FAILED, FAILED, FAILED], "undecided"),
        ([YES, FAILED, FAILED], "undecided"),
    ],
)
@pytest.mark.parametrize("min_votes", [1, 2, 3])
def test_difficulty(votes: list[Answer], outcome: str, min_votes: int) -> None:
    panel = a_panel(3, checks=only("difficulty", min_votes=min_votes), schedule="full")
    judged = decide(a_question("A"), said("difficulty", "all", votes), panel, TAGS)
    assert decision(judged, "difficulty").outcome == outcome


RIGHT, WRONG = ("A", 0.1), ("C", 0.9)


@pytest.mark.parametrize(
    ("seats", "outcome"),
    [
        ([[RIGHT] * 4, [RIGHT] * 4, [WRONG] * 4], "removed"),
        ([[RIGHT] * 4, [RIGHT, RIGHT, RIGHT, WRONG], [WRONG] * 4], "passed"),
        # every rotation has a majority, but only one seat is right in all of them
        ([[RIGHT] * 4, [RIGHT, WRONG, RIGHT, WRONG], [WRONG, RIGHT, WRONG, RIGHT]], "passed"),
        ([[RIGHT] * 4, [RIGHT] * 4, [FAILED] * 4], "removed"),
        ([[RIGHT] * 4, [RIGHT, FAILED, RIGHT, RIGHT], [FAILED] * 4], "undecided"),
        ([[RIGHT] * 4, [WRONG, FAILED, FAILED, FAILED], [FAILED] * 4], "passed"),
    ],
)
def test_blind(seats: list[list[Answer]], outcome: str) -> None:
    panel = a_panel(3, checks=only("blind"), schedule="full")
    verdicts: list[Verdict] = []
    for rotation in range(4):
        verdicts += said("blind", f"rotation-{rotation}", [votes[rotation] for votes in seats])
    judged = decide(a_question("A"), verdicts, panel, TAGS)
    assert decision(judged, "blind").outcome == outcome


def test_an_item_that_its_article_answers_is_removed() -> None:
    panel = a_panel(1, checks=only("blind", with_article=True), schedule="full")
    question = a_question("A", extra={"article": "The dish is from Yunnan."})
    verdicts = [v for k in range(4) for v in said("blind", f"rotation-{k}", [WRONG])]
    verdicts += [v for k in range(4) for v in said("blind", f"article-rotation-{k}", [RIGHT])]
    judged = decide(question, verdicts, panel, TAGS)
    assert [unit.outcome for unit in decision(judged, "blind").units] == ["passed", "removed"]
    without = decide(a_question("A"), verdicts, panel, TAGS)
    assert (without.outcome, len(decision(without, "blind").units)) == ("kept", 1)


def test_pinned_options_are_asked_in_one_order() -> None:
    question, panel = a_question("A", pinned=True), a_panel(1, checks=only("blind"), schedule="full")
    (call,) = next_calls(question, panel, TAGS, ())
    assert (call.unit, call.shown_order) == ("rotation-0", ("A", "B", "C", "D"))


def test_the_first_check_in_the_papers_order_is_named() -> None:
    panel = a_panel(1, schedule="full")
    verdicts = said("difficulty", "all", [YES]) + said("ambiguity", "C", [1.0]) + said("solvability", "TAG_A", [FAILED])
    judged = decide(a_question("A"), verdicts, panel, TAGS)
    assert (judged.outcome, judged.removed_by) == ("removed", "ambiguity")
    assert [item.check for item in judged.decisions] == ["crossed", "solvability", "ambiguity", "difficulty", "blind"]
    assert [item.outcome for item in judged.decisions] == ["off", "undecided", "removed", "removed", "off"]


def test_a_failure_is_never_a_vote_and_nothing_said_is_never_kept() -> None:
    panel = a_panel(3)
    nothing = decide(a_question("A"), (), panel, TAGS)
    assert (nothing.outcome, nothing.removed_by) == ("undecided", None)
    assert {item.outcome for item in nothing.decisions[1:4]} == {"not-run"}
    failed = said("solvability", "TAG_A", [FAILED] * 3) + said("solvability", "TAG_B", [FAILED] * 3)
    failed += [v for pair in "BCD" for v in said("ambiguity", pair, [FAILED] * 3)]
    failed += said("difficulty", "all", [FAILED] * 3)
    assert decide(a_question("A"), failed, panel, TAGS).outcome == "undecided"


def test_an_answer_outweighs_a_failure_of_the_same_call_in_any_order() -> None:
    panel = a_panel(1, checks=only("difficulty"))
    verdicts = said("difficulty", "all", [FAILED]) + said("difficulty", "all", [YES])
    for order in (verdicts, verdicts[::-1]):
        assert decide(a_question("A"), order, panel, TAGS).removed_by == "difficulty"


def test_checks_that_are_off_say_why() -> None:
    panel = a_panel(3, checks=only("difficulty"))
    judged = decide(a_question("A"), said("difficulty", "all", [NO] * 3), panel, TAGS)
    assert judged.outcome == "kept"
    assert decision(judged, "ambiguity").explanation == "switched off in the panel"
    alone = decide(a_question("A"), (), a_panel(3, checks=only("solvability")), ("TAG_A",))
    assert decision(alone, "solvability").explanation == "needs at least two sources"


def test_the_arithmetic_is_told_in_words() -> None:
    panel = a_panel(3, schedule="full")
    verdicts = said("solvability", "TAG_A", [YES, YES, FAILED]) + said("solvability", "TAG_B", [NO] * 3)
    verdicts += said("ambiguity", "B", [0.1, 0.2, 0.7]) + said("difficulty", "all", [YES, NO, NO])
    judged = decide(a_question("A"), verdicts, panel, TAGS)
    source, pair = decision(judged, "solvability").units[0], decision(judged, "ambiguity").units[0]
    assert source.explanation == (
        "2 of 2 answers were A (the key) with confidence >= 0.8; 2 of 3 seats solve it; failed and not replaced: s2"
    )
    assert (source.votes, source.seats, source.statistic, source.threshold) == (2, 3, 2.0, 2.0)
    assert pair.explanation == "median of 3 severities (0.1, 0.2, 0.7) = 0.2; ambiguous from 0.6"
    assert decision(judged, "solvability").explanation == "removal is proven by TAG_A"
    assert decision(judged, "ambiguity").units[1].explanation.endswith("3 seats not asked")


def crossed_panel(*, removes: bool) -> Panel:
    return a_panel(3, checks=Checks(crossed_removes=removes))


def uncrossed() -> dict[str, Option]:
    def option(own: str, other: str) -> Option:
        claims = (
            Claim(text=f"TAG_A says {own}", tags=("TAG_A",), modality="spoken"),
            Claim(text=f"TAG_B says {other}", tags=("TAG_B",), modality="spoken"),
        )
        return Option(text=f"TAG_A says {own}, while TAG_B says {other}.", claims=claims)

    return {letter: option("22", text) for letter, text in zip("ABCD", ("24", "25", "26", "27"), strict=True)}


def test_a_question_that_is_not_crossed_is_removed_before_any_judge_is_asked() -> None:
    question = a_question("A", options=uncrossed(), sources={"TAG_A": "a", "TAG_B": "b"})
    for schedule in ("full", "frugal"):
        panel = crossed_panel(removes=True).model_copy(update={"schedule": schedule})
        assert next_calls(question, panel, TAGS, ()) == ()
        judged = decide(question, (), panel, TAGS)
        assert (judged.outcome, judged.removed_by, judged.calls_saved) == ("removed", "crossed", 0)
    assert next_calls(question, crossed_panel(removes=False), TAGS, ())
    reported = decide(question, (), crossed_panel(removes=False), TAGS)
    assert (reported.removed_by, reported.decisions[0].outcome) == (None, "off")
    assert "found:" in reported.decisions[0].explanation


def test_the_rules_report_saves_the_second_look() -> None:
    report = RuleReport(warnings=(Violation(rule_id="crossed", where="options", message="same in all options"),))
    judged = decide(a_question("A"), (), crossed_panel(removes=True), TAGS, rule_report=report)
    assert (judged.removed_by, judged.decisions[0].explanation) == ("crossed", "same in all options")


def test_plain_options_cannot_be_checked_for_crossing_and_stay() -> None:
    assert next_calls(a_question("A"), crossed_panel(removes=True), TAGS, ())
    found = decide(a_question("A"), (), crossed_panel(removes=True), TAGS).decisions[0]
    assert (found.outcome, found.explanation) == ("off", "the options came without claims to check")
