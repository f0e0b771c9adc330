import pytest

from eval.times import WrongTime, clock, time_span, times_in


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("0:01:35", (95, 95)),
        ("00:00:07", (7, 7)),
        ("01:35", (95, 95)),
        ("75:10", (4510, 4510)),
        ("95 s", (95, 95)),
        ("12.5 seconds", (12.5, 12.5)),
        ("12秒", (12, 12)),
        ("0:10-0:25", (10, 25)),
        ("from 0:10 to 0:25", (10, 25)),
        ("0：10 至 0：25", (10, 25)),
        ("00:04:00.", (240, 240)),
        ("1986", None),
        ("3:1", None),
        ("A 0-0 draw.", None),
        ("at 0:10 the man leaves", None),
        ("", None),
    ],
)
def test_a_text_that_is_a_time_is_read_and_nothing_else_is(text: str, span: tuple[float, float] | None) -> None:
    assert time_span(text) == span


@pytest.mark.parametrize("text", ["0:75:10", "0:10:75", "00:99"])
def test_minutes_and_seconds_end_at_59(text: str) -> None:
    with pytest.raises(WrongTime, match="59"):
        time_span(text)


@pytest.mark.parametrize(
    ("text", "moments"),
    [
        ("在视频的第13秒，哪个边界框最接近", (13,)),
        ("At approximately 9 seconds into the video", (9,)),
        ("Around 2 second, where is it?", (2,)),
        ("What happens between 0:10 and 0:25?", (10, 25)),
        ("In which year, 1986 or 1990?", ()),
        ("The score was 3:1 at the end", ()),
    ],
)
def test_the_moments_that_a_question_mentions(text: str, moments: tuple[float, ...]) -> None:
    assert times_in(text) == moments


def test_seconds_as_clock() -> None:
    assert clock(95.9) == "0:01:35"
