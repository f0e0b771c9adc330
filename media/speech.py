"""Speech to a transcript with times, by faster-whisper (extra ``[asr]``), from any local model directory.

``Recognizer(SpeechSettings(model="/models/large-v3")).transcribe(Path("vlog.mp4"))`` gives a Transcript of origin
``speech-recognition``; silence and music give one of origin ``none``. Whether a video's captions make this needless is
for the caller to say. Method: VideoVista-CulturalLingo 3.1 and D.4.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from media.captions import Cue
from media.cues import joined
from media.probe import opened
from media.text import is_chinese
from media.transcripts import NO_TRANSCRIPT, paragraph
from records.errors import ConfigurationError, InputError
from records.media import Sentence, Transcript
from records.text import normalized, primary_language
from records.video import SpeechSettings

RATE = 16_000
"""Samples a second, as Whisper wants them."""

Samples = NDArray[np.float32]
"""Sound in one channel, -1.0 to 1.0."""

_GAP_S = 0.1
"""A gap between two pieces of sound that becomes silence, so that times stay those of the video."""
_CLAUSE = 5
"""Characters from which a clause shared with the style prompt is no chance."""


@dataclass(frozen=True)
class Words:
    """What an engine heard."""

    language: str
    """Primary language subtag; ``und`` where nothing was said."""
    words: tuple[Sentence, ...]
    """Single words (or, in Chinese, characters and their punctuation) with their times, in order."""


class Engine(Protocol):
    """Something that hears words in samples at 16 kHz."""

    def hear(self, samples: Samples, language: str, prompts: Mapping[str, str]) -> Words:
        """The words; none in silence or music. `language` is empty where it has to be found out.

        `prompts` maps a language to the text that sets the style of writing.
        """


class Recognizer:
    """Transcribes videos with one model, which is loaded at the first use."""

    def __init__(self, settings: SpeechSettings | None = None, engine: Engine | None = None) -> None:
        self.settings = settings or SpeechSettings()
        self._engine = engine

    def transcribe(self, path: Path, language: str = "") -> Transcript:
        """The words of a video or sound file, sentence by sentence with times in seconds.

        `language` is a language tag; empty: it is found from the sound. A file without sound, or with nothing said, has
        origin ``none``. Raises InputError for a file that cannot be read, ConfigurationError for a missing model or
        library.
        """
        samples = read_sound(path)
        if not samples.size:
            return NO_TRANSCRIPT
        self._engine = self._engine or FasterWhisper(self.settings)
        return transcript_of(self._heard(self._engine, samples, primary_language(language)))

    def _heard(self, engine: Engine, samples: Samples, language: str) -> Words:
        """Words; heard again without the style prompt where a model, unsure of what is said, repeats it as speech."""
        heard = engine.hear(samples, language, self.settings.prompts)
        if not echoes(heard, self.settings.prompts):
            return heard
        return engine.hear(samples, heard.language, {})


def echoes(heard: Words, prompts: Mapping[str, str]) -> bool:
    """Whether a clause of the language's style prompt, five characters or more, stands among the words."""
    text = _letters("".join(word.text for word in heard.words))
    clauses = re.split(r"[，。,.!?！？]", prompts.get(_prompted(heard.language), ""))
    return any(len(_letters(clause)) >= _CLAUSE and _letters(clause) in text for clause in clauses)


def _letters(text: str) -> str:
    return "".join(char for char in normalized(text) if char.isalnum())


def _prompted(language: str) -> str:
    return "zh" if is_chinese(language) and language not in ("", "und") else language


def transcript_of(heard: Words) -> Transcript:
    """Words as sentences, cut at punctuation and, where there is none, at pauses."""
    cues = [Cue(start_s=word.start_s, end_s=word.end_s, lines=(word.text.strip(),)) for word in heard.words]
    sentences = joined((cue for cue in cues if cue.lines[0]), heard.language)
    if not sentences:
        return NO_TRANSCRIPT
    return Transcript(
        language=heard.language, origin="speech-recognition", sentences=sentences, text=paragraph(sentences)
    )


def read_sound(path: Path) -> Samples:
    """A file's first sound stream at 16 kHz in one channel (64 KB a second); empty where there is none.

    Sample 0 stands at the start of the file's presentation, picture included. A damaged packet costs its own sound
    only. Raises InputError if the file cannot be opened.
    """
    import av

    try:
        with opened(path) as container:
            stream = next(iter(container.streams.audio), None)
            return _samples(container, stream) if stream else np.zeros(0, np.float32)
    except (av.error.FFmpegError, OSError) as error:
        raise InputError(f"{path}: its sound cannot be read ({error}).", hint="Download it again.") from error


def _samples(container: Any, stream: Any) -> Samples:
    import av

    begins_s = (container.start_time or 0) / 1_000_000
    chunks: list[NDArray[np.int16]] = []
    length = 0
    resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
    for frame in _frames(container, stream):
        late = round((frame.time - begins_s) * RATE) - length
        if late > _GAP_S * RATE:
            flushed = [_values(piece) for piece in resampler.resample(None)]
            silence = np.zeros(max(0, late - sum(map(len, flushed))), np.int16)
            chunks += [*flushed, silence]
            length += sum(map(len, flushed)) + len(silence)
            resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
        pieces = [_values(piece) for piece in resampler.resample(frame)]
        chunks += pieces
        length += sum(map(len, pieces))
    chunks += [_values(piece) for piece in resampler.resample(None)]
    return np.concatenate([np.zeros(0, np.int16), *chunks]).astype(np.float32) / 32768.0


def _values(frame: Any) -> NDArray[np.int16]:
    values: NDArray[np.int16] = frame.to_ndarray().ravel()
    return values


def _frames(container: Any, stream: Any) -> Any:
    """Frames of sound that have a time; a damaged packet costs its own frames only."""
    import av

    for packet in container.demux(stream):
        try:
            frames = packet.decode()
        except av.error.FFmpegError:
            continue
        yield from (frame for frame in frames if frame.time is not None)


class FasterWhisper:
    """The engine of extra ``[asr]``: Whisper in CTranslate2 form, with Silero's detector of voices before it."""

    def __init__(self, settings: SpeechSettings) -> None:
        """Loads the model. Raises ConfigurationError where the library or the model is missing."""
        try:
            from faster_whisper import WhisperModel
        except ImportError as error:
            raise ConfigurationError(
                "Speech recognition needs faster-whisper.", hint="Install it: pip install 'benchwright[asr]'"
            ) from error
        self._settings = settings
        try:
            self._model = WhisperModel(
                settings.model, device=settings.device, compute_type=settings.compute, cpu_threads=settings.threads
            )
        except (RuntimeError, ValueError, OSError) as error:
            raise ConfigurationError(
                f"speech model {settings.model!r} cannot be loaded ({error}).",
                hint="Name a directory with a CTranslate2 model of Whisper, or a size such as large-v3 with a network.",
            ) from error

    def hear(self, samples: Samples, language: str, prompts: Mapping[str, str]) -> Words:
        """See `Engine.hear`. The model is not asked at all where the detector hears no voice."""
        from faster_whisper.vad import get_speech_timestamps

        if not get_speech_timestamps(samples):
            return Words("und", ())
        language = language if language not in ("", "und") else self._language(samples)
        segments, _ = self._model.transcribe(
            samples,
            language=language,
            beam_size=self._settings.beam,
            initial_prompt=prompts.get(_prompted(language)),
            vad_filter=True,
            word_timestamps=True,
            condition_on_previous_text=False,
        )
        return Words(language, tuple(_timed(word) for segment in segments for word in segment.words or ()))

    def _language(self, samples: Samples) -> str:
        language, _, _ = self._model.detect_language(samples, vad_filter=True, language_detection_segments=3)
        return str(language)


def _timed(word: Any) -> Sentence:
    start_s = round(float(word.start), 3)
    return Sentence(start_s=start_s, end_s=max(start_s, round(float(word.end), 3)), text=str(word.word))


def speech_share(sentences: Sequence[Sentence], duration_s: float) -> float:
    """Share of a video's time in which somebody speaks, 0.0 to 1.0; overlaps count once."""
    heard, until = 0.0, 0.0
    for sentence in sorted(sentences, key=lambda sentence: sentence.start_s):
        heard += max(0.0, sentence.end_s - max(sentence.start_s, until))
        until = max(until, sentence.end_s)
    return min(1.0, heard / duration_s) if duration_s > 0 else 0.0
