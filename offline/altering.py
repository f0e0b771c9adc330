"""Wrong values for distractors, in the form in which the true value is written.

``wrong_values`` prefers values of the same unit that other sources really give, then steps away from the true one:
``six and a half kilometres`` becomes ``four kilometres``, ``half past 1`` becomes ``half past 3``. A wrong value never
stands in the fact's own source, is never implied by the true one (``within two days`` implies ``within four``) and is
clearly apart from an approximate one.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from offline.findings import Finding
from offline.numerals import Written, read_numeral, write_like
from offline.reading import Material
from offline.story import quantities_in

_MOST_BORROWED = 20
_FACTORS = (1.25, 0.75, 1.5, 0.6, 1.4, 0.5, 2.0)
_STEPS = (1, -1, 2, -2, 3, 4)
_AT_MOST = re.compile(
    r"(?:within|under|below|less than|fewer than|up to|at most|until|by|不到|以内|最多)\s*(?:the\s+)?$", re.I
)
_AT_LEAST = re.compile(r"(?:over|above|more than|at least|since|after|超过|至少|超)\s*$", re.I)


def wrong_values(finding: Finding, others: Iterable[Finding], material: Material) -> tuple[str, ...]:
    """Wrong values in order of preference, each as it stands in the clause (unit included)."""
    if finding.family == "place":
        return _other_places(finding, others, material)
    own = [found for sentence in material.sentences[finding.tag] for found in quantities_in(sentence.text)]
    taken = {found.canonical for found in own} | {found.canonical.split(" ")[0] for found in own}
    written = [*_borrowed(finding, others), *_stepped(finding)]
    return tuple(dict.fromkeys(value for value in written if _is_wrong(value, finding, taken)))


def _other_places(finding: Finding, others: Iterable[Finding], material: Material) -> tuple[str, ...]:
    """Places that other sources name in the same manner and this one never speaks."""
    own = " ".join(sentence.text for sentence in material.sentences[finding.tag])
    named = (one for one in others if one.family == "place" and one.unit == finding.unit and one.tag != finding.tag)
    return tuple(dict.fromkeys(one.value for one in named if one.value not in own))


def _borrowed(finding: Finding, others: Iterable[Finding]) -> Iterator[str]:
    """Values that other sources give for the same unit or noun, written like this one."""
    form = read_numeral(finding.value)
    if form is None or finding.family not in ("count", "amount", "percent", "money"):
        return
    for other in islice((one for one in others if _is_alike(one, finding)), _MOST_BORROWED):
        value = write_like(form, other.amount)
        if value and 0.3 * finding.amount <= other.amount <= 3.5 * finding.amount:
            yield value


def _is_alike(other: Finding, finding: Finding) -> bool:
    if other.tag == finding.tag or (other.family, other.unit) != (finding.family, finding.unit):
        return False
    return _last(other) == _last(finding)


def _last(finding: Finding) -> str:
    return finding.noun.split()[-1] if finding.noun else ""


def _stepped(finding: Finding) -> Iterator[str]:
    if finding.family == "time":
        yield from _shifted(finding.value, (1, -1, 2, -2), lowest=1, highest=12)
    elif finding.family == "date":
        yield from _shifted(finding.value, (-10, 8, -6, 5, 10), lowest=1, highest=28)
    elif finding.family == "year":
        yield from _shifted(finding.value, (-3, 2, -5, 4), lowest=1000, highest=2200)
    else:
        yield from _scaled(finding)


def _shifted(value: str, steps: Iterable[int], *, lowest: int, highest: int) -> Iterator[str]:
    """The last whole number of a date, the first of anything else, moved by each step."""
    form = read_numeral(value, last=highest == 28)
    if form is None or form.amount > highest + 12:
        return
    for step in steps:
        if lowest <= form.amount + step <= max(highest, form.amount):
            written = write_like(form, form.amount + step)
            if written:
                yield written


def _scaled(finding: Finding) -> Iterator[str]:
    form = read_numeral(finding.value)
    if form is None:
        return
    small = form.amount <= 12 and not form.decimals
    amounts = [form.amount + step for step in _STEPS] if small else [form.amount * factor for factor in _FACTORS]
    for amount in amounts:
        written = write_like(form, _rounded(amount, form))
        if written and round(amount, form.decimals) > 1 and not _too_large(finding, amount, form.amount):
            yield written


def _too_large(finding: Finding, amount: float, true: float) -> bool:
    """Beyond what the unit allows: a latitude or an angle past 90 degrees, a share past 100 percent."""
    highest = {"%": 100.0, "degree": 90.0}.get(finding.unit)
    return highest is not None and amount > highest >= true


def _rounded(amount: float, form: Written) -> float:
    """As many telling digits as the true value shows, and at least two."""
    if form.decimals:
        return round(amount, form.decimals)
    telling = max(2, len(f"{form.amount:.0f}".rstrip("0")))
    places = len(f"{amount:.0f}") - telling
    return float(round(amount, -places)) if places > 0 else float(round(amount))


def _is_wrong(value: str, finding: Finding, taken: set[str]) -> bool:
    """Different enough, implied by nothing, and nowhere in the fact's own source."""
    if value == finding.value or (finding.language == "zh" and _holds_the_other(value, finding.value)):
        return False
    if finding.family in ("time", "date", "year"):
        found = quantities_in(value) or quantities_in(f"at {value} in the night")
        return not any(one.canonical in taken for one in found)
    form, true = read_numeral(value), read_numeral(finding.value)
    if form is None or true is None or f"{form.amount:.10g}" in taken:
        return False
    before = finding.clause[: finding.start]
    if _AT_MOST.search(before) and form.amount > true.amount:
        return False
    if _AT_LEAST.search(before) and form.amount < true.amount:
        return False
    if not _keeps_order(finding, true.amount, form.amount):
        return False
    return abs(form.amount - true.amount) >= (0.25 if finding.approximate else 0.08) * abs(true.amount)


def _holds_the_other(one: str, other: str) -> bool:
    """Whether one has all characters of the other in their order: 二十五万 reads like 二十万 with a detail added."""
    short, long = sorted((one, other), key=len)
    rest = iter(long)
    return all(char in rest for char in short)


def _keeps_order(finding: Finding, true: float, wrong: float) -> bool:
    """Against another value of the same unit in the clause: what rose must still have risen."""
    rest = [found for found in quantities_in(finding.clause) if found.unit == finding.unit and found.unit]
    others = [found.value for found in rest if found.value != finding.amount]
    scale = finding.amount / true if true else 1.0
    return all((true * scale < other) == (wrong * scale < other) for other in others)
