"""Scene cuts in a stream of pictures, found by PySceneDetect's content detector as the pictures come by.

The headless distribution of PySceneDetect is used: it needs no system graphics library. Its default threshold of 27
misses changes between pictures of like brightness and layout, such as one board of a studio and the next; 15 finds
them, and a cut too many costs one candidate frame only.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

THRESHOLD = 15.0
SHORTEST_S = 0.4
_WIDTH = 160


@dataclass(frozen=True)
class Shot:
    """Where a picture stands."""

    number: int
    """Of its scene, from 0."""
    age_s: float
    """Seconds since the first picture of its scene."""
    change: float
    """How far it differs from the picture before: 0.0 (not at all) to 255.0."""


class SceneCounter:
    """Counts scenes: feed it pictures in order of time, it says which scene each belongs to, from 0."""

    def __init__(self) -> None:
        from scenedetect.detectors import ContentDetector

        self._detector = ContentDetector(threshold=THRESHOLD, min_scene_len=1)
        self._scene = 0
        self._began_s: float | None = None
        self._previous: NDArray[np.int16] | None = None

    def see(self, time_s: float, pixels: NDArray[np.uint8]) -> Shot:
        """Which scene a picture (height × width × 3, blue-green-red) belongs to."""
        import cv2

        height = max(1, round(pixels.shape[0] * _WIDTH / pixels.shape[1]))
        small = cv2.resize(pixels, (_WIDTH, height), interpolation=cv2.INTER_AREA)
        cuts = self._detector.process_frame(_timecode(time_s), small)
        if self._began_s is None:
            self._began_s = time_s
        if cuts and time_s - self._began_s >= SHORTEST_S:
            self._scene += 1
            self._began_s = time_s
        return Shot(number=self._scene, age_s=time_s - self._began_s, change=self._change(small.astype(np.int16)))

    def _change(self, small: NDArray[np.int16]) -> float:
        before, self._previous = self._previous, small
        return 255.0 if before is None else float(np.abs(small - before).mean())


def _timecode(time_s: float) -> Any:
    from scenedetect import FrameTimecode

    return FrameTimecode(timecode=time_s, fps=1000.0)
