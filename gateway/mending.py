"""Replies that did not validate go back with the error, by instructor, at most twice.

instructor owns the conversation (what is said back to the model, how often); the gateway owns every exchange in it.
Our reader looks at a reply first, so that instructor sees clean JSON wherever the reply can be read.
"""

import logging
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, create_model, model_validator

from gateway.reading import Reading, Unreadable
from gateway.transports import Completion
from records.calls import Request

MENDS = 2
"""Repairs of a reply after the first, for drafters and judges alike."""

Send = Callable[[list[dict[str, Any]]], Awaitable[Completion]]
Read = Callable[[str], Reading]


class NotMended(Exception):
    """Wraps what ended the conversation, so that instructor neither retries nor rewrites it."""


async def converse(
    request: Request, messages: list[dict[str, Any]], send: Send, read: Read, first: Completion | None = None
) -> Reading:
    """Ask until a reply validates. `first` is a reply that is there already and counts as the first.

    Raises Unreadable for the last reply if none validates, and whatever `send` raises.
    """
    from instructor import Mode, patch
    from instructor.core import InstructorRetryException

    logging.getLogger("instructor").setLevel(logging.CRITICAL + 1)
    talk = _Talk(send, read, first)
    token = _TALK.set(talk)
    ask: Any = patch(create=talk.create, mode=Mode.JSON_SCHEMA)
    try:
        await ask(response_model=_checked(request.reply_model), max_retries=MENDS, messages=messages)
    except InstructorRetryException as error:
        if talk.ended is not None:
            raise talk.ended from None
        raise talk.unread or Unreadable(str(error)) from None
    finally:
        _TALK.reset(token)
    if talk.reading is None:
        raise Unreadable("The reply was never read.")
    return talk.reading


class _Talk:
    """What instructor takes for a client: each exchange goes through the gateway, each reply through our reader."""

    def __init__(self, send: Send, read: Read, first: Completion | None) -> None:
        self._send = send
        self._read = read
        self._first = first
        self.reading: Reading | None = None
        self.unread: Unreadable | None = None
        self.ended: Exception | None = None

    async def create(self, *, messages: list[dict[str, Any]], **_: Any) -> Any:
        """One exchange, as an OpenAI chat completion for instructor to validate."""
        try:
            completion = self._first or await self._send(messages)
            self._first = None
            return _as_openai(self._content(completion.text))
        except Exception as error:
            self.ended = error
            raise NotMended from error

    def _content(self, text: str) -> str:
        try:
            self.reading, self.unread = self._read(text), None
        except Unreadable as unread:
            if not unread.mendable:
                raise
            self.reading, self.unread = None, unread
            return text
        return self.reading.value.model_dump_json()


_TALK: ContextVar[_Talk] = ContextVar("talk")


@lru_cache(maxsize=256)
def _checked(reply_model: type[BaseModel]) -> type[BaseModel]:
    """The reply model, refusing also what our reader refuses (a letter that was not offered, say), in its words.

    The reader's verdict comes through a context variable: instructor's own `context` would make it render the
    messages, untrusted text included, as Jinja templates.
    """

    def as_read(data: Any) -> Any:
        unread = _TALK.get().unread
        if unread is not None:
            raise ValueError(unread.message)
        return data

    validators: dict[str, Any] = {"as_read": model_validator(mode="before")(as_read)}
    return create_model(
        reply_model.__name__, __base__=reply_model, __doc__=reply_model.__doc__, __validators__=validators
    )


def _as_openai(content: str) -> Any:
    from openai.types.chat import ChatCompletion, ChatCompletionMessage
    from openai.types.chat.chat_completion import Choice

    message = ChatCompletionMessage.model_construct(role="assistant", content=content, tool_calls=None)
    choice = Choice.model_construct(finish_reason="stop", index=0, message=message)
    return ChatCompletion.model_construct(
        id="", choices=[choice], created=0, model="", object="chat.completion", usage=None
    )
