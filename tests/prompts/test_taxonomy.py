"""docs/taxonomy.md is true: each file, line and test that it names exists, and no type or rule is left out."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from rules.base import RuleContext
from rules.checking import RULES

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("goal", "concept", "focus", "not", "use", "options", "sources", "example")


class Row(NamedTuple):
    point: str
    short: str
    file: str
    line: str
    test: str


def rows() -> list[Row]:
    lines = (ROOT / "docs" / "taxonomy.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return [
        Row(p, s, f.strip("`"), a, t.strip("`")) for p, s, f, a, t in (c for c in cells if len(c) == 5) if p != "point"
    ]


ROWS = rows()


@cache
def words_of(file: str) -> str:
    """A file as running text; in Python files strings over several lines are joined."""
    text = (ROOT / file).read_text(encoding="utf-8")
    joined = re.sub(r'"\s*\n\s*"', "", text) if file.endswith(".py") else text
    return " ".join(joined.split())


@cache
def functions_of(file: str) -> frozenset[str]:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@pytest.mark.parametrize("row", ROWS, ids=[f"{number}-{row.point}" for number, row in enumerate(ROWS)])
def test_every_row_is_true(row: Row) -> None:
    assert row.line in words_of(row.file)
    assert len(row.line) >= 15
    if row.test != "—":
        file, name = row.test.split("::")
        assert name in functions_of(file)


@pytest.mark.parametrize("number", range(1, 11))
def test_every_type_has_all_its_parts(number: int) -> None:
    points = {row.point for row in ROWS}
    assert f"C.1-T{number}" in points
    assert {f"C.2-T{number}-{part}" for part in PARTS} <= points
    own = [row for row in ROWS if row.point.startswith(f"C.2-T{number}-")]
    assert {row.file for row in own} == {f"prompts/taskheads/T{number}.md"}
    assert len(own) >= 17, "as many points as the paper makes"


@pytest.mark.parametrize("rule_id", [rule.rule_id for rule in RULES])
def test_every_rule_has_a_row(rule_id: str) -> None:
    rule = next(rule for rule in RULES if rule.rule_id == rule_id)
    sentence, filled = rule.sentences["en"], rule.sentence("en", RuleContext())
    own = [row for row in ROWS if row.line in sentence or row.line in filled]
    assert own
    assert (rule.check is None) == all(row.test == "—" or "typefit" in row.test for row in own), rule_id


def test_each_numbered_common_rule_is_covered() -> None:
    assert {row.point for row in ROWS if row.point.startswith("C.3")} == {f"C.3-{number}" for number in range(1, 6)}
