"""The web side: sign-in, media, autosave, with the Gradio page mounted behind it.

Everything but the sign-in page, its style and the language switch needs a session. Media come from the run alone:
addresses hold a group and video id or a frame's hash, never a path. Posts from other sites are refused.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, FastAPI, Form, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, ConfigDict, Field, field_validator
from starlette.middleware.trustedhost import TrustedHostMiddleware

from records.errors import BenchwrightError, ConfigurationError
from records.review import Reviewer, said
from review import pages
from review.desk import Desk, Refused, Saved
from review.guard import Guard, unusable
from review.sessions import Sessions, Throttle
from review.users import Users, read_users
from review.words import LANGUAGES, language_for, words

COOKIE = "benchwright_session"
LANGUAGE_COOKIE = "benchwright_language"
HOME = "/review"
LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")


@dataclass
class Door:
    """Who is in: users file, sessions, and the brake on wrong passwords."""

    users_file: Path
    sessions: Sessions = field(default_factory=Sessions)
    throttle: Throttle = field(default_factory=Throttle)
    _read: tuple[int, Users] | None = None
    _mutex: threading.Lock = field(default_factory=threading.Lock)

    @property
    def users(self) -> Users:
        """The users, read again when the file changes, so that a removed user is out at once."""
        with self._mutex:
            try:
                written = self.users_file.stat().st_mtime_ns
            except OSError:
                written = 0
            if self._read is None or self._read[0] != written:
                self._read = (written, read_users(self.users_file))
            return self._read[1]

    def who(self, request: Request) -> Reviewer | None:
        """The reviewer whose session a request carries, or None."""
        name = self.sessions.name(request.cookies.get(COOKIE, ""))
        user = self.users.find(name) if name else None
        return user.reviewer if user else None


class ScorePost(BaseModel):
    """One score from the page."""

    model_config = ConfigDict(extra="forbid")

    item_id: str = Field(max_length=200)
    revision: int = Field(ge=0)
    dimension: str = Field(max_length=200)
    level: str = Field(max_length=200)


class CommentPost(BaseModel):
    """A comment from the page."""

    model_config = ConfigDict(extra="forbid")

    item_id: str = Field(max_length=200)
    revision: int = Field(ge=0)
    text: str

    @field_validator("text", mode="before")
    @classmethod
    def _whole_characters(cls, text: Any) -> Any:
        """A browser may send half of a character (a lone surrogate); it becomes the replacement character."""
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") if isinstance(text, str) else text


class WatchedPost(BaseModel):
    """What was played of a video since the page was opened."""

    model_config = ConfigDict(extra="forbid")

    group_id: str = Field(max_length=500)
    video_id: str = Field(max_length=500)
    duration_s: float = Field(gt=0, lt=1e6)
    spans: list[tuple[float, float]] = Field(max_length=5000)


def build_server(desk: Desk, door: Door, *, hosts: tuple[str, ...] = LOCAL_HOSTS) -> FastAPI:
    """The whole app. `hosts` are the names under which it may be called; ``("*",)`` allows any."""
    app = FastAPI(title="Benchwright review", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.desk, app.state.door = desk, door
    _add_guards(app, door, hosts)
    _add_sign_in(app, desk, door)
    _add_media(app, desk)
    _add_saving(app, desk, door)
    app.mount("/static", StaticFiles(directory=pages.STATIC), name="static")
    from review.app import mount_page

    mount_page(app, desk, door)
    return app


def language_of(request: Any) -> str:
    """The language that a request asks for: the switch's cookie, else the browser's."""
    return language_for(request.cookies.get(LANGUAGE_COOKIE, ""), request.headers.get("accept-language", ""))


def _add_guards(app: FastAPI, door: Door, hosts: tuple[str, ...]) -> None:
    app.add_middleware(Guard, signed_in=lambda request: door.who(request) is not None)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)

    @app.exception_handler(RequestValidationError)
    async def unreadable(_: Request, error: Exception) -> JSONResponse:
        # Without what was sent: half a character or NaN cannot stand in JSON, and the page would try for ever.
        found = error.errors() if isinstance(error, RequestValidationError) else []
        lines = [f"{'.'.join(str(part) for part in one['loc'][1:])}: {one['msg']}" for one in found]
        return JSONResponse({"error": "; ".join(lines)}, status_code=422)

    @app.exception_handler(BenchwrightError)
    async def told(_: Request, error: Exception) -> Response:
        if isinstance(error, ConfigurationError):
            return unusable(error)
        return JSONResponse({"error": str(error)}, status_code=403 if isinstance(error, Refused) else 400)


def _add_sign_in(app: FastAPI, desk: Desk, door: Door) -> None:
    def page(request: Request, *, status: int = 200, **fields: Any) -> HTMLResponse:
        return HTMLResponse(pages.sign_in(desk.run.name, language_of(request), **fields), status_code=status)

    @app.get("/sign-in")
    def show_sign_in(request: Request, next: str = HOME) -> HTMLResponse:  # noqa: A002
        return page(request, next_page=_local(next))

    @app.post("/sign-in")
    def sign_in(
        request: Request,
        name: Annotated[str, Form(max_length=64)],
        password: Annotated[str, Form(max_length=256)],
        next: Annotated[str, Form()] = HOME,  # noqa: A002
    ) -> Response:
        texts = words(language_of(request))
        wait = door.throttle.wait(name)
        if wait:
            problem = texts["wait"].format(seconds=wait)
            return page(request, status=429, problem=problem, name=name, next_page=_local(next))
        reviewer = door.users.signed_in(name, password)
        door.throttle.tried(name, succeeded=reviewer is not None)
        if reviewer is None:
            return page(request, status=401, problem=texts["refused"], name=name, next_page=_local(next))
        response = RedirectResponse(_local(next), status_code=303)
        secure = request.url.scheme == "https"
        token = door.sessions.begin(reviewer.name)
        response.set_cookie(COOKIE, token, httponly=True, samesite="lax", secure=secure, max_age=Sessions.SECONDS)
        return response

    @app.post("/sign-out")
    def sign_out(request: Request) -> Response:
        door.sessions.end(request.cookies.get(COOKIE, ""))
        response = RedirectResponse("/sign-in", status_code=303)
        response.delete_cookie(COOKIE)
        return response

    @app.get("/language/{code}")
    def choose_language(request: Request, code: str) -> Response:
        back = urlsplit(request.headers.get("referer", "")).path or HOME
        query = urlsplit(request.headers.get("referer", "")).query
        response = RedirectResponse(_local(f"{back}?{query}" if query else back), status_code=303)
        if code in LANGUAGES:
            response.set_cookie(LANGUAGE_COOKIE, code, samesite="lax", max_age=365 * 86400)
        return response

    @app.get("/favicon.ico")
    def no_icon() -> Response:
        return Response(status_code=204)

    @app.get("/")
    def home() -> Response:
        return RedirectResponse(HOME + "/", status_code=303)


def _local(address: str) -> str:
    """The address if it is a path of this server, else the home page."""
    return address if address.startswith("/") and not address.startswith(("//", "/\\")) else HOME + "/"


def _add_media(app: FastAPI, desk: Desk) -> None:
    @app.get("/media/{group_id}/{video_id}")
    def video(group_id: str, video_id: str) -> Response:
        return _file(lambda: desk.video_path(group_id, video_id), cache_s=0)

    @app.get("/frames/{sha256}.jpg")
    def frame(sha256: str) -> Response:
        return _file(lambda: desk.frame_path(sha256), cache_s=86400)


def _file(find: Callable[[], Path], cache_s: int) -> Response:
    try:
        path = find()
    except Refused as error:
        raise HTTPException(404, str(error)) from error
    return FileResponse(path, headers={"Cache-Control": f"private, max-age={cache_s}"})


def _add_saving(app: FastAPI, desk: Desk, door: Door) -> None:
    def me(request: Request) -> Reviewer:
        reviewer = door.who(request)
        if reviewer is None:
            raise HTTPException(401, "sign in first")
        return reviewer

    Me = Annotated[Reviewer, Depends(me)]

    @app.post("/api/score")
    def score(request: Request, post: ScorePost, reviewer: Me) -> dict[str, Any]:
        return _told(desk.score(reviewer, post.item_id, post.revision, post.dimension, post.level), request)

    @app.post("/api/comment")
    def comment(request: Request, post: CommentPost, reviewer: Me) -> dict[str, Any]:
        return _told(desk.comment(reviewer, post.item_id, post.revision, post.text), request)

    @app.post("/api/watched")
    def watched(post: WatchedPost, reviewer: Me) -> dict[str, Any]:
        seen = desk.watch(reviewer, post.group_id, post.video_id, post.duration_s, post.spans)
        return {"share": round(seen.share, 4), "percent": pages.percent(seen.share)}


def _told(saved: Saved, request: Request) -> dict[str, Any]:
    language = language_of(request)
    return {**saved.model_dump(mode="json"), "advice": [said(one, language) for one in saved.advice]}
