"""Counting sentences and markers in the evidence line."""

import pytest

from rules.evidence import markers, sentence_count


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("[FRAME: TAG_A #1]", 0),
        ("TAG_A says 22.", 1),
        ("TAG_A says 22", 1),
        ("TAG_A says 22. TAG_B says 24.", 2),
        ("TAG_A says 22 [FRAME: TAG_A #1]. TAG_B says 24 [FRAME: TAG_B #2].", 2),
        ("One here. Two here! Three here?", 3),
        ("The wind is 11.5 km/h at 4.20 a.m. in TAG_A.", 1),
        ("The wind is 11 km/h vs. 90 km/h.", 1),
        ("Dr. Lee speaks in TAG_A; Mr. Ito in TAG_B.", 1),
        ("TAG_A quotes 'It was the storm. Nothing else' [FRAME: TAG_A #4].", 1),
        ("TAG_A quotes “Was it the storm? Yes.” and no more.", 1),
        ("TAG_A's card reads 22. TAG_B's voice says 24.", 2),
        ("TAG_A: 7 days... TAG_B: 9 days.", 2),
        ("TAG_A 说七天；TAG_B 排到 4 月 13 日 [FRAME: TAG_B #6]。", 1),
        ("TAG_A 说七天。TAG_B 说九天。", 2),
        ("TAG_A 说“七天。不多。”TAG_B 说九天。", 1),
        ("一。二！三？", 3),
    ],
)
def test_sentences_are_counted(text: str, count: int) -> None:
    assert sentence_count(text) == count


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[FRAME: TAG_A #1] and [FRAME: TAG_B #12]", ("TAG_A #1", "TAG_B #12")),
        ("twice [FRAME: TAG_A #1] [FRAME: TAG_A #1]", ("TAG_A #1",)),
        ("[FRAME: TAG_A#1]", ()),
        ("[FRAME TAG_A #1]", ()),
        ("[Frame: TAG_A #1]", ()),
        ("[FRAME: TAG_A #0]", ()),
        ("FRAME: TAG_A #1", ()),
        ("【FRAME: TAG_A #1】", ()),
    ],
)
def test_only_the_exact_form_is_a_marker(text: str, found: tuple[str, ...]) -> None:
    assert markers(text) == found
