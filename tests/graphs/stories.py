"""Small groups without videos, so that whole runs take a moment: three accounts of one invented event."""

import json
from pathlib import Path

HARBOUR = {
    "north": (
        "The ferry Aldane struck the north pier at 6:10 in the morning. "
        "The harbour office counts 41 passengers on board. "
        "Repairs to the pier will cost 3 million crowns. "
        "The ferry company says that a cable of the steering gear broke. "
        "The pier reopens on 12 May."
    ),
    "south": (
        "The ferry Aldane struck the north pier at 6:25 in the morning. "
        "The passenger list shows 47 passengers on board. "
        "Engineers put the repairs to the pier at 5 million crowns. "
        "The pilots say that fog hid the pier lights. "
        "The pier reopens on 20 May."
    ),
    "west": (
        "Divers looked at the hull of the Aldane for 9 hours. The mayor thanked the crews of 14 boats that helped. "
        "The market beside the pier stays closed for 8 days. Fishermen ask for 2 new buoys. Nobody was hurt."
    ),
}  # fmt: skip


def write_group(folder: Path, texts: dict[str, str] = HARBOUR, **manifest: object) -> Path:
    """A group of text sources; returns its folder."""
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    values = {"topic": "A ferry strikes a pier", "domain": "World", "video_ids": list(texts), **manifest}
    (folder / "group.json").write_text(json.dumps(values), encoding="utf-8")
    return folder


PANEL = """\
name: fake
models:
  drafter: {{model: hosted_vllm/drafter, api_base: "{address}", price: {{input: 1, output: 4}}}}
  judge-a: {{model: hosted_vllm/judge-a, api_base: "{address}", price: {{input: 0.5, output: 2}}}}
  judge-b: {{model: hosted_vllm/judge-b, api_base: "{address}", price: {{input: 1, output: 3}}}}
  judge-c: {{model: hosted_vllm/judge-c, api_base: "{address}", price: {{input: 2, output: 6}}}}
drafters: [drafter]
judges: [judge-a, judge-b, judge-c]
{more}
"""


def write_panel(path: Path, address: str, more: str = "") -> Path:
    """A panel of three fake judges and a fake drafter; returns its file."""
    path.write_text(PANEL.format(address=address, more=more), encoding="utf-8")
    return path
