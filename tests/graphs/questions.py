"""Small benchmarks for the tests of evaluation: questions on the harbour story, on clips, and candidates files."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.fakeserver import ChatRequest

OPTIONS = ("41 passengers", "47 passengers", "52 passengers", "14 passengers")


def write_items(path: Path, count: int = 4, group: str = "ferry", **facts: Any) -> Path:
    """Questions whose key moves through the letters; the right text is always the first of `OPTIONS`."""
    rows = []
    for number in range(count):
        key = "ABCD"[number % 4]
        rest = iter(OPTIONS[1:])
        options = {letter: OPTIONS[0] if letter == key else next(rest) for letter in "ABCD"}
        rows.append(
            {
                "item_id": f"i{number}", "group_id": group, "type_id": f"T{1 + number % 2}", "options": options,
                "question": f"How many people does TAG_A count, in its account number {number}?",
                "correct_answer": key, "sources": {"TAG_A": "north", "TAG_B": "south"}, **facts,
            }
        )  # fmt: skip
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def write_candidates(path: Path, address: str, models: Mapping[str, Mapping[str, Any]], **general: Any) -> Path:
    """A candidates file of models on the fake server."""
    base = {"api_base": address, "price": {"input": 1, "output": 1}, "retries": 0}
    entries = {name: {"model": f"hosted_vllm/{name}", **base, **settings} for name, settings in models.items()}
    path.write_text(json.dumps({"models": entries, **general}), encoding="utf-8")
    return path


def right(request: ChatRequest) -> dict[str, Any] | None:
    """The right answer, with a reason."""
    if not request.options:
        return None
    return {"rationale": "It says so.", "answer": request.letter_of(OPTIONS[0]), "confidence": 0.9}


def always_a(request: ChatRequest) -> dict[str, Any]:
    """The letter A, whatever is asked."""
    return {"rationale": "First.", "answer": "A", "confidence": 0.5}
