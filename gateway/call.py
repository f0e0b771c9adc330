"""One call on its way: what was prepared, every exchange in it, and the record and the outcome that it ends as."""

import datetime as dt
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from gateway.identity import params, request_id
from gateway.reading import Reading, Unreadable
from gateway.redact import Redactor
from gateway.render import Rendered, render
from gateway.schema import schema_in_words
from gateway.transports import Completion, ExchangeFailed
from records.calls import Attempt, CallFailure, CallRecord, Reply, Request, Usage
from records.verdicts import CallOutcome


@dataclass(eq=False, slots=True)
class Call:
    """A request that was rendered and named, and what happened to it so far."""

    request: Request
    rendered: Rendered
    id: str
    native_schema: bool
    asked: int = 1
    sending: bool = False
    """An exchange is with the provider, or a record is being written: not to be interrupted."""
    attempts: list[Attempt] = field(default_factory=list)
    last: Completion | None = None

    @classmethod
    def prepared(cls, request: Request, *, native_schema: bool) -> "Call":
        """Render and name a request."""
        native_schema = native_schema and not request.plain
        rendered = render(request, "" if native_schema or request.plain else schema_in_words(request.reply_model))
        return cls(request, rendered, request_id(request, rendered, native_schema=native_schema), native_schema)

    @property
    def usage(self) -> Usage:
        """Tokens of all exchanges together."""
        if len(self.attempts) == 1:
            return self.attempts[0].usage
        names = Usage.model_fields
        return Usage(**{name: sum(getattr(item.usage, name) for item in self.attempts) for name in names})

    @property
    def cost_usd(self) -> float:
        """Of all exchanges together."""
        return sum(attempt.cost_usd for attempt in self.attempts)

    @property
    def served(self) -> bool:
        """Whether the provider has read the prompt."""
        return any(attempt.usage.prompt_tokens for attempt in self.attempts) or self.last is not None

    def unread(self, problem: Unreadable, redactor: Redactor) -> None:
        """The last exchange brought a reply, but not a usable one."""
        if self.attempts and self.last:
            message, raw = redactor.clean(problem.message), redactor.clean(self.last.text)
            update = {"outcome": problem.outcome, "message": message, "raw": raw}
            self.attempts[-1] = self.attempts[-1].model_copy(update=update)

    def record(
        self, outcome: CallOutcome, redactor: Redactor, transport: str, *, message: str = "",
        reading: Reading | None = None,
    ) -> CallRecord:  # fmt: skip
        """The trace of this call as it ends now."""
        request, last = self.request, self.last
        reasoning = (last.reasoning if last else "") or (reading.reasoning if reading else "")
        return CallRecord(
            request_id=self.id,
            task=request.task,
            model=request.model.name,
            provider_model=last.provider_model if last else "",
            transport=transport,
            seat=request.seat,
            group_id=request.group_id,
            item_id=request.item_id,
            unit=request.unit,
            sample=request.sample,
            outcome=outcome,
            message=redactor.clean(message),
            messages=redactor.messages(self.rendered.messages),
            raw=redactor.clean(last.text) if last else "",
            reasoning=redactor.clean(reasoning) if reasoning else "",
            reply_json=redactor.clean(reading.value.model_dump_json()) if reading else "",
            repairs=reading.repairs if reading else (),
            attempts=tuple(self.attempts),
            usage=self.usage,
            cost_usd=self.cost_usd,
            latency_s=round(sum(attempt.latency_s for attempt in self.attempts), 4),
            started=self.attempts[0].started if self.attempts else now(),
            asked=self.asked,
            params=redactor.deep(params(request)) | {"schema": "native" if self.native_schema else "prompt"},
        )


def attempt_of(
    *, started: str, latency_s: float, waited_s: float, cost_usd: float, failed: ExchangeFailed | None,
    completion: Completion | None, redactor: Redactor,
) -> Attempt:  # fmt: skip
    """One exchange for the trace. The raw text is kept here only where it failed; else it stands in the record."""
    return Attempt(
        started=started,
        latency_s=round(latency_s, 4),
        outcome=failed.outcome if failed else "ok",
        status=failed.status if failed else None,
        message=redactor.clean(failed.message) if failed else "",
        raw=redactor.clean(completion.text) if failed and completion else "",
        waited_s=round(waited_s, 4),
        usage=completion.usage if completion else Usage(),
        cost_usd=cost_usd,
    )


def reply_of(record: CallRecord, request: Request, value: BaseModel | None, *, paid: bool) -> Reply | CallFailure:
    """The outcome as the caller gets it; `paid` is False for a reply that somebody else's call or the cache gave."""
    if record.outcome != "ok":
        return failure_of(record, journalled=False)
    return Reply(
        request_id=record.request_id,
        value=value if value is not None else request.reply_model.model_validate_json(record.reply_json),
        raw=record.raw,
        reasoning=record.reasoning,
        repairs=record.repairs,
        usage=record.usage,
        cost_usd=record.cost_usd if paid else 0.0,
        latency_s=record.latency_s,
        cached=not paid,
        model=request.model.name,
    )


def failure_of(record: CallRecord, *, journalled: bool) -> CallFailure:
    """A record that is not ok, as the caller gets it."""
    return CallFailure(
        request_id=record.request_id,
        outcome=record.outcome,
        message=record.message,
        raw=record.raw,
        usage=record.usage,
        cost_usd=0.0 if journalled else record.cost_usd,
        attempts=max(record.asked, 0),
        journalled=journalled,
        model=record.model,
    )


def bookkeeping(request: Request) -> dict[str, Any]:
    """Who asked: the fields of a record that do not shape the reply."""
    return {
        "task": request.task, "model": request.model.name, "seat": request.seat, "group_id": request.group_id,
        "item_id": request.item_id, "unit": request.unit,
    }  # fmt: skip


def now() -> str:
    """ISO time, UTC, milliseconds."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds")
