"""The embedded models: an extractive drafter, three lexical solvers and an extractive summary. No network, no keys.

`answer(request)` reads the typed parts of a request, never a rendered prompt. What these models are, what they
cannot do and what they measure stands in `docs/offline.md`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import BaseModel

    from records.calls import Request


def answer(request: "Request") -> "BaseModel":
    """The reply of the embedded model that the request names; see `offline.answering.answer`."""
    from offline.answering import answer as answer_request

    return answer_request(request)
