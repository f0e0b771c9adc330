"""From a reviewed run to a benchmark folder: ``python -m graphs.release --run RUN --out DIR``.

Keeps what people let pass, makes the key letters even, and writes items, evidence, datasheet, schemas and checksums.
``--verify DIR`` proves such a folder whole.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from graphs import cli

if TYPE_CHECKING:
    from records.config import Panel
    from release.inputs import FunnelLine, ReleaseInput, RunFacts
    from release.package import Package
    from release.policy import Settled
    from review.desk import Desk

EPILOG = """\
examples:
  python -m graphs.release --run runs/calder --out calder-1.0 --license CC-BY-4.0
  python -m graphs.release --run runs/calder --out calder-1.0 --policy majority.yaml --evidence frames
  python -m graphs.release --verify calder-1.0

Exit status: 0 done (or whole), 1 error (or not whole), 2 released, but some items still wait for a person.
"""


def build_parser() -> argparse.ArgumentParser:
    """All flags of the command."""
    parser = cli.parser("graphs.release", "Make a benchmark folder from a reviewed run.", EPILOG)
    parser.add_argument("--verify", metavar="DIR", type=Path, help="prove a release whole; nothing else is done")
    parser.add_argument("--out", metavar="DIR", type=Path, help="folder of the release")
    parser.add_argument("--overwrite", action="store_true", help="replace a release that is there")
    source = parser.add_argument_group("what is released")
    cli.add_run_flags(source)
    source.add_argument("--database", default="", metavar="URL", help="the run's PostgreSQL address, if it has one")
    source.add_argument("--set", default="", metavar="NAME", help="judgement set (default: the run's first)")
    source.add_argument("--sheet", default="", metavar="NAME|FILE", help="score sheet (default: the track's)")
    source.add_argument("--policy", metavar="FILE", type=Path, help="how scores decide (default: the sheet's own)")
    source.add_argument("--include", action="append", choices=("undecided", "removed"), default=[],
                        help="also undecided or removed items, if people let them pass")  # fmt: skip
    source.add_argument("--unreviewed", action="store_true", help="release what the panel kept, without any review")
    source.add_argument("--groups", metavar="DIR", type=Path, help="where the groups' folders lie now, if moved")
    source.add_argument("--evidence", choices=("none", "frames", "full"), default="none",
                        help="links and hashes only, also stills, or everything (default: none)")  # fmt: skip
    words = parser.add_argument_group("what the datasheet says")
    words.add_argument("--name", default="", help="name of the benchmark (default: the run's)")
    words.add_argument("--version", default="1.0", help="default: 1.0")
    words.add_argument("--license", default="", help="of questions and annotations, such as CC-BY-4.0")
    words.add_argument("--description", default="", help="one paragraph")
    words.add_argument("--outlet-share", metavar="X", type=cli.positive, default=0.3,
                       help="warn where one outlet gives a larger share of the videos (default: 0.3)")  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = build_parser()
    arguments = parser.parse_args(argv)
    if arguments.verify is None and not (arguments.run and arguments.out):
        parser.error("give --run RUN and --out DIR, or --verify DIR")
    return cli.start(_verify if arguments.verify else _release, arguments)


def _verify(arguments: argparse.Namespace) -> int:
    from release.package import verify

    problems = verify(arguments.verify)
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    print(f"{arguments.verify}: {'not whole' if problems else 'whole'}")
    return cli.ERROR if problems else cli.DONE


def _release(arguments: argparse.Namespace) -> int:
    from release.contents import decided
    from release.package import build, write
    from review.opening import open_desk

    arguments.run = cli.run_folder(arguments)
    with open_desk(arguments) as desk:
        given = gather(desk, arguments)
        waiting = [one for one in decided(given) if one.outcome in ("person", "revise")]
        if not any(one.outcome == "released" for one in decided(given)):
            _tell_waiting(waiting)
        package = build(given, desk.run.frame_path)
    write(package, arguments.out, overwrite=arguments.overwrite)
    _tell(package, waiting, arguments)
    return cli.UNDECIDED if waiting else cli.DONE


def gather(desk: "Desk", arguments: argparse.Namespace) -> "ReleaseInput":
    """Everything that shapes the release, from the run and its reviews."""
    from release.inputs import ReleaseInput, models_used
    from review.people import panel_agreement, people_agreement
    from review.sheets import load_policy

    material, run = desk.material, desk.run
    policy = load_policy(arguments.policy, desk.sheet) if arguments.policy else desk.sheet.policy
    items = tuple(material.items.values())
    reviews = desk.reviews()
    groups = {item_id: item.question.group_id for item_id, item in material.items.items()}
    rows = people_agreement(desk.sheet, reviews, groups)
    first = {one.item_id: _as_panel(desk.sheet.verdict(one.scores, policy)) for one in reviews if one.revision == 0}
    beside = panel_agreement(items, {name: word for name, word in first.items() if word}) if arguments.include else None
    panel = run.panel(material.set_name)
    funnel, facts, calls = _funnel(desk, panel)
    return ReleaseInput(
        name=arguments.name or run.name,
        version=arguments.version,
        license=arguments.license,
        description=arguments.description,
        evidence=arguments.evidence,
        outlet_share=min(1.0, arguments.outlet_share),
        reviewed=not arguments.unreviewed,
        items=items,
        groups=tuple(material.groups.values()),
        evidences=tuple(material.evidences.values()),
        sheet=desk.sheet,
        policy=policy,
        reviews=() if arguments.unreviewed else reviews,
        edits=tuple(edit for edit in desk.journal.edits() if edit.item_id in material.items),
        assignments=desk.assignments(),
        agreement=(*rows, *((beside,) if beside else ())),
        funnel=funnel,
        models=models_used(panel, calls),
        facts=facts,
    )


def _as_panel(verdict: str) -> str:
    """A review's verdict in the panel's words; empty where it says neither."""
    return {"accept": "keep", "discard": "discard", "revise": "discard"}.get(verdict, "")


def _funnel(desk: "Desk", panel: "Panel | None") -> "tuple[tuple[FunnelLine, ...], RunFacts, dict[str, int]]":
    from release.inputs import FunnelLine, RunFacts
    from report.funnel import TITLES, funnel, used_steps

    found = funnel(desk.run, desk.material.set_name)
    manifest = desk.run.manifest
    lines = (found.total, *found.by_type)
    steps = used_steps(lines)
    facts = RunFacts(
        run=desk.run.name,
        judgement_set=desk.material.set_name,
        track=manifest.track.name if manifest.track else desk.material.track,
        seed=manifest.seed,
        commit=manifest.commit,
        created=manifest.created,
        packages=manifest.packages,
        panel=panel.name if panel else "",
        schedule=found.schedule,
        checks_off=found.checks_off,
        offline=found.offline,
        cost_usd=found.ledger.cost_usd,
    )
    shown = tuple(
        FunnelLine(label=line.label, drafted=line.drafted, steps=tuple((TITLES[s], line.steps[s]) for s in steps))
        for line in lines
    )
    return shown, facts, {row.key["model"]: row.ok for row in found.by_model}


def _tell(package: "Package", waiting: "Sequence[Settled]", arguments: argparse.Namespace) -> None:
    if arguments.json:
        sys.stdout.write(package.files["release.json"].decode())
        return
    found, made = package.found, package.made
    print(f"{arguments.out}: {found.items} questions on {found.groups} groups, {found.videos} videos.")
    for name, count in found.decisions:
        print(f"  {name}: {count}")
    letters = ", ".join(f"{letter} {count}" for letter, count in made.letters.total.items())
    print(f"  key letters: {letters} ({made.permuted} questions permuted)")
    for warning in found.warnings:
        sys.stderr.write(f"warning: {warning}\n")
    _tell_waiting(waiting)


def _tell_waiting(waiting: "Sequence[Settled]") -> None:
    if not waiting:
        return
    print(f"{len(waiting)} items wait for a person:")
    for one in waiting:
        print(f"  {one.item_id} ({one.group_id}, {one.type_id}): {one.reason}; needs {'; '.join(one.needs)}")
    if any("an adjudicator" in one.needs for one in waiting):
        print("To give an item to an adjudicator: python -m review.assign --run RUN --item ID --to NAME")


if __name__ == "__main__":
    sys.exit(main())
