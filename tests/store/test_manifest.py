"""The manifest: what counts as another run, and that no secret is ever written."""

from pathlib import Path

import pytest

from records.config import ModelSpec, Panel
from records.errors import RunError
from store.manifest import (
    RunManifest,
    described,
    differences,
    masked,
    masked_words,
    package_versions,
    read_manifest,
    write_manifest,
)
from tests.store.building import manifest, panel


def with_model(**changes: object) -> RunManifest:
    first, *rest = panel().models
    changed = Panel.model_validate(
        panel().model_dump() | {"models": [{**first.model_dump(), **changes}, *(m.model_dump() for m in rest)]}
    )
    return manifest().model_copy(update={"panel": changed})


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (manifest(), ()),
        (manifest(seed=8), ("seed: 7 in the run, 8 now",)),
        (manifest(groups=("calder", "wren")), ("groups: ['calder'] in the run, ['calder', 'wren'] now",)),
        (manifest().model_copy(update={"groups": {"calder": "/elsewhere"}}), ()),
        (manifest().model_copy(update={"command": ("other",), "commit": "def", "planned_drafts": 99}), ()),
        (manifest().model_copy(update={"options": {"limit": 3}}), ("options.limit: nothing in the run, 3 now",)),
        (
            manifest().model_copy(update={"prompts": {"drafter.md": "1" * 64}}),
            (f"prompts.drafter.md: '{'0' * 64}' in the run, '{'1' * 64}' now",),
        ),
        (with_model(temperature=0.7), ("panel.models.gpt-5.temperature: 0.0 in the run, 0.7 now",)),
        (
            with_model(extra_params={"reasoning_effort": "high"}),
            ("panel.models.gpt-5.extra_params.reasoning_effort: nothing in the run, 'high' now",),
        ),
        (with_model(concurrency=2, timeout_s=60, api_base="http://localhost:8001/v1", retries=9, price=None), ()),
    ],
)
def test_only_what_shapes_the_result_makes_another_run(new: RunManifest, expected: tuple[str, ...]) -> None:
    assert differences(manifest(), new) == expected


def test_a_manifest_survives_its_file(tmp_path: Path) -> None:
    full = described(manifest().model_copy(update={"options": {"types": ["T1"], "limit": None, "note": "中文: ja"}}))
    write_manifest(tmp_path, full)
    assert read_manifest(tmp_path) == full
    assert differences(full, manifest().model_copy(update={"options": {"types": ["T1"], "note": "中文: ja"}})) == ()


@pytest.mark.parametrize("text", ["seed: [", "seed: seven", "unknown: 1", "- a"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(RunError, match=r"run.yaml cannot be read"):
        read_manifest(tmp_path)


SECRET = "wonderful-secret-1234"


@pytest.mark.parametrize(
    "value",
    [
        {"api_key": SECRET},
        {"extra_headers": {"Authorization": f"Bearer {SECRET}"}},
        {"extra_body": {"HF_TOKEN": SECRET}},
        [{"deep": ({"password": SECRET},)}],
        f"https://user:{SECRET}@host/v1",
        f"curl -H 'Authorization: Bearer {SECRET}'",
        f"the value {SECRET} of the environment, anywhere",
        "sk-proj-abcdefghijklmnop",
    ],
)
def test_secrets_are_masked_wherever_they_stand(value: object) -> None:
    shown = repr(masked(value, {"OPENAI_API_KEY": SECRET, "SHORT_KEY": "a", "HOME": "/root"}))
    assert SECRET not in shown
    assert "sk-proj" not in shown
    assert "***" in shown


def test_what_is_no_secret_stays() -> None:
    plain = {"max_output_tokens": 4096, "tokens_per_minute": None, "api_key_env": "OPENAI_API_KEY", "monkey": "x",
             "model": "openai/gpt-5", "api_base": "http://localhost:8000/v1", "sketch": "sk-etch"}  # fmt: skip
    assert masked(plain, {}) == plain


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("run", "--api-key", "abc", "--seed", "7"), ("run", "--api-key", "***", "--seed", "7")),
        (("run", "--api-key=abc"), ("run", "--api-key=***")),
        (("run", "--database", "postgresql://me:pw@host/x"), ("run", "--database", "postgresql://***:***@host/x")),
    ],
)
def test_a_command_line_is_masked(words: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert masked_words(words) == expected


def test_a_masked_panel_equals_the_same_panel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PROVIDER_API_KEY", SECRET)
    spec = with_model(extra_params={"extra_headers": {"x-key": SECRET}}, api_base=f"https://me:{SECRET}@host/v1")
    kept = described(spec)
    write_manifest(tmp_path, kept)
    assert SECRET not in (tmp_path / "run.yaml").read_text(encoding="utf-8")
    assert differences(read_manifest(tmp_path), spec) == ()
    assert isinstance(kept.panel and kept.panel.models[0], ModelSpec)


def test_versions_name_what_is_installed() -> None:
    assert package_versions()["pydantic"].startswith("2.")
