"""A local encyclopedia that is searched by meaning: which articles are about a cultural concept.

``python -m media.wikipedia build --dump zhwiki-pages-articles.xml.bz2 --out wiki-zh`` embeds titles and leads once;
``Wikipedia.open(Path("wiki-zh")).search("tea picking", 3)`` then needs no network. Killed at any moment, the same
command goes on where it was. Needs extra ``[wikipedia]``. Method: VideoVista-CulturalLingo 3.2 (Culture) and D.5.
"""

import argparse
import hashlib
import os
import sqlite3
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from media.dumps import Dump, Page, open_dump, plain_text
from records.base import Record
from records.errors import BenchwrightError, ConfigurationError, InputError
from records.shadow import refuse_foreign_modules
from records.text import normalized
from records.video import Article

if TYPE_CHECKING:
    from media.embeddings import TextEncoder, Vectors

DEFAULT_MODEL = "paraphrase-multilingual-MiniLM-L12-v2"
BATCH = 256
"""Articles that are embedded, and made durable, together."""
_LEAD_CHARACTERS = 600
"""Of a lead that are embedded after the title; the default model reads 128 tokens."""
_PROBE = "茶 tea 1912"
"""Embedded when an index is begun and again when it is opened: another model gives another vector."""


class IndexInfo(Record):
    """What `index.json` says of an index."""

    format: Literal[1] = 1
    state: Literal["building", "finished"]
    dump: str
    """Name of the dump's file."""
    dump_sha256: str
    """Of its first megabyte."""
    limit: int | None = None
    """Articles and redirects that were asked for at most."""
    language: str
    model: str
    dimensions: int
    probe: tuple[float, ...]
    """The vector of a fixed text, by which another model is found out."""
    articles: int = 0
    redirects: int = 0


# --- building

Progress = Callable[[int], None]
"""Called after each batch with the articles and redirects read so far."""


def build(
    dump: Path,
    out: Path,
    encoder: "TextEncoder",
    *,
    language: str = "",
    limit: int | None = None,
    on_progress: Progress = lambda read: None,
) -> IndexInfo:
    """Embed the titles and leads of a dump, and store articles and a vector index in `out`.

    A build that was broken off goes on after its last whole batch; a finished one is returned as it is. `limit` stops
    after so many articles and redirects. Raises InputError for a dump that cannot be read or ends in the middle (what
    was read stays), ConfigurationError where a library is missing, or where `out` holds the index of another dump or
    model, or is being built by another process.
    """
    source = open_dump(dump, language)
    with _locked(out):
        info = _begun(_plan(source, encoder, limit), out)
        if info.state == "finished":
            return info
        with closing(_Store(out, info.dimensions)) as store:
            _read_into(store, islice(source.pages(), limit), encoder, on_progress)
            return _finished(out, info, store)


@contextmanager
def _locked(out: Path) -> Iterator[None]:
    from filelock import FileLock, Timeout

    out.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(out / ".lock", timeout=0):
            yield
    except Timeout as error:
        raise ConfigurationError(
            f"{out}: is being built by another process.", hint="Wait for it, or stop it."
        ) from error


def _head_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.sha256(file.read(1 << 20)).hexdigest()


def _probe_of(encoder: "TextEncoder") -> tuple[float, ...]:
    return tuple(round(float(value), 5) for value in encoder.encode([_PROBE])[0])


def _plan(source: Dump, encoder: "TextEncoder", limit: int | None) -> IndexInfo:
    probe = _probe_of(encoder)
    return IndexInfo(
        state="building", dump=source.path.name, dump_sha256=_head_sha256(source.path), limit=limit,
        language=source.language, model=encoder.name, dimensions=len(probe), probe=probe,
    )  # fmt: skip


def _begun(plan: IndexInfo, out: Path) -> IndexInfo:
    """The index that `out` already holds, if it is the same one; else the plan, written there."""
    known = _info(out) if (out / _INFO).exists() else None
    if known is None:
        _write_info(out, plan)
        return plan
    if (known.dump_sha256, known.language, known.limit) != (plan.dump_sha256, plan.language, plan.limit):
        raise ConfigurationError(
            f"{out}: holds an index of {known.dump} ({known.language}, limit {known.limit}), which is not this one.",
            hint="Give another folder as --out, or delete this one.",
        )
    _refuse_other_model(known, plan.probe, out)
    return known


_INFO = "index.json"


def _info(out: Path) -> IndexInfo:
    try:
        return IndexInfo.model_validate_json((out / _INFO).read_bytes())
    except FileNotFoundError as error:
        raise InputError(
            f"{out}: holds no index of an encyclopedia.", hint="Build one: python -m media.wikipedia build --help"
        ) from error
    except (ValueError, OSError) as error:
        raise InputError(f"{out / _INFO}: cannot be read ({error}).", hint="Build the index again.") from error


def _write_info(out: Path, info: IndexInfo) -> None:
    part = out / f"{_INFO}.part"
    part.write_text(info.model_dump_json(indent=1), encoding="utf-8")
    os.replace(part, out / _INFO)


def _refuse_other_model(info: IndexInfo, probe: Sequence[float], out: Path) -> None:
    alike = sum(a * b for a, b in zip(info.probe, probe, strict=False))
    if len(probe) != info.dimensions or alike < 0.98:
        raise ConfigurationError(
            f"{out}: was built with the model {info.model}, not with this one.", hint="Name that model, or build anew."
        )


def _read_into(store: "_Store", pages: Iterator[Page], encoder: "TextEncoder", on_progress: Progress) -> None:
    rest = islice(pages, store.read, None)
    while batch := list(islice(rest, BATCH)):
        articles = [page for page in batch if not page.redirect]
        texts = [f"{page.title}\n{page.lead[:_LEAD_CHARACTERS]}" for page in articles]
        store.add(batch, encoder.encode(texts) if texts else None)
        on_progress(store.read)


def _finished(out: Path, info: IndexInfo, store: "_Store") -> IndexInfo:
    articles, redirects = store.counts()
    if not articles:
        raise InputError(f"{info.dump}: holds no article.", hint="Take a dump with the articles' texts.")
    _write_index(out, store.vectors(), info.dimensions)
    done = info.model_copy(update={"state": "finished", "articles": articles, "redirects": redirects})
    _write_info(out, done)
    store.forget_vectors()
    return done


def _write_index(out: Path, vectors: Any, dimensions: int) -> None:
    import numpy as np

    index = _usearch().Index(ndim=dimensions, metric="cos", dtype="f16")
    for start in range(0, len(vectors), 10_000):
        part = np.asarray(vectors[start : start + 10_000], dtype=np.float32)
        index.add(np.arange(start, start + len(part), dtype=np.uint64), part)
    index.save(str(out / "vectors.usearch.part"))
    os.replace(out / "vectors.usearch.part", out / "vectors.usearch")


def _usearch() -> Any:
    try:
        from usearch import index
    except ImportError as error:
        raise ConfigurationError(
            "Searching an encyclopedia needs usearch.", hint="pip install 'benchwright[wikipedia]'"
        ) from error
    return index


_SCHEMA = """
create table if not exists articles (
  id integer primary key, title text not null, key text not null, url text not null, lead text not null,
  body blob not null, form text not null);
create index if not exists articles_by_key on articles (key);
create table if not exists redirects (key text primary key, target text not null) without rowid;
create table if not exists progress (one integer primary key check (one = 1), read integer not null);
insert or ignore into progress values (1, 0);
"""


class _Store:
    """Articles in SQLite and, while an index is being built, their vectors in a file; a batch is whole or not there."""

    def __init__(self, out: Path, dimensions: int) -> None:
        self._rows = sqlite3.connect(out / "articles.sqlite")
        self._rows.executescript(_SCHEMA)
        self._path = out / "vectors.f16"
        self._dimensions = dimensions
        self._path.touch()
        self._file = self._path.open("r+b")
        self._file.truncate(self.counts()[0] * dimensions * 2)
        self._file.seek(0, os.SEEK_END)

    @property
    def read(self) -> int:
        """Articles and redirects stored so far, in the dump's order."""
        return int(self._rows.execute("select read from progress").fetchone()[0])

    def counts(self) -> tuple[int, int]:
        """Articles and redirects."""
        articles = self._rows.execute("select count(*) from articles").fetchone()[0]
        return int(articles), int(self._rows.execute("select count(*) from redirects").fetchone()[0])

    def add(self, batch: Sequence[Page], vectors: "Vectors | None") -> None:
        """Store a batch; `vectors` has a row for each of its articles."""
        articles = [page for page in batch if not page.redirect]
        if vectors is not None:
            self._file.write(vectors.astype("<f2").tobytes())
            self._file.flush()
            os.fsync(self._file.fileno())
        first = self.counts()[0]
        with self._rows:
            self._rows.executemany(
                "insert into articles values (?, ?, ?, ?, ?, ?, ?)",
                [
                    (first + place, page.title, normalized(page.title), page.url, page.lead,
                     zlib.compress(page.body.encode(), 6), page.form)
                    for place, page in enumerate(articles)
                ],
            )  # fmt: skip
            self._rows.executemany(
                "insert or ignore into redirects values (?, ?)",
                [(normalized(page.title), page.redirect) for page in batch if page.redirect],
            )
            self._rows.execute("update progress set read = read + ?", (len(batch),))

    def vectors(self) -> Any:
        """All vectors, mapped into memory: articles × dimensions."""
        import numpy as np

        return np.memmap(self._path, dtype="<f2", mode="r").reshape(-1, self._dimensions)

    def forget_vectors(self) -> None:
        """Delete the file of vectors, which the index holds now."""
        self._file.close()
        self._path.unlink()

    def close(self) -> None:
        """Close both files."""
        self._file.close()
        self._rows.close()


# --- searching


class Wikipedia:
    """A finished index. One thread at a time."""

    def __init__(self, folder: Path, info: IndexInfo, encoder: "TextEncoder") -> None:
        self.info = info
        self._encoder = encoder
        self._index = _usearch().Index.restore(str(folder / "vectors.usearch"), view=True)
        self._rows = sqlite3.connect(f"{(folder / 'articles.sqlite').absolute().as_uri()}?mode=ro", uri=True)

    @classmethod
    def open(cls, folder: Path, encoder: "TextEncoder | None" = None) -> "Wikipedia":
        """Open an index; without an encoder, with the model that built it. Vectors stay on disk until they are needed.

        Raises InputError for a folder without a finished index, ConfigurationError for another model than its own or a
        missing library.
        """
        info = _info(folder)
        if info.state != "finished":
            raise InputError(
                f"{folder}: the index is not finished.", hint="Run the command that builds it again; it goes on."
            )
        if encoder is None:
            from media.embeddings import SentenceEncoder

            encoder = SentenceEncoder(info.model)
        _refuse_other_model(info, _probe_of(encoder), folder)
        return cls(folder, info, encoder)

    def search(self, query: str, k: int = 5) -> tuple[Article, ...]:
        """The `k` articles nearest to a query in meaning, nearest first.

        An article whose title, or a redirect to it, is the query itself (letter case aside) goes before all others,
        with score 1.0. Raises ValueError for an empty query.
        """
        if not query.strip():
            raise ValueError("an encyclopedia cannot be searched for nothing")
        named = self._titled(query)
        found = self._index.search(self._encoder.encode([query])[0], min(k + 1, len(self._index)))
        scored = {named: 1.0} if named is not None else {}
        for number, distance in zip(found.keys, found.distances, strict=True):
            scored.setdefault(int(number), round(1.0 - float(distance), 4))
        return tuple(self._article(number, score) for number, score in list(scored.items())[:k])

    def _titled(self, query: str) -> int | None:
        """The article of this title, or of the one that a redirect of this name leads to."""
        key = normalized(query)
        redirect = self._rows.execute("select target from redirects where key = ?", (key,)).fetchone()
        for title in (key, normalized(redirect[0]) if redirect else None):
            row = self._rows.execute("select id from articles where key = ? order by id", (title,)).fetchone()
            if title and row:
                return int(row[0])
        return None

    def _article(self, number: int, score: float) -> Article:
        row = self._rows.execute("select title, url, lead, body, form from articles where id = ?", (number,)).fetchone()
        title, url, lead, body, form = row
        text = zlib.decompress(body).decode()
        return Article(
            title=title, url=url, lead=lead, text=plain_text(text) if form == "wikitext" else text,
            language=self.info.language, score=score,
        )  # fmt: skip

    def close(self) -> None:
        """Close the files."""
        self._rows.close()


# --- command line


def main(arguments: Sequence[str] | None = None) -> int:
    """Build or search an index; returns the exit status."""
    refuse_foreign_modules()
    options = _parser().parse_args(arguments)
    try:
        return _build_command(options) if options.command == "build" else _search_command(options)
    except BenchwrightError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("stopped; the same command goes on from here\n")
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m media.wikipedia", description="A local encyclopedia, by meaning.")
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("build", help="embed the articles of a dump and store an index; goes on where it was")
    make.add_argument("--dump", type=Path, required=True, help=".xml, .xml.bz2, .xml.gz (pages-articles) or .zim")
    make.add_argument("--out", type=Path, required=True, help="folder of the index")
    make.add_argument("--model", default=DEFAULT_MODEL, help="sentence-transformers model: name or directory")
    make.add_argument("--device", default=None, help="cpu, cuda, … (default: what torch finds)")
    make.add_argument("--language", default="", help="language of the articles, where the dump names none")
    make.add_argument("--limit", type=int, default=None, help="stop after so many articles and redirects")
    find = commands.add_parser("search", help="show the articles nearest to a query")
    find.add_argument("query")
    find.add_argument("--index", type=Path, required=True, help="folder of the index")
    find.add_argument("-k", type=int, default=5, help="how many articles")
    find.add_argument("--model", default=None, help="where the index's model lies, if not where it was built")
    return parser


def _build_command(options: argparse.Namespace) -> int:
    from media.embeddings import SentenceEncoder

    encoder = SentenceEncoder(options.model, options.device)
    info = build(
        options.dump, options.out, encoder, language=options.language, limit=options.limit, on_progress=_reporter()
    )
    print(f"{options.out}: {info.articles:,} articles and {info.redirects:,} redirects of {info.dump}, by {info.model}")
    return 0


def _reporter() -> Progress:
    """Writes a line to the terminal at most every five seconds; nothing where nobody watches."""
    last = time.monotonic()

    def report(read: int) -> None:
        nonlocal last
        if sys.stderr.isatty() and time.monotonic() - last >= 5.0:
            last = time.monotonic()
            sys.stderr.write(f"{read:,} articles and redirects\n")

    return report


def _search_command(options: argparse.Namespace) -> int:
    from media.embeddings import SentenceEncoder

    encoder = SentenceEncoder(options.model) if options.model else None
    with closing(Wikipedia.open(options.index, encoder)) as wiki:
        for article in wiki.search(options.query, options.k):
            print(f"{article.score:.3f}  {article.title}  {article.url}\n       {article.lead[:160]}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
