from pathlib import Path

import pytest

from benchmarks.offline_labelled import BEGIN, END, between_marks, report

PAGE = Path(__file__).resolve().parents[2] / "docs" / "offline.md"


def test_only_what_stands_between_the_marks_is_replaced():
    page = f"before\n{BEGIN}\nold\n{END}\nafter"
    assert between_marks(page, "new") == f"before\n{BEGIN}\nnew\n{END}\nafter"


@pytest.mark.slow
def test_the_page_shows_what_the_script_measures():
    page = PAGE.read_text()
    assert between_marks(page, report()) == page, "run: python -m benchmarks.offline_labelled --write docs/offline.md"
