"""Tables for the terminal and Markdown: they fit, they say what they must, and nothing planted steers them."""

import io
import sqlite3
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console, RenderableType

from records.errors import ConfigurationError, RunError, RunStopped
from records.questions import Option
from report.funnel import funnel
from report.life import question_life
from report.life_records import QuestionLife
from report.markdown import escaped, funnel_markdown, life_markdown
from report.runs import RunInfo, list_runs
from report.terminal import funnel_view, life_view, runs_view
from store.run import Run
from tests.store.building import SET, build_run, manifest

EVIL = "\x1b[2Jgone [bold red]markup[/] <script>alert(1)</script> | pipe"


def printed(view: RenderableType, width: int) -> str:
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=False, color_system=None).print(view)
    return out.getvalue()


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return build_run(tmp_path / "runs" / "night", groups=("calder", "wren"))


@pytest.mark.parametrize("width", [80, 100, 120])
def test_nothing_is_wider_than_the_terminal_or_cut(run: Run, width: int, tmp_path: Path) -> None:
    views = [
        funnel_view(funnel(run, SET)),
        life_view(question_life(run, "calder/T2/1")),
        life_view(question_life(run, "calder/T1/1")),
        runs_view(list_runs(tmp_path / "runs")),
    ]
    for view in views:
        text = printed(view, width)
        assert max(cell_len(line) for line in text.splitlines()) <= width
        assert "…" not in text


def test_the_funnel_shows_steps_splits_ledger_and_sentences(run: Run) -> None:
    text = printed(funnel_view(funnel(run, SET)), 100)
    for words in (
        "night", "drafted", "broke rules", "solvable from one source", "not crossed (a warning)", "kept", "20 %",
        "T10", "ambiguity", "$0.90", "a kept question", "237 calls (4 truncated)", "32 judge calls saved",
        "--retry-failed", "Guessing alone",
    ):  # fmt: skip
        assert words in text


def test_a_life_shows_violations_verdicts_arithmetic_and_calls(run: Run) -> None:
    text = printed(life_view(question_life(run, "calder/T2/1")), 100)
    for words in (
        "✔ C", "names-tags (stem)", "Name TAG_B in the question.", "gemini", "C ✔", "0.90", "TAG_A alone says little",
        "1.0 against 2 from 3 of 3 seats", "0.40", "TAG_B #2 at 0:08", "23 calls, $0.25", "Orbis24",
    ):  # fmt: skip
        assert words in text


def hostile(life: QuestionLife) -> QuestionLife:
    assert life.question is not None
    options = {letter: Option(text=EVIL) for letter in life.question.options}
    evil = life.question.model_copy(update={"stem": EVIL, "options": options, "evidence": EVIL})
    source = life.sources[0].model_copy(update={"title": EVIL, "outlet": EVIL})
    verdict = life.checks[0].verdicts[0].model_copy(update={"rationale": EVIL})
    check = life.checks[0].model_copy(update={"verdicts": (verdict,), "explanation": EVIL})
    return life.model_copy(
        update={"question": evil, "reason": EVIL, "topic": EVIL, "sources": (source,), "checks": (check,)}
    )


def test_planted_escapes_and_markup_are_shown_as_text(run: Run) -> None:
    text = printed(life_view(hostile(question_life(run, "calder/T2/1"))), 200)
    assert "\x1b" not in text
    assert text.count("[bold red]markup[/]") >= 7


def test_markdown_escapes_what_was_planted(run: Run) -> None:
    text = life_markdown(hostile(question_life(run, "calder/T2/1")))
    assert "<script>" not in text.replace("\\<script\\>", "")
    assert "\x1b" not in text
    rows = [line for line in text.splitlines() if line.startswith("| TAG")]
    assert all(line.replace("\\|", "").count("|") == 6 for line in rows)
    assert escaped("a_b *c* | d\ne") == "a\\_b \\*c\\* \\| d e"


def test_the_funnel_in_markdown_is_a_table_that_adds_up(run: Run) -> None:
    text = funnel_markdown(funnel(run, SET))
    assert "| solvable from one source | 2 | 10 % |" in text
    assert "| T10 | 4 |" in text
    for block in text.split("\n\n"):
        widths = {line.count("|") for line in block.splitlines() if line.startswith("|")}
        assert len(widths) <= 1


def test_runs_are_listed_last_written_first_and_a_broken_one_hides_none(run: Run, tmp_path: Path) -> None:
    run.end(2, "2 undecided items")
    folder = tmp_path / "runs"
    stopped = Run.create(folder / "stopped", manifest())
    stopped.end(1, "RunStopped: the budget of $1 is spent")
    stopped.close()
    (folder / "broken").mkdir()
    (folder / "broken" / "run.yaml").write_text("seed: [", encoding="utf-8")
    (folder / "no-run").mkdir()
    states = {info.name: info.state for info in list_runs(folder)}
    assert states == {"night": "writing", "stopped": "stopped", "broken": "unreadable"}
    run.close()
    night = next(info for info in list_runs(folder) if info.name == "night")
    assert (night.state, night.groups, night.groups_done, night.planned, night.drafted) == ("undecided", 2, 2, 24, 20)
    assert (night.kept, night.removed, night.undecided, night.calls, night.failed_calls) == (4, 6, 2, 237, 4)
    assert night.spent_usd == pytest.approx(2.52)
    assert list_runs(folder)[-1].name == "broken"
    assert list_runs(tmp_path / "nowhere") == ()


def test_a_killed_run_is_interrupted_and_a_failed_one_says_why(tmp_path: Path) -> None:
    Run.create(tmp_path / "killed", manifest()).close()
    with pytest.raises(RunError), Run.create(tmp_path / "failed", manifest()):
        raise RunError("disk full")
    with pytest.raises(KeyboardInterrupt), Run.create(tmp_path / "left", manifest()):
        raise KeyboardInterrupt
    with pytest.raises(RunStopped), Run.create(tmp_path / "spent", manifest()):
        raise RunStopped("budget", "the budget of $1 is spent.")
    with pytest.raises(ConfigurationError), Run.create(tmp_path / "keyless", manifest()):
        raise ConfigurationError("2 problems before the first call:\n  - a: no key.\n  - b: no key.")
    with pytest.raises(ZeroDivisionError), Run.create(tmp_path / "bug", manifest()):
        raise ZeroDivisionError("division by zero")
    infos: dict[str, RunInfo] = {info.name: info for info in list_runs(tmp_path)}
    assert {name: (info.state, info.note) for name, info in infos.items()} == {
        "killed": ("interrupted", ""),
        "left": ("interrupted", "interrupted"),
        "failed": ("failed", "disk full"),
        "spent": ("stopped", "stopped: the budget of $1 is spent."),
        "keyless": ("failed", "2 problems before the first call: - a: no key. - b: no key."),
        "bug": ("failed", "ZeroDivisionError: division by zero"),
    }


def test_a_run_with_unreadable_sessions_does_not_hide_the_others(tmp_path: Path) -> None:
    Run.create(tmp_path / "good", manifest()).close()
    Run.create(tmp_path / "other", manifest()).close()
    with sqlite3.connect(tmp_path / "other" / "run.sqlite") as connection:
        connection.execute("update sessions set manifest = '{\"panel\": 7}'")
    connection.close()
    infos = {info.name: info for info in list_runs(tmp_path)}
    assert infos["good"].state == "interrupted"
    assert infos["other"].state == "unreadable"
    assert "the sessions of" in infos["other"].note
