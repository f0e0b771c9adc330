from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

from eval import plots
from eval.calibration import calibrations
from eval.metrics import evaluate
from eval.result_plots import draw_all
from eval.results import compute
from records.errors import InputError
from tests.eval import samples

ITEMS = samples.news(12)
FOUND = samples.panel_of_models(ITEMS)


def is_svg(path: Path, *texts: str) -> bool:
    content = path.read_text(encoding="utf-8")
    return content.startswith("<?xml") and all(text in content for text in texts)


def is_png(path: Path) -> bool:
    from PIL import Image

    with Image.open(path) as image:
        return image.format == "PNG" and image.width > 300 and len(image.convert("RGB").getcolors(1 << 24) or []) > 10


def test_bars_name_types_and_models(tmp_path: Path) -> None:
    svg, png = plots.bars(evaluate(ITEMS, FOUND), "type", tmp_path / "bars", samples.INFOS)
    assert is_svg(svg, "T10", "Closed One", "Judge ‡", "Accuracy (%)")
    assert is_png(png)


def test_many_models_stay_on_a_page(tmp_path: Path) -> None:
    from PIL import Image

    found = [p for n in range(12) for p in samples.answers(ITEMS, f"model-{n}", 0.5)]
    _, png = plots.bars(evaluate(ITEMS, found), "type", tmp_path / "bars")
    with Image.open(png) as image:
        assert image.width < 4500


def test_radar_by_domain(tmp_path: Path) -> None:
    results = compute(ITEMS, FOUND, infos=samples.INFOS)
    drawn = {path.name for path in draw_all(results, tmp_path)}
    assert drawn == {
        f"{name}.{form}" for name in ("bars-by-type", "radar-by-domain", "calibration") for form in ("svg", "png")
    }
    assert is_svg(tmp_path / "radar-by-domain.svg", "Business &amp; Economy", "Health", "World", "T7")


def test_curves_of_a_sweep(tmp_path: Path) -> None:
    found = [
        p for n in (1, 2, 4, 8) for m in "ab" for p in samples.answers(ITEMS, m, 0.4 + n / 20, setting=f"frames={n}")
    ]
    svg, png = plots.sweep(evaluate(ITEMS, found, groupings=()), tmp_path / "sweep", None)
    assert is_svg(svg, "frames", ">8<")
    assert is_png(png)
    assert {path.name for path in draw_all(compute(ITEMS, found), tmp_path / "")} >= {"sweep-frames.svg"}


def test_calibration_curve(tmp_path: Path) -> None:
    svg, png = plots.calibration(calibrations(ITEMS, FOUND), tmp_path / "calibration", samples.INFOS)
    assert is_svg(svg, "Stated confidence", "Closed One (ECE ", "Judge ‡ (ECE ")
    assert is_png(png)


def test_equal_scores_give_equal_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        plots.bars(evaluate(ITEMS, FOUND), "family", tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_what_cannot_be_drawn_says_why(tmp_path: Path) -> None:
    scores = evaluate(ITEMS, FOUND)
    with pytest.raises(InputError, match="nothing to plot by outlet"):
        plots.bars(scores, "outlet", tmp_path / "x")
    with pytest.raises(InputError, match="settings of one sweep; found: none"):
        plots.sweep(scores, tmp_path / "x")
    with pytest.raises(InputError, match="no reply gave a confidence"):
        plots.calibration(calibrations(ITEMS, samples.answers(ITEMS, "m", 0.5)), tmp_path / "x")


@pytest.mark.parametrize(
    ("setting", "value"), [("frames=4", ("frames", 4.0)), ("side=540", ("side", 540.0)), ("plain", None), ("", None)]
)
def test_points_of_a_sweep(setting: str, value: tuple[str, float] | None) -> None:
    assert plots.sweep_values(setting) == value
