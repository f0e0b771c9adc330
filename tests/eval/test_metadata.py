import json
from pathlib import Path
from typing import Any

import pytest

from eval.metadata import join_metadata
from records.errors import InputError
from tests.eval.samples import item


def write(tmp_path: Path, value: Any) -> Path:
    path = tmp_path / "meta.json"
    path.write_text(json.dumps(value))
    return path


def test_facts_are_joined_by_video_id(tmp_path: Path) -> None:
    meta = [{"video_id": "v1", "duration": "0:02:30", "domain": "Health", "discipline": "Math", "website": "YouTube",
             "channel": "Orbis24"}]  # fmt: skip
    joined = join_metadata([item(video_ids=("v1",)), item("q2", video_ids=("v2",))], write(tmp_path, meta))
    first, second = joined.items
    assert (first.duration_s, first.domain, first.discipline) == (150, "Health", "Math")
    assert (first.platforms, first.outlets) == (("YouTube",), ("Orbis24",))
    assert second == item("q2", video_ids=("v2",))
    assert "metadata for 1 of 2 items" in joined.notes[0]


def test_what_the_benchmark_says_itself_is_kept(tmp_path: Path) -> None:
    meta = [{"video_id": "v1", "domain": "Health", "duration": 10}]
    (found,) = join_metadata([item(video_ids=("v1",), domain="World")], write(tmp_path, meta)).items
    assert (found.domain, found.duration_s) == ("World", 10)


def test_several_videos_add_up_and_share_only_what_they_share(tmp_path: Path) -> None:
    meta = [{"video_id": "v1", "duration": 60, "outlet": "a", "domain": "World"},
            {"video_id": "v2", "duration": 90, "outlet": "b", "domain": "World"}]  # fmt: skip
    (found,) = join_metadata([item(video_ids=("v1", "v2"))], write(tmp_path, meta)).items
    assert (found.duration_s, found.outlets, found.domain) == (150, ("a", "b"), "World")
    (partial,) = join_metadata([item(video_ids=("v1", "v3"))], write(tmp_path, meta)).items
    assert partial.duration_s is None


def test_a_clip_is_told_from_its_video_by_file_name(tmp_path: Path) -> None:
    clip = item(video_ids=("v1",), video_files=("v1.4.mp4",))
    whole = join_metadata([clip], write(tmp_path, [{"video_id": "v1", "duration": 900}]))
    assert whole.items[0].duration_s == 900
    assert "1 items are about clips" in whole.notes[1]
    exact = join_metadata([clip], write(tmp_path, [{"video_path": "v1.4.mp4", "duration": 20}]))
    assert (exact.items[0].duration_s, len(exact.notes)) == (20, 1)


def test_the_events_time_is_joined_by_question(tmp_path: Path) -> None:
    meta = [{"question_id": "q1", "duration": 60, "event_start": "0:00:10", "event_end": 20}]
    (found,) = join_metadata([item("q1", video_ids=("v1",))], write(tmp_path, meta)).items
    assert (found.event_start_s, found.event_end_s, found.duration_s) == (10, 20, 60)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([{"video_id": "v9", "duration": 1}], "none of its videos"),
        ([{"name": "v1", "duration": 1}], "no video_id column"),
        ([{"video_id": "v1", "duration": 1}, {"video_id": "v1", "duration": 2}], "row 2: a second, different row"),
    ],
)
def test_metadata_that_cannot_be_joined_are_refused(value: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        join_metadata([item(video_ids=("v1",))], write(tmp_path, value))


@pytest.mark.parametrize("duration", ["short", "", None, -3, "0:75:10"])
def test_a_duration_that_is_none_stays_unknown(duration: Any, tmp_path: Path) -> None:
    (found,) = join_metadata(
        [item(video_ids=("v1",))], write(tmp_path, [{"video_id": "v1", "duration": duration}])
    ).items
    assert found.duration_s is None
