"""The evidence line: short, at most two sentences, with frame markers that exist.

``TAG_A's card reads 22 [FRAME: TAG_A #3]; TAG_B says 24.`` is one sentence with one marker. Not covered: whether the
evidence is true.
"""

import re

from records.questions import Question, Violation
from rules.base import Found, Rule, RuleContext, violation

MARKER = re.compile(r"\[FRAME: (TAG_[A-Z]) #([1-9][0-9]*)\]")
_ANY_MARKER = re.compile(r"[\[【（(][^\[\]【】()（）]{0,40}FRAME[^\[\]【】()（）]{0,40}[\]】)）]", re.IGNORECASE)
_FRAME = re.compile(r"(TAG_[A-Z]) #([1-9][0-9]*)")
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|「[^」]*」|『[^』]*』|(?<![A-Za-z])'[^']+'(?![A-Za-z])|‘[^’]*’(?![A-Za-z])")
_ABBREVIATION = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|Gen|Gov|Sen|Rep|Lt|Col|Sgt|Capt|vs|no|nos|approx|ca|fig|e\.g|i\.e|a\.m|p\.m|"
    r"[A-Z]|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\.(?=\s)",
    re.IGNORECASE,
)
_END = re.compile(r"[.!?]+(?=\s+[^a-z\s])|[。！？]+(?=\s*\S)")


def sentence_count(text: str) -> int:
    """How many sentences a line of evidence has; quotations, decimals and abbreviations do not end one."""
    plain = _QUOTED.sub("Q", MARKER.sub("", text)).strip()
    plain = _ABBREVIATION.sub(lambda match: match[0][:-1], plain)
    plain = re.sub(r"\s+([.!?。！？])", r"\1", plain)
    return len(_END.findall(plain)) + 1 if plain else 0


def markers(text: str) -> tuple[str, ...]:
    """The frames that a text cites in the exact form, as ``TAG_A #3``, each once, in order."""
    return tuple(dict.fromkeys(f"{tag} #{number}" for tag, number in MARKER.findall(text)))


def _length(question: Question, context: RuleContext) -> Found:
    length, limit = len(question.evidence), context.evidence_characters
    if 0 < length <= limit:
        return ()
    message = f"The evidence has {length} characters; write 1 to {limit}: keep the decisive cues only."
    return (violation("evidence-length", "evidence", message),)


def _sentences(question: Question, context: RuleContext) -> Found:
    count, limit = sentence_count(question.evidence), context.evidence_sentences
    if count <= limit:
        return ()
    return (violation("evidence-sentences", "evidence", f"The evidence has {count} sentences; at most {limit}."),)


def _marker(question: Question, context: RuleContext) -> Found:
    cited, malformed = markers(question.evidence), _malformed(question.evidence)
    found = [_wrong_form(match) for match in malformed]
    if not context.frames:
        return tuple(found) or None
    if context.has_frames and not cited and not malformed:
        message = "The evidence cites no frame; add at least one marker in the exact form [FRAME: TAG_A #1]."
        found.append(violation("frame-marker", "evidence", message))
    found += [_no_such_frame("frame-marker", "evidence", frame, context) for frame in _absent(cited, context)]
    return tuple(found)


def _malformed(text: str) -> tuple[str, ...]:
    """What is meant as a frame marker and is not in its exact form."""
    return tuple(match for match in _ANY_MARKER.findall(text) if not MARKER.fullmatch(match))


def _wrong_form(marker: str) -> Violation:
    return violation("frame-marker", "evidence", f"'{marker}' is not in the exact form [FRAME: TAG_A #1].")


def _evidence_frames(question: Question, context: RuleContext) -> Found:
    wrong = [frame for frame in question.evidence_frames if not _FRAME.fullmatch(frame)]
    if wrong:
        message = f"Write the entries of evidence_frames like 'TAG_A #1', not {', '.join(map(repr, wrong))}."
        return (violation("evidence-frames", "evidence_frames", message),)
    absent = _absent(question.evidence_frames, context) if context.frames else ()
    found = [_no_such_frame("evidence-frames", "evidence_frames", frame, context) for frame in absent]
    if not _malformed(question.evidence):
        found += _unlisted(question)
    return tuple(found)


def _unlisted(question: Question) -> list[Violation]:
    cited, listed = set(markers(question.evidence)), set(question.evidence_frames)
    if cited == listed:
        return []
    message = f"evidence_frames must list the frames that the evidence cites: {', '.join(sorted(cited)) or 'none'}."
    return [violation("evidence-frames", "evidence_frames", message)]


def _absent(frames: tuple[str, ...], context: RuleContext) -> tuple[str, ...]:
    """Those of the frames (``TAG_A #3``) that nobody was shown."""
    existing = {f"{tag} #{number}" for tag, numbers in context.frames.items() for number in numbers}
    return tuple(frame for frame in frames if frame not in existing)


def _no_such_frame(rule_id: str, where: str, frame: str, context: RuleContext) -> Violation:
    numbers = ", ".join(f"#{number}" for number in context.frames.get(frame.split()[0], ())) or "no frames"
    return violation(rule_id, where, f"There is no frame {frame}; {frame.split()[0]} has {numbers}.")


EVIDENCE_LENGTH = Rule(
    "evidence-length",
    {
        "en": "The evidence has at most {evidence_characters} characters, frame markers included: only the cues that "
        "decide, in telegram style if need be.",
        "zh": "证据连同帧标记不超过 {evidence_characters} 个字符：只写决定性的线索，可用电报式短语。",
    },
    _length,
)

EVIDENCE_SENTENCES = Rule(
    "evidence-sentences",
    {
        "en": "The evidence has at most {evidence_sentences} sentences.",
        "zh": "证据不超过 {evidence_sentences} 句。",
    },
    _sentences,
)

FRAME_MARKER = Rule(
    "frame-marker",
    {
        "en": "The evidence cites at least one frame in exactly this form: "
        "[FRAME: TAG_A #1], that is, the word FRAME, a colon, a space, the tag, a space, # and the frame's number. "
        "Cite only frames that you were shown.",
        "zh": "证据至少引用一帧画面，格式必须完全如下：[FRAME: TAG_A #1]，即 FRAME、半角冒号、空格、标签、"
        "空格、# 和帧号。只引用你看到的帧。",
    },
    _marker,
    applies=lambda context: context.has_frames,
)

EVIDENCE_FRAMES = Rule(
    "evidence-frames",
    {
        "en": "evidence_frames lists the frames that the evidence cites, each as 'TAG_A #1', and no others.",
        "zh": "evidence_frames 恰好列出证据中引用的帧，写作“TAG_A #1”。",
    },
    _evidence_frames,
    applies=lambda context: context.has_frames,
)
