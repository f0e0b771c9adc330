"""Configuration files: strict, helpful, and free of keys."""

from pathlib import Path

import pytest

from graphs import configuration
from records.errors import ConfigurationError

PANEL = """\
models:
  a: {model: openai/gpt-5, images: true}
  b: hosted_vllm/qwen
drafters: a
judges: [b, {seat: strict, model: a}]
"""


@pytest.fixture
def panel_file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(PANEL)
    return path


def test_short_forms_are_read(panel_file: Path) -> None:
    panel = configuration.load_panel(str(panel_file))
    assert panel.name == "mine"
    assert panel.drafters == ("a",)
    assert [(seat.seat, seat.model) for seat in panel.judges] == [("b", "b"), ("strict", "a")]
    assert panel.model("b").model == "hosted_vllm/qwen"


@pytest.mark.parametrize("kind", ["panels", "tracks"])
def test_every_packaged_file_loads(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    load = {"panels": configuration.load_panel, "tracks": configuration.load_track}[kind]
    names = configuration.names_of(kind)
    assert names
    for name in names:
        assert load(name).name == name


def test_a_local_file_wins_over_a_packaged_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "offline.yaml").write_text(PANEL)
    assert configuration.load_panel("offline").drafters == ("a",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("scedule: full", r"scedule: there is no such setting\. Valid here: .*schedule"),
        ("checks: {solvability: {confidance: 1}}", r"checks\.solvability\.confidance: .* Valid here: .*confidence"),
        ("checks: {min_votes: 3}", r"min_votes is 3, but the panel has 2 judges"),
        ("checks: {difficulty: {confidence: 1.5}}", r"checks\.difficulty\.confidence: "),
        ("captioner: c", r"no model named c under models"),
        ("reserves: [{seat: b, model: a}]", r"seat names must differ; used twice: b"),
        ("judges: {a: b}", r"judges: must be a list"),
        ("summarizer: ${NOT_SET_ANYWHERE}", r"the environment variable NOT_SET_ANYWHERE is not set"),
        ("description: sk-abcdefghijklmnopqrstuvwxyz012345", r"description: this looks like a key"),
    ],
)
def test_a_fault_names_the_file_the_field_and_the_way_out(panel_file: Path, line: str, message: str) -> None:
    name = line.partition(":")[0]
    kept = [row for row in PANEL.splitlines() if not row.startswith(f"{name}:")]
    panel_file.write_text("\n".join([*kept, line]))
    with pytest.raises(ConfigurationError, match=message) as caught:
        configuration.load_panel(str(panel_file))
    assert "mine.yaml" in str(caught.value)


def test_a_fault_within_a_model_names_the_model(panel_file: Path) -> None:
    panel_file.write_text(PANEL.replace("images: true", "imges: true"))
    with pytest.raises(ConfigurationError, match=r"models\.a\.imges: .*Valid here: .*images"):
        configuration.load_panel(str(panel_file))


def test_unknown_names_list_the_packaged_ones() -> None:
    with pytest.raises(ConfigurationError, match="no panel named 'papr'.*offline"):
        configuration.load_panel("papr")


def test_variables_and_defaults(panel_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    panel_file.write_text(PANEL.replace("images: true", "api_base: '${BASE:-http://127.0.0.1:1/v1}'"))
    assert configuration.load_panel(str(panel_file)).model("a").api_base == "http://127.0.0.1:1/v1"
    monkeypatch.setenv("BASE", "http://127.0.0.1:2/v1")
    assert configuration.load_panel(str(panel_file)).model("a").api_base == "http://127.0.0.1:2/v1"


def test_the_command_line_beats_the_file(panel_file: Path) -> None:
    settings = ["checks.blind.enabled=true", "judges.strict.cost_rank=1", "models.a.concurrency=2", "redrafts=0"]
    panel = configuration.choose_panel(str(panel_file), settings)
    assert panel.checks.blind.enabled is True
    assert panel.judges[1].cost_rank == 1
    assert panel.model("a").concurrency == 2
    assert panel.redrafts == 0


@pytest.mark.parametrize("setting", ["redrafts", "checks.blnd.enabled=true", "models.z.images=false", "redraft=1"])
def test_a_wrong_change_is_refused(panel_file: Path, setting: str) -> None:
    with pytest.raises(ConfigurationError, match="--set"):
        configuration.choose_panel(str(panel_file), [setting])


def test_limits_of_the_command_line_reach_every_model(panel_file: Path) -> None:
    panel = configuration.with_speed(configuration.load_panel(str(panel_file)), 3, 9.0)
    assert {(model.concurrency, model.timeout_s) for model in panel.models} == {(3, 9.0)}
    with pytest.raises(ConfigurationError, match="--max-connections"):
        configuration.with_speed(panel, 0, None)


def test_only_used_models_count(panel_file: Path) -> None:
    panel_file.write_text(PANEL.replace("judges: [b, {seat: strict, model: a}]", "judges: [b]"))
    panel = configuration.load_panel(str(panel_file))
    assert [model.name for model in configuration.used_models(panel)] == ["a", "b"]
    assert [model.name for model in configuration.used_models(panel, drafting=False)] == ["b"]
    assert configuration.is_offline(configuration.load_panel("offline"))
