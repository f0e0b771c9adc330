"""One table from what providers throw and say to the outcomes that the rest of the project knows.

``verdict_of(error)`` reads, in this order: telling phrases in a message that is too general, the HTTP status where the
class says nothing, and the class itself (by name along its bases, so that nothing heavy is imported here).
"""

import datetime as dt
import email.utils
import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from gateway.transports import ExchangeFailed
from records.verdicts import CallOutcome


class Ruling(NamedTuple):
    """What an exception means. `heals`: the same exchange may succeed later. `stops`: every further call would fail
    alike, so the run ends. `lasting`: a limit that waiting a few minutes does not lift."""

    outcome: CallOutcome
    heals: bool = False
    stops: bool = False
    lasting: bool = False


_UNAVAILABLE = Ruling("unavailable", heals=True)
_BUSY = Ruling("rate-limited", heals=True)
_OUT_OF_CREDIT = Ruling("rate-limited", lasting=True)
_WRONG_SETUP = Ruling("misconfigured", stops=True)
_BAD_REQUEST = Ruling("misconfigured")
_FILTERED = Ruling("filtered")
_TOO_LONG = Ruling("context-too-long")
_UNPARSED = Ruling("unparsed")

EXCEPTIONS: dict[str, Ruling] = {
    # openai and litellm name these alike
    "AuthenticationError": _WRONG_SETUP,
    "PermissionDeniedError": _WRONG_SETUP,
    "NotFoundError": _WRONG_SETUP,
    "BadRequestError": _BAD_REQUEST,
    "UnprocessableEntityError": _BAD_REQUEST,
    "RateLimitError": _BUSY,
    "InternalServerError": _UNAVAILABLE,
    "APIConnectionError": _UNAVAILABLE,
    "APIResponseValidationError": _UNAVAILABLE,
    "APIError": _UNAVAILABLE,
    "OpenAIError": _UNAVAILABLE,
    # litellm
    "CallerCredentialAuthenticationError": _WRONG_SETUP,
    "CallerCredentialRateLimitError": _BUSY,
    "ImageFetchError": _BAD_REQUEST,
    "VectorStoreSearchError": _BAD_REQUEST,
    "MalformedRequestFieldError": _BAD_REQUEST,
    "UnsupportedEndpointError": _WRONG_SETUP,
    "EndpointNotSupportedByModelError": _WRONG_SETUP,
    "InvalidRequestError": _BAD_REQUEST,
    "UnsupportedParamsError": _WRONG_SETUP,
    "LiteLLMUnknownProvider": _WRONG_SETUP,
    "ModelNotMappedError": _WRONG_SETUP,
    "Timeout": _UNAVAILABLE,
    "ServiceUnavailableError": _UNAVAILABLE,
    "BadGatewayError": _UNAVAILABLE,
    "MidStreamFallbackError": _UNAVAILABLE,
    "MockException": _UNAVAILABLE,
    "PaymentRequiredError": _OUT_OF_CREDIT,
    "BudgetExceededError": _OUT_OF_CREDIT,
    "ContextWindowExceededError": _TOO_LONG,
    "ContentPolicyViolationError": _FILTERED,
    "RejectedRequestError": _FILTERED,
    "GuardrailRaisedException": _FILTERED,
    "BlockedPiiEntityError": _FILTERED,
    "ModifyResponseException": _FILTERED,
    "SensitiveDataRouteException": _FILTERED,
    "JSONSchemaValidationError": _UNPARSED,
    # openai and langchain-openai
    "APIStatusError": _UNAVAILABLE,
    "APITimeoutError": _UNAVAILABLE,
    "ConflictError": _UNAVAILABLE,
    "OAuthError": _WRONG_SETUP,
    "SubjectTokenProviderError": _WRONG_SETUP,
    "LengthFinishReasonError": Ruling("truncated"),
    "ContentFilterFinishReasonError": _FILTERED,
    "OpenAIRefusalError": Ruling("refused"),
    "OpenAIContextOverflowError": _TOO_LONG,
    "OpenAIAPIContextOverflowError": _TOO_LONG,
    "ContextOverflowError": _TOO_LONG,
    # the standard library and httpx, should one come through untranslated
    "TimeoutError": _UNAVAILABLE,
    "ConnectionError": _UNAVAILABLE,
    "HTTPError": _UNAVAILABLE,
}
"""By class name; the most derived class that is listed decides."""

STATUSES: dict[int, Ruling] = {
    400: _BAD_REQUEST,
    401: _WRONG_SETUP,
    402: _OUT_OF_CREDIT,
    403: _WRONG_SETUP,
    404: _WRONG_SETUP,
    408: _UNAVAILABLE,
    409: _UNAVAILABLE,
    413: _TOO_LONG,
    422: _BAD_REQUEST,
    429: _BUSY,
}
"""For classes that carry a status but no meaning of their own (APIError, APIStatusError)."""

_SPEAKS_BY_STATUS = frozenset(("APIError", "APIStatusError", "OpenAIError"))

PHRASES: tuple[tuple[re.Pattern[str], Ruling], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), ruling)
    for pattern, ruling in (
        (
            r"(?:at most|maximum(?: number)? of|more than|exceeds?(?: the)?(?: maximum)?(?: limit)?(?: of)?|too many"
            r"|up to)\s+(?:number of )?\d*\s*(?:images?\b|image\(s\)|multi-?modal)",
            Ruling("too-many-images"),
        ),
        (
            r"maximum context length|context[ _]length[ _]exceeded|context window|prompt is too long|"
            r"input (?:is|length|token).{0,40}(?:too long|exceed)|"
            r"exceeds? the (?:available )?(?:context|maximum.{0,20}tokens)",
            _TOO_LONG,
        ),
        (
            r"content[ _](?:policy|filter|management)|safety (?:system|polic)|responsible ai|data_inspection_failed",
            _FILTERED,
        ),
    )
)
"""Read only where the class says no more than "bad request"."""

_QUOTA = re.compile(
    r"insufficient_quota|exceeded your current quota|billing|credit balance|payment|out of credits?", re.I
)

FINISH_REASONS: dict[str, CallOutcome] = {
    "stop": "ok",
    "eos": "ok",
    "end_turn": "ok",
    "tool_calls": "ok",
    "function_call": "ok",
    "length": "truncated",
    "max_tokens": "truncated",
    "model_context_window_exceeded": "truncated",
    "content_filter": "filtered",
    "content_filtered": "filtered",
    "safety": "filtered",
    "recitation": "filtered",
    "guardrail_intervened": "filtered",
    "refusal": "refused",
    "guardrail": "filtered",
    "error": "unavailable",
    "": "ok",
}
"""Finish reasons as LiteLLM gives them, and native ones that servers pass through."""

_REFUSAL = re.compile(
    r"^\W*(?:(?:i['’]?m|i am|we are|we['’]re)\s+(?:very |really |so |truly )?(?:sorry|afraid|unable|not able)\b"
    r"|(?:sorry|apologies|unfortunately)\b[^.]{0,60}\b(?:can(?:no|['’])?t|unable|not able|won['’]t)\b"
    r"|i\s+(?:can(?:not|['’]t| not)|won['’]t|will not|must decline|decline)\b"
    r"|as an ai\b[^.]{0,60}\b(?:cannot|can['’]t|unable)\b"
    r"|(?:很|非常)?(?:抱歉|对不起)|我(?:无法|不能|没办法)(?:回答|提供|协助|帮助|满足|处理))",
    re.IGNORECASE,
)


def ruling_of(error: BaseException) -> Ruling:
    """What an exception of a provider's library means. An unknown class is `unavailable` and does not heal."""
    name = next((cls.__name__ for cls in type(error).__mro__ if cls.__name__ in EXCEPTIONS), "")
    ruling = EXCEPTIONS.get(name, Ruling("unavailable"))
    status = status_of(error)
    if name in _SPEAKS_BY_STATUS and status in STATUSES:
        ruling = STATUSES[status]
    message = str(error)
    if ruling == _BAD_REQUEST:
        return next((found for pattern, found in PHRASES if pattern.search(message)), ruling)
    if ruling == _BUSY and _QUOTA.search(message):
        return _OUT_OF_CREDIT
    return ruling


def failure_of(error: BaseException) -> ExchangeFailed:
    """The exception as the gateway's own, with status and the wait that the server asked for."""
    ruling = ruling_of(error)
    return ExchangeFailed(
        ruling.outcome,
        tidy(str(error) or type(error).__name__),
        status=status_of(error),
        retry_after_s=retry_after(headers_of(error)),
        can_heal=ruling.heals,
        stops=ruling.stops,
        lasting=ruling.lasting,
    )


def outcome_of_finish(finish_reason: str | None) -> CallOutcome:
    """ok, truncated, filtered, refused or unavailable; an unknown reason leaves the judgement to the reader."""
    return FINISH_REASONS.get((finish_reason or "").lower(), "ok")


def is_refusal(text: str) -> bool:
    """Whether a reply that holds no JSON opens like a refusal. English and Chinese."""
    return bool(_REFUSAL.match(text.strip()[:300]))


def status_of(error: BaseException) -> int | None:
    """The HTTP status that an exception carries, if any."""
    for name in ("provider_status_code", "status_code"):
        status = getattr(error, name, None)
        if isinstance(status, int) and status:
            return status
    return None


def headers_of(error: BaseException) -> Mapping[str, str]:
    """The response headers that an exception carries, in lower case."""
    found: dict[str, str] = {}
    for headers in (getattr(getattr(error, "response", None), "headers", None),
                    getattr(error, "litellm_response_headers", None)):  # fmt: skip
        if headers:
            found |= {
                str(key).lower().removeprefix("llm_provider-"): str(value) for key, value in dict(headers).items()
            }
    return found


def retry_after(headers: Mapping[str, str], now: dt.datetime | None = None) -> float | None:
    """Seconds to wait by ``retry-after-ms`` or ``Retry-After`` (seconds or HTTP date); None if it says nothing."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "").strip()
    seconds = _number(value)
    if seconds is not None or not value:
        return seconds
    try:
        moment = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
    return max(0.0, (moment - (now or dt.datetime.now(dt.UTC))).total_seconds())


def tidy(message: str, limit: int = 500) -> str:
    """An error message on one line: the provider's own sentence, without markup and LiteLLM's prefixes."""
    message = _PREFIXES.sub("", " ".join(re.sub(r"<[^<>]{1,200}>", " ", message).split()))
    message = _inner_message(message) or message
    return message if len(message) <= limit else f"{message[: limit - 1]}…"


_PREFIXES = re.compile(r"^(?:(?:litellm\.)?\w*(?:Error|Exception|Timeout)(?: Error)?(?: - |: *))+")


def _inner_message(message: str) -> str:
    """The ``message`` of an OpenAI-style error body that stands in a message."""
    start = message.find("{")
    try:
        body, _ = json.JSONDecoder().raw_decode(message[start:]) if start >= 0 else (None, 0)
    except ValueError:
        return ""
    error = body.get("error", body) if isinstance(body, dict) else None
    found = error.get("message") if isinstance(error, dict) else error
    return found if isinstance(found, str) else ""


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if 0 <= number < 10**9 else None
