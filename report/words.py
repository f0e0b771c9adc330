"""Numbers and outcomes in words, the same in terminal, Markdown and page: money, tokens, seconds, shares."""

import re
from typing import Literal

from records.questions import Option
from records.text import normalized
from report.life_records import AttemptLife, LifeOutcome, QuestionLife

Tone = Literal["good", "bad", "open", "quiet"]

OUTCOME_TITLES: dict[LifeOutcome, str] = {
    "kept": "kept",
    "removed": "removed",
    "undecided": "undecided",
    "pending": "not judged yet",
    "accepted": "accepted",
    "rejected-by-rules": "broke rules",
    "declined": "declined",
    "failed": "failed",
    "duplicate": "duplicate",
}

_REMOVED = {
    "crossed": "not crossed",
    "solvability": "solvable from one source",
    "ambiguity": "ambiguous",
    "difficulty": "too easy",
    "blind": "answerable blind",
}
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def headline(life: QuestionLife) -> str:
    """``kept``, ``removed: ambiguous``, ``broke rules``."""
    if life.outcome == "removed" and life.removed_by:
        return f"removed: {_REMOVED[life.removed_by]}"
    return OUTCOME_TITLES[life.outcome]


def tone(outcome: str) -> Tone:
    """How an outcome of a question, a check or a unit is coloured."""
    if outcome in {"kept", "passed", "ok", "accepted"}:
        return "good"
    if outcome in {"undecided", "pending"}:
        return "open"
    return "quiet" if outcome in {"not-run", "off", "declined", "duplicate"} else "bad"


def attempt_tone(attempt: AttemptLife) -> Tone:
    """How the words on a draft are coloured."""
    tones: dict[str, Tone] = {"breaks rules": "bad", "no draft": "bad", "declined": "quiet"}
    return tones.get(attempt.said, "open" if attempt.warnings else "good")


def without_controls(text: str) -> str:
    """Text that can be shown: no control characters (no terminal escape), no direction overrides."""
    return _CONTROLS.sub("", text)


def usd(value: float | None) -> str:
    """``$1,234.50``, ``$0.436``, ``$0.01``, ``<$0.0001``, ``$0``, or a dash."""
    if value is None:
        return "–"
    if value == 0:
        return "$0"
    if value < 0.0001:
        return "<$0.0001"
    if value >= 0.995:
        return f"${value:,.2f}"
    places = 3 if value >= 0.1 else 4
    return "$" + f"{value:.{places}f}".rstrip("0").ljust(4, "0")


def number_of(value: int, noun: str) -> str:
    """``1 call``, ``12 calls``."""
    return f"{count(value)} {noun}" + ("" if value == 1 else "s")


def count(value: int) -> str:
    """Whole numbers up to 99,999, then thousands and millions: ``12,345``, ``1.2M``."""
    if value < 100_000:
        return f"{value:,}"
    return f"{value / 1000:.0f}k" if value < 1_000_000 else f"{value / 1_000_000:.1f}M"


def seconds(value: float | None) -> str:
    """``0.02 s``, ``1.4 s``, ``75 s``, ``4 min``, or a dash."""
    if value is None:
        return "–"
    if value >= 120:
        return f"{value / 60:.0f} min"
    return f"{value:.2f} s" if value < 1 else f"{value:.1f} s" if value < 10 else f"{value:.0f} s"


def share(part: float, whole: float) -> str:
    """``12 %``, or a dash of nothing."""
    return f"{100 * part / whole:.0f} %" if whole else "–"


def decimal(value: float | None, places: int = 2) -> str:
    """``0.80``, or a dash."""
    return "–" if value is None else f"{value:.{places}f}"


def statistic(value: float | None, threshold: float) -> str:
    """A decision's number: votes as whole numbers, severities with two places, or a dash."""
    if value is None:
        return "–"
    return f"{value:.0f}" if threshold >= 1 else f"{value:.2f}"


def clock(value: float) -> str:
    """Seconds as ``m:ss``."""
    return f"{int(value) // 60}:{int(value) % 60:02d}"


def tells_its_claims(option: Option) -> bool:
    """Whether an option's sentence has its claims word for word, so that they need not be repeated."""
    sentence = normalized(option.text)
    return all(normalized(claim.text).rstrip(" .。") in sentence for claim in option.claims)
