import json
import os
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest

from eval.page import page_data, page_html, safe_json
from eval.results import Results, compute, tables
from records.benchmark import Prediction
from tests.eval import samples
from tests.eval.samples import item, predicted

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&amp;\u2028'\""


def hostile_results() -> Results:
    items = (
        item("q1", stem=HOSTILE, options={"A": HOSTILE, "B": "x"}, type_id=HOSTILE, group_id=HOSTILE),
        item("q2", options={"A": "y", "B": "z"}, type_id="T1"),
    )
    found = (
        predicted("q1", "A", HOSTILE, rationale=HOSTILE, confidence=0.9),
        predicted("q2", None, HOSTILE, outcome="refused", message=HOSTILE),
    )
    return compute(items, found, notes=(HOSTILE,))


class Elements(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_nothing_that_was_written_by_others_is_markup() -> None:
    results = hostile_results()
    html = page_html(results, tables(results))
    elements = Elements()
    elements.feed(html)
    tags = [tag for tag, _ in elements.found]
    assert tags.count("script") == 2
    assert "img" not in tags
    assert not any(name.startswith("on") for _, attributes in elements.found for name in attributes)
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert data
    assert json.loads(data.group(1)) == json.loads(json.dumps(page_data(results)))


def test_the_page_asks_the_network_for_nothing() -> None:
    results = compute(samples.news(3), samples.panel_of_models(samples.news(3)), infos=samples.INFOS)
    html = page_html(results, tables(results))
    elements = Elements()
    elements.feed(html)
    policies = [attributes["content"] or "" for tag, attributes in elements.found if "http-equiv" in attributes]
    assert policies[0].startswith("default-src 'none'; img-src data:; style-src 'sha256-")
    outside = [
        value for _, attributes in elements.found for name, value in attributes.items()
        if name in ("src", "href") and value and not value.startswith(("#", "data:"))
    ]  # fmt: skip
    assert outside == []


@pytest.mark.parametrize("value", [HOSTILE, {"a": [HOSTILE]}, "\u2029<!--"])
def test_json_in_a_page_is_the_same_json(value: object) -> None:
    text = safe_json(value)
    assert json.loads(text) == value
    assert not set(text) & set("<>&\u2028\u2029")


def test_every_answer_stands_beside_its_question() -> None:
    items = samples.news(1)
    found = samples.panel_of_models(items)
    data = page_data(compute(items, found, infos=samples.INFOS))
    assert [m["label"] for m in data["models"]] == ["Open_7B & co", "Open 8B", "Closed One", "Judge ‡"]
    by_id = {entry["id"]: entry for entry in data["items"]}
    for place, model in enumerate(("open7", "open8", "closed", "judge")):
        for p in (p for p in found if p.model == model):
            assert by_id[p.item_id]["replies"][place][:3] == [p.answer, p.outcome, p.confidence]


def test_samples_and_rotations_show_the_first_only() -> None:
    found: list[Prediction] = [predicted("q1", "A"), predicted("q1", "B", sample=1), predicted("q1", "C", rotation=1)]
    data = page_data(compute((item("q1"),), found))
    assert data["items"][0]["replies"] == [["A", "ok", None, ""]]


def chromium() -> str:
    path = os.environ.get("BENCHWRIGHT_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not path:
        pytest.skip("needs Chromium (BENCHWRIGHT_CHROMIUM)")
    return path


@pytest.mark.browser
def test_the_leaderboard_sorts_and_filters_and_questions_are_found(tmp_path: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    items = samples.news(6)
    results = compute(items, samples.panel_of_models(items), infos=samples.INFOS)
    (tmp_path / "report.html").write_text(page_html(results, tables(results)), encoding="utf-8")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page()
        problems: list[str] = []
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto((tmp_path / "report.html").as_uri())
        rows = page.locator("#board tbody tr")
        accuracies = [float(row.split("\t")[1].split()[0].rstrip("†")) for row in rows.all_inner_texts()]
        assert accuracies == sorted(accuracies, reverse=True)
        page.get_by_role("button", name="Accuracy").click()
        again = [float(row.split("\t")[1].split()[0].rstrip("†")) for row in rows.all_inner_texts()]
        assert again == sorted(accuracies)
        page.locator("#model-filter").fill("open")
        assert rows.count() == 2
        page.locator("#model-filter").fill("")
        page.locator("#complete-only").check()
        assert rows.count() == 3
        page.locator("#complete-only").uncheck()
        page.locator("#columns").select_option("type")
        assert page.get_by_role("button", name="T10").count() == 1
        assert page.locator("#items article").count() == 25
        page.locator("#more").click()
        assert page.locator("#items article").count() == 50
        page.locator("#item-search").fill("g03-t7")
        assert page.locator("#item-count").inner_text() == "1 of 60 questions"
        assert page.locator("#items .answer").count() == 4
        page.locator("#item-search").fill("")
        page.locator("#item-model").select_option("1")
        page.locator("#item-standing").select_option("failed")
        refused = sum(p.model == "open8" and p.answer is None for p in results.predictions)
        assert page.locator("#item-count").inner_text() == f"{refused} of 60 questions"
        browser.close()
    assert problems == []


@pytest.mark.browser
def test_a_hostile_page_runs_nothing(tmp_path: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    results = hostile_results()
    (tmp_path / "report.html").write_text(page_html(results, tables(results)), encoding="utf-8")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page()
        dialogs: list[str] = []
        page.on("dialog", lambda dialog: dialogs.append(dialog.message))
        page.goto((tmp_path / "report.html").as_uri())
        assert HOSTILE.replace("\u2028", "") in page.locator("#items").inner_text().replace("\u2028", "").replace(
            "\n", ""
        )
        browser.close()
    assert dialogs == []
