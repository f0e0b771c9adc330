"""Languages that are mixed within an item, or other than the declared one, told by script.

Names, abbreviations, units and formulas in Latin script are at home in any language; only whole sentences count. Two
languages of one script (English and French) are not told apart.
"""

import re
from collections.abc import Iterator

from eval.lint.finding import Context, Finding, quoted
from records.benchmark import BenchmarkItem

_SCRIPTS = {
    "Chinese": re.compile(r"[\u3400-\u9fff\uf900-\ufaff]"),
    "Japanese": re.compile(r"[\u3040-\u30ff]"),
    "Korean": re.compile(r"[\uac00-\ud7af\u1100-\u11ff]"),
    "Cyrillic": re.compile(r"[\u0400-\u04ff]"),
    "Arabic": re.compile(r"[\u0600-\u06ff]"),
    "Hebrew": re.compile(r"[\u0590-\u05ff]"),
    "Devanagari": re.compile(r"[\u0900-\u097f]"),
    "Thai": re.compile(r"[\u0e00-\u0e7f]"),
    "Greek": re.compile(r"[\u0370-\u03ff]"),
}
_DECLARED = {
    "zh": "Chinese", "yue": "Chinese", "ja": "Japanese", "ko": "Korean", "ru": "Cyrillic", "uk": "Cyrillic",
    "bg": "Cyrillic", "ar": "Arabic", "fa": "Arabic", "he": "Hebrew", "hi": "Devanagari", "th": "Thai", "el": "Greek",
    "en": "Latin", "fr": "Latin", "de": "Latin", "es": "Latin", "it": "Latin", "pt": "Latin", "nl": "Latin",
    "pl": "Latin", "tr": "Latin", "vi": "Latin", "id": "Latin",
}  # fmt: skip
_LATIN_WORD = re.compile(r"[A-Za-z][a-z'’-]+")
_LOWER_WORD = re.compile(r"(?<![\w.])[a-z][a-z'’-]+")
_SENTENCE_WORDS = 5
"""So many Latin words, most of them in lower case, are a sentence and not a name."""
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|(?<=[。！？])|\n+")


def script_of(text: str, fewest: int = 4) -> str:
    """The script that a text is written in (``Chinese``, ``Latin``, …); empty where it holds too little of any.

    `fewest` letters of another script than Latin are enough; Latin needs a sentence.
    """
    counts = {name: len(pattern.findall(text)) for name, pattern in _SCRIPTS.items()}
    if counts["Japanese"] and counts["Japanese"] * 10 >= counts["Chinese"]:
        counts["Japanese"] += counts.pop("Chinese")
    name, most = max(counts.items(), key=lambda entry: entry[1])
    if most >= fewest and 2 * most >= len(_LATIN_WORD.findall(text)):
        return name
    return "Latin" if most == 0 and _is_latin_sentence(text) else ""


def _is_latin_sentence(text: str) -> bool:
    words = _LATIN_WORD.findall(text)
    return len(words) >= _SENTENCE_WORDS and 2 * len(_LOWER_WORD.findall(text)) > len(words)


def mixed_languages(items: tuple[BenchmarkItem, ...], context: Context) -> Iterator[Finding]:
    """The stem against the declared language, the stem's sentences and the options against the stem."""
    for item in items:
        sentences = [part for part in _SENTENCE_END.split(item.stem) if part.strip()]
        main = script_of(sentences[0]) if sentences else ""
        declared = _DECLARED.get(item.language, "")
        if declared and main and main != declared:
            yield _finding(
                item, f"declared as {item.language}, but the question is in {main} script: {quoted(item.stem)}"
            )
        for sentence in sentences[1:]:
            other = script_of(sentence)
            if main and other and other != main:
                yield _finding(item, f"a {other} sentence stands in a {main} question: {quoted(sentence)}")
        yield from _options(item, main)


def _options(item: BenchmarkItem, main: str) -> Iterator[Finding]:
    short = {letter: script for letter, text in item.options.items() if (script := script_of(text, fewest=2))}
    some_only = len({short.get(letter, "") for letter in item.options}) > 1
    scripts = {
        x: script for x, text in item.options.items() if (script := script_of(text, fewest=2 if some_only else 4))
    }
    foreign = [letter for letter, script in scripts.items() if main and script != main]
    if foreign:
        example = foreign[0]
        message = f"option(s) {', '.join(foreign)} are in {scripts[example]} script, the question in {main}: "
        yield _finding(item, message + quoted(item.options[example]))
    elif len(set(scripts.values())) > 1:
        listed = ", ".join(f"{letter} {script}" for letter, script in scripts.items())
        yield _finding(item, f"the options are in several scripts: {listed}")


def _finding(item: BenchmarkItem, message: str) -> Finding:
    return Finding(item_id=item.item_id, check="mixed-languages", severity="warning", message=message)
