"""Outlet names that are spoken in a transcript give way to the tag of the source that bears the name.

Example: ``seen first by Tideline`` becomes ``seen first by TAG_B``. Names shown in frames cannot be masked here.
"""

import re
from collections.abc import Mapping
from typing import overload

from records.media import Group, Tag, Transcript
from records.text import CJK


@overload
def mask_outlets(said: Transcript, group: Group, tags: Mapping[str, Tag] | None = None) -> Transcript: ...
@overload
def mask_outlets(said: str, group: Group, tags: Mapping[str, Tag] | None = None) -> str: ...
def mask_outlets(said: Transcript | str, group: Group, tags: Mapping[str, Tag] | None = None) -> Transcript | str:
    """A transcript (or text) without the outlet names of the group, whatever their case and spacing.

    An outlet becomes the tag of its source, or ``this outlet`` (``该媒体``) where no tags are given or several sources
    share the outlet.
    """
    names = _names(group, tags or {})
    if isinstance(said, str):
        return _mask(said, names)
    sentences = tuple(sentence.model_copy(update={"text": _mask(sentence.text, names)}) for sentence in said.sentences)
    return said.model_copy(update={"sentences": sentences, "text": _mask(said.text, names)})


def _names(group: Group, tags: Mapping[str, Tag]) -> list[tuple[re.Pattern[str], str]]:
    bearers: dict[str, list[str]] = {}
    for source in group.sources:
        if source.outlet:
            bearers.setdefault(source.outlet, []).append(source.video_id)
    longest_first = sorted(bearers, key=len, reverse=True)
    return [(_pattern(outlet), _replacement(outlet, bearers[outlet], tags)) for outlet in longest_first]


def _replacement(outlet: str, video_ids: list[str], tags: Mapping[str, Tag]) -> str:
    if len(video_ids) == 1 and video_ids[0] in tags:
        return tags[video_ids[0]]
    return "该媒体" if CJK.search(outlet) else "this outlet"


def _pattern(outlet: str) -> re.Pattern[str]:
    """The name with free spacing, also between letters and digits: ``Orbis24`` finds ``Orbis 24``."""
    parts = re.findall(r"\d+|[^\W\d_]+|[^\w\s]", outlet)
    body = r"[\s·-]*".join(map(re.escape, parts))
    edge = "" if CJK.search(outlet) else r"\b"
    return re.compile(f"{edge}{body}{edge}", re.IGNORECASE)


def _mask(text: str, names: list[tuple[re.Pattern[str], str]]) -> str:
    for pattern, replacement in names:
        text = pattern.sub(replacement, text)
    return text
