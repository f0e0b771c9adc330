"""``python -m eval.score --items FILE --predictions FILE``: score predictions from anywhere.

Example: ``python -m eval.score --items videovista.json --predictions qwen.json --preset vv-table2 --out results``.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eval import cli

if TYPE_CHECKING:
    from eval.importers import ItemFile
    from eval.predictions import PredictionFile
    from eval.results import Results
    from eval.tables.table import Table
    from records.benchmark import BenchmarkItem, Prediction

_EPILOG = """\
predictions: our own JSONL, or any list with an id (question_id, id, …) and a reply (pred, prediction, …);
NAME=FILE names the model, otherwise the file's name does.

presets: vnu-table2, vnu-domains, vv-table2, vv-table5, vv-table6, vv-table7, vv-discipline, vv-early-late
groupings: type, family, category, domain, language, duration, culture, discipline, sub_discipline, platform,
outlet, event_position, drafter, sources_used, frames_used
"""


def build_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = cli.parser("eval.score", "Score models' predictions on a multiple-choice benchmark.", _EPILOG)
    parser.add_argument("--items", metavar="FILE", type=Path, required=True, help="JSON, JSONL, CSV, TSV or Parquet")
    parser.add_argument(
        "--predictions", metavar="[NAME=]FILE", action="append", required=True, help="repeat for several models"
    )
    cli.add_reading_flags(parser.add_argument_group("how to read the items"))
    _add_prediction_flags(parser.add_argument_group("how to read the predictions"))
    _add_output_flags(parser.add_argument_group("what to show and write"))
    return parser


def _add_prediction_flags(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--reader",
        choices=("answers", "first-letter"),
        default="answers",
        help="answers: the reader used everywhere; first-letter: the first character alone, as some published "
        "scripts do (default: answers)",
    )
    group.add_argument(
        "--missing",
        choices=("wrong", "unavailable"),
        default="wrong",
        help="items without a prediction: wrong, or unavailable and the score incomplete (default: wrong)",
    )
    group.add_argument(
        "--prediction-base", type=int, choices=(0, 1), help="where predictions that are numbers count from"
    )
    group.add_argument("--skip-without-key", action="store_true", help="leave out items that have no key")


def _add_output_flags(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--by", metavar="NAME,…", type=cli.comma_list, default=(), help="tables by these groupings")
    group.add_argument("--preset", metavar="NAME,…", type=cli.comma_list, default=(), help="tables in a paper's shape")
    group.add_argument("--models", metavar="YAML", type=Path, help="label, llm, frames, section of each model")
    group.add_argument("--intervals", action="store_true", help="show 95 %% intervals in every table")
    group.add_argument("--json", metavar="OUT", type=Path, help="write all scores (- for standard output)")
    group.add_argument("--out", metavar="DIR", type=Path, help="write tables, plots and an HTML report")
    group.add_argument(
        "--format",
        metavar="FORM,…",
        type=cli.comma_list,
        default=("md", "latex", "csv"),
        help="of the tables in DIR: md, latex, csv, parquet (default: md,latex,csv)",
    )
    group.add_argument("--seed", type=int, default=0, help="of the bootstrap (default: 0)")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    return cli.start(_command, build_parser().parse_args(argv))


def _command(arguments: argparse.Namespace) -> int:
    from eval.candidates import read_infos, with_makers
    from eval.results import compute

    _refuse_unknown_names(arguments)
    items, found = _items(arguments)
    predictions, notes = _predictions(items, arguments)
    given = read_infos(arguments.models) if arguments.models else {}
    infos = with_makers(given, items, (p.model for p in predictions))
    results = compute(items, predictions, infos=infos, notes=(*found.notes, *notes), seed=arguments.seed)
    presets = _presets(results, arguments)
    _write(results, presets, found, arguments)
    if str(arguments.json) != "-":
        _print(results, presets, arguments)
    return cli.DONE


def _refuse_unknown_names(arguments: argparse.Namespace) -> None:
    from eval.groupings import GROUPINGS
    from eval.presets.registry import preset
    from eval.results import FORMS
    from records.errors import ConfigurationError

    for name in arguments.preset:
        preset(name)
    for kind, names, known in (("--by", arguments.by, GROUPINGS), ("--format", arguments.format, FORMS)):
        wrong = [name for name in names if name not in known]
        if wrong:
            raise ConfigurationError(f"{kind}: there is no {wrong[0]!r}.", hint=f"Known: {', '.join(known)}.")


def _items(arguments: argparse.Namespace) -> tuple[tuple["BenchmarkItem", ...], "ItemFile"]:
    found = cli.read_items(arguments.items, arguments)
    if not arguments.skip_without_key:
        return found.items, found
    kept = tuple(item for item in found.items if item.key)
    note = f"{len(found.items) - len(kept)} items without a key are left out"
    return kept, found.model_copy(update={"notes": (*found.notes, note)})


def _predictions(
    items: tuple["BenchmarkItem", ...], arguments: argparse.Namespace
) -> tuple[tuple["Prediction", ...], tuple[str, ...]]:
    files = [_prediction_file(text, items, arguments) for text in arguments.predictions]
    _refuse_equal_names(files)
    notes = [f"{file.path}: replies read by {file.reader}" for file in files]
    notes += [f"{file.path}: {note}" for file in files for note in file.notes]
    return tuple(p for file in files for p in file.predictions), tuple(notes)


def _refuse_equal_names(files: "Sequence[PredictionFile]") -> None:
    from records.errors import ConfigurationError

    owners: dict[tuple[str, str], PredictionFile] = {}
    for file in files:
        for candidate in dict.fromkeys((p.model, p.setting) for p in file.predictions):
            other = owners.setdefault(candidate, file)
            if other is not file:
                raise ConfigurationError(
                    f"--predictions: {other.path} and {file.path} are both of a model named {candidate[0]!r}.",
                    hint="Tell them apart: --predictions NAME=FILE.",
                )


def _prediction_file(text: str, items: tuple["BenchmarkItem", ...], arguments: argparse.Namespace) -> "PredictionFile":
    from eval.predictions import load_predictions

    name, mark, path = text.rpartition("=")
    if not mark or Path(text).exists():
        name, path = "", text
    return load_predictions(
        Path(path),
        items,
        model=name,
        reader=arguments.reader,
        missing=arguments.missing,
        base=arguments.prediction_base,
    )


def _presets(results: "Results", arguments: argparse.Namespace) -> tuple["Table", ...]:
    from eval.presets.base import PresetInput
    from eval.presets.registry import preset

    given = PresetInput(results.items, results.predictions, results.infos, arguments.seed, arguments.intervals)
    return tuple(preset(name).build(given) for name in arguments.preset)


def _write(results: "Results", presets: tuple["Table", ...], found: "ItemFile", arguments: argparse.Namespace) -> None:
    from eval.results import write
    from eval.score_json import scores_json

    if arguments.json:
        text = scores_json(results, _aliases(found))
        if str(arguments.json) == "-":
            sys.stdout.write(text)
        else:
            arguments.json.write_text(text, encoding="utf-8")
    if arguments.out:
        write(results, arguments.out, presets=presets, forms=arguments.format)


def _aliases(found: "ItemFile") -> dict[str, str]:
    """The file's own column names for groupings: ``subcategory`` for the type."""
    named = {"type": found.columns.type, "category": found.columns.category, "domain": found.columns.domain}
    return {column: name for name, column in named.items() if column and column != name}


def _print(results: "Results", presets: tuple["Table", ...], arguments: argparse.Namespace) -> None:
    from eval.results import tables
    from eval.tables.terminal import print_table

    console = cli.console()
    for note in results.notes:
        console.print(f"note: {note}", markup=False)
    found = tables(results, by=arguments.by or ("type", "family"), intervals=arguments.intervals)
    for table in presets or [table for table in found if table.name not in _ONLY_IN_FILES]:
        print_table(table, console)
    if arguments.out:
        console.print(f"written: {arguments.out}", markup=False)


_ONLY_IN_FILES = ("items", "letters", "not-available")


if __name__ == "__main__":
    cli.run(main)
