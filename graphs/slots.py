"""Which questions a run drafts: one slot a group, type and number, in one fixed order.

Example: two groups, types T2 and T7, ``--per-type 1`` give calder/T2/1, calder/T7/1, wren/T2/1, wren/T7/1.
"""

from collections.abc import Iterable
from pathlib import Path

from records.base import Record
from records.errors import ConfigurationError


class Slot(Record):
    """A place for one draft."""

    group_id: str
    type_id: str
    number: int
    """1 for the first question of this type in this group."""
    drafter: str
    """Name of the model in the panel."""

    @property
    def key(self) -> str:
        """``<group_id>/<type_id>/<number>``."""
        return f"{self.group_id}/{self.type_id}/{self.number}"


def plan_slots(
    groups: Iterable[str],
    types: tuple[str, ...],
    per_type: int,
    drafters: tuple[str, ...],
    limit: tuple[int, int] | None = None,
) -> tuple[Slot, ...]:
    """All slots of a run in order; `limit` keeps a range of them, counted from 1. Several drafters take turns.

    Raises ConfigurationError for a range in which there is no slot.
    """
    places = [(group, kind, n) for group in groups for n in range(1, per_type + 1) for kind in types]
    slots = [
        Slot(group_id=group, type_id=kind, number=n, drafter=drafters[index % len(drafters)])
        for index, (group, kind, n) in enumerate(places)
    ]
    low, high = limit or (1, len(slots))
    if low > len(slots) and limit:
        raise ConfigurationError(f"--limit begins at {low}, but the run has {len(slots)} drafting slots.")
    return tuple(slots[low - 1 : high])


def group_names(folders: Iterable[Path]) -> dict[str, Path]:
    """Group id → folder. Raises ConfigurationError where two folders have the same name."""
    named: dict[str, Path] = {}
    for folder in folders:
        path = folder.resolve()
        if named.setdefault(path.name, path) != path:
            raise ConfigurationError(
                f"two groups are named {path.name!r}: {named[path.name]} and {path}.",
                hint="A group's folder name is its id; rename one of them.",
            )
    return named
