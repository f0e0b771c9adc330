"""A reply for any JSON schema, drawn by a seeded generator from what the prompt shows.

Strings are phrases of the prompt's own transcripts, answers are letters that are shown, tags are tags that are shown.
A drafted question is composed so that it can pass the rules: see `draft`.
"""

import random
import re
from typing import Any

from tests.fakeserver.request import ChatRequest

_WORDS = [
    "harbour", "council", "ferry", "warden", "bridge", "festival", "engineers", "museum", "storm", "market", "orchard",
    "survey", "quay",
]  # fmt: skip


_PHRASES = {"rationale": 7, "reasoning": 20, "caption": 2, "summary": 12}
"""Phrases of twelve words that a field usually takes."""
_POINTING = re.compile(r"\bother\b|\bformer\b|\blatter\b|前者|后者", re.IGNORECASE)


def reply_for(request: ChatRequest, seed: int, confidence: float | None) -> dict[str, Any]:
    """The reply to a request: the same request and seed, the same reply."""
    rng = random.Random(f"{seed}/{request.key}")
    if not request.schema:
        return {"text": _phrase(request, rng)}
    if request.schema_name == "DraftReply":
        return draft(request, rng)
    return dict(_value(request.schema, request.schema, request, rng, "", confidence))


def draft(request: ChatRequest, rng: random.Random) -> dict[str, Any]:
    """A question that crosses one fact of each of two sources, each fact beside a wrong neighbour of its own source."""
    facts = {tag: _facts(words) for tag, words in request.transcripts.items()}
    usable = sorted(tag for tag, found in facts.items() if len(found) >= 2)
    if len(usable) < 2:
        return {
            "reasoning": "Too little is said.",
            "declined": "fewer than two sources with two facts",
            "question": None,
        }
    first, second = sorted(rng.sample(usable, 2))
    (true_1, false_1), (true_2, false_2) = (rng.sample(facts[tag], 2) for tag in (first, second))
    crossed = [(true_1, true_2), (true_1, false_2), (false_1, true_2), (false_1, false_2)]
    order = rng.sample(range(4), 4)
    letters = dict(zip("ABCD", (crossed[index] for index in order), strict=True))
    key = "ABCD"[order.index(0)]
    frame = next((f"{tag} #{number}" for tag, number in request.frames if tag in (first, second)), "")
    marker = f" [FRAME: {frame}]" if frame else ""
    question = {
        "stem": f"How do {first} and {second} describe the event, each in its own account ({rng.randrange(10**6)})?",
        "joiner": "while",
        "options": {letter: _option(pair, (first, second), request) for letter, pair in letters.items()},
        "correct_answer": key,
        "evidence": f"Both accounts state it.{marker}",
        "support_map": {key: [first, second]},
        "evidence_frames": [frame] if frame else [],
    }
    thoughts = " ".join(_phrase(request, rng) for _ in range(_PHRASES["reasoning"]))
    return {"reasoning": f"{first} and {second} each state a fact. {thoughts}", "declined": "", "question": question}


def _option(pair: tuple[str, str], tags: tuple[str, str], request: ChatRequest) -> dict[str, Any]:
    modality = "both" if request.frames else "spoken"
    claims = [
        {"text": f"{tag} says: {fact}", "tags": [tag], "modality": modality}
        for tag, fact in zip(tags, pair, strict=True)
    ]
    return {"claims": claims, "fails_because": ""}


def _facts(words: str) -> list[str]:
    sentences = re.split(r"(?<=[.!?])\s+|(?<=[。！？])", re.sub(r"^\([\d.]+ s\) ", "", words, flags=re.MULTILINE))
    facts = (sentence.strip().rstrip(".!?。！？") for sentence in sentences)
    return sorted({fact[:120] for fact in facts if len(fact) >= 12 and not _POINTING.search(fact)})


def _value(
    node: dict[str, Any],
    root: dict[str, Any],
    request: ChatRequest,
    rng: random.Random,
    name: str,
    confidence: float | None,
) -> Any:
    def inner(child: dict[str, Any], child_name: str = name) -> Any:
        return _value(child, root, request, rng, child_name, confidence)

    if "$ref" in node:
        return inner(root["$defs"][node["$ref"].rsplit("/", 1)[1]])
    if "const" in node:
        return node["const"]
    if "enum" in node:
        return rng.choice(node["enum"])
    if "anyOf" in node:
        return inner(rng.choice([item for item in node["anyOf"] if item.get("type") != "null"] or node["anyOf"]))
    kind = node.get("type")
    if kind == "object":
        return {key: inner(child, key) for key, child in node.get("properties", {}).items()}
    if kind == "array":
        count = rng.randint(node.get("minItems", 1), node.get("maxItems", max(2, node.get("minItems", 1))))
        length = _array_length(name, count, request)
        return _numbered(name, [inner(node.get("items", {"type": "string"})) for _ in range(length)])
    if kind in ("number", "integer"):
        return _number(node, name, rng, confidence, integer=kind == "integer")
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "null":
        return None
    return _string(node, name, request, rng)


def _array_length(name: str, count: int, request: ChatRequest) -> int:
    return max(1, request.image_count) if name == "frames" else count


def _numbered(name: str, values: list[Any]) -> list[Any]:
    """Entries about frames are numbered as the frames are."""
    if name != "frames" or not all(isinstance(value, dict) and "frame" in value for value in values):
        return values
    return [{**value, "frame": number} for number, value in enumerate(values, start=1)]


def _number(node: dict[str, Any], name: str, rng: random.Random, confidence: float | None, *, integer: bool) -> float:
    low, high = node.get("minimum", 0), node.get("maximum", 1 if not integer else 10)
    if integer:
        return rng.randint(int(low), max(int(low), int(high)))
    if name in ("confidence", "severity") and confidence is not None:
        return confidence
    return round(rng.uniform(low, high), 2)


def _string(node: dict[str, Any], name: str, request: ChatRequest, rng: random.Random) -> str:
    if name in ("answer", "correct_answer") and request.options:
        return rng.choice(sorted(request.options))
    if name == "tags" and request.transcripts:
        return rng.choice(sorted(request.transcripts))
    if name == "declined":
        return ""
    text = " ".join(_phrase(request, rng) for _ in range(_PHRASES.get(name, 1)))
    return text.ljust(node.get("minLength", 0), ".")[: node.get("maxLength", 2000)]


def _phrase(request: ChatRequest, rng: random.Random) -> str:
    words = request.spoken if len(request.spoken) >= 12 else _WORDS
    start = rng.randrange(max(1, len(words) - 12))
    return " ".join(words[start : start + 12])
