"""What every record shares: it is frozen, forbids unknown fields, and can be named by a hash of its content.

Example: ``content_id("q", {"stem": "Who?"})`` gives ``"q-6f0c…"``: the same content, the same id, on any machine.
"""

import hashlib
import json
from typing import Any

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen value that crosses folders; tuples instead of lists, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())


def canonical_json(value: Any) -> str:
    """One spelling for equal values: sorted keys, no spaces, non-ASCII kept as it is."""
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def digest(value: Any) -> str:
    """SHA-256 (64 hex digits) of a value's canonical JSON; bytes are hashed as they are."""
    data = value if isinstance(value, bytes) else canonical_json(value).encode()
    return hashlib.sha256(data).hexdigest()


def content_id(prefix: str, value: Any, length: int = 16) -> str:
    """A short id that is a function of the content alone, such as ``q-3b1f0a…``."""
    return f"{prefix}-{digest(value)[:length]}"


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value
