"""A run in which everything that others wrote tries to break out of the page."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel

from records.media import Evidence, Group
from records.questions import DraftRecord
from records.verdicts import Item
from store.run import Run
from tests.store.building import SET, Judged, accepted, build_run, question, unaccepted

PLANTED = (
    "</script><script>window.planted=1</script><img src=x onerror='window.planted=1'>\"'><svg/onload=planted=1>"
    "</style><style>*{display:none}</style>&lt;b&gt; {{ 7*7 }} <!-- [FRAME: TAG_B #2]</details></template>"
)
KEPT = {
    "item_id", "question_id", "group_id", "judgement_set", "kind", "check", "outcome", "key", "role", "sha256", "slot",
    "request_id", "request_ids", "removed_by", "schedule", "video_id", "tag", "tags", "modality", "origin", "ranking",
    "answer", "shown_order", "named_tags", "tags_named", "unit", "evidence_frames", "support_map", "external_id",
    "reply_model",
}  # fmt: skip
"""Fields whose values are ids or come from a closed vocabulary."""


def spoilt(value: Any, name: str = "") -> Any:
    """The same plain data with the planted text behind every free text."""
    if isinstance(value, dict):
        return {key: spoilt(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [spoilt(item, name) for item in value]
    if not isinstance(value, str) or name in KEPT:
        return value
    return f"{value}{PLANTED}"


def spoil(record: BaseModel) -> Any:
    return type(record).model_validate(spoilt(record.model_dump(mode="json")))


def hostile_run(folder: Path) -> Run:
    """A run with one spoilt question of each kind; open for writing."""
    run = build_run(folder)
    for kind, shape, set_name in (("group", Group, ""), ("evidence", Evidence, ""), ("draft", DraftRecord, "")):
        for entry in run.index(kind):
            record = run.get(kind, entry.key, shape, set_name=set_name)
            assert record is not None
            run.put(kind, entry.key, spoil(record), group_id=entry.group_id)
    for item in run.all("item", Item):
        run.put("item", item.item_id, spoil(item), group_id=item.question.group_id, set_name=SET)
    evil = question("When (TAG_A vs TAG_B)?", group=f"g {PLANTED}", type_id=f"T1{PLANTED}")
    item = Judged(evil).solvability(2).skipped("ambiguity", "difficulty").item()
    run.put("item", item.item_id, item, group_id=evil.group_id, set_name=SET)
    slots = (accepted(evil, 1), unaccepted(f"g {PLANTED}", f"T1{PLANTED}", 2, "declined", reason=PLANTED))
    for draft in slots:
        run.put("draft", draft.slot, draft, group_id=draft.group_id)
    return run
