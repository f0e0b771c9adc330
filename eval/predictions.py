"""Reads what models answered: our own JSONL of Predictions, or anyone's list of ids and replies.

``[{"question_id": "q1", "pred": "B"}]``, ``{"q1": "B"}``, CSV and so on. Replies are read by `records.answers`, as
everywhere; ``first-letter`` takes the first character and nothing else, as VideoVista-CulturalLingo's published script
does. A question without a prediction is wrong there, and here unless it is told to be unavailable.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from eval.mapping import folded
from eval.options import is_empty, plain_text
from eval.rows import Row, read_rows
from records.answers import UnreadReply, read_answer
from records.base import Record
from records.benchmark import BenchmarkItem, Prediction
from records.errors import InputError
from records.verdicts import CallOutcome

Reader = Literal["answers", "first-letter"]
Missing = Literal["wrong", "unavailable"]
_ID_NAMES = ("item_id", "question_id", "quid", "q_uid", "uid", "qid", "sample_id", "id", "index", "doc_id")
_REPLY_NAMES = (
    "pred", "prediction", "predicted", "pred_answer", "predicted_answer", "model_answer", "model_prediction",
    "response",
    "output", "model_output", "reply", "raw", "text", "answer",
)  # fmt: skip
_SURE_REPLY_NAMES = ("pred", "prediction", "predicted", "pred_answer", "predicted_answer", "model_answer")
_OWN = {"model", "item_id", "outcome"}


class PredictionFile(Record):
    """Predictions as read, complete: every item has at least one."""

    path: str
    predictions: tuple[Prediction, ...]
    reader: str
    """How replies were read: ``records`` for our own predictions, else the reader's name."""
    notes: tuple[str, ...] = ()
    missing: int = 0
    """Items that the file says nothing about."""


def load_predictions(
    path: Path,
    items: Sequence[BenchmarkItem],
    *,
    model: str = "",
    reader: Reader = "answers",
    missing: Missing = "wrong",
    base: Literal[0, 1] | None = None,
) -> PredictionFile:
    """Read a predictions file for these items. `model` names the candidate, else the file's name does.

    `base` reads numbers as indices of options. Raises InputError where no id matches, an id stands twice, or numbers
    stand where letters are expected.
    """
    rows = read_rows(path)
    if all(set(row) >= _OWN for row in rows):
        found, how = _own(path, rows), "records"
    else:
        found, how = _foreign(path, rows, items, model or path.stem, reader, base), reader
    known = {item.item_id for item in items}
    matched = [p for p in found if p.item_id in known]
    notes = (
        [f"{len(found) - len(matched)} predictions are for ids that the items do not have"]
        if len(found) > len(matched)
        else []
    )
    if not matched:
        raise InputError(f"{path}: none of its ids is among the items.", hint="Are both of the same benchmark?")
    added = _absent(matched, items, "unparsed" if missing == "wrong" else "unavailable")
    if added:
        notes.append(f"{len(added)} items have no prediction: counted as {missing}")
    return PredictionFile(
        path=str(path), predictions=(*matched, *added), reader=how, notes=tuple(notes), missing=len(added)
    )


def _own(path: Path, rows: Sequence[Row]) -> tuple[Prediction, ...]:
    found = []
    for number, row in enumerate(rows, 1):
        try:
            found.append(Prediction.model_validate({name: value for name, value in row.items() if value is not None}))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "row"
            raise InputError(f"{path}, row {number}: {place}: {first['msg']}.") from error
    return tuple(found)


def _foreign(
    path: Path, rows: Sequence[Row], items: Sequence[BenchmarkItem], model: str, reader: Reader, base: int | None
) -> tuple[Prediction, ...]:
    id_column, reply_column = _columns(path, rows)
    by_id = {item.item_id: item for item in items}
    _refuse_doubled(path, [plain_text(row.get(id_column)) for row in rows])
    _refuse_numbers(path, [row.get(reply_column) for row in rows], items, base)
    model_column = next((name for name in rows[0] if folded(name) in ("model", "modelname")), None)
    found = []
    for row in rows:
        item_id = plain_text(row.get(id_column))
        name = plain_text(row.get(model_column)) if model_column else ""
        outcome = plain_text(row.get("outcome"))
        found.append(
            read_reply(row.get(reply_column), by_id.get(item_id), item_id, name or model, reader, base, outcome)
        )
    return tuple(found)


def read_reply(
    value: Any,
    item: BenchmarkItem | None,
    item_id: str,
    model: str,
    reader: Reader = "answers",
    base: int | None = None,
    outcome: str = "",
) -> Prediction:
    """One reply as a Prediction; a reply without a readable letter is `unparsed`. `outcome` is a failure's name."""
    from records.benchmark import STANDING

    if outcome and outcome != "ok":
        if outcome not in STANDING:
            raise InputError(f"{item_id}: unknown outcome {outcome!r}.", hint=f"Known: {', '.join(STANDING)}.")
        return Prediction(model=model, item_id=item_id, outcome=outcome)
    text = _reply_text(value)
    if item is None:
        return Prediction(model=model, item_id=item_id, outcome="unparsed", raw=text[:500])
    letter, message = _letter(text, item, reader, base)
    if letter is None:
        return Prediction(model=model, item_id=item_id, outcome="unparsed", message=message, raw=text[:500])
    return Prediction(model=model, item_id=item_id, answer=letter, raw=text[:500])


def _reply_text(value: Any) -> str:
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    return plain_text(value)


def _letter(text: str, item: BenchmarkItem, reader: Reader, base: int | None) -> tuple[str | None, str]:
    if not text:
        return None, "empty prediction"
    if base is not None and text.isascii() and text.isdigit():
        letters = list(item.options)
        index = int(text) - base
        return (letters[index], "") if 0 <= index < len(letters) else (None, f"there is no option number {text}")
    if reader == "first-letter":
        return (text[0], "") if text[0] in item.options else (None, f"the first character {text[0]!r} is no option")
    reading = read_answer(text, item.options)
    return (None, reading.message) if isinstance(reading, UnreadReply) else (reading.answer, "")


def _columns(path: Path, rows: Sequence[Row]) -> tuple[str, str]:
    by_folded = {folded(name): name for row in rows for name in row}
    id_column = next((by_folded[folded(name)] for name in _ID_NAMES if folded(name) in by_folded), None)
    reply = next((by_folded[folded(name)] for name in _REPLY_NAMES if folded(name) in by_folded), None)
    if id_column is None or reply is None:
        lacking = "an id (such as question_id)" if id_column is None else "a prediction (such as pred)"
        raise InputError(f"{path}: no column for {lacking} (columns: {', '.join(by_folded.values())}).")
    _refuse_two_readings(path, rows, reply, by_folded)
    return id_column, reply


def _refuse_two_readings(path: Path, rows: Sequence[Row], reply: str, by_folded: dict[str, str]) -> None:
    """Two columns that can only be the model's answer, and that differ, leave open which one is scored."""
    for other in (by_folded.get(folded(name)) for name in _SURE_REPLY_NAMES):
        if other is None or other == reply or folded(reply) not in {folded(name) for name in _SURE_REPLY_NAMES}:
            continue
        for number, row in enumerate(rows, 1):
            first, second = _reply_text(row.get(reply)), _reply_text(row.get(other))
            if first and second and first != second:
                raise InputError(
                    f"{path}, row {number}: columns {reply!r} and {other!r} both name the model's answer, and differ: "
                    f"{first[:40]!r} and {second[:40]!r}.",
                    hint="Take out or rename the one that is not to be scored.",
                )


def _refuse_doubled(path: Path, ids: Sequence[str]) -> None:
    seen: set[str] = set()
    for number, name in enumerate(ids, 1):
        if name in seen:
            raise InputError(f"{path}, row {number}: a second prediction for {name!r}.", hint="Keep one an item.")
        seen.add(name)


def _refuse_numbers(path: Path, values: Sequence[Any], items: Sequence[BenchmarkItem], base: int | None) -> None:
    """Bare numbers where the options are no numbers: they are indices, and nothing says from where they count."""
    texts = [_reply_text(value) for value in values if not is_empty(value)]
    numeric = [text for text in texts if text.isascii() and text.isdigit()]
    options_are_numbers = any(option.isdigit() for item in items for option in item.options.values())
    if base is None and not options_are_numbers and texts and 2 * len(numeric) > len(texts):
        raise InputError(
            f"{path}: predictions are numbers such as {numeric[0]!r}; it is not clear from where they count.",
            hint="Say --prediction-base 0 or --prediction-base 1.",
        )


def _absent(
    found: Iterable[Prediction], items: Sequence[BenchmarkItem], outcome: CallOutcome
) -> tuple[Prediction, ...]:
    """For every candidate and setting a failed prediction for each item that it says nothing about."""
    answered: dict[tuple[str, str], set[str]] = {}
    for p in found:
        answered.setdefault((p.model, p.setting), set()).add(p.item_id)
    return tuple(
        Prediction(model=model, setting=setting, item_id=item.item_id, outcome=outcome, message="no prediction")
        for (model, setting), done in answered.items()
        for item in items
        if item.item_id not in done
    )
