"""Image and video bytes → data URLs, encoded once per content hash and kept in a cache that is bounded in bytes.

Covers JPEG, PNG, WebP, GIF, MP4, QuickTime, WebM and Matroska.
Reads bytes through the function that the gateway was given (hash → bytes).
"""

import base64
import hashlib
from collections import OrderedDict
from collections.abc import Callable

_MAGIC = {b"\xff\xd8\xff": "jpeg", b"\x89PNG": "png", b"RIFF": "webp", b"GIF8": "gif"}


class ImageUnreadable(Exception):
    """An image that a request refers to is missing, is no image, or is not the one that its hash names."""


class ImageStore:
    """Data URLs by content hash, the least recently used dropped beyond `limit_bytes` of encoded text."""

    def __init__(self, read: Callable[[str], bytes], limit_bytes: int = 64 * 2**20) -> None:
        self._read = read
        self._limit = limit_bytes
        self._urls: OrderedDict[str, str] = OrderedDict()
        self._held = 0

    def data_url(self, sha256: str) -> str:
        """The image as ``data:image/jpeg;base64,…``. Raises ImageUnreadable."""
        url = self._urls.get(sha256)
        if url is None:
            url = self._encoded(sha256)
            self._urls[sha256] = url
            self._held += len(url)
            self._shrink()
        self._urls.move_to_end(sha256)
        return url

    def _encoded(self, sha256: str) -> str:
        try:
            data = self._read(sha256)
        except (OSError, KeyError) as error:
            raise ImageUnreadable(f"frame {sha256[:12]}… cannot be read: {error}") from error
        if hashlib.sha256(data).hexdigest() != sha256:
            raise ImageUnreadable(f"frame {sha256[:12]}… is damaged: its content has another hash")
        return f"data:{_format(data, sha256)};base64,{base64.b64encode(data).decode('ascii')}"

    def _shrink(self) -> None:
        while self._held > self._limit and len(self._urls) > 1:
            _, dropped = self._urls.popitem(last=False)
            self._held -= len(dropped)


def _format(data: bytes, sha256: str) -> str:
    for magic, name in _MAGIC.items():
        if data.startswith(magic):
            return f"image/{name}"
    if data[4:8] == b"ftyp":
        return "video/quicktime" if data[8:12] == b"qt  " else "video/mp4"
    if data.startswith(b"\x1aE\xdf\xa3"):
        return "video/webm" if b"webm" in data[:64] else "video/x-matroska"
    raise ImageUnreadable(f"frame {sha256[:12]}… is no image or video of a known kind")
