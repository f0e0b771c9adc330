"""Frames at chosen times: which times a rule wants, what is on screen then, sizes, and strips."""

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from media.sampling import cut_video, frame_count, frames_at, sample, sample_times, shrunk, strip
from records.candidates import FrameRule, read_frames
from records.errors import InputError
from records.media import Frame
from tests.media.clips import Scene, make_clip

COLOURS = [(0, 0, 250), (0, 250, 0), (250, 0, 0), (0, 250, 250)]
"""Blue, green, red: red, green, blue and yellow boards."""
SCENES = [Scene(2.0, colour) for colour in COLOURS]


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("clips") / "boards.mp4", SCENES, sound=False)


def board(out: Path, frame: Frame) -> int:
    """Which board a stored frame shows."""
    with Image.open(out / f"{frame.sha256}.jpg") as image:
        red, green, blue = image.resize((1, 1)).getpixel((0, 0))  # type: ignore[misc]
    return min(range(4), key=lambda n: sum(abs(a - b) for a, b in zip(COLOURS[n], (blue, green, red), strict=True)))


@pytest.mark.parametrize(
    ("text", "duration", "times"),
    [
        ("1f", 8.0, (4.0,)),
        ("4f", 8.0, (1.0, 3.0, 5.0, 7.0)),
        ("1fps", 3.5, (0.0, 1.0, 2.0)),
        ("2fps", 1.0, (0.0, 0.5)),
        ("1fps", 0.4, (0.0,)),
        ("1fps(64)", 8.0, tuple(float(n) for n in range(8))),
        ("1fps(2)", 8.0, (2.0, 6.0)),
        ("4", 8.0, ()),
        ("none", 8.0, ()),
    ],
)
def test_times(text: str, duration: float, times: tuple[float, ...]) -> None:
    assert sample_times(read_frames(text), duration) == pytest.approx(times)


@given(st.integers(1, 300), st.floats(0.2, 5000), st.integers(1, 200))
def test_times_rise_stay_inside_and_keep_the_maximum(count: int, duration: float, most: int) -> None:
    for rule in (FrameRule(kind="uniform", count=count), FrameRule(kind="fps", per_second=1.0, most=most)):
        times = sample_times(rule, duration)
        assert list(times) == sorted(times)
        assert all(0 <= time <= duration for time in times)
        assert len(times) == frame_count(rule, duration)
        assert len(times) == count if rule.kind == "uniform" else len(times) <= min(most, max(1, int(duration)))


def test_each_board_is_seen_once(clip: Path, tmp_path: Path) -> None:
    frames = sample(clip, read_frames("4f"), out=tmp_path, video_id="v", side=120)
    assert [board(tmp_path, frame) for frame in frames] == [0, 1, 2, 3]
    assert [frame.number for frame in frames] == [1, 2, 3, 4]
    assert {(frame.width, frame.height) for frame in frames} == {(120, 90)}
    for frame, wanted in zip(frames, (1.0, 3.0, 5.0, 7.0), strict=True):
        assert 0 <= wanted - frame.time_s <= 0.11


def test_nothing_is_enlarged(clip: Path, tmp_path: Path) -> None:
    big, bigger, whole = (
        sample(clip, read_frames("2f"), out=tmp_path, video_id="v", side=side) for side in (640, 1080, None)
    )
    assert big == bigger == whole
    assert (big[0].width, big[0].height) == (320, 240)


def test_frames_at_their_own_times_are_the_same_frames(clip: Path, tmp_path: Path) -> None:
    frames = sample(clip, read_frames("5f"), out=tmp_path, video_id="v")
    again = frames_at(clip, [frame.time_s for frame in frames], out=tmp_path, video_id="v")
    assert [frame.sha256 for frame in again] == [frame.sha256 for frame in frames]


def test_far_and_late_times_are_found(tmp_path: Path) -> None:
    long = make_clip(tmp_path / "long.mp4", [Scene(10.0, colour) for colour in COLOURS], sound=False, fps=5)
    frames = frames_at(long, (1.0, 25.0, 39.0, 99.0), out=tmp_path, video_id="v")
    assert [board(tmp_path, frame) for frame in frames] == [0, 2, 3, 3]
    assert frames[-1].time_s == pytest.approx(39.8, abs=0.01)


def test_a_broken_video_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(b"no video at all")
    with pytest.raises(InputError, match=r"broken\.mp4"):
        sample(broken, read_frames("2f"), out=tmp_path, video_id="v")


def picture(width: int, height: int) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), (9, 99, 199)).save(out, format="JPEG")
    return out.getvalue()


def test_a_strip_stands_side_by_side_at_the_lowest_height() -> None:
    data, size = strip([picture(320, 240), picture(200, 120), picture(160, 120)])
    assert size == (160 + 200 + 160, 120)
    assert Image.open(io.BytesIO(data)).size == size
    with pytest.raises(ValueError, match="at least one"):
        strip([])


def test_shrinking_keeps_the_shape_and_never_enlarges() -> None:
    assert shrunk(picture(320, 240), 160, 65)[1] == (160, 120)
    assert shrunk(picture(320, 240), 640, 65) == (picture(320, 240), (320, 240))


def test_frames_of_a_clip_are_from_within_it(clip: Path, tmp_path: Path) -> None:
    found = sample(clip, read_frames("4f"), out=tmp_path, video_id="v", clip=(0.0, 4.0))
    assert {board(tmp_path, frame) for frame in found} == {0, 1}
    assert all(frame.time_s < 4.0 for frame in found)


def test_a_cut_video_holds_nothing_from_its_end_on(clip: Path, tmp_path: Path) -> None:
    cut_video(clip, tmp_path / "cut.mp4", start_s=0.0, end_s=4.0)
    found = sample(tmp_path / "cut.mp4", read_frames("8f"), out=tmp_path, video_id="v")
    assert {board(tmp_path, frame) for frame in found} == {0, 1}
    with pytest.raises(InputError, match="gone.mp4"):
        cut_video(tmp_path / "gone.mp4", tmp_path / "no.mp4", start_s=0.0, end_s=4.0)
    assert not list(tmp_path.glob("no.*"))
