"""A source's transcript: the best of its caption files, or its text file, cleaned (VNU-Bench F.2).

The video's own language goes before translations, captions that people wrote before automatic ones.
"""

from pathlib import Path

from media.captions import CaptionFile, read_captions
from media.cues import sentences_of
from media.files import CAPTION_SUFFIXES, Files, decoded
from media.metadata import Metadata
from media.text import clean, join, split_sentences
from records.errors import InputError
from records.media import Sentence, Transcript, TranscriptOrigin
from records.text import language_of, primary_language

NO_TRANSCRIPT = Transcript(language="und", origin="none")


class Heard:
    """A transcript, the file that it came from, and what a user should know about the choice."""

    def __init__(self, transcript: Transcript, file: Path | None, notes: tuple[str, ...]) -> None:
        self.transcript, self.file, self.notes = transcript, file, notes


def read_transcript(files: Files, metadata: Metadata, group_language: str) -> Heard:
    """The transcript of a source, from the first caption file in order of preference that has words, else its text.

    Never raises for a damaged caption file: it is passed over with a note that names it.
    """
    notes: list[str] = []
    for language, path in _preferred(files, metadata, group_language):
        transcript, problem = _from_captions(path, language, metadata)
        if transcript:
            return Heard(transcript, path, (*notes, *_choice_note(files, path), *_tag_note(path, language, transcript)))
        notes.append(problem)
    if files.text:
        text = decoded(files.text)
        transcript = _from_text(text, metadata.language or group_language)
        if transcript.text and "\0" not in text:
            return Heard(transcript, files.text, tuple(notes))
        problem = "is empty" if not transcript.text else "is not a text"
        notes.append(f"{files.text.name}: {problem}. Put the transcript into it, or delete it.")
    return Heard(NO_TRANSCRIPT, None, tuple(notes))


def _preferred(files: Files, metadata: Metadata, group_language: str) -> list[tuple[str, Path]]:
    wanted = [primary_language(tag) for tag in (metadata.language, group_language, "en", "zh") if tag]

    def order(caption: tuple[str, Path]) -> tuple[object, ...]:
        language, path = caption
        primary = primary_language(language)
        return (
            wanted.index(primary) if primary in wanted else len(wanted) * bool(primary),
            _is_automatic(language, metadata),
            not language.endswith("-orig"),
            CAPTION_SUFFIXES.index(path.suffix.lower()),
            path.name,
        )

    return sorted(files.captions, key=order)


def _is_automatic(language: str, metadata: Metadata) -> bool:
    if language.endswith("-orig"):
        return True
    return language in metadata.automatic_captions and language not in metadata.human_captions


def _from_captions(path: Path, language: str, metadata: Metadata) -> tuple[Transcript | None, str]:
    try:
        captions = read_captions(path)
    except (InputError, OSError) as error:
        return None, str(error)
    tag = (language or captions.language or metadata.language).removesuffix("-orig")
    sentences = sentences_of(captions, tag or "und")
    if not sentences:
        return None, f"{path.name}: has no words. Download the captions again, or put a {path.stem}.txt beside it."
    text = paragraph(sentences)
    return (
        Transcript(
            language=_true_language(tag, text), origin=_origin(captions, language, metadata), sentences=sentences,
            text=text,
        ),
        "",
    )  # fmt: skip


def _origin(captions: CaptionFile, language: str, metadata: Metadata) -> TranscriptOrigin:
    automatic = captions.word_timed or _is_automatic(language, metadata)
    return "automatic-captions" if automatic else "captions"


def _from_text(written: str, language: str) -> Transcript:
    text = clean(written)
    tag = _true_language(language, text)
    sentences = tuple(Sentence(start_s=0.0, end_s=0.0, text=piece) for piece in split_sentences(text, tag))
    return Transcript(language=tag, origin="text-file", sentences=sentences, text=paragraph(sentences))


def paragraph(sentences: tuple[Sentence, ...]) -> str:
    """Sentences as one coherent paragraph; Chinese ones without a space between."""
    return join(tuple(sentence.text for sentence in sentences))


def _true_language(tag: str, text: str) -> str:
    """The tag, unless the script says otherwise: English words are no Chinese transcript, and the other way round."""
    written = language_of(text)
    primary = primary_language(tag)
    if primary in ("", "und") or (primary in ("en", "zh") and primary != written):
        return written
    return tag


def _choice_note(files: Files, chosen: Path) -> tuple[str, ...]:
    languages = sorted({language for language, _ in files.captions if language})
    if len({primary_language(tag) for tag in languages}) < 2:
        return ()
    return (f"{files.base}: captions in {', '.join(languages)}; {chosen.name} is used.",)


def _tag_note(path: Path, tag: str, transcript: Transcript) -> tuple[str, ...]:
    if not tag or primary_language(tag) == primary_language(transcript.language):
        return ()
    return (f"{path.name}: is named as {tag} but written in {transcript.language}; rename it.",)
