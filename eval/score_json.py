"""Scores as JSON and as one flat CSV.

``{"overall": {…}, "by": {"type": {"T1": {"accuracy": 0.5, "n": 10, "low": 0.3, "high": 0.7, …}}}, "models": {…}}``:
`overall` and `by` stand at the top for one candidate; `models` has the same for each. Shares are 0.0–1.0, n/a null.
"""

import csv
import io
import json
from typing import Any

from eval.metrics import ModelScores, Score
from eval.reply_rates import refused, unavailable
from eval.results import Results


def score_dict(score: Score | None) -> dict[str, Any] | None:
    """One score with its interval, bounds and rates."""
    if score is None:
        return None
    values = score.model_dump(mode="json")
    rates = {
        "refused": refused(score),
        "truncated": score.rate("truncated"),
        "unparsed": score.rate("unparsed"),
        "unavailable": unavailable(score),
    }
    order = ("accuracy", "n", "low", "high")
    return {**{name: values.pop(name) for name in order}, **values, "rates": rates}


def model_dict(scores: ModelScores, aliases: dict[str, str] | None = None) -> dict[str, Any]:
    """One candidate. `aliases` gives a grouping under another name too, such as a file's own column name."""
    by = {name: {value: score_dict(cell) for value, cell in cells.items()} for name, cells in scores.by.items()}
    by |= {other: by[name] for other, name in (aliases or {}).items() if name in by and other not in by}
    unknown = {name: found.model_dump() for name, found in scores.unknown.items()}
    return {
        "overall": score_dict(scores.overall),
        "macro": score_dict(scores.macro),
        "by": by,
        "unknown": unknown,
        "cost_usd": scores.cost_usd,
        "latency_s": scores.latency_s,
    }


def results_dict(results: Results, aliases: dict[str, str] | None = None) -> dict[str, Any]:
    """The whole of the results."""
    models = {_name(s): model_dict(s, aliases) for s in results.scores}
    first = next(iter(models.values())) if len(models) == 1 else {}
    return {
        **first,
        "items": len(results.items),
        "notes": list(results.notes),
        "models": models,
        "differences": [d.model_dump() for d in results.differences],
        "calibration": [c.model_dump() for c in results.calibrations],
        "letters": [bias.model_dump() for bias in results.letters],
        "circular": [c.model_dump() for c in results.circular],
        "drafters": [d.model_dump() for d in results.drafters],
        "item_statistics": [s.model_dump() for s in results.statistics],
    }


def _name(s: ModelScores) -> str:
    return f"{s.model} [{s.setting}]" if s.setting else s.model


def scores_json(results: Results, aliases: dict[str, str] | None = None) -> str:
    """The results as indented JSON."""
    return json.dumps(results_dict(results, aliases), ensure_ascii=False, indent=1) + "\n"


_FIELDS = (
    "model", "setting", "grouping", "value", "accuracy", "low", "high", "interval_note", "n", "scored", "groups",
    "accuracy_answered", "complete", "worst", "best", "chance", "refused", "truncated", "unparsed", "unavailable",
)  # fmt: skip


def scores_csv(results: Results) -> str:
    """One line a candidate, grouping and value; the overall score has an empty grouping."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=_FIELDS, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for s in results.scores:
        writer.writerow(_line(s, "", "", s.overall))
        for grouping, cells in s.by.items():
            writer.writerows(_line(s, grouping, value, cell) for value, cell in cells.items())
    return text.getvalue()


def _line(s: ModelScores, grouping: str, value: str, score: Score) -> dict[str, Any]:
    values = score_dict(score) or {}
    place = {"model": s.model, "setting": s.setting, "grouping": grouping, "value": value}
    return {**place, **values, **values["rates"]}
