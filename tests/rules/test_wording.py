"""Pronouns that point are found in English and Chinese; the same words as plain speech are left alone."""

import pytest

from rules.wording import pointing_words


@pytest.mark.parametrize(
    "text",
    [
        "The former blames the wind, whereas the latter blames the crew.",
        "TAG_A shows a storm, while the other shows a flat sea.",
        "TAG_A agrees with the other.",
        "The other report leaves the date out.",
        "TAG_A is alone; the others stay silent.",
        "One says 22, TAG_B says 24.",
        "The first reports 22 and the second reports 24.",
        "The first source counts 22.",
        "In the second, a map appears.",
        "TAG_A relies on this one, while TAG_B is silent.",
        "The one that shows a map is TAG_A.",
        "TAG_A keeps to the former.",
        "TAG_B's date is three days after that of the latter.",
        "TAG_A follows the latter's account.",
        "Another outlet gives a date.",
        "The other two say nothing of it.",
        "THE LATTER shows a map.",
        "前者早于后者五天。",
        "TAG_A 提到了价格，而另一个没有。",
        "另一家媒体没有给出日期。",
        "第一个说十二万，第二个说八万。",
        "第二则报道给出了图表。",
        "TAG_A 与后一篇说法相同，前一篇，则不同。",
        "其一说价格上涨，其二则相反。",
        "TAG_A 说的是这个，TAG_B 说的是那一个。",
    ],
)
def test_pointing_words_are_found(text: str) -> None:
    assert pointing_words(text)


@pytest.mark.parametrize(
    "text",
    [
        "Not one drop of oil was lost, says TAG_A.",
        "TAG_B films the first responders at the pier.",
        "One of the tugs in TAG_A is red.",
        "At first TAG_A shows a map.",
        "The second most common cause in TAG_B is fog.",
        "On the one hand TAG_A praises the crew.",
        "TAG_A is the only one of the three reports with a map.",
        "No one says in TAG_A who paid.",
        "TAG_B interviews the former minister.",
        "In the latter half of TAG_A a chart appears.",
        "TAG_A shows the first ship at 7:10 and TAG_B the second ship.",
        "For the first time TAG_A shows the deck.",
        "TAG_A has the first two ships leave at dawn.",
        "TAG_A films one side of the river and TAG_B the other side.",
        "TAG_A reports two missing and then one dead.",
        "TAG_A and TAG_B contradict each other, one after another.",
        "TAG_A quotes the pilot: “the former captain? the latter, yes.”",
        "It was a one-off, says TAG_B.",
        "On 1 March, the first day, TAG_A has snow.",
        "另一方面，TAG_A 强调手艺。",
        "TAG_A 的第一个小时下雨。",
        "第一次采茶在清晨，TAG_B 说。",
        "TAG_B 里会长说：“前者更好”。",
        "这一个月价格上涨，TAG_A 说。",
        "前一天闭园，TAG_A 说。",
    ],
)
def test_plain_speech_is_left_alone(text: str) -> None:
    assert pointing_words(text) == ()


def test_the_words_are_named_as_they_stand() -> None:
    assert pointing_words("The former said so; the latter did not.") == ("The former", "the latter")
