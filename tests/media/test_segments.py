"""Segments: cuts of a transcript that a model proposes, scenes joined by looks, and questions that rest on them."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from media.embeddings import ColourAndHash, VisionEncoder, unit
from media.segments import (
    align,
    prediction_cut,
    range_problems,
    scene_segments,
    span_problems,
    speech_segments,
    stitched,
)
from records.errors import ConfigurationError, InputError
from records.media import Sentence, Transcript
from records.video import EventAnnotation, Segment, SegmentSettings
from tests.media import tiny_vision
from tests.media.clips import Scene, make_clip

SAID = ("Good morning.", "A carrier ran aground!", "All 22 crew are safe.", "Wheat rose to 247.", "More at ten.")


def sentences(texts: Sequence[str] = SAID) -> tuple[Sentence, ...]:
    return tuple(Sentence(start_s=3.0 * i, end_s=3.0 * i + 2.5, text=text) for i, text in enumerate(texts))


def transcript(texts: Sequence[str] = SAID) -> Transcript:
    return Transcript(language="en", origin="captions", sentences=sentences(texts), text=" ".join(texts))


# --- paragraphs as text


@pytest.mark.parametrize(
    ("pieces", "ranges"),
    [
        ((" ".join(SAID),), ((1, 5),)),
        ((" ".join(SAID[:2]), " ".join(SAID[2:])), ((1, 2), (3, 5))),
        (SAID, ((1, 1), (2, 2), (3, 3), (4, 4), (5, 5))),
        (
            ("good morning — a carrier ran aground", "All 22 crew are safe. Wheat rose to 247, more at ten"),
            ((1, 2), (3, 5)),
        ),
    ],
)
def test_paragraphs_are_found_among_the_sentences(pieces: tuple[str, ...], ranges: tuple[tuple[int, int], ...]) -> None:
    found = align(pieces, sentences())
    assert (found.ranges, found.problems) == (ranges, ())


def test_chinese_paragraphs_are_found_whatever_their_punctuation() -> None:
    said = sentences(("春茶开采了。", "游客有12万。", "锅温220度。"))
    assert align(("春茶开采了，游客有１２万。", "锅温220度"), said).ranges == ((1, 2), (3, 3))


@pytest.mark.parametrize(
    ("pieces", "problem"),
    [
        (("Good morning. A carrier", " ".join(("ran aground!", *SAID[2:]))), "paragraph 1 ends inside sentence 2"),
        ((" ".join(SAID[:4]),), "sentence 5 is missing, “More at ten.”"),
        ((" ".join(SAID[:2]), " ".join(SAID[3:])), "paragraph 2 differs from the transcript at sentence 3"),
        ((" ".join(SAID), "Goodbye."), "go on after the transcript has ended"),
        ((" ".join(SAID[:2]), " ".join(SAID[1:])), "paragraph 2 differs"),
        ((" ".join(SAID[2:]), " ".join(SAID[:2])), "paragraph 1 differs from the transcript at sentence 1"),
        ((" ".join(SAID).replace("22", "24"),), "differs from the transcript at sentence 3"),
        ((" ".join(SAID), ""), "at least one sentence"),
        ((), "at least one sentence"),
    ],
)  # fmt: skip
def test_paragraphs_that_are_not_the_transcript_are_refused(pieces: tuple[str, ...], problem: str) -> None:
    found = align(pieces, sentences())
    assert found.ranges == ()
    assert problem in found.problems[0]


def test_a_transcript_without_sentences_has_no_paragraphs() -> None:
    assert align(("Something.",), ()).problems


WORDS = st.text("abcdefgh", min_size=1, max_size=5)


@given(st.data())
def test_every_cut_on_sentence_borders_is_found_again(data: st.DataObject) -> None:
    texts = data.draw(st.lists(WORDS.map(lambda word: f"{word}."), min_size=1, max_size=12))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(texts)), max_size=len(texts))) | {len(texts)})
    ranges = tuple(zip([1, *(cut + 1 for cut in cuts[:-1])], cuts, strict=True))
    pieces = [" ".join(texts[first - 1 : last]) for first, last in ranges]
    assert align(pieces, sentences(texts)).ranges == ranges
    assert range_problems(ranges, len(texts)) == ()
    segments = speech_segments("v", transcript(texts), ranges)
    assert [s.index for s in segments] == list(range(len(ranges)))
    assert all(a.end_s <= b.start_s for a, b in pairwise(segments))


# --- paragraphs as numbers


@pytest.mark.parametrize(
    ("ranges", "problem"),
    [
        ((), "at least one paragraph"),
        (((2, 5),), "must begin with sentence 1, not 2"),
        (((1, 4),), "must end with sentence 5, not 4"),
        (((1, 2), (4, 5)), "sentences 3 to 3 are in no paragraph"),
        (((1, 3), (3, 5)), "sentence 3 is in two paragraphs"),
        (((1, 3), (4, 2), (3, 5)), "paragraph 4-2 runs backwards"),
        (((1, 9),), "must end with sentence 5, not 9"),
    ],
)
def test_sentence_numbers_must_cover_the_whole(ranges: tuple[tuple[int, int], ...], problem: str) -> None:
    assert any(problem in found for found in range_problems(ranges, 5))
    with pytest.raises(ValueError, match="paragraph"):
        speech_segments("v", transcript(), ranges)


def test_segments_of_speech_have_their_sentences_times() -> None:
    first, second = speech_segments("v", transcript(), ((1, 2), (3, 5)))
    assert first == Segment(
        video_id="v", index=0, start_s=0.0, end_s=5.5, text="Good morning. A carrier ran aground!", origin="speech"
    )
    assert (second.start_s, second.end_s) == (6.0, 14.5)


def test_a_transcript_without_times_cuts_no_video() -> None:
    untimed = tuple(Sentence(start_s=0, end_s=0, text=text) for text in SAID)
    text_file = Transcript(language="en", origin="text-file", sentences=untimed, text=" ".join(SAID))
    with pytest.raises(ValueError, match="has no times"):
        speech_segments("v", text_file, ((1, 5),))


# --- scenes


RED, GREEN, BLUE = (40, 30, 160), (40, 150, 40), (160, 60, 30)


def test_scenes_are_cut_where_the_picture_changes(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", [Scene(4, RED, ("one",)), Scene(5, GREEN, ("two",)), Scene(4, BLUE, ("six",))])
    heard = Transcript(language="en", origin="captions", sentences=sentences(), text=" ".join(SAID))
    segments = scene_segments(clip, "v", transcript=heard)
    assert [(s.start_s, s.end_s) for s in segments] == [
        (0.0, pytest.approx(4, abs=0.3)), (pytest.approx(4, abs=0.3), pytest.approx(9, abs=0.3)),
        (pytest.approx(9, abs=0.3), pytest.approx(13, abs=0.3)),
    ]  # fmt: skip
    assert [s.text for s in segments] == [" ".join(SAID[:1]), " ".join(SAID[1:3]), " ".join(SAID[3:])]
    assert {s.origin for s in segments} == {"scenes"}


class Grey:
    """Sees only how bright a picture is: two pictures are the same from a cosine of 0.9."""

    name, same = "grey", 0.9

    def encode(self, pictures: Sequence[np.ndarray]) -> np.ndarray:
        return unit(np.array([[pixels.mean(), 255 - pixels.mean()] for pixels in pictures]))


def test_the_encoder_decides_what_looks_alike(tmp_path: Path) -> None:
    dark, light = (30, 40, 50), (220, 220, 220)
    clip = make_clip(tmp_path / "a.mp4", [Scene(3, dark), Scene(3, (50, 40, 30)), Scene(3, light), Scene(3, dark)])
    borders = [s.start_s for s in scene_segments(clip, "v", encoder=Grey())]
    assert borders == [0.0, pytest.approx(6, abs=0.3), pytest.approx(9, abs=0.3)], "dark and dark are joined"


def test_a_still_video_is_one_segment(tmp_path: Path) -> None:
    segments = scene_segments(make_clip(tmp_path / "a.mp4", [Scene(12, RED, ("one",))]), "v")
    assert [(s.start_s, s.end_s) for s in segments] == [(0.0, pytest.approx(12, abs=0.2))]


def test_a_file_that_is_no_video_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_text("words")
    with pytest.raises(InputError, match=r"a\.mp4"):
        scene_segments(tmp_path / "a.mp4", "v")


@pytest.mark.parametrize(
    ("joints", "settings", "borders"),
    [
        ([(10, 0.1), (20, 0.9)], {}, (0, 10, 30)),
        ([(10, 0.5)], {"same": 0.4}, (0, 30)),
        ([(10, 0.1), (11, 0.2), (20, 0.1)], {}, (0, 10, 20, 30)),  # the short one joins what it resembles more
        ([(29, 0.1)], {}, (0, 30)),
        ([(0, 0.1), (30, 0.1), (31, 0.1)], {}, (0, 30)),
        ([(10, 0.9), (16, 0.8)], {"longest_s": 20, "shortest_s": 5}, (0, 16, 30)),
        ([(10, 0.9), (28, 0.8)], {"longest_s": 20, "shortest_s": 5}, (0, 10, 30)),  # 28 would leave 2 s
        ([], {"longest_s": 20}, (0, 30)),
    ],
)
def test_cuts_are_kept_undone_and_restored(
    joints: list[tuple[float, float]], settings: dict[str, float], borders: tuple[float, ...]
) -> None:
    assert stitched(joints, 30.0, SegmentSettings(**settings), 0.7) == borders


@given(
    st.lists(st.tuples(st.integers(1, 299), st.floats(-1, 1)), max_size=30, unique_by=lambda joint: joint[0]),
    st.floats(0, 4),
)
def test_segments_cover_the_whole_in_order_and_none_is_too_short(
    joints: list[tuple[float, float]], shortest_s: float
) -> None:
    borders = stitched(sorted(joints), 300.0, SegmentSettings(shortest_s=shortest_s, longest_s=60), 0.7)
    assert (borders[0], borders[-1]) == (0.0, 300.0)
    lengths = [later - earlier for earlier, later in pairwise(borders)]
    assert min(lengths) > 0
    assert min(lengths) >= min(shortest_s, 300.0)


def test_settings_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="longest_s"):
        SegmentSettings(shortest_s=10, longest_s=15)


# --- encoders


def test_colour_and_hash_tell_pictures_apart() -> None:
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 255, (90, 160, 3), dtype=np.uint8)
    red, blue = np.zeros_like(noise) + np.array(RED, np.uint8), np.zeros_like(noise) + np.array(BLUE, np.uint8)
    likeness = (vectors := ColourAndHash().encode([noise, noise, red, blue])) @ vectors.T
    assert np.allclose(np.diag(likeness), 1.0, atol=1e-5)
    assert likeness[0, 1] == pytest.approx(1.0, abs=1e-5)
    assert likeness[0, 2] < ColourAndHash.same
    assert likeness[2, 3] < ColourAndHash.same


@pytest.mark.slow
def test_an_image_model_of_transformers_encodes_pictures(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="extra [vision] is not installed")
    pytest.importorskip("transformers", reason="extra [vision] is not installed")
    encoder = VisionEncoder(str(tiny_vision.clip(tmp_path / "clip")))
    pictures = [np.full((60, 90, 3), colour, np.uint8) for colour in (RED, RED, GREEN)]
    vectors = encoder.encode(pictures)
    assert vectors.shape == (3, 16)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert np.allclose(vectors[0], vectors[1], atol=1e-5)
    assert not np.allclose(vectors[0], vectors[2], atol=1e-3)
    with pytest.raises(ConfigurationError, match="absent"):
        VisionEncoder(str(tmp_path / "absent"))


# --- questions

EVENTS = tuple(
    EventAnnotation(event=name, start_s=start, end_s=end)
    for name, start, end in (("picks tea", 0.0, 20.0), ("heats the pan", 20.0, 45.0), ("rolls leaves", 46.0, 70.0))
)


def test_a_prediction_clip_ends_before_its_event() -> None:
    cut = prediction_cut("v", EVENTS, 2)
    assert (cut.start_s, cut.end_s, cut.event_start_s, cut.event_end_s) == (0.0, 46.0, 46.0, 70.0)
    assert prediction_cut("v", EVENTS, 1, lead_s=2.0).end_s == 18.0


@pytest.mark.parametrize("index", [0, 3, -1])
def test_an_event_without_a_past_cannot_be_predicted(index: int) -> None:
    with pytest.raises(ValueError, match="cannot be predicted"):
        prediction_cut("v", EVENTS, index)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ([(20, 45), (0, 15), (50, 60), (70, 90)], None),
        ([(21, 44), (0, 15), (50, 60), (70, 90)], None),
        ([(20, 45), (40, 60), (70, 80), (0, 10)], "option 2 is less than 3 s from the right one"),
        ([(20, 45), (46, 60), (70, 80), (0, 10)], "option 2 is less than 3 s"),
        ([(20, 45), (50, 60), (50, 60), (0, 10)], "two options are the same"),
        ([(20, 45), (50, 60), (95, 120), (0, 10)], "option 3 lies outside the video"),
        ([(20, 45), (60, 50), (70, 80), (0, 10)], "option 2 runs backwards"),
        ([(60, 70), (0, 10), (80, 90), (15, 20)], "the right option must be about 20-45 s"),
        ([(20, 24), (0, 10), (80, 90), (60, 70)], "the right option must be about 20-45 s"),
        ([(10, 55), (0, 5), (80, 90), (60, 70)], "the right option must be about 20-45 s"),
    ],
)
def test_times_of_event_localization_are_checked(options: list[tuple[float, float]], problem: str | None) -> None:
    found = span_problems(options, 0, (20.0, 45.0), 100.0)
    assert found == () if problem is None else any(problem in one for one in found)
