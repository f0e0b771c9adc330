"""docs/review.md and docs/release.md name every field, key and flag there is."""

import re
from pathlib import Path

import pytest

from graphs.release import build_parser as release_parser
from records.review import Advice, Dimension, Level, Policy, Sheet
from review import __main__ as app
from review import sheet

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("kind", [Sheet, Dimension, Level, Advice])
def test_every_field_of_a_sheet_is_explained(kind: type) -> None:
    text = (DOCS / "review.md").read_text(encoding="utf-8")
    words = set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`[^`\n]+`", text))))
    assert set(kind.model_fields) <= words | {"dimensions", "levels"}  # type: ignore[attr-defined]


def test_every_field_of_a_policy_is_explained() -> None:
    text = (DOCS / "release.md").read_text(encoding="utf-8")
    for name in Policy.model_fields:
        assert re.search(rf"`{name}\b", text), name


def test_flags_that_the_pages_name_exist() -> None:
    known = set()
    for parser in (app.build_parser(), sheet.build_parser(), release_parser()):
        known |= {flag for action in parser._actions for flag in action.option_strings}
    known |= {"--item", "--to", "--native", "--languages", "--lead", "--check"}
    for name in ("review.md", "release.md"):
        found = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", (DOCS / name).read_text(encoding="utf-8")))
        assert found <= known, (name, found - known)


def test_pictures_are_there() -> None:
    for name in ("review.md", "release.md"):
        for picture in re.findall(r"\]\((images/[\w.-]+)\)", (DOCS / name).read_text(encoding="utf-8")):
            assert (DOCS / picture).is_file(), picture
