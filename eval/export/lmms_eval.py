"""An lmms-eval task folder: a task file, its functions and the data as JSON Lines.

``lmms-eval eval --include_path FOLDER --tasks NAME …`` runs it. The task file holds the folder's place as it was at
export; change ``data_files`` when the folder moves.
"""

import json
from pathlib import Path
from typing import Any

from eval.export.base import About, Exporter, common_row, evidence_order, filled, write_text
from records.benchmark import BenchmarkItem


def task_row(item: BenchmarkItem) -> dict[str, Any]:
    """One document of the task; None and lists as lmms-eval's loader keeps them apart from texts."""
    row = common_row(item)
    return {**row, "letters": list(item.options), "order": evidence_order(item), "cluster": item.cluster}


def task_name(about: About) -> str:
    """A name that lmms-eval takes."""
    return about.name.replace("-", "_").lower()


def _write(items: tuple[BenchmarkItem, ...], folder: Path, about: About) -> tuple[Path, ...]:
    name = task_name(about)
    data = folder / "test.jsonl"
    lines = (json.dumps(task_row(item), ensure_ascii=False) + "\n" for item in items)
    fields = {"name": name, "data": json.dumps(str(data.absolute())), "about": about}
    return (
        write_text(data, "".join(lines)),
        write_text(folder / f"{name}.yaml", filled("lmms_eval.yaml.jinja", **fields)),
        write_text(folder / "utils.py", filled("lmms_eval_utils.py.jinja", **fields)),
    )


LMMS_EVAL = Exporter("lmms-eval", "an lmms-eval task folder", _write)
