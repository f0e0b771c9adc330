import pytest

from offline.clauses import clause_around, definite_thing, has_verb
from offline.findings import Finding, findings
from tests.offline.material import material


def found_in(text: str) -> list[Finding]:
    return list(findings(material(TAG_A=text)))


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("At 4:20 local time it struck a sandbank 4 kilometres south of the harbour.",
         [("time", "4:20", "04:20"), ("amount", "4 kilometres", "4 km")]),
        ("The coastguard says all 22 crew members were taken off by helicopter.", [("count", "22", "22")]),
        ("Wheat for April rose from 212 dollars a tonne on Monday to 247 dollars tonight.",
         [("money", "212 dollars", "212 USD"), ("money", "247 dollars", "247 USD")]),
        ("Production ends on the 30th of June next year.", [("date", "30th of June", "--06-30")]),
        ("In 2019 the state gave Lumora a grant.", [("year", "2019", "2019")]),
        ("It came in the night, at around 3, all at once.", [("time", "3", "03:00")]),
        ("The port serves three countries in the north.", [("count", "three", "3")]),
        ("The forecast puts the peak at 6.1 metres this morning.", [("amount", "6.1 metres", "6.1 m")]),
        ("The share fell by more than 8 percent by the closing bell.", [("percent", "8 percent", "8 %")]),
        ("组委会说，第一天就来了十二万名游客。", [("count", "十二万", "120000")]),
        ("青岚县坐落在云岭南坡，海拔一千一百五十米，常年云雾缭绕。", [("amount", "一千一百五十米", "1150 m")]),
        ("林秀珍要参加四月十日的斗茶大会。", [("date", "四月十日", "--04-10")]),
    ],
)  # fmt: skip
def test_facts_of_a_sentence(text: str, facts: list[tuple[str, str, str]]):
    assert [(one.family, one.value, one.canonical) for one in found_in(text)] == facts


@pytest.mark.parametrize(
    "text",
    [
        "Heron 2 is on the Moon!",
        "Clause 7 and clause 8 of that contract deserve a slow reading.",
        "No one was hurt.",
        "Did 22 crew members leave the ship?",
        "This is the third official bulletin, from Friday morning.",
        "With one metre of string it works.",
        "第二步杀青，第三步揉捻。",
    ],
)
def test_what_is_no_fact(text: str):
    assert found_in(text) == []


def test_a_place_is_a_name_after_a_preposition_with_its_article():
    found = found_in("A grain carrier has run aground in the Sable Strait. People come to look at Tallow Bridge.")
    assert [(one.value, one.unit) for one in found if one.family == "place"] == [
        ("Sable Strait", "the"),
        ("Tallow Bridge", ""),
    ]


def test_the_clause_holds_the_value_where_it_says():
    texts = "It drove 62 metres, turned, and looked back. 1,200 jobs will go. The rain fell for 24 hours."
    for one in found_in(texts):
        assert one.clause[one.start :].startswith(one.value)


def test_a_sentence_in_another_language_than_the_group_is_left_aside():
    group = material(TAG_A="The coastguard says all 22 crew members were taken off. 第一天就来了十二万名游客。")
    assert [one.value for one in findings(group)] == ["22"]


def test_the_moment_follows_the_place_in_the_sentence():
    first, last = found_in(
        "At 4:20 local time it struck a sandbank which lies about 4 kilometres south of the harbour."
    )
    assert 0.0 < first.time_s < last.time_s < 5.0


@pytest.mark.parametrize(
    ("text", "value", "clause"),
    [
        ("It drove 62 metres, turned, and looked back.", "62 metres", "It drove 62 metres"),
        ("A storm, with winds of 90 kilometres an hour, pushed this ship off its course.", "90 kilometres an hour",
         "A storm, with winds of 90 kilometres an hour, pushed this ship off its course"),
        ("1,200 jobs will go.", "1,200", "1,200 jobs will go"),
        ("青岚县坐落在云岭南坡，海拔一千一百五十米，常年云雾缭绕。", "一千一百五十米",
         "青岚县坐落在云岭南坡，海拔一千一百五十米"),
    ],
)  # fmt: skip
def test_the_clause_around_a_value(text: str, value: str, clause: str):
    start = text.index(value)
    language = "en" if text.isascii() else "zh"
    assert clause_around(text, start, start + len(value), language).text == clause


def test_captions_without_punctuation_give_an_excerpt_between_dots():
    text = "so today " + "we look at the harbour and " * 8 + "all 22 crew members were taken off " + "and then " * 20
    start = text.index("22")
    clause = clause_around(text, start, start + 2, "en")
    assert clause.text.startswith("… ")
    assert clause.text.endswith(" …")
    assert "all 22 crew members were taken off" in clause.text
    assert clause.text[start - clause.start :].startswith("22 crew")
    assert len(clause.text) < 130


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("Production ends on the 30th of June", True),
        ("Tracking data places the ship far out", True),
        ("The steering gear failed eight minutes before", True),
        ("Wheat rose from 212 dollars", True),
        ("Three gates and a siren", False),
        ("A storm with winds of 90 kilometres an hour", False),
        ("Cars in each of the last four quarters", False),
    ],
)
def test_verbs_are_guessed(clause: str, expected: bool):
    assert has_verb(clause) is expected


@pytest.mark.parametrize(
    ("clause", "thing"),
    [
        ("The main engine burned for —", "the main engine"),
        ("— kilometres from the harbour mouth", "the harbour mouth"),
        ("The union counted — people", "the union"),
        ("the same ship at sea", ""),
    ],
)
def test_the_thing_that_a_clause_is_about(clause: str, thing: str):
    assert definite_thing(clause) == thing
