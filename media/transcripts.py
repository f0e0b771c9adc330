"""A source's transcript: the best of its caption files, or its text file, cleaned (VNU-Bench F.2).

The video's own language goes before translations, captions that people wrote before automatic ones.
"""

from dataclasses import dataclass
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


@dataclass(frozen=True)
class Heard:
    """A transcript, the file that it came from, and what a user should know about the choice."""

    transcript: Transcript
    file: Path | None
    notes: tuple[str, ...]
    problem: str = ""
    """Where there are no words: what is wrong with the first file that should hold some, as a clause."""


def read_transcript(files: Files, metadata: Metadata, group_language: str) -> Heard:
    """The transcript of a source, from the first caption file in order of preference that has words, else its text.

    A damaged caption file is passed over with a note that names it. Raises OSError for a file that cannot be opened.
    """
    problems: list[tuple[Path, str, str]] = []
    for language, path in _preferred(files, metadata, group_language):
        read = _from_captions(path, language, metadata)
        if isinstance(read, Transcript):
            notes = (*_choice_note(files, path), *_tag_note(path, language, read))
            return Heard(read, path, (*map(_note, problems), *notes))
        problems.append((path, *read))
    if files.text:
        said = _from_text(files.text, metadata.language or group_language)
        if isinstance(said, Transcript):
            return Heard(said, files.text, tuple(map(_note, problems)))
        problems.append((files.text, *said))
    return Heard(NO_TRANSCRIPT, None, tuple(map(_note, problems)), problems[0][1] if problems else "")


def _note(problem: tuple[Path, str, str]) -> str:
    path, what, action = problem
    return f"{path.name}: {what}. {action}"


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


Unusable = tuple[str, str]
"""What is wrong, as a clause, and what to do."""


def _from_captions(path: Path, language: str, metadata: Metadata) -> Transcript | Unusable:
    try:
        captions = read_captions(path)
    except InputError as error:
        return error.message.removeprefix(f"{path}: ").rstrip("."), error.hint
    tag = (language or captions.language or metadata.language).removesuffix("-orig")
    sentences = sentences_of(captions, tag or "und")
    if not sentences:
        return "has no words", f"Download the captions again, or put a {path.stem}.txt beside it."
    text = paragraph(sentences)
    return Transcript(
        language=_true_language(tag, text),
        origin=_origin(captions, language, metadata),
        sentences=sentences,
        text=text,
    )


def _origin(captions: CaptionFile, language: str, metadata: Metadata) -> TranscriptOrigin:
    automatic = captions.word_timed or _is_automatic(language, metadata)
    return "automatic-captions" if automatic else "captions"


def _from_text(path: Path, language: str) -> Transcript | Unusable:
    written = decoded(path)
    text = clean(written)
    if not text or "\0" in written:
        return "is not a text" if text else "is empty", "Put the transcript into it, or delete it."
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
