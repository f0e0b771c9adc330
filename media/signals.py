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

    strokes = _strokes(gray)
    rows = cv2.morphologyEx(strokes, cv2.MORPH_CLOSE, cv2.getStructuringElement(cv2.MORPH_RECT, (9, 1)))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(rows, connectivity=4)
    kept = np.zeros(count, dtype=np.uint8)
    for index in range(1, count):
        kept[index] = 255 * _is_text_row(strokes, labels, stats[index], index, gray.shape[0])
    mask: NDArray[np.uint8] = kept[labels]
    return mask


def _strokes(gray: Gray) -> NDArray[np.uint8]:
    """255 on the edges of strokes thinner than 9 pixels that are clearly brighter or darker than what is around them.

    The outlines of boxes, bars and faces have no thin stroke beside them, so that a label's text stays apart from its
    box.
    """
    import cv2

    brush = cv2.getStructuringElement(cv2.MORPH_RECT, (9, 9))
    near = cv2.getStructuringElement(cv2.MORPH_RECT, (3, 3))
    thin = cv2.max(cv2.morphologyEx(gray, cv2.MORPH_TOPHAT, brush), cv2.morphologyEx(gray, cv2.MORPH_BLACKHAT, brush))
    edges = cv2.morphologyEx(gray, cv2.MORPH_GRADIENT, cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3)))
    by_strokes = cv2.dilate(cv2.threshold(thin, 50, 255, cv2.THRESH_BINARY)[1], near)
    strokes: NDArray[np.uint8] = cv2.bitwise_and(cv2.threshold(edges, 50, 255, cv2.THRESH_BINARY)[1], by_strokes)
    return strokes


def _is_text_row(strokes: NDArray[np.uint8], labels: Any, stat: Any, index: int, height: int) -> bool:
    left, top, wide, high, area = (int(value) for value in stat)
    if not 6 <= high <= height / 6 or wide < 1.5 * high or area < 0.45 * wide * high:
        return False
    row = (strokes[top : top + high, left : left + wide] > 0) & (labels[top : top + high, left : left + wide] == index)
    middle = row[high // 4 : max(high // 4 + 1, 3 * high // 4)]
    crossings = np.count_nonzero(np.diff(middle.astype(np.int8), axis=1)) / max(1, len(middle))
    return bool(crossings / wide * high > 0.9)


def _sharpness(gray: Gray) -> float:
    import cv2

    return float(cv2.Laplacian(gray, cv2.CV_64F).var())


def _hash(gray: Gray) -> NDArray[np.bool_]:
    import imagehash
    from PIL import Image

    bits: NDArray[np.bool_] = imagehash.phash(Image.fromarray(gray), hash_size=HASH_SIDE).hash.ravel()
    return bits
