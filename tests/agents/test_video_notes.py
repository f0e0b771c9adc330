"""The steps that make notes on a video: what each asks, and a table of what each refuses."""

import pytest

from agents import roles
from agents.classifiers import (
    FRAMES,
    culture_class_request,
    object_class_request,
    read_culture_class,
    read_object_class,
    read_science_class,
    science_class_request,
    science_refusal,
    spread,
)
from agents.concepts import concepts_request, read_concepts
from agents.event_annotator import event_request, read_event
from agents.mending import Faults, mended
from agents.object_finder import (
    NamedObject,
    describe_request,
    ground_request,
    named_tracks,
    objects_request,
    presence_request,
    read_boxes,
    read_descriptions,
    read_objects,
    read_presence,
)
from agents.refiner import Refined, read_refined, refine_request
from agents.segmenter import read_ranges, segment_request, windows
from agents.transcript_quality import quality_request, read_quality
from agents.transcript_quality import spread as spread_sentences
from records.annotation import QualitySettings, ScienceSettings
from records.calls import ImagePart, QuotedPart, Request, TextPart, TranscriptPart
from records.config import ModelSpec, Panel
from records.media import Frame, FrameSignals, Sentence, Transcript
from records.video import Box, EventAnnotation, Segment
from records.video_replies import (
    ConceptsReply,
    CultureClassReply,
    DescriptionsReply,
    EventReply,
    GroundReply,
    ObjectClassReply,
    ObjectsReply,
    PresenceReply,
    QualityReply,
    RefineReply,
    ScienceClassReply,
    SegmentReply,
)
from tests.agents.samples import reply
from tests.agents.video_samples import annotation, described

SEER = ModelSpec(name="seer", model="test/seer")
BLIND = ModelSpec(name="reader", model="test/reader", images=False)
EMBEDDED = ModelSpec(name="extractive", model="offline/extractive", transport="offline")


def transcript(*texts: str, language: str = "en") -> Transcript:
    sentences = tuple(Sentence(start_s=3.0 * n, end_s=3.0 * n + 2.5, text=text) for n, text in enumerate(texts))
    return Transcript(language=language, origin="captions", sentences=sentences, text=" ".join(texts))


def frame(number: int) -> Frame:
    return Frame(
        sha256=f"{number:064d}",
        video_id="v",
        number=number,
        time_s=float(number),
        width=64,
        height=36,
        rank=number,
        signals=FrameSignals(text_density=0.1, sharpness=0.1, novelty=0.1),
    )


def words(request: Request) -> str:
    return "\n".join(part.text for part in request.parts if isinstance(part, TextPart | QuotedPart))


# --- roles


@pytest.mark.parametrize(
    ("panel", "role", "model"),
    [
        ({"drafters": ("reader",)}, "quality", "reader"),
        ({"drafters": ("reader",)}, "annotator", None),
        ({"drafters": ("seer",)}, "annotator", "seer"),
        ({"drafters": ("reader",), "captioner": "seer"}, "annotator", "seer"),
        ({"drafters": ("seer",), "captioner": "reader"}, "classifier", "seer"),
        ({"drafters": ("extractive",)}, "quality", None),
        ({"drafters": ("extractive",), "roles": {"quality": "extractive"}}, "quality", "extractive"),
        ({"drafters": ("reader",), "roles": {"annotator": "reader"}}, "annotator", "reader"),
    ],
)
def test_who_does_a_step(panel: dict[str, object], role: roles.Role, model: str | None) -> None:
    made = Panel.model_validate({"name": "p", "models": (SEER, BLIND, EMBEDDED), **panel})
    found = roles.model_for(made, role)
    assert (found.name if found else None) == model
    assert role in roles.missing(made, role)


# --- transcript quality


@pytest.mark.parametrize(
    ("grades", "least", "audio"),
    [
        ((5, 5, 5), 3, "audio-rich"),
        ((3, 3, 3), 3, "audio-rich"),
        ((2, 5, 5), 3, "audio-noisy"),
        ((5, 2, 5), 3, "audio-noisy"),
        ((5, 5, 2), 3, "audio-noisy"),
        ((3, 3, 3), 4, "audio-noisy"),
    ],
)
def test_every_grade_must_reach_the_bar(grades: tuple[int, int, int], least: int, audio: str) -> None:
    value = QualityReply(reasoning="why", coherence=grades[0], continuity=grades[1], density=grades[2])
    found = read_quality(reply(value), QualitySettings(least=least))
    assert (found.audio, found.coherence, found.continuity, found.density, found.reason) == (audio, *grades, "why")


def test_a_long_transcript_is_shown_in_evenly_spread_sentences() -> None:
    long = transcript(*(f"Sentence {n}." for n in range(1, 101)))
    assert [number for number, _ in spread_sentences(long.sentences, 4)] == [1, 26, 51, 76]
    request = quality_request(long, BLIND, QualitySettings(sentences=4), duration_s=300, group_id="v")
    assert "4 of the 100 sentences" in words(request)
    assert "26. [75 s] Sentence 26." in words(request)


# --- segments


@pytest.mark.parametrize(
    ("count", "size", "expected"),
    [(0, 5, ()), (3, 5, ((1, 3),)), (5, 5, ((1, 5),)), (6, 5, ((1, 3), (4, 6))), (10, 4, ((1, 3), (4, 7), (8, 10)))],
)
def test_windows_cover_all_sentences(count: int, size: int, expected: tuple[tuple[int, int], ...]) -> None:
    assert windows(count, size) == expected
    with pytest.raises(ValueError, match="at least one"):
        windows(3, 0)


@pytest.mark.parametrize(
    ("pieces", "problem"),
    [
        ([(4, 5), (6, 8)], ""),
        ([(4, 8)], ""),
        ([(5, 8)], "must begin with sentence 1"),
        ([(4, 5), (7, 8)], "no paragraph"),
        ([(4, 6), (6, 8)], "two paragraphs"),
        ([(4, 7)], "must end with sentence 5"),
        ([(4, 9)], "must end with sentence 5"),
        ([(6, 5), (6, 8)], "backwards"),
    ],
)
def test_paragraphs_cover_their_window(pieces: list[tuple[int, int]], problem: str) -> None:
    value = SegmentReply(reasoning="", pieces=[{"topic": "t", "first": a, "last": b} for a, b in pieces])
    found = read_ranges(reply(value), (4, 8))
    if not problem:
        assert found == tuple(pieces)
        return
    assert isinstance(found, Faults)
    assert problem in found.problems[0]
    assert "sentence 4 here" in found.problems[0]


def test_a_window_keeps_the_numbers_of_the_whole_transcript() -> None:
    request = segment_request(transcript(*"abcdef"), (3, 5), BLIND, group_id="v")
    assert "3. [6 s] c\n4. [9 s] d\n5. [12 s] e" in words(request)
    assert "begins with sentence 3, the last one ends with sentence 5" in words(request)


def test_a_reply_with_faults_goes_back_whole() -> None:
    request = segment_request(transcript(*"abc"), (1, 3), BLIND, group_id="v")
    again = mended(request, '{"pieces": []}', Faults(problems=("sentence 2 is missing", "no end")))
    assert again.parts[: len(request.parts)] == request.parts
    assert "- sentence 2 is missing\n- no end" in words(again)
    assert '{"pieces": []}' in words(again)


# --- refinement

SPOKEN = ("今天我们做一个小吊饰。", "它重40克，用桦木做成。", "林秀真会教大家。")


@pytest.mark.parametrize(
    ("number", "text", "used"),
    [
        (1, "今天我们做一个小吊式。", True),
        (2, "它重四十克，用桦木做成。", True),
        (2, "它重45克，用桦木做成。", False),
        (2, "它用桦木做成。", False),
        (3, "林秀珍会教大家。", True),
        (3, "王小明会教大家。", False),
        (1, "今天我们做一个小吊饰，" + "很有意思，" * 9, False),
        (1, "做。", False),
    ],
)
def test_a_refined_sentence_keeps_numbers_names_and_length(number: int, text: str, used: bool) -> None:
    texts = {n: (text if n == number else old) for n, old in enumerate(SPOKEN, start=1)}
    value = RefineReply(sentences=[{"number": n, "text": each} for n, each in texts.items()])
    found = read_refined(reply(value), transcript(*SPOKEN, language="zh"), (1, 3))
    assert isinstance(found, Refined)
    assert (number in found.texts) == used
    assert set(found.texts) | {number} == {1, 2, 3}
    assert bool(found.problems) != used
    assert all(f"sentence {number}" in problem for problem in found.problems)


@pytest.mark.parametrize("numbers", [[1, 2], [1, 2, 2, 3], [1, 2, 3, 4], [0 + 1, 3, 5]])
def test_every_sentence_comes_back_once(numbers: list[int]) -> None:
    value = RefineReply(sentences=[{"number": n, "text": "好。"} for n in numbers])
    assert isinstance(read_refined(reply(value), transcript(*SPOKEN, language="zh"), (1, 3)), Faults)


def test_a_later_window_is_shown_with_what_came_before() -> None:
    request = refine_request(transcript(*SPOKEN, language="zh"), (3, 3), BLIND, group_id="v")
    (before,) = [part for part in request.parts if isinstance(part, QuotedPart) and part.name == "before"]
    assert before.text == "\n".join(SPOKEN[:2])


# --- events

SEGMENT = Segment(video_id="v", index=2, start_s=30.0, end_s=45.0, text="And now the board.", origin="speech")
LOG = tuple(EventAnnotation(event=f"Thing {n}.", start_s=15.0 * n, end_s=15.0 * (n + 1)) for n in range(2))


def test_an_event_is_asked_with_history_frames_and_words_and_keeps_the_segments_times() -> None:
    request = event_request(SEGMENT, 4, LOG, (frame(1), frame(2)), SEER, language="en")
    assert isinstance(request.parts[0], QuotedPart)
    assert request.prefix_parts == 1
    assert "1. [0.0-15.0 s, 0:00:00 to 0:00:15] Thing 0." in request.parts[0].text
    assert [part.number for part in request.parts if isinstance(part, ImagePart)] == [1, 2]
    assert [part.text for part in request.parts if isinstance(part, TranscriptPart)] == ["And now the board."]
    assert "segment 3 of 4, from 0:00:30 to 0:00:45" in words(request)
    event = read_event(reply(EventReply(reasoning="", event=" A board\ncomes. ", audio="")), SEGMENT)
    assert event == EventAnnotation(event="A board comes.", audio="", start_s=30.0, end_s=45.0)


def test_an_event_that_says_nothing_goes_back() -> None:
    assert isinstance(read_event(reply(EventReply(reasoning="", event=" \n ")), SEGMENT), Faults)


def test_history_is_cut_to_the_latest_and_a_text_model_sees_no_frame() -> None:
    request = event_request(SEGMENT, 4, LOG, (frame(1),), BLIND, language="zh", most_history=1)
    assert "Thing 0." not in words(request)
    assert "2. [15.0-30.0 s" in words(request)
    assert not [part for part in request.parts if isinstance(part, ImagePart)]
    assert "No frame is shown" in words(request)
    assert "Reply in Chinese" in words(request)


def test_the_first_silent_segment_has_neither_log_nor_words() -> None:
    silent = SEGMENT.model_copy(update={"text": "", "index": 0})
    request = event_request(silent, 4, (), (frame(1),), SEER, language="en")
    assert request.prefix_parts == 0
    assert "Nothing is said" in words(request)


# --- classes


@pytest.mark.parametrize(
    ("real", "rich", "moving", "reason"),
    [
        (True, True, True, ""),
        (False, True, True, "real world"),
        (True, False, True, "rich"),
        (True, True, False, "moves"),
    ],
)
def test_objects_need_all_three(real: bool, rich: bool, moving: bool, reason: str) -> None:
    value = ObjectClassReply(reasoning="", real_world=real, rich_objects=rich, moving_objects=moving)
    found = read_object_class(reply(value))
    assert (found == "") == (reason == "")
    assert reason in found


def test_cultures_are_found_each_by_itself_and_only_those_that_are_asked_about() -> None:
    value = CultureClassReply(reasoning="a parade", chinese=True, american=False, european=True)
    assert [each.culture for each in read_culture_class(reply(value))] == ["chinese", "european"]
    assert [each.culture for each in read_culture_class(reply(value), ("american", "european"))] == ["european"]


SCIENCE = ScienceSettings(disciplines={"physics": ("mechanics", "optics")})


@pytest.mark.parametrize(
    ("relevance", "density", "kind", "refused"),
    [(4, 3, "course", ""), (3, 5, "course", "relevance"), (5, 2, "course", "density"), (5, 5, "neither", "neither")],
)
def test_science_must_be_relevant_and_dense(relevance: int, density: int, kind: str, refused: str) -> None:
    value = ScienceClassReply.model_validate(
        {"reasoning": "", "relevance": relevance, "density": density, "kind": kind}
    )
    found = read_science_class(reply(value), SCIENCE)
    assert refused in science_refusal(found, SCIENCE)
    assert bool(science_refusal(found, SCIENCE)) == bool(refused)


@pytest.mark.parametrize(
    ("discipline", "sub", "expected"),
    [
        ("Physics", "OPTICS", ("physics", "optics")),
        ("physics", "magic", ("physics", "")),
        ("law", "torts", ("", "torts")),
    ],
)
def test_disciplines_keep_to_the_vocabulary(discipline: str, sub: str, expected: tuple[str, str]) -> None:
    value = ScienceClassReply(
        reasoning="", relevance=5, density=5, kind="course", discipline=discipline, sub_discipline=sub
    )
    found = read_science_class(reply(value), SCIENCE)
    assert (found.discipline, found.sub_discipline) == expected


def test_classifiers_share_a_prefix_and_see_spread_frames() -> None:
    notes = annotation(frames=tuple(frame(n) for n in range(1, 41)))
    said = transcript("A word.")
    culture = culture_class_request(notes, said, SEER)
    science = science_class_request(notes, said, SEER, SCIENCE)
    assert culture.parts[: culture.prefix_parts] == science.parts[: science.prefix_parts]
    assert sum(isinstance(part, ImagePart) for part in culture.parts) == FRAMES
    assert "physics: mechanics, optics" in words(science)
    assert not [part for part in object_class_request(notes, BLIND).parts if isinstance(part, ImagePart)]
    assert [each.number for each in spread(notes.frames, 4)] == [1, 11, 21, 31]


# --- objects

OBJECTS = (NamedObject(name="红色水壶", phrase="red kettle"), NamedObject(name="帽子", phrase="straw hat"))


@pytest.mark.parametrize(
    ("names", "fine"),
    [
        ([("a", "x"), ("b", "y"), ("c", "z")], True),
        ([("a", "a"), ("b", "b"), ("c", "c")], True),
        ([("a", "x"), ("A ", "y"), ("c", "z")], False),
        ([("a", "x"), ("b", "X"), ("c", "z")], False),
        ([("a", "x"), (" ", "y"), ("c", "z")], False),
    ],
)
def test_objects_have_names_of_their_own(names: list[tuple[str, str]], fine: bool) -> None:
    value = ObjectsReply(reasoning="", objects=[{"name": name, "phrase": phrase} for name, phrase in names])
    found = read_objects(reply(value))
    assert isinstance(found, Faults) != fine
    assert "Chinese" in words(objects_request(annotation("zh"), SEER))


@pytest.mark.parametrize(
    ("entries", "seen"),
    [
        ([(1, [1]), (2, [2, 1, 1])], {"red kettle": [4.0, 5.0], "straw hat": [5.0]}),
        ([(2, []), (1, [])], {"red kettle": [], "straw hat": []}),
        ([(1, [1])], None),
        ([(1, [1]), (1, [1])], None),
        ([(1, [1]), (2, [3])], None),
        ([(1, [1]), (3, [1])], None),
        ([(1, [0]), (2, [])], None),
    ],
    ids=["sound", "nothing", "missing", "doubled", "unknown object", "unknown frame", "zero"],
)
def test_presence(entries: list[tuple[int, list[int]]], seen: dict[str, list[float]] | None) -> None:
    value = PresenceReply(frames=[{"frame": n, "present": present} for n, present in entries])
    found = read_presence(reply(value), OBJECTS, (frame(4), frame(5)))
    assert (None if isinstance(found, Faults) else found) == seen


def test_frames_of_a_presence_call_are_numbered_from_one() -> None:
    request = presence_request(OBJECTS, (frame(4), frame(5)), SEER, group_id="v")
    assert [part.number for part in request.parts if isinstance(part, ImagePart)] == [1, 2]
    assert "1. 红色水壶 (red kettle)\n2. 帽子 (straw hat)" in words(request)


@pytest.mark.parametrize(
    ("number", "box", "fine"),
    [
        (1, [0.1, 0.1, 0.4, 0.5], True),
        (3, [0.1, 0.1, 0.4, 0.5], False),
        (1, [0.4, 0.1, 0.1, 0.5], False),
        (1, [0.1, 0.5, 0.4, 0.5], False),
    ],
)
def test_boxes_are_checked(number: int, box: list[float], fine: bool) -> None:
    found = read_boxes(reply(GroundReply(boxes=[{"object": number, "box": box}])), OBJECTS)
    assert isinstance(found, Faults) != fine
    if not isinstance(found, Faults):
        assert found[0].name == "red kettle"
        assert found[0].box == Box(x0=0.1, y0=0.1, x1=0.4, y1=0.5)
    assert not read_boxes(reply(GroundReply()), OBJECTS)
    assert (
        len([p for p in ground_request(OBJECTS, frame(1), SEER, group_id="v").parts if isinstance(p, ImagePart)]) == 1
    )


@pytest.mark.parametrize(
    ("numbers", "fine"), [([1, 2], True), ([2, 1], True), ([1], False), ([1, 1], False), ([1, 3], False)]
)
def test_every_object_is_described_once(numbers: list[int], fine: bool) -> None:
    objects = (described("a kettle", 5.0), described("a hat", 9.0))
    value = DescriptionsReply(objects=[{"object": n, "description": f"Text {n}."} for n in numbers])
    found = read_descriptions(reply(value), objects)
    assert isinstance(found, Faults) != fine
    if not isinstance(found, Faults):
        assert [each.text for each in found] == ["Text 1.", "Text 2."]
    assert "0:00:05" in words(describe_request(objects, annotation(), SEER))


def test_tracks_get_the_names_of_the_videos_language() -> None:
    track = described("red kettle", 5.0).track
    assert [each.track.name for each in named_tracks((track,), OBJECTS)] == ["红色水壶"]


# --- concepts


@pytest.mark.parametrize(
    ("panel", "blind"),
    [({"presence": "reader"}, ("presence",)), ({"grounder": "seer"}, ()), ({"annotator": "reader"}, ())],
)
def test_looking_needs_eyes(panel: dict[str, str], blind: tuple[str, ...]) -> None:
    assert roles.blind_roles(Panel(name="p", models=(SEER, BLIND), roles=panel)) == blind


def test_concepts_are_taken_once_and_no_more_than_asked() -> None:
    concepts = [{"concept": " Lantern  dance "}, {"concept": "Lantern dance"}]
    assert not read_concepts(reply(ConceptsReply(reasoning="", concepts=[{"concept": " "}])), 2)
    value = ConceptsReply(reasoning="", concepts=concepts)
    assert read_concepts(reply(value), 2) == ("Lantern dance",)
    finding = annotation().cultures[0].model_copy(update={"reason": "a dance is shown"})
    request = concepts_request(finding, annotation("zh"), transcript("一句话。", language="zh"), BLIND, 2)
    assert "Chinese culture" in words(request)
    assert "a dance is shown" in words(request)
