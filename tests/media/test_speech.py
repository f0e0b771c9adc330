"""Speech to sentences: sound read in time with the picture, words cut at sentences, prompts that models echo."""

import math
import os
import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from media import speech
from media.speech import RATE, Recognizer, Samples, Words, echoes, read_sound, speech_share, transcript_of
from records.errors import ConfigurationError, InputError
from records.media import Sentence
from records.video import SpeechSettings
from tests.conftest import shared_data
from tests.media.clips import Scene, make_clip

PROMPTS = SpeechSettings().prompts


def words(*timed: tuple[float, float, str], language: str = "en") -> Words:
    return Words(language, tuple(Sentence(start_s=start, end_s=end, text=text) for start, end, text in timed))


class Ear:
    """Hears what it is told to, and keeps what it was asked."""

    def __init__(self, *answers: Words) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[int, str, dict[str, str]]] = []

    def hear(self, samples: Samples, language: str, prompts: Mapping[str, str]) -> Words:
        self.asked.append((len(samples), language, dict(prompts)))
        return self._answers.pop(0)


def tone(path: Path, seconds: float, *, rate: int = 44_100, layout: str = "stereo", start_s: float = 0.0) -> Path:
    """A video of 0.1 s and more whose sound is a tone of 440 Hz that begins at `start_s`."""
    with av.open(f"file:{path}", "w", format="matroska") as container:
        picture = container.add_stream("mpeg4", rate=10)
        picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
        sound = container.add_stream("pcm_s16le", rate=rate, layout=layout)
        for index in range(round((start_s + seconds) * 10)):
            frame = av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8), format="bgr24")
            frame.pts, frame.time_base = index, Fraction(1, 10)
            container.mux(picture.encode(frame))
        container.mux(picture.encode(None))
        values = 0.5 * np.sin(2 * math.pi * 440 * np.arange(round(seconds * rate)) / rate)
        packed = np.repeat((values * 32767).astype(np.int16), 2 if layout == "stereo" else 1)[None, :]
        frame = av.AudioFrame.from_ndarray(packed, format="s16", layout=layout)
        frame.sample_rate, frame.pts, frame.time_base = rate, round(start_s * rate), Fraction(1, rate)
        container.mux(sound.encode(frame))
        container.mux(sound.encode(None))
    return path


# --- sound


@pytest.mark.parametrize(("rate", "layout"), [(44_100, "stereo"), (8_000, "mono"), (48_000, "stereo")])
def test_sound_is_read_at_16_khz_in_one_channel(tmp_path: Path, rate: int, layout: str) -> None:
    samples = read_sound(tone(tmp_path / "a b.mkv", 1.0, rate=rate, layout=layout))
    assert samples.dtype == np.float32
    assert abs(len(samples) - RATE) < 0.02 * RATE
    assert np.abs(samples).max() == pytest.approx(0.5, abs=0.05)
    spectrum = np.abs(np.fft.rfft(samples[: RATE // 2]))
    assert spectrum.argmax() * 2 == pytest.approx(440, abs=4), "the pitch stays"


def test_sound_that_begins_late_keeps_its_time(tmp_path: Path) -> None:
    samples = read_sound(tone(tmp_path / "late.mkv", 1.0, start_s=2.0))
    loud = np.flatnonzero(np.abs(samples) > 0.1)
    assert loud[0] / RATE == pytest.approx(2.0, abs=0.06)
    assert len(samples) / RATE == pytest.approx(3.0, abs=0.1)


def test_no_sound_is_no_transcript_and_asks_no_model(tmp_path: Path) -> None:
    ear = Ear()
    transcript = Recognizer(engine=ear).transcribe(make_clip(tmp_path / "mute.mp4", [Scene(0.5)], sound=False))
    assert (transcript.origin, transcript.text, ear.asked) == ("none", "", [])


def test_a_file_that_is_no_video_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_bytes(b"words")
    with pytest.raises(InputError, match=r"a\.mp4"):
        read_sound(tmp_path / "a.mp4")


# --- words


def test_words_become_sentences_with_times() -> None:
    heard = words(
        (0.5, 0.9, " Twelve"), (0.9, 1.4, " ships"), (1.4, 2.0, " wait."), (2.6, 3.0, " Why?"), (3.2, 3.9, " Nobody"),
        (3.9, 4.4, " knows."),
    )  # fmt: skip
    transcript = transcript_of(heard)
    assert transcript.origin == "speech-recognition"
    assert [(s.start_s, s.end_s, s.text) for s in transcript.sentences] == [
        (0.5, 2.0, "Twelve ships wait."), (2.6, 3.0, "Why?"), (3.2, 4.4, "Nobody knows."),
    ]  # fmt: skip
    assert transcript.text == "Twelve ships wait. Why? Nobody knows."


def test_chinese_words_are_joined_without_spaces() -> None:
    heard = words((0.0, 0.5, "春茶"), (0.5, 1.0, "开采了。"), (1.2, 2.0, "游客很多。"), language="zh")
    transcript = transcript_of(heard)
    assert [s.text for s in transcript.sentences] == ["春茶开采了。", "游客很多。"]
    assert transcript.text == "春茶开采了。游客很多。"
    assert transcript.language == "zh"


def test_a_word_said_twice_stays() -> None:
    heard = words((0.0, 0.4, " It"), (0.4, 0.6, " is"), (0.6, 1.0, " very"), (1.0, 1.5, " very"), (1.5, 2.0, " old."))
    assert transcript_of(heard).text == "It is very very old."


def test_speech_without_punctuation_is_cut_at_pauses() -> None:
    first = [(index * 0.3, index * 0.3 + 0.3, f" word{index}") for index in range(12)]
    second = [(10 + index * 0.3, 10.3 + index * 0.3, f" more{index}") for index in range(3)]
    found = transcript_of(words(*first, *second)).sentences
    assert [sentence.start_s for sentence in found] == [0.0, 10.0]


@pytest.mark.parametrize("text", [" [Music]", "♪", "(音乐)", " "])
def test_marks_for_sounds_are_no_speech(text: str) -> None:
    assert transcript_of(words((0.0, 2.0, text))).origin == "none"


# --- the style prompt


@pytest.mark.parametrize(
    ("text", "language", "echo"),
    [
        (PROMPTS["zh"], "zh", True),
        ("你好，句子之间有标点，再见", "zh", True),
        ("春茶开采了，游客很多。", "zh", False),
        (PROMPTS["zh"], "en", False),
        ("", "zh", False),
    ],
)
def test_an_echo_of_the_style_prompt_is_noticed(text: str, language: str, echo: bool) -> None:
    assert echoes(words((0.0, 1.0, text), language=language), PROMPTS) is echo


def test_after_an_echo_the_sound_is_heard_again_without_the_prompt(tmp_path: Path) -> None:
    ear = Ear(words((0.0, 1.0, PROMPTS["zh"]), language="zh"), words((0.0, 1.0, "春茶开采了。"), language="zh"))
    transcript = Recognizer(engine=ear).transcribe(tone(tmp_path / "a.mkv", 0.5), "zh-Hans")
    assert transcript.text == "春茶开采了。"
    assert [(language, prompts) for _, language, prompts in ear.asked] == [("zh", PROMPTS), ("zh", {})]


def test_share_of_speech_counts_overlaps_once() -> None:
    heard = words((0.0, 4.0, "a"), (2.0, 5.0, "b"), (8.0, 9.0, "c")).words
    assert speech_share(heard, 12.0) == pytest.approx(0.5)
    assert speech_share((), 12.0) == 0.0
    assert speech_share(heard, 0.0) == 0.0


# --- the real engine


def test_a_missing_library_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faster_whisper", None)
    with pytest.raises(ConfigurationError, match="faster-whisper"):
        Recognizer().transcribe(tone(tmp_path / "a.mkv", 0.3))


@pytest.fixture(scope="module")
def recognizer() -> Recognizer:
    pytest.importorskip("faster_whisper", reason="extra [asr] is not installed")
    model = os.environ.get("BENCHWRIGHT_WHISPER")
    if not model:
        pytest.skip("needs a directory with a Whisper model in BENCHWRIGHT_WHISPER")
    return Recognizer(SpeechSettings(model=model, device="cpu", compute="int8", threads=2))


@pytest.mark.slow
def test_whisper_hears_a_report(recognizer: Recognizer) -> None:
    transcript = recognizer.transcribe(shared_data("news", "world-calder-star", "wCalderOrb1.mp4"))
    assert (transcript.language, transcript.origin) == ("en", "speech-recognition")
    said = transcript.text.lower()
    for fact in ("22 crew", "transport minister", "90 k"):
        assert fact in said
    crew = next(sentence for sentence in transcript.sentences if "22 crew" in sentence.text)
    assert 20 < crew.start_s < crew.end_s < 29, "the captions have it at 22 s"
    assert len(transcript.sentences) >= 6


@pytest.mark.slow
def test_whisper_hears_nothing_in_music_and_silence(recognizer: Recognizer, tmp_path: Path) -> None:
    chord = np.zeros(6 * RATE, np.float32)
    for beat, pitch in enumerate((262, 330, 392, 523, 392, 330, 262, 196, 262, 330, 392, 523)):
        time_s = np.arange(RATE // 2) / RATE
        note = sum(np.sin(2 * math.pi * pitch * harmonic * time_s) / harmonic for harmonic in (1, 2, 3))
        chord[beat * RATE // 2 :][: RATE // 2] = 0.2 * note * np.exp(-3 * time_s)
    for sound in (chord, np.zeros(4 * RATE, np.float32)):
        assert speech.FasterWhisper(recognizer.settings).hear(sound, "", PROMPTS).words == ()


@pytest.mark.slow
def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    pytest.importorskip("faster_whisper", reason="extra [asr] is not installed")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigurationError, match="empty"):
        speech.FasterWhisper(SpeechSettings(model=str(tmp_path / "empty"), device="cpu"))
