"""Questions that stand twice: the same words about the same video, with the same options or the same answer."""

from collections.abc import Iterator

from eval.lint.finding import Context, Finding, quoted
from records.benchmark import BenchmarkItem
from records.text import normalized
from rules.duplicates import content_tokens


def duplicate_question(items: tuple[BenchmarkItem, ...], context: Context) -> Iterator[Finding]:
    """Reported at every item but the first of the same question.

    A stock stem ("Which sequence is correct?") about one video with other answers is another question; about another
    video it always is, unless the file names no videos.
    """
    first: dict[tuple[object, ...], BenchmarkItem] = {}
    for item in items:
        for mark in _marks(item):
            earlier = first.setdefault(mark, item)
            if earlier is not item:
                yield _finding(item, earlier)
                break


def _marks(item: BenchmarkItem) -> tuple[tuple[object, ...], ...]:
    """Two items that share a mark are the same question."""
    where = item.video_files or item.video_ids or (item.group_id,)
    stem = " ".join(sorted(content_tokens(item.stem))) or normalized(item.stem)
    options = tuple(sorted(normalized(text).rstrip(".。") for text in item.options.values()))
    marks: list[tuple[object, ...]] = [("options", where, stem, options)]
    if item.key and any(where):
        marks.append(("key", where, stem, normalized(item.key_text).rstrip(".。")))
    return tuple(marks)


def _finding(item: BenchmarkItem, earlier: BenchmarkItem) -> Finding:
    same_key = normalized(item.key_text).rstrip(".。") == normalized(earlier.key_text).rstrip(".。")
    detail = (
        "" if same_key else f", but the keys differ: {quoted(earlier.key_text)} there, {quoted(item.key_text)} here"
    )
    message = f"asks the same as {earlier.item_id} about the same video{detail}: {quoted(item.stem)}"
    if not (item.video_files or item.video_ids):
        message = message.replace(" about the same video", "")
    return Finding(item_id=item.item_id, check="duplicate-question", severity="error", message=message)


def duplicate_id(items: tuple[BenchmarkItem, ...], context: Context) -> Iterator[Finding]:
    """Ids that the file uses twice; the importer numbers the later ones ``#2``, ``#3`` …"""
    known = {item.item_id for item in items}
    for item in items:
        stem, mark, number = item.item_id.rpartition("#")
        if mark and number.isdigit() and int(number) >= 2 and stem in known:
            message = f"the id {stem!r} occurs more than once in the file"
            yield Finding(item_id=item.item_id, check="duplicate-id", severity="error", message=message)
