"""Candidate frames: what they show, how they are ranked, what they weigh, and videos that are shot oddly."""

import tracemalloc
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from media import candidates as candidates_module
from media.decoding import pictures
from media.frames import candidate_frames, select_frames
from media.framestore import FrameStore
from media.scenes import SceneCounter
from media.signals import look, text_mask, text_of_their_own
from records.config import ImageSettings
from records.errors import InputError, RunError
from records.media import Frame, FrameSignals, Source, Transcript
from tests.conftest import shared_data
from tests.media.clips import Scene, make_clip, picture

NO_WORDS = Transcript(language="und", origin="none")
SETTINGS = ImageSettings()
DOCUMENT = ("Marine Accident Board", "Wind 11 km/h, sea calm", "Surveyed 14 September 2023")


def source(path: Path | None, video_id: str = "v") -> Source:
    return Source(video_id=video_id, video_file=str(path) if path else None, transcript=NO_WORDS)


def candidates(path: Path, out: Path, settings: ImageSettings = SETTINGS) -> tuple[Frame, ...]:
    return candidate_frames(source(path), settings, out)


def shared_frames(video: str, out: Path, count: int = 8) -> tuple[Frame, ...]:
    return select_frames(candidates(shared_data("news", *video.split("/")), out), count, None)


def pixels(frame: Frame, out: Path) -> np.ndarray:
    return cv2.imdecode(np.frombuffer(FrameStore(out).bytes(frame.sha256), np.uint8), cv2.IMREAD_COLOR)


# --- scenes and the grid


def test_each_scene_gives_a_frame_and_near_duplicates_go(tmp_path: Path) -> None:
    scenes = [
        Scene(3, (40, 30, 90), DOCUMENT),
        Scene(3, (30, 120, 40), ("Queue 131 ships",)),
        Scene(3, (40, 30, 90), DOCUMENT),
    ]
    found = candidates(make_clip(tmp_path / "a.mp4", scenes), tmp_path / "out")
    assert len(found) == 2, "the third scene repeats the first"
    assert 3 <= found[0].time_s < 6 <= found[1].time_s < 9 or 0 <= found[0].time_s < 3 <= found[1].time_s < 6
    assert [frame.number for frame in found] == [1, 2]
    assert sorted(frame.rank for frame in found) == [1, 2]
    assert min(found, key=lambda frame: frame.rank).signals.text_density == 1.0, "the document ranks first"


def test_a_soft_change_of_hue_is_a_cut() -> None:
    before, after = (np.full((90, 160, 3), colour, np.uint8) for colour in ((120, 60, 60), (60, 120, 60)))
    counter = SceneCounter()
    shots = [counter.see(index / 4, before if index < 8 else after) for index in range(16)]
    assert [shot.number for shot in shots] == [0] * 8 + [1] * 8
    assert (shots[8].age_s, shots[11].age_s) == (0.0, 0.75)


def test_a_chart_is_taken_when_it_is_complete(tmp_path: Path) -> None:
    growing = [
        Scene(0.3, (90, 60, 40), ("Jobs at risk", *("Plant 1,200", "Suppliers 650", "Total 1,850")[:n]))
        for n in (0, 1, 2)
    ]
    complete = Scene(4, (90, 60, 40), ("Jobs at risk", "Plant 1,200", "Suppliers 650", "Total 1,850"))
    clip = make_clip(tmp_path / "a.mp4", [Scene(2, (20, 20, 160)), *growing, complete, Scene(2, (160, 20, 20))])
    times = [frame.time_s for frame in candidates(clip, tmp_path / "out") if 2.0 <= frame.time_s < 6.9]
    assert times
    assert all(time >= 2.9 for time in times)


def test_the_shared_videos_put_documents_clocks_and_charts_first(tmp_path: Path) -> None:
    """Times at which the reports show what only the picture tells, from the data's own list of frames."""
    wanted = {
        "world-calder-star/wCalderPal4.mp4": (16.3, 25.9),  # preliminary note
        "climate-wren-flood/cWrenFlTid3.mp4": (24.3, 31.5),  # gate log
    }
    for video, (start, end) in wanted.items():
        top = shared_frames(video, tmp_path, 4)
        assert any(start <= frame.time_s <= end for frame in top), (video, [frame.time_s for frame in top])


def test_a_counter_is_taken_at_its_last_figure(tmp_path: Path) -> None:
    top = shared_frames("culture-yunling-tea/zYunlinJan2.mp4", tmp_path)
    assert max(frame.time_s for frame in top) > 57.0, "83,416 stands there from second 56 on"


def test_candidates_are_the_same_on_every_run(tmp_path: Path) -> None:
    path = make_clip(tmp_path / "a.mp4", [Scene(2, lines=DOCUMENT), Scene(2, (30, 120, 40), ("Queue 131 ships",))])
    assert candidates(path, tmp_path / "a") == candidates(path, tmp_path / "b")


def test_no_more_candidates_than_asked_for(tmp_path: Path) -> None:
    scenes = [
        Scene(1, (20 + 40 * (n % 6), 30 * (n % 7), 250 - 40 * (n % 5)), (f"Scene {n} {n * 7919}",)) for n in range(20)
    ]
    clip = make_clip(tmp_path / "a.mp4", scenes)
    found = candidates(clip, tmp_path / "out", ImageSettings(candidates=5))
    assert 1 <= len(found) <= 5
    assert len(list((tmp_path / "out").iterdir())) == len(found)


# --- sizes


@pytest.mark.parametrize(
    ("size", "longer_side", "expected"),
    [
        ((320, 240), 540, (320, 240)),
        ((1280, 720), 540, (540, 304)),
        ((360, 640), 540, (304, 540)),
        ((640, 360), 64, (64, 36)),
    ],
)
def test_the_longer_side_is_limited_and_never_enlarged(
    tmp_path: Path, size: tuple[int, int], longer_side: int, expected: tuple[int, int]
) -> None:
    clip = make_clip(tmp_path / "a.mp4", [Scene(1, lines=("Text",))], size=size)
    (frame,) = candidates(clip, tmp_path / "out", ImageSettings(longer_side=longer_side))
    assert (frame.width, frame.height) == expected
    assert pixels(frame, tmp_path / "out").shape[:2] == expected[::-1]


@pytest.mark.parametrize(("rotation", "corner"), [(90, "bottom left"), (-90, "top right"), (180, "bottom right")])
def test_display_rotation_is_applied(tmp_path: Path, rotation: int, corner: str) -> None:
    """The text stands at the top left before the turn; positive angles turn counter-clockwise, as FFmpeg counts."""
    clip = make_clip(tmp_path / "a.mp4", [Scene(1, lines=("Text",))], rotation=rotation)
    (frame,) = candidates(clip, tmp_path / "out")
    assert (frame.width, frame.height) == ((320, 240) if rotation == 180 else (240, 320))
    shown = pixels(frame, tmp_path / "out").max(axis=2) > 200
    rows, columns = (int(np.mean(axis)) for axis in np.nonzero(shown))
    vertical = "top" if rows < shown.shape[0] / 2 else "bottom"
    horizontal = "left" if columns < shown.shape[1] / 2 else "right"
    assert f"{vertical} {horizontal}" == corner


def test_non_square_pixels_are_made_square(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", [Scene(1, lines=("Text",))], aspect=Fraction(4, 3))
    assert [(frame.width, frame.height) for frame in candidates(clip, tmp_path / "out")] == [(320, 180)]


def test_a_variable_frame_rate_is_sampled_by_time(tmp_path: Path) -> None:
    times = [*(n / 50 for n in range(50)), 3.0, 7.5, 12.0]
    clip = make_clip(tmp_path / "a.mkv", [Scene(15)], times=times, sound=False)
    seen = [picture.time_s for picture in pictures(clip, 540, 0.25)]
    assert [time for time in seen if time >= 1] == [3.0, 7.5, 12.0]
    assert len([time for time in seen if time < 1]) == pytest.approx(4, abs=1)
    assert all(later - earlier >= 0.24 for earlier, later in pairwise(seen))


def test_jpeg_quality_shapes_the_bytes(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", [Scene(1, lines=DOCUMENT)])
    sizes = []
    for quality in (30, 65, 95):
        (frame,) = candidates(clip, tmp_path / "out", ImageSettings(jpeg_quality=quality))
        sizes.append(len(FrameStore(tmp_path / "out").bytes(frame.sha256)))
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[2]


# --- odd and broken videos


def test_a_source_without_a_picture_has_no_frames(tmp_path: Path) -> None:
    assert candidate_frames(source(None), SETTINGS, tmp_path) == ()
    assert candidates(make_clip(tmp_path / "a.mp4", show=False), tmp_path / "out") == ()


def test_a_video_that_cannot_be_opened_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "-bad name.mp4"
    path.write_bytes(b"\0" * 100)
    with pytest.raises(InputError, match=r"-bad name\.mp4: cannot be decoded"):
        candidates(path, tmp_path / "out")


@pytest.mark.parametrize("name", ["-dash.mp4", "mit Leerzeichen é.mp4", "春茶 节.mp4", "a:b%03d?.mp4"])
def test_odd_names(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make_clip(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    assert len(candidates(Path(name), tmp_path / "out")) == 1


def test_damage_in_the_middle_costs_its_own_frames_only(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mkv", [Scene(3, lines=("One",)), Scene(3, (30, 30, 160), ("Two",))])
    data = bytearray(clip.read_bytes())
    middle = len(data) // 3
    data[middle : middle + 400] = bytes(400)
    clip.write_bytes(bytes(data))
    assert candidates(clip, tmp_path / "out")


def test_one_frame_is_enough(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", [Scene(1)], times=[0.0], sound=False)
    (frame,) = candidates(clip, tmp_path / "out")
    assert (frame.time_s, frame.rank, frame.number) == (0.0, 1, 1)


def test_memory_does_not_grow_with_the_video(tmp_path: Path) -> None:
    def peak(seconds: int) -> float:
        scenes = [Scene(1, (20 + 40 * (n % 6), 30 * (n % 7), 90), (f"Scene {n * 7919}",)) for n in range(seconds)]
        clip = make_clip(tmp_path / f"{seconds}.mp4", scenes, fps=4, sound=False)
        tracemalloc.start()
        candidates(clip, tmp_path / "out", ImageSettings(candidates=8))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(20)  # imports and caches
    assert peak(120) < 1.3 * peak(40)


def test_a_video_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path] = []

    def counted(path: Path, *rest: object):  # type: ignore[no-untyped-def]
        opened.append(path)
        return pictures(path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(candidates_module, "pictures", counted)
    candidates(make_clip(tmp_path / "a.mp4", [Scene(2), Scene(2, (200, 200, 10))]), tmp_path / "out")
    assert len(opened) == 1


@given(
    shots=st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=400),
    wanted=st.integers(min_value=1, max_value=8),
)
def test_the_pool_never_holds_more_than_twice_what_is_wanted(shots: list[tuple[int, bool]], wanted: int) -> None:
    pool = candidates_module._Pool(wanted)
    time_s, scene = 0.0, 0
    for step, cut in shots:
        time_s, scene = time_s + 0.25 + step, scene + cut
        pool.add(_Stub(time_s=time_s, scene=scene))  # type: ignore[arg-type]
        assert 1 <= len(pool.candidates) <= 2 * wanted
    times = [candidate.time_s for candidate in pool.candidates]
    assert times == sorted(times)


@pytest.mark.parametrize("scene_s", [2, 40, 10_000])
def test_a_long_video_is_covered_evenly(scene_s: int) -> None:
    pool = candidates_module._Pool(32)
    for second in range(5000):
        pool.add(_Stub(time_s=float(second), scene=second // scene_s))  # type: ignore[arg-type]
    times = [candidate.time_s for candidate in pool.candidates]
    assert 32 <= len(times) <= 64
    assert max(later - earlier for earlier, later in pairwise([0.0, *times, 5000.0])) <= 300


def test_of_a_very_long_video_key_frames_suffice_where_they_are_close(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clip = make_clip(tmp_path / "a.mp4", [Scene(6)], fps=10, sound=False)  # a key frame every second
    assert len(list(pictures(clip, 540, 0.25))) > 15
    monkeypatch.setattr("media.decoding._LONG_S", 5.0)
    assert [round(picture.time_s) for picture in pictures(clip, 540, 0.25)] == [0, 1, 2, 3, 4, 5]
    monkeypatch.setattr("media.decoding._KEY_GAP_S", 0.5)
    assert len(list(pictures(clip, 540, 0.25))) > 15


@dataclass(frozen=True)
class _Stub:
    time_s: float
    scene: int
    merit: float = 1.0


# --- signals


def test_text_is_found_and_plain_pictures_have_none() -> None:
    plain = picture(Scene(1), 540, 304)
    text = picture(Scene(1, lines=DOCUMENT), 540, 304)
    noise = np.random.default_rng(1).integers(0, 60, (304, 540, 3)).astype(np.uint8)
    shapes = plain.copy()
    cv2.rectangle(shapes, (100, 100), (300, 200), (250, 250, 250), -1)
    cv2.circle(shapes, (400, 150), 40, (10, 10, 10), 3)
    assert look(plain).text == 0.0
    assert look(noise).text < 0.01
    assert look(shapes).text < 0.005
    assert look(text).text > 0.05


def test_the_text_mask_covers_the_words_and_little_else() -> None:
    gray = cv2.cvtColor(picture(Scene(1, lines=("Surveyed 14 September 2023",)), 540, 304), cv2.COLOR_BGR2GRAY)
    rows, columns = np.nonzero(text_mask(gray))
    assert rows.min() >= 25
    assert rows.max() <= 60
    assert columns.min() <= 30
    assert columns.max() >= 300


def test_what_stands_in_every_picture_counts_for_none() -> None:
    logo = ("KESTREL NINE",)
    sights = [look(picture(Scene(1, lines=(*logo, *more)), 540, 304)) for more in ((), ("131 ships waiting",), ())]
    own = text_of_their_own(sights)
    assert own[0] == pytest.approx(0.0, abs=1e-3)
    assert own[1] > 0.005
    assert text_of_their_own([]) == []


def test_a_blurred_picture_is_less_sharp() -> None:
    sharp = picture(Scene(1, lines=DOCUMENT), 540, 304)
    assert look(cv2.GaussianBlur(sharp, (9, 9), 0)).sharpness < 0.5 * look(sharp).sharpness


def test_a_near_duplicate_is_near_and_another_board_is_not() -> None:
    board = picture(Scene(1, lines=DOCUMENT), 540, 304)
    shifted = np.roll(board, 1, axis=1)
    other = picture(Scene(1, lines=("Jobs at risk", "Plant 1,200", "Total 1,850")), 540, 304)
    assert look(board).distance(look(board)) == 0
    assert look(board).distance(look(shifted)) <= candidates_module._SAME_PICTURE < look(board).distance(look(other))


# --- selection


def frame(time_s: float, rank: int, sha: str) -> Frame:
    signals = FrameSignals(text_density=0.5, sharpness=0.5, novelty=0.5)
    return Frame(
        sha256=sha, video_id="v", number=1, time_s=time_s, width=2, height=2, rank=rank, signals=signals
    )  # fmt: skip


FOUR = (frame(1, 3, "a"), frame(2, 1, "b"), frame(3, 4, "c"), frame(4, 2, "d"))


def told(selected: tuple[Frame, ...]) -> list[tuple[str, int, int]]:
    return [(frame.sha256, frame.number, frame.rank) for frame in selected]


def test_signals_rank_without_a_captioner() -> None:
    assert told(select_frames(FOUR, 2, None)) == [("b", 1, 1), ("d", 2, 2)]
    assert told(select_frames(FOUR, 9, None)) == [("a", 1, 3), ("b", 2, 1), ("c", 3, 4), ("d", 4, 2)]
    assert select_frames(FOUR, 0, None) == ()


def test_the_sum_of_scores_ranks_with_a_captioner() -> None:
    captions = {
        "a": ("a boat", (0.9,) * 10), "b": ("a desk", (0.1,) * 10), "c": ("a list", (1.0, *(0.95,) * 9)),
        "d": ("a boat", (0.9,) * 10),
    }  # fmt: skip
    selected = select_frames(FOUR, 3, captions)
    assert told(selected) == [("a", 1, 3), ("c", 2, 1), ("d", 3, 2)], "d goes before a on equal scores: better signals"
    assert selected[1].caption == "a list"
    assert selected[1].scores[0] == 1.0


def test_a_frame_without_scores_comes_after_those_with_scores() -> None:
    captions = {"a": ("dull", (0.0,) * 10), "c": ("better", (0.2,) * 10)}
    assert told(select_frames(FOUR, 3, captions)) == [("a", 1, 2), ("b", 2, 3), ("c", 3, 1)]


# --- the store


def test_the_store_keeps_bytes_by_hash(tmp_path: Path) -> None:
    store = FrameStore(tmp_path / "frames")
    sha = store.put(b"jpeg")
    assert store.put(b"jpeg") == sha
    assert store.bytes(sha) == b"jpeg"
    assert [path.name for path in (tmp_path / "frames").iterdir()] == [f"{sha}.jpg"]


def test_a_missing_or_changed_frame_is_an_error(tmp_path: Path) -> None:
    store = FrameStore(tmp_path)
    with pytest.raises(RunError, match="is missing"):
        store.bytes("0" * 64)
    sha = store.put(b"jpeg")
    store.path(sha).write_bytes(b"other")
    with pytest.raises(RunError, match="was changed"):
        store.bytes(sha)


@pytest.mark.parametrize("sha", ["../../etc/passwd", "", "A" * 64, "0" * 63])
def test_only_hashes_are_paths(tmp_path: Path, sha: str) -> None:
    with pytest.raises(ValueError, match="SHA-256"):
        FrameStore(tmp_path).path(sha)
