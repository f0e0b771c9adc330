"""Words of the page, small formats, and steps through a queue."""

import pytest

from review import pages
from review.app import _step
from review.words import LANGUAGES, language_for, words
from review.work import Standing


def test_both_languages_have_every_word() -> None:
    english, chinese = words("en"), words("zh")
    assert english.keys() == chinese.keys()
    assert all(english.values())
    assert all(chinese.values())
    assert words("fr") == english
    for name, text in english.items():
        assert text.count("{") == chinese[name].count("{")


def test_every_word_that_a_template_uses_is_there() -> None:
    import re

    used = set()
    for path in (pages.STATIC.parent / "templates").glob("*.html"):
        used |= set(re.findall(r"\bt\.([a-z_]+)\b", path.read_text(encoding="utf-8"))) - {"get"}
    assert used <= words("en").keys()
    assert len(used) > 40


@pytest.mark.parametrize(
    ("wanted", "accepted", "language"),
    [("zh", "en", "zh"), ("", "zh-CN,zh;q=0.9,en;q=0.8", "zh"), ("", "fr, en;q=0.5", "en"), ("xx", "", "en")],
)
def test_the_language_is_the_chosen_one_or_the_browsers(wanted: str, accepted: str, language: str) -> None:
    assert language_for(wanted, accepted) == language
    assert language in LANGUAGES


@pytest.mark.parametrize(("seconds", "shown"), [(0, "0:00"), (59.9, "0:59"), (75.4, "1:15"), (3675, "1:01:15")])
def test_times_as_players_write_them(seconds: float, shown: str) -> None:
    assert pages.clock(seconds) == shown


def test_a_share_is_never_rounded_up_to_all() -> None:
    assert [pages.percent(share) for share in (0.0, 0.29, 0.999, 1.0)] == ["0 %", "29 %", "99 %", "100 %"]


def standing(number: int, status: str = "todo", role: str = "single") -> Standing:
    return Standing(
        item_id=f"q{number}", group_id="g", type_id="T1", role=role, revision=0, latest=0, status=status,  # type: ignore[arg-type]
        verdict="incomplete", scores={},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("here", "step", "there"),
    [
        ("q1", "next", "q2"), ("q4", "next", "q4"), ("q0", "previous", "q0"), ("q2", "previous", "q1"),
        ("q0", "open", "q2"), ("q3", "open", "q2"), ("", "open", "q2"), ("gone", "next", "q0"),
    ],
)  # fmt: skip
def test_steps_through_a_queue(here: str, step: str, there: str) -> None:
    queue = [standing(0, "done"), standing(1, "done"), standing(2), standing(3, "done"), standing(4, role="extra")]
    found = _step(queue, here, step)
    assert found is not None
    assert found.item_id == there


def test_a_finished_queue_stays_where_it_is() -> None:
    queue = [standing(0, "done"), standing(1, "done")]
    assert _step(queue, "q1", "open") == queue[1]
    assert _step([], "", "open") is None
