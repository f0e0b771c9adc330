"""The docs about panels and judges are true: the example check works, the tables are what the code computes."""

import re
from pathlib import Path
from typing import Any

import pytest

from judges.base import PanelCheck
from judges.panel import guess_rate
from judges.schedule import forecast_calls
from tests.judges.builders import a_panel, a_question

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_example_of_a_new_check_is_a_whole_check() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (DOCS / "adding-a-judge.md").read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(code, "adding-a-judge.md", "exec"), names)
    check = names["CHECK"]
    assert isinstance(check, PanelCheck)
    panel, question = a_panel(3), a_question("A")
    assert check.outcome([1.0, 1.0], panel) == "removed"
    assert check.outcome([0.0, 0.0], panel) == "passed"
    assert check.outcome([1.0], panel) == "undecided"
    assert check.arithmetic([1.0, 0.0], question, panel) == "1 of 2 answered A with confidence, without a sound"
    assert check.calls("all", question) == ("all",)
    assert sorted(check.order("all", question, "s0")) == ["A", "B", "C", "D"]


def rows(text: str, header: str) -> list[list[str]]:
    """The cells of the Markdown table whose header begins so."""
    lines = text[text.index(header) :].splitlines()
    table = list(lines[: next(i for i, line in enumerate(lines) if not line.startswith("|"))])
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


@pytest.mark.parametrize("row", rows((DOCS / "panels.md").read_text(), "| share of answers"))
def test_the_table_of_guesses(row: list[str]) -> None:
    panel = a_panel(3)
    share = float(row[0].rstrip(" %")) / 100
    shares = {seat.seat: share for seat in panel.judges}
    found = [guess_rate(panel, 4, shares, sources=[number]).per_question for number in (1, 2, 3, 4)]
    assert row[1:] == [f"{100 * value:.1f} %" for value in found]


def test_the_table_of_calls() -> None:
    for schedule, (name, low, high) in zip(
        ("full", "frugal"), rows((DOCS / "panels.md").read_text(), "| schedule"), strict=True
    ):
        lines = forecast_calls(a_panel(3, schedule=schedule), 3)
        assert name.startswith(f"`{schedule}`")
        assert (int(low), int(high)) == (sum(line.low for line in lines), sum(line.high for line in lines))
