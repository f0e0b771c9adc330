"""Frames in batches, and replies that do not fit the batch."""

import pytest

from agents.captioner import batches, caption_request, read_captions, relevance
from records.calls import CallFailure, ImagePart, TextPart, TranscriptPart
from records.replies import CaptionReply, FrameReply
from tests.agents.samples import MODEL, frame, group, reply, source

FRAMES = tuple(frame("v1", number, number) for number in (3, 5, 9))
SCORES = [0.1 * place for place in range(10)]


def captions(*numbers: int) -> CaptionReply:
    return CaptionReply(frames=[FrameReply(frame=n, caption=f" seen {n} ", scores=SCORES) for n in numbers])


@pytest.mark.parametrize(("size", "lengths"), [(1, [1, 1, 1]), (2, [2, 1]), (3, [3]), (8, [3])])
def test_batches_keep_order(size: int, lengths: list[int]) -> None:
    cut = batches(FRAMES, size)
    assert [len(batch) for batch in cut] == lengths
    assert tuple(each for batch in cut for each in batch) == FRAMES
    assert batches((), size) == ()


def test_a_batch_has_at_least_one_frame() -> None:
    with pytest.raises(ValueError, match="at least one"):
        batches(FRAMES, 0)


def test_one_call_shows_frames_numbered_from_one_and_no_words() -> None:
    asked = caption_request(FRAMES, MODEL, group("zh-Hans"), source())
    assert [part.number for part in asked.parts if isinstance(part, ImagePart)] == [1, 2, 3]
    assert [part.sha256 for part in asked.parts if isinstance(part, ImagePart)] == [each.sha256 for each in FRAMES]
    assert not [part for part in asked.parts if isinstance(part, TranscriptPart)]
    text = "".join(part.text for part in asked.parts if isinstance(part, TextPart))
    assert "3 frames follow" in text
    assert "sentences in Chinese" in text
    assert all(f"- T{number} " in text for number in range(1, 11))
    assert (asked.task, asked.reply_model) == ("caption", CaptionReply)


def test_captions_are_kept_by_frame() -> None:
    read = read_captions(reply(captions(2, 1, 3)), FRAMES)
    assert read == {f"v1-{n}": (f"seen {k}", tuple(SCORES)) for k, n in enumerate((3, 5, 9), start=1)}


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((1, 2), "missing: 3"),
        ((1, 2, 2, 3), "doubled: 2"),
        ((1, 2, 3, 4), "unknown: 4"),
        ((), "missing: 1, 2, 3"),
        ((1, 1, 7), "unknown: 7; missing: 2, 3; doubled: 1"),
    ],
)
def test_replies_that_do_not_fit_are_failures(numbers: tuple[int, ...], words: str) -> None:
    read = read_captions(reply(captions(*numbers)), FRAMES)
    assert isinstance(read, CallFailure)
    assert (read.outcome, read.request_id) == ("unparsed", "r-1")
    assert words in read.message


@pytest.mark.parametrize("scores", [[0.5] * 9, [0.5] * 11, [0.5] * 9 + [1.1], [0.5] * 9 + [-0.1], [0.5] * 9 + ["much"]])
def test_scores_out_of_range_do_not_validate(scores: list[object]) -> None:
    with pytest.raises(ValueError, match="scores"):
        FrameReply.model_validate({"frame": 1, "caption": "x", "scores": scores})


def test_relevance_is_the_sum() -> None:
    assert relevance(tuple(SCORES)) == pytest.approx(4.5)
