"""Keys that are missing, or that differ from the right answer as the file itself writes it in words."""

from collections.abc import Iterator

from eval.keys import same_text
from eval.lint.finding import Context, Finding, quoted
from eval.options import strip_label
from records.benchmark import BenchmarkItem
from records.questions import Letter
from records.text import normalized


def key_missing(items: tuple[BenchmarkItem, ...], context: Context) -> Iterator[Finding]:
    """No key, or one that is not among the options."""
    for item in items:
        if item.key is None and len(item.options) >= 2:
            message = item.key_note or "no answer is given"
            yield Finding(item_id=item.item_id, check="key-missing", severity="error", message=message)


def key_text_mismatch(items: tuple[BenchmarkItem, ...], context: Context) -> Iterator[Finding]:
    """The key's option is not the answer that the file writes down beside it, or two answer columns differ."""
    for item in items:
        if item.key is None:
            continue
        if item.key_note:
            message = f"the answer columns disagree: {item.key_note}"
            yield Finding(item_id=item.item_id, check="key-text-mismatch", severity="error", message=message)
        elif item.answer_text and not _agrees(item, item.key):
            yield _mismatch(item, item.key)


def _agrees(item: BenchmarkItem, letter: Letter) -> bool:
    written = item.answer_text
    return (
        same_text(written, item.options[letter])
        or same_text(strip_label(written), item.options[letter])
        or written.strip(" ().").upper() == letter
    )


def _mismatch(item: BenchmarkItem, key: Letter) -> Finding:
    others = [letter for letter in item.options if letter != key and _agrees(item, letter)]
    written, keyed = quoted(item.answer_text), quoted(item.options[key])
    if others:
        message = f"the written answer {written} is option {' and '.join(others)}, but the key is {key} ({keyed})"
        return Finding(item_id=item.item_id, check="key-text-mismatch", severity="error", message=message)
    message = f"the written answer {written} is none of the options; the key is {key} ({keyed})"
    return Finding(item_id=item.item_id, check="key-text-mismatch", severity="warning", message=message)


def prompt_mismatch(items: tuple[BenchmarkItem, ...], context: Context) -> Iterator[Finding]:
    """The prompt that the file writes out does not hold the question, or not every option."""
    for item in items:
        faults = _prompt_faults(item) if item.prompt_text else ()
        if faults:
            message = f"the file's own prompt {' and '.join(faults)}"
            yield Finding(item_id=item.item_id, check="prompt-mismatch", severity="warning", message=message)


def _prompt_faults(item: BenchmarkItem) -> tuple[str, ...]:
    prompt = normalized(item.prompt_text)
    faults = []
    if normalized(item.stem) not in prompt:
        faults.append(f"asks {quoted(item.prompt_text.splitlines()[0])} instead of {quoted(item.stem)}")
    absent = [letter for letter, text in item.options.items() if normalized(text) not in prompt]
    if absent:
        faults.append(f"lacks option(s) {', '.join(absent)}, such as {quoted(item.options[absent[0]])}")
    return tuple(faults)
