"""Where videos are decoded: in threads of this process, or on the machines of a Ray cluster (extra [ray]).

A run over hundreds of long videos spends its first hours on decoding. ``--decode ray`` hands each video to a worker of
the cluster named by RAY_ADDRESS (or of one started on this machine); the workers must see the videos under the same
paths, and send the frames back, so that they need no access to the run folder.
"""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from media.frames import candidate_frames
from media.framestore import FrameStore
from records.config import ImageSettings
from records.errors import BenchwrightError, ConfigurationError, InputError
from records.media import Frame, Source

Decode = Callable[[Source, ImageSettings, Path], Awaitable[tuple[Frame, ...]]]
"""Candidate frames of a source, written into a folder. Raises InputError for a video that cannot be decoded."""
Sent = tuple[tuple[Frame, ...], dict[str, bytes], str]
"""Frames, JPEG bytes by hash, and what was wrong with the video (empty if nothing)."""


def on_ray() -> Decode:
    """Decodes on a Ray cluster. Raises ConfigurationError where Ray is missing or its cluster cannot be reached."""
    try:
        import ray
    except ImportError as error:
        raise ConfigurationError("--decode ray needs Ray.", hint="Install the extra: pip install '.[ray]'.") from error
    try:
        ray.init(ignore_reinit_error=True, log_to_driver=False, logging_level="error")
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ConfigurationError(f"no Ray cluster: {error}", hint="Check RAY_ADDRESS, or unset it.") from error
    remote = ray.remote(decode_and_send)

    async def decode(source: Source, images: ImageSettings, out: Path) -> tuple[Frame, ...]:
        try:
            frames, pictures, problem = await remote.remote(source, images)
        except ray.exceptions.RayError as error:
            raise InputError(
                f"{source.video_file}: its Ray worker broke off ({type(error).__name__}).",
                hint="Run the command again.",
            ) from error
        if problem:
            raise InputError(problem)
        store = FrameStore(out)
        for picture in pictures.values():
            await asyncio.to_thread(store.put, picture)
        return tuple(frames)

    return decode


def decode_and_send(source: Source, images: ImageSettings) -> Sent:
    """What a worker does: decode one video and send the frames with their bytes."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            frames = candidate_frames(source, images, Path(folder))
        except BenchwrightError as error:
            return (), {}, str(error)
        store = FrameStore(Path(folder))
        return frames, {frame.sha256: store.bytes(frame.sha256) for frame in frames}, ""
