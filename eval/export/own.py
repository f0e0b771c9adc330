"""Our own JSONL: everything that is known about each item, and the columns that harnesses look for.

`eval.importers` reads it back into equal items.
"""

import json
from pathlib import Path
from typing import Any

from eval.export.base import About, Exporter, common_row, write_text
from records.benchmark import BenchmarkItem

_LEFT_OUT: tuple[object, ...] = ("", None, (), {}, [])


def own_row(item: BenchmarkItem) -> dict[str, Any]:
    """One line; what is unknown is left out."""
    row = {
        "item_id": item.item_id,
        **common_row(item),
        "type_id": item.type_id,
        "options": item.options,
        "category": item.category or item.type_id,
        "correct_answer": item.key,
        "sources": item.sources,
        "language": item.language,
        "video_path": list(item.video_files),
        "answer_text": item.answer_text,
        "prompt": item.prompt_text,
        "sources_used": item.sources_used,
        "frames_used": item.frames_used,
        "drafter": item.drafter,
        "judges": list(item.judges),
        "extra": item.extra,
    }
    del row["tags"]
    return {name: value for name, value in row.items() if value not in _LEFT_OUT}


def _write(items: tuple[BenchmarkItem, ...], folder: Path, about: About) -> tuple[Path, ...]:
    lines = (json.dumps(own_row(item), ensure_ascii=False) + "\n" for item in items)
    return (write_text(folder / f"{about.name}.jsonl", "".join(lines)),)


JSONL = Exporter("jsonl", "our own JSON Lines, with everything that is known", _write)
