"""A reply model's JSON schema, built once: in the strict form for providers, or in words for a prompt.

Strict form (what OpenAI's structured outputs and grammar-constrained servers take): every object closed, every
property required, mappings with fixed keys spelled out as properties, no keywords that they refuse.
"""

import json
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

_DROPPED = ("title", "default", "minLength", "maxLength", "propertyNames", "minProperties", "maxProperties")


class StrictSchema:
    """The strict schema of a reply model. `closed` is False where some mapping has free keys, so that it cannot be."""

    def __init__(self, reply_model: type[BaseModel]) -> None:
        original = reply_model.model_json_schema()
        self.name = reply_model.__name__
        self.closed = True
        self.has_optional_keys = False
        self.schema = self._node(original)
        self.response_format = {
            "type": "json_schema",
            "json_schema": {"name": self.name, "schema": self.schema, "strict": self.closed},
        }

    def _node(self, node: dict[str, Any]) -> dict[str, Any]:
        if "$ref" in node:
            return {"$ref": node["$ref"]}
        kept = {key: value for key, value in node.items() if key not in _DROPPED}
        if "$defs" in node:
            kept["$defs"] = {name: self._node(child) for name, child in node["$defs"].items()}
        for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            if key in node:
                kept[key] = [self._node(child) for child in node[key]]
        if isinstance(node.get("items"), dict):
            kept["items"] = self._node(node["items"])
        return self._object(node, kept) if node.get("type") == "object" else kept

    def _object(self, node: dict[str, Any], kept: dict[str, Any]) -> dict[str, Any]:
        free = node.get("additionalProperties")
        if isinstance(free, dict) and "enum" in node.get("propertyNames", {}):
            properties = self._fixed_keys(node, self._node(free))
        elif free is True or isinstance(free, dict):
            self.closed = False
            return kept
        else:
            properties = {name: self._node(child) for name, child in node.get("properties", {}).items()}
        return kept | {"properties": properties, "required": list(properties), "additionalProperties": False}

    def _fixed_keys(self, node: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
        keys = node["propertyNames"]["enum"]
        if node.get("minProperties") == len(keys):
            return dict.fromkeys(keys, value)
        self.has_optional_keys = True
        return {key: {"anyOf": [value, {"type": "null"}]} for key in keys}


@lru_cache(maxsize=256)
def strict_schema(reply_model: type[BaseModel]) -> StrictSchema:
    """The strict schema of a reply model."""
    return StrictSchema(reply_model)


@lru_cache(maxsize=256)
def schema_in_words(reply_model: type[BaseModel]) -> str:
    """What ends the prompt of a model without native JSON schema."""
    schema = {"title": reply_model.__name__, **strict_schema(reply_model).schema}
    return (
        "<reply-format>\nReply with one JSON object and nothing else: no code fence, no text before or after it. "
        "It has exactly the properties of this JSON schema, in this order:\n"
        f"{json.dumps(schema, ensure_ascii=False)}\n</reply-format>"
    )


def without_empty_keys(value: Any) -> Any:
    """Drops the nulls that the strict form makes a model write for keys that it leaves out of a mapping.

    Only objects whose keys are all single letters are touched: they are the mappings with fixed keys.
    """
    if isinstance(value, dict):
        letters = bool(value) and all(len(key) == 1 for key in value)
        return {key: without_empty_keys(item) for key, item in value.items() if not (letters and item is None)}
    if isinstance(value, list):
        return [without_empty_keys(item) for item in value]
    return value
