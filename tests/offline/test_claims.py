import pytest

from offline.claims import split_claims, statements
from offline.contrast import contrast


@pytest.mark.parametrize(
    ("option", "claims"),
    [
        ("TAG_A says 22, while TAG_B says 24.", [("TAG_A says 22", ("TAG_A",)), ("TAG_B says 24", ("TAG_B",))]),
        ("TAG_A reports that 1,200 jobs will go, whereas TAG_C has the words “We wait, while they talk”.",
         [("TAG_A reports that 1,200 jobs will go", ("TAG_A",)),
          ("TAG_C has the words “We wait, while they talk”", ("TAG_C",))]),
        ("TAG_C reports that the site lies on the rim, at 84.6 degrees south, while TAG_A says seven.",
         [("TAG_C reports that the site lies on the rim, at 84.6 degrees south", ("TAG_C",)),
          ("TAG_A says seven", ("TAG_A",))]),
        ("TAG_A and TAG_B agree on the cause, but TAG_C does not.",
         [("TAG_A and TAG_B agree on the cause", ("TAG_A", "TAG_B")), ("TAG_C does not", ("TAG_C",))]),
        ("Both sides agree on the cause.", [("Both sides agree on the cause", ("TAG_X",))]),
        ("TAG_A 提到“活动为期七天，很热闹”，而TAG_B 提到“水温八十度”。",
         [("TAG_A 提到“活动为期七天，很热闹”", ("TAG_A",)), ("TAG_B 提到“水温八十度”", ("TAG_B",))]),
    ],
)  # fmt: skip
def test_an_option_is_cut_where_another_source_begins_to_speak(option: str, claims: list[tuple[str, tuple[str, ...]]]):
    assert [(claim.text, claim.tags) for claim in split_claims(option, ("TAG_X",))] == claims


def test_a_question_is_read_in_the_pieces_in_which_it_states_something():
    stem = "Given that TAG_A says 22 crew and that TAG_B says 24 crew. How do they compare (TAG_A vs TAG_B)?"
    assert statements(stem, "en")[:2] == ("Given that TAG_A says 22 crew", "TAG_B says 24 crew")


@pytest.mark.parametrize(
    ("left", "right", "exclusive"),
    [
        ("TAG_A says that all 22 crew members were saved", "TAG_A says that all 24 crew members were saved", True),
        ("TAG_A says twenty-two crew members", "TAG_A says 22 crew members", False),
        ("TAG_A says that 22 crew left", "TAG_A says that 40 ships wait", False),
        ("TAG_A says it is not the wind", "TAG_A says it is the wind", True),
        ("TAG_A gives half past 1", "TAG_A gives half past 2", True),
        ("TAG_A comes earlier than TAG_B", "TAG_A comes later than TAG_B", True),
        ("TAG_A comes earlier than TAG_B", "TAG_B comes later than TAG_A", False),
        ("TAG_A comes earlier than TAG_B", "TAG_B comes earlier than TAG_A", True),
        ("TAG_A has it bound for Port Maren", "TAG_A has it bound for Cape Orrin", True),
        ("TAG_A 提到十二万名游客", "TAG_A 提到九万名游客", True),
        ("TAG_A 提到12万名游客", "TAG_A 提到十二万名游客", False),
    ],
)
def test_claims_that_rule_each_other_out(left: str, right: str, exclusive: bool):
    language = "en" if left.isascii() else "zh"
    assert bool(contrast(*split_claims(left), *split_claims(right), language)) is exclusive
