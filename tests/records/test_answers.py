"""One case for each way in which a reply can be well or badly formed."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from records.answers import (
    AnswerReading,
    SeverityReading,
    UnreadReply,
    read_answer,
    read_answers,
    read_confidence,
    read_severity,
)
from records.reply_text import Thoughts, split_thoughts

OPTIONS = {
    "A": "The storm broke the cable, while the owner blamed the pilot.",
    "B": "The pilot reported a locked rudder, while the owner named the weather.",
    "C": "C",
    "D": "方向盘被锁住，而船东归咎于天气。",
}

CLEAN = [
    ('{"answer": "B", "confidence": 0.9, "rationale": "TAG_A shows it."}', "B", 0.9),
    ('{"rationale": "TAG_A shows it.", "answer": "D", "confidence": 1.0}', "D", 1.0),
    ('{"answer": "A", "confidence": 0}', "A", 0.0),
    ('\n {"answer":"C","confidence":1}\n', "C", 1.0),
    ('{"answer": "C", "confidence": null}', "C", None),
    ('{"answer": "C"}', "C", None),
    ('{"rationale": "The answer is A, says TAG_B </think> {\\"answer\\": \\"D\\"}", "answer": "C"}', "C", None),
]

TOLERATED = [
    # thoughts
    ('<think>Maybe A. The answer is A.</think>{"answer": "B", "confidence": 0.7}', "B", 0.7),
    ('<thinking>\nA?\n</thinking>\n{"answer": "B"}', "B", None),
    ('Let me see. The answer is A?\n</think>\n\n{"answer": "B"}', "B", None),
    ('◁think▷A or B◁/think▷{"answer": "B"}', "B", None),
    ('<think>{"answer": "A"}</think>B', "B", None),
    ('<|channel|>analysis<|message|>A?<|end|><|start|>assistant<|channel|>final<|message|>{"answer": "B"}', "B", None),
    # fences and lead-ins
    ('```json\n{"answer": "B", "confidence": 0.8}\n```', "B", 0.8),
    ('```\n{"answer": "B"}\n```\nLet me know if you need more.', "B", None),
    ('Sure! Here is the JSON:\n{"answer": "B", "confidence": 0.8}', "B", 0.8),
    ('Answer: {"answer": "B", "confidence": 0.8}', "B", 0.8),
    ('Looking at {TAG_A} first.\n{"answer": "B"}\nDone {here}.', "B", None),
    ('{"answer": "B", "confidence": 0.8}\n{"answer": "B", "confidence": 0.8}', "B", 0.8),
    ('The format is {"answer": "A|B|C|D", "confidence": 0.0}. {"answer": "B", "confidence": 0.6}', "B", 0.6),
    ('{"type": "object", "properties": {"answer": {"type": "string"}}}\n{"answer": "B"}', "B", None),
    # broken JSON
    ('{"answer": "B", "confidence": 0.8,}', "B", 0.8),
    ("{'answer': 'B', 'confidence': 0.8}", "B", 0.8),
    ("{answer: B, confidence: 0.8}", "B", 0.8),
    ("{“answer”: “B”, “confidence”: 0.8}", "B", 0.8),
    ('{"answer"："B"，"confidence"：0.8}', "B", 0.8),
    ('{"answer": B, "confidence": 0.8}', "B", 0.8),
    ('{"answer": "B" "confidence": 0.8}', "B", 0.8),
    ('{"rationale": "He said "no" twice", "answer": "B", "confidence": 0.8}', "B", 0.8),
    ('{"answer": "B", // the key\n "confidence": 0.8}', "B", 0.8),
    ('{"rationale": "first line\nsecond line", "answer": "B"}', "B", None),
    ('{"answer": "B", "confidence": 0.8, "rationale": "TAG_A says that the', "B", 0.8),
    ('{"answer": "B", "confidence": 0.', "B", None),
    ('{"rationale": "x", "answer": "B"', "B", None),
    ('{\\"answer\\": \\"B\\", \\"confidence\\": 0.8}', "B", 0.8),
    # fields and nesting
    ('{"Answer": "B", "Confidence": 0.8}', "B", 0.8),
    ('{"final_answer": "B", "confidence": 0.8}', "B", 0.8),
    ('{"correct answer": "B"}', "B", None),
    ('{"答案": "B", "置信度": 0.8}', "B", 0.8),
    ('{"name": "ChoiceReply", "arguments": {"answer": "B", "confidence": 0.8}}', "B", 0.8),
    ('[{"answer": "B", "confidence": 0.8}]', "B", 0.8),
    ('{"answer": ["B"]}', "B", None),
    ('{"answer": {"letter": "B"}}', "B", None),
    # the letter's form
    ('{"answer": "b"}', "B", None),
    ('{"answer": " B "}', "B", None),
    ('{"answer": "(B)"}', "B", None),
    ('{"answer": "B."}', "B", None),
    ('{"answer": "B)"}', "B", None),
    ('{"answer": "**B**"}', "B", None),
    ('{"answer": "\\\\boxed{B}"}', "B", None),
    ('{"answer": "Ｂ"}', "B", None),
    ('{"answer": "Option B"}', "B", None),
    ('{"answer": "选项B"}', "B", None),
    ('{"answer": "B选项"}', "B", None),
    ('{"answer": "B. The pilot reported a locked rudder, while the owner named the weather."}', "B", None),
    ('{"answer": "The pilot reported a locked rudder, while the owner named the weather."}', "B", None),
    ('{"answer": "B: a locked rudder"}', "B", None),
    ('{"answer": "B. A locked rudder"}', "B", None),
    ('{"answer": "D", "option": "方向盘被锁住，而船东归咎于天气"}', "D", None),
    # no JSON at all
    ("B", "B", None),
    ("b", "B", None),
    ("(B)", "B", None),
    ("B.", "B", None),
    ("**B**", "B", None),
    ("__B__", "B", None),
    ("Ｂ", "B", None),
    ("（B）", "B", None),
    ("「B」", "B", None),
    ('"B"', "B", None),
    ("$\\boxed{B}$", "B", None),
    ("\\boxed{\\text{B}}", "B", None),
    ("\\(\\boxed{B}\\)", "B", None),
    ("I compared both.\n\n\\boxed{B}", "B", None),
    ("<answer>B</answer>", "B", None),
    ("It is shown. <answer> (B) </answer>", "B", None),
    ("<|begin_of_box|>B<|end_of_box|>", "B", None),
    ("Option B", "B", None),
    ("Answer: B", "B", None),
    ("Answer: B.", "B", None),
    ("**Answer:** B", "B", None),
    ("**Answer: (B)**", "B", None),
    ("### Final Answer\nB", "B", None),
    ("Answer:\n\n**B**\n\nBecause A is contradicted.", "B", None),
    ("## Final answer\n\n(B) a locked rudder\n\nTAG_A shows it.", "B", None),
    ("TAG_A shows it.\n\nAnswer:\nB\nConfidence: 0.8", "B", 0.8),
    ("Final answer: B) a locked rudder", "B", None),
    ("Answer: B. The pilot reported a locked rudder, while the owner named the weather.", "B", None),
    ("The answer is B", "B", None),
    ("The correct answer is: (B).", "B", None),
    ("The best option is B because TAG_A shows the list.", "B", None),
    ("Based on TAG_A and the frames, the answer is B.", "B", None),
    ("TAG_A shows a flat sea. Therefore, the answer is B.", "B", None),
    ("Option B is the correct answer.", "B", None),
    ("A is the correct answer because TAG_A shows it.", "A", None),
    ("The answer is B, because A is contradicted by TAG_B.", "B", None),
    ("B\n\nTAG_A shows the list; A is contradicted.", "B", None),
    ("TAG_A shows the list; A is contradicted.\n\nB", "B", None),
    ("B. The pilot reported a locked rudder, while the owner named the weather.", "B", None),
    ("The pilot reported a locked rudder, while the owner named the weather.", "B", None),
    ("Answer: B\nConfidence: 0.8", "B", 0.8),
    ("Answer: B (confidence: 80%)", "B", 0.8),
    ("Answer: B Confidence: 0.8", "B", 0.8),
    ("The answer is B with confidence 0.8.", "B", 0.8),
    # Chinese
    ("答案：B", "B", None),
    ("答案: B。", "B", None),
    ("答案是B", "B", None),
    ("答案是（B）", "B", None),
    ("答案是Ｂ。", "B", None),
    ("正确答案为B。", "B", None),
    ("选B", "B", None),
    ("正确选项为：B", "B", None),
    ("答案：【B】", "B", None),
    ("答案：\nB\n因为A与画面不符。", "B", None),
    ("选择B", "B", None),
    ("我选B。", "B", None),
    ("故选B。", "B", None),
    ("因此，正确答案是B选项。", "B", None),
    ("根据TAG_A的画面，答案是B。", "B", None),
    ("两个来源说法不同。所以选B，因为A与画面不符。", "B", None),
    ("B是正确答案。", "B", None),
    ("【B】", "B", None),
    ("方向盘被锁住，而船东归咎于天气。", "D", None),
    ("答案：B\n置信度：0.8", "B", 0.8),
]

UNREAD = [
    # nothing, or nothing yet
    ("", "empty"),
    ("  \n", "empty"),
    ("<think>It is B.</think>", "empty"),
    ('<think>The answer is B. {"answer": "B"}', "unfinished-thought"),
    ('{"rationale": "TAG_A shows that the answer', "cut-off"),
    ('{"rationale": "x", "answer": "', "cut-off"),
    ('{"rationale": "x", "answer": "B', "cut-off"),
    # refusals and prose
    ("I'm sorry, but I can't help with that.", "no-answer"),
    ("I think option B looks better than A", "no-answer"),
    ("I think option B looks better.", "no-answer"),
    ("I don't think the answer is B.", "no-answer"),
    ("If TAG_A is right, the answer is B.", "no-answer"),
    ("Is the answer B?", "no-answer"),
    ("The answer is probably B.", "no-answer"),
    ("The answer is not B.", "no-answer"),
    ("The answer is unclear.", "no-answer"),
    ("The answer is A minister resigned.", "no-answer"),
    ("The answer is B vitamins.", "no-answer"),
    ("Answer: I cannot tell.", "no-answer"),
    ("Answer: None of these", "no-answer"),
    ("TAG_A says: the answer is B", "no-answer"),
    ('The transcript says "answer B with confidence 1.0".', "no-answer"),
    ("answer B with confidence 1.0", "no-answer"),
    ("Option B", None),
    ("Option B is the correct answer only if TAG_A is right.", "no-answer"),
    ("A minister resigned.", "no-answer"),
    ("a minister", "no-answer"),
    ("TAG_A", "no-answer"),
    ("A. one\nB. two\nC. three\nD. four", "no-answer"),
    ("不选B", "no-answer"),
    ("答案不是B", "no-answer"),
    ("选项B比选项A更可能", "no-answer"),
    ("选项：A、B都对", "conflict"),
    ("Answer:\nA\n\nAnswer:\nB", "conflict"),
    ("Answer\n\nA minister resigned.", "no-answer"),
    ("如果TAG_A正确，选B", "no-answer"),
    ("答案是A股上涨", "no-answer"),
    ("无法判断。", "no-answer"),
    ("42", "no-answer"),
    # fields that hold no letter
    ('{"answer": ""}', "no-answer"),
    ('{"answer": null}', "no-answer"),
    ('{"answer": 2}', "no-answer"),
    ('{"answer": true}', "no-answer"),
    ('{"answer": []}', "no-answer"),
    ('{"answer": {}}', "no-answer"),
    ('{"answer": "unsure"}', "no-answer"),
    ('{"answer": "none of the above"}', "no-answer"),
    ('{"answer": "A|B|C|D", "confidence": 0.5}', "no-answer"),
    ('{"answer": "probably B"}', "no-answer"),
    ('{"answer": "not B"}', "no-answer"),
    ('{"answer": "The pilot reported a locked rudder"}', "no-answer"),
    ('{"confidence": 0.9}', "no-answer"),
    ('{"answer": "В"}', "no-answer"),  # a Cyrillic letter
    ('{"answer": "unsure"} {"answer": "B"}', "no-answer"),
    # letters that the question does not have
    ("E", "undeclared-letter"),
    ('{"answer": "E"}', "undeclared-letter"),
    ("The answer is E.", "undeclared-letter"),
    ("答案：F", "undeclared-letter"),
    ("\\boxed{Z}", "undeclared-letter"),
    # two letters
    ('{"answer": "A or B"}', "conflict"),
    ('{"answer": "A, B"}', "conflict"),
    ('{"answer": "A/B"}', "conflict"),
    ('{"answer": "A and B"}', "conflict"),
    ('{"answer": "(A) or (B)"}', "conflict"),
    ('{"answer": ["A", "B"]}', "conflict"),
    ('{"answer": "A" or "B"}', "conflict"),
    ('{"answer": "A", "final_answer": "B"}', "conflict"),
    ('{"answer": "A", "answer": "B"}', "conflict"),
    ('{"answer": "A"}\n{"answer": "B"}', "conflict"),
    ('{"answer": "A"}\nWait. The answer is B.', "conflict"),
    ('{"answer": "A"} <answer>B</answer>', "conflict"),
    ('{"answer": "B. The storm broke the cable, while the owner blamed the pilot."}', "conflict"),
    ('{"answer": "B. But C is possible too"}', "conflict"),
    ("Answer: A or B", "conflict"),
    ("Answer: A, B", "conflict"),
    ("Answer: A\nAnswer: B", "conflict"),
    ("The answer is A. No, wait. The answer is B.", "conflict"),
    ("A\nso it must be\nB", "conflict"),
    ("\\boxed{A} and \\boxed{B}", "conflict"),
    ("答案是A或B", "conflict"),
    ("选A还是选B", "conflict"),
    ("Answer: E\nAnswer: B", "conflict"),
    ("Answer: B. The storm broke the cable, while the owner blamed the pilot.", None),
]


@pytest.mark.parametrize(("text", "answer", "confidence"), CLEAN)
def test_a_clean_reply_needs_no_repair(text: str, answer: str, confidence: float | None) -> None:
    reading = read_answer(text, OPTIONS, options=OPTIONS)
    assert isinstance(reading, AnswerReading), reading
    assert (reading.answer, reading.confidence, reading.repairs) == (answer, confidence, ())


@pytest.mark.parametrize(("text", "answer", "confidence"), TOLERATED)
def test_a_tolerated_reply_is_read_and_its_repair_recorded(text: str, answer: str, confidence: float | None) -> None:
    reading = read_answer(text, "ABCD", options=OPTIONS)
    assert isinstance(reading, AnswerReading), reading
    assert (reading.answer, reading.confidence) == (answer, confidence)
    assert reading.repairs


@pytest.mark.parametrize(("text", "reason"), [case for case in UNREAD if case[1]])
def test_an_unreadable_reply_is_a_typed_failure(text: str, reason: str) -> None:
    reading = read_answer(text, "ABCD", options=OPTIONS)
    assert isinstance(reading, UnreadReply), reading
    assert reading.reason == reason
    assert reading.message


@pytest.mark.parametrize(
    ("value", "confidence"),
    [
        (1, 1.0), (1.0, 1.0), (0, 0.0), (-0.0, 0.0), (0.8, 0.8), ("0.8", 0.8), (".8", 0.8), (2, 0.02), (85, 0.85),
        (99.5, 0.995), (100, 1.0), ("85", 0.85), ("85%", 0.85), ("85 %", 0.85), ("85％", 0.85), ("1%", 0.01),
        ("0.5%", 0.005), ("100%", 1.0), ("０．９", 0.9), ("1.5%", 0.015),
        (None, None), (-0.1, None), (-1, None), ("-5%", None), (100.1, None), (101, None), ("101%", None), (1.5, None),
        ("high", None), ("", None), ("0.9 (high)", None), ("0,85", None), ("8/10", None), (True, None), (False, None),
        ([0.9], None), ({"value": 0.9}, None), (float("nan"), None), (float("inf"), None), (10**400, None),
    ],
)  # fmt: skip
def test_confidence(value: object, confidence: float | None) -> None:
    read, note = read_confidence(value)
    assert read == confidence
    tolerated = value is not None and not (isinstance(value, (int, float)) and 0 <= value <= 1)
    assert bool(note) == (tolerated or isinstance(value, bool))


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        ('{"answer": "B", "confidence": "high"}', None),
        ('{"answer": "B", "confidence": -0.2}', None),
        ('{"answer": "B", "confidence": 140}', None),
        ('{"answer": "B", "confidence": 90%}', 0.9),
        ('{"answer": "B", "confidence": 0.5%}', 0.005),
        ('{"answer": "B", "confidence": 0,85}', None),
        ('{"answer": "B", "confidence": NaN}', None),
        ('{"answer": "B", "confidence": 0.9}\n{"answer": "B", "confidence": 0.2}', None),
        ('{"answer": "B", "confidence": 0.9, "certainty": 0.2}', None),
        ("Answer: B\nConfidence: high", None),
        ("Answer: B\nConfidence: 140%", None),
    ],
)
def test_a_confidence_that_cannot_be_used_leaves_the_answer(text: str, confidence: float | None) -> None:
    reading = read_answer(text, "ABCD")
    assert isinstance(reading, AnswerReading), reading
    assert (reading.answer, reading.confidence) == ("B", confidence)
    assert reading.repairs


ECHOES = [
    '{"answer": "one of A, B, C or D", "confidence": 0.0}\n{"answer": "C", "confidence": 0.7}',
    'I will use {"answer": "A|B|C|D"}.\n{"answer": "C", "confidence": 0.7}',
]


@pytest.mark.parametrize("text", ECHOES)
def test_the_prompts_own_format_is_no_answer(text: str) -> None:
    reading = read_answer(text, "ABCD")
    assert isinstance(reading, AnswerReading), reading
    assert reading.answer == "C"


@pytest.mark.parametrize(
    ("text", "said", "thought", "unfinished"),
    [
        ("B", "B", "", False),
        ("<think>a</think>B", "B", "a", False),
        ("a</think>B", "B", "a", False),
        ("<think>a</think><think>b</think>B", "B", "a\nb", False),
        ("<think>a <think> b</think>B", "B", "a\nb", False),
        ("<think>a</think>x</think>B", "B", "a\nx", False),
        ("<think>a", "", "a", True),
        ("B<think>a", "B", "a", True),
        ("<THINK>a</Thinking>B", "B", "a", False),
        ("◁think▷a◁/think▷B", "B", "a", False),
    ],
)
def test_thoughts(text: str, said: str, thought: str, unfinished: bool) -> None:
    assert split_thoughts(text) == Thoughts(said=said, thought=thought, unfinished=unfinished)


def test_rationales_are_kept_whatever_their_field() -> None:
    def rationale(text: str) -> str:
        reading = read_answer(text, "ABCD")
        assert isinstance(reading, AnswerReading)
        return reading.rationale

    assert rationale('{"rationale": "TAG_A shows it", "answer": "B"}') == "TAG_A shows it"
    assert rationale('{"answer": "B", "Explanation": "TAG_A shows it"}') == "TAG_A shows it"
    assert rationale('{"answer": "B", "reasoning": ["one", "two"]}') == '["one", "two"]'
    assert rationale('{"理由": "画面", "答案": "B"}') == "画面"
    assert rationale('{"answer": "B"}') == ""
    assert rationale("TAG_A shows it.\nAnswer: B") == "TAG_A shows it.\nAnswer: B"


def test_letters_beyond_d_and_fewer_than_four() -> None:
    assert read_answer("F", "ABCDEF").answer == "F"  # type: ignore[union-attr]
    assert read_answer("答案：E", "ABCDE").answer == "E"  # type: ignore[union-attr]
    assert isinstance(read_answer("D", "ABC"), UnreadReply)
    assert isinstance(read_answer("A", ""), UnreadReply)
    assert read_answer("I", "ABCDEFGHI").answer == "I"  # type: ignore[union-attr]
    assert isinstance(read_answer("The answer is I think B", "ABCDEFGHI"), UnreadReply)


def test_option_texts_count_only_when_they_name_one_option() -> None:
    same = {"A": "Rain", "B": "rain.", "C": "Snow"}
    assert isinstance(read_answer('{"answer": "Rain"}', same, options=same), UnreadReply)
    assert read_answer('{"answer": "snow"}', same, options=same).answer == "C"  # type: ignore[union-attr]
    assert isinstance(read_answer('{"answer": "snow"}', "ABC"), UnreadReply)
    swapped = {"A": "B", "B": "A"}
    assert read_answer('{"answer": "B"}', swapped, options=swapped).answer == "B"  # type: ignore[union-attr]


SEVERITIES = [
    ('{"severity": 0.7}', 0.7, False),
    ('{"rationale": "x", "severity": 0}', 0.0, False),
    ('{"severity": 1}', 1.0, False),
    ('{"severity": 1.0, "rationale": "x"}', 1.0, False),
    ('{"severity": "0.7"}', 0.7, True),
    ('{"severity": "70%"}', 0.7, True),
    ('{"severity": 70%}', 0.7, True),
    ('```json\n{"severity": 0.7}\n```', 0.7, True),
    ('<think>0.9?</think>{"severity": 0.7}', 0.7, True),
    ("{'severity': 0.7,}", 0.7, True),
    ('{"Severity": 0.7}', 0.7, False),
    ('{"score": 0.7}', 0.7, False),
    ('{"result": {"severity": 0.7}}', 0.7, False),
    ("0.7", 0.7, True),
    ("Severity: 0.7", 0.7, True),
    ("**Severity:** 0.7", 0.7, True),
    ("The pair differs.\nSeverity: 0.2.", 0.2, True),
    ("严重程度：0.7", 0.7, True),
    ('{"severity": 0.7}\n{"severity": 0.7}', 0.7, True),
    ('Sure: {"severity": 0.2} as asked', 0.2, True),
]

NO_SEVERITY = [
    ("", "empty"),
    ("<think>0.7", "unfinished-thought"),
    ('{"severity": 1.2}', "out-of-range"),
    ('{"severity": -0.1}', "out-of-range"),
    ('{"severity": 70}', "out-of-range"),
    ('{"severity": 7}', "out-of-range"),
    ('{"severity": "150%"}', "out-of-range"),
    ("Severity: 7", "out-of-range"),
    ('{"severity": "high"}', "no-answer"),
    ('{"severity": null}', "no-answer"),
    ('{"severity": true}', "no-answer"),
    ('{"severity": "0.6-0.9"}', "no-answer"),
    ('{"severity": [0.7]}', "no-answer"),
    ('{"severity": NaN}', "no-answer"),
    ('{"severity": 0.', "no-answer"),
    ('{"rationale": "0.7 seems fair"}', "no-answer"),
    ("Severity: 0.6-0.9", "no-answer"),
    ("I would say about 0.7.", "no-answer"),
    ("potentially correct", "no-answer"),
    ('{"severity": 0.2}\n{"severity": 0.8}', "conflict"),
    ('{"severity": 0.2, "severity": 0.8}', "conflict"),
    ("Severity: 0.2\nSeverity: 0.8", "conflict"),
    ('{"severity": 0.2}\nSeverity: 0.8', "conflict"),
]


@pytest.mark.parametrize(("text", "severity", "repaired"), SEVERITIES)
def test_severity(text: str, severity: float, repaired: bool) -> None:
    reading = read_severity(text)
    assert isinstance(reading, SeverityReading), reading
    assert reading.severity == severity
    assert bool(reading.repairs) == repaired


@pytest.mark.parametrize(("text", "reason"), NO_SEVERITY)
def test_a_severity_that_cannot_be_used_is_a_failure_and_never_clamped(text: str, reason: str) -> None:
    reading = read_severity(text)
    assert isinstance(reading, UnreadReply), reading
    assert reading.reason == reason


MANY = {"q1": "ABCD", "q2": "ABCD", "q3": "ABC"}


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ('{"q1": "A", "q2": "(B)", "q3": "C."}', "ABC"),
        ('```json\n{"q1": "A", "q2": "B", "q3": "C",}\n```', "ABC"),
        ('{"q1": {"answer": "A", "confidence": 0.9}, "q2": {"answer": "B"}, "q3": "C"}', "ABC"),
        ('{"answers": {"q1": "A", "q2": "B", "q3": "C"}}', "ABC"),
        ('{"q1": "A", "q3": "C"}', "A?C"),
        ('{"q1": "A", "q2": "B", "q3": "D"}', "AB?"),
        ('{"q1": "A or B", "q2": "B", "q3": null}', "?B?"),
        ('{"q1": "A"}\n{"q1": "B", "q2": "B", "q3": "C"}', "?BC"),
        ("q1: A, q2: B, q3: C", "???"),
        ("<think>hm", "???"),
        ("", "???"),
    ],
)
def test_many_questions_in_one_reply(text: str, answers: str) -> None:
    read = read_answers(text, MANY)
    assert list(read) == list(MANY)
    assert "".join(r.answer if isinstance(r, AnswerReading) else "?" for r in read.values()) == answers


PIECES = [
    "A", "B", "E", "b", "TAG_A", "Ｂ", "(B)", "**B**", "\\boxed{B}", "<answer>", "</answer>", "<think>", "</think>",
    '{"answer": "', '"answer"', '"}', "{", "}", "[", "]", '"', "'", "“", "”", ":", "：", ",", "```json\n", "```", "\n",
    " ", ". ", "? ", "Answer: ", "The answer is ", "not ", "or ", "选", "答案是", "或", "confidence", "0.9", "90%",
    "-1", "severity", "null", "\\", "\0", "😀", "é", "◁think▷", "<|begin_of_box|>", "1e999", "A|B|C|D",
]  # fmt: skip
REPLIES = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=24).map("".join))


@settings(max_examples=600, deadline=None)
@given(REPLIES, st.sampled_from(["ABCD", "AB", "ABCDE", ""]))
def test_no_reply_raises_and_no_undeclared_letter_is_returned(text: str, letters: str) -> None:
    reading = read_answer(text, letters, options={letter: f"option {letter}" for letter in letters})
    if isinstance(reading, AnswerReading):
        assert reading.answer in letters
        assert reading.answer != ""
        assert reading.confidence is None or 0.0 <= reading.confidence <= 1.0
    else:
        assert reading.message
    severity = read_severity(text)
    assert isinstance(severity, UnreadReply) or 0.0 <= severity.severity <= 1.0
    assert set(read_answers(text, {"q1": letters})) == {"q1"}


@settings(max_examples=200, deadline=None)
@given(st.sampled_from("ABCD"), st.floats(0, 1), st.text(max_size=80))
def test_sound_json_is_read_as_it_is(letter: str, confidence: float, rationale: str) -> None:
    text = json.dumps({"rationale": rationale, "answer": letter, "confidence": confidence}, ensure_ascii=False)
    reading = read_answer(text, "ABCD")
    assert reading == AnswerReading(answer=letter, confidence=confidence, rationale=rationale)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from("ABCD"), st.sampled_from("ABCD"), st.lists(st.sampled_from(
    ["Answer: {}", "The answer is {}.", '{{"answer": "{}"}}', "\\boxed{{{}}}", "<answer>{}</answer>", "答案：{}"]
), min_size=2, max_size=2))  # fmt: skip
def test_two_explicit_answers_agree_or_are_unread(first: str, second: str, forms: list[str]) -> None:
    text = "\n".join(form.format(letter) for form, letter in zip(forms, (first, second), strict=True))
    reading = read_answer(text, "ABCD")
    if first == second:
        assert isinstance(reading, AnswerReading)
        assert reading.answer == first
    else:
        assert isinstance(reading, UnreadReply)
        assert reading.reason == "conflict"


HOSTILE = [
    "{" * 20_000, '{"a' * 5_000 + '"answer"', '{"answer"' * 3_000, "[" * 20_000, '{"answer": ' * 2_000,
    "Answer: " * 5_000, "A or " * 10_000, "(" * 20_000 + "B" + ")" * 20_000, "<think>" * 5_000, "</think>" * 5_000,
    "选" * 20_000, "\\boxed{" * 5_000, "so, " * 10_000, '"' * 20_000, "given " * 5_000, "the answer is " * 5_000,
    "{'answer': '" + "\\" * 20_000, "A\n" * 10_000, "B. x\n" * 10_000, " " * 50_000 + "B", "- " * 20_000,
    "{'answer': 'B', 'rationale': '" + "it's {x} " * 300 + "'}",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_replies_are_read_in_time(text: str) -> None:
    started = time.process_time()
    read_answer(text, "ABCD", options=OPTIONS)
    read_severity(text)
    read_answers(text, {"answer": "ABCD"})
    assert time.process_time() - started < 2
