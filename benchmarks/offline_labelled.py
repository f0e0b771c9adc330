"""What the embedded panel does: on the 72 labelled items, on its own drafts, and on faults planted into these.

``python -m benchmarks.offline_labelled`` prints Markdown; ``--write docs/offline.md`` puts it between the file's marks.
The data folder is found as the tests find it (BENCHWRIGHT_DATA, or ../shared/data). Every number is counted from the
embedded models' replies under the full schedule; nothing is left out.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from graphs.configuration import load_track
from judges.decide import Judgement, decide
from media.groups import read_group
from records.config import BlindSettings, Panel
from records.media import Evidence, Group, SourceEvidence
from records.questions import Option, Provenance, Question
from records.verdicts import ChoiceVerdict, SeverityVerdict, Verdict
from tests.conftest import shared_data
from tests.offline.faults import settled_by_one_source, with_told_key, with_twin
from tests.offline.pipeline import drafted, evidence_of, offline_panel, removes, verdicts_on

LABELS = ("good", "single_source", "ambiguous", "too_easy", "wrong_key", "rule_violation")
CHECKS = ("solvability", "ambiguity", "difficulty", "blind")
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
SERVED = ("T2", "T7", "T8")


class Measured:
    """A labelled item with what the panel said."""

    def __init__(self, item: dict[str, Any], verdicts: list[Verdict], judgement: Judgement) -> None:
        self.item, self.verdicts, self.judgement = item, verdicts, judgement
        self.label = item["label"]["verdict"]
        self.right = item["label"].get("right", item["correct_answer"])

    def removed_by(self, check: str) -> bool:
        found = {decision.check: decision.outcome for decision in self.judgement.decisions}
        return found[check] == "removed"

    def choices(self, check: str) -> list[ChoiceVerdict]:
        return [one for one in self.verdicts if isinstance(one, ChoiceVerdict) and one.check == check]

    def severities(self) -> list[SeverityVerdict]:
        return [one for one in self.verdicts if isinstance(one, SeverityVerdict)]


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the embedded panel.")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the tables between the marks of this file")
    arguments = parser.parse_args()
    text = report()
    if arguments.write:
        arguments.write.write_text(between_marks(arguments.write.read_text(), text))
    else:
        print(text)


def between_marks(page: str, text: str) -> str:
    """The page with the measured part replaced."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


def report() -> str:
    items = list(measured())
    parts = (by_label(items), by_seat(items), by_source(items), by_pair(items), own_drafts(), planted())
    return "\n\n".join(parts)


# --- labelled items


def measured() -> Iterator[Measured]:
    panel = with_blind(offline_panel())
    for line in shared_data("labelled_items.jsonl").read_text().splitlines():
        item = json.loads(line)
        question, evidence = question_of(item), evidence_as_tagged(item)
        verdicts = verdicts_on(question, evidence, panel)
        yield Measured(item, verdicts, decide(question, verdicts, panel, evidence.tags))


def with_blind(panel: Panel) -> Panel:
    checks = panel.checks.model_copy(update={"blind": BlindSettings(enabled=True)})
    return panel.model_copy(update={"checks": checks})


@cache
def group(name: str) -> Group:
    return read_group(shared_data("news", name), load_track("news"))


def evidence_as_tagged(item: dict[str, Any]) -> Evidence:
    """The item's group under the tags that the item uses."""
    found = group(item["group"])
    sources = {source.video_id: source for source in found.sources}
    tagged = tuple(
        SourceEvidence(tag=tag, video_id=video_id, transcript=sources[video_id].transcript)
        for tag, video_id in sorted(item["sources"].items())
    )
    return Evidence(
        evidence_id="labelled", group_id=found.group_id, topic=found.topic, domain=found.domain,
        language=found.language, sources=tagged,
    )  # fmt: skip


def question_of(item: dict[str, Any]) -> Question:
    return Question(
        question_id=item["item_id"], group_id=item["group"], type_id=item["type_id"], language=item["language"],
        stem=item["question"], options={letter: Option(text=text) for letter, text in item["options"].items()},
        key=item["correct_answer"], evidence=item["evidence"], sources=item["sources"],
        provenance=Provenance(drafter="people"),
    )  # fmt: skip


def by_label(items: list[Measured]) -> str:
    rows = []
    for label in LABELS:
        found = [one for one in items if one.label == label]
        outcomes = Counter(one.judgement.outcome for one in found)
        hits = [sum(one.removed_by(check) for one in found) for check in CHECKS]
        rows.append([label.replace("_", " "), len(found), outcomes["kept"], *hits])
    heads = [
        "label",
        "items",
        "kept",
        "solvability removes",
        "ambiguity removes",
        "difficulty removes",
        "blind removes",
    ]
    return "**Each check on the labelled items** (an item may be hit by several checks)\n\n" + table(heads, rows)


def by_seat(items: list[Measured]) -> str:
    rows = []
    for seat in seats():
        answers = [(one, verdict) for one in items for verdict in one.choices("difficulty") if verdict.seat == seat]
        right = [verdict.answer == one.right for one, verdict in answers]
        good = [verdict.answer == one.right for one, verdict in answers if one.label == "good"]
        sure = [verdict.answer == one.right for one, verdict in answers if (verdict.confidence or 0) >= 0.8]
        confidence = sum(verdict.confidence or 0 for _, verdict in answers) / len(answers)
        rows.append([
            seat, f"{sum(right)} of {len(right)}", f"{sum(good)} of {len(good)}", f"{confidence:.2f}",
            f"{sum(right) / len(right):.2f}", f"{sum(sure)} of {len(sure)}",
        ])  # fmt: skip
    heads = ["seat", "right with all sources", "of the good items", "mean confidence", "share right",
             "right where confidence ≥ 0.8"]  # fmt: skip
    return "**The judges as solvers** (true letter, all sources shown; guessing gives 18 of 72)\n\n" + table(
        heads, rows
    )


def by_source(items: list[Measured]) -> str:
    """Answers with one source shown, apart for sources that settle an item by its label and for all others."""
    rows = []
    for seat in seats():
        shown: dict[bool, list[bool]] = defaultdict(list)
        for one in items:
            for verdict in one.choices("solvability"):
                if verdict.seat == seat:
                    settles = verdict.unit in one.item["label"].get("solvable_from", ())
                    shown[settles].append(verdict.answer == one.right and (verdict.confidence or 0) >= 0.8)
        rows.append([seat, *(f"{sum(shown[settles])} of {len(shown[settles])}" for settles in (True, False))])
    heads = ["seat", "sure and right, source settles it", "sure and right, any other source"]
    return "**One source at a time**\n\n" + table(heads, rows)


def by_pair(items: list[Measured]) -> str:
    rows = []
    for seat in seats():
        given: dict[bool, list[float]] = defaultdict(list)
        for one in items:
            for verdict in one.severities():
                if verdict.seat == seat and one.label in ("good", "ambiguous"):
                    given[verdict.unit in one.item["label"].get("also_right", ())].append(verdict.severity)
        rows.append([
            seat,
            *(f"{sum(given[right]) / len(given[right]):.2f}" for right in (True, False)),
            *(f"{sum(value >= 0.6 for value in given[right])} of {len(given[right])}" for right in (True, False)),
        ])  # fmt: skip
    heads = ["seat", "mean severity, also right", "mean severity, wrong", "≥ 0.6, also right", "≥ 0.6, wrong"]
    return "**Pairs of good and ambiguous items**\n\n" + table(heads, rows)


# --- own drafts


def own_drafts() -> str:
    rows = []
    for name in groups():
        evidence, questions = drafts_of(name)
        outcomes = Counter()
        for question in questions:
            judgement = decide(question, verdicts_on(question, evidence), offline_panel(), evidence.tags)
            outcomes[judgement.removed_by or judgement.outcome] += 1
        types = Counter(question.type_id for question in questions)
        drafted_types = ", ".join(f"{count} {type_id}" for type_id, count in sorted(types.items()))
        rows.append([name, drafted_types, outcomes["kept"], *(outcomes[check] for check in CHECKS[:3])])
    heads = ["group", "drafted", "kept", "solvable", "ambiguous", "too easy"]
    return "**Its own drafts, at the panel's default** (seed 0)\n\n" + table(heads, rows)


@cache
def drafts_of(name: str) -> tuple[Evidence, tuple[Question, ...]]:
    evidence = evidence_of(shared_data("news", name))
    return evidence, tuple(drafted(evidence, SERVED, offline_panel().drafts_per_type))


def planted() -> str:
    faults: tuple[tuple[str, Callable[[Question], Iterator[Question]], str], ...] = (
        ("one source settles it", settled_by_one_source, "solvability"),
        ("a clause-swapped twin of the key", with_twin, "ambiguity"),
        ("the key told in the stem", with_told_key, "solvability"),
        ("the key told in the stem", with_told_key, "difficulty"),
    )
    rows = []
    for name, plant, check in faults:
        drafts = [(question, drafts_of(one)[0]) for one in groups() for question in drafts_of(one)[1]]
        removed = [removes(check, fault, evidence) for question, evidence in drafts for fault in plant(question)]
        rows.append([name, check, len(removed), sum(removed), f"{sum(removed) / len(removed):.0%}"])
    return "**Faults planted by code into these drafts**\n\n" + table(
        ["fault", "check", "planted", "removed", "share"], rows
    )


def groups() -> list[str]:
    return sorted(path.parent.name for path in shared_data("news").glob("*/group.json"))


def seats() -> list[str]:
    return [seat.seat for seat in offline_panel().judges]


def table(heads: list[str], rows: Iterable[list[object]]) -> str:
    lines = [heads, ["---"] * len(heads), *([str(cell) for cell in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    main()
