"""One table from third-party exceptions and finish reasons to outcomes, complete against both libraries."""

import datetime as dt
import inspect
from typing import Any, get_args

import httpx2
import openai
import pytest

from gateway import outcomes
from gateway.litellm_setup import library
from gateway.outcomes import EXCEPTIONS, FINISH_REASONS, Ruling, failure_of, is_refusal, retry_after, ruling_of, tidy
from records.verdicts import CallOutcome

_REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1")
_NO_ERRORS_OF_CALLS = {"InvalidWebhookSignatureError", "WebSocketConnectionClosedError", "WebSocketQueueFullError"}
"""openai's exceptions that no chat completion can raise."""


def exception_classes(module: Any) -> list[type[BaseException]]:
    return [
        found for name, found in inspect.getmembers(module, inspect.isclass)
        if issubclass(found, BaseException) and not name.startswith("_")
        and found.__module__.startswith(("litellm.exceptions", "openai"))
    ]  # fmt: skip


def test_every_exception_of_litellm_has_a_ruling() -> None:
    library()
    import litellm.exceptions

    classes = exception_classes(litellm.exceptions)
    assert len(classes) > 30
    assert {cls.__name__ for cls in classes} - set(EXCEPTIONS) == set()


def test_every_exception_of_openai_has_a_ruling() -> None:
    classes = exception_classes(openai)
    assert {cls.__name__ for cls in classes} - set(EXCEPTIONS) - _NO_ERRORS_OF_CALLS == set()


def test_the_errors_of_langchain_openai_fall_under_the_table() -> None:
    from langchain_openai.chat_models import base

    names = [name for name in vars(base) if name.startswith("OpenAI") and name.endswith("Error")]
    for name in names:
        assert any(cls.__name__ in EXCEPTIONS for cls in getattr(base, name).__mro__), name


def test_rulings_hang_together() -> None:
    for ruling in (*EXCEPTIONS.values(), *outcomes.STATUSES.values()):
        assert ruling.outcome in get_args(CallOutcome)
        assert not (ruling.heals and (ruling.stops or ruling.lasting))
        assert not ruling.stops or ruling.outcome == "misconfigured"
        assert not ruling.lasting or ruling.outcome == "rate-limited"


def test_every_finish_reason_of_litellm_is_known() -> None:
    library()
    from litellm.litellm_core_utils.core_helpers import _FINISH_REASON_MAP

    assert {reason.lower() for reason in _FINISH_REASON_MAP.values()} <= set(FINISH_REASONS)


def litellm_error(name: str, message: str = "boom", **settings: Any) -> BaseException:
    cls = getattr(library(), name)
    error: BaseException = cls(message=message, model="m", llm_provider="openai", **settings)
    return error


RULINGS = [
    ("RateLimitError", "slow down", "rate-limited", True),
    ("RateLimitError", "You exceeded your current quota, check billing", "rate-limited", False),
    ("AuthenticationError", "wrong key", "misconfigured", False),
    ("NotFoundError", "no such model", "misconfigured", False),
    ("BadRequestError", "temperature is not supported", "misconfigured", False),
    ("BadRequestError", "This model's maximum context length is 8192 tokens.", "context-too-long", False),
    ("BadRequestError", "prompt is too long: 210000 tokens > 200000 maximum", "context-too-long", False),
    ("BadRequestError", "At most 4 image(s) may be provided in one prompt.", "too-many-images", False),
    ("BadRequestError", "Too many images in request: maximum of 20 images allowed", "too-many-images", False),
    ("BadRequestError", "flagged by our content policy", "filtered", False),
    ("ContextWindowExceededError", "too long", "context-too-long", False),
    ("ContentPolicyViolationError", "no", "filtered", False),
    ("ServiceUnavailableError", "later", "unavailable", True),
    ("InternalServerError", "oops", "unavailable", True),
    ("Timeout", "too slow", "unavailable", True),
]


@pytest.mark.parametrize(("name", "message", "outcome", "heals"), RULINGS)
def test_rulings(name: str, message: str, outcome: str, heals: bool) -> None:
    failed = failure_of(litellm_error(name, message))
    assert (failed.outcome, failed.can_heal) == (outcome, heals)


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (401, "misconfigured"), (402, "rate-limited"), (403, "misconfigured"), (404, "misconfigured"),
        (413, "context-too-long"), (429, "rate-limited"), (500, "unavailable"), (529, "unavailable"),
    ],
)  # fmt: skip
def test_a_class_without_meaning_speaks_by_its_status(status: int, outcome: str) -> None:
    error = library().APIError(status_code=status, message="x", model="m", llm_provider="p")
    assert ruling_of(error).outcome == outcome


def test_openais_own_classes_and_unknown_ones() -> None:
    response = httpx2.Response(429, request=_REQUEST, headers={"Retry-After": "3"})
    failed = failure_of(openai.RateLimitError("slow", response=response, body=None))
    assert (failed.outcome, failed.status, failed.retry_after_s) == ("rate-limited", 429, 3.0)
    assert ruling_of(openai.APIConnectionError(request=_REQUEST)) == Ruling("unavailable", heals=True)
    assert ruling_of(KeyError("bug")) == Ruling("unavailable")
    assert ruling_of(ConnectionResetError()) == Ruling("unavailable", heals=True)


NOW = dt.datetime(2026, 11, 29, 12, 0, 0, tzinfo=dt.UTC)
WAITS: list[tuple[dict[str, str], float | None]] = [
    ({"retry-after": "7"}, 7.0),
    ({"retry-after": " 0.5 "}, 0.5),
    ({"retry-after": "0"}, 0.0),
    ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
    ({"retry-after": "Sun, 29 Nov 2026 12:01:30 GMT"}, 90.0),
    ({"retry-after": "Sun, 29 Nov 2026 11:00:00 GMT"}, 0.0),
    ({"retry-after": "Sunday, 29-Nov-26 12:00:20 GMT"}, 20.0),
    ({"retry-after": "soon"}, None),
    ({"retry-after": "-3"}, None),
    ({"retry-after": "nan"}, None),
    ({"retry-after": ""}, None),
    ({}, None),
]


@pytest.mark.parametrize(("headers", "seconds"), WAITS)
def test_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("I'm sorry, but I can't assist with that.", True),
        ("I’m unable to view this image.", True),
        ("Sorry, I cannot help.", True),
        ("As an AI model, I cannot judge real people.", True),
        ("很抱歉，我无法回答这个问题。", True),
        ("对不起，这个不行", True),
        ("The ferry cannot sail.", False),
        ("I counted twelve; I can confirm B.", False),
        ("Sorry scenes were shown at the pier.", False),
        ("抱着孩子的女人", False),
    ],
)
def test_refusals(text: str, refused: bool) -> None:
    assert is_refusal(text) is refused


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ('litellm.RateLimitError: RateLimitError: XException - {"error": {"message": "Slow.", "code": 1}}', "Slow."),
        ("litellm.BadGatewayError: BadGatewayError: X_Exception - <html><h1>502 Bad</h1></html>", "502 Bad"),
        ('{"error": "plain"}', "plain"),
        ('{"detail": [1]}', '{"detail": [1]}'),
        ("two\n  lines", "two lines"),
        ("x" * 900, "x" * 499 + "…"),
    ],
)  # fmt: skip
def test_messages_are_made_short(message: str, shown: str) -> None:
    assert tidy(message) == shown
