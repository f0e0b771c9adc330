"""A VLMEvalKit TSV, and a dataset class that asks it with videos.

The TSV alone, put into ``$LMUData``, is asked as text (VLMEvalKit takes a TSV without images for a text benchmark).
With the class file in ``vlmeval/dataset`` and one line in its registry it is asked with frames or whole videos.
"""

import csv
import io
import re
from pathlib import Path
from typing import Any

from eval.export.base import About, Exporter, common_row, evidence_order, filled, write_text
from records.benchmark import BenchmarkItem


def tsv_row(number: int, item: BenchmarkItem, letters: tuple[str, ...]) -> dict[str, Any]:
    """One line: VLMEvalKit's columns first. Options that an item lacks are empty."""
    row = common_row(item)
    question = "\n".join(filter(None, (evidence_order(item), item.stem)))
    return {
        "index": number,
        "question": question,
        **{letter: _as_text(item.options.get(letter, "")) for letter in letters},
        "answer": item.key,
        "category": row["category"],
        "l2-category": row["family"],
        "split": "test",
        "video": "|".join(Path(path).with_suffix("").as_posix() for path in row["video_path"]),
        "video_path": "|".join(row["video_path"]),
        "question_id": item.item_id,
        "group_id": row["src"],
        "language": row["language"],
        "domain": item.domain,
    }


_READ_AS_MISSING = {
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL",
    "NaN", "None", "n/a", "nan", "null",
}  # fmt: skip
"""What pandas takes for an empty cell: VLMEvalKit would drop such an option."""


def _as_text(text: str) -> str:
    """The option, with a full stop where the bare word would be read as an empty cell."""
    return f"{text}." if text in _READ_AS_MISSING else text


def class_name(about: About) -> str:
    """A Python name: ``my-bench`` gives ``MyBench``."""
    name = "".join(part.capitalize() for part in re.split(r"\W+|_", about.name) if part)
    return name if name[:1].isalpha() else f"Benchmark{name}"


def _write(items: tuple[BenchmarkItem, ...], folder: Path, about: About) -> tuple[Path, ...]:
    letters = tuple(sorted({letter for item in items for letter in item.options}))
    rows = [tsv_row(number, item, letters) for number, item in enumerate(items)]
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    code = filled("vlmevalkit_dataset.py.jinja", about=about, class_name=class_name(about), letters=letters)
    return (
        write_text(folder / f"{about.name}.tsv", text.getvalue()),
        write_text(folder / f"{about.name.replace('-', '_').lower()}_dataset.py", code),
    )


VLMEVALKIT = Exporter("vlmevalkit", "a VLMEvalKit TSV with a dataset class for videos", _write)
