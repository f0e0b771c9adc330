"""What people did to a run: ``reviews.sqlite`` beside the run's own database, written by any number of people at once.

A file of its own, because the run has one writer (graphs.generate or graphs.judge may be at work while people review)
and because reviews outlive a re-judging. Scores, comments and edits are only ever added; the latest one counts.
Every write is one short ``BEGIN IMMEDIATE`` transaction, flushed to the disk before the method returns.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Connection, Engine, Table, create_engine, event, func, select
from sqlalchemy.exc import DatabaseError, IntegrityError, OperationalError

from records.errors import RunError
from records.review import Assignment, Comment, ReviewEdit, Score, Sheet, Span, Watched
from review import tables
from review.spans import merged

FILE = "reviews.sqlite"
VERSION = "1"
_WAIT_S = 60


class StaleEdit(RunError):
    """Somebody else saved a revision meanwhile; the text that was sent is not lost, it is only not saved yet."""


class Journal:
    """The reviews of one run. Methods may be called from any thread and from several processes at once."""

    def __init__(self, engine: Engine, path: Path) -> None:
        """Use `open`."""
        self._engine = engine
        self.path = path

    @classmethod
    def open(cls, run_folder: Path, *, create: bool = True) -> Self:
        """The reviews of a run's folder. Raises RunError if there are none and `create` is False, or for damage."""
        path = Path(run_folder) / FILE
        if not create and not path.is_file():
            raise RunError(f"{run_folder} has no reviews yet.", hint="Start with python -m review --run RUN.")
        engine = create_engine(
            f"sqlite:///{path}", connect_args={"check_same_thread": False, "timeout": _WAIT_S}, pool_size=16
        )
        event.listen(engine, "connect", _pragmas)
        event.listen(engine, "begin", _begin)
        journal = cls(engine, path)
        with journal._writing() as connection:
            tables.metadata.create_all(connection)
            found = connection.execute(select(tables.meta.c.value).where(tables.meta.c.name == "version")).scalar()
            if found is None:
                connection.execute(tables.meta.insert().values(name="version", value=VERSION))
            elif found != VERSION:
                raise RunError(f"{path} was written by another version (tables {found}, known are {VERSION}).")
        return journal

    def close(self) -> None:
        """Close every connection. May be called twice."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def use_sheet(self, sheet: Sheet) -> None:
        """Remember the sheet. Raises RunError if scores were given on a sheet with other dimensions or levels."""
        shape = json.dumps([[one.id, list(one.values)] for one in sheet.dimensions])
        with self._writing() as connection:
            found = connection.execute(select(tables.meta.c.value).where(tables.meta.c.name == "sheet")).scalar()
            begun = connection.execute(select(tables.scores.c.id).limit(1)).first() is not None
            if found is not None and found != shape and begun:
                raise RunError(
                    f"{self.path} holds scores of another sheet ({_shape_words(found)}).",
                    hint=f"This sheet has {_shape_words(shape)}: name the first one with --sheet, or review a copy.",
                )
            connection.execute(tables.meta.delete().where(tables.meta.c.name == "sheet"))
            connection.execute(tables.meta.insert().values(name="sheet", value=shape))

    # Scores and comments

    def save_score(self, score: Score) -> Score:
        """Keep a score; the same score as the latest one is not doubled. Returns it with its time."""
        same = (tables.scores.c.item_id == score.item_id, tables.scores.c.revision == score.revision)
        mine = (tables.scores.c.reviewer == score.reviewer, tables.scores.c.dimension == score.dimension)
        with self._writing() as connection:
            latest = connection.execute(
                select(tables.scores.c.level, tables.scores.c.at)
                .where(*same, *mine)
                .order_by(tables.scores.c.id.desc())
                .limit(1)
            ).first()
            if latest is not None and latest.level == score.level:
                return score.model_copy(update={"at": latest.at})
            kept = score.model_copy(update={"at": score.at or now()})
            connection.execute(tables.scores.insert().values(**kept.model_dump()))
        return kept

    def scores(self, *, item_id: str | None = None, reviewer: str | None = None) -> tuple[Score, ...]:
        """The latest score for each item, revision, reviewer and dimension, in the order in which they were given."""
        keys = (tables.scores.c.item_id, tables.scores.c.revision, tables.scores.c.reviewer, tables.scores.c.dimension)
        newest = _filtered(select(func.max(tables.scores.c.id)), tables.scores, item_id, reviewer).group_by(*keys)
        query = select(tables.scores).where(tables.scores.c.id.in_(newest)).order_by(tables.scores.c.id)
        return tuple(Score.model_validate(_row(row)) for row in self._read(query))

    def score_history(self, item_id: str) -> tuple[Score, ...]:
        """Every score that an item ever got, oldest first, changed ones included."""
        query = select(tables.scores).where(tables.scores.c.item_id == item_id).order_by(tables.scores.c.id)
        return tuple(Score.model_validate(_row(row)) for row in self._read(query))

    def save_comment(self, comment: Comment) -> Comment:
        """Keep a comment; an empty one takes the earlier one back."""
        kept = comment.model_copy(update={"at": comment.at or now()})
        mine = (
            tables.comments.c.item_id == kept.item_id, tables.comments.c.revision == kept.revision,
            tables.comments.c.reviewer == kept.reviewer,
        )  # fmt: skip
        with self._writing() as connection:
            latest = connection.execute(
                select(tables.comments.c.text).where(*mine).order_by(tables.comments.c.id.desc()).limit(1)
            ).scalar()
            if (latest or "") != kept.text:
                connection.execute(tables.comments.insert().values(**kept.model_dump()))
        return kept

    def comments(self, *, item_id: str | None = None, reviewer: str | None = None) -> tuple[Comment, ...]:
        """The latest comment for each item, revision and reviewer, without those taken back."""
        keys = (tables.comments.c.item_id, tables.comments.c.revision, tables.comments.c.reviewer)
        newest = _filtered(select(func.max(tables.comments.c.id)), tables.comments, item_id, reviewer).group_by(*keys)
        query = select(tables.comments).where(tables.comments.c.id.in_(newest)).order_by(tables.comments.c.id)
        return tuple(Comment.model_validate(_row(row)) for row in self._read(query) if row.text)

    # What was watched and opened

    def add_watched(
        self, reviewer: str, group_id: str, video_id: str, duration_s: float, spans: Sequence[Span]
    ) -> Watched:
        """Add what a reviewer has just seen of a video; what was seen before stays. Returns all of it."""
        key = (
            tables.watched.c.reviewer == reviewer,
            tables.watched.c.group_id == group_id,
            tables.watched.c.video_id == video_id,
        )
        with self._writing() as connection:
            before = connection.execute(select(tables.watched.c.spans).where(*key)).scalar()
            known = [tuple(span) for span in json.loads(before)] if before else []
            seen = Watched(
                reviewer=reviewer,
                group_id=group_id,
                video_id=video_id,
                duration_s=duration_s,
                spans=merged([*known, *spans], duration_s),
            )
            values = {"duration_s": duration_s, "spans": json.dumps(seen.spans), "at": now()}
            if before is None:
                row = {"reviewer": reviewer, "group_id": group_id, "video_id": video_id}
                connection.execute(tables.watched.insert().values(**row, **values))
            else:
                connection.execute(tables.watched.update().where(*key).values(**values))
        return seen

    def watched(self, *, reviewer: str | None = None, group_id: str | None = None) -> tuple[Watched, ...]:
        """What was watched, sorted by reviewer, group and video."""
        query = select(tables.watched).order_by(
            tables.watched.c.reviewer, tables.watched.c.group_id, tables.watched.c.video_id
        )
        for column, value in ((tables.watched.c.reviewer, reviewer), (tables.watched.c.group_id, group_id)):
            query = query if value is None else query.where(column == value)
        return tuple(
            Watched(**{**_row(row, "at"), "spans": tuple(tuple(span) for span in json.loads(row.spans))})
            for row in self._read(query)
        )

    def opened(self, item_id: str, reviewer: str, what: str) -> None:
        """Note that a reviewer opened the key (``key``) or the verdicts (``verdicts``) of an item."""
        with self._writing() as connection:
            connection.execute(tables.openings.insert().values(item_id=item_id, reviewer=reviewer, what=what, at=now()))

    def openings(self, item_id: str) -> tuple[tuple[str, str, str], ...]:
        """Who opened what of an item and when, oldest first."""
        query = select(tables.openings).where(tables.openings.c.item_id == item_id).order_by(tables.openings.c.id)
        return tuple((row.reviewer, row.what, row.at) for row in self._read(query))

    # Edits and assignments

    def save_edit(self, edit: ReviewEdit) -> ReviewEdit:
        """Keep a revision. Raises StaleEdit if the item has reached that revision already."""
        kept = edit.model_copy(update={"at": edit.at or now()})
        row = {"item_id": kept.item_id, "revision": kept.revision, "author": kept.author, "at": kept.at}
        try:
            with self._writing() as connection:
                latest = connection.execute(
                    select(func.max(tables.edits.c.revision)).where(tables.edits.c.item_id == kept.item_id)
                ).scalar()
                if kept.revision != (latest or 0) + 1:
                    raise _stale(kept, latest or 0)
                connection.execute(tables.edits.insert().values(**row, body=kept.model_dump_json()))
        except IntegrityError as error:
            raise _stale(kept, kept.revision) from error
        return kept

    def edits(self, *, item_id: str | None = None) -> tuple[ReviewEdit, ...]:
        """Every revision, sorted by item and revision."""
        query = select(tables.edits.c.body).order_by(tables.edits.c.item_id, tables.edits.c.revision)
        query = query if item_id is None else query.where(tables.edits.c.item_id == item_id)
        return tuple(ReviewEdit.model_validate_json(row.body) for row in self._read(query))

    def add_assignments(self, assignments: Iterable[Assignment]) -> int:
        """Keep assignments that are not there yet; returns how many were new."""
        new = 0
        with self._writing() as connection:
            there = {
                (row.item_id, row.reviewer)
                for row in connection.execute(select(tables.assignments.c.item_id, tables.assignments.c.reviewer))
            }
            for one in assignments:
                if (one.item_id, one.reviewer) not in there:
                    connection.execute(tables.assignments.insert().values(**one.model_dump(), at=now()))
                    new += 1
        return new

    def assignments(self, *, item_id: str | None = None, reviewer: str | None = None) -> tuple[Assignment, ...]:
        """Assignments, sorted by item and reviewer."""
        query = _filtered(select(tables.assignments), tables.assignments, item_id, reviewer)
        rows = self._read(query.order_by(tables.assignments.c.item_id, tables.assignments.c.reviewer))
        return tuple(Assignment.model_validate(_row(row, "at")) for row in rows)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with _translated(self.path), self._engine.begin() as connection:
            yield connection

    def _read(self, query: Any) -> Sequence[Any]:
        with _translated(self.path), self._engine.connect() as connection:
            reading = connection.execution_options(benchwright_reading=True)
            return reading.execute(query).all()


def now() -> str:
    """The time as ISO text, UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except IntegrityError:
        raise
    except (OperationalError, DatabaseError) as error:
        first = (str(error.orig).splitlines() or ["unknown reason"])[0]
        raise RunError(f"{path} cannot be used: {first}.", hint="Is the disk full, or the folder read-only?") from error


def _pragmas(connection: Any, _: Any) -> None:
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={_WAIT_S * 1000}"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    reading = connection.get_execution_options().get("benchwright_reading")
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def _filtered(query: Any, table: Table, item_id: str | None, reviewer: str | None) -> Any:
    for column, value in ((table.c.item_id, item_id), (table.c.reviewer, reviewer)):
        query = query if value is None else query.where(column == value)
    return query


def _row(row: Any, *without: str) -> dict[str, Any]:
    return {name: value for name, value in row._mapping.items() if name not in ("id", *without)}


def _stale(edit: ReviewEdit, latest: int) -> StaleEdit:
    return StaleEdit(
        f"item {edit.item_id} has revision {latest} already.",
        hint="Read it, then save your text again if it is needed.",
    )


def _shape_words(shape: str) -> str:
    return "; ".join(f"{name}: {', '.join(values)}" for name, values in json.loads(shape))
