"""A prompt file and its caller must name the same fields; anything else is an error, not an empty place."""

from pathlib import Path

import pytest

from prompts import render, rendering, sha256
from records.base import digest
from records.errors import ConfigurationError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(rendering, "FOLDER", tmp_path)
    rendering._template.cache_clear()
    yield tmp_path
    rendering._template.cache_clear()


def test_fields_are_filled_in(folder: Path) -> None:
    (folder / "greet.md").write_text(
        "Hello {{ who }}.\n{% for n in numbers %}\n- {{ n }}\n{% endfor %}\n", encoding="utf-8"
    )
    assert render("greet", who="世界", numbers=(1, 2)) == "Hello 世界.\n- 1\n- 2"


@pytest.mark.parametrize(
    ("text", "fields", "words"),
    [
        ("{{ who }}", {}, "missing field who"),
        ("{{ who }}", {"who": "x", "when": "y"}, "unused field when"),
        ("{% if late %}{{ who }}{% endif %}", {"late": False}, "missing field who"),
        ("{{ who.name }}", {"who": "x"}, "no attribute 'name'"),
        ("{% if who %}", {"who": 1}, "line 1"),
    ],
)
def test_a_mismatch_is_an_error_that_names_file_and_field(
    folder: Path, text: str, fields: dict[str, object], words: str
) -> None:
    (folder / "broken.md").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"broken\.md") as error:
        render("broken", **fields)
    assert words in str(error.value)


def test_an_unknown_prompt_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match=r"no prompt file no-such\.md"):
        render("no-such")


def test_the_hash_is_that_of_the_file(folder: Path) -> None:
    (folder / "greet.md").write_bytes(b"Hello.\r\n")
    assert sha256("greet") == digest(b"Hello.\r\n")


def test_a_field_is_text_and_never_a_template(folder: Path) -> None:
    (folder / "greet.md").write_text("Hello {{ who }}.", encoding="utf-8")
    assert render("greet", who="{{ secret }} <b>") == "Hello {{ secret }} <b>."


def test_a_field_may_be_called_name(folder: Path) -> None:
    (folder / "greet.md").write_text("Hello {{ name }}.", encoding="utf-8")
    assert render("greet", name="Ada") == "Hello Ada."
