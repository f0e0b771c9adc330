"""What can be told about an item from what its file does say: platform, culture, event time, sources used.

Nothing is guessed from content; each fact follows from an id's form, a type's name, the key's own time or the tags that
stand in the question. VideoVista-CulturalLingo takes its videos from YouTube, Xiaohongshu and BiliBili (section 3.1),
whose ids cannot be confused.
"""

import re

from eval.taxonomy import culture_of, family_of, type_info
from eval.times import WrongTime, time_span
from records.benchmark import BenchmarkItem

_YOUTUBE = re.compile(r"[A-Za-z0-9_-]{11}")
_XIAOHONGSHU = re.compile(r"6[0-9a-f]{23}")
_BILIBILI = re.compile(r"\d+-.*\d{3,4}P .*-(?:AVC|HEVC)|BV[0-9A-Za-z]{10}")
_TIMED_TYPES = ("EL", "OTL")


def enriched(item: BenchmarkItem) -> BenchmarkItem:
    """The item with everything that follows from it; nothing that the file states is changed."""
    known = {
        "family": item.family or family_of(item.type_id, item.category),
        "track": item.track or _track(item),
        "culture": item.culture or culture_of(item.type_id),
        "platforms": item.platforms or _platforms(item),
        "sources_used": _sources_used(item) if item.sources_used is None else item.sources_used,
        **_event(item),
    }
    return item.model_copy(update=known)


def _track(item: BenchmarkItem) -> str:
    info = type_info(item.type_id)
    return info.track if info else ""


def _platforms(item: BenchmarkItem) -> tuple[str, ...]:
    info = type_info(item.type_id)
    if not info or info.track != "video":
        return ()
    return tuple(dict.fromkeys(filter(None, map(platform_of, item.video_ids))))


def platform_of(video_id: str) -> str:
    """YouTube, Xiaohongshu or BiliBili by the form of an id as VideoVista-CulturalLingo writes them, else empty."""
    if _XIAOHONGSHU.fullmatch(video_id):
        return "Xiaohongshu"
    if _BILIBILI.fullmatch(video_id):
        return "BiliBili"
    return "YouTube" if _YOUTUBE.fullmatch(video_id) else ""


def _sources_used(item: BenchmarkItem) -> int | None:
    named = [tag for tag in item.sources if re.search(rf"\b{re.escape(tag)}\b", item.stem)]
    return len(named) or None


def _event(item: BenchmarkItem) -> dict[str, float]:
    info = type_info(item.type_id)
    if item.event_start_s is not None or not info or info.code not in _TIMED_TYPES:
        return {}
    try:
        span = time_span(item.key_text)
    except WrongTime:
        return {}
    return {"event_start_s": span[0], "event_end_s": span[1]} if span else {}
