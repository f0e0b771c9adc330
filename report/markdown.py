"""The funnel and one question's life as Markdown, for reports, pull requests and papers. Untrusted text is escaped."""

import re
from collections.abc import Iterable, Sequence

from records.questions import Question
from report.funnel import SHORT_TITLES, TITLES, UNCROSSED, Funnel, FunnelRow, shown_steps, used_steps
from report.life_records import CheckLife, QuestionLife, VerdictLife
from report.summary import summary_lines
from report.words import count, decimal, headline, seconds, share, statistic, usd, without_controls
from store.ledger import LedgerRow

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!&])")


def funnel_markdown(funnel: Funnel) -> str:
    """Title, funnel, split by type (and by drafter where there are several), ledger by task and model, sentences."""
    whole, fell = funnel.total.drafted, funnel.total.steps
    steps = ([TITLES[step], str(fell[step]), share(fell[step], whole)] for step in shown_steps(funnel.total))
    rows = [["drafted", str(whole), ""], *steps]
    if funnel.total.uncrossed:
        rows.append([UNCROSSED, str(funnel.total.uncrossed), share(funnel.total.uncrossed, whole)])
    parts = [
        f"# Funnel of {escaped(funnel.run)}, set {escaped(funnel.judgement_set)}",
        "\n".join(f"- {escaped(line)}" for line in summary_lines(funnel)),
        table(("step", "questions", "share"), rows, right=2),
        "## By type\n\n" + _split(funnel.by_type, "type"),
    ]
    if len(funnel.by_drafter) > 1:
        parts.append("## By drafter\n\n" + _split(funnel.by_drafter, "drafter"))
    for title, ledger in (("task", funnel.by_task), ("model", funnel.by_model)):
        parts.append(f"## Calls by {title}\n\n" + _ledger((*ledger, funnel.ledger), title))
    return "\n\n".join(parts) + "\n"


def life_markdown(life: QuestionLife) -> str:
    """One question: stem, options, evidence, drafting, each check with its verdicts, cost."""
    parts = [f"# {escaped(life.anchor)}: {headline(life)}", _about(life)]
    if life.question:
        parts += _question(life.question)
    for attempt in life.attempts:
        broken = "; ".join(f"{one.rule_id} ({one.where}): {one.message}" for one in attempt.violations)
        parts.append(f"Attempt {attempt.number}: {escaped(broken) or attempt.said}.")
    parts += [_check(check) for check in life.checks]
    parts.append(f"{len(life.calls)} calls, {usd(life.cost_usd)}.")
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(without_controls(text).split()))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, right: int) -> str:
    """A pipe table; columns from number `right` (1 is the first) on are aligned to the right."""
    rules = ["---" if place < right - 1 else "---:" for place in range(len(heads))]
    lines = (heads, rules, *rows)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _question(question: Question) -> list[str]:
    options = (
        f"- **{letter}{' (key)' if letter == question.key else ''}** {escaped(option.text)}"
        for letter, option in question.options.items()
    )
    return [f"**{escaped(question.stem)}**", "\n".join(options), f"Evidence: {escaped(question.evidence)}"]


def _split(rows: Sequence[FunnelRow], label: str) -> str:
    steps = used_steps(rows)
    heads = (label, "drafted", *(SHORT_TITLES[step] for step in steps), "yield")
    lines = (
        [escaped(row.label), str(row.drafted), *(str(row.steps[step]) for step in steps), share(row.kept, row.drafted)]
        for row in rows
    )
    return table(heads, lines, right=2)


def _ledger(rows: Iterable[LedgerRow], label: str) -> str:
    heads = (label, "calls", "failed", "cache hits", "prompt tokens", "reply tokens", "median", "95 %", "cost")
    return table(heads, (_ledger_line(row) for row in rows), right=2)


def _ledger_line(row: LedgerRow) -> list[str]:
    numbers = (row.calls, sum(row.failed.values()), row.cache_hits, row.prompt_tokens, row.completion_tokens)
    times = (seconds(row.latency_p50_s), seconds(row.latency_p95_s), usd(row.cost_usd))
    return [escaped(" ".join(row.key.values())) or "all", *map(count, numbers), *times]


def _about(life: QuestionLife) -> str:
    facts = (life.type_id, life.group_id, life.domain, life.topic, life.drafter)
    words = " · ".join(escaped(fact) for fact in facts if fact)
    return f"{words}\n\n{escaped(life.reason)}" if life.reason else words


def _check(check: CheckLife) -> str:
    head = f"## {check.title}: {check.outcome}"
    units = [
        f"- {escaped(unit.unit)}: {unit.outcome}, {statistic(unit.statistic, unit.threshold)} against "
        f"{statistic(unit.threshold, unit.threshold)} ({escaped(unit.explanation)})"
        for unit in check.units
    ]
    heads = ("unit", "seat", "says", "sure", "why")
    verdicts = table(heads, (_verdict(verdict) for verdict in check.verdicts), right=9) if check.verdicts else ""
    return "\n\n".join(filter(None, (head, "\n".join(units), verdicts)))


def _verdict(verdict: VerdictLife) -> list[str]:
    said = "failed" if verdict.failure else verdict.answer or decimal(verdict.severity)
    why = verdict.failure or verdict.rationale
    return [escaped(verdict.unit), escaped(verdict.seat), escaped(said), decimal(verdict.confidence), escaped(why)]
