"""Reply models as strict JSON schemas: what a provider accepts, and what validates comes back as a value."""

import inspect
import json
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from pydantic import BaseModel

from gateway.preflight import ProbeReply
from gateway.schema import schema_in_words, strict_schema, without_empty_keys
from records import replies
from tests.fakeserver import ChatRequest
from tests.fakeserver.answers import reply_for

REPLY_MODELS = [
    *(model for _, model in inspect.getmembers(replies, inspect.isclass) if issubclass(model, replies.ReplyModel)),
    ProbeReply,
]


def nodes(node: Any) -> list[dict[str, Any]]:
    """Every schema node, not the mappings of property names."""
    found = [node] if isinstance(node, dict) else []
    if isinstance(node, dict):
        for key, child in node.items():
            children = (
                child.values() if key in ("properties", "$defs") else child if isinstance(child, list) else [child]
            )
            found += [inner for item in children if isinstance(item, dict) for inner in nodes(item)]
    return found


@pytest.mark.parametrize("model", REPLY_MODELS, ids=lambda model: model.__name__)
def test_every_reply_model_has_a_closed_schema(model: type[BaseModel]) -> None:
    strict = strict_schema(model)
    jsonschema.Draft202012Validator.check_schema(strict.schema)
    assert strict.closed
    for node in nodes(strict.schema):
        if node.get("type") == "object":
            assert node["additionalProperties"] is False
            assert node["required"] == list(node["properties"])
        assert "$ref" not in node or set(node) == {"$ref"}
        assert not {"default", "propertyNames", "minLength", "maxLength"} & set(node)


@pytest.mark.parametrize("model", REPLY_MODELS, ids=lambda model: model.__name__)
def test_what_fits_the_schema_can_be_read(model: type[BaseModel]) -> None:
    strict = strict_schema(model)
    asked = ChatRequest("fake", (), model.__name__ + "*", strict.schema)
    reply = reply_for(asked, 3, None)
    jsonschema.validate(reply, strict.schema)
    if model is not replies.QuestionReply and model is not replies.DraftReply:
        assert isinstance(model.model_validate(without_empty_keys(reply)), model)


def test_reason_stays_before_verdict() -> None:
    assert list(strict_schema(replies.ChoiceReply).schema["properties"]) == ["rationale", "answer", "confidence"]


def test_mappings_with_fixed_keys_become_properties() -> None:
    strict = strict_schema(replies.QuestionReply)
    options = strict.schema["properties"]["options"]
    assert options["properties"]["A"] == {"$ref": "#/$defs/OptionReply"}
    support = strict.schema["properties"]["support_map"]
    assert support["properties"]["B"]["anyOf"][1] == {"type": "null"}
    assert strict.has_optional_keys


def test_nulls_of_unused_keys_are_dropped_and_others_kept() -> None:
    value = {"support_map": {"A": ["TAG_A"], "B": None}, "question": None, "list": [{"C": None, "D": 1}]}
    assert without_empty_keys(value) == {"support_map": {"A": ["TAG_A"]}, "question": None, "list": [{"D": 1}]}


def test_free_mappings_are_not_called_strict() -> None:
    class Free(BaseModel):
        counts: dict[str, int]

    strict = strict_schema(Free)
    assert not strict.closed
    assert "'strict': False" in str(strict.response_format)


def test_the_schema_in_words_can_be_found_again() -> None:
    words = schema_in_words(replies.SeverityReply)
    found, _ = json.JSONDecoder().raw_decode(words[words.index("{") :])
    assert found["title"] == "SeverityReply"
    assert found["properties"]["severity"] == {"maximum": 1.0, "minimum": 0.0, "type": "number"}
