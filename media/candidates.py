"""Which pictures of a video are worth showing, and in which order, by what can be seen without a model.

Pictures come from scene changes and an even grid. Of each stretch the latest settled picture stands: charts and
counters that are still moving show figures that are not meant. A video is decoded once, in a stream, and at most
twice as many pictures as wanted are kept at a time, so that memory does not grow with the video's length.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from media.decoding import Picture, Pixels, pictures
from media.scenes import SceneCounter, Shot
from media.signals import Sight, look, text_of_their_own
from records.config import ImageSettings
from records.media import FrameSignals

_LOOK_EVERY_S = 0.25
_FIRST_STEP_S = 1.0
_SETTLED = 1.0
"""Mean change of a pixel (0 to 255) since the last look, below which a picture counts as still."""
_SUDDEN = 2.5
"""A picture that changes this many times as much as is usual in its scene is part of a transition."""
_LATER_WINS = 0.92
"""A later picture of the same stretch takes over unless it shows clearly less."""
_SAME_PICTURE = 16
"""Perceptual hashes this close are near-duplicates, wherever in the video; two boards of one studio differ by 22."""
_SAME_SCENE = 48
"""Within a scene more may differ: a picture that is being built up, a slow zoom."""
_SAME_LAYOUT = 100
"""Within a scene, a chart without its bars and the same chart with them differ by 80."""
_OPENING_S = 1.0
"""Graphics build up, and transitions end, in the first moments of a scene."""
_WEIGHTS = {"text": 0.5, "sharpness": 0.15, "novelty": 0.35}


@dataclass(frozen=True)
class Candidate:
    """A picture as it would be stored, and what was measured on it."""

    time_s: float
    scene: int
    scene_age_s: float
    """Seconds since the first picture of its scene."""
    change: float
    """How far it differs from the picture before, 0.0 to 255.0."""
    merit: float
    """How much there is to see; a picture in motion counts for less."""
    sight: Sight
    size: tuple[int, int]
    """Width and height."""
    jpeg: bytes


@dataclass(frozen=True)
class Ranked:
    """A candidate with its signals and its rank, 1 for the best."""

    candidate: Candidate
    signals: FrameSignals
    rank: int


def find_candidates(path: Path, settings: ImageSettings) -> list[Ranked]:
    """The `settings.candidates` best pictures of a video, in order of time.

    Raises av.error.FFmpegError or OSError if the video cannot be opened.
    """
    pool = _Pool(settings.candidates)
    _fill(pool, path, settings)
    found = _distinct(pool.candidates)
    signals = _signals(found)
    worth = [_worth(signal) + late for signal, late in zip(signals, _late(found), strict=True)]
    best = _order(found, worth)[: settings.candidates]
    return [Ranked(found[index], signals[index], best.index(index) + 1) for index in sorted(best)]


def _fill(pool: "_Pool", path: Path, settings: ImageSettings) -> None:
    scenes = SceneCounter()
    due_s, scene = 0.0, -1
    for picture in pictures(path, settings.longer_side, _LOOK_EVERY_S):
        shot = scenes.see(picture.time_s, picture.pixels)
        if picture.time_s >= due_s or shot.number != scene:
            pool.add(_candidate(picture, shot, settings.jpeg_quality))
            due_s, scene = picture.time_s + pool.look_every_s - 1e-3, shot.number


def _candidate(picture: Picture, shot: Shot, quality: int) -> Candidate:
    sight = look(picture.pixels)
    merit = (0.02 + sight.text) * min(1.0, 0.2 + sight.sharpness / 500) / (1.0 + max(0.0, shot.change - _SETTLED) / 6)
    height, width = picture.pixels.shape[:2]
    return Candidate(
        time_s=picture.time_s, scene=shot.number, scene_age_s=shot.age_s, change=shot.change, merit=merit,
        sight=sight, size=(width, height), jpeg=_jpeg(picture.pixels, quality),
    )  # fmt: skip


def _jpeg(pixels: Pixels, quality: int) -> bytes:
    import cv2

    done, data = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert done, "OpenCV encodes every picture of three channels"
    return data.tobytes()


class _Pool:
    """The best picture of each stretch: a step of time within one scene, or a step alone where scenes are too many.

    Steps double whenever the pool is full, so that it covers the whole video evenly, however long that turns out.
    """

    def __init__(self, wanted: int) -> None:
        self._most = 2 * wanted
        self._step_s = _FIRST_STEP_S
        self._by_scene = True
        self._standing: dict[tuple[int, int], tuple[float, Candidate]] = {}

    @property
    def candidates(self) -> list[Candidate]:
        """What is kept, in order of time."""
        return [candidate for _, candidate in self._standing.values()]

    @property
    def look_every_s(self) -> float:
        """How often a picture is worth measuring: the longer the steps, the more rarely."""
        return max(_LOOK_EVERY_S, self._step_s / 8)

    def add(self, candidate: Candidate) -> None:
        """Let a picture stand for its stretch if it is as good as what stood there."""
        self._offer(candidate.merit, candidate)
        while len(self._standing) > self._most:
            self._thin()

    def _offer(self, best: float, candidate: Candidate) -> None:
        key = (int(candidate.time_s / self._step_s), candidate.scene if self._by_scene else 0)
        best_so_far, standing = self._standing.get(key, (0.0, None))
        best = max(best, best_so_far)
        if standing is None or candidate.merit >= _LATER_WINS * best:
            standing = candidate
        self._standing[key] = (best, standing)

    def _thin(self) -> None:
        standing = list(self._standing.values())
        self._step_s *= 2
        if self._by_scene and standing[-1][1].time_s / self._step_s < self._most / 4:
            self._by_scene, self._step_s = False, _FIRST_STEP_S
        self._standing = {}
        for best, candidate in standing:
            self._offer(best, candidate)


def _distinct(candidates: list[Candidate]) -> list[Candidate]:
    """Candidates without near-duplicates and without pictures that a later one of their scene completes."""
    kept: list[Candidate] = []
    for candidate in _finished(candidates):
        twin = next((index for index, other in enumerate(kept) if _near(candidate, other)), None)
        if twin is None:
            kept.append(candidate)
        elif candidate.merit >= _LATER_WINS * kept[twin].merit:
            kept[twin] = replace(candidate, merit=max(candidate.merit, kept[twin].merit))
    return sorted(kept, key=lambda candidate: candidate.time_s)


def _near(candidate: Candidate, other: Candidate) -> bool:
    limit = _SAME_SCENE if candidate.scene == other.scene else _SAME_PICTURE
    return candidate.sight.distance(other.sight) <= limit


def _finished(candidates: list[Candidate]) -> list[Candidate]:
    """Of each scene, what is not on its way to something: no opening moment, motion or half-drawn chart.

    A scene keeps such pictures where it has no others.
    """
    scenes: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        scenes.setdefault(candidate.scene, []).append(candidate)
    return [candidate for scene in scenes.values() for candidate in _finished_of(scene)]


def _finished_of(scene: list[Candidate]) -> list[Candidate]:
    after = [candidate for candidate in scene if candidate.scene_age_s >= _OPENING_S] or scene[-1:]
    usual = sorted(candidate.change for candidate in after)[(len(after) - 1) // 2]
    still = [candidate for candidate in after if candidate.change < max(_SETTLED, _SUDDEN * usual)]
    return [
        candidate
        for index, candidate in enumerate(still)
        if not any(_completes(later, candidate) for later in still[index + 1 :])
    ]


def _completes(later: Candidate, earlier: Candidate) -> bool:
    """Whether a later picture has all the text of an earlier one, in the same places, and more."""
    if earlier.sight.distance(later.sight) > _SAME_LAYOUT or later.sight.text < earlier.sight.text:
        return False
    return earlier.sight.share_of_text_in(later.sight) >= 0.9


# --- ranking without a model


def _signals(candidates: list[Candidate]) -> list[FrameSignals]:
    text = _by_most(text_of_their_own([candidate.sight for candidate in candidates]))
    sharpness = _by_most([float(np.log1p(candidate.sight.sharpness)) for candidate in candidates])
    novelty = [_novelty(candidate, candidates) for candidate in candidates]
    return [
        FrameSignals(text_density=round(t, 4), sharpness=round(s, 4), novelty=round(n, 4))
        for t, s, n in zip(text, sharpness, novelty, strict=True)
    ]


def _by_most(values: list[float]) -> list[float]:
    most = max(values, default=0.0)
    return [value / most if most > 0 else 0.0 for value in values]


def _novelty(candidate: Candidate, candidates: list[Candidate]) -> float:
    """How unlike the nearest picture of another scene: 0.0 the same, 1.0 unrelated."""
    others = [candidate.sight.distance(other.sight) for other in candidates if other.scene != candidate.scene]
    return min(1.0, min(others, default=128) / 128)


def _worth(signal: FrameSignals) -> float:
    return (
        _WEIGHTS["text"] * signal.text_density
        + _WEIGHTS["sharpness"] * signal.sharpness
        + _WEIGHTS["novelty"] * signal.novelty
    )


def _late(candidates: list[Candidate]) -> list[float]:
    """A little extra for pictures late in their scene: there a process has come to its end."""
    ends = {candidate.scene: candidate.scene_age_s for candidate in candidates}
    return [0.1 * candidate.scene_age_s / max(ends[candidate.scene], 1e-6) for candidate in candidates]


def _order(candidates: list[Candidate], worth: list[float]) -> list[int]:
    """Indices from best to worst; what resembles a better frame, or shares its scene, waits its turn."""
    left = list(range(len(candidates)))
    order: list[int] = []
    while left:
        best = max(left, key=lambda index: (worth[index] - _repeats(index, order, candidates), -index))
        left.remove(best)
        order.append(best)
    return order


def _repeats(index: int, chosen: list[int], candidates: list[Candidate]) -> float:
    """How far a candidate repeats the chosen ones: their scene, their looks, their time."""
    if not chosen:
        return 0.0
    here, others = candidates[index], [candidates[other] for other in chosen]
    same = sum(other.scene == here.scene for other in others)
    likeness = max(0.0, 1.0 - min(here.sight.distance(other.sight) for other in others) / 96)
    reach = max(candidates[-1].time_s - candidates[0].time_s, 1e-6) / 16
    nearness = max(0.0, 1.0 - min(abs(here.time_s - other.time_s) for other in others) / reach)
    return 0.35 * same + 0.35 * likeness + 0.15 * nearness
