import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from eval.importers import load_items
from eval.lint.audit import audit, count_table, counts
from eval.lint.baselines import TOGETHER, run_baselines
from eval.lint.finding import WHOLE_FILE, Context, Finding
from eval.lint.language_checks import script_of
from eval.lint.threshold import exceeded, read_threshold
from eval.lint.video_checks import look_up, video_findings, with_paths
from records.benchmark import BenchmarkItem
from records.errors import ConfigurationError, InputError
from tests.conftest import shared_data
from tests.eval.samples import item

WORDS = (
    "amber", "basin", "cedar", "delta", "ember", "fjord", "grove", "haven", "inlet", "jetty", "knoll", "ledge", "manor",
    "nexus", "orbit", "prism", "quartz", "ridge",
)  # fmt: skip


def sound(count: int = 80) -> list[BenchmarkItem]:
    """Items without a fault: keys evenly spread, options of like form drawn by lot."""
    drawn = random.Random(1)
    made = []
    for n in range(count):
        nouns = drawn.sample(WORDS, 8)
        options = {x: f"The {nouns[2 * i]} stands beside a {nouns[2 * i + 1]}." for i, x in enumerate("ABCD")}
        made.append(
            item(f"q{n}", "ABCD"[n % 4], options=options, stem=f"What is shown in scene {n}?", video_ids=(f"v{n}",))
        )
    return made


def found(items: list[BenchmarkItem], check: str, context: Context | None = None) -> list[Finding]:
    return [finding for finding in audit(items, context) if finding.check == check]


def test_a_sound_benchmark_has_no_findings() -> None:
    assert audit(sound()) == ()


def with_option(letter: str, text: str) -> Callable[[BenchmarkItem], BenchmarkItem]:
    return lambda one: one.model_copy(update={"options": {**one.options, letter: text}})


def updated(**changes: object) -> Callable[[BenchmarkItem], BenchmarkItem]:
    return lambda one: one.model_copy(update=changes)


PLANTED: dict[str, tuple[str, str, str, Callable[[BenchmarkItem], BenchmarkItem]]] = {
    "an option twice": (
        "duplicate-options",
        "error",
        "options B and C are equal",
        lambda one: with_option("C", one.options["B"])(one),
    ),
    "an option twice but for form": (
        "duplicate-options",
        "error",
        "B and D are equal",
        lambda one: with_option("D", f"  {one.options['B'].upper().rstrip('.')} ")(one),
    ),
    "the key twice": (
        "duplicate-options",
        "error",
        "the key is one of them",
        lambda one: with_option("B", one.options["A"])(one),
    ),
    "an option but for empty words": (
        "near-duplicate-options",
        "warning",
        "differ in empty words only",
        lambda one: with_option("C", one.options["B"].replace("The", "That").replace(" a ", " the "))(one),
    ),
    "a looser wording of the key": (
        "near-duplicate-options",
        "warning",
        "only adds detail",
        lambda one: with_option("B", "The amber pilot stands still.")(
            with_option("A", "The amber pilot stands still beside one cedar.")(one)
        ),
    ),
    "a more detailed wording of the key": (
        "near-duplicate-options",
        "info",
        "B is right as well as the key A if what it adds is true",
        lambda one: with_option("A", "The amber pilot stands still.")(
            with_option("B", "The amber pilot stands still beside one cedar.")(one)
        ),
    ),
    "an empty option": ("options-missing", "error", "option C is empty", with_option("C", " ")),
    "one option only": ("options-missing", "error", "has 1 option", updated(options={"A": "x"}, key="A")),
    "both of the above": (
        "position-dependent-option",
        "info",
        "option D speaks of other options",
        with_option("D", "Both A and B"),
    ),
    "no key": (
        "key-missing",
        "error",
        "'F' is none of the options",
        updated(key=None, key_note="the answer 'F' is none of the options A, B, C, D"),
    ),
    "another option written down": (
        "key-text-mismatch",
        "error",
        "is option C, but the key is A",
        lambda one: one.model_copy(update={"answer_text": one.options["C"]}),
    ),
    "no option written down": (
        "key-text-mismatch",
        "warning",
        "is none of the options",
        updated(answer_text="The whale sings."),
    ),
    "two answer columns": (
        "key-text-mismatch",
        "error",
        "answer columns disagree",
        updated(key_note="column 'answer_index' names B, not A"),
    ),
    "another prompt": (
        "prompt-mismatch",
        "warning",
        "instead of 'What is shown in scene 4?' and lacks option(s) A, B, C, D",
        updated(prompt_text="What is heard?\nA. x"),
    ),
    "a key much longer": (
        "length-bias",
        "warning",
        "times as long as the longest wrong option",
        lambda one: with_option("A", one.options["A"] + " Behind both a third thing can be made out in the mist.")(one),
    ),
    "a key much shorter": ("length-bias", "warning", "times shorter than the shortest", with_option("A", "Mist.")),
    "the key in the stem": (
        "lexical-shortcut",
        "warning",
        "the question says 100 % of what the key A says",
        lambda one: one.model_copy(update={"stem": f"{one.options['A']} What does this scene show?"}),
    ),
    "a key of another form": (
        "lexical-shortcut",
        "warning",
        "the key A alone ends without '.'",
        lambda one: with_option("A", one.options["A"].rstrip("."))(one),
    ),
    "a time that is none": (
        "wrong-timestamp",
        "error",
        "is no time",
        updated(options={"A": "0:10", "B": "0:75:10", "C": "0:20", "D": "0:30"}),
    ),
    "a key beyond the end": (
        "wrong-timestamp",
        "error",
        "option A ('0:09:10') lies beyond the end of the video (0:01:00)",
        updated(options={"A": "0:09:10", "B": "0:10", "C": "0:20", "D": "0:30"}, duration_s=60.0),
    ),
    "a distractor beyond the end": (
        "wrong-timestamp",
        "warning",
        "option D",
        updated(options={"A": "0:10", "B": "0:20", "C": "0:30", "D": "0:40:00"}, duration_s=60.0),
    ),
    "a question beyond the end": (
        "wrong-timestamp",
        "error",
        "speaks of 0:02:30",
        updated(stem="What is shown at 2:30?", duration_s=60.0),
    ),
    "an event that ends before it starts": (
        "wrong-timestamp",
        "error",
        "before it starts",
        updated(event_start_s=20.0, event_end_s=10.0),
    ),
    "a box upside down": (
        "wrong-box",
        "error",
        "option B has its top not above its bottom",
        updated(
            options={
                "A": "[0.1, 0.1, 0.5, 0.5]",
                "B": "[0.2, 0.9, 0.5, 0.3]",
                "C": "[0, 0, 1, 1]",
                "D": "[0.3, 0.3, 0.4, 0.4]",
            }
        ),
    ),
    "a box outside": (
        "wrong-box",
        "error",
        "option C runs outside the picture",
        updated(
            options={
                "A": "[0.1, 0.1, 0.5, 0.5]",
                "B": "[0.2, 0.2, 0.5, 0.3]",
                "C": "[0, 0, 1.4, 1]",
                "D": "[0.3, 0.3, 0.4, 0.4]",
            }
        ),
    ),
    "a box of three": (
        "wrong-box",
        "error",
        "option D has 3 numbers",
        updated(
            options={
                "A": "[0.1, 0.1, 0.5, 0.5]",
                "B": "[0.2, 0.2, 0.5, 0.3]",
                "C": "[0, 0, 1, 1]",
                "D": "[0.3, 0.3, 0.4]",
            }
        ),
    ),
    "another language declared": (
        "mixed-languages",
        "warning",
        "declared as zh, but the question is in Latin",
        updated(language="zh", stem="Which of these things is shown first in the film?"),
    ),
    "an option in another language": (
        "mixed-languages",
        "warning",
        "option(s) B are in Chinese script",
        with_option("B", "海边的一座灯塔"),
    ),
    "a sentence in another language": (
        "mixed-languages",
        "warning",
        "a Latin sentence stands in a Chinese question",
        updated(
            stem="视频中最先出现的是什么？ Answer with the letter of the option only.",
            language="zh",
            options={"A": "一座灯塔", "B": "一艘货船", "C": "一条小狗", "D": "一面旗帜"},
        ),
    ),
    "an id twice": ("duplicate-id", "error", "occurs more than once", updated(item_id="q8#2")),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found_and_nothing_else(fault: str) -> None:
    check, severity, message, plant = PLANTED[fault]
    items = sound()
    items[4] = plant(items[4])
    findings = audit(items)
    assert [(f.item_id, f.check, f.severity) for f in findings] == [(items[4].item_id, check, severity)]
    assert message in findings[0].message


NO_FAULTS: dict[str, Callable[[BenchmarkItem], BenchmarkItem]] = {
    "orders of the same things": updated(
        options={
            "A": "a boat, a dog, a flag",
            "B": "a dog, a boat, a flag",
            "C": "a flag, a dog, a boat",
            "D": "a dog, a flag, a boat",
        }
    ),
    "sequences": updated(
        options={
            "A": "He eats, and then he sleeps.",
            "B": "He sleeps, and then he eats.",
            "C": "He sings, and then he eats.",
            "D": "He eats, and then he sings.",
        }
    ),
    "numbers that differ": updated(options={"A": "22 crew", "B": "24 crew", "C": "26 crew", "D": "28 crew"}),
    "a negation": updated(
        options={
            "A": "The pump failed",
            "B": "The pump did not fail",
            "C": "The ship sank",
            "D": "The ship did not sink",
        }
    ),
    "a longer list": updated(
        options={
            "A": "salt, oil, flour, sugar",
            "B": "salt, oil, flour",
            "C": "salt, oil, eggs",
            "D": "salt, rice, eggs",
        }
    ),
    "a qualified term in Chinese": updated(
        options={
            "A": "对称面→对称中心→交替对称轴",
            "B": "对称面→对称中心→对称轴",
            "C": "对称轴→对称面→交替对称轴",
            "D": "对称中心→对称轴→交替对称轴",
        },
        stem="判断手性时应依次检查哪些因素？",
        language="zh",
    ),
    "times with a known duration": updated(
        options={"A": "0:10", "B": "0:20", "C": "0:30", "D": "1:00"}, duration_s=60.0
    ),
    "names in Latin letters in a Chinese question": updated(
        stem="视频中提到的激活函数ReLU有什么特点？",
        language="zh",
        options={"A": "使用Adam优化", "B": "输出压缩到[0,1]", "C": "由OpenAI提出", "D": "采用Python编写"},
    ),
    "boxes in pixels": updated(
        options={"A": "[10, 10, 50, 50]", "B": "[20, 20, 50, 300]", "C": "[0, 0, 640, 360]", "D": "[30, 30, 40, 44]"}
    ),
    "a choice that the stem names with the others": updated(
        stem="Which is larger, the amber or the basin, the cedar or the delta?",
        options={"A": "the amber", "B": "the basin", "C": "the cedar", "D": "the delta"},
    ),
    "years": updated(options={"A": "1986", "B": "1982", "C": "1994", "D": "1979"}, answer_text="1986"),
    "a written answer with its letter": lambda one: one.model_copy(
        update={"answer_text": f"{one.key}. {one.options[one.key or 'A']}"}
    ),
}


@pytest.mark.parametrize("case", NO_FAULTS)
def test_what_only_looks_like_a_fault_is_left_alone(case: str) -> None:
    items = sound()
    items[4] = NO_FAULTS[case](items[4])
    assert audit(items) == ()


def test_a_question_asked_twice_is_found_at_the_later_item() -> None:
    items = sound()
    items[9] = items[4].model_copy(update={"item_id": "again"})
    (finding,) = found(items, "duplicate-question")
    assert (finding.item_id, "asks the same as q4 about the same video" in finding.message) == ("again", True)


def test_a_question_asked_twice_with_other_distractors_or_another_key() -> None:
    items = sound()
    one = items[4]
    other = {letter: text if letter == one.key else f"{text} Or so." for letter, text in one.options.items()}
    items[9] = one.model_copy(update={"item_id": "distractors", "options": other})
    items[10] = one.model_copy(update={"item_id": "keys", "key": "B"})
    messages = {f.item_id: f.message for f in found(items, "duplicate-question")}
    assert set(messages) == {"distractors", "keys"}
    assert "but the keys differ" in messages["keys"]


def test_stock_questions_are_no_duplicates() -> None:
    items = [one.model_copy(update={"stem": "Which order is correct?", "video_ids": ("v",)}) for one in sound(8)]
    assert found(items, "duplicate-question") == []
    elsewhere = [items[0], items[0].model_copy(update={"item_id": "x", "video_ids": ("w",)})]
    assert found(elsewhere, "duplicate-question") == []


def test_letters_that_are_not_spread_evenly() -> None:
    items = [one.model_copy(update={"key": "C" if n % 4 == 1 else one.key}) for n, one in enumerate(sound())]
    (finding,) = found(items, "letter-imbalance")
    assert finding.item_id == WHOLE_FILE
    assert "C 40 (50 % [39–61])" in finding.message
    assert len(found([one.model_copy(update={"key": "A"}) for one in sound(12)], "letter-imbalance")) == 1
    assert found([one.model_copy(update={"key": "A"}) for one in sound(7)], "letter-imbalance") == []
    some = [one.model_copy(update={"key": "AAAABBCD"[n % 8]}) for n, one in enumerate(sound(16))]
    assert found(some, "letter-imbalance") == []


def test_a_type_of_its_own_imbalance_is_named() -> None:
    items = [
        one.model_copy(update={"type_id": "T1" if n < 240 else "T2", "key": "B" if n >= 240 else one.key})
        for n, one in enumerate(sound(300))
    ]
    assert any("type T2" in f.message for f in found(items, "letter-imbalance"))


def test_keys_that_are_mostly_longest_are_a_habit_of_the_file() -> None:
    items = [with_option(one.key or "A", one.options[one.key or "A"][:-1] + " now.")(one) for one in sound()]
    (finding,) = [f for f in found(items, "length-bias") if f.item_id == WHOLE_FILE]
    assert "the key is the longest option in" in finding.message
    assert any("guessed from length (most)" in f.message for f in found(items, "lexical-shortcut"))


def test_keys_that_share_words_with_the_question_are_guessed() -> None:
    items = [
        one.model_copy(update={"stem": f"Where does the {one.options[one.key or 'A'].split()[1]} stand?"})
        for one in sound(160)
    ]
    names = [f.message for f in found(items, "lexical-shortcut") if f.item_id == WHOLE_FILE]
    assert any("guessed from words shared with the question (most)" in message for message in names)
    best = max(run_baselines(items), key=lambda b: b.accuracy)
    assert best.accuracy > 0.9
    listed = found(items, "lexical-shortcut", Context(list_guessed=True))
    assert len([f for f in listed if f.severity == "info"]) == len(best.guessed)


def test_keys_that_share_a_word_of_their_own_are_guessed() -> None:
    items = [
        with_option(one.key or "A", one.options[one.key or "A"].replace("stands", "rests"))(one) for one in sound()
    ]
    assert any("guessed from words that keys have elsewhere" in f.message for f in found(items, "lexical-shortcut"))


def test_baselines_are_at_chance_on_a_sound_benchmark_and_need_twenty_items() -> None:
    for baseline in run_baselines(sound(200)):
        assert baseline.low <= 0.25 <= baseline.high or not baseline.is_shortcut
        assert not baseline.is_shortcut
    assert run_baselines(sound(19)) == ()
    assert run_baselines(sound(20))


def test_the_combined_baseline_is_a_conditional_logit() -> None:
    """Fitted weights equal those of statsmodels' ConditionalLogit, up to the small ridge."""
    import numpy as np

    models = pytest.importorskip("statsmodels.discrete.conditional_models")
    from eval.lint.baselines import _fit

    drawn = np.random.default_rng(0)
    options = [drawn.normal(size=(4, 2)) for _ in range(400)]
    keys = [int(np.argmax(rows @ np.array([1.5, -0.7]) + drawn.gumbel(size=4))) for rows in options]
    chosen = np.concatenate([np.arange(4) == key for key in keys]).astype(float)
    reference = models.ConditionalLogit(chosen, np.vstack(options), groups=np.repeat(np.arange(400), 4)).fit(disp=0)
    assert _fit(options, keys, ridge=1e-6) == pytest.approx(reference.params, abs=1e-3)


def test_baselines_do_not_depend_on_the_order_of_the_file() -> None:
    items = sound(120)
    shuffled = random.Random(3).sample(items, len(items))
    first = {b.name: b.accuracy for b in run_baselines(items)}
    assert {b.name: b.accuracy for b in run_baselines(shuffled)} == pytest.approx(first)
    assert TOGETHER in first


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Which of these things comes first?", "Latin"), ("哪一个最先出现？", "Chinese"),
        ("これは何ですか", "Japanese"),
        ("Что показано первым?", "Cyrillic"), ("무엇이 먼저 나옵니까", "Korean"), ("ReLU", ""), ("0:01:35", ""),
        ("Diane Nelmes", ""), ("T = 2π√(L/g)", ""), ("", ""),
    ],
)  # fmt: skip
def test_scripts(text: str, script: str) -> None:
    assert script_of(text) == script


VIDEO = "news/world-calder-star"


def test_videos_that_are_missing_or_unreadable(tmp_path: Path) -> None:
    import shutil

    shutil.copy(shared_data(VIDEO, "wCalderOrb1.mp4"), tmp_path / "Orbis [wCalderOrb1].mp4")
    (tmp_path / "empty.mp4").write_bytes(b"")
    (tmp_path / "text.mp4").write_text("not a video")
    items = [
        item("q1", video_ids=("wCalderOrb1",)), item("q2", video_ids=("gone",)), item("q3", video_files=("empty.mp4",)),
        item("q4", video_files=("sub/text.mp4",), video_ids=("text",)),
    ]  # fmt: skip
    videos = look_up(items, tmp_path)
    assert videos.durations["wCalderOrb1"] == pytest.approx(50, abs=20)
    findings = {f.item_id: (f.check, f.severity) for f in video_findings(items, videos)}
    assert findings == {
        "q2": ("missing-video", "error"), "q3": ("unreadable-video", "error"), "q4": ("unreadable-video", "error"),
    }  # fmt: skip
    assert with_paths(items, tmp_path)[0].video_files == ("Orbis [wCalderOrb1].mp4",)
    assert with_paths(items, tmp_path)[1].video_files == ("gone.mp4",)


def test_durations_of_videos_reach_the_time_checks() -> None:
    items = sound()
    items[0] = items[0].model_copy(update={"stem": "What is shown at 2:30?"})
    assert found(items, "wrong-timestamp") == []
    assert len(found(items, "wrong-timestamp", Context(durations={"v0": 60.0}))) == 1
    framed = items[1].model_copy(update={
        "sources": {"TAG_A": "v1"}, "extra": {"frame_times": '{"TAG_A #4": 99}'},
    })  # fmt: skip
    items[1] = framed
    assert "outside its video v1" in found(items, "wrong-timestamp", Context(durations={"v1": 60.0}))[0].message


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        look_up([item()], tmp_path / "gone")


FINDINGS = tuple(Finding(item_id=f"q{n}", check="c", severity="warning", message="m") for n in range(5))


@pytest.mark.parametrize(
    ("text", "fails"),
    [
        ("error", False), ("warning", True), ("info", True), ("never", False), ("warning:0.05", False),
        ("warning:0.049", True), ("0.0", False), ("error:1", False),
    ],
)  # fmt: skip
def test_thresholds(text: str, fails: bool) -> None:
    assert exceeded(FINDINGS, 100, read_threshold(text)) is fails


def test_a_finding_about_the_whole_file_is_above_any_share() -> None:
    whole = (FINDINGS[0].model_copy(update={"item_id": WHOLE_FILE}),)
    assert exceeded(whole, 1000, read_threshold("warning:0.9"))


@pytest.mark.parametrize("text", ["fatal", "warning:2", "1.5", "warning:x"])
def test_a_threshold_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match="is not understood"):
        read_threshold(text)


def test_counts_have_wilson_intervals_and_count_items_once() -> None:
    twice = (*FINDINGS, *FINDINGS, Finding(item_id=WHOLE_FILE, check="c", severity="error", message="m"))
    (count,) = counts(twice, 100)
    assert (count.items, count.whole_file, count.severity, count.share) == (5, 1, "error", 0.05)
    assert (round(count.low, 3), round(count.high, 3)) == (0.022, 0.112)
    assert count_table([count], 100).lines[0].cells[2].value == 5


def test_the_videovista_excerpt() -> None:
    """Every finding was looked at and is true of the released file."""
    items = load_items(shared_data("videovista_culturallingo_sample.json")).items
    findings = audit(items)
    by_check = {check: {f.item_id for f in findings if f.check == check} for check in {f.check for f in findings}}
    boxes = by_check.pop("mixed-languages")
    assert by_check == {
        "key-text-mismatch": {"Science Principle_en_5", "Object Temporal Localization_cn_184"},
        "prompt-mismatch": {"Science Principle_en_5", "Comparison & Contrast_en_27", "Application & Procedure_cn_222"},
        "duplicate-options": {"Obejct Temporal Sequence_cn_61", "European Culture_61", "European Culture_59"},
        "length-bias": {WHOLE_FILE},
        "lexical-shortcut": {WHOLE_FILE, "Obejct Temporal Sequence_cn_68"},
    }
    assert len(boxes) == 10
    assert all(item_id.startswith("Object Spatial Localization_cn") for item_id in boxes)


def test_the_labelled_items() -> None:
    items = load_items(shared_data("labelled_items.jsonl")).items
    findings = audit(items)
    assert {(f.item_id, f.check) for f in findings} == {
        ("lecture-01", "near-duplicate-options"), ("business-04", "lexical-shortcut"), (WHOLE_FILE, "lexical-shortcut"),
    }  # fmt: skip
    labels = {one.item_id: json.loads(one.extra["label"]) for one in items}
    assert labels["lecture-01"]["rules"] == ["options A and C are near-duplicates"]
    assert labels["business-04"]["why"] == "the stem states the key word for word"
