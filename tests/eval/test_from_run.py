import pytest

from eval.from_run import benchmark_item
from records.media import Group, Source, Transcript
from records.questions import Option, Provenance, Question


def source(video_id: str, **fields: object) -> Source:
    transcript = Transcript(language="en", origin="captions", text="…")
    return Source.model_validate({"video_id": video_id, "transcript": transcript, **fields})


def group(*sources: Source) -> Group:
    return Group(
        group_id="calder", folder="calder", topic="t", domain="World", language="en", sources=sources
    )  # fmt: skip


QUESTION = Question(
    question_id="q-1", group_id="calder", type_id="T7", language="en", key="B",
    stem="Does the claim in TAG_A hold up against TAG_B?", options={x: Option(text=f"claim {x}") for x in "ABCD"},
    support_map={"B": ("TAG_A", "TAG_B", "TAG_C")}, evidence_frames=("TAG_B #2",),
    sources={"TAG_A": "v1", "TAG_B": "v2", "TAG_C": "v3"},
    provenance=Provenance(drafter="openai/gpt-5", family="gpt"), extra={"culture": "Chinese", "note": "x"},
)  # fmt: skip


def test_a_question_of_a_run_with_what_its_group_says() -> None:
    facts = group(
        source("v1", outlet="Orbis24", platform="YouTube", duration_s=50.0, video_file="a.mp4"),
        source("v2", outlet="Tideline", platform="YouTube", duration_s=40.0, video_file="b.mp4"),
        source("v3", outlet="Orbis24", platform="YouTube", duration_s=60.0, video_file="c.mp4"),
    )
    found = benchmark_item(QUESTION, facts, judges=("google/gemini",))
    assert (found.item_id, found.key, found.key_text, found.family, found.domain) == (
        "q-1", "B", "claim B", "integration", "World",
    )  # fmt: skip
    assert (found.duration_s, found.outlets, found.platforms) == (150, ("Orbis24", "Tideline"), ("YouTube",))
    assert (found.video_ids, found.video_files) == (("v1", "v2", "v3"), ("a.mp4", "b.mp4", "c.mp4"))
    assert (found.sources_used, found.frames_used, found.culture, found.extra) == (2, 1, "Chinese", {"note": "x"})
    assert (found.drafter, found.drafter_family, found.judges) == ("openai/gpt-5", "gpt", ("google/gemini",))


@pytest.mark.parametrize("known", [None, group(source("v1", duration_s=50.0, outlet="Orbis24"), source("v2"))])
def test_what_the_group_does_not_say_is_unknown(known: Group | None) -> None:
    found = benchmark_item(QUESTION, known)
    assert (found.duration_s, found.video_files) == (None, ())
    assert found.video_ids == ("v1", "v2", "v3")
