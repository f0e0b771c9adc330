"""Objects: boxes and masks, tracks from what was detected, what is fair in an option, and the two real models."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from media.decoding import Pixels
from media.objects import (
    best_of,
    bits_of,
    box_from_pixels,
    box_from_thousandths,
    box_of,
    box_problems,
    distractor_boxes,
    find_objects,
    first_time_problems,
    iou,
    look,
    look_times,
    mask_of,
    order_problems,
    tracks_of,
)
from media.vision_models import GroundingDino, Sam2, _detections, _prompt
from records.errors import ConfigurationError, InputError
from records.video import Box, Cut, Detection, Mask, ObjectSettings, ObjectTrack, Segment, Sighting
from tests.media import tiny_vision
from tests.media.clips import Scene, make_clip


def box(x0: float, y0: float, x1: float, y1: float) -> Box:
    return Box(x0=x0, y0=y0, x1=x1, y1=y1)


def seen(name: str, where: Box, score: float = 0.9) -> Detection:
    return Detection(name=name, box=where, score=score)


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    x0, y0 = draw(st.floats(0, 0.9)), draw(st.floats(0, 0.9))
    return box(x0, y0, draw(st.floats(x0 + 0.01, 1)), draw(st.floats(y0 + 0.01, 1)))


BIG, SMALL, LEFT = box(0.5, 0.5, 0.8, 0.8), box(0.5, 0.5, 0.6, 0.6), box(0.0, 0.0, 0.3, 0.3)

# --- records


@pytest.mark.parametrize(
    "corners", [(0.5, 0, 0.5, 1), (0.6, 0, 0.5, 1), (0, 0.9, 1, 0.1), (-0.1, 0, 1, 1), (0, 0, 1.2, 1)]
)
def test_a_box_has_area_and_lies_in_the_frame(corners: tuple[float, float, float, float]) -> None:
    with pytest.raises(ValidationError):
        box(*corners)


def test_records_refuse_what_cannot_be() -> None:
    with pytest.raises(ValidationError, match="ends after it starts|must end after"):
        Segment(video_id="v", index=0, start_s=5, end_s=5, origin="scenes")
    with pytest.raises(ValidationError, match="after the event began"):
        Cut(video_id="v", end_s=21, event_start_s=20, event_end_s=30)
    with pytest.raises(ValidationError, match="add up to 2 x 3"):
        Mask(height=2, width=3, counts=(1, 2))
    with pytest.raises(ValidationError, match="in order of time"):
        ObjectTrack(name="dog", sightings=(Sighting(time_s=2, box=BIG), Sighting(time_s=1, box=BIG)), first_s=2)
    with pytest.raises(ValidationError, match="the time of no sighting"):
        ObjectTrack(name="dog", sightings=(Sighting(time_s=2, box=BIG),), first_s=1)


# --- boxes and masks


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (BIG, BIG, 1.0),
        (BIG, LEFT, 0.0),
        (box(0, 0, 0.5, 1), box(0.5, 0, 1, 1), 0.0),
        (box(0, 0, 0.4, 0.4), box(0.2, 0, 0.6, 0.4), 1 / 3),
        (BIG, SMALL, 0.01 / 0.09),
    ],
)
def test_intersection_over_union(one: Box, other: Box, expected: float) -> None:
    assert iou(one, other) == pytest.approx(expected)


@given(boxes(), boxes())
def test_iou_is_symmetric_and_a_share(one: Box, other: Box) -> None:
    assert iou(one, other) == pytest.approx(iou(other, one))
    assert 0.0 <= iou(one, other) <= 1.0 + 1e-9
    assert iou(one, one) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("corners", "size", "expected"),
    [
        ((64, 36, 320, 180), (640, 360), (0.1, 0.1, 0.5, 0.5)),
        ((-10, -5, 700, 400), (640, 360), (0.0, 0.0, 1.0, 1.0)),
        (np.array([0, 0, 213, 120], np.float32), (640, 360), (0.0, 0.0, 0.3328, 0.3333)),
    ],
)
def test_pixels_become_shares_cut_to_the_frame(
    corners: Sequence[float], size: tuple[int, int], expected: tuple[float, ...]
) -> None:
    assert box_from_pixels(corners, *size).xyxy == expected


def test_thousandths_become_shares() -> None:
    assert box_from_thousandths((100, 250, 500, 1000)).xyxy == (0.1, 0.25, 0.5, 1.0)


@pytest.mark.parametrize("corners", [(1, 2, 3), (500, 0, 100, 100), (float("nan"), 0, 1, 1), (700, 0, 900, 100)])
def test_corners_that_make_no_box_are_refused(corners: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="box"):
        box_from_pixels(corners, 640, 360)


@given(st.integers(1, 7), st.integers(1, 7), st.data())
def test_masks_come_back_as_they_were(height: int, width: int, data: st.DataObject) -> None:
    flat = data.draw(st.lists(st.booleans(), min_size=height * width, max_size=height * width))
    bits = np.array(flat).reshape(height, width)
    mask = mask_of(bits)
    assert (bits_of(mask) == bits).all()
    assert mask.share == pytest.approx(bits.mean())


def test_masks_run_down_the_columns_as_in_coco() -> None:
    bits = np.array([[False, True, True], [False, False, True]])
    assert mask_of(bits).counts == (2, 1, 1, 2)
    assert mask_of(~bits).counts == (0, 2, 1, 1, 2)
    assert box_of(mask_of(bits)).xyxy == (0.3333, 0.0, 1.0, 1.0)
    with pytest.raises(ValueError, match="no box"):
        box_of(mask_of(np.zeros((2, 3), bool)))


# --- tracks


def test_the_surest_box_of_each_name_counts() -> None:
    found = best_of([seen("dog", SMALL, 0.5), seen("dog", BIG, 0.8), seen("cat", BIG, 0.2)], ObjectSettings())
    assert {name: detection.box for name, detection in found.items()} == {"dog": BIG}
    assert best_of([seen("dog", SMALL, 0.5), seen("dog", BIG, 0.5)], ObjectSettings())["dog"].box == BIG


def test_an_object_is_noticed_when_it_is_large_enough() -> None:
    looks = {2.0: [seen("dog", BIG)], 0.0: [], 1.0: [seen("dog", SMALL)], 3.0: [seen("cat", SMALL)]}
    dog, cat = tracks_of(("dog", "cat", "kite"), looks)
    assert (dog.name, dog.seen_s, dog.first_s) == ("dog", 1.0, 2.0)
    assert dog.first is not None
    assert dog.first.box == BIG
    assert dog.boxes == {1.0: SMALL, 2.0: BIG}
    assert (cat.first_s, cat.first) == (None, None), "a hundredth of the frame is not noticed"


def test_a_mask_says_better_than_a_box_how_large_an_object_is() -> None:
    thin = np.zeros((100, 100), bool)
    thin[50:80, 50:55] = True
    (dog,) = tracks_of(("dog",), {1.0: [seen("dog", BIG)]}, masks={(1.0, "dog"): mask_of(thin)})
    assert dog.sightings[0].share == pytest.approx(0.015)
    assert dog.first_s is None


def test_further_objects_of_the_name_are_kept_but_not_a_second_find_of_the_same() -> None:
    near = box(0.51, 0.5, 0.8, 0.8)
    (dog,) = tracks_of(("dog",), {0.0: [seen("dog", BIG), seen("dog", near, 0.7), seen("dog", LEFT, 0.6)]})
    assert dog.sightings[0].others == (LEFT,)


class ColourDetector:
    """Finds the rectangle of a pure colour by the colour's name; a fake behind the same protocol."""

    name = "colours"
    channels = {"blue square": 0, "red square": 2}  # noqa: RUF012

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def detect(self, pixels: Pixels, names: Sequence[str]) -> tuple[Detection, ...]:
        self.asked.append(tuple(names))
        found = []
        for name in names:
            channel = self.channels[name]
            strong = (pixels[:, :, channel] > 150) & (pixels.sum(axis=2) < 400)
            if strong.any():
                found.append(seen(name, box_of(mask_of(strong))))
        return tuple(found)


class HalfBox:
    """Outlines the left half of a box."""

    name = "halves"

    def segment(self, pixels: Pixels, boxes: Sequence[Box]) -> tuple[np.ndarray, ...]:
        height, width = pixels.shape[:2]
        masks = []
        for one in boxes:
            bits = np.zeros((height, width), bool)
            left, right = one.x0 * width, (one.x0 + one.x1) / 2 * width
            bits[round(one.y0 * height) : round(one.y1 * height), round(left) : round(right)] = True
            masks.append(bits)
        return tuple(masks)


@pytest.fixture
def squares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Six seconds of 320 × 240: a red square of 80 × 60 from 2 s on, a blue one of 32 × 24 from 4 s on."""
    from tests.media import clips

    def drawn(scene: Scene, width: int, height: int) -> np.ndarray:
        pixels = np.full((height, width, 3), 30, np.uint8)
        if "red" in scene.lines:
            pixels[60:120, 160:240] = (0, 0, 220)
        if "blue" in scene.lines:
            pixels[0:24, 0:32] = (220, 0, 0)
        return pixels

    monkeypatch.setattr(clips, "picture", drawn)
    scenes = [Scene(2), Scene(2, lines=("red",)), Scene(2, lines=("red", "blue"))]
    return make_clip(tmp_path / "squares.mp4", scenes)


def test_a_video_gives_tracks_with_times_boxes_and_masks(squares: Path) -> None:
    settings = ObjectSettings(notice_share=0.02)
    red, blue = find_objects(squares, ("red square", "blue square"), ColourDetector(), settings, segmenter=HalfBox())
    assert red.first_s == pytest.approx(2.0, abs=0.11)
    assert [round(time_s) for time_s in red.boxes] == [2, 3, 4, 5]
    assert red.first is not None
    assert iou(red.first.box, box(0.5, 0.25, 0.75, 0.5)) > 0.9
    assert red.first.mask is not None
    assert red.first.share == pytest.approx(0.5 * 80 * 60 / (320 * 240), rel=0.1)
    assert blue.seen_s == pytest.approx(4.0, abs=0.11)
    assert blue.first_s is None, "half of a hundredth of the frame"


def test_presence_by_another_model_limits_the_looks(squares: Path) -> None:
    detector = ColourDetector()
    (red,) = find_objects(
        squares, ("red square", "blue square"), detector, present={"red square": (3.1,), "blue square": ()}
    )
    assert [round(time_s) for time_s in red.boxes] == [3]
    assert detector.asked == [("red square",)], "a picture in which nothing is expected is not looked at"


def test_looks_are_a_second_apart(squares: Path) -> None:
    assert [round(picture.time_s, 1) for picture in look(squares)] == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert look_times(5.9) == (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)
    assert look_times(1.0, ObjectSettings(per_second=2)) == (0.0, 0.5, 1.0)


def test_a_file_that_is_no_video_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_text("words")
    with pytest.raises(InputError, match=r"a\.mp4"):
        find_objects(tmp_path / "a.mp4", ("dog",), ColourDetector())


# --- options

RIGHT = Sighting(time_s=3.0, box=BIG)
FAR = (LEFT, box(0.6, 0.0, 0.9, 0.3), box(0.0, 0.6, 0.3, 0.9))


@pytest.mark.parametrize(
    ("options", "sighting", "problem"),
    [
        ((BIG, *FAR), RIGHT, None),
        ((box(0.5, 0.5, 0.79, 0.8), *FAR), RIGHT, None),
        ((BIG, box(0.55, 0.5, 0.85, 0.8), *FAR[1:]), RIGHT, "option 2 overlaps the right box by 0.71"),
        ((LEFT, BIG, *FAR[1:]), RIGHT, "the right box must be [0.50, 0.50, 0.80, 0.80]"),
        ((BIG, LEFT, LEFT, FAR[1]), RIGHT, "two options are the same"),
        ((BIG, *FAR), Sighting(time_s=3.0, box=BIG, others=(LEFT,)), "there are 2 objects of this name"),
        ((BIG, *FAR), Sighting(time_s=3.0, box=BIG, others=(LEFT,)), "option 2 overlaps"),
    ],
)
def test_boxes_in_options_are_checked(options: tuple[Box, ...], sighting: Sighting, problem: str | None) -> None:
    found = box_problems(options, 0, sighting)
    assert found == () if problem is None else any(problem in one for one in found)


@given(boxes(), st.integers(0, 1000))
def test_wrong_boxes_are_apart_from_the_right_one_and_from_one_another(right: Box, seed: int) -> None:
    sighting = Sighting(time_s=0.0, box=right)
    wrong = distractor_boxes(sighting, 3, seed)
    assert wrong == distractor_boxes(sighting, 3, seed)
    assert box_problems((right, *wrong), 0, sighting) == ()
    assert len(wrong) == 3 or right.area > 0.04, "only a large object leaves no room"


def test_other_objects_of_the_frame_are_taken_first() -> None:
    wrong = distractor_boxes(RIGHT, 3, 7, candidates=(BIG, LEFT))
    assert wrong[0] == LEFT
    assert len(wrong) == 3


def track(name: str, *looks: tuple[float, Box]) -> ObjectTrack:
    (found,) = tracks_of((name,), {time_s: [seen(name, where)] for time_s, where in looks})
    return found


@pytest.mark.parametrize(
    ("options", "dog", "problem"),
    [
        ((12, 3, 20, 28), track("dog", (12.0, BIG)), None),
        ((11, 3, 20, 28), track("dog", (12.0, BIG)), None),  # it came between the looks at 11 s and at 12 s
        ((14, 3, 20, 28), track("dog", (12.0, BIG)), "the right time is 12 s, not 14 s"),
        ((12, 10, 20, 28), track("dog", (12.0, BIG)), "10 s and 12 s are less than 3 s apart"),
        ((12, 3, 20, 22), track("dog", (12.0, BIG)), "20 s and 22 s are less than 3 s apart"),
        ((12, 3, 20, 99), track("dog", (12.0, BIG)), "option 4 (99 s) lies outside"),
        ((12, 3, 20, 28), track("dog", (5.0, SMALL), (12.0, BIG)), "can be seen, small, from 5 s on"),
        ((12, 3, 20, 28), track("dog", (12.0, SMALL)), "never covers 4% of the frame"),
    ],
)
def test_times_of_first_appearances_are_checked(
    options: tuple[float, ...], dog: ObjectTrack, problem: str | None
) -> None:
    found = first_time_problems(options, 0, dog, 30.0)
    assert found == () if problem is None else any(problem in one for one in found)


@pytest.mark.parametrize(
    ("order", "problem"),
    [
        (("dog", "kite", "boat"), None),
        (("kite", "dog", "boat"), "kite comes into view after dog"),
        (("dog", "cat"), "dog comes into view less than 3 s before cat"),
        (("dog", "gull"), "gull is never clearly seen"),
        (("dog", "ghost"), "ghost is never clearly seen"),
        (("dog", "dog"), "named twice"),
    ],
)
def test_orders_of_appearance_are_checked(order: tuple[str, ...], problem: str | None) -> None:
    tracks = (
        track("dog", (2.0, BIG)), track("cat", (4.0, BIG)), track("kite", (9.0, BIG)), track("boat", (20.0, BIG)),
        track("gull", (25.0, SMALL)),
    )  # fmt: skip
    found = order_problems(order, tracks)
    assert found == () if problem is None else any(problem in one for one in found)


# --- the real classes


def test_centres_and_sizes_become_corners_of_the_best_name() -> None:
    chances = np.array([[0, 0.9, 0.2, 0, 0.1, 0], [0, 0.1, 0.1, 0, 0.6, 0], [0, 0.05, 0, 0, 0.05, 0]], np.float32)
    centres = np.array([[0.5, 0.5, 0.2, 0.4], [0.05, 0.9, 0.3, 0.4], [0.5, 0.5, 0.1, 0.1]], np.float32)
    ball, dog = _detections(("red ball", "dog"), [[1, 2], [4]], chances, centres)
    assert (ball.name, ball.box.xyxy, round(ball.score, 3)) == ("red ball", (0.4, 0.3, 0.6, 0.7), 0.9)
    assert (dog.name, dog.box.xyxy) == ("dog", (0.0, 0.7, 0.2, 1.0)), "what lies outside the frame is cut off"


def test_a_prompt_has_a_full_stop_after_each_name() -> None:
    assert _prompt(("Red  Ball", "St. Paul's?", "dog")) == "red ball . st paul's . dog ."


def needs_vision() -> None:
    pytest.importorskip("torch", reason="extra [vision] is not installed")
    pytest.importorskip("transformers", reason="extra [vision] is not installed")


@pytest.mark.slow
def test_grounding_dino_gives_boxes_of_the_names_asked_for(tmp_path: Path) -> None:
    needs_vision()
    detector = GroundingDino(str(tiny_vision.grounding_dino(tmp_path / "dino")))
    pixels = np.zeros((90, 160, 3), np.uint8)
    pixels[20:60, 30:90] = (0, 0, 200)
    found = detector.detect(pixels, ("red ball", "dog"))
    assert found
    assert {detection.name for detection in found} <= {"red ball", "dog"}
    assert detector.detect(pixels, ()) == ()
    assert detector.detect(pixels, ("dog",))[0].name == "dog"
    with pytest.raises(ValueError, match="told apart"):
        detector.detect(pixels, ("dog", " . "))
    expected = detector._processor(images=[pixels[:, :, ::-1].copy()], text=["red ball . dog ."], return_tensors="pt")
    assert detector._token_groups(expected["input_ids"][0].tolist(), ("red ball", "dog")) == [[1, 2], [4]]


@pytest.mark.slow
def test_sam_2_gives_a_mask_of_the_pictures_size_for_each_box(tmp_path: Path) -> None:
    needs_vision()
    segmenter = Sam2(str(tiny_vision.sam2(tmp_path / "sam")))
    pixels = np.random.default_rng(0).integers(0, 255, (90, 160, 3), dtype=np.uint8)
    masks = segmenter.segment(pixels, (BIG, LEFT, SMALL))
    assert [(mask.shape, mask.dtype) for mask in masks] == [((90, 160), np.dtype(bool))] * 3
    assert segmenter.segment(pixels, ()) == ()
    assert not (masks[0] == masks[1]).all(), "the box decides"
    sent: list[object] = []
    processor = segmenter._processor

    def listening(**inputs: object) -> object:
        sent.append(inputs["input_boxes"])
        return processor(**inputs)

    listening.post_process_masks = processor.post_process_masks  # type: ignore[attr-defined]
    segmenter._processor = listening
    segmenter.segment(pixels, (BIG,))
    assert sent == [[[[80.0, 45.0, 128.0, 72.0]]]], "boxes go to the model in pixels"


@pytest.mark.slow
def test_both_models_work_on_a_video(squares: Path, tmp_path: Path) -> None:
    needs_vision()
    detector = GroundingDino(str(tiny_vision.grounding_dino(tmp_path / "dino")))
    tracks = find_objects(squares, ("dog",), detector, segmenter=Sam2(str(tiny_vision.sam2(tmp_path / "sam"))))
    assert [one.name for one in tracks] == ["dog"], "random weights see it somewhere"
    for one in tracks[0].sightings:
        assert one.mask is None or (one.mask.height, one.mask.width) == (240, 320)


@pytest.mark.slow
def test_a_vision_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    needs_vision()
    (tmp_path / "empty").mkdir()
    for kind in (GroundingDino, Sam2):
        with pytest.raises(ConfigurationError, match="empty"):
            kind(str(tmp_path / "empty"))
