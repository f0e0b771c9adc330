"""A refined transcript may correct homophones and grammar; numbers, names and length stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from media.refinement import refined, refinement_problems
from records.media import Sentence, Transcript


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("他叫林秀真，今年83岁。", "他叫林秀珍，今年83岁。"),
        ("杨开会是长沙人", "杨开慧是长沙人。"),
        ("在北京的城里工坐了三年", "在北京的城里工作了三年。"),
        ("锅温二百二十度", "锅温220度。"),
        ("然后呢这个茶就就开采了", "然后，茶就开采了。"),
        ("这是一个好地方", "这是好地方。"),
        ("The Calder Star lost 22 crew.", "The Calder Star lost 22 of its crew."),
        ("", ""),
    ],
)
def test_corrections_pass(before: str, after: str) -> None:
    assert refinement_problems(before, after) == ()


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("锅温220度", "锅温180度", "number lost: 220度"),
        ("锅温220度", "锅温180度", "number added: 180度"),
        ("游客很多，天气也很好", "游客很多，有12万人，天气也好", "number added: 12万"),
        ("票价12元，茶也是12元", "票价12元，茶也便宜些", "number lost: 12 stands less often"),
        ("他叫林秀珍，今年83岁。", "他叫王建国，今年83岁。", "name lost: 林秀珍"),
        ("他叫林秀珍，今年83岁。", "他叫王建国，今年83岁。", "name added: 王建国"),
        ("The Calder Star waits off Vesk.", "The Calder Star waits off the port.", "name lost: Vesk"),
        (
            "今天天气很好，我们来到云岭茶园看大家采茶，一直看到太阳落山才回家",
            "今天天气很好",
            "length changed from 32 to 6",
        ),
        ("今天天气很好", "今天天气很好，我们来到茶园看大家采茶", "length changed from 6 to"),
        ("今天天气很好", " ", "is empty"),
    ],
)
def test_what_was_lost_or_added_is_named(before: str, after: str, problem: str) -> None:
    assert any(problem in found for found in refinement_problems(before, after)), refinement_problems(before, after)


@given(
    st.lists(
        st.sampled_from(["春茶开采了。", "票价12元。", "他叫林秀珍。", "Heron 2 landed.", "游客有83416名。"]),
        max_size=6,
    )
)
def test_what_is_not_changed_is_no_problem(sentences: list[str]) -> None:
    text = "".join(sentences)
    assert refinement_problems(text, text) == ()


def test_refined_sentences_keep_their_times() -> None:
    said = (Sentence(start_s=0.0, end_s=2.0, text="杨开会来了"), Sentence(start_s=2.5, end_s=4.0, text="大家好"))
    before = Transcript(language="zh", origin="speech-recognition", sentences=said, text="杨开会来了大家好")
    after = refined(before, ["杨开慧来了。", " "])
    assert [(s.start_s, s.end_s, s.text) for s in after.sentences] == [(0.0, 2.0, "杨开慧来了。"), (2.5, 4.0, "大家好")]
    assert after.text == "杨开慧来了。大家好"
    with pytest.raises(ValueError, match="2 sentences were given, 1 came back"):
        refined(before, ["杨开慧来了，大家好。"])
