"""Everything that shapes a reply is in the request's id, and nothing else is."""

from typing import Any

import pytest
from pydantic import create_model

from gateway.call import Call
from records.calls import Request
from records.replies import SeverityReply
from tests.gateway.support import frame, question, request, spec

BASE = request(spec("http://127.0.0.1:1/v1"))


def name_of(asked: Request, *, native: bool = True) -> str:
    return Call.prepared(asked, native_schema=native).id


def with_model(**settings: Any) -> Request:
    return BASE.model_copy(update={"model": spec("http://127.0.0.1:1/v1", **settings)})


SHAPES = {
    "model": with_model(model="hosted_vllm/other"),
    "temperature": BASE.model_copy(update={"temperature": 0.7}),
    "no temperature": with_model(temperature=None),
    "top_p": with_model(top_p=0.9),
    "reply length": with_model(max_output_tokens=100),
    "dropped parameter": with_model(drop_params=("top_p",)),
    "extra parameter": with_model(extra_params={"reasoning_effort": "high"}),
    "system": BASE.model_copy(update={"system": "You doubt."}),
    "words": BASE.model_copy(update={"parts": (*BASE.parts[:-1], question("Who?"))}),
    "option order": BASE.model_copy(
        update={
            "parts": (*BASE.parts[:-1], question().model_copy(update={"options": {"B": "Twenty.", "A": "Twelve."}}))
        }
    ),
    "image": BASE.model_copy(update={"parts": (BASE.parts[0], frame(2), *BASE.parts[2:])}),
    "schema": BASE.model_copy(update={"reply_model": SeverityReply}),
    "schema of the same name": BASE.model_copy(update={"reply_model": create_model("ChoiceReply", answer=(int, ...))}),
    "sample": BASE.model_copy(update={"sample": 1}),
}
NO_SHAPES = {
    "seat": BASE.model_copy(update={"seat": "gpt"}),
    "group": BASE.model_copy(update={"group_id": "g"}),
    "item": BASE.model_copy(update={"item_id": "i", "unit": "TAG_A"}),
    "task": BASE.model_copy(update={"task": "blind"}),
    "name in the panel": with_model(name="another"),
    "address": with_model(api_base="http://127.0.0.1:2/v1"),
    "price": with_model(price={"input": 1, "output": 2}),
    "limits": with_model(concurrency=1, requests_per_minute=3, timeout_s=5, retries=0),
    "caption": BASE.model_copy(
        update={"parts": (BASE.parts[0], frame().model_copy(update={"caption": "x", "time_s": 2.0}), *BASE.parts[2:])}
    ),
    "reader": BASE.model_copy(update={"reader": ""}),
}


@pytest.mark.parametrize("what", SHAPES)
def test_what_shapes_the_reply_names_another_request(what: str) -> None:
    assert name_of(SHAPES[what]) != name_of(BASE)


@pytest.mark.parametrize("what", NO_SHAPES)
def test_what_does_not_shape_the_reply_leaves_the_name(what: str) -> None:
    assert name_of(NO_SHAPES[what]) == name_of(BASE)


def test_the_schema_in_the_prompt_is_another_request() -> None:
    assert name_of(BASE, native=False) != name_of(BASE)
