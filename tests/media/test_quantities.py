"""Numbers, units, dates and times: one row for each way of writing that the reports use."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from media.quantities import Quantity, numbers


def only(text: str) -> Quantity:
    found = numbers(text)
    assert len(found) == 1, [quantity.text for quantity in found]
    return found[0]


@pytest.mark.parametrize(
    ("text", "kind", "value", "unit", "canonical"),
    [
        ("28 minutes later", "number", 28, "min", "28 min"),
        ("1,850 jobs", "number", 1850, "", "1850"),
        ("winds of 90 kilometres an hour", "number", 90, "km/h", "90 km/h"),
        ("a wind of 11 km/h", "number", 11, "km/h", "11 km/h"),
        ("2.1 m/s sideways", "number", 2.1, "m/s", "2.1 m/s"),
        ("six and a half kilometres", "number", 6.5, "km", "6.5 km"),
        ("one hundred and twenty thousand people", "number", 120_000, "", "120000"),
        ("twenty-nine years", "number", 29, "year", "29 year"),
        ("8 percent", "percent", 8, "%", "8 %"),
        ("an 80 percent success", "percent", 80, "%", "80 %"),
        ("101%", "percent", 101, "%", "101 %"),
        ("$95 million", "money", 95e6, "USD", "95000000 USD"),
        ("212 dollars a tonne", "money", 212, "USD", "212 USD"),
        ("£3m for repairs", "money", 3e6, "GBP", "3000000 GBP"),
        ("it rose 1.9m", "number", 1.9, "m", "1.9 m"),
        ("3bn crones", "number", 3e9, "", "3000000000"),
        ("220°C", "number", 220, "°C", "220 °C"),
        ("人数83,416人", "number", 83_416, "", "83416"),
        ("距离6.5km外", "number", 6.5, "km", "6.5 km"),
        ("All 22 may have left", "number", 22, "", "22"),
        ("In 1,400 march past", "number", 1400, "", "1400"),
        ("340 million crones", "number", 340e6, "", "340000000"),
        ("84.6 degrees south", "number", 84.6, "degree", "84.6 degree"),
        ("1.4 times as likely", "number", 1.4, "times", "1.4 times"),
        ("one metre deep", "number", 1, "m", "1 m"),
        ("T = 2.006 s", "number", 2.006, "s", "2.006 s"),
        ("in 2019 the state paid", "year", 2019, "", "2019"),
        ("Heron 2 is down", "label", 2, "", "heron 2"),
        ("see clause 7", "label", 7, "", "clause 7"),
        ("兩萬人", "number", 20_000, "", "20000"),
        ("１２万", "number", 120_000, "", "120000"),
        ("12万", "number", 120_000, "", "120000"),
        ("约800年", "number", 800, "year", "800 year"),
        ("活了一千二百年", "number", 1200, "year", "1200 year"),
        ("树龄1200年", "number", 1200, "year", "1200 year"),
        ("海拔一千一百五十米", "number", 1150, "m", "1150 m"),
        ("锅温一百八十度左右", "number", 180, "degree", "180 degree"),
        ("3.5亿元", "money", 350e6, "CNY", "350000000 CNY"),
        ("百分之八", "percent", 8, "%", "8 %"),
        ("四斤鲜叶", "number", 4, "jin", "4 jin"),
        ("第十二届", "ordinal", 12, "", "#12"),
        ("2025年春天", "year", 2025, "", "2025"),
    ],
)
def test_amounts(text: str, kind: str, value: float, unit: str, canonical: str) -> None:
    quantity = only(text)
    assert (quantity.kind, quantity.value, quantity.unit, quantity.canonical) == (kind, value, unit, canonical)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("At 4:20 local time", "04:20"),
        ("at 03:52", "03:52"),
        ("touchdown 14:07:32 UTC", "14:07:32"),
        ("until 6 in the morning", "06:00"),
        ("at 7 in the evening", "19:00"),
        ("at half past 1", "01:30"),
        ("a quarter to five", "04:45"),
        ("at 6 p.m.", "18:00"),
        ("at 12:30 a.m.", "00:30"),
        ("清晨五点半", "05:30"),
        ("下午三点一刻", "15:15"),
        ("晚上8点", "20:00"),
        ("02:47", "02:47"),
    ],
)
def test_clock_times(text: str, canonical: str) -> None:
    quantity = only(text)
    assert (quantity.kind, quantity.canonical) == ("time", canonical)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("the 30th of June next year", "--06-30"),
        ("21 March", "--03-21"),
        ("March 21, 2025", "2025-03-21"),
        ("14 Sept 2023", "2023-09-14"),
        ("31 December 2027", "2027-12-31"),
        ("2025-11-04", "2025-11-04"),
        ("January 2025", "2025-01"),
        ("on january 5", "--01-05"),
        ("May 5", "--05-05"),
        ("于2025-11-04发布", "2025-11-04"),
        ("四月十日", "--04-10"),
        ("4月13日", "--04-13"),
        ("2025年3月11日", "2025-03-11"),
    ],
)
def test_dates(text: str, canonical: str) -> None:
    quantity = only(text)
    assert (quantity.kind, quantity.canonical) == ("date", canonical)


def test_a_date_and_a_time_beside_it_are_two_facts() -> None:
    assert [quantity.canonical for quantity in numbers("Lane reopened 18 March 06:00.")] == ["--03-18", "06:00"]


@pytest.mark.parametrize(
    ("text", "noun"),
    [
        ("all 22 crew members were taken off", "crew members"),
        ("40 ships are waiting", "ships"),
        ("1,200 jobs will go", "jobs"),
        ("十二万名游客", "名游客"),
        ("83,416人", "人"),
    ],
)
def test_what_is_counted(text: str, noun: str) -> None:
    assert only(text).noun == noun


@pytest.mark.parametrize(
    "text", ["About 40 ships", "nearly five seconds", "over 9 km", "约800年", "四十多人", "180度左右"]
)
def test_approximate(text: str) -> None:
    assert only(text).approximate


@pytest.mark.parametrize(
    "text",
    [
        "No one was hurt.", "one of the busiest lanes", "not one drop", "This works as usual.", "一样", "鼓声一响",
        "十分重要", "万一", "", "first responders", "It may rain.", "March on!", "一亿一",
    ],
)  # fmt: skip
def test_no_number_where_there_is_none(text: str) -> None:
    assert numbers(text) == ()


def test_numbers_are_in_order_and_do_not_overlap() -> None:
    text = "On 18 March at 06:00, 131 ships and 24 crew waited; 12万人 saw it."
    found = numbers(text)
    assert [quantity.canonical for quantity in found] == ["--03-18", "06:00", "131", "24", "120000"]
    assert all(text[quantity.start : quantity.end] == quantity.text for quantity in found)


@given(st.text(alphabet="0123456789 ,.:%年月日点万半第百 amkhtwondpr-/$", max_size=40))
def test_any_text_can_be_read(text: str) -> None:
    found = numbers(text)
    assert all(text[quantity.start : quantity.end] == quantity.text for quantity in found)
    assert all(left.end <= right.start for left, right in pairwise(found))


@given(st.integers(min_value=0, max_value=999_999_999))
def test_thousands_separators_do_not_change_a_number(value: int) -> None:
    assert {quantity.value for quantity in numbers(f"exactly {value:,} jobs")} == {float(value)}
