"""The table of outcomes in docs/videos.md speaks the messages that the code writes, and the example group is sound."""

import re
from pathlib import Path

from media.groups import read_group
from records.config import Track

ROOT = Path(__file__).resolve().parents[2]


def test_each_message_in_the_docs_is_one_that_the_code_writes() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "media").glob("*.py"))
    joined = re.sub(r'"\s*\n\s*f?"', "", code)
    table = (ROOT / "docs" / "videos.md").read_text(encoding="utf-8").split("## What can be wrong")[1]
    rows = [line.split("|")[3] for line in table.splitlines() if line.startswith("|")][2:]
    messages = [message for row in rows for message in re.findall(r"`([^`]+)`", row)]
    assert len(messages) > 25
    for message in messages:
        assert message.strip() in joined, message


def test_the_example_group_is_whole_small_and_licensed() -> None:
    folder = ROOT / "examples" / "world-calder-star"
    group = read_group(folder, Track(name="news", types=("T1",), domains=("World",)))
    assert len(group.sources) == 4
    assert not group.left_out
    assert not group.warnings
    assert not any(source.notes for source in group.sources)
    assert sum(path.stat().st_size for path in folder.iterdir()) < 6_000_000
    assert "CC0" in (folder / "LICENSE").read_text(encoding="utf-8")
