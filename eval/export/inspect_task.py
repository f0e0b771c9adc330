"""An Inspect dataset (JSON Lines of samples) with a task file that shows the videos and scores the letter.

``inspect eval FOLDER/NAME.py --model …``; ``-T videos=none`` asks the questions blind.
"""

import json
from pathlib import Path
from typing import Any

from eval.export.base import About, Exporter, common_row, evidence_order, filled, write_text
from records.benchmark import BenchmarkItem


def sample(item: BenchmarkItem) -> dict[str, Any]:
    """One sample: input, choices, target, id, and everything else as metadata."""
    row = common_row(item)
    metadata = {
        name: value for name, value in row.items() if name not in ("question_id", "question", "options", "answer")
    }
    return {
        "id": item.item_id,
        "input": "\n".join(filter(None, (evidence_order(item), item.stem))),
        "choices": row["options"],
        "target": "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[row["answer_index"]],
        "metadata": {name: value for name, value in metadata.items() if value not in ("", None, [])},
    }


def _write(items: tuple[BenchmarkItem, ...], folder: Path, about: About) -> tuple[Path, ...]:
    name = about.name.replace("-", "_").lower()
    name = name if name[:1].isalpha() else f"benchmark_{name}"
    lines = (json.dumps(sample(item), ensure_ascii=False) + "\n" for item in items)
    return (
        write_text(folder / f"{name}.jsonl", "".join(lines)),
        write_text(folder / f"{name}.py", filled("inspect_task.py.jinja", name=name, about=about)),
    )


INSPECT = Exporter("inspect", "an Inspect dataset with a task file", _write)
