"""The published schema and its page are those of the code."""

import json
from pathlib import Path

from store.lines import ItemLine, RejectedLine, UndecidedLine
from store.schema import SCHEMA_FILE, TABLE_FILE, schema, table, write

DOCS = Path(__file__).resolve().parents[2] / "docs"
HINT = "run: python -m store.schema docs"


def test_the_schema_in_docs_is_that_of_the_code() -> None:
    assert json.loads((DOCS / SCHEMA_FILE).read_text(encoding="utf-8")) == schema(), HINT


def test_the_page_in_docs_is_that_of_the_code(tmp_path: Path) -> None:
    write(tmp_path)
    for name in (SCHEMA_FILE, TABLE_FILE):
        assert (DOCS / name).read_text(encoding="utf-8") == (tmp_path / name).read_text(encoding="utf-8"), HINT


def test_every_field_has_a_meaning() -> None:
    rows = [line for line in table().splitlines() if line.startswith("| `")]
    assert all(row.rstrip(" |").rsplit("|", 1)[-1].strip() for row in rows)
    for line in (ItemLine, RejectedLine, UndecidedLine):
        assert all(f"| `{name}` |" in table() for name in line.model_fields)
