"""What a user should know about the groups of a run, a line each: sources left out and why, warnings, what went wrong.

Example: ``calder: left out wCalderX (x.mp4): the file is cut off. Fetch it again.`` Questions are told elsewhere.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from records.base import Record
from records.media import Evidence, Group
from store.run import Run

NO_CAPTIONER = (
    "No captioner looked at the frames: they are ranked by what can be seen without a model "
    "(text on screen, sharpness, new scenes)."
)


class Note(Record):
    """Something about a group (or the whole run, where `group_id` is empty) that the user should read."""

    group_id: str
    text: str
    """Empty where a problem of an earlier session is settled."""

    def line(self) -> str:
        """``calder: the text``."""
        return f"{self.group_id}: {self.text}" if self.group_id else self.text


def run_notes(run: Run) -> tuple[Note, ...]:
    """Every note of a run: on the whole, on its groups' files, and on what happened to the groups, each once."""
    evidence = run.all("evidence", Evidence)
    noted = (note for note in run.all("note", Note) if note.text)
    return tuple(dict.fromkeys((*_on_ranking(evidence), *_on_files(run), *_on_summaries(evidence), *noted)))


def _on_ranking(evidence: Iterable[Evidence]) -> Iterator[Note]:
    sources = [source for group in evidence for source in group.sources]
    if any(source.ranking == "signals" and source.frames for source in sources):
        yield Note(group_id="", text=NO_CAPTIONER)


def _on_summaries(evidence: Iterable[Evidence]) -> Iterator[Note]:
    for group in evidence:
        for source in group.sources:
            for flag in source.summary_flags:
                told = "was too long twice and is cut at a sentence" if flag == "cut" else f"has an {_spaced(flag)}"
                yield Note(group_id=group.group_id, text=f"{source.video_id}: its summary {told}")


def _spaced(flag: str) -> str:
    kind, colon, fact = flag.partition(":")
    return f"{kind.replace('-', ' ')}{colon}{fact} (not in the transcript)"


def _on_files(run: Run) -> Iterator[Note]:
    for group in run.all("group", Group):
        for left in group.left_out:
            yield Note(
                group_id=group.group_id,
                text=f"{Path(left.file).name} ({left.video_id}) is left out: {left.reason}. {left.action}",
            )
        for text in (*group.warnings, *(note for source in group.sources for note in source.notes)):
            yield Note(group_id=group.group_id, text=text)
