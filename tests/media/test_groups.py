"""Reading a folder: each way in which a group or a source can be wrong has an outcome that names the file."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from media.groups import find_groups, read_group
from records.config import Track
from records.errors import InputError
from records.media import Group
from tests.conftest import shared_data
from tests.media.clips import make_clip

DOMAINS = (
    "World", "US & Canada", "Business & Economy", "Science & Technology", "Climate & Environment", "Health",
    "Culture & Arts",
)  # fmt: skip
NEWS = Track(name="news", types=("T1",), domains=DOMAINS)
SINGLE = NEWS.model_copy(update={"min_sources": 1})


def vtt(text: str) -> str:
    return f"WEBVTT\n\n00:01.000 --> 00:04.000\n{text}\n"


def add_text(folder: Path, name: str, text: str = "The river rose. Nobody was warned.") -> None:
    (folder / f"{name}.txt").write_text(text, encoding="utf-8")


def add_video(folder: Path, name: str, said: str | None = "The river rose.", tag: str = "en", **info: object) -> Path:
    path = make_clip(folder / f"{name}.mp4", fps=5)
    path.write_bytes(path.read_bytes() + name.encode())  # the same picture, yet another file
    if said is not None:
        (folder / f"{name}.{tag}.vtt").write_text(vtt(said), encoding="utf-8")
    if info:
        (folder / f"{name}.info.json").write_text(json.dumps(info), encoding="utf-8")
    return path


def write_manifest(folder: Path, **fields: object) -> None:
    (folder / "group.json").write_text(json.dumps(fields, ensure_ascii=False), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "wren flood"
    path.mkdir()
    return path


@pytest.fixture
def two(folder: Path) -> Path:
    """A folder that already holds two good sources, so that a third may be bad."""
    add_text(folder, "first")
    add_text(folder, "second", "Others say so too.")
    return folder


def left_out(group: Group) -> dict[str, tuple[str, str]]:
    assert all(left.action and left.file for left in group.left_out)
    return {left.video_id: (left.reason, left.action) for left in group.left_out}


# --- what a good folder gives


def test_shared_groups_read_whole() -> None:
    folders = find_groups(shared_data("news"))
    groups = [read_group(folder, NEWS) for folder in folders]
    assert [len(group.sources) for group in groups] == [3, 4, 3, 3, 3, 4]
    assert [group.language for group in groups] == ["en", "en", "zh", "en", "en", "en"]
    assert not any(group.left_out for group in groups)
    assert [bool(group.warnings) for group in groups] == [False, False, True, True, False, False]
    world = groups[-1]
    assert (world.group_id, world.domain) == ("world-calder-star", "World")
    assert [source.video_id for source in world.sources] == ["wCalderOrb1", "wCalderTid2", "wCalderKes3", "wCalderPal4"]
    first = world.sources[0]
    assert (first.outlet, first.date, first.platform) == ("Orbis24", "2025-03-11", "Example")
    assert first.url == "https://video.example.org/watch?v=wCalderOrb1"
    assert first.license.startswith("CC0")
    assert first.duration_s == 51.0
    assert first.transcript.origin == "captions"
    assert first.transcript.sentences[3].text == (
        "At 4:20 local time it struck a sandbank 4 kilometres south of the harbour."
    )
    assert "\n" not in first.transcript.text
    assert len(first.media_sha256 or "") == 64


def test_a_folder_as_yt_dlp_leaves_it(folder: Path) -> None:
    add_video(
        folder, "Flut: was nun? [aB-3_x]", id="aB-3_x", title="Flut", uploader="Kanal", upload_date="20251104",
        webpage_url="https://v.example/aB-3_x", extractor_key="Youtube", license="CC BY", duration=61.5,
    )  # fmt: skip
    add_video(folder, "洪水 现场", "河水上涨。", "zh-Hans")
    add_video(folder, "-dash first", id="-d4sh")
    group = read_group(folder, NEWS)
    by_id = {source.video_id: source for source in group.sources}
    assert set(by_id) == {"aB-3_x", "洪水 现场", "-d4sh"}
    told = by_id["aB-3_x"]
    assert (told.title, told.outlet, told.date, told.duration_s) == ("Flut", "Kanal", "2025-11-04", 61.5)
    assert (told.platform, told.license, told.url) == ("Youtube", "CC BY", "https://v.example/aB-3_x")
    assert all(source.video_file and source.transcript.text for source in group.sources)
    assert group.topic == group.group_id == "wren flood"


def test_group_json_gives_order_and_keeps_unknown_keys(folder: Path) -> None:
    for name in ("b", "a", "unlisted"):
        add_text(folder, name, f"Words of {name}.")
    write_manifest(folder, topic="Flood", domain="Health", language="en", video_ids=["b", "a"], editor="Ann", year=2025)
    group = read_group(folder, NEWS)
    assert [source.video_id for source in group.sources] == ["b", "a"]
    assert (group.topic, group.domain, group.extra) == ("Flood", "Health", {"editor": "Ann", "year": 2025})
    assert any("unlisted" in warning for warning in group.warnings)


def test_ids_are_found_in_brackets_and_in_info_json(folder: Path) -> None:
    add_text(folder, "Some title [id1]")
    add_video(folder, "another name", id="id2")
    write_manifest(folder, topic="t", domain="World", video_ids=["id2", "id1"])
    assert [source.video_id for source in read_group(folder, NEWS).sources] == ["id2", "id1"]


def test_readme_and_license_are_no_sources(two: Path) -> None:
    for name in ("README.txt", "LICENSE.txt", "urls.txt"):
        (two / name).write_text("not a report")
    assert len(read_group(two, NEWS).sources) == 2


# --- what is wrong with one source never ends the group


def break_zero(folder: Path) -> None:
    (folder / "bad.mp4").write_bytes(b"")


def break_truncated(folder: Path) -> None:
    path = add_video(folder, "bad")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def break_cut_off(folder: Path) -> None:
    from tests.media.clips import Scene

    path = make_clip(folder / "bad.mkv", [Scene(8.0)])
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def break_html(folder: Path) -> None:
    (folder / "bad.mp4").write_text("<!doctype html><title>403</title>")


def break_noise(folder: Path) -> None:
    (folder / "bad.mp4").write_bytes(bytes(range(256)) * 20)


def break_sound_only(folder: Path) -> None:
    make_clip(folder / "bad.mp4", show=False)


def break_unfinished(folder: Path) -> None:
    (folder / "bad.mp4.part").write_bytes(b"x")


def break_empty_text(folder: Path) -> None:
    (folder / "bad.txt").write_text(" \n")


def break_video_as_text(folder: Path) -> None:
    make_clip(folder / "clip.mp4").rename(folder / "bad.txt")


def break_empty_captions(folder: Path) -> None:
    (folder / "bad.en.vtt").write_text("WEBVTT\n")


def break_info_only(folder: Path) -> None:
    (folder / "bad.info.json").write_text('{"id": "bad"}')


@pytest.mark.parametrize(
    ("spoil", "reason", "action"),
    [
        (break_zero, "is empty (0 bytes)", "Download"),
        (break_truncated, "is damaged or cut off", "Download"),
        (break_cut_off, "is cut off: it ends at", "Download"),
        (break_html, "is not a video: it holds text", "Rename"),
        (break_noise, "is not a video that can be read", "Download"),
        (break_sound_only, "has no video stream, and there are no captions", "captions"),
        (break_unfinished, "is an unfinished download", "yt-dlp"),
        (break_empty_text, "is empty", "transcript"),
        (break_video_as_text, "is not a text", "transcript"),
        (break_empty_captions, "has no words", "captions"),
        (break_info_only, "has no video and no words", "captions"),
    ],
)
def test_an_unusable_source_is_left_out(two: Path, spoil: Callable[[Path], None], reason: str, action: str) -> None:
    spoil(two)
    group = read_group(two, NEWS)
    assert [source.video_id for source in group.sources] == ["first", "second"]
    told_reason, told_action = left_out(group)["bad"]
    assert reason in told_reason
    assert action in told_action
    assert "bad" in group.left_out[0].file


def test_a_file_that_may_not_be_read_is_left_out(two: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = add_video(two, "locked")

    def refuse(path: Path) -> str:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("media.sources.sha256_of", lambda p: refuse(p) if p == path else "0" * 63 + p.stem[0])
    group = read_group(two, NEWS)
    assert len(group.sources) == 2
    assert left_out(group)["locked"][0] == "cannot be read (Permission denied)"


def test_sound_with_captions_is_used_for_its_words(two: Path) -> None:
    make_clip(two / "radio.mp4", show=False)
    (two / "radio.en.vtt").write_text(vtt("Good evening."))
    radio = next(source for source in read_group(two, NEWS).sources if source.video_id == "radio")
    assert radio.video_file is None
    assert radio.transcript.text == "Good evening."
    assert radio.notes == ("radio.mp4: has no video stream; only its words are used.",)


def test_captions_without_a_video_are_used_for_their_words(two: Path) -> None:
    (two / "old.en.vtt").write_text(vtt("Good evening."))
    old = next(source for source in read_group(two, NEWS).sources if source.video_id == "old")
    assert (old.video_file, old.transcript.text) == (None, "Good evening.")
    assert "has no video" in old.notes[0]


def test_a_silent_video_without_captions_is_used_for_its_frames(two: Path) -> None:
    make_clip(two / "mute.mp4", sound=False)
    mute = next(source for source in read_group(two, NEWS).sources if source.video_id == "mute")
    assert mute.video_file
    assert (mute.transcript.origin, mute.transcript.text) == ("none", "")
    assert any("mute.mp4: has no sound" in note for note in mute.notes)
    assert any("mute.mp4: has no captions" in note for note in mute.notes)


def test_empty_captions_are_noted_and_the_next_file_is_used(two: Path) -> None:
    add_video(two, "clip", None)
    (two / "clip.en.vtt").write_text("WEBVTT\n")
    (two / "clip.en.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nStill here.\n")
    clip = next(source for source in read_group(two, NEWS).sources if source.video_id == "clip")
    assert clip.transcript.text == "Still here."
    assert any("clip.en.vtt: has no words" in note for note in clip.notes)


def test_a_wrong_extension_is_read_as_what_it_is_and_noted(two: Path) -> None:
    make_clip(two / "clip.mp4").rename(two / "clip.webm")
    clip = next(source for source in read_group(two, NEWS).sources if source.video_id == "clip")
    assert clip.video_file
    assert any("clip.webm: is mov,mp4" in note and "Rename" in note for note in clip.notes)


def test_an_unknown_extension_warns(two: Path) -> None:
    make_clip(two / "clip.mp4").rename(two / "clip.dat")
    assert any("clip.dat: is not used; .dat" in warning for warning in read_group(two, NEWS).warnings)


def test_no_duration_in_the_metadata_is_measured(two: Path) -> None:
    add_video(two, "clip", "Hello.", title="Clip")
    clip = next(source for source in read_group(two, NEWS).sources if source.video_id == "clip")
    assert clip.duration_s == pytest.approx(1.0, abs=0.1)


def test_an_id_without_a_file(two: Path) -> None:
    write_manifest(two, topic="t", domain="World", video_ids=["first", "gone", "second"])
    group = read_group(two, NEWS)
    assert [source.video_id for source in group.sources] == ["first", "second"]
    assert left_out(group)["gone"][0] == "no file of the folder has this id"
    assert group.left_out[0].file.endswith("group.json")


def test_an_id_cannot_reach_out_of_the_folder(two: Path) -> None:
    (two.parent / "secret.txt").write_text("Private words.")
    write_manifest(two, topic="t", domain="World", video_ids=["first", "second", "../secret"])
    assert set(left_out(read_group(two, NEWS))) == {"../secret"}


def test_an_id_listed_twice(two: Path) -> None:
    write_manifest(two, topic="t", domain="World", video_ids=["first", "second", "first"])
    group = read_group(two, NEWS)
    assert len(group.sources) == 2
    assert left_out(group)["first"][0] == "is listed twice"


def test_two_files_with_one_id_warn(two: Path) -> None:
    add_text(two, "a copy [second]", "Another text.")
    add_text(two, "one more [second]", "Another text still.")
    warnings = read_group(two, NEWS).warnings
    assert any("has the same id (second)" in warning for warning in warnings)


def test_the_same_bytes_twice(two: Path) -> None:
    path = add_video(two, "take")
    (two / "take again.mp4").write_bytes(path.read_bytes())
    (two / "take again.en.vtt").write_text(vtt("The river rose."))
    group = read_group(two, NEWS)
    assert left_out(group) == {"take again": ("is the same file as take, byte for byte", "Remove one of the two.")}


def test_more_than_26_sources(folder: Path) -> None:
    for index in range(28):
        add_text(folder, f"s{index:02d}", f"Report {index}.")
    group = read_group(folder, NEWS)
    assert len(group.sources) == 26
    assert set(left_out(group)) == {"s26", "s27"}
    assert "at most 26" in group.left_out[0].reason


def test_languages_mixed_in_a_group(two: Path) -> None:
    add_text(two, "三", "河水上涨，无人示警。")
    group = read_group(two, NEWS)
    assert group.language == "en"
    assert any("languages differ" in warning and "三 (zh)" in warning for warning in group.warnings)


def test_a_tie_of_languages_goes_to_the_stated_one(folder: Path) -> None:
    add_text(folder, "a", "The river rose.")
    add_text(folder, "b", "河水上涨，无人示警。")
    write_manifest(folder, topic="t", domain="World", language="zh-Hans", video_ids=["a", "b"])
    assert read_group(folder, NEWS).language == "zh"


@pytest.mark.parametrize(
    ("info_language", "group_language", "expected"),
    [
        ("zh", "", "河水上涨。"),
        ("", "zh-Hans", "河水上涨。"),
        ("", "", "The river rose."),
        ("fr", "", "La rivière monte."),
    ],
)
def test_the_choice_among_several_caption_files(
    two: Path, info_language: str, group_language: str, expected: str
) -> None:
    add_video(two, "clip", None, id="clip", language=info_language)
    for tag, said in (("en", "The river rose."), ("zh-Hans", "河水上涨。"), ("fr", "La rivière monte.")):
        (two / f"clip.{tag}.vtt").write_text(vtt(said), encoding="utf-8")
    write_manifest(two, topic="t", domain="World", language=group_language, video_ids=["first", "second", "clip"])
    clip = read_group(two, NEWS).sources[-1]
    assert clip.transcript.text == expected
    assert any("captions in en, fr, zh-Hans" in note for note in clip.notes)


def test_captions_by_people_go_before_automatic_ones(two: Path) -> None:
    add_video(two, "clip", None, id="clip", automatic_captions={"en-orig": [], "en": []}, subtitles={"en-GB": []})
    (two / "clip.en-orig.vtt").write_text(vtt("the river roes"))
    (two / "clip.en-GB.vtt").write_text(vtt("The river rose."))
    clip = next(source for source in read_group(two, NEWS).sources if source.video_id == "clip")
    assert (clip.transcript.text, clip.transcript.origin) == ("The river rose.", "captions")
    (two / "clip.en-GB.vtt").unlink()
    clip = next(source for source in read_group(two, NEWS).sources if source.video_id == "clip")
    assert (clip.transcript.origin, clip.transcript.language) == ("automatic-captions", "en")


def test_captions_with_the_wrong_language_tag(two: Path) -> None:
    add_video(two, "clip", "河水上涨，无人示警。", "en")
    clip = next(source for source in read_group(two, NEWS).sources if source.video_id == "clip")
    assert clip.transcript.language == "zh"
    assert any("clip.en.vtt: is named as en but written in zh" in note for note in clip.notes)


def test_a_transcript_beside_a_video_serves_where_captions_lack(two: Path) -> None:
    add_video(two, "clip", None)
    add_text(two, "clip", "Typed by hand. With two sentences.")
    clip = next(source for source in read_group(two, NEWS).sources if source.video_id == "clip")
    assert (clip.transcript.origin, len(clip.transcript.sentences)) == ("text-file", 2)
    assert clip.video_file


@pytest.mark.parametrize("data", [b"{", b"[]", b"\xff\xfe\x00", b""])
def test_a_broken_info_json_is_noted(two: Path, data: bytes) -> None:
    add_video(two, "clip")
    (two / "clip.info.json").write_bytes(data)
    clip = next(source for source in read_group(two, NEWS).sources if source.video_id == "clip")
    assert any("clip.info.json" in note for note in clip.notes)


@pytest.mark.parametrize(
    ("info", "date"),
    [
        ({"upload_date": "20250311"}, "2025-03-11"), ({"upload_date": "2025-03-11"}, "2025-03-11"),
        ({"upload_date": "20251399"}, ""), ({"timestamp": 1741680120}, "2025-03-11"), ({"timestamp": "soon"}, ""),
        ({"upload_date": None, "release_date": "20240229"}, "2024-02-29"), ({"timestamp": 1e30}, ""),
    ],
)  # fmt: skip
def test_dates(folder: Path, info: dict[str, object], date: str) -> None:
    add_text(folder, "a")
    (folder / "a.info.json").write_text(json.dumps(info))
    assert read_group(folder, SINGLE).sources[0].date == date


def test_a_playlist_description_is_no_source(two: Path) -> None:
    (two / "All videos [PL1].info.json").write_text('{"_type": "playlist", "id": "PL1"}')
    group = read_group(two, NEWS)
    assert len(group.sources) == 2
    assert not group.left_out


def test_unmerged_streams_are_one_source(two: Path) -> None:
    make_clip(two / "clip.f137.mp4", sound=False)
    make_clip(two / "clip.f140.m4a", show=False)
    (two / "clip.en.vtt").write_text(vtt("Hello."))
    group = read_group(two, NEWS)
    assert [source.video_id for source in group.sources] == ["clip", "first", "second"]
    assert group.sources[0].video_file


# --- what is wrong with the group


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("{", "is not valid JSON"), ("", "is not valid JSON"), ("[]", "holds a list"), ('"x"', "holds a text"),
        ("null", "holds nothing"), ('{"video_ids": "first"}', "'video_ids' is not a list"),
        ('{"video_ids": [["first"]]}', "'video_ids' is not a list"), ('{"video_ids": [""]}', "'video_ids' is not"),
        ('{"topic": 5}', "'topic' is a number"), ('{"domain": ["World"]}', "'domain' is a list"),
    ],
)  # fmt: skip
def test_a_broken_group_json_ends_this_group_and_says_why(two: Path, data: str, message: str) -> None:
    (two / "group.json").write_text(data)
    with pytest.raises(InputError) as raised:
        read_group(two, NEWS)
    assert message in raised.value.message
    assert str(two / "group.json") in raised.value.message
    assert raised.value.hint


def test_missing_keys_of_group_json_are_filled_and_warned_about(two: Path) -> None:
    (two / "group.json").write_text("{}")
    group = read_group(two, NEWS)
    assert (group.topic, group.domain, len(group.sources)) == ("wren flood", "", 2)
    assert [key for key in ("topic", "domain", "video_ids") if any(key in w for w in group.warnings)] == [
        "topic", "domain", "video_ids",
    ]  # fmt: skip


def test_numbers_as_ids(folder: Path) -> None:
    add_text(folder, "101")
    add_text(folder, "102", "Other words.")
    write_manifest(folder, topic="t", domain="World", video_ids=[101, 102])
    assert [source.video_id for source in read_group(folder, NEWS).sources] == ["101", "102"]


def test_a_domain_outside_the_vocabulary_warns(two: Path) -> None:
    write_manifest(two, topic="t", domain="Sports", video_ids=["first", "second"])
    assert any("'Sports' is none of the track's domains" in warning for warning in read_group(two, NEWS).warnings)
    free = NEWS.model_copy(update={"domains": ()})
    assert read_group(two, free).warnings == ()


def test_too_few_sources_lists_why_each_was_left_out(folder: Path) -> None:
    add_text(folder, "only")
    break_zero(folder)
    write_manifest(folder, topic="t", domain="World", video_ids=["only", "bad", "gone"])
    with pytest.raises(InputError) as raised:
        read_group(folder, NEWS)
    told = str(raised.value)
    assert "has 1 usable source, but the track news needs 2" in told
    assert "bad.mp4 (bad): is empty (0 bytes). Download it again." in told
    assert "(gone): no file of the folder has this id" in told


@pytest.mark.parametrize("what", ["missing", "file"])
def test_what_is_no_folder(tmp_path: Path, what: str) -> None:
    path = tmp_path / "nowhere"
    if what == "file":
        path.write_text("x")
    for read in (lambda: read_group(path, NEWS), lambda: find_groups(path)):
        with pytest.raises(InputError, match=r"does not exist|is not a folder"):
            read()


def test_find_groups(tmp_path: Path) -> None:
    for name in ("b", "a", ".hidden", "empty"):
        (tmp_path / name).mkdir()
    for name in ("b", "a", ".hidden"):
        add_text(tmp_path / name, "x")
    assert [path.name for path in find_groups(tmp_path)] == ["a", "b"]
    assert find_groups(tmp_path / "a") == (tmp_path / "a",)
    with pytest.raises(InputError, match="holds no group"):
        find_groups(tmp_path / "empty")


def test_the_same_folder_reads_the_same_twice(two: Path) -> None:
    add_video(two, "clip")
    assert read_group(two, NEWS) == read_group(two, NEWS)


def test_dot_names_the_folder(two: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_video(two, "-dash")
    monkeypatch.chdir(two)
    group = read_group(Path(), NEWS)
    assert group.group_id == "wren flood"
    assert "-dash" in {source.video_id for source in group.sources}
