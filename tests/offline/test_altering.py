import pytest
from hypothesis import given
from hypothesis import strategies as st

from media.quantities import numbers
from offline.altering import wrong_values
from offline.findings import findings
from tests.offline.material import material


def wrong(value: str, **texts: str) -> tuple[str, ...]:
    group = material(**texts)
    found = findings(group)
    return wrong_values(next(one for one in found if one.value == value), found, group)


def test_a_real_value_of_another_source_comes_first_and_in_the_same_manner():
    values = wrong(
        "six and a half kilometres",
        TAG_A="Tracking data places the ship six and a half kilometres from the harbour mouth.",
        TAG_B="It struck a sandbank 4 kilometres south of the harbour.",
    )
    assert values[0] == "four kilometres"


def test_a_value_that_the_source_itself_gives_is_never_wrong():
    values = wrong(
        "22", TAG_A="All 22 crew members were saved. The list has 24 crew members.", TAG_B="Here are 24 crew members."
    )
    assert "24" not in values
    assert values


@pytest.mark.parametrize(
    ("text", "value", "larger"),
    [
        ("The share fell by more than 8 percent by the bell.", "8 percent", True),
        ("At least 40 ships are waiting on either side.", "40", True),
        ("The lander came down within 50 metres of the target.", "50 metres", False),
        ("The gates stayed open for less than 90 minutes that night.", "90 minutes", False),
    ],
)
def test_a_wrong_value_is_not_implied_by_a_bound(text: str, value: str, larger: bool):
    true = numbers(value)[0].value
    others = [numbers(f"{found} people" if found.isdigit() else found)[0].value for found in wrong(value, TAG_A=text)]
    assert others
    assert all((other > true) is larger for other in others)


def test_a_wrong_value_is_clearly_apart_from_an_approximate_one():
    values = wrong("40", TAG_A="About 40 ships are waiting on either side.")
    assert values
    assert all(abs(int(value) - 40) >= 10 for value in values)


def test_what_rose_has_still_risen():
    text = "Wheat for April rose from 212 dollars a tonne on Monday to 247 dollars tonight."
    assert all(numbers(value)[0].value < 247 for value in wrong("212 dollars", TAG_A=text))
    assert all(numbers(value)[0].value > 212 for value in wrong("247 dollars", TAG_A=text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("It struck a sandbank at 4:20 local time.", "4:20"),
        ("The alert reached every phone at half past 1.", "half past 1"),
        ("Production ends on the 30th of June next year.", "30th of June"),
        ("林秀珍要参加四月十日的斗茶大会。", "四月十日"),
        ("清晨五点半，林秀珍已经上山了。", "清晨五点半"),
    ],
)
def test_times_and_dates_stay_times_and_dates(text: str, value: str):
    kind = numbers(value)[0].kind
    values = wrong(value, TAG_A=text)
    assert values
    for other in values:
        assert numbers(other)[0].kind == kind
        assert numbers(other)[0].canonical != numbers(value)[0].canonical


def test_shares_and_latitudes_keep_their_limits():
    assert all(numbers(v)[0].value <= 100 for v in wrong("80 percent", TAG_A="I call this an 80 percent success."))
    text = "The landing site lies on the rim at 84.6 degrees south."
    assert all(numbers(value)[0].value <= 90 for value in wrong("84.6 degrees", TAG_A=text))


def test_the_article_follows_the_number():
    found = findings(material(TAG_A="I call this an 80 percent success."))[0]
    assert found.with_value("60 percent") == "I call this a 60 percent success"
    assert found.with_value("85 percent") == "I call this an 85 percent success"


@given(st.integers(2, 2_000_000))
def test_any_count_has_wrong_values_that_read_as_other_amounts(amount: int):
    text = f"The coastguard says that {amount:,} people were there."
    values = wrong(f"{amount:,}", TAG_A=text)
    assert values
    assert all(numbers(f"{value} people")[0].value != amount for value in values)


def test_a_chinese_value_is_never_the_true_one_with_a_character_more():
    values = wrong("二十万", TAG_A="组委会说，第一天就来了二十万名游客。")
    assert values
    assert "二十五万" not in values
