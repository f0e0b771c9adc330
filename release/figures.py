"""The datasheet's plots as SVG text, like the papers' figures: lengths, outlets, domains, types, keys, funnel.

Drawn by matplotlib without a display; the same numbers give the same bytes (no dates, fixed ids).
"""

import io
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from records.errors import ConfigurationError
from records.questions import Letter
from release.contents import Contents
from release.facts import Bars, Facts
from release.inputs import FunnelLine, ReleaseInput

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")
_SETTINGS = {
    "svg.hashsalt": "benchwright", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False,
    "axes.spines.right": False, "figure.constrained_layout.use": True,
    "font.family": ["DejaVu Sans"],
}  # fmt: skip
"""One font, which matplotlib brings along: with others the bytes would depend on the machine. Text stays text, so that
a viewer shows other scripts in a font of its own."""


def figures(given: ReleaseInput, made: Contents, found: Facts) -> dict[str, str]:
    """Name → SVG, of the figures that have something to show. Raises ConfigurationError without matplotlib."""
    whole = next((line for line in given.funnel if line.label == "all"), None)
    drawn: dict[str, Callable[[], str] | None] = {
        "lengths": (lambda: columns(found.lengths, "minutes", "videos")) if found.videos else None,
        "outlets": (lambda: rows(found.outlets, "videos")) if found.videos else None,
        "domains": (lambda: rows(found.domains, "questions")) if found.items else None,
        "types": (lambda: columns(found.types, "type", "questions")) if found.items else None,
        "keys": (lambda: stacked(made.letters.by_type, "type", "questions")) if found.items else None,
        "funnel": (lambda: waterfall(whole)) if whole and whole.drafted else None,
        "decisions": (lambda: rows(found.decisions, "questions")) if found.decisions else None,
    }
    return {name: draw() for name, draw in drawn.items() if draw is not None}


def columns(bars: Bars, across: str, up: str) -> str:
    """Upright bars with their counts."""
    with _axes(max(4.2, 0.55 * len(bars)), 2.6) as (axes, finished):
        drawn = axes.bar([label for label, _ in bars], [count for _, count in bars], color=_COLOURS[0], width=0.72)
        axes.bar_label(drawn, fontsize=8)
        _named(axes, across, up)
        return finished()


def rows(bars: Bars, across: str) -> str:
    """Lying bars with their counts, the first on top."""
    with _axes(5.2, 0.6 + 0.28 * len(bars)) as (axes, finished):
        places = range(len(bars))
        drawn = axes.barh(list(places), [count for _, count in bars], color=_COLOURS[0], height=0.72)
        axes.bar_label(drawn, fontsize=8, padding=2)
        axes.set_yticks(list(places), [_short(label) for label, _ in bars])
        axes.invert_yaxis()
        _named(axes, across, "")
        return finished()


def stacked(counts: Mapping[str, Mapping[Letter, int]], across: str, up: str) -> str:
    """A bar a type, cut by key letter: even slices mean that no letter is the better guess."""
    letters = sorted({letter for found in counts.values() for letter in found})
    with _axes(max(4.2, 0.6 * len(counts)), 2.8) as (axes, finished):
        below = [0] * len(counts)
        for number, letter in enumerate(letters):
            heights = [found.get(letter, 0) for found in counts.values()]
            axes.bar(
                list(counts), heights, bottom=below, label=letter, color=_COLOURS[number % len(_COLOURS)], width=0.72
            )
            below = [one + two for one, two in zip(below, heights, strict=True)]
        axes.figure.legend(loc="outside right upper", frameon=False, title="key")
        _named(axes, across, up)
        return finished()


def waterfall(line: FunnelLine) -> str:
    """What was left after each step of the funnel, from all drafts down to the kept ones."""
    left, bars = line.drafted, [("drafted", line.drafted)]
    for name, count in line.steps:
        if name != "kept" and count:
            left -= count
            bars.append((f"− {name} ({count})", left))
    return rows(tuple(bars), "questions left")


@contextmanager
def _axes(width: float, height: float) -> Iterator[tuple[Any, Callable[[], str]]]:
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ConfigurationError(
            "the datasheet's plots need matplotlib.", hint='Install it: pip install "benchwright[review]".'
        ) from error
    with matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        figure = Figure(figsize=(width, height))

        def finished() -> str:
            buffer = io.StringIO()
            warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
            nameless = dict.fromkeys(("Date", "Creator", "Format", "Type"))
            figure.savefig(buffer, format="svg", metadata=nameless, bbox_inches="tight")
            return buffer.getvalue()

        yield figure.subplots(), finished


def _named(axes: Any, across: str, up: str) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_xlabel(across)
    axes.set_ylabel(up)
    (axes.yaxis if up else axes.xaxis).set_major_locator(MaxNLocator(integer=True))


def _short(label: str, most: int = 34) -> str:
    return (label if len(label) <= most else label[: most - 1] + "…").replace("$", r"\$")
