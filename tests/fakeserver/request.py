"""A chat request as a script wants to see it: model, text, images, schema, and what the prompt shows."""

import base64
import binascii
import hashlib
import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

_OPTION = re.compile(r'<option letter="([A-Z])">(.*?)</option>', re.DOTALL)
_STEM = re.compile(r"<stem>(.*?)</stem>", re.DOTALL)
_TRANSCRIPT = re.compile(r'<transcript tag="(TAG_[A-Z])"[^>]*>\n(.*?)\n</transcript>', re.DOTALL)
_FRAME = re.compile(r"^\[FRAME: (TAG_[A-Z]) #(\d+)\]$", re.MULTILINE)
_GOLD = re.compile(r"<designated-key>([A-Z])</designated-key>")
_ALTERNATIVE = re.compile(r"<alternative>([A-Z])</alternative>")


@dataclass(frozen=True)
class ChatRequest:
    """One POST to ``/v1/chat/completions``."""

    model: str
    messages: tuple[dict[str, Any], ...]
    schema_name: str = ""
    schema: dict[str, Any] | None = None
    params: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def parse(cls, body: dict[str, Any]) -> "ChatRequest":
        """The request of a JSON body."""
        wrapped = (body.get("response_format") or {}).get("json_schema") or {}
        params = {key: value for key, value in body.items() if key not in ("model", "messages", "response_format")}
        request = cls(
            model=str(body.get("model", "")),
            messages=tuple(body.get("messages", ())),
            schema_name=wrapped.get("name", ""),
            schema=wrapped.get("schema"),
            params=params,
        )
        return request if request.schema else request._with_schema_of_prompt()

    def _with_schema_of_prompt(self) -> "ChatRequest":
        """Finds the schema that a prompt states in words (JSON in the prompt)."""
        start = self.text.rfind('{"')
        while start >= 0:
            try:
                found, _ = json.JSONDecoder().raw_decode(self.text[start:])
            except ValueError:
                found = None
            if isinstance(found, dict) and found.get("type") == "object" and "properties" in found:
                name = str(found.get("title", "reply"))
                return ChatRequest(self.model, self.messages, name, found, self.params)
            start = self.text.rfind('{"', 0, start)
        return self

    @cached_property
    def key(self) -> str:
        """Names this request: the same model, messages and schema, the same key."""
        data = json.dumps([self.model, self.messages, self.schema], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(data.encode()).hexdigest()[:16]

    @cached_property
    def blocks(self) -> tuple[tuple[str, str], ...]:
        """The prompt in order, as (kind, content): text, or image or video with its data URL."""
        found: list[tuple[str, str]] = []
        for message in self.messages:
            content = message.get("content") or ""
            if isinstance(content, str):
                found.append(("text", f"{message['role']}: {content}"))
                continue
            for block in content:
                if block["type"] == "text":
                    found.append(("text", block["text"]))
                elif block["type"] == "video_url":
                    found.append(("video", block["video_url"]["url"]))
                else:
                    found.append(("image", block["image_url"]["url"]))
        return tuple(found)

    @cached_property
    def text(self) -> str:
        """All words of the prompt."""
        return "\n".join(content for kind, content in self.blocks if kind == "text")

    @cached_property
    def images(self) -> tuple[bytes, ...]:
        """Decoded image bytes, in order. Raises ValueError for an image that is no base64 data URL."""
        found = []
        for kind, url in self.blocks:
            if kind == "image":
                head, _, data = url.partition(",")
                if not head.startswith("data:image/") or not head.endswith(";base64"):
                    raise ValueError(f"not a data URL: {url[:40]}")
                try:
                    found.append(base64.b64decode(data, validate=True))
                except binascii.Error as error:
                    raise ValueError("image is not base64") from error
        return tuple(found)

    @property
    def image_count(self) -> int:
        """How many images the prompt carries."""
        return sum(kind == "image" for kind, _ in self.blocks)

    @cached_property
    def options(self) -> dict[str, str]:
        """Letter → option, in the order shown."""
        return dict(_OPTION.findall(self.text))

    @cached_property
    def stem(self) -> str:
        """The question's stem, or nothing."""
        found = _STEM.search(self.text)
        return found[1] if found else ""

    @cached_property
    def transcripts(self) -> dict[str, str]:
        """Tag → words."""
        return dict(_TRANSCRIPT.findall(self.text))

    @cached_property
    def spoken(self) -> list[str]:
        """All words of the transcripts."""
        return " ".join(self.transcripts.values()).split()

    @cached_property
    def frames(self) -> tuple[tuple[str, int], ...]:
        """Labels of the frames shown."""
        return tuple((tag, int(number)) for tag, number in _FRAME.findall(self.text))

    @cached_property
    def gold(self) -> str | None:
        """The designated key shown for the ambiguity check."""
        found = _GOLD.search(self.text)
        return found[1] if found else None

    @cached_property
    def alternative(self) -> str | None:
        """The alternative shown for the ambiguity check."""
        found = _ALTERNATIVE.search(self.text)
        return found[1] if found else None

    def letter_of(self, option: str) -> str:
        """The letter under which an option is shown. Raises KeyError if it is not."""
        for letter, text in self.options.items():
            if text.strip() == option.strip():
                return letter
        raise KeyError(option)
