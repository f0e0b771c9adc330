"""Single videos for the video track: which are found, what is known of them, and what is refused."""

import json
from pathlib import Path

import pytest

from media.videos import find_videos, language_found, read_video
from records.errors import InputError
from tests.media.clips import Scene, make_clip

VTT = "WEBVTT\n\n00:00.000 --> 00:02.000\n{}\n"


def video(folder: Path, name: str, words: str = "", language: str = "en", **info: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = make_clip(folder / f"{name}.mp4", [Scene(2.0, lines=(name,))])
    if words:
        (folder / f"{name}.{language}.vtt").write_text(VTT.format(words), encoding="utf-8")
    if info:
        (folder / f"{name}.info.json").write_text(json.dumps(info), encoding="utf-8")
    return path


def test_a_folder_gives_its_videos_and_a_file_only_itself(tmp_path: Path) -> None:
    first = video(tmp_path, "Zoo [abc]", "A word.")
    video(tmp_path, "atlas", "Another word.", id="x1", categories=["Education"])
    (tmp_path / "notes.md").write_text("no video")
    assert list(find_videos([tmp_path])) == ["abc", "x1"]
    assert list(find_videos([first])) == ["abc"]
    assert list(find_videos([first, tmp_path])) == ["abc", "x1"]


def test_what_is_known_of_a_video(tmp_path: Path) -> None:
    video(tmp_path, "atlas", "Another word.", id="x1", title="Maps", extractor_key="BiliBili", categories=["Education"])
    group = read_video(find_videos([tmp_path])["x1"])
    assert (group.group_id, group.topic, group.domain, group.language) == ("x1", "Maps", "Education", "en")
    (source,) = group.sources
    assert (source.platform, source.transcript.text) == ("BiliBili", "Another word.")
    assert source.duration_s == pytest.approx(2.0, abs=0.3)


def test_a_group_json_gives_the_domain(tmp_path: Path) -> None:
    video(tmp_path, "atlas", "Another word.", categories=["Education"])
    (tmp_path / "group.json").write_text(json.dumps({"topic": "t", "domain": "Cooking", "video_ids": ["other"]}))
    assert read_video(find_videos([tmp_path])["atlas"]).domain == "Cooking"


@pytest.mark.parametrize(
    ("words", "tag", "asked", "language"),
    [
        ("A word.", "en", "auto", "en"), ("一句话说完了。", "zh-Hans", "auto", "zh"), ("", "", "auto", "und"),
        ("A word.", "en", "zh", "zh"), ("", "", "zh", "zh"),
    ],
)  # fmt: skip
def test_the_language_is_that_of_the_words_unless_it_is_named(
    tmp_path: Path, words: str, tag: str, asked: str, language: str
) -> None:
    video(tmp_path, "atlas", words, tag)
    assert read_video(find_videos([tmp_path])["atlas"], asked).language == language


@pytest.mark.parametrize(
    ("tag", "text", "language"),
    [("zh-Hans", "", "zh"), ("und", "一句话", "zh"), ("", "a word", "en"), ("und", "", "und"), ("fr", "un mot", "fr")],
)
def test_language_found(tag: str, text: str, language: str) -> None:
    assert language_found(tag, text) == language


@pytest.mark.parametrize("info", ["{", "[1]", '{"categories": 3}', '{"categories": [3]}', "{}"])
def test_damaged_metadata_cost_only_the_category(tmp_path: Path, info: str) -> None:
    video(tmp_path, "atlas", "A word.")
    (tmp_path / "atlas.info.json").write_text(info)
    assert read_video(find_videos([tmp_path])["atlas"]).domain == ""


def test_what_is_no_video_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere: does not exist"):
        find_videos([tmp_path / "nowhere"])
    with pytest.raises(InputError, match="holds no video"):
        find_videos([tmp_path])
    (tmp_path / "notes.md").write_text("no video")
    with pytest.raises(InputError, match=r"notes\.md: is no video"):
        find_videos([tmp_path / "notes.md"])
    (tmp_path / "broken.mp4").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"broken\.mp4"):
        read_video(find_videos([tmp_path])["broken"])


def test_two_videos_of_one_id_are_refused(tmp_path: Path) -> None:
    video(tmp_path / "a", "one", id="same")
    video(tmp_path / "b", "two", id="same")
    with pytest.raises(InputError, match=r"two videos have the id 'same'.*one.*two"):
        find_videos([tmp_path / "a", tmp_path / "b"])
