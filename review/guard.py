"""What every request passes first: no session, no page; no post from another site; no file but the run's.

A plain ASGI layer, so that streamed answers (videos, Gradio's events) pass untouched.
"""

import sys
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from records.errors import ConfigurationError

OPEN = ("/sign-in", "/static/", "/language/", "/favicon.ico")
"""What may be seen without a session."""
CLOSED = ("/gradio_api/upload", "/gradio_api/file=", "/gradio_api/proxy=", "/gradio_api/component_server")
"""Parts of Gradio that this page does not use and that take or give files."""
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; style-src 'self' 'unsafe-inline'; "
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'; font-src 'self' data:; connect-src 'self'; "
        "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
"""Gradio's page compiles templates and sets inline styles, hence the `unsafe-` words. Nothing comes from outside."""


class Guard:
    """The layer. `signed_in` says whether a request carries a session."""

    def __init__(self, app: ASGIApp, signed_in: Callable[[Request], bool]) -> None:
        """Wraps an app."""
        self._app = app
        self._signed_in = signed_in

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer by itself, or pass the request on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        refusal: Response | None
        try:
            refusal = self._refusal(Request(scope))
        except ConfigurationError as error:
            refusal = unusable(error)
        await (refusal or self._app)(scope, receive, _hardening(send))

    def _refusal(self, request: Request) -> Response | None:
        path = request.url.path
        if any(part in path for part in CLOSED):
            return JSONResponse({"error": "not served here"}, status_code=404)
        if request.method not in ("GET", "HEAD") and not _same_site(request):
            return JSONResponse({"error": "posts from other sites are refused"}, status_code=403)
        if path.startswith(OPEN) or self._signed_in(request):
            return None
        if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
            query = f"?{request.url.query}" if request.url.query else ""
            return RedirectResponse(f"/sign-in?next={quote(path + query, safe='')}", status_code=303)
        return JSONResponse({"error": "sign in first"}, status_code=401)


def unusable(error: Exception) -> Response:
    """What everybody is told while the users file cannot be read: nobody is in, and the page tries again later.

    The reason is for whoever runs the server, on its standard error; a stranger does not learn names or paths.
    """
    sys.stderr.write(f"error: {error}\n")
    return JSONResponse({"error": "the server cannot read its users file; ask whoever runs it"}, status_code=503)


def _same_site(request: Request) -> bool:
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host", "")


def _hardening(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers: Any = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
        await send(message)

    return sending
