"""Which plots an evaluation has something to draw for, and drawing them into its folder."""

from collections.abc import Sequence
from pathlib import Path

from eval import plots
from eval.groupings import GROUPINGS, split
from eval.metrics import ModelScores, evaluate
from eval.results import Results


def draw_all(results: Results, folder: Path) -> tuple[Path, ...]:
    """Draw what there is: bars by type, radar by domain, sweep curves, calibration. None without matplotlib."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return ()
    drawn: list[Path] = []
    plain = tuple(s for s in results.scores if not s.setting) or results.scores
    if any("type" in s.by for s in plain):
        drawn += plots.bars(plain, "type", folder / "bars-by-type", results.infos)
    domains = _by_domain(results)
    if domains and any("type" in s.by for s in plain):
        drawn += plots.radars(domains, folder / "radar-by-domain", results.infos)
    for name in _sweeps(results.scores):
        points = [s for s in results.scores if s.setting.startswith(f"{name}=")]
        drawn += plots.sweep(points, folder / f"sweep-{name}", results.infos)
    if any(c.n for c in results.calibrations):
        drawn += plots.calibration(results.calibrations, folder / "calibration", results.infos)
    return tuple(drawn)


def _sweeps(scores: Sequence[ModelScores]) -> tuple[str, ...]:
    values = (plots.sweep_values(s.setting) for s in scores)
    return tuple(dict.fromkeys(value[0] for value in values if value))


def _by_domain(results: Results) -> list[tuple[str, tuple[ModelScores, ...]]]:
    """Scores by type within each domain (VNU-Bench Figure 5), sweeps left out."""
    found = []
    plain = [p for p in results.predictions if not p.setting] or list(results.predictions)
    for domain, positions in split(results.items, GROUPINGS["domain"]).items():
        items = [results.items[i] for i in positions]
        ids = {item.item_id for item in items}
        chosen = [p for p in plain if p.item_id in ids]
        found.append((domain, evaluate(items, chosen, groupings=[GROUPINGS["type"]])))
    return found
