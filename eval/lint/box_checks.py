"""Bounding boxes in options: four numbers, left before right and top before bottom, within the picture.

Boxes are read as ``[x0, y0, x1, y1]`` (VideoVista-CulturalLingo, appendix E). Where most boxes of an item run past 1
they are pixels, and only their order is checked.
"""

import re
from collections.abc import Iterator, Sequence

from eval.lint.finding import Context, Finding, quoted
from records.benchmark import BenchmarkItem

_NUMBER = r"-?\d+(?:\.\d+)?"
_LIST = re.compile(rf"[\[(]\s*({_NUMBER}(?:\s*[,，;\s]\s*{_NUMBER})+)\s*[\])]")


def numbers_of(text: str) -> tuple[float, ...] | None:
    """The numbers of a bracketed list that a text consists of, else None."""
    match = _LIST.fullmatch(text.strip())
    return tuple(float(number) for number in re.findall(_NUMBER, match.group(1))) if match else None


def wrong_box(items: tuple[BenchmarkItem, ...], context: Context) -> Iterator[Finding]:
    """Faulty boxes in items whose options are mostly boxes."""
    for item in items:
        lists = {letter: found for letter, text in item.options.items() if (found := numbers_of(text)) is not None}
        boxes = [found for found in lists.values() if len(found) == 4]
        if 2 * len(boxes) <= len(item.options):
            continue
        normalised = sum(max(box) <= 1 for box in boxes) * 2 > len(boxes)
        for letter, text in item.options.items():
            fault = _fault(lists.get(letter), normalised=normalised)
            if fault:
                message = f"option {letter} {fault}: {quoted(text)}"
                yield Finding(item_id=item.item_id, check="wrong-box", severity="error", message=message)


def _fault(box: Sequence[float] | None, *, normalised: bool) -> str:
    if box is None:
        return "is no box, while the others are"
    if len(box) != 4:
        return f"has {len(box)} numbers instead of four"
    x0, y0, x1, y1 = box
    if min(box) < 0 or (normalised and max(box) > 1):
        return "runs outside the picture (0 to 1)" if normalised else "runs outside the picture (below 0)"
    if x0 >= x1:
        return "has its left side not before its right (x0 < x1)"
    return "has its top not above its bottom (y0 < y1)" if y0 >= y1 else ""
