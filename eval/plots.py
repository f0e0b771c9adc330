"""Plots of scores as SVG and PNG: bars by type, radar by domain, curves of a sweep, calibration.

Drawn by matplotlib without a display; the same scores give the same SVG byte for byte (no dates, fixed ids). Colours
are those of Okabe and Ito, which colour-blind readers can tell apart.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import ceil, pi
from pathlib import Path
from typing import Any

from eval.calibration import Calibration
from eval.candidates import Infos, label, name_of
from eval.groupings import GROUPINGS
from eval.metrics import ModelScores, Score
from eval.taxonomy import type_code
from records.errors import InputError

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
_SETTINGS = {
    "svg.hashsalt": "benchwright", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False,
    "axes.spines.right": False, "figure.dpi": 100, "figure.constrained_layout.use": True,
    "savefig.dpi": 150,
    "font.sans-serif": ["DejaVu Sans", "Noto Sans CJK SC", "WenQuanYi Zen Hei", "PingFang SC", "Microsoft YaHei"],
}  # fmt: skip


@contextmanager
def _drawing() -> Iterator[Any]:
    """matplotlib's figure class under our settings. Raises InputError where matplotlib is not installed."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InputError("plots need matplotlib.", hint="Install it with `pip install 'benchwright[eval]'`.") from error
    with matplotlib.rc_context(_SETTINGS):
        yield Figure


def save(figure: Any, stem: Path) -> tuple[Path, Path]:
    """Write ``stem.svg`` and ``stem.png``; returns both paths."""
    paths = stem.with_suffix(".svg"), stem.with_suffix(".png")
    figure.savefig(paths[0], metadata={"Date": None}, bbox_inches="tight")
    figure.savefig(paths[1], metadata={"Software": None}, bbox_inches="tight")
    return paths


def bars(scores: Sequence[ModelScores], grouping: str, stem: Path, infos: Infos | None = None) -> tuple[Path, Path]:
    """Accuracy by the values of a grouping, a bar a model, with intervals where there are any and the chance level."""
    values = _values(scores, grouping)
    width = 0.8 / max(1, len(scores))
    with _drawing() as figure_of:
        figure = figure_of(figsize=(min(24.0, max(6.0, 0.25 * len(values) * max(2, len(scores)))), 3.6))
        axes = figure.subplots()
        for i, s in enumerate(scores):
            places = [j + (i - (len(scores) - 1) / 2) * width for j in range(len(values))]
            cells = [s.by.get(grouping, {}).get(value) for value in values]
            axes.bar(places, _heights(cells), width, label=_plain(s, infos), color=_COLOURS[i % len(_COLOURS)])
            _whiskers(axes, places, cells)
        _chance(axes, scores)
        names = [type_code(value) if grouping == "type" else value for value in values]
        axes.set_xticks(range(len(values)), names, rotation=0 if max(map(len, names)) <= 4 else 30)
        axes.margins(x=0.01)
        _accuracy_axis(axes)
        figure.legend(loc="outside upper left", ncols=min(4, len(scores)), frameon=False)
        return save(figure, stem)


def _values(scores: Sequence[ModelScores], grouping: str) -> list[str]:
    values = dict.fromkeys(value for s in scores for value in s.by.get(grouping, {}))
    if not values:
        raise InputError(f"there is nothing to plot by {grouping}: no item has a value in it.")
    return sorted(values, key=GROUPINGS[grouping].order)


def _heights(cells: Sequence[Score | None]) -> list[float]:
    return [100 * c.accuracy if c is not None and c.accuracy is not None else float("nan") for c in cells]


def _whiskers(axes: Any, places: Sequence[float], cells: Sequence[Score | None]) -> None:
    for place, cell in zip(places, cells, strict=True):
        if cell is not None and cell.low is not None and cell.high is not None:
            axes.plot([place, place], [100 * cell.low, 100 * cell.high], color="#333333", linewidth=1)


def _chance(axes: Any, scores: Sequence[ModelScores]) -> None:
    if scores:
        axes.axhline(100 * scores[0].overall.chance, color="#888888", linewidth=0.8, linestyle="--")


def _accuracy_axis(axes: Any) -> None:
    axes.set_ylim(0, 100)
    axes.set_ylabel("Accuracy (%)")


def _plain(s: ModelScores, infos: Infos | None) -> str:
    return label(s, infos or {})


def radars(
    by_domain: Sequence[tuple[str, Sequence[ModelScores]]], stem: Path, infos: Infos | None = None
) -> tuple[Path, Path]:
    """One radar a domain with the types as spokes and a line a model (VNU-Bench Figure 5)."""
    types = _values([s for _, scores in by_domain for s in scores], "type")
    columns = min(3, len(by_domain))
    lines = ceil(len(by_domain) / columns)
    angles = [2 * pi * i / len(types) for i in range(len(types))]
    with _drawing() as figure_of:
        figure = figure_of(figsize=(3.6 * columns, 3.4 * lines))
        for place, (domain, scores) in enumerate(by_domain, 1):
            axes = figure.add_subplot(lines, columns, place, projection="polar")
            _radar(axes, domain, scores, types, angles, infos)
        handles, names = figure.axes[0].get_legend_handles_labels()
        figure.legend(handles, names, loc="outside lower center", ncols=4, frameon=False)
        return save(figure, stem)


def _radar(
    axes: Any,
    domain: str,
    scores: Sequence[ModelScores],
    types: Sequence[str],
    angles: Sequence[float],
    infos: Infos | None,
) -> None:
    for i, s in enumerate(scores):
        heights = _heights([s.by.get("type", {}).get(value) for value in types])
        colour = _COLOURS[i % len(_COLOURS)]
        axes.plot([*angles, angles[0]], [*heights, heights[0]], color=colour, marker=".", label=_plain(s, infos))
    axes.set_title(domain, fontsize=10)
    axes.set_theta_offset(pi / 2)
    axes.set_theta_direction(-1)
    axes.set_xticks(list(angles), [type_code(value) for value in types])
    axes.set_ylim(0, 100)
    axes.set_yticks([25, 50, 75], ["25", "50", "75"], color="#888888", fontsize=7)


def sweep_values(setting: str) -> tuple[str, float] | None:
    """``frames=4`` gives ("frames", 4.0); None for another text."""
    name, _, value = setting.partition("=")
    try:
        return name, float(value)
    except ValueError:
        return None


def sweep(scores: Sequence[ModelScores], stem: Path, infos: Infos | None = None) -> tuple[Path, Path]:
    """Accuracy over the points of one sweep (settings such as ``frames=4``), a curve a model with its interval."""
    points = [(s, sweep_values(s.setting)) for s in scores]
    names = {value[0] for _, value in points if value}
    if len(names) != 1:
        raise InputError(f"a curve needs the settings of one sweep; found: {', '.join(sorted(names)) or 'none'}.")
    models = list(dict.fromkeys(s.model for s, value in points if value))
    with _drawing() as figure_of:
        figure = figure_of(figsize=(5.4, 3.6))
        axes = figure.subplots()
        for i, model in enumerate(models):
            unordered = [(value[1], s.overall) for s, value in points if value and s.model == model]
            curve = sorted(unordered, key=lambda point: point[0])
            _curve(axes, model, curve, i, infos)
        axes.set_xlabel(names.pop())
        axes.set_xticks(sorted({value[1] for _, value in points if value}))
        axes.set_ylabel("Accuracy (%)")
        axes.legend(frameon=False)
        return save(figure, stem)


def _curve(axes: Any, model: str, curve: Sequence[tuple[float, Score]], i: int, infos: Infos | None) -> None:
    colour, mark = _COLOURS[i % len(_COLOURS)], _MARKS[i % len(_MARKS)]
    x = [point for point, _ in curve]
    name = name_of(model, "", infos or {})
    axes.plot(x, _heights([score for _, score in curve]), color=colour, marker=mark, label=name)
    if all(score.low is not None and score.high is not None for _, score in curve):
        low = [100 * (score.low or 0.0) for _, score in curve]
        high = [100 * (score.high or 0.0) for _, score in curve]
        axes.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)


def calibration(found: Sequence[Calibration], stem: Path, infos: Infos | None = None) -> tuple[Path, Path]:
    """Accuracy over confidence in ten bins, a line a model, with the diagonal of perfect calibration."""
    with_confidence = [c for c in found if c.n]
    if not with_confidence:
        raise InputError("there is no calibration to plot: no reply gave a confidence.")
    with _drawing() as figure_of:
        figure = figure_of(figsize=(4.4, 4.2))
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], color="#888888", linewidth=0.8, linestyle="--")
        for i, c in enumerate(with_confidence):
            filled = [b for b in c.bins if b.n]
            name = f"{name_of(c.model, c.setting, infos or {})} (ECE {c.ece:.3f})"
            axes.plot(
                [b.confidence for b in filled], [b.accuracy for b in filled], label=name,
                color=_COLOURS[i % len(_COLOURS)], marker=_MARKS[i % len(_MARKS)],
            )  # fmt: skip
        axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="Stated confidence", ylabel="Accuracy", aspect="equal")
        axes.legend(frameon=False)
        return save(figure, stem)
