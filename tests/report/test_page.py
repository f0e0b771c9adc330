"""The page: everything is on it, nothing planted gets out of its text, and it asks nothing of any network."""

import base64
import hashlib
import re
import time
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from records.media import Evidence, Group
from records.questions import DraftRecord
from records.verdicts import Item
from report.frames import FrameShelf, smaller
from report.page import write_report
from report.views import marked
from store.exports import output_folder
from store.run import Run
from tests.report.hostile import PLANTED, hostile_run
from tests.store.building import SET, Judged, build_run, jpeg, manifest, question

VOID = {"meta", "link", "input", "img", "br", "hr"}
LOADS = {"src", "srcset", "href", "data", "action", "poster", "formaction", "background", "xlink:href"}


class Page(HTMLParser):
    """The elements of a page with their attributes, its visible text, and whether its tags are in balance."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.open: list[str] = []
        self.faults: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.raw:
            self.raw[self.open[-1]].append(data)
        else:
            self.text += data

    def all(self, name: str) -> list[dict[str, str | None]]:
        return [attrs for tag, attrs in self.elements if tag == name]


def page_of(run: Run) -> Page:
    return Page(write_report(run, SET).read_text(encoding="utf-8"))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return build_run(tmp_path / "run", groups=("calder", "wren"))


def test_every_question_and_every_lost_slot_has_a_card(run: Run) -> None:
    page = page_of(run)
    cards = [attrs for attrs in page.all("details") if "card" in str(attrs.get("class")).split()]
    assert len(cards) == 20
    assert Counter(card["data-step"] for card in cards) == {
        "kept": 4, "solvable": 2, "ambiguous": 2, "too-easy": 2, "undecided": 2, "broke-rules": 2, "duplicate": 2,
        "declined": 2, "failed": 2,
    }  # fmt: skip
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids)), "anchors are unique"
    assert {item.item_id for item in run.all("item", Item)} <= set(ids)
    links = [str(attrs.get("href")) for attrs in page.all("a")]
    assert {link[1:] for link in links if link.startswith("#")} <= {str(one) for one in ids}
    assert page.faults == []
    assert page.open == []


def test_what_the_run_was_and_what_was_said_is_on_the_page(run: Run) -> None:
    text = " ".join(page_of(run).text.split())
    for words in (
        "paper", "openai/gpt-5", "openai/gemini", "Seed", "abc1234", "frugal, shared-prefix", "4 of 20 drafts kept",
        "Name TAG_B in the question.", "TAG_A alone says little about the other report", "0.8 against 0.6 from 3 of 3",
        "truncated: stopped at 4096", "The reports share no common summary.", "Orbis24: the Calder Star aground",
        "not crossed (a warning)", "options shown as B D A C", "pydantic 2.", "drafter.md 0000000000", "✔ key",
    ):  # fmt: skip
        assert words in text, words
    assert "No language model was used" not in text


def test_an_offline_run_says_that_no_language_model_was_used(tmp_path: Path) -> None:
    ended = DraftRecord(slot="c/T1/1", group_id="c", type_id="T1", drafter="offline/extractive", outcome="declined")
    with Run.create(tmp_path / "offline", manifest(offline=True)) as run:
        run.put("draft", "c/T1/1", ended, group_id="c")
        assert "No language model was used" in page_of(run).text
        run.put("draft", "c/T1/2", ended.model_copy(update={"drafter": "people"}), group_id="c")
        assert "No language model judged" in page_of(run).text
        assert "No language model was used" not in page_of(run).text


def test_the_page_needs_no_network_and_lets_only_its_own_script_run(run: Run) -> None:
    page = page_of(run)
    for tag, attrs in page.elements:
        loads = {name: value for name, value in attrs.items() if name in LOADS and tag != "a"}
        assert all(str(value).startswith("data:") for value in loads.values()), (tag, loads)
        assert not any(name.startswith("on") or name == "style" for name in attrs), (tag, attrs)
    scripts = [attrs for attrs in page.all("script") if attrs.get("type") != "text/plain"]
    assert len(scripts) == len(page.raw["style"]) == 1
    policy = next(str(m["content"]) for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for name, text in (("style", page.raw["style"][0]), ("script", page.raw["script"][-1])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert "url(" not in page.raw["style"][0]
    assert "@import" not in page.raw["style"][0]


def test_what_was_planted_is_text_everywhere(tmp_path: Path) -> None:
    with hostile_run(tmp_path / "run") as run:
        page = page_of(run)
    assert page.text.count("window.planted=1</script>") > 60
    assert PLANTED in page.text, "shown as it was written"
    assert "49" not in re.findall(r"\{\{.*?\}\}", page.text), "no template is evaluated"
    scripts = [attrs for attrs in page.all("script") if attrs.get("type") != "text/plain"]
    assert len(scripts) == 1
    assert not any("planted" in text for text in page.raw["script"][-1:] + page.raw["style"])
    names = {name for _, attrs in page.elements for name in attrs}
    assert not any(name.startswith("on") for name in names)
    assert all("src" not in attrs for attrs in page.all("img"))
    assert not page.all("svg/onload")
    assert page.faults == []
    assert page.open == []


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", " javascript:x"])
def test_only_web_addresses_become_links(run: Run, url: str) -> None:
    group = run.all("group", Group)[0]
    sources = tuple(one.model_copy(update={"url": url}) for one in group.sources)
    run.put("group", group.group_id, group.model_copy(update={"sources": sources}), group_id=group.group_id)
    assert all(str(link["href"]).startswith(("#", "https://")) for link in page_of(run).all("a"))


def test_each_frame_is_embedded_once_and_a_missing_one_is_said(run: Run) -> None:
    page = page_of(run)
    embedded = [str(attrs["id"]) for attrs in page.all("script") if attrs.get("type") == "text/plain"]
    shown = {f"frame-{attrs['data-sha']}" for attrs in page.all("img") if "data-sha" in attrs}
    assert len(embedded) == len(set(embedded)) == 18
    assert set(embedded) == shown
    first = base64.b64decode(page.raw["script"][0])
    assert hashlib.sha256(first).hexdigest() == embedded[0].removeprefix("frame-"), "as the models saw it"
    evidence = run.all("evidence", Evidence)[0]
    run.frame_path(evidence.sources[1].frames[1].sha256).unlink()
    assert "the file of this frame is missing" in page_of(run).text


def test_frames_that_are_too_many_are_made_smaller_and_then_left_out(run: Run) -> None:
    big = jpeg("big")
    shas = [path.stem for path in sorted(run.frames_dir.glob("*.jpg"))]
    shelf = FrameShelf(run, full_bytes=8_000, limit_bytes=12_000)
    assert [shelf.has(sha, cited) for sha, cited in ((shas[0], False), (shas[1], True), ("0" * 64, True))] == [
        True, True, False,
    ]  # fmt: skip
    assert [sha for sha, _ in shelf.embedded()] == [shas[1], shas[0]], "cited frames come first"
    assert shelf.note() == ""
    for sha in shas:
        shelf.has(sha, False)
    data = dict(shelf.embedded())
    assert len(data) < len(shas)
    assert sum(len(base64.b64decode(one)) for one in data.values()) <= 12_000
    assert "18 frames are shown smaller" in shelf.note()
    assert len(smaller(big, 100)) < len(big)
    assert smaller(big, 320) == big


def test_another_set_has_a_page_of_its_own(run: Run) -> None:
    first = write_report(run, SET).read_bytes()
    item = Judged(question("When did the ship strike and how many were aboard (TAG_A vs TAG_B)?")).solvability(2)
    run.put("item", "q-x", item.item(set_name="second").model_copy(update={"item_id": "q-x"}), set_name="second")
    other = write_report(run, "second")
    assert other == output_folder(run, "second") / "report.html"
    assert write_report(run, SET).read_bytes() == first, "the same content gives the same page"


def test_an_empty_and_an_unfinished_run_have_pages(tmp_path: Path) -> None:
    with Run.create(tmp_path / "empty", manifest()) as run:
        assert "Nothing was drafted yet." in page_of(run).text
    with Run.open(tmp_path / "empty") as reader:
        assert page_of(reader).faults == [], "also while it is open for reading"


def test_hundreds_of_questions_are_written_fast(tmp_path: Path) -> None:
    with Run.create(tmp_path / "many", manifest()) as run:
        with run.transaction():
            for number in range(200):
                judged = Judged(question(f"Question {number} (TAG_A vs TAG_B)?")).solvability().ambiguity().difficulty()
                item = judged.item()
                run.put("item", item.item_id, item, group_id="calder", set_name=SET)
        started = time.process_time()
        path = write_report(run, SET)
        assert time.process_time() - started < 10
    assert path.stat().st_size < 200 * 20_000


def test_evidence_is_cut_at_its_markers() -> None:
    assert marked("a [FRAME: TAG_A #1] b [FRAME:TAG_B #2]") == (
        ("a ", False), ("[FRAME: TAG_A #1]", True), (" b ", False), ("[FRAME:TAG_B #2]", True),
    )  # fmt: skip
    assert marked("") == ()
