"""The page in a real headless Chromium: what a reviewer does, from signing in to correcting an item."""

import re
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.review.conftest import Served
from tests.review.synthetic import MARKUP, PASSWORD

pytestmark = [
    pytest.mark.browser,
    pytest.mark.filterwarnings("ignore::FutureWarning:gradio", "ignore::DeprecationWarning:gradio"),
    pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium (apt-get install chromium)"),
]
sync_api = pytest.importorskip("playwright.sync_api")
expect = sync_api.expect
WAIT_MS = 120_000  # only a failure waits so long; a busy machine may need half a minute for a page
ALL_SAVED = "!Object.keys(localStorage).some((key) => key.startsWith('benchwright') && localStorage[key].length > 2)"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    expect.set_options(timeout=WAIT_MS)
    with sync_api.sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--autoplay-policy=no-user-gesture-required"]
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def contexts(browser: Any) -> Iterator[dict[str, Any]]:
    """A browser profile for each language, kept over the tests: its cache spares every page most of its loading."""
    made = {
        locale: browser.new_context(viewport={"width": 1366, "height": 768}, locale=locale)
        for locale in ("en-GB", "zh-CN")
    }
    yield made
    for context in made.values():
        context.close()


@pytest.fixture
def visit(contexts: dict[str, Any], served: Served) -> Iterator[Callable[..., Any]]:
    """Opens the page as somebody; one person a language at once. Afterwards nobody is signed in."""

    def open_page(name: str, password: str = PASSWORD, *, item: str = "", locale: str = "en-GB") -> Any:
        assert not contexts[locale].pages
        page = contexts[locale].new_page()
        page.set_default_timeout(WAIT_MS)
        page.problems = []
        page.on("pageerror", lambda error: page.problems.append(str(error)))
        page.on("dialog", lambda dialog: page.problems.append(f"dialog: {dialog.message}"))
        page.goto(served.address + (f"/review/?item={item}" if item else "/"))
        page.fill("input[name=name]", name)
        page.fill("input[name=password]", password)
        page.click("button[type=submit]")
        return page

    yield open_page
    for context in contexts.values():
        for page in context.pages:
            page.evaluate("localStorage.clear()")
            page.close()
        context.clear_cookies()


def item_of(served: Served, group: str, type_id: str) -> str:
    for item_id, item in served.desk.material.items.items():
        if (item.question.group_id, item.question.type_id) == (group, type_id):
            return item_id
    raise KeyError(group)


def score(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_function(ALL_SAVED)
    expect(page.locator("#bw-saved")).to_contain_text("✓")


def test_a_wrong_password_is_refused(visit: Callable[..., Any]) -> None:
    page = visit("ann", "not the password")
    expect(page.locator("[role=alert]")).to_have_text("Name or password is wrong.")
    expect(page).to_have_url(re.compile(r"/sign-in$"))
    assert page.locator(".bw-sheet").count() == 0


def test_a_reviewers_way_from_watching_to_scoring(served: Served, visit: Callable[..., Any]) -> None:
    item_id = item_of(served, "calder", "T1")
    page = visit("ann", item=item_id)
    expect(page.locator(".bw-sheet")).to_have_attribute("data-item", item_id)

    # A title with markup is text: nothing of it runs, nothing of it is an element.
    expect(page.locator(".bw-title").first).to_contain_text(MARKUP.split(" {{")[0])
    expect(page.locator(".bw-title").first).to_contain_text("{{constructor}} ${alert(1)} <b>bold</b>")
    assert page.locator(".bw-viewer img[src=x]").count() == 0
    assert page.title() == "Benchwright review"

    # A caption jumps, the video plays on, the caption that is heard is marked.
    source = page.locator(".bw-source").first
    source.locator(".bw-captions li").nth(1).click()
    page.wait_for_function("document.querySelector('.bw-source video').currentTime >= 1")
    expect(source.locator(".bw-captions li.bw-now")).to_have_count(1)
    assert page.locator(".bw-viewer video").count() == 2

    # Scores by keyboard, each kept; verdicts open only after the last.
    question = served.desk.question(item_id, 0)
    assert "SECRET" not in page.content()
    assert question.evidence not in page.content()
    page.keyboard.press("v")
    expect(page.locator("#bw-notice")).to_contain_text("Give all scores first")
    score(page, "3")
    page.wait_for_function("document.querySelector('#bw-item-status').textContent === 'started'")
    expect(page.locator("#bw-warning")).to_contain_text("you have not watched all videos")
    page.keyboard.press("5")
    page.keyboard.press("9")
    expect(page.locator("#bw-advice")).to_contain_text("Your scores accept this item.")
    expect(page.locator("#bw-progress-text")).to_have_text("1 / 9 done")
    page.keyboard.press("c")
    page.keyboard.type("n3 is stiff")
    page.keyboard.press("Escape")
    page.keyboard.press("k")
    expect(page.locator("#bw-key")).to_contain_text(f"The key is {question.key}.")
    page.keyboard.press("v")
    expect(page.locator("#bw-after")).to_contain_text("SECRET-RATIONALE")
    expect(page.locator("#bw-after")).to_contain_text("SECRET-REASONING")

    # Reloading finds the work and the place.
    page.wait_for_function(ALL_SAVED)
    page.reload()
    expect(page.locator(".bw-sheet")).to_have_attribute("data-item", item_id)
    checked = page.locator(".bw-sheet input:checked")
    expect(checked).to_have_count(3)
    assert [one.input_value() for one in checked.all()] == ["pass", "uncertainty", "pass"]
    expect(page.locator(".bw-comment textarea")).to_have_value("n3 is stiff")
    kept = served.desk.journal.scores(item_id=item_id, reviewer="ann")
    assert sorted(one.level for one in kept) == ["pass", "pass", "uncertainty"]

    # The next item comes with an empty sheet.
    page.keyboard.press("n")
    expect(page.locator(".bw-sheet")).not_to_have_attribute("data-item", item_id)
    expect(page.locator(".bw-sheet input:checked")).to_have_count(0)
    expect(page.locator(".bw-comment textarea")).to_have_value("")
    assert page.problems == []


def test_a_watched_video_is_recorded(served: Served, visit: Callable[..., Any]) -> None:
    page = visit("mei", item=item_of(served, "redmarsh", "T1"))
    expect(page.locator(".bw-sheet")).to_be_visible()
    page.keyboard.press("w")
    for source in page.locator(".bw-source").all():
        expect(source.locator(".bw-percent")).to_have_text("100 %")
    assert {one.video_id: one.share for one in served.desk.journal.watched(reviewer="mei", group_id="redmarsh")} == {
        "redmarsh-a": 1.0,
        "redmarsh-b": 1.0,
    }
    score(page, "3")
    expect(page.locator("#bw-warning")).to_be_hidden()


def test_a_correction_shows_the_rules_that_it_breaks(served: Served, visit: Callable[..., Any]) -> None:
    item_id = item_of(served, "redmarsh", "T2")
    page = visit("bob", item=item_id)
    expect(page.locator(".bw-sheet")).to_have_attribute("data-item", item_id)
    page.keyboard.press("e")
    expect(page.locator("#bw-notice")).to_contain_text("Score this revision first")
    score(page, "3", "4", "9")
    expect(page.locator("#bw-advice")).to_contain_text("discard")
    page.keyboard.press("e")
    expect(page.locator("#bw-edit-stem textarea")).to_have_value(served.desk.question(item_id, 0).stem)
    expect(page.locator("#bw-rules")).to_contain_text("No rule is broken")
    page.fill("#bw-edit-stem textarea", "What does the former say in TAG_A?")
    violation = page.locator(".bw-violation", has_text="no-deictics")
    expect(violation).to_contain_text("former")
    page.fill("#bw-edit-stem textarea", "Which figures do TAG_A and TAG_B give?")
    expect(page.locator("#bw-rules")).to_contain_text("No rule is broken")
    page.fill("#bw-edit-reason textarea, #bw-edit-reason input", "was stiff")
    page.click("#bw-save-edit")
    expect(page.locator("#bw-notice")).to_contain_text("Saved as revision 1")
    expect(page.locator(".bw-stem")).to_have_text("Which figures do TAG_A and TAG_B give?")
    expect(page.locator(".bw-sheet input:checked")).to_have_count(0)
    (edit,) = served.desk.journal.edits(item_id=item_id)
    assert (edit.author, edit.reason, edit.revision) == ("bob", "was stiff", 1)
    assert served.desk.question(item_id, 0).stem != edit.question.stem
    score(page, "3", "6", "9")
    assert {one.revision for one in served.desk.journal.scores(item_id=item_id, reviewer="bob")} == {0, 1}
    assert page.problems == []


def test_two_reviewers_at_once_do_not_see_each_other(served: Served, visit: Callable[..., Any]) -> None:
    item_id = item_of(served, "tea", "T1")
    ann, mei = visit("ann", item=item_id), visit("mei", item=item_id, locale="zh-CN")
    for page in (ann, mei):
        expect(page.locator(".bw-sheet")).to_have_attribute("data-item", item_id)
    expect(mei.locator("#bw-next")).to_contain_text("下一题")
    expect(mei.locator(".bw-level").first).to_contain_text("不通过")
    expect(mei.locator(".bw-entry")).to_contain_text("Pu'er tea")
    score(ann, "1", "4", "7")
    mei.reload()
    expect(mei.locator(".bw-sheet")).to_have_attribute("data-item", item_id)
    expect(mei.locator(".bw-sheet input:checked")).to_have_count(0)
    score(mei, "3", "6", "9")
    mei.keyboard.press("v")
    expect(mei.locator("#bw-after")).to_contain_text("ann")
    kept = {(one.reviewer, one.level) for one in served.desk.journal.scores(item_id=item_id)}
    assert kept == {("ann", "fail"), ("mei", "pass")}


def test_a_score_given_without_a_connection_is_sent_later(served: Served, visit: Callable[..., Any]) -> None:
    item_id = item_of(served, "calder", "T3")
    page = visit("ann", item=item_id)
    expect(page.locator(".bw-sheet")).to_have_attribute("data-item", item_id)
    page.route("**/api/score", lambda route: route.abort())
    page.keyboard.press("2")
    expect(page.locator("#bw-saved")).to_contain_text("Not saved yet")
    assert not served.desk.journal.scores(item_id=item_id, reviewer="ann")
    page.unroute("**/api/score")
    expect(page.locator("#bw-saved")).to_contain_text("✓")
    assert [one.level for one in served.desk.journal.scores(item_id=item_id, reviewer="ann")] == ["uncertainty"]


def test_progress_shows_numbers_and_no_agreement_before_the_own_work_is_done(visit: Callable[..., Any]) -> None:
    page = visit("bob")
    expect(page.locator(".bw-sheet")).to_be_visible()
    page.locator("[role=tab]", has_text="Progress").click()
    expect(page.locator(".bw-mine")).to_contain_text("bob")
    expect(page.locator("#bw-agreement-host")).to_contain_text("when you have done all your items")
    page.keyboard.press("?")
    expect(page.locator(".bw-sheetwords").first).to_contain_text("the key is plainly proven")


def test_a_path_outside_the_run_is_refused_in_a_signed_in_browser(served: Served, visit: Callable[..., Any]) -> None:
    page = visit("ann")
    expect(page.locator(".bw-sheet")).to_be_visible()
    paths = ["/media/calder/..%2F..%2Fusers.json", "/review/gradio_api/file=/etc/passwd", "/frames/..%2Frun.sqlite.jpg"]
    for path in paths:
        assert page.request.get(served.address + path).status == 404
    assert page.request.get(served.address + "/media/calder/calder-a").status == 200
