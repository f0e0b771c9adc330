"""Writes the parts of the documentation that code knows best: ``python docs/generate.py``.

docs/configuration.md from the configuration records, and the drawings in docs/architecture.md and docs/video-track.md
from the graphs themselves. A test keeps both equal to what this script would write.
"""

import re
import sys
import types
import typing
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from pydantic import BaseModel  # noqa: E402
from pydantic_core import PydanticUndefined  # noqa: E402

from records import candidates, config  # noqa: E402

INTRODUCTION = """\
# Every configuration field

Generated from `records/config.py` and `records/candidates.py` by `python docs/generate.py`; do not edit by hand.

One YAML file a panel (`configs/panels/`), a track (`configs/tracks/`) and a list of candidates (`configs/candidates/`).
A local path wins over a packaged name,
the command line (`--set checks.difficulty.confidence=0.9`) wins over the file, and the file wins over the defaults
below. An unknown key is an error that lists the valid ones. `${VAR}` and `${VAR:-default}` are expanded from the
environment, and `.env` in the current folder is read. Keys never stand in a file: name their variable with
`api_key_env`. The resolved configuration of a run is in its `run.yaml`.
"""

SECTIONS = (
    ("Panel", config.Panel, "A panel file. In `models:` each entry is a name with the settings of a model."),
    ("Model", config.ModelSpec, "An entry of `models:` in a panel or candidates file."),
    ("Price", config.Price, "`price:` of a model."),
    ("Seat", config.SeatSpec, "An entry of `judges:` or `reserves:`; a bare model name is a seat of that name."),
    ("Checks", config.Checks, "`checks:` of a panel."),
    ("Solvability", config.SolvabilitySettings, "`checks.solvability:`"),
    ("Ambiguity", config.AmbiguitySettings, "`checks.ambiguity:`"),
    ("Difficulty", config.DifficultySettings, "`checks.difficulty:`"),
    ("Blind", config.BlindSettings, "`checks.blind:`"),
    ("Views", config.Views, "`views:` of a panel: what each stage sees of a source."),
    ("View", config.View, "`views.draft:`, `views.judge:`, `views.evaluate:`"),
    ("Track", config.Track, "A track file."),
    ("Images", config.ImageSettings, "`images:` of a track."),
    ("Candidates", candidates.Candidates, "A candidates file; `helpers:` is a mapping like `models:`."),
    ("Candidate", candidates.Candidate, "An entry of `models:` in a candidates file, besides the settings of a model."),
    ("Asking", candidates.Asking, "`asking:` of a candidates file and of each entry; flags override it for all."),
)


def configuration() -> str:
    """The whole of docs/configuration.md."""
    return "\n".join([INTRODUCTION, *(_section(*section) for section in SECTIONS)])


def architecture(text: str) -> str:
    """docs/architecture.md with each graph's drawing between its marks made anew."""
    return redrawn(text, drawings(), "docs/architecture.md")


def video_track(text: str) -> str:
    """docs/video-track.md with each graph's drawing between its marks made anew."""
    return redrawn(text, video_drawings(), "docs/video-track.md")


def redrawn(text: str, drawn: dict[str, str], file: str) -> str:
    """A page with these drawings between their marks. Raises ValueError where a mark is missing."""
    for name, drawing in drawn.items():
        mark = re.compile(rf"(<!-- graph: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        block = f"```mermaid\n{drawing.strip()}\n```\n"
        text, count = mark.subn(lambda match, block=block: match[1] + block + match[2], text)
        if count != 1:
            raise ValueError(f"{file} needs one place marked <!-- graph: {name} --> … <!-- end -->")
    return text


def drawings() -> dict[str, str]:
    """Each state machine's own Mermaid drawing."""
    from graphs.eval_unit import build_unit_graph
    from graphs.group import build_group_graph
    from graphs.item import build_item_graph
    from graphs.slot import build_slot_graph

    built = {
        "group": build_group_graph(), "slot": build_slot_graph(), "item": build_item_graph(),
        "unit": build_unit_graph(),
    }  # fmt: skip
    return {name: graph.get_graph().draw_mermaid() for name, graph in built.items()}


def video_drawings() -> dict[str, str]:
    """The drawings of the video track's state machines."""
    from graphs.video import build_video_graph
    from graphs.video_objects import build_object_graph
    from graphs.video_slot import build_video_slot_graph

    built = {"video": build_video_graph(), "objects": build_object_graph(), "video-slot": build_video_slot_graph()}
    return {name: graph.get_graph().draw_mermaid() for name, graph in built.items()}


def _section(title: str, model: type[BaseModel], where: str) -> str:
    rows = [f"| `{name}` | {_type(field.annotation)} | {_default(field)} | {_words(field)} |"
            for name, field in model.model_fields.items()]  # fmt: skip
    head = ["| field | type | default | meaning |", "|---|---|---|---|"]
    return "\n".join([f"## {title}", "", where, "", *head, *rows, ""])


def _words(field: Any) -> str:
    return " ".join((field.description or "").replace("``", "`").replace("|", "\\|").split())


def _default(field: Any) -> str:
    if field.default is PydanticUndefined:
        return "required" if field.default_factory is None else "empty"
    if isinstance(field.default, BaseModel):
        return "see below"
    return {None: "unset", (): "empty", "": "empty"}.get(field.default, f"`{_plain(field.default)}`")


def _plain(value: Any) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)


def _type(annotation: Any) -> str:
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return " or ".join(f"`{value}`" for value in inner)
    if origin in (types.UnionType, typing.Union):
        return " or ".join(_type(part) for part in inner if part is not type(None))
    if origin is tuple:
        return f"list of {_type(inner[0])}"
    if origin is dict:
        return "mapping"
    names = {str: "text", int: "whole number", float: "number", bool: "true or false"}
    return names.get(annotation, getattr(annotation, "__name__", str(annotation)))


def main() -> None:
    """Writes the files."""
    (ROOT / "docs/configuration.md").write_text(configuration(), encoding="utf-8")
    path = ROOT / "docs/architecture.md"
    path.write_text(architecture(path.read_text(encoding="utf-8")), encoding="utf-8")
    path = ROOT / "docs/video-track.md"
    path.write_text(video_track(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
