"""The review work as rows of a table, and rows back as scores, comments and corrections. Pure but for the desk.

A row is one item for one reviewer: what to read, one column a dimension, a comment, and `edit_…` columns that stay
empty unless something is to be corrected. An empty cell changes nothing. A bad cell is told by row and column, and then
nothing at all is taken over.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from records.base import Record
from records.errors import BenchwrightError, InputError
from records.media import Group
from records.questions import Question
from records.review import Comment, Reviewer, Score, Sheet
from review.desk import LONGEST_TEXT, Desk
from review.edits import EditForm, form_of, revised
from review.material import entry_of
from review.work import Standing, standings

Row = dict[str, str]
FIRST = ("item_id", "revision", "reviewer", "role", "group_id", "type_id", "language", "question")
NEEDED = ("item_id", "revision", "reviewer")
_MOST_SHOWN = 20


class CellError(Record):
    """One cell that cannot be taken over."""

    row: int
    """As the file counts: 1 is the line of headings."""
    column: str
    message: str

    def __str__(self) -> str:
        return f"row {self.row}, column {self.column}: {self.message}"


class Entry(Record):
    """What one row says."""

    row: int
    item_id: str
    revision: int
    reviewer: str
    scores: dict[str, str]
    comment: str | None = None
    """None where the cell is empty."""
    form: EditForm | None = None
    reason: str = ""


class Imported(Record):
    """What an import took over."""

    rows: int
    scores: int
    comments: int
    edits: int
    broken_rules: tuple[str, ...] = ()
    """One line a rule that a correction breaks; corrections are kept all the same, as in the page."""


def columns(sheet: Sheet, letters: Sequence[str]) -> tuple[str, ...]:
    """The headings for a sheet and a run whose options have these letters."""
    return (
        *FIRST,
        *(f"option_{letter}" for letter in letters),
        "sources",
        "entry",
        *(dimension.id for dimension in sheet.dimensions),
        "comment",
        "edit_question",
        *(f"edit_{letter}" for letter in letters),
        "edit_key",
        "edit_evidence",
        "edit_support",
        "edit_reason",
    )


def letters_of(desk: Desk) -> tuple[str, ...]:
    """Every letter that an option of the run has."""
    return tuple(sorted({letter for item in desk.material.items.values() for letter in item.question.options}))


def rows(desk: Desk, reviewer: str = "") -> list[Row]:
    """One row an item and reviewer (of one reviewer, if named), in the order of the page; blank reviewers if none.

    Raises InputError if the named reviewer has no items.
    """
    assignments = desk.journal.assignments()
    names = sorted({one.reviewer for one in assignments})
    if reviewer:
        if reviewer not in names:
            raise InputError(f"{reviewer} has no items in this run.", hint=f"There are: {', '.join(names) or 'none'}.")
        names = [reviewer]
    made = [_row(desk, name, one) for name in names for one in desk.queue(Reviewer(name=name))]
    return made or [_row(desk, "", one) for one in _unassigned(desk)]


def keys(desk: Desk, table: Iterable[Row]) -> list[Row]:
    """The keys of a table's items, once each: kept apart, so that nobody reads them before scoring."""
    seen: dict[tuple[str, str], Row] = {}
    for row in table:
        question = desk.question(row["item_id"], int(row["revision"]))
        seen[row["item_id"], row["revision"]] = {
            "item_id": row["item_id"],
            "revision": row["revision"],
            "key": question.key,
            "evidence": question.evidence,
            "support": ", ".join(question.support_map.get(question.key, ())),
        }
    return list(seen.values())


def parse(desk: Desk, table: Iterable[tuple[int, Row]], *, anyone: bool = False) -> tuple[Entry, ...]:
    """The entries of a table's rows, numbered as in the file. `anyone` also takes reviewers without the assignment.

    Raises InputError that lists the bad cells by row and column.
    """
    seats = {(one.item_id, one.reviewer) for one in desk.journal.assignments()}
    latest: dict[str, int] = defaultdict(int)
    for edit in desk.journal.edits():
        latest[edit.item_id] = max(latest[edit.item_id], edit.revision)
    errors: list[CellError] = []
    entries = []
    for number, row in table:
        entry = _Reader(desk, number, row, errors).entry(seats, latest, anyone=anyone)
        if entry is not None:
            entries.append(entry)
    errors += _doubled(entries)
    if errors:
        raise InputError(_listed(errors), hint="Nothing was taken over; mend these cells and import again.")
    return tuple(entries)


def apply(desk: Desk, entries: Iterable[Entry]) -> Imported:
    """Keep what the entries say. Scores and comments that are there already are not doubled."""
    done = list(entries)
    scores = comments = 0
    for entry in done:
        where = {"item_id": entry.item_id, "revision": entry.revision, "reviewer": entry.reviewer}
        before = {(one.revision, one.dimension): one.level for one in _scores(desk, entry)}
        for dimension, level in entry.scores.items():
            scores += before.get((entry.revision, dimension)) != level
            desk.journal.save_score(Score(**where, dimension=dimension, level=level))
        if entry.comment is not None and entry.comment != _comment(desk, entry):
            desk.journal.save_comment(Comment(**where, text=entry.comment))
            comments += 1
    corrections = [entry for entry in done if entry.form is not None]
    broken = [line for entry in corrections for line in _correct(desk, entry)]
    return Imported(
        rows=len(done), scores=scores, comments=comments, edits=len(corrections), broken_rules=tuple(broken)
    )


class _Reader:
    """Reads one row, noting what is wrong."""

    def __init__(self, desk: Desk, number: int, row: Row, errors: list[CellError]) -> None:
        self._desk = desk
        self._number = number
        self._row = row
        self._errors = errors

    def entry(self, seats: set[tuple[str, str]], latest: Mapping[str, int], *, anyone: bool) -> Entry | None:
        """The entry, or None for a row in which nothing is filled in or which cannot be read."""
        before = len(self._errors)
        scores, comment = self._scores(), self._row.get("comment") or None
        corrected = any(value for name, value in self._row.items() if name.startswith("edit_"))
        if not (scores or comment or corrected or len(self._errors) > before):
            return None
        item_id, revision = self._item(), self._revision(latest)
        reviewer = self._reviewer(seats, anyone=anyone)
        if comment and len(comment) > LONGEST_TEXT:
            self._wrong("comment", f"has {len(comment)} characters; at most {LONGEST_TEXT} are kept")
        form = self._form(item_id, revision, scores, latest) if corrected and item_id and revision is not None else None
        if len(self._errors) > before or revision is None:
            return None
        reason = self._row.get("edit_reason", "")
        return Entry(
            row=self._number, item_id=item_id, revision=revision, reviewer=reviewer, scores=scores, comment=comment,
            form=form, reason=reason,
        )  # fmt: skip

    def _wrong(self, column: str, message: str) -> None:
        self._errors.append(CellError(row=self._number, column=column, message=message))

    def _scores(self) -> dict[str, str]:
        found = {}
        for dimension in self._desk.sheet.dimensions:
            value = self._row.get(dimension.id, "")
            if value and value not in dimension.values:
                self._wrong(dimension.id, f"{value!r} is not one of {', '.join(dimension.values)}")
            elif value:
                found[dimension.id] = value
        return found

    def _item(self) -> str:
        item_id = self._row.get("item_id", "")
        if item_id not in self._desk.material.items:
            self._wrong("item_id", f"the run has no item {item_id!r}")
            return ""
        return item_id

    def _revision(self, latest: Mapping[str, int]) -> int | None:
        text = self._row.get("revision", "") or "0"
        most = latest.get(self._row.get("item_id", ""), 0)
        if not (text.isascii() and text.isdigit()) or int(text) > most:
            self._wrong("revision", f"{text!r} is no revision of this item (0 to {most})")
            return None
        return int(text)

    def _reviewer(self, seats: set[tuple[str, str]], *, anyone: bool) -> str:
        name = self._row.get("reviewer", "")
        if not name:
            self._wrong("reviewer", "is empty")
        elif not anyone and (self._row.get("item_id", ""), name) not in seats:
            self._wrong("reviewer", f"the item is not assigned to {name!r} (--anyone takes it all the same)")
        return name

    def _form(
        self, item_id: str, revision: int, scores: Mapping[str, str], latest: Mapping[str, int]
    ) -> EditForm | None:
        question = self._desk.question(item_id, revision)
        if revision < latest.get(item_id, 0) and self._taken_over(item_id, revision, _corrected(question, self._row)):
            return None
        if revision < latest.get(item_id, 0):
            self._wrong("revision", f"revision {latest[item_id]} exists; correct that one")
            return None
        if not self._desk.sheet.complete({**self._given(item_id, revision), **scores}):
            self._wrong("edit_question", "give all scores of this revision before correcting it")
            return None
        form = _corrected(question, self._row)
        try:
            revised(question, form)
        except BenchwrightError as error:
            self._wrong(_column_of(error.message), error.message)
            return None
        return form

    def _taken_over(self, item_id: str, revision: int, form: EditForm) -> bool:
        """Whether an earlier import of this row has made the next revision already."""
        name = self._row.get("reviewer", "")
        after = next(one for one in self._desk.journal.edits(item_id=item_id) if one.revision == revision + 1)
        return after.author == name and form_of(after.question) == form

    def _given(self, item_id: str, revision: int) -> dict[str, str]:
        reviewer = self._row.get("reviewer", "")
        found = self._desk.journal.scores(item_id=item_id, reviewer=reviewer)
        return {one.dimension: one.level for one in found if one.revision == revision}


def _doubled(entries: Sequence[Entry]) -> list[CellError]:
    """Rows that contradict another one: the same work twice, or two corrections of one text."""
    errors, rows_of, corrected = [], {}, {}  # type: ignore[var-annotated]
    for one in entries:
        first = rows_of.setdefault((one.item_id, one.revision, one.reviewer), one.row)
        if first != one.row:
            told = f"{one.reviewer}'s work on this item stands in row {first} already; keep one of the two"
            errors.append(CellError(row=one.row, column="item_id", message=told))
            continue
        before = corrected.setdefault(one.item_id, one.row) if one.form else one.row
        if before != one.row:
            told = f"row {before} corrects this item already; only one correction can be the next revision"
            errors.append(CellError(row=one.row, column="edit_question", message=told))
    return errors


def _row(desk: Desk, reviewer: str, standing: Standing) -> Row:
    question = desk.question(standing.item_id, standing.revision)
    group = desk.material.groups.get(question.group_id)
    made = {
        "item_id": standing.item_id,
        "revision": str(standing.revision),
        "reviewer": reviewer,
        "role": standing.role,
        "group_id": question.group_id,
        "type_id": question.type_id,
        "language": question.language,
        "question": question.stem,
        **{f"option_{letter}": option.text for letter, option in question.options.items()},
        "sources": "\n".join(source_lines(question, group)),
        "entry": entry_of(question),
        **standing.scores,
        "comment": standing.comment,
    }
    return {name: made.get(name, "") for name in columns(desk.sheet, letters_of(desk))}


def source_lines(question: Question, group: Group | None) -> list[str]:
    """Each source in a line: tag, outlet, date, title, address."""
    by_id = {source.video_id: source for source in group.sources} if group else {}
    lines = []
    for tag, video_id in sorted(question.sources.items()):
        source = by_id.get(video_id)
        facts = (source.outlet, source.date, source.title, source.url or video_id) if source else (video_id,)
        lines.append(f"{tag}: {' · '.join(filter(None, facts))}")
    return lines


def _unassigned(desk: Desk) -> tuple[Standing, ...]:
    nobody = Reviewer(name="\0", lead=True)
    return standings(desk.material, desk.sheet, nobody, (), (), (), desk.journal.edits())


def _corrected(question: Question, row: Row) -> EditForm:
    old = form_of(question)
    support = row.get("edit_support", "")
    return EditForm(
        stem=row.get("edit_question") or old.stem,
        options={letter: row.get(f"edit_{letter}") or text for letter, text in old.options.items()},
        key=(row.get("edit_key") or old.key).strip().upper(),
        evidence=row.get("edit_evidence") or old.evidence,
        support=tuple(tag.strip() for tag in support.split(",") if tag.strip()) if support else old.support,
    )


def _column_of(message: str) -> str:
    field = message.partition(":")[0]
    names = {"stem": "edit_question", "key": "edit_key", "support": "edit_support"}
    return names.get(field, f"edit_{field.removeprefix('option ')}" if field.startswith("option ") else "edit_question")


def _correct(desk: Desk, entry: Entry) -> list[str]:
    if entry.form is None:
        return []
    edit = desk.save_edit(_as_lead(entry.reviewer), entry.item_id, entry.revision, entry.form, entry.reason)
    return [f"row {entry.row}: {one.rule_id} ({one.where}): {one.message}" for one in edit.report.violations]


def _as_lead(name: str) -> Reviewer:
    """Whether the item is theirs was settled when the row was read."""
    return Reviewer(name=name, lead=True)


def _scores(desk: Desk, entry: Entry) -> tuple[Score, ...]:
    return desk.journal.scores(item_id=entry.item_id, reviewer=entry.reviewer)


def _comment(desk: Desk, entry: Entry) -> str:
    found = desk.journal.comments(item_id=entry.item_id, reviewer=entry.reviewer)
    return next((one.text for one in found if one.revision == entry.revision), "")


def _listed(errors: Sequence[CellError]) -> str:
    shown = "\n  ".join(str(error) for error in errors[:_MOST_SHOWN])
    more = f"\n  … and {len(errors) - _MOST_SHOWN} more" if len(errors) > _MOST_SHOWN else ""
    return f"{len(errors)} cell(s) cannot be read:\n  {shown}{more}\n"
