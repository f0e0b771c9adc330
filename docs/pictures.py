"""Makes the pictures of the README from a real run on the example group: ``python docs/pictures.py``.

docs/images/terminal.svg is what the terminal shows; docs/images/report.png and question.png are the run's report in a
headless Chromium (CHROMIUM names another program than /usr/bin/chromium).
"""

import os
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
IMAGES = ROOT / "docs" / "images"
COMMAND = "python -m graphs.generate --example"


def main() -> None:
    """Runs the example and writes the pictures."""
    from graphs import generate

    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "world-calder-star-offline"
        generate.main(["--example", "--run", str(run), "--quiet"])
        terminal(run)
        report(run)


def terminal(run: Path) -> None:
    """The funnel of a run as an SVG, without fonts from elsewhere."""
    from rich.console import Console
    from rich.text import Text

    from report.funnel import funnel
    from report.terminal import funnel_view
    from store.run import Run

    with open(os.devnull, "w") as nowhere, Run.open(run) as opened:
        console = Console(record=True, width=100, file=nowhere, force_terminal=True)
        console.print(Text(f"$ {COMMAND}", style="bold"))
        console.print(funnel_view(funnel(opened)))
        drawn = console.export_svg(title="Benchwright")
    (IMAGES / "terminal.svg").write_text(re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL))


def report(run: Path) -> None:
    """The head of the report, and one question opened."""
    from playwright.sync_api import sync_playwright

    program = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.goto((run / "report.html").as_uri())
        page.wait_for_timeout(500)
        page.screenshot(path=IMAGES / "report.png")
        page.set_viewport_size({"width": 1280, "height": 1400})
        card = page.locator("#questions details, main details").filter(has_text="kept").first
        card.locator("summary").first.click()
        page.wait_for_timeout(500)
        card.screenshot(path=IMAGES / "question.png")
        browser.close()


if __name__ == "__main__":
    main()
