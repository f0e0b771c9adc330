"""The page's parts as HTML: pure functions from records to text. Everything is escaped by the template engine.

Nothing that must stay hidden (key, verdicts, others' scores) is in the text before it is asked for.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from records.media import Source, Tag, Transcript
from records.questions import Question, RuleReport
from records.review import Review, ReviewEdit, Sheet, said
from records.verdicts import Check, ChoiceVerdict, Item, SeverityVerdict, Verdict
from review.desk import After
from review.edits import changes
from review.material import Material, entry_of
from review.words import LANGUAGES, words
from review.work import Progress, Standing
from store.exports import explanation_of

STATIC = Path(__file__).with_name("static")
_TAG = re.compile(r"\bTAG_[A-Z]\b")
_CHECKS: tuple[Check, ...] = ("solvability", "ambiguity", "difficulty", "blind")


def header(
    standing: Standing | None, progress: Progress, place: int, total: int, run_name: str, language: str, author: str
) -> str:
    """The line at the top: where one is, how far, who."""
    return _page(
        "header.html", language,
        standing=standing, progress=progress, place=place, total=total, run_name=run_name, author=author,
        languages=LANGUAGES, script_words=json.dumps(script_words(language), ensure_ascii=False),
    )  # fmt: skip


def script_words(language: str) -> dict[str, str]:
    """The words that the page's own script needs."""
    names = ("saved", "saving", "not_saved", "refused_score", "unwatched", "total", "done", "newer")
    texts = words(language)
    return {
        name: texts[name] for name in (*names, *(name for name in texts if name.startswith(("advice_", "status_"))))
    }


def viewer(material: Material, question: Question, watched: Mapping[str, float], language: str) -> str:
    """All sources of a question's group side by side, under the question's tags."""
    sources = [_source(material, question, tag, watched) for tag in sorted(question.sources)]
    group = material.groups.get(question.group_id)
    topic = group.topic if group else question.group_id
    return _page("viewer.html", language, group_id=question.group_id, topic=topic, sources=sources)


def question(material: Material, asked: Question, standing: Standing, language: str, *, show_key: bool = False) -> str:
    """The question with its options; the key only where it was asked for."""
    entry = entry_of(asked)
    return _page(
        "question.html", language,
        question=asked, item_id=standing.item_id, revision=standing.revision, show_key=show_key,
        head=material.heads.get(asked.type_id), entry=entry, article=asked.extra.get("article", "") if entry else "",
        entry_link=safe_link(asked.extra.get("article_url", "")) or entry_link(entry, asked.language),
    )  # fmt: skip


def score_sheet(sheet: Sheet, standing: Standing, language: str) -> str:
    """The sheet with the scores given so far and the comment."""
    return _page("sheet.html", language, sheet=sheet, standing=standing)


def after(opened: After, sheet: Sheet, language: str) -> str:
    """Judges' verdicts, the drafter's reasoning, others' scores and the revisions."""
    return _page(
        "after.html", language,
        verdicts=[_verdict(one) for one in _ordered(opened.item)], decisions=_decisions(opened.item),
        reasoning=reasoning_of(opened), others=[_other(sheet, one, language) for one in opened.others],
        edits=_history(opened.item.question, opened.edits), sheet=sheet,
    )  # fmt: skip


def rules(report: RuleReport | None, language: str, message: str = "", tone: str = "bad") -> str:
    """What the rules say about a corrected text, or why it cannot be read (`tone`: good, bad)."""
    return _page("rules.html", language, report=report, message=message, tone=tone)


def notice(message: str, language: str, tone: str = "good") -> str:
    """One line for the reviewer."""
    return _page("notice.html", language, message=message, tone=tone) if message else ""


def progress_page(everybody: Sequence[Progress], reviewer: str, language: str) -> str:
    """Everybody's progress."""
    return _page("progress.html", language, everybody=everybody, me=reviewer)


def agreement_page(table: Sequence[Sequence[str]], language: str) -> str:
    """The agreement table; its first row are the headings."""
    return _page("agreement.html", language, agreement=table)


def help_page(sheet: Sheet, language: str) -> str:
    """Shortcuts and the sheet's criteria."""
    return _page("help.html", language, sheet=sheet)


def sign_in(run_name: str, language: str, *, problem: str = "", name: str = "", next_page: str = "/") -> str:
    """The sign-in page."""
    return _page(
        "sign_in.html", language,
        run_name=run_name, problem=problem, name=name, next=next_page, languages=LANGUAGES,
    )  # fmt: skip


def entry_link(entry: str, language: str) -> str:
    """Where a background article can be looked up: Wikipedia in the question's language."""
    edition = "zh" if language.startswith("zh") else "en"
    return f"https://{edition}.wikipedia.org/wiki/{quote(entry.replace(' ', '_'), safe='')}" if entry else ""


def reasoning_of(opened: After) -> str:
    """The drafter's reasoning: what the model thought, then what it wrote down in its reply; empty if none is kept."""
    if opened.trace is None:
        return ""
    written = _reply(opened.trace.reply_json).get("reasoning", "")
    return "\n\n".join(filter(None, (opened.trace.reasoning.strip(), str(written).strip())))


def clock(seconds: float) -> str:
    """Seconds as a reader of players writes them: 75.4 gives ``1:15``."""
    whole = int(seconds)
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def percent(share: float) -> str:
    """A share for people, never rounded up to 100 %."""
    return f"{int(share * 100 + 1e-9)} %"


def tagged(text: str) -> Markup:
    """A text, escaped, with its tags in bold."""
    return Markup(_TAG.sub(r'<b class="bw-tag">\g<0></b>', str(escape(text))))  # noqa: S704 -- escaped just here


def safe_link(url: str) -> str:
    """The address if it is an ordinary web address, else nothing."""
    return url if url.startswith(("http://", "https://")) else ""


def _page(template: str, language: str, **fields: Any) -> str:
    return _environment(language).get_template(template).render(language=language, t=words(language), **fields)


@cache
def _environment(language: str) -> Environment:
    made = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(clock=clock, tagged=tagged, said=lambda text: said(text, language))
    return made


def _source(material: Material, question: Question, tag: Tag, watched: Mapping[str, float]) -> dict[str, Any]:
    source = material.source(question, tag) or _unknown(question, tag)
    share = watched.get(source.video_id, 0.0)
    place = f"/media/{quote(question.group_id, safe='')}/{quote(source.video_id, safe='')}"
    return {
        "tag": tag,
        "video_id": source.video_id,
        "title": source.title,
        "outlet": source.outlet,
        "date": source.date,
        "url": safe_link(source.url),
        "media": place,
        "has_video": bool(source.video_file),
        "playable": bool(source.video_file) and material.has_file(question.group_id, source),
        "watched": round(share, 4),
        "percent": percent(share),
        "language": source.transcript.language,
        "sentences": source.transcript.sentences if source.video_file else (),
        "text": source.transcript.text,
        "frames": material.frames(question, tag),
    }


def _unknown(question: Question, tag: Tag) -> Source:
    return Source(video_id=question.sources[tag], transcript=Transcript(language="und", origin="none"))


def _ordered(item: Item) -> list[Verdict]:
    order = {check: place for place, check in enumerate(_CHECKS)}
    return sorted(item.verdicts, key=lambda one: (order.get(one.check, 9), one.unit, one.seat))


def _verdict(verdict: Verdict) -> dict[str, Any]:
    shared = {"check": verdict.check, "seat": verdict.seat, "model": verdict.model, "unit": verdict.unit}
    if isinstance(verdict, ChoiceVerdict):
        number = "–" if verdict.confidence is None else f"{verdict.confidence:.2f}"
        return {**shared, "answer": verdict.answer, "number": number, "rationale": verdict.rationale, "failed": False}
    if isinstance(verdict, SeverityVerdict):
        number = f"{verdict.severity:.2f}"
        return {**shared, "answer": "", "number": number, "rationale": verdict.rationale, "failed": False}
    return {**shared, "answer": "", "number": verdict.outcome, "rationale": verdict.message, "failed": True}


def _decisions(item: Item) -> list[dict[str, str]]:
    return [
        {"check": one.check, "outcome": one.outcome, "words": explanation_of(one)}
        for one in item.decisions
        if one.outcome not in ("off", "not-run")
    ]


def _other(sheet: Sheet, review: Review, language: str) -> dict[str, Any]:
    levels = {
        one.id: said(one.level(review.scores[one.id]).name, language) if one.id in review.scores else "–"
        for one in sheet.dimensions
    }
    return {
        "reviewer": review.reviewer,
        "revision": review.revision,
        "native": review.native,
        "levels": levels,
        "comment": review.comment,
    }


def _history(first: Question, edits: Sequence[ReviewEdit]) -> list[dict[str, Any]]:
    texts = [first, *(edit.question for edit in edits)]
    return [
        {
            "revision": edit.revision,
            "author": edit.author,
            "at": edit.at,
            "reason": edit.reason,
            "changes": changes(before, edit.question),
        }
        for before, edit in zip(texts[:-1], edits, strict=True)
    ]


def _reply(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
