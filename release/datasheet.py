"""The datasheet in Markdown and in HTML (one file, plots inside, no network): what a release is and how it came to be.

After Gebru et al., Datasheets for Datasets (2021), with the numbers that both papers report.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from records.review import Measure, said
from release.contents import Contents
from release.facts import Facts
from release.inputs import ReleaseInput

_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~$])")
_NAMES = {
    "overall": "overall (mean over dimensions)",
    "pooled": "pooled (all ratings as one table)",
    "panel": "people and panel",
}
_CAPTIONS = (
    ("lengths", "Length of the videos"), ("outlets", "Outlets"), ("domains", "Questions by domain"),
    ("types", "Questions by type"), ("keys", "Key letters by type"), ("funnel", "From drafts to kept questions"),
    ("decisions", "What people decided"),
)  # fmt: skip


def markdown(
    given: ReleaseInput, made: Contents, found: Facts, figures: Mapping[str, str], files: Mapping[str, str]
) -> str:
    """The datasheet as Markdown; plots are files beside it."""
    return _rendered("datasheet.md", given, made, found, figures, files)


def html(
    given: ReleaseInput, made: Contents, found: Facts, figures: Mapping[str, str], files: Mapping[str, str]
) -> str:
    """The datasheet as one HTML file."""
    return _rendered("datasheet.html", given, made, found, figures, files)


def measure(found: Measure | None) -> str:
    """A coefficient in words: ``0.62 [0.48, 0.75]``, ``undefined (why)``, a dash where it was not computed."""
    if found is None:
        return "–"
    if found.value is None:
        return f"undefined ({found.note})" if found.note else "undefined"
    interval = "" if found.low is None or found.high is None else f" [{found.low:.2f}, {found.high:.2f}]"
    return f"{found.value:.2f}{interval}"


def escaped(text: object) -> str:
    """A text that Markdown shows as it is, in one line."""
    return _MARKDOWN.sub(r"\\\1", " ".join(str(text).split()))


def inline(svg: str) -> Markup:
    """An SVG without its XML head, to stand in HTML."""
    return Markup(svg[svg.index("<svg") :])  # noqa: S704 -- drawn by release.figures, whose labels are escaped


def _rendered(
    template: str,
    given: ReleaseInput,
    made: Contents,
    found: Facts,
    figures: Mapping[str, str],
    files: Mapping[str, str],
) -> str:
    tables = [
        ("Questions by type", found.types, "types"),
        ("Questions by domain", found.domains, "domains"),
        ("Questions by language", found.languages, ""),
        ("Videos by length in minutes", found.lengths, "lengths"),
        ("Videos by band of length", found.bands, ""),
        ("Videos by outlet", found.outlets, "outlets"),
        ("Groups by number of sources", found.sources_per_group, ""),
    ]
    fields: dict[str, Any] = {
        "given": given,
        "made": made,
        "found": found,
        "figures": figures,
        "tables": [table for table in tables if any(count for _, count in table[1])],
        "captions": _CAPTIONS,
        "whole": next((line for line in given.funnel if line.label == "all"), None),
        "title": said(given.sheet.title, "en"),
        "names": {**_NAMES, **{one.id: said(one.name, "en") for one in given.sheet.dimensions}},
        "files": sorted(files.items()),
    }
    return _environment(template.endswith(".html")).get_template(template).render(**fields).rstrip() + "\n"


@cache
def _environment(escapes: bool) -> Environment:
    made = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=escapes,  # noqa: S701 -- Markdown is escaped by its own filter
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update(md=escaped, measure=measure, svg=inline)
    return made
