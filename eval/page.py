"""One self-contained HTML page of an evaluation: a leaderboard that sorts and filters, and every question's answers.

Opens without a network and runs no script but its own (its hash stands in the page's security policy); all data are
carried as JSON and set as text, so that nothing a benchmark or a model wrote is ever markup.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eval.candidates import CandidateInfo, label
from eval.groupings import GROUPINGS
from eval.metrics import ModelScores, Score
from eval.reply_rates import refused, unavailable
from eval.results import Results
from eval.tables.table import Table, groups, shown
from eval.taxonomy import type_code
from records.benchmark import BenchmarkItem, Prediction

_TEMPLATES = Path(__file__).parent / "templates"
_LONGEST_RATIONALE = 1200


def page_html(results: Results, tables: Sequence[Table] = (), plots: Sequence[Path] = ()) -> str:
    """The page. `plots` are SVG files to show (others are skipped)."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined)
    script = (_TEMPLATES / "results.js").read_text(encoding="utf-8")
    style = (_TEMPLATES / "results.css").read_text(encoding="utf-8")
    return environment.get_template("results.html").render(
        title="Evaluation results",
        policy=f"default-src 'none'; img-src data:; style-src '{_hash(style)}'; script-src '{_hash(script)}'",
        style=Markup(style),  # noqa: S704 (our own file)
        script=Markup(script),  # noqa: S704 (our own file)
        data=Markup(safe_json(page_data(results))),  # noqa: S704 (every < > & is escaped)
        notes=results.notes,
        tables=[_shown(table) for table in tables if table.name != "leaderboard"],
        plots=[_plot(path) for path in plots if path.suffix == ".svg"],
        items=len(results.items),
        models=len(results.scores),
    )


def safe_json(value: Any) -> str:
    """JSON that can stand in a script element: no ``<``, ``>``, ``&`` or line separators as such."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _plot(path: Path) -> dict[str, str]:
    data = base64.b64encode(path.read_bytes()).decode()
    return {"name": path.stem.replace("-", " "), "source": f"data:image/svg+xml;base64,{data}"}


def _shown(table: Table) -> dict[str, Any]:
    """A table as texts for the template."""
    return {
        "name": table.name,
        "title": table.title,
        "groups": groups(table) if any(column.group for column in table.columns) else (),
        "columns": [{"header": c.header, "is_text": c.kind == "text"} for c in table.columns],
        "lines": [
            {
                "section": line.section,
                "cells": [
                    {"text": shown(cell, c, table), "emphasis": cell.emphasis, "note": cell.note}
                    for cell, c in zip(line.cells, table.columns, strict=True)
                ],
            }
            for line in table.lines
        ],
        "notes": table.notes,
    }


def page_data(results: Results) -> dict[str, Any]:
    """What the page's script works on."""
    used = [name for name in GROUPINGS if any(name in s.by for s in results.scores)]
    return {
        "models": [_model(s, results) for s in results.scores],
        "groupings": {name: _values(name, results.scores) for name in used},
        "items": _items(results),
    }


def _values(grouping: str, scores: Sequence[ModelScores]) -> list[list[str]]:
    """[value, short name] in the grouping's order."""
    values = {value for s in scores for value in s.by.get(grouping, {})}
    ordered = sorted(values, key=GROUPINGS[grouping].order)
    return [[value, type_code(value) if grouping == "type" else value] for value in ordered]


def _model(s: ModelScores, results: Results) -> dict[str, Any]:
    info = results.infos.get(s.model, CandidateInfo())
    return {
        "label": label(s, results.infos),
        "section": info.section,
        "suspect": info.contaminated,
        "overall": _score(s.overall),
        "macro": _score(s.macro) if s.macro else None,
        "answered": s.overall.accuracy_answered,
        "refused": refused(s.overall),
        "truncated": s.overall.rate("truncated"),
        "unparsed": s.overall.rate("unparsed"),
        "unavailable": unavailable(s.overall),
        "cost": s.cost_usd,
        "by": {name: {value: _score(cell) for value, cell in cells.items()} for name, cells in s.by.items()},
    }


def _score(score: Score) -> dict[str, Any]:
    return {
        "accuracy": score.accuracy,
        "low": score.low,
        "high": score.high,
        "n": score.n,
        "complete": score.complete,
        "chance": score.chance,
    }


def _items(results: Results) -> list[dict[str, Any]]:
    places = {(s.model, s.setting): place for place, s in enumerate(results.scores)}
    replies: dict[str, list[list[Any] | None]] = {i.item_id: [None] * len(places) for i in results.items}
    for p in results.predictions:
        if not p.rotation and not p.sample:
            replies[p.item_id][places[p.model, p.setting]] = _reply(p)
    statistics = {s.item_id: s for s in results.statistics}
    return [
        {
            **_item(item),
            "wrong": statistics[item.item_id].difficulty if item.item_id in statistics else None,
            "discrimination": statistics[item.item_id].discrimination if item.item_id in statistics else None,
            "replies": replies[item.item_id],
        }
        for item in results.items
    ]


def _item(item: BenchmarkItem) -> dict[str, Any]:
    return {
        "id": item.item_id,
        "type": item.type_id,
        "group": item.group_id or ", ".join(item.video_ids),
        "stem": item.stem,
        "options": list(item.options.items()),
        "key": item.key,
    }


def _reply(p: Prediction) -> list[Any]:
    rationale = p.rationale or p.message
    if len(rationale) > _LONGEST_RATIONALE:
        rationale = rationale[:_LONGEST_RATIONALE] + " …"
    return [p.answer, p.outcome, p.confidence, rationale]
