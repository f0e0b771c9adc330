"""Which column of a file means what: found from the columns' names, or given in a small YAML file.

Example of a mapping: ``{id: qid, stem: query, options: [ans0, ans1, ans2, ans3], answer: label, answer_base: 0}``.
A given mapping wins column by column; what it leaves out is found. Decides nothing about values; `eval.keys` does.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import ConfigDict, Field, ValidationError

from eval.options import FLAG_FIELDS, LETTERS
from records.base import Record
from records.errors import ConfigurationError, InputError

Row = dict[str, Any]


class Columns(Record):
    """The column of each role, by its name in the file; None where the file has none."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    rows: str = ""
    """Where the list of questions is inside a JSON file, such as ``data.items``."""
    id: str | None = None
    """A name of the question that no other question has."""
    stem: str | None = None
    """The question's words."""
    options: str | tuple[str, ...] | None = None
    """One column with all options, or the columns of the options in order."""
    answer: str | None = None
    """The right option."""
    answer_kind: Literal["letter", "index", "text"] | None = None
    """What the answer column holds; found from its values if left out."""
    answer_base: Literal[0, 1] | None = None
    """Whether indices count from 0 or from 1; found from the values if left out."""
    answer_text: str | None = None
    """The right answer in words, beside a letter or an index."""
    prompt: str | None = None
    """The whole prompt as text, where the file writes it out."""
    video: str | None = None
    """The video's id."""
    video_file: str | None = None
    """The video's file."""
    sources: str | None = None
    """A mapping from tags to video ids."""
    group: str | None = None
    """The group of videos that the question is about."""
    type: str | None = None
    """The question type."""
    category: str | None = None
    """A coarser class than the type."""
    language: str | None = None
    """A language tag."""
    domain: str | None = None
    """The topic's domain."""
    duration: str | None = None
    """The video's length in seconds, or as a clock time."""
    culture: str | None = None
    """Chinese, American, European, …"""
    discipline: str | None = None
    """Of science questions."""
    sub_discipline: str | None = None
    """Of science questions."""
    platform: str | None = None
    """Where the video was published."""
    outlet: str | None = None
    """Who published the video."""
    event_start: str | None = None
    """Start of the event that is asked about."""
    event_end: str | None = None
    """Its end."""
    drafter: str | None = None
    """Who wrote the question."""
    constants: dict[str, str] = Field(default_factory=dict)
    """Values that hold for every question, such as ``language: en``."""


_NAMES: dict[str, tuple[str, ...]] = {
    "id": ("item_id", "question_id", "quid", "q_uid", "uid", "qid", "sample_id", "id", "index", "idx"),
    "stem": ("question", "stem", "question_text", "query", "problem"),
    "answer": (
        "answer", "correct_answer", "gold_answer", "gold", "correct_option", "correct_choice", "correct", "answer_key",
        "answer_letter", "ground_truth", "gt", "gt_answer", "right_answer", "key", "label", "target", "truth", "ans",
        "answer_index", "answer_idx", "answer_id", "correct_idx", "correct_index", "correct_answer_index",
        "correct_answer_idx", "gold_index",
    ),
    "answer_text": ("origin_answer", "answer_text", "correct_answer_text", "answer_content", "gold_text"),
    "prompt": ("processed_question", "prompt", "full_prompt", "formatted_question"),
    "video": ("video_id", "video", "videoid", "vid", "video_name", "video_uid", "youtube_id", "clip_id"),
    "video_file": ("video_path", "video_file", "file", "filename", "file_name", "path"),
    "sources": ("sources",),
    "group": ("group_id", "group", "story_id", "event_id"),
    "type": ("type_id", "question_type", "task_type", "subcategory", "type", "task", "subtask"),
    "category": ("category", "task_category", "capability"),
    "language": ("language", "lang"),
    "domain": ("domain",),
    "duration": (
        "duration_s", "duration_sec", "duration_seconds", "video_duration", "video_length", "duration",
        "length",
    ),
    "culture": ("culture",),
    "discipline": ("discipline", "subject"),
    "sub_discipline": ("sub_discipline", "subdiscipline"),
    "platform": ("platform", "video_source", "website", "site"),
    "outlet": ("outlet", "channel", "publisher"),
    "event_start": ("event_start_s", "event_start"),
    "event_end": ("event_end_s", "event_end"),
    "drafter": ("drafter", "generator", "author_model"),
}  # fmt: skip
"""Names by role, the likeliest first. A role takes the first name that the file has."""

_ONE_COLUMN = (
    "options",
    "option",
    "choices",
    "candidates",
    "answer_choices",
    "multiple_choice",
    "option_list",
    "answers",
    "mc_options",
)
_PREFIXES = ("", "option", "choice", "candidate", "ans", "answer", "a", "opt", "ending")
_SECOND_ANSWERS = ("answer_kind", "answer_base")


def folded(name: str) -> str:
    """A column name without case, spaces and separators: ``Question ID`` and ``question_id`` are the same."""
    return re.sub(r"[\W_]+", "", name).casefold()


def read_mapping(path: Path) -> Columns:
    """Read a mapping file. Raises ConfigurationError, listing the valid keys for an unknown one."""
    try:
        value = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except FileNotFoundError as error:
        raise ConfigurationError(f"{path}: no such file.") from error
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{path}: not YAML ({error}).") from error
    if not isinstance(value, dict):
        raise ConfigurationError(f"{path}: a mapping from roles to column names is expected.")
    unknown = sorted(set(value) - set(Columns.model_fields))
    if unknown:
        known = ", ".join(Columns.model_fields)
        raise ConfigurationError(f"{path}: unknown key {unknown[0]!r}.", hint=f"Valid keys: {known}.")
    try:
        return Columns.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigurationError(f"{path}: {place}: {first['msg']}.") from error


def find_columns(rows: Sequence[Row], given: Columns | None = None, *, answers_elsewhere: bool = False) -> Columns:
    """The full mapping of a file: what was given, and what its column names say.

    Raises InputError where a given column does not exist, where no stem, options or answer is found, or where two
    columns could be the options.
    """
    given = given or Columns()
    names = list(dict.fromkeys(name for row in rows for name in row))
    _refuse_absent(given, names)
    found: dict[str, Any] = {role: _first(names, wanted) for role, wanted in _NAMES.items()}
    found["options"] = given.options or _option_columns(names)
    found |= {role: value for role, value in given.model_dump().items() if value}
    columns = Columns.model_validate({**found, "answer_base": given.answer_base})
    columns = _without_reuse(columns, given)
    _refuse_missing(columns, names, answers_elsewhere or _marked(rows, columns.options))
    return columns


def _marked(rows: Sequence[Row], column: str | tuple[str, ...] | None) -> bool:
    """Whether options are objects of which one is marked as right, so that no answer column is needed."""
    value = rows[0].get(column) if isinstance(column, str) else None
    if not isinstance(value, list):
        return False
    return any(isinstance(entry, Mapping) and set(entry) & set(FLAG_FIELDS) for entry in value)


def answer_columns(names: Iterable[str], chosen: str | None) -> tuple[str, ...]:
    """Other columns that also state the right option (such as ``answer_index`` beside ``answer``)."""
    wanted = {folded(name) for name in _NAMES["answer"]}
    return tuple(name for name in names if name != chosen and folded(name) in wanted - {"label", "key", "target"})


def find_column(names: Iterable[str], role: Literal["id", "answer"]) -> str | None:
    """The column of a role by its name alone, for files that hold nothing but answers."""
    return _first(names, _NAMES[role])


def _first(names: Iterable[str], wanted: Sequence[str]) -> str | None:
    by_folded: dict[str, str] = {}
    for name in names:
        by_folded.setdefault(folded(name), name)
    return next((by_folded[folded(name)] for name in wanted if folded(name) in by_folded), None)


def _option_columns(names: Sequence[str]) -> str | tuple[str, ...] | None:
    single = _first(names, _ONE_COLUMN)
    several = _numbered(names)
    if single and several:
        raise InputError(
            f"the options could be in {single!r} or in {', '.join(several)}.",
            hint="Say which in the mapping: `options: NAME` or `options: [NAME, NAME, …]`.",
        )
    return several or single


def _numbered(names: Sequence[str]) -> tuple[str, ...]:
    """The columns A, B, C … or option1, option2 … (also a0 …), of the first prefix that has at least two."""
    by_folded = {folded(name): name for name in names}
    for prefix in _PREFIXES:
        for endings in (LETTERS.lower(), [str(n) for n in range(26)], [str(n) for n in range(1, 27)]):
            found: list[str] = []
            for ending in endings:
                if (not prefix and ending.isdigit()) or prefix + ending not in by_folded:
                    break
                found.append(by_folded[prefix + ending])
            if len(found) >= 2:
                return tuple(found)
    return ()


def column_label(name: str) -> str:
    """What a column of options is called by answers: ``A`` for ``option_A``, ``1`` for ``option 1``."""
    match = re.search(r"(\d+|[A-Za-z])$", name.strip())
    return match.group(1) if match else name


def _refuse_absent(given: Columns, names: Sequence[str]) -> None:
    wanted: list[tuple[str, str]] = []
    for role, value in given.model_dump(exclude={"rows", "constants", *_SECOND_ANSWERS}).items():
        wanted += [(role, name) for name in ((value,) if isinstance(value, str) else value or ())]
    for role, name in wanted:
        if name not in names:
            raise InputError(f"the mapping's {role} {name!r} is no column.", hint=f"Columns: {', '.join(names)}.")


def _without_reuse(columns: Columns, given: Columns) -> Columns:
    """A column is used for one role: `answers` may name options, `label` an option column."""
    used = {columns.options} if isinstance(columns.options, str) else set(columns.options or ())
    if columns.answer in used and given.answer is None:
        return columns.model_copy(update={"answer": None})
    return columns


def _refuse_missing(columns: Columns, names: Sequence[str], answers_elsewhere: bool) -> None:
    missing = [role for role in ("stem", "options") if not getattr(columns, role)]
    if not columns.answer and not answers_elsewhere:
        missing.append("answer")
    if missing:
        raise InputError(
            f"no column could be taken for: {', '.join(missing)} (columns: {', '.join(names)}).",
            hint=f"Name it in a mapping file (`{missing[0]}: NAME`), given with --mapping."
            + (" Answers may also be in a second file (--answers)." if "answer" in missing else ""),
        )


def value_of(row: Mapping[str, Any], column: str | None) -> Any:
    """The cell of a column; None for no column."""
    return row.get(column) if column else None
