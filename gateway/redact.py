"""Keeps keys out of everything that is written: by value (what the environment holds) and by look.

``Redactor().clean("Bearer sk-abc…")`` gives ``"[redacted]"``. Names of environment variables are no secrets.
"""

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

MASK = "[redacted]"
_SECRET_NAME = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)(?:_|$|S$)", re.IGNORECASE)
_SECRET_PARAM = re.compile(r"api_?key|authorization|secret|password|access_?token|^token$|headers|credential", re.I)
_LOOKS = re.compile(
    r"\bBearer\s+[\w.~+/=-]{6,}|\bsk-[\w-]{12,}|\bAIza[\w-]{30,}|\bgsk_\w{20,}|\bxai-\w{20,}|\bhf_\w{20,}"
    r"|\bAKIA[0-9A-Z]{16}\b|\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}"
    r"|(?<=[?&]key=)[\w-]{8,}|(?<=[?&]api_key=)[\w-]{8,}|(?<=[?&]api-key=)[\w-]{8,}|(?<=://)[^/@\s:]+:[^/@\s]+(?=@)"
)
_MARKS = ("Bearer", "sk-", "AIza", "gsk_", "xai-", "hf_", "AKIA", "eyJ", "key=", "@")
"""One of these stands in every text that `_LOOKS` would change: far cheaper to look for."""


class Redactor:
    """Replaces secrets by ``[redacted]``."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        from_environment = (value for name, value in os.environ.items() if _SECRET_NAME.search(name))
        self._values: tuple[str, ...] = ()
        self.add(*from_environment, *secrets)

    def add(self, *secrets: str) -> None:
        """Further secrets to hide. Values under eight characters are no keys and would hit ordinary words."""
        known = {*self._values, *(secret for secret in secrets if len(secret) >= 8)}
        self._values = tuple(sorted(known, key=len, reverse=True))

    def clean(self, text: str) -> str:
        """Text from a provider or an exception, without anything that is or looks like a key."""
        text = self.by_value(text)
        return _LOOKS.sub(MASK, text) if any(mark in text for mark in _MARKS) else text

    def by_value(self, text: str) -> str:
        """Long text of ours, without the keys that are known."""
        for value in self._values:
            if value in text:
                text = text.replace(value, MASK)
        return text

    def messages(self, messages: tuple[dict[str, Any], ...]) -> tuple[dict[str, Any], ...]:
        """Rendered messages, the same object where nothing was found."""
        texts = (text for message in messages for text in _texts(message["content"]))
        if not any(value in text for text in texts for value in self._values):
            return messages
        return tuple(self.deep(message) for message in messages)

    def deep(self, value: Any) -> Any:
        """Any JSON value, cleaned by value; parameters whose name says that they are secret lose their value."""
        if isinstance(value, str):
            return self.clean(value)
        if isinstance(value, Mapping):
            return {key: MASK if _SECRET_PARAM.search(str(key)) else self.deep(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.deep(item) for item in value]
        return value


def _texts(content: Any) -> Iterable[str]:
    return (content,) if isinstance(content, str) else (block.get("text", "") for block in content)
