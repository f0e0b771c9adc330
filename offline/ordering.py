"""Claims that put two sources' times in order: "the time that TAG_A gives … is earlier than that of TAG_B …".

Each side is matched to the sentence of its source that it quotes; the two sentences' dates or clock times decide.
"""

import re

from media.quantities import Quantity
from offline.claims import ClaimText
from offline.contrast import quantities
from offline.reading import Material
from offline.words import TAG, terms, words
from records.media import Tag

_EARLIER = {"earlier", "before", "早于", "早"}
_LATER = {"later", "after", "晚于", "晚"}
_BARE_HOUR = re.compile(
    r"\bat\s+(?P<about>around\s+|about\s+)?(?P<hour>1[0-2]|[1-9])(?=\s*[,.;!](?!\d)|\s*$|\s+(?:and|when)\b)"
)
_DAY_PART = re.compile(r"\b(?:night|morning|evening|afternoon|dawn|midnight)\b", re.IGNORECASE)


def relation_holds(claim: ClaimText, material: Material) -> bool | None:
    """Whether the order that a claim states is borne out; None where it states none or a time is not shown."""
    if len(claim.tags) != 2:
        return None
    said = set(words(claim.text, material.language))
    earlier, later = bool(said & _EARLIER), bool(said & _LATER)
    if earlier == later:
        return None
    left, right = (_time_of(tag, side, material) for tag, side in zip(claim.tags, _sides(claim), strict=True))
    if left is None or right is None or left.kind != right.kind or left.value == right.value:
        return None
    return (left.value < right.value) == earlier


def _sides(claim: ClaimText) -> tuple[str, str]:
    """The claim's text up to its second tag, and from there on."""
    marks = [match for match in TAG.finditer(claim.text) if match.group()[:5] == claim.tags[1]]
    return claim.text[: marks[0].start()], claim.text[marks[0].start() :]


def _time_of(tag: Tag, side: str, material: Material) -> Quantity | None:
    wanted = set(terms(side, material.language))
    timed = [(text, found) for text in material.texts((tag,)) for found in times(text)]
    scored = [
        (len(wanted & set(terms(text, material.language))), -place, found) for place, (text, found) in enumerate(timed)
    ]
    best = max(scored, key=lambda entry: entry[:2], default=(0, 0, None))
    return best[2] if best[0] >= 2 else None


def times(text: str) -> tuple[Quantity, ...]:
    """The dates, years and clock times of a sentence, an hour that is only called by its number included."""
    hour = bare_hour(text)
    return (
        *(found for found in quantities(text) if found.kind in ("time", "year", "date")),
        *((hour,) if hour else ()),
    )


def bare_hour(text: str) -> Quantity | None:
    """The hour in "in the night, at around 3": a bare number after *at* in a sentence that names a part of the day."""
    match = _BARE_HOUR.search(text)
    if not match or not _DAY_PART.search(text):
        return None
    hour = int(match["hour"])
    late = re.search(r"\b(?:afternoon|evening)\b", text, re.IGNORECASE) and hour < 12
    value = (hour + 12 if late else hour) * 60
    return Quantity(
        kind="time", text=match["hour"], value=float(value), canonical=f"{value // 60:02d}:00",
        approximate=bool(match["about"]), start=match.start("hour"), end=match.end("hour"),
    )  # fmt: skip
