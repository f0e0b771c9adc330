"""What ``graphs.audit`` does. Reads the run only, also while another process writes it."""

import argparse
import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from graphs import cli
from records.calls import CallRecord
from records.errors import RunError
from report.funnel import funnel
from report.life import life_json, question_life, request_ids
from report.page import write_report
from report.terminal import funnel_view, life_view
from store.exports import export_lines, write_exports
from store.run import Run

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def audit(arguments: argparse.Namespace) -> int:
    """The command behind ``graphs.audit``; returns its exit status."""
    with Run.open(cli.run_folder(arguments), database_url=arguments.database) as run:
        set_name = arguments.set_name or run.manifest.judgement_set
        if arguments.set_name and set_name not in run.sets():
            raise RunError(f"{run.folder} has no judgement set {set_name!r}.", hint=f"It has: {', '.join(run.sets())}.")
        if arguments.report:
            write_exports(run, set_name)
            print(f"report → {write_report(run, set_name)}")
            return cli.DONE
        if arguments.question:
            return one(run, arguments)
        return everything(run, set_name, as_json=arguments.json)


def one(run: Run, arguments: argparse.Namespace) -> int:
    """One question's life."""
    life = question_life(run, arguments.question, arguments.set_name)
    traces = run.calls(request_ids=request_ids(life)) if arguments.prompts else ()
    if arguments.json:
        value = json.loads(life_json(life))
        if arguments.prompts:
            value["traces"] = [trace.model_dump(mode="json") for trace in traces]
        sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
        return cli.DONE
    out = cli.console()
    out.print(life_view(life))
    show_traces(traces, out)
    return cli.DONE


def everything(run: Run, set_name: str, *, as_json: bool) -> int:
    """All questions of a judgement set with outcome and reason, and the funnel."""
    lines = export_lines(run, set_name)
    if as_json:
        for line in lines:
            sys.stdout.write(json.dumps(line.model_dump(mode="json"), ensure_ascii=False) + "\n")
        return cli.DONE
    out = cli.console()
    out.print(question_table(lines))
    out.print(funnel_view(funnel(run, set_name)))
    return cli.DONE


def question_table(lines: Iterable[object]) -> "Table":
    """One row a question: id, type, outcome, reason, stem."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title="Questions", title_justify="left", expand=True)
    table.add_column("question", no_wrap=True)
    for name, ratio in (("type", None), ("outcome", 2), ("stem or reason", 5)):
        table.add_column(name, ratio=ratio, overflow="fold")
    styles = {"kept": "green", "undecided": "yellow", "rejected": "dim"}
    for line in lines:
        status = str(getattr(line, "status", ""))
        why = str(getattr(line, "rejected_by", "") or status)
        words = getattr(line, "question", "") or getattr(line, "reason", "")
        name = getattr(line, "item_id", "") or getattr(line, "slot", "")
        table.add_row(name, str(getattr(line, "type_id", "")), Text(why, styles.get(status, "")), Text(str(words)))
    return table


def show_traces(traces: Iterable[CallRecord], out: "Console") -> None:
    """The rendered prompts and the raw replies, images by reference."""
    from rich.rule import Rule
    from rich.text import Text

    for trace in traces:
        out.print(Rule(f"{trace.task} · {trace.seat or trace.model} · {trace.unit} · {trace.outcome}"))
        for message in trace.messages:
            out.print(Text(f"[{message['role']}]", style="bold"))
            out.print(Text(message_words(message["content"])))
        out.print(Text("[reply]", style="bold"))
        out.print(Text(trace.raw or trace.message))
        if trace.reasoning:
            out.print(Text("[reasoning]", style="bold"))
            out.print(Text(trace.reasoning))


def message_words(content: object) -> str:
    """A message's text, each image as its hash."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, (list, tuple)) else ()
    return "\n".join(block.get("text") or f"<image {block.get('sha256', '')[:12]}>" for block in blocks)
