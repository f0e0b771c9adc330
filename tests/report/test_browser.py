"""The page in a real headless Chromium: no error, no request, nothing planted runs; filters, keys, anchors, frames."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from records.verdicts import Item
from report.page import write_report
from tests.report.hostile import hostile_run
from tests.store.building import SET, build_run

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (apt-get install chromium)"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as running:
        chromium = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


class Opened:
    """A page with what it logged and asked for."""

    def __init__(self, browser: Any, path: Path, anchor: str = "") -> None:
        self.context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        self.page = self.context.new_page()
        self.log: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.log.append(message.text))
        self.page.on("pageerror", lambda error: self.log.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri() + anchor)

    def until(self, condition: Callable[[], bool]) -> None:
        """Waits at most five seconds; the page's policy forbids the waiting that needs eval."""
        for _ in range(100):
            if condition():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError("it never came true")

    def shown(self) -> int:
        return int(self.page.locator(".card:visible").count())

    def calm(self) -> bool:
        """Nothing was logged and nothing but the file itself was asked for."""
        asked = [url for url in self.requests if not url.startswith("data:")]
        return not self.log and len(asked) == 1


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    with build_run(tmp_path_factory.mktemp("runs") / "night", groups=("calder", "wren")) as run:
        ids = {
            f"{item.question.group_id} {item.removed_by or item.outcome}": item.item_id
            for item in run.all("item", Item)
        }
        return write_report(run, SET), ids


def test_it_opens_quietly_and_filters(browser: Any, report: tuple[Path, dict[str, str]]) -> None:
    opened = Opened(browser, report[0])
    page = opened.page
    assert opened.shown() == 20
    assert page.locator("#count").inner_text() == "20 questions"
    page.select_option("#f-step", "ambiguous")
    assert opened.shown() == 2
    page.select_option("#f-group", "wren")
    assert (opened.shown(), page.locator("#count").inner_text()) == (1, "1 of 20")
    page.keyboard.press("c")
    page.locator(".step[data-value=kept]").click()
    assert opened.shown() == 4
    assert page.locator(".step[data-value=kept]").get_attribute("aria-pressed") == "true"
    page.locator(".step[data-value='crossed:wanting']").click()
    assert opened.shown() == 2
    page.locator(".step[data-value='crossed:wanting']").click()
    page.fill("#f-text", "no common SUMMARY")
    page.locator("#count", has_text="2 of 20").wait_for()
    page.fill("#f-text", "nothing has these words")
    page.wait_for_selector("#none:visible")
    page.locator("#none button").click()
    assert opened.shown() == 20
    assert opened.calm(), (opened.log, opened.requests)
    opened.context.close()


def test_an_anchor_opens_its_question_and_its_frames_are_decoded(
    browser: Any, report: tuple[Path, dict[str, str]]
) -> None:
    item_id = report[1]["wren kept"]
    opened = Opened(browser, report[0], f"#{item_id}")
    card = opened.page.locator(f"[id='{item_id}']")
    assert card.evaluate("card => card.open")
    image = card.locator("img").first
    opened.until(lambda: image.evaluate("image => image.naturalWidth") == 320)
    card.locator("button.shot").first.click()
    assert opened.page.locator("#viewer img").evaluate("image => image.naturalWidth") == 320
    opened.page.keyboard.press("Escape")
    assert opened.calm(), (opened.log, opened.requests)
    opened.context.close()


def test_keys_move_open_search_and_change_the_theme(browser: Any, report: tuple[Path, dict[str, str]]) -> None:
    opened = Opened(browser, report[0])
    page = opened.page
    for key in ("j", "j", "k", "o"):
        page.keyboard.press(key)
    assert page.locator(".card[open]").count() == 1
    assert page.evaluate("document.activeElement.closest('.card') === document.querySelector('.card')")
    page.keyboard.press("e")
    page.keyboard.press("e")
    assert page.locator(".card[open]").count() == 20
    page.keyboard.press("/")
    page.keyboard.type("jtk")
    assert page.input_value("#f-text") == "jtk", "keys are letters while typing"
    page.keyboard.press("Escape")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.keyboard.press("t")
    page.keyboard.press("t")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    assert opened.calm(), (opened.log, opened.requests)
    opened.context.close()


def test_printing_opens_the_cards_and_loads_their_frames(browser: Any, report: tuple[Path, dict[str, str]]) -> None:
    opened = Opened(browser, report[0])
    opened.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert opened.page.locator(".card[open]").count() == 20
    assert opened.page.evaluate("[...document.querySelectorAll('.card img')].every((image) => image.src)")
    opened.context.close()


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_nothing_runs_over_the_edge(browser: Any, report: tuple[Path, dict[str, str]], width: int) -> None:
    opened = Opened(browser, report[0], f"#{report[1]['wren kept']}")
    opened.page.set_viewport_size({"width": width, "height": 800})
    overflow = opened.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow <= 0
    opened.context.close()


def test_nothing_that_was_planted_runs(browser: Any, tmp_path: Path) -> None:
    with hostile_run(tmp_path / "run") as run:
        path = write_report(run, SET)
    opened = Opened(browser, path)
    page = opened.page
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    page.wait_for_timeout(200)
    assert page.evaluate("window.planted") is None
    assert page.evaluate("getComputedStyle(document.body).display") == "block"
    assert opened.shown() == 12
    assert opened.calm(), (opened.log, opened.requests)
    opened.context.close()
