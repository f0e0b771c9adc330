"""The folder in which frames lie as ``<sha256>.jpg``: written once, found by hash.

Example: ``FrameStore(run / "frames").bytes(frame.sha256)`` gives the JPEG that models saw.
"""

import hashlib
import os
import re
import tempfile
from pathlib import Path

from records.errors import RunError

Jpeg = bytes
_SHA256 = re.compile(r"[0-9a-f]{64}")


class FrameStore:
    """Frames by the hash of their bytes. A folder that does not exist yet is made at the first `put`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, sha256: str) -> Path:
        """Where a frame lies, whether or not it is there. Raises ValueError for anything but 64 hex digits."""
        if not _SHA256.fullmatch(sha256):
            raise ValueError(f"{sha256!r} is not a SHA-256 in hex digits")
        return self.folder / f"{sha256}.jpg"

    def bytes(self, sha256: str) -> Jpeg:
        """A frame's JPEG bytes. Raises RunError if the frame is missing or its bytes are not those of its hash."""
        path = self.path(sha256)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise RunError(f"{path}: the frame is missing.", hint="Start the run anew from its videos.") from error
        if hashlib.sha256(data).hexdigest() != sha256:
            raise RunError(
                f"{path}: the frame was changed after it was made.", hint="Start the run anew from its videos."
            )
        return data

    def put(self, data: Jpeg) -> str:
        """Store a JPEG and return its hash. Whole or not at all: a kill leaves no half-written frame."""
        sha256 = hashlib.sha256(data).hexdigest()
        path = self.path(sha256)
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".part", delete=False) as file:
                file.write(data)
            os.replace(file.name, path)
        return sha256
