"""Articles of an encyclopedia, one after another, from a Wikimedia XML dump (.xml, .bz2, .gz) or a ZIM file.

``open_dump(Path("zhwiki-latest-pages-articles.xml.bz2"))`` gives a Dump whose `pages()` stream, so that memory does not
grow with the dump. Needs extra ``[wikipedia]``. Templates are dropped, but for those that hold words of the text.
"""

import bz2
import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal
from urllib.parse import quote

from media.text import clean
from records.errors import ConfigurationError, InputError

Form = Literal["wikitext", "plain"]


@dataclass(frozen=True)
class Page:
    """An article, or a redirect to one."""

    title: str
    url: str = ""
    lead: str = ""
    """Plain text before the first heading."""
    body: str = ""
    """The whole article, in the dump's own form: making all of it plain would take most of a build's time."""
    form: Form = "plain"
    redirect: str = ""
    """The title that this one stands for; empty for an article."""


@dataclass(frozen=True)
class Dump:
    """An opened dump."""

    path: Path
    language: str
    """Primary language subtag; ``und`` if the dump does not say."""
    site: str
    """Address of the articles, with a slash at the end."""
    link_prefixes: frozenset[str] = field(default_factory=frozenset)
    """What a link to a picture or a category begins with."""

    def pages(self) -> Iterator[Page]:
        """Articles and redirects in the dump's order; talk, templates, categories and lists of meanings are left out.

        Raises InputError where the dump ends in the middle or is damaged.
        """
        read = _zim_pages if self.path.suffix.lower() == ".zim" else _xml_pages
        try:
            yield from read(self)
        except (EOFError, OSError) as error:
            raise InputError(f"{self.path}: ends in the middle or is damaged ({error}).", hint=_AGAIN) from error


_AGAIN = "Download it again and run the same command; what was read stays."


def open_dump(path: Path, language: str = "") -> Dump:
    """Open a dump by its extension. `language` is needed only where the dump names none.

    Raises InputError for a file that is missing or neither XML nor ZIM, ConfigurationError for a missing library.
    """
    if not path.is_file():
        raise InputError(f"{path}: there is no such file.", hint="Give a Wikimedia XML dump or a ZIM file.")
    suffix = path.suffix.lower()
    if suffix == ".zim":
        return _open_zim(path, language)
    if suffix in _OPENERS:
        return _open_xml(path, language)
    raise InputError(
        f"{path}: is neither .xml, .xml.bz2, .xml.gz nor .zim.", hint="Unpack it, or download one of these."
    )


# --- Wikimedia XML


def _plain_open(path: Path) -> IO[bytes]:
    return path.open("rb")


def _bz2_open(path: Path) -> IO[bytes]:
    return bz2.open(path, "rb")


def _gzip_open(path: Path) -> IO[bytes]:
    return gzip.open(path, "rb")  # type: ignore[return-value]


_OPENERS = {".xml": _plain_open, ".bz2": _bz2_open, ".gz": _gzip_open}
_PICTURES_AND_CATEGORIES = (6, 14)
_LINKS = frozenset({"file", "image", "category", "media", "图像", "文件", "檔案", "圖像", "分类", "分類"})


def _open_xml(path: Path, language: str) -> Dump:
    with _OPENERS[path.suffix.lower()](path) as file:
        site = _xml_dump(file, path).site_info
    base = str(getattr(site, "base", "") or "")
    address = re.match(r"(https?://([a-z-]+)\.[^/]+/(?:wiki/)?)", base)
    prefixes = {
        str(one.name).lower() for one in site.namespaces or () if one.id in _PICTURES_AND_CATEGORIES and one.name
    }
    return Dump(
        path=path,
        language=language or (_language_of_site(address.group(2)) if address else "und"),
        site=address.group(1) if address else base,
        link_prefixes=_LINKS | prefixes,
    )


def _language_of_site(subdomain: str) -> str:
    return "en" if subdomain == "simple" else subdomain.split("-")[0]


def _xml_dump(file: IO[bytes], path: Path) -> Any:
    try:
        import mwxml
    except ImportError as error:
        raise _missing("mwxml") from error
    try:
        return mwxml.Dump.from_file(file)
    except Exception as error:  # mwxml passes on whatever its XML parser raises
        raise InputError(
            f"{path}: is no Wikimedia XML dump ({error}).", hint="Take a …-pages-articles.xml.bz2."
        ) from error


def _missing(library: str) -> ConfigurationError:
    return ConfigurationError(f"Reading this dump needs {library}.", hint="pip install 'benchwright[wikipedia]'")


def _xml_pages(dump: Dump) -> Iterator[Page]:
    from xml.etree.ElementTree import ParseError

    with _OPENERS[dump.path.suffix.lower()](dump.path) as file:
        found = _xml_dump(file, dump.path)
        from mwxml.errors import MalformedXML

        try:
            for page in found.pages:
                if page.namespace == 0 and (read := _xml_page(page, dump)):
                    yield read
        except (ParseError, MalformedXML) as error:
            raise InputError(f"{dump.path}: ends in the middle or is damaged ({error}).", hint=_AGAIN) from error


_MEANINGS = re.compile(
    r"\{\{\s*(?:disambig(?:uation)?|dab|hndis|geodis|消歧义|消歧義|消歧义页|disambig-zh)\s*(?:[|}])", re.IGNORECASE
)


def _xml_page(page: Any, dump: Dump) -> Page | None:
    if page.redirect:
        return Page(title=str(page.title), redirect=str(page.redirect).split("#")[0].replace("_", " "))
    body = ""
    for revision in page:
        body = str(revision.text or "")
    if not body.strip() or _MEANINGS.search(body):
        return None
    return Page(
        title=str(page.title),
        url=dump.site + quote(str(page.title).replace(" ", "_"), safe="/:(),'"),
        lead=plain_text(lead_of(body), dump.link_prefixes),
        body=body,
        form="wikitext",
    )


def lead_of(wikitext: str) -> str:
    """The wikitext before the first heading."""
    return re.split(r"^=+[^=\n].*?=+\s*$", wikitext, maxsplit=1, flags=re.MULTILINE)[0]


_DROPPED_TAGS = frozenset(
    {"ref", "references", "table", "gallery", "math", "chem", "timeline", "score", "syntaxhighlight"}
)
_WORDS_IN = {"lang": 1, "lang-zh": 0, "zh": 0, "transl": 1, "nowrap": 0, "nobr": 0, "small": 0, "le": 0}
"""Templates that hold words of the text, and which of their values (from 0) these are."""
_EMPTY_BRACKETS = re.compile(r"\s*[（(][\s,;:，；：、/]*[)）]")
_BRACKET_EDGES = re.compile(r"(?<=[（(])[\s,;:，；：、/]+|[\s,;:，；：、/]+(?=[)）])")
"""What templates that were dropped leave behind."""
_VARIANT = re.compile(r"-\{((?:(?!-\{).)*?)\}-", re.DOTALL)


def plain_text(wikitext: str, link_prefixes: frozenset[str] = _LINKS) -> str:
    """Wikitext as plain paragraphs: no markup, tables, references, pictures or categories."""
    try:
        import mwparserfromhell
    except ImportError as error:
        raise _missing("mwparserfromhell") from error
    code = mwparserfromhell.parse(_VARIANT.sub(_chosen_variant, wikitext), skip_style_tags=False)
    for template in code.filter_templates(recursive=code.RECURSE_OTHERS):
        _put(code, template, _words_in(template))
    for link in code.filter_wikilinks():
        prefix, colon, _ = str(link.title).strip().partition(":")
        if colon and prefix.strip().lower() in link_prefixes:
            _put(code, link, "")
    for tag in code.filter_tags(matches=lambda tag: str(tag.tag).strip().lower() in _DROPPED_TAGS):
        _put(code, tag, "")
    return _paragraphs(code.strip_code(normalize=True, collapse=True))


def _put(code: Any, node: Any, text: str) -> None:
    try:
        code.replace(node, text)
    except ValueError:
        return  # it went with the node that held it


def _words_in(template: Any) -> str:
    name = str(template.name).strip().lower()
    values = [str(value.value).strip() for value in template.params if not value.showkey]
    if name in ("convert", "cvt") and len(values) >= 2:
        return f"{values[0]} {values[1]}"
    place = _WORDS_IN.get(name)
    return values[place] if place is not None and place < len(values) else ""


def _chosen_variant(match: re.Match[str]) -> str:
    """Chinese markup for several scripts, as the simplified one; hidden rules give nothing."""
    flags, bar, words = match.group(1).rpartition("|")
    if bar and "A" not in flags and "R" not in flags and "zh" not in flags:
        return ""
    variants = dict(re.findall(r"(zh(?:-[a-z]+)?)\s*:\s*([^;]*)", words))
    return next((variants[name] for name in ("zh-hans", "zh-cn", "zh", "zh-hant") if name in variants), words).strip()


def _paragraphs(text: str) -> str:
    lines = (clean(_tidy(line)).lstrip("*#:; ") for line in text.splitlines())
    return "\n".join(line for line in lines if line and line not in ("__NOTOC__", "__TOC__"))


def _tidy(line: str) -> str:
    return _BRACKET_EDGES.sub("", _EMPTY_BRACKETS.sub("", line))


# --- ZIM


def _open_zim(path: Path, language: str) -> Dump:
    archive = _archive(path)
    source = _metadata(archive, "Source").strip().removeprefix("https://").removeprefix("http://").strip("/")
    stated = _metadata(archive, "Language").split(",")[0].strip().lower()
    code = language or _ISO_639_3.get(stated, stated[:2] if len(stated) in (2, 5) else "und")
    host = source or (f"{code}.wikipedia.org" if code != "und" else "")
    return Dump(path=path, language=code, site=f"https://{host}/wiki/" if host else "")


_ISO_639_3 = {
    "eng": "en", "zho": "zh", "chi": "zh", "cmn": "zh", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "spa": "es",
    "ita": "it", "por": "pt", "jpn": "ja", "kor": "ko", "rus": "ru", "nld": "nl", "dut": "nl", "ara": "ar",
}  # fmt: skip


def _archive(path: Path) -> Any:
    try:
        from libzim.reader import Archive
    except ImportError as error:
        raise _missing("libzim") from error
    try:
        return Archive(path)
    except (RuntimeError, ValueError, OSError) as error:
        raise InputError(f"{path}: is no ZIM file that can be read ({error}).", hint="Download it again.") from error


def _metadata(archive: Any, name: str) -> str:
    try:
        return bytes(archive.get_metadata(name)).decode("utf-8", errors="replace")
    except (KeyError, RuntimeError):
        return ""


def _zim_pages(dump: Dump) -> Iterator[Page]:
    archive = _archive(dump.path)
    for number in range(archive.all_entry_count):
        entry = archive._get_entry_by_id(number)
        if entry.is_redirect:
            target = entry.get_redirect_entry()
            if not target.is_redirect:
                yield Page(title=entry.title, redirect=target.title)
        elif (item := entry.get_item()).mimetype.startswith("text/html"):
            lead, body = html_text(bytes(item.content).decode("utf-8", errors="replace"))
            if body:
                url = dump.site + quote(entry.path.removeprefix("A/"), safe="/:(),'") if dump.site else ""
                yield Page(title=entry.title, url=url, lead=lead, body=body)


_NO_TEXT = (
    "script, style, table, figure, sup.reference, .mw-editsection, .navbox, .infobox, .thumb, .hatnote, "
    ".mw-references-wrap, .reflist, nav, footer"
)


def html_text(html: str) -> tuple[str, str]:
    """Lead and whole text of an article's page; both empty for one without paragraphs."""
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError as error:
        raise _missing("selectolax") from error
    root = LexborHTMLParser(html).body
    if root is None:
        return "", ""
    for node in root.css(_NO_TEXT):
        node.decompose()
    lead: list[str] = []
    whole: list[str] = []
    in_lead = True
    for node in root.traverse():
        if node.tag in ("h2", "h3", "p", "li"):
            in_lead = in_lead and node.tag not in ("h2", "h3")
            text = clean(_tidy(node.text(deep=True)))
            if text:
                whole.append(text)
                if in_lead and node.tag == "p":
                    lead.append(text)
    return "\n".join(lead), "\n".join(whole) if lead else ""
