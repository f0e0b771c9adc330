"""By what an accuracy is split: type, family, domain, duration and so on; what is unknown is n/a with a reason.

Example: the grouping ``duration`` puts an item of 95 s under ``short``; an item without a known duration is under no
value, and the grouping's `missing` says why. An item that uses three outlets counts under each of them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from eval.taxonomy import FAMILIES, family_of, type_order
from records.benchmark import BenchmarkItem
from records.text import language_of

SHORT_S, LONG_S = 120.0, 600.0
"""Bounds of the duration bins in seconds: short below two minutes, long above ten (VideoVista-CulturalLingo 4.4)."""
DURATIONS = ("short", "medium", "long")


@dataclass(frozen=True)
class Grouping:
    """A way to split items. `values` gives an item's values, none where unknown."""

    name: str
    values: Callable[[BenchmarkItem], tuple[str, ...]]
    missing: str
    """Why an item may have no value, in words for a table's footnote."""
    order: Callable[[str], tuple[int, str]] = lambda value: (0, value)


def _one(value: str) -> tuple[str, ...]:
    return (value,) if value else ()


def _listed(names: tuple[str, ...]) -> Callable[[str], tuple[int, str]]:
    return lambda value: (names.index(value), "") if value in names else (len(names), value)


def _number(value: str) -> tuple[int, str]:
    return int(value), ""


def duration_bin(seconds: float | None) -> str:
    """short, medium or long; empty for an unknown duration. Both bounds belong to medium."""
    if seconds is None:
        return ""
    return "short" if seconds < SHORT_S else "long" if seconds > LONG_S else "medium"


def event_position(item: BenchmarkItem) -> str:
    """early or late: in which half of the video the event's middle lies; empty where span or duration is unknown.

    Method: VideoVista-CulturalLingo C.4 (front half against back half).
    """
    if item.event_start_s is None or not item.duration_s:
        return ""
    end = item.event_end_s if item.event_end_s is not None else item.event_start_s
    return "early" if (item.event_start_s + end) / 2 < item.duration_s / 2 else "late"


def language(item: BenchmarkItem) -> str:
    """The declared language, else that of the stem's script."""
    return item.language or language_of(item.stem)


def _count(number: int | None) -> tuple[str, ...]:
    return () if number is None else (str(number),)


GROUPINGS: dict[str, Grouping] = {
    grouping.name: grouping
    for grouping in (
        Grouping("type", lambda i: _one(i.type_id), "the file names no question type", type_order),
        Grouping(
            "family",
            lambda i: _one(i.family or family_of(i.type_id, i.category)),
            "the type belongs to no family of the two papers, and the file names none",
            _listed(FAMILIES),
        ),
        Grouping("category", lambda i: _one(i.category), "the file has no category"),
        Grouping("domain", lambda i: _one(i.domain), "neither the file nor the metadata names a domain"),
        Grouping("language", lambda i: _one(language(i)), "no language"),
        Grouping(
            "duration",
            lambda i: _one(duration_bin(i.duration_s)),
            "neither the file nor the metadata gives the video's duration",
            _listed(DURATIONS),
        ),
        Grouping("culture", lambda i: _one(i.culture), "not a culture item, or the culture is not given"),
        Grouping("discipline", lambda i: _one(i.discipline), "neither the file nor the metadata names a discipline"),
        Grouping(
            "sub_discipline",
            lambda i: _one(i.sub_discipline),
            "neither the file nor the metadata names a sub-discipline",
        ),
        Grouping("platform", lambda i: i.platforms, "neither the file nor the metadata names a platform"),
        Grouping("outlet", lambda i: i.outlets, "neither the file nor the metadata names an outlet"),
        Grouping(
            "event_position",
            lambda i: _one(event_position(i)),
            "needs the event's time and the video's duration",
            _listed(("early", "late")),
        ),
        Grouping("drafter", lambda i: _one(i.drafter), "the file does not say who drafted the question"),
        Grouping("sources_used", lambda i: _count(i.sources_used), "the file does not list sources", _number),
        Grouping("frames_used", lambda i: _count(i.frames_used), "the file does not list evidence frames", _number),
    )
}


def split(items: tuple[BenchmarkItem, ...], grouping: Grouping) -> dict[str, tuple[int, ...]]:
    """The indices of the items under each value, values in the grouping's order."""
    found: dict[str, list[int]] = {}
    for index, item in enumerate(items):
        for value in dict.fromkeys(grouping.values(item)):
            found.setdefault(value, []).append(index)
    return {value: tuple(found[value]) for value in sorted(found, key=grouping.order)}
