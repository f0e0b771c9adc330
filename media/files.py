"""Which files of a folder belong to which source, by yt-dlp's ways of naming.

``Title [id].mp4``, ``Title [id].en.vtt`` and ``Title [id].info.json`` share the base ``Title [id]``. Names may hold
spaces, dots, any script and a leading dash; nothing here is ever handed to a shell.
"""

import hashlib
import re
from collections import defaultdict
from pathlib import Path

from records.base import Record

VIDEO_SUFFIXES = (".mp4", ".mkv", ".webm", ".mov", ".m4v", ".avi", ".flv", ".ts", ".mpg", ".mpeg", ".wmv", ".3gp")
AUDIO_SUFFIXES = (".m4a", ".mp3", ".opus", ".ogg", ".wav", ".aac", ".flac")
UNFINISHED_SUFFIXES = (".part", ".ytdl", ".temp", ".crdownload")
CAPTION_SUFFIXES = (".vtt", ".srt", ".ttml", ".json3")
"""In the order in which they are preferred where a source has the same captions in several formats."""
_NO_SOURCES = frozenset({"readme", "license", "licence", "notice", "urls", "links", "archive", "copying", "notes"})
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z0-9]+)*", re.IGNORECASE)
_FORMAT = re.compile(r"\.f\d+[\w-]*$")
_ID = re.compile(r"\[([^\[\]]+)\]$")


class Files(Record):
    """The files of one source, by what they are; paths as found."""

    base: str
    """What their names share: ``Title [id]``."""
    videos: tuple[Path, ...] = ()
    audio: tuple[Path, ...] = ()
    captions: tuple[tuple[str, Path], ...] = ()
    """Language tag (empty where the name has none) and file."""
    text: Path | None = None
    info: Path | None = None
    unfinished: tuple[Path, ...] = ()

    @property
    def named_id(self) -> str:
        """The id that the name holds in brackets, or the whole base."""
        match = _ID.search(self.base)
        return match[1] if match else self.base

    @property
    def first(self) -> Path:
        """The file that stands for the source in messages."""
        captions = [path for _, path in self.captions]
        text = [path for path in (self.text, self.info) if path]
        return [*self.videos, *self.audio, *self.unfinished, *captions, *text][0]


def files_of(folder: Path) -> tuple[dict[str, Files], tuple[Path, ...]]:
    """The sources' files by base, in order of name, and the files whose kind is not known (hidden ones left aside)."""
    paths = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    bases = {base for path in paths if (base := _certain_base(path))}
    found: dict[str, dict[str, list[Path | tuple[str, Path]]]] = defaultdict(lambda: defaultdict(list))
    strange: list[Path] = []
    for path in paths:
        kind, base, language = _placed(path, bases)
        if kind == "strange":
            strange.append(path)
        elif kind:
            found[base][kind].append((language, path) if kind == "captions" else path)
    return {base: _files(base, kinds) for base, kinds in sorted(found.items())}, tuple(strange)


def _files(base: str, kinds: dict[str, list[Path | tuple[str, Path]]]) -> Files:
    single = {kind: kinds.pop(kind)[0] for kind in ("text", "info") if kind in kinds}
    return Files.model_validate({"base": base, **single, **{kind: tuple(values) for kind, values in kinds.items()}})


def _certain_base(path: Path) -> str:
    """The base of a file whose name leaves no doubt about where the base ends."""
    if path.name.lower().endswith(".info.json"):
        return path.name[: -len(".info.json")]
    if path.suffix.lower() in (*VIDEO_SUFFIXES, *AUDIO_SUFFIXES):
        return _FORMAT.sub("", path.stem)
    return path.stem if path.suffix.lower() == ".txt" else ""


def _placed(path: Path, bases: set[str]) -> tuple[str, str, str]:
    """Kind, base and caption language of a file; an empty kind means that it is no concern of ours."""
    suffix = path.suffix.lower()
    if path.name.lower().endswith(".info.json"):
        return "info", path.name[: -len(".info.json")], ""
    if suffix in VIDEO_SUFFIXES:
        return "videos", _FORMAT.sub("", path.stem), ""
    if suffix in AUDIO_SUFFIXES:
        return "audio", _FORMAT.sub("", path.stem), ""
    if suffix in UNFINISHED_SUFFIXES:
        return "unfinished", _unfinished_base(path), ""
    if suffix in CAPTION_SUFFIXES:
        base, language = _caption_name(path.stem, bases)
        return "captions", base, language
    if suffix == ".txt":
        return ("" if path.stem.lower() in _NO_SOURCES else "text"), path.stem, ""
    ignored = suffix in (".json", ".md", ".description", ".jpg", ".jpeg", ".png", ".webp", ".url", ".html")
    return ("" if ignored or path.stem.lower() in _NO_SOURCES else "strange"), "", ""


def _unfinished_base(path: Path) -> str:
    name = path.name
    while Path(name).suffix.lower() in (*UNFINISHED_SUFFIXES, *VIDEO_SUFFIXES, *AUDIO_SUFFIXES):
        name = Path(name).stem
    return _FORMAT.sub("", name)


def _caption_name(stem: str, bases: set[str]) -> tuple[str, str]:
    """Base and language of ``NAME.LANG`` or ``NAME``; names that other files share decide where both fit."""
    if stem in bases:
        return stem, ""
    base, dot, language = stem.rpartition(".")
    if dot and (base in bases or _LANGUAGE.fullmatch(language)):
        return base, language
    return stem, ""


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's bytes, read in pieces. Raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def decoded(path: Path) -> str:
    """A text file as text with ``\\n`` line ends: by its byte order mark, else UTF-8, else the likeliest encoding."""
    data = path.read_bytes()
    return re.sub(r"\r\n?", "\n", _decoded(data))


def _decoded(data: bytes) -> str:
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        from charset_normalizer import from_bytes

        best = from_bytes(data).best()
        return str(best) if best else data.decode("utf-8", errors="replace")
