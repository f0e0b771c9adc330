"""The frames of a report page: each once, as JPEG in base64, made smaller where all together would be too large.

Frames that questions cite come first. The limits keep a page of hundreds of questions usable in a browser.
"""

import base64
import io
from collections.abc import Iterator

from store.run import Run

FULL_BYTES = 24_000_000
"""Up to here all frames are embedded as models saw them."""
LIMIT_BYTES = 64_000_000
"""Up to here smaller frames are embedded; the rest is left out, and the page says how many."""
CITED_SIDE, OTHER_SIDE = 400, 240
"""Longer sides, in pixels, of frames that are made smaller."""


class FrameShelf:
    """Notes which frames a page shows while it is written, and gives their bytes at its end."""

    def __init__(self, run: Run, *, full_bytes: int = FULL_BYTES, limit_bytes: int = LIMIT_BYTES) -> None:
        self._run = run
        self._full, self._limit = full_bytes, limit_bytes
        self._cited: dict[str, int] = {}
        self._others: dict[str, int] = {}

    def has(self, sha256: str, cited: bool) -> bool:
        """Whether the run holds this frame; if so the page will carry it."""
        known = self._cited.get(sha256) or self._others.get(sha256)
        size = known or self._size(sha256)
        if not size:
            return False
        if cited:
            self._others.pop(sha256, None)
            self._cited[sha256] = size
        elif sha256 not in self._cited:
            self._others[sha256] = size
        return True

    def embedded(self) -> Iterator[tuple[str, str]]:
        """(SHA-256, base64) of every frame that fits, cited ones first."""
        written = 0
        for sha256, side in (*((sha, CITED_SIDE) for sha in self._cited), *((sha, OTHER_SIDE) for sha in self._others)):
            data = self._run.image(sha256)
            data = data if self._all_fit else smaller(data, side)
            written += len(data)
            if written > self._limit:
                return
            yield sha256, base64.b64encode(data).decode("ascii")

    def note(self) -> str:
        """What the page says about frames that are not as models saw them; empty where all are."""
        if self._all_fit:
            return ""
        return (
            f"{len(self._cited) + len(self._others)} frames are shown smaller than the models saw them, and any that "
            "would make this page too large are left out; the folder frames/ holds all of them."
        )

    @property
    def _all_fit(self) -> bool:
        return sum(self._cited.values()) + sum(self._others.values()) <= self._full

    def _size(self, sha256: str) -> int:
        try:
            return self._run.frame_path(sha256).stat().st_size
        except OSError:
            return 0


def smaller(data: bytes, side: int) -> bytes:
    """A JPEG whose longer side is at most `side` pixels; the same bytes where it is no larger already."""
    from PIL import Image

    with Image.open(io.BytesIO(data)) as image:
        if max(image.size) <= side:
            return data
        image.thumbnail((side, side))
        out = io.BytesIO()
        image.convert("RGB").save(out, "JPEG", quality=60, optimize=True)
    return out.getvalue()
