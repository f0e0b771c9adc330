"""Options that speak of other options, and options that only look so."""

import pytest

from rules import check
from rules.position import depends_on_position, needs_pinning
from tests.rules.samples import CONTEXT, plain


@pytest.mark.parametrize(
    "text",
    [
        "Both of the above.", "All of the above", "none of the above", "Neither of the options", "A and C",
        "Both A and B",
        "Options A and D are right.", "(A), (B)", "Only B and C are correct.", "以上都对", "以上皆非。", "A 和 C",
        "选项 B 正确", "只有 A、C 正确", "上述说法都不对",
    ],
)  # fmt: skip
def test_position_is_seen(text: str) -> None:
    assert depends_on_position(text)


@pytest.mark.parametrize(
    "text",
    [
        "TAG_A and TAG_B agree.", "The picture above the desk shows a ship.", "The statement a minister gave is false.",
        "Two of the tugs stay below the bridge.", "Vitamin A and D are named.", "游客在六十岁以上的占一半。",
        "以上海为起点的航线停运。", "水位在 6 米以上。", "TAG_A 与 TAG_C 一致。", "The choice Ada makes is final.",
    ],
)  # fmt: skip
def test_plain_options_stay_free(text: str) -> None:
    assert not depends_on_position(text)


def test_such_options_are_refused_or_pinned() -> None:
    question = plain("TAG_A is early.", "TAG_B is late.", "Both of the above.", "TAG_A is brief.")
    assert needs_pinning(question)
    assert [v.where for v in check(question, CONTEXT).violations if v.rule_id == "position-free"] == ["C"]
    pinned = question.model_copy(update={"pinned": True})
    assert not [v for v in check(pinned, CONTEXT).violations if v.rule_id == "position-free"]
