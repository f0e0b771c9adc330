"""Writes a release as a folder, in one step, and proves a folder whole.

``build(given)`` gives every small file as bytes and every large one as a path to copy; the same input gives the same
bytes. ``verify(folder)`` reads it again: checksums, lines against their schemas, ids, balance, counts.
"""

import hashlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from records.base import Record
from records.errors import InputError
from records.media import Group
from release import datasheet
from release.balance import unevenness
from release.contents import Contents, contents
from release.facts import Facts, facts
from release.figures import figures
from release.inputs import ReleaseInput
from release.lines import SCHEMAS, schema

SUMS = "SHA256SUMS"
SUMMARY = "release.json"
FORMAT = 1
"""Of the folder; a later one says what changed."""
_SCRIPT = Path(__file__).with_name("fetch_media.py")
_FETCHED = ("media/", "dead.txt")
"""What fetch.py leaves in the folder."""
_FILES = {
    "items.jsonl": "the questions, one a line",
    "evidence.jsonl": "the sources: addresses, hashes, licences, times of the stills",
    "decisions.jsonl": "what became of every reviewed item, and why",
    "reviews.jsonl": "the scores, people named by number",
    "datasheet.md": "this page as Markdown",
    "datasheet.html": "this page as one HTML file",
    "figures/": "its plots",
    "schema/": "JSON Schema of every kind of line",
    "fetch.py": "fetches the media again, verifies hashes, lists dead links",
    "frames/": "the stills that models saw",
    "media/": "the videos",
    "transcripts/": "the cleaned words with times",
    SUMMARY: "name, version, counts",
    SUMS: "checksums of all other files",
}


@dataclass(frozen=True)
class Package:
    """A release before it is written."""

    files: Mapping[str, bytes]
    """Path within the release → content."""
    copies: Mapping[str, Path]
    """Path within the release → file to copy."""
    made: Contents
    found: Facts


class Summary(Record):
    """release.json."""

    format: int = FORMAT
    name: str
    version: str
    license: str
    evidence: str
    reviewed: bool
    policy: dict[str, Any]
    items: int
    groups: int
    sources: int
    letters: dict[str, int]
    letters_by_type: dict[str, dict[str, int]]
    pinned: int
    """Questions whose options may not move."""
    permuted: int
    warnings: tuple[str, ...]


def build(given: ReleaseInput, frame_path: Callable[[str], Path]) -> Package:
    """All files of a release; `frame_path` says where the still of a hash lies.

    Raises InputError if no item is released, if a still or a video is missing or a video is not the one that was used.
    """
    if not given.items:
        raise InputError(
            "the panel kept no item of this run, so there is nothing to release.",
            hint="--include undecided (or removed) also takes what it did not keep, if people let it pass.",
        )
    made = contents(given)
    if not made.items:
        raise InputError(
            "no item can be released.", hint="Let people review first (python -m review), or add --unreviewed."
        )
    found = facts(given, made)
    copies = {**_frames(made, frame_path), **_media(given, made)}
    return Package(files=_files(given, made, found, copies), copies=copies, made=made, found=found)


def write(package: Package, out: Path, *, overwrite: bool = False) -> None:
    """Write a release into a new folder; it appears whole or not at all.

    Raises InputError if the folder is there: `overwrite` replaces it if it holds a release.
    """
    if out.exists() and any(out.iterdir() if out.is_dir() else [out]) and not (overwrite and _is_release(out)):
        what = "holds a release" if out.is_dir() and _is_release(out) else "is not empty and holds no release"
        hint = "Add --overwrite to replace it." if what == "holds a release" else "Name another folder."
        raise InputError(f"{out} {what}.", hint=hint)
    place = out.resolve()  # "." has no name of its own
    temporary = place.with_name(f".{place.name}.{os.getpid()}.tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        _write_into(temporary, package)
        if place.exists():
            shutil.rmtree(place)
        temporary.replace(place)
    except OSError as error:
        why = f"{error.strerror or error}: {error.filename or place.parent}"
        hint = "Name a folder that can be written, on a disk with room."
        raise InputError(f"{out}: the release cannot be written ({why}).", hint=hint) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def verify(folder: Path) -> tuple[str, ...]:
    """What is wrong with a release, one line each; empty if it is whole. Raises InputError if it is no release."""
    if not _is_release(folder):
        raise InputError(f"{folder} holds no release: {SUMS} and {SUMMARY} are needed.")
    problems = list(_wrong_sums(folder))
    lines: dict[str, list[Any]] = {}
    for name, kind in SCHEMAS.items():
        lines[name] = list(_read_lines(folder, f"{name}.jsonl", kind, problems))
    summary = _read_summary(folder, problems)
    problems += _wrong_content(folder, lines)
    if summary is not None and not problems:
        problems += _wrong_counts(summary, lines)
    return tuple(problems)


# Building


def _files(given: ReleaseInput, made: Contents, found: Facts, copies: Mapping[str, Path]) -> dict[str, bytes]:
    drawn = figures(given, made, found)
    lines: dict[str, Iterable[Record]] = {
        "items.jsonl": made.items,
        "evidence.jsonl": made.sources,
        **({"decisions.jsonl": made.decisions, "reviews.jsonl": made.reviews} if given.reviewed else {}),
    }
    files = {name: "".join(_line(one) for one in found_lines) for name, found_lines in lines.items()}
    files |= {f"figures/{name}.svg": svg for name, svg in drawn.items()}
    files |= {
        f"schema/{name}.schema.json": _json(schema(kind)) for name, kind in SCHEMAS.items() if f"{name}.jsonl" in files
    }
    files |= _transcripts(given, made)
    files["fetch.py"] = _SCRIPT.read_text(encoding="utf-8")
    files[SUMMARY] = _json(_summary(given, made, found).model_dump(mode="json"))
    listed = _listed({*files, *copies, "datasheet.md", "datasheet.html", SUMS})
    files["datasheet.md"] = datasheet.markdown(given, made, found, drawn, listed)
    files["datasheet.html"] = datasheet.html(given, made, found, drawn, listed)
    return {name: text.encode() for name, text in sorted(files.items())}


def _listed(names: Iterable[str]) -> dict[str, str]:
    there = {name if "/" not in name else name.split("/")[0] + "/" for name in names}
    return {name: words for name, words in _FILES.items() if name in there}


def _summary(given: ReleaseInput, made: Contents, found: Facts) -> Summary:
    return Summary(
        name=given.name,
        version=given.version,
        license=given.license,
        evidence=given.evidence,
        reviewed=given.reviewed,
        policy=given.policy.model_dump(mode="json", exclude={"advice"}) if given.reviewed else {},
        items=len(made.items),
        groups=found.groups,
        sources=len(made.sources),
        letters=made.letters.total,
        letters_by_type=made.letters.by_type,
        pinned=sum(line.pinned for line in made.items),
        permuted=made.permuted,
        warnings=found.warnings,
    )


def _frames(made: Contents, frame_path: Callable[[str], Path]) -> dict[str, Path]:
    copies = {}
    for source in made.sources:
        for frame in source.frames:
            if frame.file:
                path = frame_path(frame.sha256)
                if not path.is_file():
                    raise InputError(f"{path}: the still is missing.", hint="Use --evidence none, or restore the run.")
                copies[frame.file] = path
    return copies


def _media(given: ReleaseInput, made: Contents) -> dict[str, Path]:
    groups = {group.group_id: group for group in given.groups}
    copies = {}
    for source in made.sources:
        if not source.media_file:
            continue
        path = _video(groups[source.group_id], source.video_id)
        if source.media_sha256 and sha256(path) != source.media_sha256:
            raise InputError(f"{path} is not the file that was used: its hash differs.", hint="Put the old one back.")
        copies[source.media_file] = path
    return copies


def _video(group: Group, video_id: str) -> Path:
    source = next(source for source in group.sources if source.video_id == video_id)
    path = Path(source.video_file or "")
    here = Path(group.folder) / path.name
    if not here.is_file() and not path.is_file():
        raise InputError(f"{path}: the video is missing.", hint="Say with --groups where the groups lie now.")
    return here if here.is_file() else path


def _transcripts(given: ReleaseInput, made: Contents) -> dict[str, str]:
    groups = {group.group_id: group for group in given.groups}
    out = {}
    for line in made.sources:
        if line.transcript_file:
            source = next(one for one in groups[line.group_id].sources if one.video_id == line.video_id)
            out[line.transcript_file] = _json(source.transcript.model_dump(mode="json"))
    return out


def _line(record: Record) -> str:
    return json.dumps(record.model_dump(mode="json"), ensure_ascii=False) + "\n"


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


# Writing


def _write_into(folder: Path, package: Package) -> None:
    sums = {}
    for name, content in package.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        sums[name] = hashlib.sha256(content).hexdigest()
    for name, source in package.copies.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, path)
        sums[name] = sha256(path)
    text = "".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items()))
    (folder / SUMS).write_text(text, encoding="utf-8")


def sha256(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_release(folder: Path) -> bool:
    return (folder / SUMS).is_file() and (folder / SUMMARY).is_file()


# Verifying


def _wrong_sums(folder: Path) -> Iterable[str]:
    expected: dict[str, str] = {}
    listing = (folder / SUMS).read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(listing.splitlines(), start=1):
        digest, space, name = line.partition("  ")
        if len(digest) != 64 or not space or not _is_inside(folder, name):
            yield f"{SUMS}: line {number} cannot be read"
        else:
            expected[name] = digest
    found = [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]
    there = {path.relative_to(folder).as_posix() for path in found} - {SUMS}
    yield from (f"{name}: is missing" for name in sorted(set(expected) - there))
    yield from (f"{name}: is not in {SUMS}" for name in sorted(there - set(expected)) if not name.startswith(_FETCHED))
    for name in sorted(there & set(expected)):
        if not (folder / name).is_file():
            yield f"{name}: is no file"
        elif sha256(folder / name) != expected[name]:
            yield f"{name}: its checksum differs"


def _is_inside(folder: Path, name: str) -> bool:
    return bool(name) and name.isprintable() and (folder / name).resolve().is_relative_to(folder.resolve())


def _read_lines(folder: Path, name: str, kind: type[Record], problems: list[str]) -> Iterable[Any]:
    path = folder / name
    if not path.is_file():
        return
    for number, text in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            yield kind.model_validate_json(text)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            problems.append(f"{name}: line {number}: {place}: {first['msg']}")


def _read_summary(folder: Path, problems: list[str]) -> Summary | None:
    try:
        return Summary.model_validate_json((folder / SUMMARY).read_bytes())
    except ValidationError as error:
        problems.append(f"{SUMMARY}: {str(error).splitlines()[0]}")
        return None


def _wrong_content(folder: Path, lines: Mapping[str, list[Any]]) -> Iterable[str]:
    items, sources = lines["items"], lines["evidence"]
    counts = Counter(line.item_id for line in items)
    yield from (f"items.jsonl: {name} occurs {count} times" for name, count in counts.items() if count > 1)
    known = {(source.group_id, source.video_id) for source in sources}
    for line in items:
        letters = sorted(line.options)
        if (
            line.answer not in letters
            or line.answer != line.correct_answer
            or letters.index(line.answer) != line.answer_index
        ):
            yield f"items.jsonl: {line.item_id}: answer, correct_answer and answer_index do not agree"
        for video in line.sources.values():
            if known and (line.group_id, video) not in known:
                yield f"items.jsonl: {line.item_id}: evidence.jsonl has no source {line.group_id}/{video}"
    for source in sources:
        files = [source.media_file, source.transcript_file, *(frame.file for frame in source.frames)]
        for name in filter(None, files):
            if not _is_inside(folder, name) or not (folder / name).is_file():
                yield f"evidence.jsonl: {source.group_id}/{source.video_id}: {name} is missing"
        for frame in source.frames:
            if frame.file and (folder / frame.file).is_file() and sha256(folder / frame.file) != frame.sha256:
                yield f"evidence.jsonl: {frame.file} is not the still that models saw"


def _wrong_counts(summary: Summary, lines: Mapping[str, list[Any]]) -> Iterable[str]:
    items, sources = lines["items"], lines["evidence"]
    total = Counter(line.answer for line in items)
    for name, said, found in (
        ("items", summary.items, len(items)),
        ("groups", summary.groups, len({line.group_id for line in items})),
        ("sources", summary.sources, len(sources)),
        ("letters", {k: v for k, v in summary.letters.items() if v}, dict(total)),
    ):
        if said != found:
            yield f"{SUMMARY}: says {said} {name}, the files have {found}"
    if not summary.pinned:
        for name, counts in (("in all", summary.letters), *summary.letters_by_type.items()):
            if len({len(line.options) for line in items}) == 1 and unevenness(counts) > 1:
                yield f"{SUMMARY}: the key letters are not even {name}: {counts}"
    released = {line.item_id for line in lines["decisions"] if line.outcome == "released"}
    if summary.reviewed and released != {line.item_id for line in items}:
        yield "decisions.jsonl: the released items are not those of items.jsonl"
