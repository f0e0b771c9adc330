"""Decoding on a Ray cluster gives the same frames as decoding here, and its failures name the video."""

import sys
from pathlib import Path
from typing import Any

import pytest

from graphs import decoding
from media.frames import candidate_frames
from media.groups import read_group
from records.config import ImageSettings, Track
from records.errors import ConfigurationError, InputError
from tests.conftest import ROOT

TRACK = Track(name="t", types=("T2",))
IMAGES = ImageSettings(candidates=4)


def a_source() -> Any:
    return read_group(ROOT / "examples" / "world-calder-star", TRACK).sources[0]


def test_a_worker_sends_the_frames_that_decoding_here_gives(tmp_path: Path) -> None:
    source = a_source()
    frames, pictures, problem = decoding.decode_and_send(source, IMAGES)
    assert problem == ""
    assert frames == candidate_frames(source, IMAGES, tmp_path)
    assert {sha: (tmp_path / f"{sha}.jpg").read_bytes() for sha in pictures} == pictures


def test_a_worker_says_what_is_wrong_with_a_video(tmp_path: Path) -> None:
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(b"not a video")
    frames, pictures, problem = decoding.decode_and_send(
        a_source().model_copy(update={"video_file": str(broken)}), IMAGES
    )
    assert (frames, pictures) == ((), {})
    assert "broken.mp4" in problem


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigurationError, match=r"\[ray\]"):
        decoding.on_ray()


async def test_on_a_real_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray", reason="needs the extra [ray]")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    source = a_source()
    decode = decoding.on_ray()
    try:
        frames = await decode(source, IMAGES, tmp_path / "out")
        assert frames == candidate_frames(source, IMAGES, tmp_path / "here")
        assert {path.name for path in (tmp_path / "out").iterdir()} == {f"{frame.sha256}.jpg" for frame in frames}
        broken = tmp_path / "broken.mp4"
        broken.write_bytes(b"not a video")
        with pytest.raises(InputError, match="broken.mp4"):
            await decode(source.model_copy(update={"video_file": str(broken)}), IMAGES, tmp_path / "out")
    finally:
        ray.shutdown()
