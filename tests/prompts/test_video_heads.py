"""The fourteen heads of the video track: complete, apart from each other, and rendered without a rest."""

import re

import pytest

from agents.question_facts import Material
from agents.question_writer import reply_model, write_request
from eval.taxonomy import TYPES
from graphs.configuration import load_track
from prompts.heads import FOLDERS, SECTIONS
from prompts.taskheads import TaskHead, load_taskheads, taxonomy
from records.calls import SpecPart, TextPart
from records.config import ModelSpec, Panel
from records.media import Source, Transcript
from tests.agents.video_samples import annotation

HEADS = load_taskheads(kind="video")
TRACK = load_track("videovista")
WRITER = ModelSpec(name="writer", model="hosted_vllm/writer", images=False)
PANEL = Panel(name="p", models=(WRITER,), drafters=("writer",))


def test_the_fourteen_subtasks_of_the_paper_by_their_codes_names_and_families() -> None:
    expected = {
        info.code: (info.name.casefold().replace("&", "and"), info.family) for info in TYPES if info.track == "video"
    }
    assert {head.id: (head.name.casefold(), head.family) for head in HEADS.values()} == expected
    assert set(TRACK.types) == set(HEADS)


def test_the_news_track_keeps_its_ten_and_all_are_twenty_four() -> None:
    assert list(load_taskheads()) == [f"T{number}" for number in range(1, 11)]
    assert len(load_taskheads(kind="all")) == 24
    assert not any(f"- {name} " in taxonomy(load_taskheads()) for name in HEADS)


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_a_head_says_everything_that_a_writer_needs(head: TaskHead) -> None:
    sections = head.body.split("## ")[1:]
    assert tuple(section.splitlines()[0] for section in sections) == SECTIONS
    assert all(len(section.split()) > 12 for section in sections)
    apart = head.body.split("## Must not become")[1].split("## ")[0]
    assert sum(bool(re.search(rf"\b{other}\b", apart)) for other in HEADS if other != head.id) >= 2
    assert "Form only, borrow nothing" in head.body.split("## Style example")[1]
    assert (head.joiners, head.min_sources, head.visual_claims) == ((), 1, 0)
    assert (FOLDERS["video"] / head.path).is_file()


@pytest.mark.parametrize(
    ("family", "forms", "needs"),
    [
        ("event", {"ED": "text", "EP": "text", "ES": "order", "EL": "moment"}, {}),
        ("object", {"OTL": "moment", "OTS": "order", "OSL": "box"}, {}),
        ("culture", dict.fromkeys(("CC", "AC", "EC"), "text"), {"CC": "chinese", "AC": "american", "EC": "european"}),
        (
            "science",
            dict.fromkeys(("SS", "COM", "AP", "SP"), "roles"),
            {"SS": "course", "COM": "course", "AP": "course", "SP": "experiment"},
        ),
    ],
)
def test_forms_and_needs(family: str, forms: dict[str, str], needs: dict[str, str]) -> None:
    own = {head.id: head for head in HEADS.values() if head.family == family}
    assert {name: head.form for name, head in own.items()} == forms
    assert {name: head.needs for name, head in own.items() if head.needs != "nothing"} == needs


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_every_head_renders_into_a_request(head: TaskHead, language: str) -> None:
    source = Source(video_id="v", transcript=Transcript(language=language, origin="none"))
    material = Material(annotation=annotation(language), source=source)
    request = write_request(head, material, WRITER, PANEL, TRACK, HEADS, n=1)
    words = "\n".join(part.text for part in request.parts if isinstance(part, TextPart))
    assert not re.search(r"\{\{|\{%|\{[a-z_]+", words + request.system)
    assert head.body.splitlines()[1] in words
    assert f"type {head.id}, {head.name}" in words
    assert ("in Chinese." in words) == (language == "zh")
    assert all(f"- {name} " in request.system for name in HEADS)
    assert not any(f"- T{number} " in request.system for number in range(1, 11))
    quoted = {part.name for part in request.parts if part.kind == "quoted"}
    assert quoted == {"events"} | ({"objects"} if head.family == "object" else set()) | (
        {"article"} if head.family == "culture" else set()
    )
    assert request.reply_model is reply_model(head)
    fields = request.reply_model.model_json_schema()["$defs"]
    wanted = {
        "text": "TextOption",
        "roles": "RoleOption",
        "moment": "MomentOption",
        "order": "OrderOption",
        "box": "BoxOption",
    }
    assert wanted[head.form] in fields
    (spec,) = (part.values for part in request.parts if isinstance(part, SpecPart))
    assert (spec["type_id"], spec["family"], spec["form"]) == (head.id, head.family, head.form)


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_the_prefix_of_a_video_is_shared_by_all_types(head: TaskHead) -> None:
    source = Source(video_id="v", transcript=Transcript(language="en", origin="none"))
    material = Material(annotation=annotation("en"), source=source)
    first = write_request(HEADS["ED"], material, WRITER, PANEL, TRACK, HEADS, n=1)
    request = write_request(head, material, WRITER, PANEL, TRACK, HEADS, n=1)
    assert request.prefix_parts == 1
    assert (request.system, request.parts[0]) == (first.system, first.parts[0])
