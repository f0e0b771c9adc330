"""The web side over a real socket: sign-in, media from the run alone, autosave, and ten reviewers at once."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from records.review import Reviewer
from review.assigning import AssignmentSettings
from review.sessions import Sessions, Throttle
from tests.review.conftest import Served
from tests.review.synthetic import PASSWORD, make_users


@contextmanager
def sign_in(served: Served, name: str = "ann") -> Iterator[httpx.Client]:
    with httpx.Client(base_url=served.address, timeout=30) as client:
        answer = client.post("/sign-in", data={"name": name, "password": PASSWORD})
        assert answer.status_code == 303, answer.text
        yield client


@pytest.fixture
def ann(served: Served) -> Iterator[httpx.Client]:
    with sign_in(served) as client:
        yield client


def item(served: Served, number: int = 0) -> str:
    return list(served.desk.material.items)[number]


def post_score(client: httpx.Client, item: str, value: str = "pass", /, **fields: object) -> httpx.Response:
    body = {"item_id": item, "revision": 0, "dimension": "correctness", "level": value, **fields}
    return client.post("/api/score", json=body)


@pytest.mark.parametrize(
    "path", ["/review/", "/", "/media/calder/calder-a", "/frames/x.jpg", "/review/gradio_api/info", "/review/config"]
)
def test_nothing_is_served_without_a_session(served: Served, path: str) -> None:
    assert httpx.get(served.address + path).status_code == 401
    page = httpx.get(served.address + path, headers={"accept": "text/html"})
    assert page.status_code == 303
    assert page.headers["location"].startswith("/sign-in?next=")


@pytest.mark.parametrize(
    ("name", "password"), [("ann", "not this one"), ("nobody", PASSWORD), ("' OR 1=1", "12345678")]
)
def test_a_wrong_sign_in_is_refused(served: Served, name: str, password: str) -> None:
    answer = httpx.post(served.address + "/sign-in", data={"name": name, "password": password})
    assert answer.status_code == 401
    assert "Name or password is wrong." in answer.text
    assert "set-cookie" not in answer.headers
    assert password not in answer.text


def test_many_wrong_passwords_must_wait(served: Served) -> None:
    for _ in range(5):
        httpx.post(served.address + "/sign-in", data={"name": "bob", "password": "wrong"})
    answer = httpx.post(served.address + "/sign-in", data={"name": "bob", "password": PASSWORD})
    assert answer.status_code == 429
    assert "Wait" in answer.text


def test_signing_out_ends_the_session(ann: httpx.Client) -> None:
    assert ann.get("/media/calder/calder-a").status_code == 200
    token = ann.cookies["benchwright_session"]
    ann.post("/sign-out")
    ann.cookies.set("benchwright_session", token)
    assert ann.get("/media/calder/calder-a").status_code == 401


def test_the_session_cookie_is_for_the_server_alone(served: Served) -> None:
    answer = httpx.post(served.address + "/sign-in", data={"name": "ann", "password": PASSWORD})
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert "samesite=lax" in answer.headers["set-cookie"].lower()
    assert PASSWORD not in answer.headers["set-cookie"]


@pytest.mark.parametrize(
    "address", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"]
)
def test_signing_in_never_leads_elsewhere(served: Served, address: str) -> None:
    answer = httpx.post(served.address + "/sign-in", data={"name": "ann", "password": PASSWORD, "next": address})
    assert answer.headers["location"] == "/review/"


def test_a_removed_user_is_out_at_once(served: Served, tmp_path: Path) -> None:
    with sign_in(served, "mei") as client:
        before = served.users.read_bytes()
        make_users(served.users, Reviewer(name="ann"))
        try:
            assert client.get("/media/calder/calder-a").status_code == 401
        finally:
            served.users.write_bytes(before)


@pytest.mark.parametrize("damage", ["[{", "[1]", None])
def test_while_the_users_file_is_broken_nobody_is_in_and_nothing_is_lost(
    served: Served, damage: str | None, capfd: pytest.CaptureFixture[str]
) -> None:
    with sign_in(served, "mei") as client:
        before = served.users.read_bytes()
        try:
            served.users.unlink() if damage is None else served.users.write_text(damage)
            for answer in (
                client.get("/media/calder/calder-a"),
                client.get("/review/", headers={"accept": "text/html"}),
                post_score(client, item(served)),
                client.post("/sign-in", data={"name": "mei", "password": PASSWORD}),
            ):
                assert answer.status_code == 503  # the page keeps what is not saved, and tries again
                assert str(served.users) not in answer.text
            assert str(served.users) in capfd.readouterr().err
        finally:
            served.users.write_bytes(before)
        assert client.get("/media/calder/calder-a").status_code == 200


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("score", rb'{"item_id": "\ud800", "revision": 0, "dimension": "correctness", "level": "pass"}'),
        ("score", rb'{"item_id": 5, "revision": NaN, "dimension": "\udfff", "level": Infinity}'),
        ("watched", b'{"group_id": "calder", "video_id": "calder-a", "duration_s": NaN, "spans": [[0, NaN]]}'),
        ("comment", b'{"item_id": "x"}'),
    ],
)
def test_what_cannot_be_read_is_refused_and_not_tried_for_ever(ann: httpx.Client, path: str, body: bytes) -> None:
    answer = ann.post(f"/api/{path}", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["error"]


def test_half_a_character_in_a_comment_is_no_obstacle(served: Served, ann: httpx.Client) -> None:
    body = b'{"item_id": "%s", "revision": 0, "text": "so \\ud83d good"}' % item(served, 3).encode()
    answer = ann.post("/api/comment", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 200
    (kept,) = served.desk.journal.comments(item_id=item(served, 3), reviewer="ann")
    assert kept.text == "so \ufffd good"


def test_videos_come_in_parts(ann: httpx.Client) -> None:
    whole = ann.get("/media/calder/calder-a")
    assert whole.headers["content-type"] == "video/mp4"
    part = ann.get("/media/calder/calder-a", headers={"range": "bytes=10-19"})
    assert part.status_code == 206
    assert part.content == whole.content[10:20]


def test_frames_come_by_hash(served: Served, ann: httpx.Client) -> None:
    frame = served.desk.material.evidences["calder"].sources[0].frames[0]
    answer = ann.get(f"/frames/{frame.sha256}.jpg")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/jpeg")


@pytest.mark.parametrize(
    "path",
    [
        "/media/calder/..%2F..%2Fusers.json", "/media/..%2F..%2Fetc/passwd", "/media/calder/%2Fetc%2Fpasswd",
        "/media/calder/tea-b", "/media/nothing/calder-a", "/media/tea/tea-b", "/frames/..%2Frun.sqlite.jpg",
        "/frames/" + "0" * 64 + ".jpg", "/static/..%2Fserver.py", "/static/%2e%2e/server.py",
        "/review/gradio_api/file=/etc/passwd", "/review/gradio_api/file=reviews.sqlite",
    ],
)  # fmt: skip
def test_a_path_outside_the_run_is_refused(ann: httpx.Client, path: str) -> None:
    answer = ann.get(path)
    assert answer.status_code == 404
    assert b"root:" not in answer.content


def test_a_link_out_of_the_group_is_refused(served: Served, ann: httpx.Client, tmp_path: Path) -> None:
    group = served.desk.material.groups["redmarsh"]
    video = Path(group.folder) / "redmarsh-a.mp4"
    secret = tmp_path / "secret.mp4"
    secret.write_bytes(b"secret")
    kept = video.rename(video.with_suffix(".kept"))
    try:
        video.symlink_to(secret)
        assert ann.get("/media/redmarsh/redmarsh-a").status_code == 404
    finally:
        video.unlink()
        kept.rename(video)


def test_uploads_are_not_taken(ann: httpx.Client) -> None:
    assert ann.post("/review/gradio_api/upload", files={"files": b"x"}).status_code == 404


@pytest.mark.parametrize("path", ["/api/score", "/sign-in", "/sign-out", "/review/gradio_api/queue/join"])
def test_posts_from_other_sites_are_refused(ann: httpx.Client, path: str) -> None:
    answer = ann.post(path, json={}, headers={"origin": "https://evil.example"})
    assert answer.status_code == 403


def test_another_host_name_is_refused(ann: httpx.Client) -> None:
    assert ann.get("/review/", headers={"host": "evil.example"}).status_code == 400


def test_nothing_is_fetched_from_outside(ann: httpx.Client) -> None:
    page = ann.get("/review/", headers={"accept": "text/html"})
    assert "connect-src 'self'" in page.headers["content-security-policy"]
    assert page.headers["x-content-type-options"] == "nosniff"


def test_a_score_is_kept_and_the_page_is_told(served: Served, ann: httpx.Client) -> None:
    item_id = item(served)
    answer = post_score(ann, item_id).json()
    assert (answer["complete"], answer["status"], answer["latest"]) == (False, "started", 0)
    assert [video for video, _ in answer["unwatched"]] == ["calder-a", "calder-b"]
    (kept,) = served.desk.journal.scores(item_id=item_id, reviewer="ann")
    assert kept.level == "pass"
    answer = ann.post("/api/comment", json={"item_id": item_id, "revision": 0, "text": "<b>hm</b>"})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"level": "great"}, 400), ({"dimension": "style"}, 400), ({"revision": 7}, 400), ({"revision": -1}, 422),
        ({"item_id": "q-nothing"}, 403), ({"extra": 1}, 422), ({"level": None}, 422),
    ],
)  # fmt: skip
def test_bad_scores_are_refused_with_a_reason(
    served: Served, ann: httpx.Client, fields: dict[str, object], status: int
) -> None:
    answer = post_score(ann, item(served, 3), **fields)
    assert answer.status_code == status
    assert answer.json().get("error") or answer.json()["detail"]
    assert not served.desk.journal.scores(item_id=item(served, 3))


def test_what_was_watched_adds_up(served: Served, ann: httpx.Client) -> None:
    body = {"group_id": "redmarsh", "video_id": "redmarsh-a", "duration_s": 3.0, "spans": [[0, 1]]}
    assert ann.post("/api/watched", json=body).json() == {"share": 0.3333, "percent": "33 %"}
    assert ann.post("/api/watched", json={**body, "spans": [[1, 3]]}).json()["percent"] == "100 %"
    for wrong in ({"video_id": "calder-a"}, {"group_id": "x"}):
        assert ann.post("/api/watched", json={**body, **wrong}).status_code == 400
    for wrong in ({"duration_s": 0}, {"spans": [[1]]}, {"duration_s": "NaN"}):
        assert ann.post("/api/watched", json={**body, **wrong}).status_code == 422


def test_the_language_switch_comes_back(ann: httpx.Client) -> None:
    answer = ann.get("/language/zh", headers={"referer": "http://evil.example//other?item=q"})
    assert answer.headers["location"] == "/review/"
    assert "登录" in httpx.get(ann.base_url.join("/sign-in"), cookies=ann.cookies).text


def test_ten_reviewers_at_once_lose_nothing(served: Served) -> None:
    names = [f"r{number}" for number in range(10)]
    before = served.users.read_bytes()
    people = [Reviewer(name=name) for name in names]
    make_users(served.users, *people)
    served.desk.plan(people, AssignmentSettings(share=1.0, share_reviewers=99))
    items = list(served.desk.material.items)[:4]

    def work(name: str) -> int:
        with sign_in(served, name) as client:
            answers = [
                post_score(client, item_id, level, dimension=dimension.id).status_code
                for item_id in items
                for dimension in served.desk.sheet.dimensions
                for level in ("fail", "pass")
            ]
            watched = {"group_id": "tea", "video_id": "tea-a", "duration_s": 3.0, "spans": [[0, int(name[1:]) / 5]]}
            answers.append(client.post("/api/watched", json=watched).status_code)
        return sum(answer == 200 for answer in answers)

    try:
        with ThreadPoolExecutor(10) as pool:
            assert list(pool.map(work, names)) == [25] * 10
    finally:
        served.users.write_bytes(before)
    kept = [one for one in served.desk.journal.scores() if one.reviewer in names]
    assert len(kept) == 10 * 4 * 3
    assert {one.level for one in kept} == {"pass"}
    assert len(served.desk.journal.watched(group_id="tea")) >= 9


def test_sessions_end_by_themselves() -> None:
    now = [0.0]
    sessions = Sessions(lambda: now[0])
    token = sessions.begin("ann")
    assert re.fullmatch(r"[\w-]{43}", token)
    now[0] = Sessions.SECONDS - 1
    assert sessions.name(token) == "ann"
    now[0] += Sessions.SECONDS + 1
    assert sessions.name(token) == ""
    assert sessions.name("") == ""


def test_the_brake_lets_go() -> None:
    now = [0.0]
    throttle = Throttle(lambda: now[0])
    for _ in range(5):
        assert throttle.wait("ann") == 0
        throttle.tried("ann", succeeded=False)
    assert throttle.wait("ann") == 60
    assert throttle.wait("bob") == 0
    now[0] = 61
    assert throttle.wait("ann") == 0
    throttle.tried("ann", succeeded=True)
    assert throttle.wait("ann") == 0
