"""Task heads: the ten packaged ones, a user's own, and each way in which a head file can be broken."""

from pathlib import Path

import pytest

from prompts.heads import FOLDER, SECTIONS
from prompts.taskheads import TaskHead, load_taskheads, read_taskhead, taxonomy
from records.base import digest
from records.errors import ConfigurationError

HEADS = load_taskheads()
BODY = "\n\n".join(f"## {section}\nWords about {section.lower()}." for section in SECTIONS)
MATTER = {
    "id": "T11",
    "name": "Quotation comparison",
    "family": "comparison",
    "summary": "Compares who is quoted.",
    "joiners": "[while]",
    "option_shape": "whom one source quotes; whom another quotes",
    "decline_when": "nobody is quoted",
}


def write(path: Path, body: str = BODY, **changes: str | None) -> Path:
    matter = {key: value for key, value in {**MATTER, **changes}.items() if value is not None}
    lines = "\n".join(f"{key}: {value}" for key, value in matter.items())
    path.write_text(f"---\n{lines}\n---\n{body}\n", encoding="utf-8")
    return path


def test_the_ten_types_of_the_paper_are_there_in_order() -> None:
    assert list(HEADS) == [f"T{number}" for number in range(1, 11)]
    assert [head.id for head in HEADS.values() if head.family == "comparison"] == ["T1", "T2", "T3", "T4", "T5"]
    assert [head.id for head in HEADS.values() if head.needs_frames] == ["T3", "T5", "T6"]
    assert {head.id: head.visual_claims for head in HEADS.values() if head.visual_claims} == {"T3": 2, "T5": 2, "T6": 2}
    assert all(head.min_sources >= 2 for head in HEADS.values())


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_a_head_says_everything_that_a_drafter_needs(head: TaskHead) -> None:
    sections = head.body.split("## ")[1:]
    assert tuple(section.splitlines()[0] for section in sections) == SECTIONS
    assert all(len(section.split()) > 20 for section in sections), "no section is a mere heading"
    others = {f"T{number}" for number in range(1, 11)} - {head.id}
    apart = head.body.split("## Must not become")[1].split("## ")[0]
    assert sum(other in apart for other in others) >= 3, "what it must not become names other types"
    assert head.sha256 == digest((FOLDER / head.path).read_bytes())


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_style_examples_borrow_no_content(head: TaskHead) -> None:
    example = head.body.split("## Style example")[1]
    assert "Form only, borrow nothing" in example
    assert "TAG_X" in example
    assert "TAG_A" not in example
    assert not any(char.isdigit() for char in example)


def test_the_taxonomy_has_a_line_a_type() -> None:
    text = taxonomy(HEADS)
    assert text.count("\n- T") == 10
    assert text.index("- T5 ") < text.index("Integration across sources") < text.index("- T6 ")


def test_a_users_folder_adds_a_type_and_replaces_one(tmp_path: Path) -> None:
    write(tmp_path / "quotes.md")
    write(tmp_path / "mine.md", id="T2", name="My event comparison")
    heads = load_taskheads((tmp_path,))
    assert list(heads) == [f"T{number}" for number in range(1, 12)]
    assert heads["T11"].min_sources == 2
    assert heads["T2"].name == "My event comparison"
    assert load_taskheads()["T2"].name == "Event comparison"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"id": None}, "the key id is missing"),
        ({"name": '""'}, "key name"),
        ({"family": "both"}, "key family"),
        ({"joiners": "[because]"}, "key joiners"),
        ({"joiners": "[]"}, "key joiners"),
        ({"min_sources": "0"}, "key min_sources"),
        ({"visual_claims": "many"}, "key visual_claims"),
        ({"colour": "red"}, "unknown key colour"),
        ({"sha256": "abc"}, "unknown key sha256"),
        ({"id": "T 11"}, "key id"),
        ({"summary": "[a: b"}, "no YAML"),
    ],
)
def test_a_broken_front_matter_is_named(tmp_path: Path, changes: dict[str, str | None], words: str) -> None:
    path = write(tmp_path / "quotes.md", **changes)
    with pytest.raises(ConfigurationError, match=r"quotes\.md") as error:
        read_taskhead(path)
    assert words in str(error.value)


@pytest.mark.parametrize("section", SECTIONS)
def test_a_missing_section_is_named(tmp_path: Path, section: str) -> None:
    path = write(tmp_path / "quotes.md", body=BODY.replace(f"## {section}\n", f"### {section}\n"))
    with pytest.raises(ConfigurationError, match=f"quotes.md: no section '## {section}'"):
        read_taskhead(path)


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"\xff\xfe", "not UTF-8"), (b"# no front matter", "no front matter"), (b"", "no front matter")],
)
def test_files_that_are_no_heads(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "quotes.md"
    path.write_bytes(data)
    with pytest.raises(ConfigurationError, match=words):
        read_taskhead(path)


def test_two_files_with_one_id_and_a_missing_folder(tmp_path: Path) -> None:
    write(tmp_path / "a.md")
    write(tmp_path / "b.md")
    with pytest.raises(ConfigurationError, match=r"a\.md and b\.md both have the id T11"):
        load_taskheads((tmp_path,))
    with pytest.raises(ConfigurationError, match="no folder of task heads"):
        load_taskheads((tmp_path / "nowhere",))
