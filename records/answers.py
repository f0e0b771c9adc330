"""The one reader of answers: a judge's or a candidate's raw reply becomes an answer, or a typed failure.

Example: ``read_answer('```json {"answer": "(B)", "confidence": "85%"} ```', "ABCD")`` gives B with confidence 0.85 and
the list of repairs. Tolerant about form, strict about content: only declared letters, never a guess from prose, and
two different letters are a failure. Does not judge whether the answer is right.
"""

import json
import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from records.base import Record
from records.questions import Letter
from records.reply_text import FoundObject, fields, find_objects, split_thoughts, without_fences
from records.text import normalized

UnreadReason = Literal[
    "empty", "unfinished-thought", "cut-off", "no-answer", "undeclared-letter", "conflict", "out-of-range"
]


class AnswerReading(Record):
    """An answer that was given explicitly."""

    answer: Letter
    confidence: float | None = None
    """0.0–1.0; None where none was given or the one given cannot be read."""
    rationale: str = ""
    repairs: tuple[str, ...] = ()
    """Each thing that had to be tolerated, in words; empty for a clean JSON reply."""


class SeverityReading(Record):
    """A severity within 0.0–1.0."""

    severity: float
    rationale: str = ""
    repairs: tuple[str, ...] = ()


class UnreadReply(Record):
    """A reply that holds no usable verdict. Never an answer, never a vote."""

    reason: UnreadReason
    message: str
    """What is wrong, in words that can go back to the model."""
    repairs: tuple[str, ...] = ()


def read_answer(
    text: str, letters: Iterable[Letter], *, options: Mapping[Letter, str] | None = None
) -> AnswerReading | UnreadReply:
    """Read one answer. `letters` are the letters that the question has (a mapping of options will do).

    With `options` (letter → text as shown) an option's text, repeated exactly, counts as its letter. Accepts think
    blocks, fences, lead-ins, broken JSON, ``(B)``, ``B.``, ``**B**``, ``\\boxed{B}``, ``<answer>B</answer>``,
    "Answer: B", "The answer is B", full-width letters, 答案：B, 选B. Everything explicit in the reply must agree.
    Never raises.
    """
    shown = dict(letters) if isinstance(letters, Mapping) and options is None else dict(options or {})
    return _AnswerReader(tuple(letters), shown).read(text)


def read_answers(text: str, questions: Mapping[str, Iterable[Letter]]) -> dict[str, AnswerReading | UnreadReply]:
    """Read one reply to several questions, given as ``{question id: answer}`` (or an answer object for each id).

    Every id of `questions` is in the result; one that the reply does not hold, or holds twice, is unread.
    """
    said, _, failure = _said(text)
    if failure:
        return dict.fromkeys(questions, failure)
    wanted = re.compile("|".join(map(re.escape, questions)) or r"(?!)")
    found = find_objects(said, wanted)
    return {name: _one_of_many(found, name, tuple(letters)) for name, letters in questions.items()}


def read_severity(text: str) -> SeverityReading | UnreadReply:
    """Read a severity, 0.0–1.0; out of range is a failure and is never clamped. ``70%`` is 0.7. Never raises."""
    said, repairs, failure = _said(text)
    if failure:
        return failure
    readings, used = _objects_with(said, _SEVERITY_KEYS)
    numbers = [value for item, key in readings for value in _numbers(item, key)]
    outside = _outside(said, used)
    spoken = [match.group(1) for match in _SPOKEN_SEVERITY.finditer(outside)]
    if not numbers and not spoken and _BARE_NUMBER.fullmatch(outside.strip()):
        spoken = [outside.strip()]
    repairs += _form_repairs(said, used, spoken=bool(spoken))
    rationale = _rationale([item for item, _ in readings], outside)
    return _severity([_severity_value(raw) for raw in (*numbers, *spoken)], rationale, repairs)


def read_confidence(value: Any) -> tuple[float | None, str]:
    """A confidence from what a model wrote, and the repair it took (empty for none).

    1 is 1.0; 2–100, and any number with a percent sign, is a percentage; all else (negative, over 100, between 1 and 2,
    words, true and false) is missing.
    """
    if value is None:
        return None, ""
    number, percent = _number(value)
    if number is None:
        return None, f"confidence {_brief(value)} cannot be read; taken as missing"
    if number < 0 or number > 100 or (1 < number < 2 and not percent):
        return None, f"confidence {_brief(value)} is out of range; taken as missing"
    if percent or number > 1:
        return number / 100, f"confidence {_brief(value)} read as a percentage"
    return abs(number), "" if isinstance(value, (int, float)) else f"confidence {_brief(value)} read as a number"


# --- the parts of a reply --------------------------------------------------------------------------------------------

_ANSWER_KEYS = (
    "answer", "final_answer", "correct_answer", "choice", "option", "letter", "selected_option", "prediction",
    "pred", "答案", "选项", "最终答案", "正确答案",
)  # fmt: skip
_CONFIDENCE_KEYS = ("confidence", "confidence_score", "confidence_level", "certainty", "置信度", "信心")
_SEVERITY_KEYS = ("severity", "severity_score", "score", "严重程度", "严重度")
_RATIONALE_KEYS = ("rationale", "reasoning", "reason", "explanation", "analysis", "evidence", "理由", "解释", "分析")
_BARE_NUMBER = re.compile(r"-?\d*\.?\d+\s*%?\.?")
_SPOKEN_SEVERITY = re.compile(
    r"^\W*(?:final\s+)?(?:severity(?:\s+score)?|严重程度|严重度)\s*(?:is|:|=|为|是)\s*(-?\d*\.?\d+\s*%?)(?![\d\w.]*\s*[-–~]\s*\d)",
    re.IGNORECASE | re.MULTILINE,
)
_SPOKEN_CONFIDENCE = re.compile(
    r"(?:confidence(?:\s+(?:score|level))?|置信度|信心)\s*(?:is|of|:|=|为|是)?\s*(-?\d*\.?\d+\s*%?)", re.IGNORECASE
)


def _said(text: str) -> tuple[str, tuple[str, ...], UnreadReply | None]:
    """What the model said after its thoughts, the repairs so far, and a failure if it said nothing."""
    if not text.strip():
        return "", (), UnreadReply(reason="empty", message="The reply is empty.")
    if _is_object(text):
        return text, (), None
    thoughts = split_thoughts(text)
    repairs = ("think block removed",) if thoughts.thought or thoughts.unfinished else ()
    if thoughts.said:
        return thoughts.said, repairs, None
    if thoughts.unfinished:
        message = "The reply ended before the reasoning did; nothing was answered."
        return "", repairs, UnreadReply(reason="unfinished-thought", message=message, repairs=repairs)
    return "", repairs, UnreadReply(reason="empty", message="The reply holds nothing but reasoning.", repairs=repairs)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


class _Item(Record):
    """A JSON object that has a wanted key."""

    source: FoundObject
    values: dict[str, Any]
    """Fields by their normal key (lower case, underscores)."""
    names: dict[str, str]
    """Normal key → key as written."""


def _objects_with(said: str, keys: tuple[str, ...]) -> tuple[list[tuple[_Item, str]], list[FoundObject]]:
    """Each object that has one of the keys, with the key, and the objects' places."""
    wanted = re.compile("|".join(key.replace("_", "[ _-]?") for key in keys), re.IGNORECASE)
    hits: list[tuple[_Item, str]] = []
    used: list[FoundObject] = []
    for found in find_objects(said, wanted):
        for value in fields(found.value):
            names = {_key(name): str(name) for name in value}
            named = {_key(name): item for name, item in value.items()}
            key = next((key for key in keys if key in named), None)
            if key:
                hits.append((_Item(source=found, values=named, names=names), key))
                used.append(found)
                break
    return hits, used


def _key(name: Any) -> str:
    return re.sub(r"[\s-]+", "_", normalized(str(name)).strip("\"'“”‘’*: "))


def _outside(said: str, used: Iterable[FoundObject]) -> str:
    """The words around the objects that were read, without fences and emphasis, in NFKC."""
    kept, position = [], 0
    for found in used:
        kept.append(said[position : found.start])
        position = found.end
    words = without_fences("\n".join([*kept, said[position:]]))
    return re.sub(r"\*+|`+|__|^[ \t]*[#>]+", "", unicodedata.normalize("NFKC", words), flags=re.MULTILINE)


def _form_repairs(said: str, used: list[FoundObject], *, spoken: bool) -> tuple[str, ...]:
    """What was not as asked about the reply's form."""
    rest = _outside(said, used).strip()
    notes = {
        "code fence removed": "```" in said or "~~~" in said,
        "text around the JSON object ignored": bool(used and rest and not spoken),
        "broken JSON repaired": any(found.repaired for found in used),
        "cut-off JSON closed": any(found.cut for found in used),
        "several JSON objects that agree": len(used) > 1,
        "read from text, not from JSON": spoken or not used,
    }
    return tuple(note for note, holds in notes.items() if holds)


def _rationale(items: list[_Item], outside: str) -> str:
    for item in items:
        for key in _RATIONALE_KEYS:
            value = item.values.get(key)
            if value not in (None, "", [], {}):
                return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return "" if items else outside.strip()


_NEXT = r"(?=\s*(?:[,，}\]\n]|$|//|\#|/\*|[\\\"'“‘]+[\w ]+[\\\"'”’]+\s*[:：=]))"


def _raw_field(found: FoundObject, key: str) -> str | None:
    """What stands after a key in a repaired object, as written; None where the key is not found as written."""
    name = rf"{key.replace('_', '[ _-]?')}[\\\"'”’]*\s*[:：=]\s*"
    quoted = rf"[\\\"'“‘]+(?P<quoted>[^\"'“”‘’]*)[\"'”’]{_NEXT}"
    match = re.search(rf"{name}(?:{quoted}|(?P<bare>[^\n]*?){_NEXT})", found.raw, re.IGNORECASE)
    return (match.group("quoted") or match.group("bare") or "").strip() if match else None


def _number_field(item: _Item, key: str) -> Any:
    """A number as the model wrote it: json-repair drops a percent sign, so a repaired object's text is looked at."""
    raw = (_raw_field(item.source, key) or "") if item.source.repaired else ""
    return raw if raw.endswith("%") else item.values[key]


def _numbers(item: _Item, key: str) -> list[Any]:
    """The field's number, and those of a field that is written twice."""
    doubled = [value for name, value in item.source.pairs if _key(name) == key]
    return [_number_field(item, key), *(doubled if len(doubled) > 1 else ())]


def _number(value: Any) -> tuple[float | None, bool]:
    """The number that a value is, and whether it has a percent sign. (None, …) for everything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None, False
    if isinstance(value, str):
        match = re.fullmatch(r"([+-]?\d*\.?\d+|[+-]?\d+\.)\s*(%?)", unicodedata.normalize("NFKC", value).strip())
        if not match or not match.group(1).isascii():
            return None, False
        return float(match.group(1)), bool(match.group(2))
    try:
        number = float(value)
    except OverflowError:
        return None, False
    return (number, False) if math.isfinite(number) else (None, False)


def _brief(value: Any) -> str:
    text = str(value) if isinstance(value, (int, float)) else repr(value)
    return text if len(text) <= 40 else text[:37] + "…"


# --- severity --------------------------------------------------------------------------------------------------------


def _severity_value(raw: Any) -> tuple[float | None, str, str]:
    """(severity or None, repair, what is wrong)."""
    number, percent = _number(raw.rstrip(".") if isinstance(raw, str) and raw.count(".") != 1 else raw)
    if number is None:
        return None, "", f"severity {_brief(raw)} is not a number"
    value = number / 100 if percent else number
    if not 0 <= value <= 1:
        return None, "", f"severity {_brief(raw)} is outside 0.0–1.0"
    note = f"severity {_brief(raw)} read as a percentage" if percent else ""
    return abs(value), note or ("" if not isinstance(raw, str) else f"severity {_brief(raw)} read as a number"), ""


def _severity(
    values: list[tuple[float | None, str, str]], rationale: str, repairs: tuple[str, ...]
) -> SeverityReading | UnreadReply:
    wrong = [problem for _, _, problem in values if problem]
    repairs += tuple(dict.fromkeys(note for _, note, _ in values if note))
    if wrong:
        reason: UnreadReason = "out-of-range" if "outside" in wrong[0] else "no-answer"
        return UnreadReply(reason=reason, message=f"{wrong[0]}.", repairs=repairs)
    distinct = {value for value, _, _ in values if value is not None}
    if not distinct:
        return UnreadReply(reason="no-answer", message="The reply gives no severity.", repairs=repairs)
    if len(distinct) > 1:
        listed = " and ".join(map(str, sorted(distinct)))
        return UnreadReply(reason="conflict", message=f"The reply gives two severities: {listed}.", repairs=repairs)
    return SeverityReading(severity=distinct.pop(), rationale=rationale, repairs=repairs)


# --- answers ---------------------------------------------------------------------------------------------------------


class _Reading(Record):
    """What one place in a reply says: a letter as written (declared or not), several, or nothing readable."""

    letter: str = ""
    several: bool = False
    note: str = ""


_SEVERAL = _Reading(several=True)
_NOTHING = _Reading()
_AND = r"(?:,|/|&|\||\+|、|-|–|or\b|and\b|和|或者?|与|及|还是)"
_WRAPPED = (
    re.compile(r"\\(?:boxed|text|mathrm|textbf|mathbf)\s*\{(.*)\}", re.DOTALL),
    re.compile(r"[(\[{<【「](.*)[)\]}>】」]", re.DOTALL),
    re.compile(r"\\[(\[](.*)\\[)\]]", re.DOTALL),
    re.compile(r"<\|begin_of_box\|>(.*)<\|end_of_box\|>", re.DOTALL),
    re.compile(r"<answer>(.*)</answer>", re.DOTALL | re.IGNORECASE),
)
_VALUE_PREFIX = re.compile(
    r"(?:(?:the\s+)?(?:(?:final|correct|best|right)\s+)*(?:answer|option|choice)\s*(?:is\b|:|=)?\s*"
    r"|(?:正确|最终|最佳)?(?:答案|选项|选择|应选|选)\s*(?:是|为|:|=)?\s*)(?=[(\[A-Za-z])",
    re.IGNORECASE,
)
_TAGGED = re.compile(
    r"\\boxed\s*\{(?:[^{}]|\{[^{}]*\})*\}|<answer>[^<]*</answer>|<\|begin_of_box\|>.*?<\|end_of_box\|>",
    re.IGNORECASE | re.DOTALL,
)
_ECHO = re.compile(r"\s*<?(?:[A-Z](?:\s*\|\s*[A-Z])+|one of [A-Z](?:(?:, | or |, or )[A-Z])*)>?\s*")
_OPENERS = r"so|thus|therefore|hence|accordingly|consequently|overall|finally|in conclusion|in summary|to conclude"
_LEAD = rf"(?:(?:{_OPENERS}|(?:based on|given|considering)\b[^,\n]{{0,200}},)\s*,?\s*)?"
_CHOICE_NOUN = r"(?:(?:final|correct|best|right)\s+)*(?:answer|option|choice)"
_PICK = r"[\"'“‘(\[【「]*(?P<letter>[A-Za-z])(?P<tail>.*)"
_SENTENCES = (
    re.compile(
        rf"{_LEAD}(?:(?:the|my)\s+)?{_CHOICE_NOUN}\s*(?:is\b|:|=)\s*:?\s*(?:(?:option|choice)\s+)?{_PICK}",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:(?:因此|所以|故而?|综上(?:所述)?|由此(?:可[知见])?|最终|最后|(?:根据|基于|综合)[^，,\n]{0,80}[，,])[，,:\s]*)*"
        r"(?:我的?|本题|此题|这道?题)?(?:应该?|应当)?(?:的)?(?:正确|最终|最佳)?(?:的)?"
        rf"(?:答案(?:应该?|应当)?(?:是|为|选|:|=)|选项(?:是|为|:)|选择?)\s*:?\s*(?:选项)?\s*{_PICK}"
    ),
)
_IS_THE_ANSWER = re.compile(
    rf"{_LEAD}(?:(?:option|choice)\s+)?\(?(?P<letter>[A-Z])\)?\s+is\s+(?:the\s+)?(?:only\s+)?"
    r"(?:(?:correct|right|best)\s+)+(?:answer|option|choice)\s*(?:[.!]|$|because\b|since\b)"
    r"|(?:选项)?\(?(?P<letter_zh>[A-Z])\)?(?:选项|项)?是(?:唯一)?(?:正确|最佳)的?(?:答案|选项)\s*(?:[。.!！]|$|，?因为)",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"^[ \t]*((?:(?:final|correct|best)[ \t]+)?answer|(?:正确|最终)?答案)[ \t]*:?[ \t]*\n\s*",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCE_END = re.compile(r"(?<=[。！？；])|(?<=[.!?;])(?=\s)|\n+")
_GOES_ON = re.compile(r"\s+(?:because|since|as|given|based|due|with|for|which|where|from|confidence)\b", re.IGNORECASE)
_ENDS = re.compile(r"[\"'”’)\]】」]*\s*(?:$|[.:;,、。，；：!！\n()\]–—-]|选项|项(?!目)|因为)")


class _AnswerReader:
    """Reads one question's answer; see `read_answer`."""

    def __init__(self, letters: tuple[Letter, ...], options: dict[Letter, str]) -> None:
        self._declared = {letter.casefold(): letter for letter in letters}
        self._options = {letter: _option_key(text) for letter, text in options.items()}

    def read(self, text: str) -> AnswerReading | UnreadReply:
        said, repairs, failure = _said(text)
        if failure:
            return failure
        items, used = _objects_with(said, _ANSWER_KEYS)
        items = [pair for pair in items if not _is_echo(pair[0].values[pair[1]])]
        outside = _outside(said, used)
        from_json = [reading for item, key in items for reading in self._from_object(item, key)]
        from_words = self._from_words(outside, alone=not used)
        repairs += _form_repairs(said, used, spoken=bool(from_words))
        readings = from_json + from_words
        repairs += tuple(dict.fromkeys(reading.note for reading in readings if reading.note))
        failure = self._problem(readings, repairs, cut=any(found.cut for found in used) or _looks_cut(said))
        if failure:
            return failure
        confidence, notes = _confidence([item for item, _ in items], outside)
        return AnswerReading(
            answer=self._declared[readings[0].letter.casefold()],
            confidence=confidence,
            rationale=_rationale([item for item, _ in items], outside),
            repairs=repairs + notes,
        )

    def _problem(self, readings: list[_Reading], repairs: tuple[str, ...], *, cut: bool) -> UnreadReply | None:
        """Why these readings are not one declared letter, or None."""
        named = sorted({reading.letter.upper() for reading in readings if reading.letter})
        if any(reading.several for reading in readings) or len(named) > 1:
            detail = f": {' and '.join(named)}" if len(named) > 1 else ""
            return UnreadReply(
                reason="conflict", message=f"The reply gives more than one answer{detail}.", repairs=repairs
            )
        if not named or not all(reading.letter for reading in readings):
            reason: UnreadReason = "cut-off" if cut else "no-answer"
            said = "is cut off before its answer" if cut else "gives no answer that is one of the letters"
            return UnreadReply(reason=reason, message=f"The reply {said} {self._listed()}.", repairs=repairs)
        if named[0].casefold() not in self._declared:
            message = f"{named[0]} is not one of the letters {self._listed()}."
            return UnreadReply(reason="undeclared-letter", message=message, repairs=repairs)
        return None

    def _listed(self) -> str:
        return ", ".join(self._declared.values())

    def _from_object(self, item: _Item, key: str) -> list[_Reading]:
        """The object's answer, and every other answer field that names a different letter."""
        main = self._value(item.values[key])
        if "answer" not in item.source.value:
            main = self._noted(main, f"answer read from the field {item.names[key]}")
        if item.source.repaired:
            raw = _raw_field(item.source, key)
            if raw is None or self._value(raw).letter.upper() != main.letter.upper():
                return [_SEVERAL if raw and self._value(raw).several else _NOTHING]
        rest = [self._value(item.values[other]) for other in _ANSWER_KEYS if other in item.values and other != key]
        doubled = [self._value(value) for name, value in item.source.pairs if _key(name) == key]
        return [main, *(reading for reading in (*rest, *doubled) if reading.letter or reading.several)]

    def _value(self, value: Any) -> _Reading:
        """What an answer field (or a reply that is nothing but an answer) says."""
        if isinstance(value, dict):
            inner = [item for name, item in value.items() if _key(name) in (*_ANSWER_KEYS, "label", "key", "value")]
            return self._noted(self._value(inner[0]), "answer nested in an object") if len(inner) == 1 else _NOTHING
        if isinstance(value, list):
            return self._noted(self._value(value[0]), "answer in a list") if len(value) == 1 else _listing(value)
        if not isinstance(value, str):
            return _NOTHING
        return self._string(value)

    def _string(self, value: str) -> _Reading:
        bare = _unwrapped(value)
        if re.fullmatch(r"[A-Za-z]", bare) or bare.casefold() in self._declared:
            return _Reading(letter=bare.upper() if bare.isascii() else bare, note=_note(value, bare))
        by_text = self._by_text(value)
        if by_text:
            return _Reading(letter=by_text, note="option text repeated instead of its letter")
        if re.match(rf"\(?[A-Z][\"'”’)]*\s*{_AND}\s*[\"'“‘(]*[A-Z](?![A-Za-z0-9_'])", bare):
            return _SEVERAL
        match = re.fullmatch(r"(?:\(([A-Za-z])\)|([A-Z])\s*[.):、–—-])\s*(\S.*)", bare, re.DOTALL)
        return self._lettered(match.group(1) or match.group(2), match.group(3)) if match else _NOTHING

    def _lettered(self, letter: str, text: str) -> _Reading:
        """``B. The text``: the letter, unless the text is another option's or names another letter."""
        by_text = self._by_text(text)
        if by_text and by_text.casefold() == letter.casefold():
            return _Reading(letter=letter.upper(), note="letter followed by its option's text")
        if by_text or self._names_another(letter, text):
            return _SEVERAL
        return _Reading(letter=letter.upper(), note="letter followed by text")

    def _by_text(self, text: str) -> Letter | None:
        key = _option_key(text)
        matches = [letter for letter, option in self._options.items() if option and option == key]
        return matches[0] if len(matches) == 1 else None

    def _names_another(self, letter: str, text: str) -> bool:
        for match in re.finditer(r"(?<![A-Za-z0-9_'])([A-Z])(?![A-Za-z0-9_'])", text):
            other = match.group(1)
            article = other in "AI" and re.match(r"\s+[a-z0-9]", text[match.end() :])
            if other != letter.upper() and other.casefold() in self._declared and not article:
                return True
        return False

    @staticmethod
    def _noted(reading: _Reading, note: str) -> _Reading:
        return reading.model_copy(update={"note": note})

    def _from_words(self, outside: str, *, alone: bool) -> list[_Reading]:
        """Every explicit final answer in the words around JSON. `alone`: there was no JSON answer."""
        if alone and len(outside.strip()) > 1 and (match := self._by_text(outside)):
            return [_Reading(letter=match, note="option text repeated instead of its letter")]
        tagged = [self._value(match.group(0)) for match in _TAGGED.finditer(outside)]
        words = _HEADING.sub(r"\1: ", _TAGGED.sub("\n", outside))
        readings = [reading for reading in tagged if reading.letter or reading.several]
        for sentence in _SENTENCE_END.split(words):
            readings += self._from_sentence(sentence.strip())
        return readings + (self._from_lines(words) if alone else [])

    def _from_sentence(self, sentence: str) -> list[_Reading]:
        """``The answer is B``, ``故选B``: a statement of the answer that opens its sentence and hedges nothing."""
        if not sentence or sentence.endswith(("?", "？")):
            return []
        sentence = re.sub(r"^[-•\s]+", "", sentence)
        declared = _IS_THE_ANSWER.match(sentence)
        if declared:
            return [_Reading(letter=(declared.group("letter") or declared.group("letter_zh")).upper())]
        for pattern in _SENTENCES:
            match = pattern.match(sentence)
            if match and match.group("letter").isupper():
                return self._picked(match.group("letter"), match.group("tail"))
        return []

    def _picked(self, letter: str, tail: str) -> list[_Reading]:
        if re.match(rf"[\"'”’)\]]*\s*{_AND}\s*(?:选|option\s+|choice\s+)?[(\[]?[A-Z](?![A-Za-z0-9_'])", tail):
            return [_SEVERAL]
        if not (_ENDS.match(tail) or _GOES_ON.match(tail)) or re.match(r"-\w", tail):
            return []
        rest = re.sub(r"^[\"'”’)\]]*\s*[.:;)\]–—-]*\s*", "", tail)
        by_text = self._by_text(rest)
        return [_SEVERAL] if by_text and by_text.upper() != letter.upper() else [_Reading(letter=letter)]

    def _from_lines(self, words: str) -> list[_Reading]:
        """A first or last line that is nothing but an answer; a single line may also be ``B. its text``."""
        lines = [line.strip() for line in words.splitlines() if line.strip()]
        if len(lines) == 1:
            reading = self._string(lines[0])
            return [reading] if reading.letter or reading.several else []
        edges = [line for line in lines[:1] + lines[-1:] if re.fullmatch(r"\W*[A-Z]\W*", _unwrapped(line))]
        lettered = {match.group(1) for line in lines if (match := re.match(r"\(?([A-Z])[.):、]\s*\S", line))}
        if not edges and len(lettered) == 1:
            edges = [line for line in lines[:1] + lines[-1:] if re.match(r"\(?[A-Z][.):、]\s*\S", line)]
        return [reading for line in edges if (reading := self._string(line)).letter or reading.several]


def _unwrapped(value: str) -> str:
    """The value without quotes, emphasis, brackets, LaTeX, lead-in words and closing punctuation."""
    bare = unicodedata.normalize("NFKC", value).strip()
    for _ in range(12):
        before = bare
        bare = bare.strip(" \t\r\n*_`\"'“”‘’$")
        bare = bare[:-1].rstrip() if re.fullmatch(r"\(?[A-Za-z]\)?[.,;:。、!]|[A-Za-z]\)", bare) else bare
        bare = re.sub(r"^(\(?[A-Za-z]\)?)\s*(?:选项|项)$", r"\1", bare)
        bare = _VALUE_PREFIX.sub("", bare, count=1) if _VALUE_PREFIX.match(bare) else bare
        for pattern in _WRAPPED:
            match = pattern.fullmatch(bare)
            if match and _balanced(match.group(1)):
                bare = match.group(1).strip()
        if bare == before:
            break
    return bare


def _balanced(text: str) -> bool:
    """False where a bracket closes before it opens: ``A) or (B`` is not what one pair of brackets holds."""
    depth = 0
    for char in text:
        depth += (char in "([{<") - (char in ")]}>")
        if depth < 0:
            return False
    return True


def _note(value: str, bare: str) -> str:
    if value == bare and bare.isupper():
        return ""
    return f"answer {_brief(value)} read as {bare.upper()}"


def _option_key(text: str) -> str:
    return normalized(text).strip("\"'“”‘’*` ").rstrip(".。 ")


def _listing(value: list[Any]) -> _Reading:
    return _SEVERAL if value else _NOTHING


def _is_echo(value: Any) -> bool:
    """The prompt's own answer format or schema, copied: ``A|B|C|D``, ``one of A, B, C or D``, ``{"type": …}``."""
    if isinstance(value, dict):
        return "type" in value
    return isinstance(value, str) and bool(_ECHO.fullmatch(value))


def _looks_cut(said: str) -> bool:
    return said.count("{") > said.count("}")


def _confidence(items: list[_Item], outside: str) -> tuple[float | None, tuple[str, ...]]:
    """The reply's confidence, and the repairs; two that differ are none."""
    raw = [value for item in items for key in _CONFIDENCE_KEYS if key in item.values for value in _numbers(item, key)]
    raw = raw or [match.group(1).strip() for match in _SPOKEN_CONFIDENCE.finditer(outside)]
    read = [read_confidence(value) for value in raw]
    notes = tuple(dict.fromkeys(note for _, note in read if note))
    if len({value for value, _ in read}) > 1:
        return None, (*notes, "confidences differ; taken as missing")
    return (read[0][0] if read else None), notes


def _one_of_many(found: tuple[FoundObject, ...], name: str, letters: tuple[Letter, ...]) -> AnswerReading | UnreadReply:
    values = [item[name] for place in found for item in fields(place.value) if name in item]
    if not values:
        return UnreadReply(reason="no-answer", message=f"The reply holds no answer to {name}.")
    readings = [_read_value(value, letters) for value in values]
    if len({reading.answer if isinstance(reading, AnswerReading) else "" for reading in readings}) > 1:
        return UnreadReply(reason="conflict", message=f"The reply answers {name} more than once.")
    repaired = ("broken JSON repaired",) if any(place.repaired for place in found) else ()
    return readings[0].model_copy(update={"repairs": (*repaired, *readings[0].repairs)})


def _read_value(value: Any, letters: tuple[Letter, ...]) -> AnswerReading | UnreadReply:
    whole = value if isinstance(value, dict) else {"answer": value}
    return read_answer(json.dumps(whole, ensure_ascii=False, default=str), letters)
