"""What can be seen in a picture without a model: how much of it is text, how sharp it is, what it resembles.

Text is found by its shape: rows of thin, dense strokes of about one height, as letters, digits and Chinese characters
make them. It is a measure for ranking, not a reader of text.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Gray = NDArray[np.uint8]

HASH_SIDE = 16
"""A perceptual hash has 16 × 16 bits: fine enough to tell two boards of one studio apart."""


@dataclass(frozen=True)
class Sight:
    """What was measured on one picture."""

    text: float
    """Share of the picture covered by rows of text, 0.0 to 1.0."""
    text_bits: NDArray[np.uint8]
    """Where the text stands: one bit a pixel, packed."""
    sharpness: float
    """Variance of the Laplacian, 0.0 and more."""
    hash_bits: NDArray[np.bool_]
    """256 bits; near-duplicates differ in few of them."""

    def distance(self, other: "Sight") -> int:
        """Bits in which two perceptual hashes differ: 0 for the same picture, about 128 for unrelated ones."""
        return int(np.count_nonzero(self.hash_bits != other.hash_bits))

    def share_of_text_in(self, other: "Sight") -> float:
        """Share of this picture's text that the other has at the same places; 1.0 for a picture without text."""
        here = int(np.bitwise_count(self.text_bits).sum())
        both = int(np.bitwise_count(self.text_bits & other.text_bits).sum())
        return both / here if here else 1.0


def look(pixels: NDArray[np.uint8]) -> Sight:
    """Measure a picture (height × width × 3, blue-green-red)."""
    import cv2

    gray = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    mask = text_mask(gray)
    return Sight(
        text=float(np.count_nonzero(mask) / mask.size),
        text_bits=np.packbits(mask > 0),
        sharpness=_sharpness(gray),
        hash_bits=_hash(gray),
    )


def text_of_their_own(sights: Sequence[Sight]) -> list[float]:
    """Text shares that count text the less, the more of the pictures have text at the same place.

    A logo or ticker that stands in every picture says nothing about any of them. All pictures must be of one size.
    """
    if not sights:
        return []
    masks = [np.unpackbits(sight.text_bits).astype(bool) for sight in sights]
    own = 1.0 - np.mean(masks, axis=0)
    return [float(own[mask].sum() / mask.size) for mask in masks]


def text_mask(gray: Gray) -> NDArray[np.uint8]:
    """255 where a row of text stands, else 0."""
    import cv2

    bright, dark = _strokes(gray)
    edges = _without_lines(_edges_beside(gray, cv2.bitwise_or(bright, dark)))
    rows = cv2.morphologyEx(edges, cv2.MORPH_CLOSE, _box(7, 1))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(rows, connectivity=4)
    kept = np.zeros(count, dtype=np.uint8)
    for index in range(1, count):
        kept[index] = 255 * _is_text_row((bright, dark), stats[index], gray.shape[0])
    mask: NDArray[np.uint8] = kept[labels]
    return mask


def _box(wide: int, high: int) -> Any:
    import cv2

    return cv2.getStructuringElement(cv2.MORPH_RECT, (wide, high))


def _strokes(gray: Gray) -> tuple[Gray, Gray]:
    """255 on bright, and on dark, shapes thinner than 9 pixels that stand out from what is around them."""
    import cv2

    bright = cv2.morphologyEx(gray, cv2.MORPH_TOPHAT, _box(9, 9))
    dark = cv2.morphologyEx(gray, cv2.MORPH_BLACKHAT, _box(9, 9))
    return cv2.threshold(bright, 50, 255, cv2.THRESH_BINARY)[1], cv2.threshold(dark, 50, 255, cv2.THRESH_BINARY)[1]


def _edges_beside(gray: Gray, strokes: Gray) -> Gray:
    """Strong edges next to strokes; the outlines of boxes, bars and faces have no stroke beside them."""
    import cv2

    edges = cv2.morphologyEx(gray, cv2.MORPH_GRADIENT, cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3)))
    strong = cv2.threshold(edges, 50, 255, cv2.THRESH_BINARY)[1]
    beside: Gray = cv2.bitwise_and(strong, cv2.dilate(strokes, _box(3, 3)))
    return beside


def _without_lines(edges: Gray) -> Gray:
    """Edges without straight lines longer than letters, which would tie rows of text together."""
    import cv2

    upright = cv2.morphologyEx(edges, cv2.MORPH_OPEN, _box(1, 29))
    level = cv2.morphologyEx(edges, cv2.MORPH_OPEN, _box(45, 1))
    cleared: Gray = cv2.subtract(edges, cv2.bitwise_or(upright, level))
    return cleared


def _is_text_row(strokes: tuple[Gray, Gray], stat: NDArray[np.int32], height: int) -> bool:
    """Whether a connected shape is wide, filled, and crossed by many strokes, as a word or a line of text is."""
    left, top, wide, high, area = (int(value) for value in stat)
    if not 5 <= high <= height / 4 or wide < 1.3 * high or area < 0.4 * wide * high:
        return False
    rows = slice(top + high // 4, top + max(high // 4 + 1, 3 * high // 4))
    crossings = max(_crossings(mask[rows, left : left + wide]) for mask in strokes)
    return crossings * high > 2.5 * wide and crossings >= 5


def _crossings(rows: Gray) -> float:
    """How often a row of pixels passes the border of a stroke, on average."""
    return float(np.count_nonzero(rows[:, 1:] != rows[:, :-1]) / len(rows))


def _sharpness(gray: Gray) -> float:
    import cv2

    _, deviation = cv2.meanStdDev(cv2.Laplacian(gray, cv2.CV_32F))
    return float(deviation[0][0] ** 2)


def _hash(gray: Gray) -> NDArray[np.bool_]:
    import imagehash
    from PIL import Image

    bits: NDArray[np.bool_] = imagehash.phash(Image.fromarray(gray), hash_size=HASH_SIDE).hash.ravel()
    return bits
