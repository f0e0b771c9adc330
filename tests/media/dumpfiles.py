"""A small encyclopedia made for the tests, as a Wikimedia XML dump or as a ZIM file, and an encoder of words."""

import bz2
import hashlib
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np

ARTICLES = {
    "Spring Festival": (
        "{{Infobox holiday|name=x}}\n[[File:Lamp.jpg|thumb|A [[lantern]]]]\n'''Spring Festival''' ({{zh|t=春節}}) is "
        "the [[Chinese New Year|new year]] of the lunar calendar.<ref>{{cite web|x=1}}</ref> Families meet for dinner."
        "\n== Food ==\nDumplings and rice cake are eaten.\n[[Category:Festivals]]"
    ),
    "Thanksgiving": (
        "'''Thanksgiving''' is an American holiday in November. Families eat turkey and pumpkin pie.\n"
        "== History ==\nPresident Lincoln set the day in 1863."
    ),
    "Flamenco": (
        "'''Flamenco''' is music and dance of Andalusia in Spain, with guitar, song and hand clapping.\n"
        "== Forms ==\nThere are many."
    ),
    "Tea ceremony": "A '''tea ceremony''' prepares and serves green tea with care. Bowls and whisks are used.",
    "Football in England": "'''Football''' is the most popular sport of England; clubs play in leagues of many tiers.",
}
REDIRECTS = {"Chinese New Year": "Spring Festival", "Turkey Day": "Thanksgiving"}
MEANINGS = {"Tea": "'''Tea''' may be:\n* a drink\n{{disambig}}"}


def xml_text(articles: dict[str, str] = ARTICLES, language: str = "en") -> str:
    pages = [_page(number, title, text) for number, (title, text) in enumerate({**articles, **MEANINGS}.items(), 1)]
    pages += [
        _page(number, title, f"#REDIRECT [[{target}]]", f'<redirect title="{target}" />')
        for number, (title, target) in enumerate(REDIRECTS.items(), 100)
    ]
    pages.append(_page(200, "Talk:Flamenco", "chatter", namespace=1))
    return f"""<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="{language}">
  <siteinfo>
    <sitename>Wikipedia</sitename><dbname>{language}wiki</dbname>
    <base>https://{language}.wikipedia.org/wiki/Main_Page</base>
    <generator>MediaWiki 1.46</generator><case>first-letter</case>
    <namespaces>
      <namespace key="0" case="first-letter" /><namespace key="1" case="first-letter">Talk</namespace>
      <namespace key="6" case="first-letter">File</namespace>
      <namespace key="14" case="first-letter">Category</namespace>
    </namespaces>
  </siteinfo>
{"".join(pages)}</mediawiki>
"""


def _page(number: int, title: str, text: str, redirect: str = "", namespace: int = 0) -> str:
    return f"""  <page>
    <title>{escape(title)}</title><ns>{namespace}</ns><id>{number}</id>{redirect}
    <revision>
      <id>{number + 1000}</id><timestamp>2026-10-01T00:00:00Z</timestamp>
      <contributor><username>W</username><id>1</id></contributor>
      <model>wikitext</model><format>text/x-wiki</format>
      <text xml:space="preserve">{escape(text)}</text>
    </revision>
  </page>
"""


def xml_dump(path: Path, articles: dict[str, str] = ARTICLES) -> Path:
    data = xml_text(articles).encode()
    path.write_bytes(bz2.compress(data) if path.suffix == ".bz2" else data)
    return path


def zim_file(path: Path) -> Path:
    from libzim.writer import Creator, Hint, Item, StringProvider

    class Entry(Item):
        def __init__(self, title: str, html: str) -> None:
            super().__init__()
            self.title, self.html = title, html

        def get_path(self) -> str:
            return self.title.replace(" ", "_")

        def get_title(self) -> str:
            return self.title

        def get_mimetype(self) -> str:
            return "text/html"

        def get_contentprovider(self) -> StringProvider:
            return StringProvider(self.html)

        def get_hints(self) -> dict[Hint, bool]:
            return {Hint.FRONT_ARTICLE: True}

    pages = {
        "Flamenco": "<h1>Flamenco</h1><table><tr><td>box</td></tr></table><p>Flamenco is <b>music</b> of Spain"
        "<sup class='reference'>[1]</sup>.</p><details><summary><h2>Forms</h2></summary><p>Many.</p></details>",
        "Tea ceremony": "<h1>Tea ceremony</h1><p>A tea ceremony serves green tea.</p>",
    }
    with Creator(path).config_indexing(False, "eng") as creator:
        for title, html in pages.items():
            creator.add_item(Entry(title, f"<html><body>{html}</body></html>"))
        creator.add_redirection("Flamenco_dance", "Flamenco dance", "Flamenco", {})
        creator.add_metadata("Language", "eng")
        creator.add_metadata("Source", "en.wikipedia.org")
    return path


class WordEncoder:
    """A text's vector is the sum of fixed random vectors of its words: texts that share words are alike."""

    def __init__(self, name: str = "words", seed: int = 0) -> None:
        self.name = name
        self._seed = seed
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.encoded += texts
        rows = np.stack([np.sum([self._vector(word) for word in text.lower().split()], axis=0) for text in texts])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    def _vector(self, word: str) -> np.ndarray:
        seed = int.from_bytes(hashlib.sha256(f"{self._seed} {word.strip('.,;')}".encode()).digest()[:4], "big")
        return np.random.default_rng(seed).normal(size=64)
