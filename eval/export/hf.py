"""A Hugging Face dataset folder: ``data/test.parquet`` and a card. ``datasets.load_dataset(FOLDER)`` reads it."""

from collections import Counter
from pathlib import Path
from typing import Any

from eval.export.base import About, Exporter, common_row, filled, write_text
from eval.taxonomy import type_order
from records.benchmark import BenchmarkItem
from records.errors import InputError


def _write(items: tuple[BenchmarkItem, ...], folder: Path, about: About) -> tuple[Path, ...]:
    data = folder / "data" / "test.parquet"
    data.parent.mkdir(parents=True, exist_ok=True)
    _write_parquet([common_row(item) for item in items], data)
    card = filled("hf_card.md.jinja", **card_facts(items, about))
    return data, write_text(folder / "README.md", card)


def _write_parquet(rows: list[dict[str, Any]], path: Path) -> None:
    try:
        import pyarrow
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise InputError(
            "exporting to hf needs pyarrow.", hint="Install it with `pip install 'benchwright[eval]'`."
        ) from error
    table = pyarrow.Table.from_pylist(rows, schema=_schema(pyarrow))
    parquet.write_table(table, path)


def _schema(pyarrow: Any) -> Any:
    """A fixed schema, so that columns that are empty everywhere keep their type."""
    texts, numbers = pyarrow.list_(pyarrow.string()), pyarrow.float64()
    lists = ("options", "video_id", "video_path", "tags", "platform", "outlet")
    floats = ("duration_s", "event_start_s", "event_end_s")
    kinds = dict.fromkeys(lists, texts) | dict.fromkeys(floats, numbers) | {"answer_index": pyarrow.int64()}
    names = common_row(BenchmarkItem(item_id="", stem="", options={"A": ""}, key="A"))
    return pyarrow.schema([(name, kinds.get(name, pyarrow.string())) for name in names])


def card_facts(items: tuple[BenchmarkItem, ...], about: About) -> dict[str, object]:
    """What the card says: sizes, languages, types."""
    rows = [common_row(item) for item in items]
    types = Counter(row["category"] or "(none)" for row in rows)
    return {
        "about": about,
        "title": about.title or about.name,
        "languages": sorted({row["language"] for row in rows if row["language"]}),
        "size": _size(len(items)),
        "items": len(items),
        "videos": len({video for row in rows for video in row["video_id"]}),
        "groups": len({row["src"] for row in rows}),
        "types": sorted(types.items(), key=lambda entry: type_order(entry[0])),
        "chance": sum(1 / len(item.options) for item in items) / max(1, len(items)),
    }


def _size(count: int) -> str:
    """The Hub's size class."""
    for bound, name in ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K")):
        if count < bound:
            return name
    return "n>100K"


HF = Exporter("hf", "a Hugging Face dataset folder: Parquet and card", _write)
