"""Numbers in words."""

import pytest

from report.words import clock, count, decimal, number_of, seconds, share, statistic, tone, usd, without_controls


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "–"), (0, "$0"), (0.00001, "<$0.0001"), (0.0001, "$0.0001"), (0.01, "$0.01"), (0.0125, "$0.0125"),
        (0.4356, "$0.436"), (0.5, "$0.50"), (0.9949, "$0.995"), (0.996, "$1.00"), (1234.5, "$1,234.50"),
    ],
)  # fmt: skip
def test_money(value: float | None, words: str) -> None:
    assert usd(value) == words


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (count(99_999), "99,999"), (count(123_456), "123k"), (count(1_234_567), "1.2M"),
        (number_of(1, "call"), "1 call"), (number_of(1200, "call"), "1,200 calls"),
        (seconds(None), "–"), (seconds(0.016), "0.02 s"), (seconds(1.44), "1.4 s"), (seconds(75.4), "75 s"),
        (seconds(300), "5 min"), (share(1, 3), "33 %"), (share(0, 0), "–"),
        (decimal(None), "–"), (decimal(0.8), "0.80"),
        (statistic(None, 2), "–"), (statistic(0.0, 2), "0"), (statistic(2.0, 2), "2"), (statistic(1.0, 0.6), "1.00"),
        (clock(75.9), "1:15"),
    ],
)  # fmt: skip
def test_numbers(words: str, expected: str) -> None:
    assert words == expected


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mred\x1b[0m", "a[31mred[0m"), ("bell\x07", "bell"), ("tab\tline\n", "tab\tline\n"),
        ("rtl\u202eevil", "rtlevil"), ("中文 é", "中文 é"), ("csi\x9b2J", "csi2J"),
    ],
)  # fmt: skip
def test_nothing_that_steers_a_terminal_is_shown(text: str, shown: str) -> None:
    assert without_controls(text) == shown


def test_every_outcome_has_a_tone() -> None:
    assert [tone(word) for word in ("kept", "removed", "undecided", "not-run", "declined", "truncated")] == [
        "good", "bad", "open", "quiet", "quiet", "bad",
    ]  # fmt: skip
