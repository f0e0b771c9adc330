"""Tags, evidence, masking: what models may see, and that outlets, titles and dates are not among it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from media.evidence import build_evidence, deal_tags
from media.masking import mask_outlets
from records.media import Frame, FrameSignals, Group, Sentence, Source, Transcript


def said(text: str, language: str = "en") -> Transcript:
    sentence = Sentence(start_s=0.0, end_s=1.0, text=text)
    return Transcript(language=language, origin="captions", sentences=(sentence,), text=text)


def source(video_id: str, outlet: str = "", text: str = "The river rose.") -> Source:
    return Source(
        video_id=video_id, title=f"Title of {video_id}", outlet=outlet, date="2025-03-11", transcript=said(text)
    )  # fmt: skip


def group(*sources: Source, group_id: str = "flood") -> Group:
    return Group(
        group_id=group_id, folder="/somewhere", topic="A flood", domain="World", language="en", sources=sources
    )  # fmt: skip


def frame(time_s: float, number: int, scores: tuple[float, ...] = ()) -> Frame:
    signals = FrameSignals(text_density=0.5, sharpness=0.5, novelty=0.5)
    return Frame(
        sha256=f"{number:064d}", video_id="a", number=number, time_s=time_s, width=2, height=2, rank=number,
        signals=signals, scores=scores,
    )  # fmt: skip


THREE = group(source("a", "Orbis24"), source("b", "Tideline"), source("c", "Kestrel 9"))


@given(st.integers(), st.lists(st.text(alphabet="abcdef", min_size=1), min_size=1, max_size=26, unique=True))
def test_tags_are_dealt_once_each(seed: int, ids: list[str]) -> None:
    tags = deal_tags(group(*map(source, ids)), seed)
    assert set(tags) == set(ids)
    assert sorted(tags.values()) == [f"TAG_{chr(65 + index)}" for index in range(len(ids))]


def test_tags_depend_on_seed_and_group_and_not_on_the_order_of_files() -> None:
    turned = group(*reversed(THREE.sources))
    assert deal_tags(THREE, 7) == deal_tags(turned, 7)
    assert len({tuple(deal_tags(THREE, seed)) for seed in range(40)}) == 6, "every order comes up"
    others = [deal_tags(group(*THREE.sources, group_id=f"g{index}"), 7) for index in range(20)]
    assert any(tags != deal_tags(THREE, 7) for tags in others)


def test_outlets_titles_and_dates_are_not_evidence() -> None:
    shown = build_evidence(THREE, {}, {}, 1).model_dump_json()
    for hidden in ("Orbis24", "Tideline", "Kestrel", "Title of", "2025-03-11", "/somewhere"):
        assert hidden not in shown


def test_frames_and_summaries_go_to_their_source() -> None:
    frames = {"b": (frame(5.0, 2), frame(1.0, 1))}
    evidence = build_evidence(THREE, frames, {"c": ("Short.", ("cut",))}, 3)
    by_id = {source.video_id: source for source in evidence.sources}
    assert [frame.time_s for frame in by_id["b"].frames] == [1.0, 5.0]
    assert (by_id["c"].summary, by_id["c"].summary_flags) == ("Short.", ("cut",))
    assert [by_id[video_id].ranking for video_id in "abc"] == ["none", "signals", "none"]
    assert evidence.tags == ("TAG_A", "TAG_B", "TAG_C")
    scored = build_evidence(THREE, {"a": (frame(1.0, 1, (0.5,) * 10),)}, {}, 3)
    assert {source.ranking for source in scored.sources} == {"captioner", "none"}


def test_the_evidence_id_follows_the_content() -> None:
    one = build_evidence(THREE, {}, {}, 1)
    assert one == build_evidence(THREE, {}, {}, 1)
    assert one.evidence_id != build_evidence(THREE, {}, {"a": ("Short.", ())}, 1).evidence_id


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Good morning from Orbis 24.", "Good morning from TAG_A."),
        ("seen first by Tideline", "seen first by TAG_B"),
        ("TIDELINE reports", "TAG_B reports"),
        ("tidelines of the coast", "tidelines of the coast"),
        ("Orbis240 is no outlet", "Orbis240 is no outlet"),
        ("江岸新闻说", "TAG_C说"),
    ],
)
def test_spoken_outlet_names_become_tags(text: str, masked: str) -> None:
    outlets = group(source("a", "Orbis24"), source("b", "Tideline"), source("c", "江岸新闻"))
    tags = {"a": "TAG_A", "b": "TAG_B", "c": "TAG_C"}
    assert mask_outlets(text, outlets, tags) == masked
    assert mask_outlets(said(text), outlets, tags).text == masked
    assert mask_outlets(said(text), outlets, tags).sentences[0].text == masked


def test_masking_without_a_single_bearer_uses_a_neutral_name() -> None:
    outlets = group(source("a", "Orbis24"), source("b", "Orbis24"))
    assert mask_outlets("Orbis 24 says", outlets, {"a": "TAG_A", "b": "TAG_B"}) == "this outlet says"
    assert mask_outlets("Orbis 24 says", outlets) == "this outlet says"


def test_masked_evidence_names_no_outlet() -> None:
    spoken = group(
        source("a", "Orbis24", "This is Orbis 24."), source("b", "Tideline", "Orbis 24 was wrong, says Tideline.")
    )
    evidence = build_evidence(spoken, {}, {"a": ("Orbis24 opens.", ())}, 1, mask_outlets=True)
    shown = json.dumps([[s.transcript.model_dump(), s.summary] for s in evidence.sources])
    assert "Orbis" not in shown
    assert "Tideline" not in shown
    assert "TAG_A" in shown
