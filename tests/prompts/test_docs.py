"""docs/adding-a-type.md is true: its examples load, and its table lists the keys that there are."""

import re
from pathlib import Path

import pytest

from agents.imported import read_drafts
from prompts.heads import SECTIONS
from prompts.taskheads import TaskHead, load_taskheads, read_taskhead

DOC = (Path(__file__).resolve().parents[2] / "docs" / "adding-a-type.md").read_text(encoding="utf-8")


def block(kind: str) -> str:
    found = re.search(rf"```{kind}\n(.*?)```", DOC, re.DOTALL)
    assert found
    return found[1]


def test_the_example_head_loads(tmp_path: Path) -> None:
    (tmp_path / "quotes.md").write_text(block("markdown"), encoding="utf-8")
    head = read_taskhead(tmp_path / "quotes.md")
    assert (head.id, head.joiners) == ("T11", ("while", "whereas", "but"))
    assert list(load_taskheads((tmp_path,)))[-1] == "T11"
    assert [line[3:] for line in block("markdown").splitlines() if line.startswith("## ")] == list(SECTIONS)


def test_the_table_lists_every_key_with_its_default() -> None:
    table = {key: default.strip() for key, default in re.findall(r"^\| `(\w+)` \|.*\| ([^|]+) \|$", DOC, re.MULTILINE)}
    fields = {name: field for name, field in TaskHead.model_fields.items() if name not in ("body", "sha256", "path")}
    assert set(table) >= set(fields)
    for name, field in fields.items():
        expected = "needed" if field.is_required() else str(field.default).lower()
        assert table[name].strip("`") == expected, name


def test_the_example_question_is_read(tmp_path: Path) -> None:
    (tmp_path / "drafts.json").write_text(block("json"), encoding="utf-8")
    (question,) = read_drafts(tmp_path / "drafts.json")
    assert (question.group_id, question.key, question.sources["TAG_B"]) == ("my-story", "C", "video-id-2")


@pytest.mark.parametrize("name", ["question", "options", "sources", "frame_times", "item_id", "group", "support_map"])
def test_the_fields_of_a_question_are_named(name: str) -> None:
    assert f"`{name}`" in DOC
