"""Options that are missing, empty, equal, or equal but for empty words; options that speak of other options."""

from collections.abc import Iterable, Iterator
from itertools import combinations

from eval.keys import same_text
from eval.lint.finding import Context, Finding, quoted
from records.benchmark import BenchmarkItem
from records.questions import Letter
from rules.duplicates import content_tokens, overlap
from rules.position import depends_on_position

_SEPARATORS = (",", "，", "、", ";", "；", "→", "->", "/", "&", "+")


def options_missing(items: tuple[BenchmarkItem, ...], context: Context) -> Iterator[Finding]:
    """Fewer than two options, or an empty one."""
    for item in items:
        if len(item.options) < 2:
            message = item.key_note or f"the question has {len(item.options)} option(s)"
            yield Finding(item_id=item.item_id, check="options-missing", severity="error", message=message)
            continue
        for letter in (letter for letter, text in item.options.items() if not text.strip()):
            message = f"option {letter} is empty"
            yield Finding(item_id=item.item_id, check="options-missing", severity="error", message=message)


def duplicate_options(items: tuple[BenchmarkItem, ...], context: Context) -> Iterator[Finding]:
    """Options with the same text: then more or fewer than one answer is right."""
    for item in items:
        for letters in _equal(item):
            key = ", and the key is one of them" if item.key in letters else ""
            message = f"options {' and '.join(letters)} are equal: {quoted(item.options[letters[0]])}{key}"
            yield Finding(item_id=item.item_id, check="duplicate-options", severity="error", message=message)


def _equal(item: BenchmarkItem) -> Iterable[tuple[Letter, ...]]:
    """Groups of letters whose texts are equal after normalization."""
    groups: list[list[Letter]] = []
    for letter, text in item.options.items():
        home = next((group for group in groups if same_text(item.options[group[0]], text)), None)
        if home is None:
            groups.append([letter])
        else:
            home.append(letter)
    return (tuple(group) for group in groups if len(group) > 1)


def near_duplicate_options(items: tuple[BenchmarkItem, ...], context: Context) -> Iterator[Finding]:
    """Options that say the same but for empty words, and a wrong option of which the key only adds detail."""
    for item in items:
        for first, second in combinations(item.options, 2):
            one, two = item.options[first], item.options[second]
            if same_text(one, two):
                continue
            kind = overlap(one, two)
            if kind == "same":
                message = f"options {first} and {second} differ in empty words only: {quoted(one)} and {quoted(two)}"
                yield Finding(item_id=item.item_id, check="near-duplicate-options", severity="warning", message=message)
            elif kind:
                longer, shorter = (first, second) if kind == "contains" else (second, first)
                yield from _contained(item, longer, shorter)


def _contained(item: BenchmarkItem, longer: Letter, shorter: Letter) -> Iterator[Finding]:
    if item.key not in (longer, shorter) or not _adds_at_an_end(item.options[longer], item.options[shorter]):
        return
    texts = f"{quoted(item.options[longer])} only adds detail to {quoted(item.options[shorter])}"
    if item.key == longer:
        message = f"whatever makes the key {longer} right also makes {shorter} right: {texts}"
        yield Finding(item_id=item.item_id, check="near-duplicate-options", severity="warning", message=message)
    else:
        message = f"{longer} is right as well as the key {shorter} if what it adds is true: {texts}"
        yield Finding(item_id=item.item_id, check="near-duplicate-options", severity="info", message=message)


def _adds_at_an_end(longer: str, shorter: str) -> bool:
    """The longer text is the shorter with words put before or behind it, not a further entry of a list."""
    long, short = content_tokens(longer), content_tokens(shorter)
    if long[: len(short)] != short and long[-len(short) :] != short:
        return False
    rest = longer.casefold().replace(shorter.strip(" .。").casefold(), "", 1).strip()
    return not (
        rest.startswith(_SEPARATORS) or rest.endswith(_SEPARATORS) or rest.startswith(("and ", "和", "及", "与"))
    )


def position_dependent(items: tuple[BenchmarkItem, ...], context: Context) -> Iterator[Finding]:
    """Options whose meaning depends on the order, such as "both A and B": they cannot be rotated."""
    for item in items:
        for letter, text in item.options.items():
            if depends_on_position(text):
                message = f"option {letter} speaks of other options, so the order cannot change: {quoted(text)}"
                yield Finding(item_id=item.item_id, check="position-dependent-option", severity="info", message=message)
