"""A sink in memory, small requests, and images, shared by the gateway's tests."""

import dataclasses
import hashlib
import io
from pathlib import Path
from typing import Any

from PIL import Image
from pydantic import BaseModel

from gateway.core import Gateway
from gateway.exchange import Timing
from records.calls import CallRecord, ImagePart, Part, QuestionPart, Request, TextPart, TranscriptPart
from records.config import ModelSpec
from records.replies import ChoiceReply

QUICK = Timing(backoff_s=0.01, longest_backoff_s=0.05, first_pause_s=0.02, lasting_s=0.15, patience_s=5.0, drain_s=5.0)
PATIENT = dataclasses.replace(QUICK, lasting_s=30.0)
"""Quick too, but no circuit opens within a test."""


class MemorySink:
    """Journals in a list; keeps the rule that (request_id, asked) is not doubled."""

    def __init__(self, *records: CallRecord) -> None:
        self.records: list[CallRecord] = list(records)
        self.hits: list[CallRecord] = []

    def finished(self, record: CallRecord) -> None:
        if all((kept.request_id, kept.asked) != (record.request_id, record.asked) for kept in self.records):
            self.records.append(record)

    def cache_hit(self, record: CallRecord) -> None:
        self.hits.append(record)
        self.finished(record)

    def failure_of(self, request_id: str) -> CallRecord | None:
        last = [record for record in self.records if record.request_id == request_id][-1:]
        return last[0] if last and last[0].outcome != "ok" else None

    def spent_usd(self) -> float:
        return sum(record.cost_usd for record in self.records)


def jpeg(seed: int = 0, size: tuple[int, int] = (64, 48)) -> bytes:
    """A small JPEG that depends on its seed."""
    data = io.BytesIO()
    Image.new("RGB", size, (seed % 256, 90, 140)).save(data, "JPEG", quality=65)
    return data.getvalue()


IMAGES = {hashlib.sha256(jpeg(seed)).hexdigest(): jpeg(seed) for seed in range(8)}
HASHES = tuple(IMAGES)


def spec(base_url: str = "", **settings: Any) -> ModelSpec:
    """A model at the fake server."""
    usual = {
        "name": "judge", "model": "hosted_vllm/fake", "api_base": base_url or None, "json_mode": "schema",
        "price": {"input": 0, "output": 0},
    }  # fmt: skip
    return ModelSpec(**(usual | settings))


def frame(number: int = 1, tag: str = "TAG_A") -> ImagePart:
    """A frame by reference."""
    return ImagePart(tag=tag, number=number, sha256=HASHES[number % len(HASHES)], width=64, height=48)


def question(stem: str = "Which count do TAG_A and TAG_B give?") -> QuestionPart:
    """A question with four options."""
    return QuestionPart(stem=stem, options={"A": "Twelve.", "B": "Twenty.", "C": "Nine.", "D": "None."})


def request(model: ModelSpec, *parts: Part, reply_model: type[BaseModel] = ChoiceReply, **settings: Any) -> Request:
    """A request; without parts, a difficulty question over one transcript with one frame."""
    shown = parts or (
        TranscriptPart(tag="TAG_A", text="The ferry carried twelve people. It left at nine."),
        frame(),
        TextPart(text="Answer the question."),
        question(),
    )
    settings = {"task": "difficulty", "system": "You judge.", "reader": "answers"} | settings
    if "severity" not in reply_model.model_fields and reply_model is not ChoiceReply:
        settings["reader"] = ""
    return Request(model=model, parts=shown, reply_model=reply_model, **settings)


def gateway(sink: MemorySink, folder: Path, **settings: Any) -> Gateway:
    """A gateway that does not wait long."""
    return Gateway(sink, folder, lambda sha256: IMAGES[sha256], **({"timing": QUICK} | settings))
