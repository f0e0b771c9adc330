"""The question types of both papers: their short names, families and the order in which tables show them.

News: T1–T10 in comparison (T1–T5) and integration (T6–T10), VNU-Bench section 2.1. Video: fourteen subtasks in event,
object, culture and science, VideoVista-CulturalLingo section 4.3. Other types are welcome; they have no family.
"""

import re
from typing import Literal

from records.base import Record

Family = Literal["comparison", "integration", "event", "object", "culture", "science"]
FAMILIES: tuple[Family, ...] = ("comparison", "integration", "event", "object", "culture", "science")


class TypeInfo(Record):
    """One known question type."""

    code: str
    """As in the papers' tables: ``T7``, ``EL``."""
    name: str
    family: Family
    track: Literal["news", "video"]
    other_names: tuple[str, ...] = ()
    """Spellings that occur in released files."""


def _news(number: int, name: str, *other_names: str) -> TypeInfo:
    family: Family = "comparison" if number <= 5 else "integration"
    names = (f"Type {number}", *other_names)
    return TypeInfo(code=f"T{number}", name=name, family=family, track="news", other_names=names)


def _video(code: str, name: str, family: Family, *other_names: str) -> TypeInfo:
    return TypeInfo(code=code, name=name, family=family, track="video", other_names=other_names)


TYPES: tuple[TypeInfo, ...] = (
    _news(1, "Main claim comparison"),
    _news(2, "Event comparison"),
    _news(3, "Visual comparison", "Cross-video visual comparison"),
    _news(4, "Narrative angle comparison", "Perspective comparison"),
    _news(5, "Multi-modal presentation comparison"),
    _news(6, "Cross-source cross-modal evidence integration"),
    _news(7, "Cross-source evidence-claim conflict detection"),
    _news(8, "Cross-source temporal development"),
    _news(9, "Cross-source narrative reconstruction"),
    _news(10, "Multi-source summary"),
    _video("ED", "Event Description", "event"),
    _video("EP", "Event Prediction", "event"),
    _video("ES", "Event Sequence", "event"),
    _video("EL", "Event Localization", "event", "Event Localisation"),
    _video("OTL", "Object Temporal Localization", "object", "Object Temporal Localisation"),
    _video("OTS", "Object Temporal Sequence", "object", "Obejct Temporal Sequence"),
    _video("OSL", "Object Spatial Localization", "object", "Object Spatial Localisation"),
    _video("CC", "Chinese Culture", "culture"),
    _video("AC", "American Culture", "culture"),
    _video("EC", "European Culture", "culture"),
    _video("SS", "Summarization & Synthesis", "science", "Summarization and Synthesis"),
    _video("COM", "Comparison & Contrast", "science", "Comparison and Contrast"),
    _video("AP", "Application & Procedure", "science", "Application and Procedure"),
    _video("SP", "Scientific Principle", "science", "Science Principle"),
)


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


_BY_NAME = {_folded(name): info for info in TYPES for name in (info.code, info.name, *info.other_names)}
CODES: tuple[str, ...] = tuple(info.code for info in TYPES)


def type_info(type_id: str) -> TypeInfo | None:
    """The known type of a name as a file writes it (code, full name or a variant of it), else None."""
    return _BY_NAME.get(_folded(type_id))


def type_code(type_id: str) -> str:
    """The short name that tables use; the name itself for types that the papers do not have."""
    info = type_info(type_id)
    return info.code if info else type_id


def family_of(type_id: str, written: str = "") -> str:
    """The family that the file writes if it is one of the papers', else that of the type; empty if neither is known."""
    if written.strip().casefold() in FAMILIES:
        return written.strip().casefold()
    info = type_info(type_id)
    return info.family if info else ""


def culture_of(type_id: str) -> str:
    """``Chinese``, ``American`` or ``European`` for the culture subtasks, else empty."""
    info = type_info(type_id)
    return info.name.split()[0] if info and info.family == "culture" else ""


def type_order(type_id: str) -> tuple[int, str]:
    """A sort key: the papers' types in the papers' order, then others by name."""
    code = type_code(type_id)
    return (CODES.index(code), "") if code in CODES else (len(CODES), type_id)
