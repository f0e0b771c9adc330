"""The rule checker against 72 questions with known faults: it finds the broken rules and leaves sound items alone.

The items are plain sentences, so two kinds of broken rule cannot be checked by structure; the measured figures stand
in docs/taxonomy.md.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from records.questions import Option, Provenance, Question, RuleReport
from rules import RuleContext, check
from tests.conftest import shared_data

FOUND_BY = {
    "evidence is longer than": ("evidence-length",),
    "evidence has three sentences": ("evidence-sentences",),
    "support map of the key lists a single tag": ("support-map",),
    "deictic words": ("no-deictics",),
    "evidence carries no frame marker": ("frame-marker",),
    "not named in the question": ("tags-named",),
    "are near-duplicates": ("duplicate-options",),
    "frame markers are not in the exact form": ("frame-marker",),
}
NOT_CHECKABLE = {"makes a visual claim": "visual-claims", "makes a single claim": "two-claims"}


def rows() -> list[dict[str, Any]]:
    lines = shared_data("labelled_items.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def as_question(row: dict[str, Any]) -> Question:
    return Question(
        question_id=row["item_id"],
        group_id=row["group"],
        type_id=row["type_id"],
        language=row["language"],
        stem=row["question"],
        options={letter: Option(text=text) for letter, text in row["options"].items()},
        key=row["correct_answer"],
        evidence=row["evidence"],
        support_map=row["support_map"],
        evidence_frames=tuple(row["evidence_frames"]),
        sources=row["sources"],
        provenance=Provenance(drafter="people"),
    )


def context(row: dict[str, Any], group: dict[str, set[int]]) -> RuleContext:
    visual = 2 if row["type_id"] in ("T3", "T5", "T6") else 0
    frames = {tag: tuple(sorted(group.get(video, ()))) for tag, video in row["sources"].items()}
    return RuleContext(frames=frames, visual_options=visual)


def frames_by_video(items: list[dict[str, Any]]) -> dict[str, set[int]]:
    """Frames that the file proves to exist: those whose time some item gives."""
    frames: dict[str, set[int]] = {}
    for row in items:
        for marker in row["frame_times"]:
            tag, number = marker.split(" #")
            frames.setdefault(row["sources"][tag], set()).add(int(number))
    return frames


def reports() -> Iterator[tuple[dict[str, Any], RuleReport]]:
    items = rows()
    frames = frames_by_video(items)
    for row in items:
        yield row, check(as_question(row), context(row, frames))


def test_broken_rules_are_found() -> None:
    wanted: list[tuple[str, str, bool]] = []
    for row, report in reports():
        ids = {violation.rule_id for violation in report.violations}
        for rule in row["label"].get("rules", ()):
            if any(words in rule for words in NOT_CHECKABLE):
                continue
            expected = next(ids_ for words, ids_ in FOUND_BY.items() if words in rule)
            wanted.append((row["item_id"], rule, bool(ids & set(expected))))
    missed = [(item, rule) for item, rule, found in wanted if not found]
    assert len(wanted) == 9
    assert len(missed) <= len(wanted) // 10, missed


def test_sound_items_are_left_alone() -> None:
    sound = [(row["item_id"], report) for row, report in reports() if row["label"]["verdict"] != "rule_violation"]
    flagged = [(item, report.violations) for item, report in sound if report.violations]
    assert len(sound) == 64
    assert len(flagged) <= len(sound) // 20, flagged


def test_items_with_broken_rules_are_blamed_for_these_rules_only() -> None:
    for row, report in reports():
        rules = row["label"].get("rules", ())
        expected = {id_ for rule in rules for words, ids in FOUND_BY.items() if words in rule for id_ in ids}
        assert {violation.rule_id for violation in report.violations} <= expected, row["item_id"]


def test_what_structure_alone_can_show_is_reported_as_open() -> None:
    for row, report in reports():
        for rule in row["label"].get("rules", ()):
            for words, rule_id in NOT_CHECKABLE.items():
                if words in rule:
                    assert rule_id in report.not_checkable


@pytest.mark.parametrize("language", ["en", "zh"])
def test_both_languages_are_covered(language: str) -> None:
    assert any(row["language"] == language and row["label"]["verdict"] == "rule_violation" for row in rows())
