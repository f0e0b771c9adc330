"""Golden files: `BENCHWRIGHT_GOLDEN=1 pytest tests/eval/test_tables.py` writes them anew; look at the difference."""

import csv
import io
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from eval.metrics import evaluate
from eval.presets.base import PresetInput
from eval.presets.registry import PRESETS
from eval.results import compute, tables, write_table
from eval.sweeps import SweepPoint, identical, sweep_table
from eval.tables.flat import csv_text, flat_rows
from eval.tables.latex import escaped, latex
from eval.tables.markdown import markdown
from eval.tables.table import Cell, Column, Line, Table, formatted, with_best
from eval.tables.terminal import print_table
from tests.eval import samples

GOLDEN = Path(__file__).parent / "golden"


def compared(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("BENCHWRIGHT_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def drawn(table: Table, width: int = 120) -> str:
    from rich.console import Console

    text = io.StringIO()
    print_table(table, Console(file=text, width=width, color_system=None))
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


def preset_tables() -> dict[str, Table]:
    items = (*samples.news(12), *samples.videos(12))
    given = PresetInput(items, samples.panel_of_models(items), samples.INFOS)
    return {name: found.build(given) for name, found in PRESETS.items()}


@pytest.fixture(scope="module")
def presets() -> dict[str, Table]:
    return preset_tables()


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("form", ["md", "tex", "csv", "txt"])
def test_each_preset_in_each_form(name: str, form: str, presets: dict[str, Table]) -> None:
    table = presets[name]
    forms = {"md": markdown, "tex": latex, "csv": csv_text, "txt": drawn}
    compared(f"{name}.{form}", forms[form](table))


def test_our_own_tables() -> None:
    items = samples.news(12)
    found = (*samples.panel_of_models(items), *(
        p.model_copy(update={"rotation": turn}) for turn in (1, 2, 3) for p in samples.answers(items, "open7", 0.45)
    ))  # fmt: skip
    results = compute(items, found, infos=samples.INFOS, judged={"gpt": {"kept": 60, "removed": 20}})
    made = {table.name: table for table in tables(results)}
    assert list(made) == [
        "leaderboard", "by-type", "by-family", "by-domain", "by-language", "by-drafter", "differences", "circular",
        "calibration", "letters", "items", "drafters", "not-available",
    ]  # fmt: skip
    compared("own-tables.md", "\n".join(markdown(table) for table in made.values()))
    for name in ("by-type", "by-domain"):
        assert [c.header for c in made[name].columns][-5:] == [
            "over answered", "refused", "truncated", "unparsed", "unavailable",
        ]  # fmt: skip


def test_a_sweep_marks_settings_that_gave_the_same_inputs() -> None:
    items = samples.news(12)
    found = [p for n in (270, 540, 1080) for p in samples.answers(items, "m", 0.5, setting=f"side={n}")]
    points = {
        f"side={n}": SweepPoint(setting=f"side={n}", effective=f"{min(n, 540)} px", inputs=str(min(n, 540)))
        for n in (270, 540, 1080)
    }
    assert identical(points) == {"side=1080": "side=540"}
    compared("sweep.md", markdown(sweep_table(evaluate(items, found, groupings=()), points, {})))


def small(**changes: object) -> Table:
    columns = (Column(header="Model", kind="text"), Column(header="Acc", compare=True))
    lines = tuple(Line(cells=(Cell(value=name), Cell(value=value))) for name, value in (("a", 0.5), ("b", 0.50001)))
    return Table.model_validate({"name": "t", "title": "T", "columns": columns, "lines": lines, **changes})


def test_ties_as_shown_are_all_best_and_a_single_row_is_not() -> None:
    assert [line.cells[1].emphasis for line in with_best(small()).lines] == ["best", "best"]
    one = small(lines=small().lines[:1])
    assert with_best(one).lines[0].cells[1].emphasis == ""
    none = small(lines=(*small().lines, Line(cells=(Cell(value="c"), Cell(value=None)))))
    assert with_best(none).lines[2].cells[1].emphasis == ""


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (0.61349, "percent", "61.3"), (-0.05, "points", "-5.0"), (0.05, "points", "+5.0"),
        (0.00004, "probability", "<0.001"),
        (0.0123, "probability", "0.012"), (2501, "count", "2,501"), (1.5, "usd", "1.50"), (0.1234, "number", "0.123"),
        ("x", "percent", "x"),
    ],
)  # fmt: skip
def test_formats(value: float | str, kind: str, text: str) -> None:
    assert formatted(value, kind, 1) == text  # type: ignore[arg-type]


HOSTILE = r"a|b_c&d%e$f#g{h}i~j^k\l<m>*n`o[p]"


def test_names_cannot_break_a_table() -> None:
    table = small(lines=(Line(cells=(Cell(value=HOSTILE), Cell(value=0.5))),), notes=(HOSTILE,))
    body = markdown(table).splitlines()[4]
    assert body.count("|") - body.count("\\|") == 3
    assert escaped("a_b & 50 % of $x") == r"a\_b \& 50 \% of \$x"
    assert "\\textbackslash{}" in latex(table)
    assert next(csv.DictReader(io.StringIO(csv_text(table))))["Model"] == HOSTILE


def test_flat_forms_keep_full_precision_intervals_and_empty_cells(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    lines = (
        Line(cells=(Cell(value="a"), Cell(value=1 / 3, low=0.1, high=0.5)), section="S"),
        Line(cells=(Cell(value="b"), Cell(value=None))),
    )
    table = small(lines=lines)
    assert flat_rows(table)[0] == {"section": "S", "Model": "a", "Acc": 1 / 3, "Acc_low": 0.1, "Acc_high": 0.5}
    assert [row["Acc"] for row in csv.DictReader(io.StringIO(csv_text(table)))] == [str(1 / 3), ""]
    write_table(table, tmp_path, ("parquet",))
    assert parquet.read_table(tmp_path / "t.parquet").to_pylist() == list(flat_rows(table))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_table_that_is_too_wide_is_drawn_in_parts_without_losing_a_cell(
    width: int, presets: dict[str, Table]
) -> None:
    table = presets["vv-table5"]
    text = drawn(table, width)
    body = text.split("\nn/a")[0].split("\nOpen_7B & co:")[0]
    assert max(map(len, body.splitlines())) <= width
    for column in table.columns[1:]:
        assert f" {column.header}" in body
    assert body.count("Closed One") == text.count("\n Model")


@pytest.mark.parametrize("name", PRESETS)
def test_each_line_of_latex_has_every_cell_and_braces_match(name: str, presets: dict[str, Table]) -> None:
    text = latex(presets[name])
    bare = text.replace("\\&", "").replace("\\{", "").replace("\\}", "")
    assert bare.count("{") == bare.count("}")
    for line in bare.splitlines():
        if line.endswith("\\\\") and "multicolumn" not in line:
            assert line.count("&") == len(presets[name].columns) - 1


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs pdflatex")
def test_latex_compiles(tmp_path: Path, presets: dict[str, Table]) -> None:
    body = "\n".join(latex(table) for table in presets.values())
    source = rf"\documentclass{{article}}\usepackage{{booktabs}}\begin{{document}}{body}\end{{document}}"
    (tmp_path / "t.tex").write_text(source, encoding="utf-8")
    subprocess.run(["pdflatex", "-halt-on-error", "t.tex"], cwd=tmp_path, check=True, capture_output=True)
