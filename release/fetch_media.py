#!/usr/bin/env python3
"""Fetch the media of this benchmark again, verify them, and list dead links. Needs Python 3.9 and nothing else.

    python fetch.py                  fetch every source of evidence.jsonl into media/
    python fetch.py --check          only ask whether the addresses still answer
    python fetch.py --group NAME     only one group (repeatable)

Addresses of web pages need yt-dlp (https://github.com/yt-dlp/yt-dlp) on the PATH. A file that is there already and has
the right hash is not fetched again. A platform may serve another encoding of the same video: then the hash differs,
which is said, and the file is kept. Exit status: 0 all whole, 1 some sources are dead, 2 all are there but some differ.
Respect each source's licence, which is shown.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
WHOLE, DIFFERS, DEAD, SKIPPED = "whole", "differs", "dead", "skipped"
TRIES = 4
CHUNK = 1 << 20
NEEDED = {"group_id", "video_id", "url", "license", "media_sha256"}
ENDINGS = {
    "video/mp4": ".mp4",
    "video/webm": ".webm",
    "video/x-matroska": ".mkv",
    "video/quicktime": ".mov",
    "text/plain": ".txt",
}
TEMPORARY = {408, 425, 429, 500, 502, 503, 504}


Source = dict[str, Any]
Outcome = tuple[str, Source, str]


class Dead(Exception):
    """A source that cannot be fetched, and why."""


def main(argv: list[str] | None = None) -> int:
    """Fetch or check the sources; returns the exit status."""
    arguments = build_parser().parse_args(argv)
    try:
        sources = read_sources(arguments.evidence)
    except (OSError, ValueError) as error:
        print(f"{arguments.evidence} cannot be read: {error}", file=sys.stderr)
        return 1
    if arguments.group:
        sources = [source for source in sources if source["group_id"] in arguments.group]
    if not sources:
        print(f"no such sources in {arguments.evidence}", file=sys.stderr)
        return 1
    outcomes = [attend(source, arguments) for source in sources]
    return summed_up(outcomes, arguments.dead)


def build_parser() -> argparse.ArgumentParser:
    """All flags."""
    parser = argparse.ArgumentParser(description="Fetch this benchmark's media, verify them, list dead links.")
    parser.add_argument("--evidence", type=Path, default=HERE / "evidence.jsonl", help="default: beside this script")
    parser.add_argument(
        "--out", type=Path, default=HERE / "media", help="where to (default: media/ beside this script)"
    )
    parser.add_argument("--dead", type=Path, default=HERE / "dead.txt", help="list of dead links (default: dead.txt)")
    parser.add_argument("--group", action="append", default=[], help="only this group (repeatable)")
    parser.add_argument("--check", action="store_true", help="ask whether the addresses answer; fetch nothing")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds without an answer (default: 60)")
    parser.add_argument("--wait", type=float, default=1.0, help="seconds between two sources (default: 1)")
    return parser


def read_sources(path: Path) -> list[Source]:
    """The lines of evidence.jsonl. Raises OSError or ValueError for what is no such file."""
    sources = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            source = json.loads(line) if line.strip() else None
            if source is not None and not (isinstance(source, dict) and NEEDED.issubset(source)):
                raise ValueError(f"line {number} is no source")
            sources += [source] if source else []
    return sources


def attend(source: Source, arguments: argparse.Namespace) -> Outcome:
    """Fetch or check one source; returns (outcome, source, words)."""
    name = "/".join((source["group_id"], source["video_id"]))
    try:
        outcome, words = check(source, arguments) if arguments.check else fetch(source, arguments)
    except Dead as error:
        outcome, words = DEAD, str(error)
    print(f"{outcome:8} {name}  {words}  [licence: {source['license']}]", flush=True)
    return outcome, source, words


def check(source: Source, arguments: argparse.Namespace) -> tuple[str, str]:
    """Whether an address answers."""
    url = address(source)
    time.sleep(arguments.wait)
    with opened(url, arguments.timeout) as answer:
        return WHOLE, f"answers ({answer.headers.get_content_type()})"


def fetch(source: Source, arguments: argparse.Namespace) -> tuple[str, str]:
    """Fetch a source unless it is there and whole; returns (outcome, words)."""
    folder = arguments.out / safe(source["group_id"])
    wanted = source["media_sha256"]
    for there in sorted(folder.glob(safe(source["video_id"]) + ".*")):
        if wanted and not there.name.endswith(".part") and sha256(there) == wanted:
            return WHOLE, "is there already"
    url = address(source)
    folder.mkdir(parents=True, exist_ok=True)
    time.sleep(arguments.wait)
    path = fetch_file(url, folder / safe(source["video_id"]), arguments.timeout)
    if not wanted:
        return SKIPPED, "fetched; the release has no hash to verify it by"
    if sha256(path) == wanted:
        return WHOLE, "fetched and verified"
    return DIFFERS, "fetched, but the file differs from the one that was used (another encoding, or changed)"


def address(source: Source) -> str:
    """A source's address; raises Dead if it has none."""
    url = str(source["url"])
    if not url.startswith(("http://", "https://")):
        raise Dead("no address is known")
    return url


def fetch_file(url: str, stem: Path, timeout: float) -> Path:
    """Fetch an address into ``stem.<ending>``: a media file by itself, a page by yt-dlp. Returns the path."""
    with opened(url, timeout) as answer:
        kind = answer.headers.get_content_type()
        if kind == "text/html":
            return fetch_page(url, stem)
        ending = ENDINGS.get(kind) or os.path.splitext(re.sub(r"[?#].*", "", url))[1] or ".bin"
        path = stem.with_name(stem.name + ending)
        part = path.with_name(path.name + ".part")
        try:
            with open(part, "wb") as file:
                shutil.copyfileobj(answer, file, CHUNK)
        except OSError as error:
            raise Dead(f"broke off: {error}") from error
        expected = answer.headers.get("Content-Length")
        if expected and expected.isdigit() and part.stat().st_size != int(expected):
            part.unlink()
            raise Dead("broke off: fewer bytes than announced")
        part.replace(path)
        return path


def fetch_page(url: str, stem: Path) -> Path:
    """Fetch a page's video with yt-dlp. Returns the path."""
    program = shutil.which("yt-dlp")
    if program is None:
        raise Dead("is a web page; install yt-dlp to fetch it")
    command = [program, "--no-playlist", "--no-progress", "--output", str(stem) + ".%(ext)s", "--", url]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # noqa: S603
    made = sorted(path for path in stem.parent.glob(stem.name + ".*") if path.suffix not in (".part", ".ytdl"))
    if done.returncode or not made:
        last = (done.stdout.strip().splitlines() or ["no message"])[-1]
        raise Dead(f"yt-dlp: {last}")
    return made[0]


def opened(url: str, timeout: float) -> Any:
    """An open answer; tries again what may heal. Raises Dead."""
    request = urllib.request.Request(url, headers={"User-Agent": "benchwright-fetch/1"})  # noqa: S310 -- see `address`
    for attempt in range(1, TRIES + 1):
        try:
            return urllib.request.urlopen(request, timeout=timeout)  # noqa: S310
        except urllib.error.HTTPError as error:
            if error.code not in TEMPORARY or attempt == TRIES:
                raise Dead(f"HTTP {error.code} {error.reason}") from error
            pause = error.headers.get("Retry-After", "")
            time.sleep(min(60, int(pause)) if pause.isdigit() else attempt)
        except (urllib.error.URLError, OSError, ValueError) as error:
            if attempt == TRIES:
                raise Dead(str(getattr(error, "reason", error))) from error
            time.sleep(attempt)
    raise Dead("no answer")


def summed_up(outcomes: list[Outcome], path: Path) -> int:
    """Say how many sources are what, write the list of dead links, and give the exit status."""
    counts = {name: sum(outcome == name for outcome, _, _ in outcomes) for name in (WHOLE, DIFFERS, SKIPPED, DEAD)}
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    dead = [(source, words) for outcome, source, words in outcomes if outcome == DEAD]
    if dead:
        lines = ["\t".join((s["group_id"], s["video_id"], s["url"], words)) for s, words in dead]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"dead links: {path}")
    elif path.exists():
        path.unlink()
    return 1 if dead else 2 if counts[DIFFERS] else 0


def sha256(path: Path) -> str:
    """SHA-256 of a file."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for chunk in iter(lambda: file.read(CHUNK), b""):
            digest.update(chunk)
    return digest.hexdigest()


def safe(name: str) -> str:
    """A file name without anything that leads elsewhere."""
    clean = re.sub(r"[^A-Za-z0-9._-]", "_", name).strip(".") or "_"
    return clean if clean == name else f"{clean}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


if __name__ == "__main__":
    sys.exit(main())
