"""report.html: a run's funnel and every question's whole life in one file that needs no network.

``write_report(run, "main")`` writes it into the run's folder. Frames are embedded; styles and the script are inline
and allowed by their hashes alone, so that nothing planted in a transcript or a reply can run.
"""

import base64
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from report import words
from report.frames import FrameShelf
from report.funnel import funnel
from report.lives import Lives
from report.notes import run_notes
from report.views import Card, GroupView, card_of, group_anchor, page_view
from store.exports import natural, output_folder
from store.files import replacing
from store.run import Run

FILE = "report.html"
_TEMPLATES = Path(__file__).with_name("templates")


def write_report(run: Run, set_name: str | None = None, path: Path | None = None) -> Path:
    """Write the page of a judgement set (by default the run's first) and give its path.

    The file appears whole or not at all. Works on a run that is open for reading and on one that is not finished.
    """
    name = set_name or run.manifest.judgement_set
    target = path or output_folder(run, name) / FILE
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as file:
        for chunk in report_html(run, name):
            file.write(chunk)
    return target


def report_html(run: Run, set_name: str) -> Iterator[str]:
    """The page, piece by piece: memory does not grow with the number of questions."""
    lives = Lives(run, set_name)
    css, script = _asset("page.css"), _asset("page.js")
    groups = tuple(_groups(run, lives))
    seen = {group.group_id for group in groups}
    found = funnel(run, set_name, items=tuple(lives.holdings.items.values()))
    notes = (words.without_controls(note.line()) for note in run_notes(run))
    view = page_view(found, run.manifest, run.sessions(), lives.group_ids, str(run.folder), notes)
    template = _environment().get_template("page.html.j2")
    return template.generate(
        page=view,
        cards=_cards(lives, seen),
        groups=groups,
        frames=FrameShelf(run),
        css=Markup(css),  # noqa: S704 (our own file)
        js=Markup(script),  # noqa: S704 (our own file)
        policy=content_policy(css, script),
    )


def content_policy(css: str, script: str) -> str:
    """The page's Content-Security-Policy: this style, this script, images from the page itself, and nothing else."""
    return (
        f"default-src 'none'; style-src '{_source_hash(css)}'; script-src '{_source_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _cards(lives: Lives, seen: set[str]) -> Iterator[Card]:
    return (card_of(life, has_group=life.group_id in seen) for life in lives.all())


def _groups(run: Run, lives: Lives) -> Iterator[GroupView]:
    names = {entry.group_id or entry.key for entry in run.index("evidence")}
    for name in sorted(names, key=natural):
        sources = lives.group_sources(name)
        if sources:
            yield GroupView(group_id=name, anchor=group_anchor(name), topic=lives.topic(name), sources=sources)


def _source_hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _asset(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters |= {
        "usd": words.usd,
        "count_of": words.count,
        "seconds": words.seconds,
        "decimal": words.decimal,
        "statistic": words.statistic,
        "clock": words.clock,
        "tone": words.tone,
        "attempt_tone": words.attempt_tone,
    }
    environment.tests["tells_its_claims"] = words.tells_its_claims
    return environment
