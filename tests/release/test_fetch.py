"""The script that goes with every release: fetches, verifies, lists what is dead; against a server of this machine."""

import hashlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from release import fetch_media
from release.contents import media_name

VIDEO = b"video" * 50_000


class Handler(BaseHTTPRequestHandler):
    """Good and bad addresses."""

    tries: ClassVar[dict[str, int]] = {}

    def do_GET(self) -> None:
        self.tries[self.path] = self.tries.get(self.path, 0) + 1
        if self.path == "/flaky" and self.tries[self.path] < 3:
            self.send_response(503)
            self.send_header("Retry-After", "0")
            self.end_headers()
        elif self.path in ("/good", "/flaky", "/short"):
            self.send_response(200)
            self.send_header("Content-Type", "video/mp4")
            self.send_header("Content-Length", str(len(VIDEO) + (10 if self.path == "/short" else 0)))
            self.end_headers()
            self.wfile.write(VIDEO)
        elif self.path == "/page":
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(b"<html></html>")
        else:
            self.send_error(404)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    served = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{served.server_port}"
    served.shutdown()


def source(url: str, video_id: str = "v", digest: str = hashlib.sha256(VIDEO).hexdigest()) -> dict[str, str]:
    return {"group_id": "g", "video_id": video_id, "url": url, "license": "CC0", "media_sha256": digest}


def run(folder: Path, *sources: dict[str, str], flags: tuple[str, ...] = ()) -> int:
    evidence = folder / "evidence.jsonl"
    evidence.write_text("".join(json.dumps(one) + "\n" for one in sources), encoding="utf-8")
    fixed = ["--evidence", str(evidence), "--out", str(folder / "media"), "--dead", str(folder / "dead.txt")]
    return fetch_media.main([*fixed, "--wait", "0", "--timeout", "5", *flags])


def test_a_good_address_is_fetched_and_verified(server: str, tmp_path: Path, capsys: Any) -> None:
    assert run(tmp_path, source(server + "/good")) == 0
    assert (tmp_path / "media" / "g" / "v.mp4").read_bytes() == VIDEO
    assert "fetched and verified  [licence: CC0]" in capsys.readouterr().out
    before = Handler.tries["/good"]
    assert run(tmp_path, source(server + "/good")) == 0
    assert "is there already" in capsys.readouterr().out
    assert Handler.tries["/good"] == before


def test_a_passing_fault_is_tried_again(server: str, tmp_path: Path) -> None:
    assert run(tmp_path, source(server + "/flaky")) == 0
    assert Handler.tries["/flaky"] == 3


def test_dead_links_are_listed_and_the_others_still_fetched(server: str, tmp_path: Path, capsys: Any) -> None:
    dead = [source(server + "/gone", "x"), source("", "y"), source("file:///etc/passwd", "z")]
    assert run(tmp_path, *dead, source(server + "/good")) == 1
    listed = (tmp_path / "dead.txt").read_text().splitlines()
    assert [line.split("\t")[1] for line in listed] == ["x", "y", "z"]
    assert listed[0].endswith("HTTP 404 Not Found")
    assert "1 whole, 0 differs, 0 skipped, 3 dead" in capsys.readouterr().out
    assert (tmp_path / "media" / "g" / "v.mp4").is_file()
    assert run(tmp_path, source(server + "/good")) == 0
    assert not (tmp_path / "dead.txt").exists()


def test_another_encoding_differs_and_is_kept(server: str, tmp_path: Path, capsys: Any) -> None:
    assert run(tmp_path, source(server + "/good", digest="0" * 64)) == 2
    assert "differs" in capsys.readouterr().out
    assert (tmp_path / "media" / "g" / "v.mp4").is_file()


def test_a_broken_transfer_is_not_a_file(server: str, tmp_path: Path) -> None:
    assert run(tmp_path, source(server + "/short")) == 1
    assert not list((tmp_path / "media" / "g").glob("*.mp4"))


def test_a_page_needs_yt_dlp(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(tmp_path, source(server + "/page")) == 1
    assert "install yt-dlp" in capsys.readouterr().out
    program = tmp_path / "yt-dlp"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nout = sys.argv[sys.argv.index('--output') + 1]\n"
        f"assert sys.argv[-1] == {server + '/page'!r} and sys.argv[-2] == '--'\n"
        f"open(out.replace('%(ext)s', 'webm'), 'wb').write(b'video' * 50000)\n"
    )
    program.chmod(0o755)
    assert run(tmp_path, source(server + "/page")) == 0
    assert (tmp_path / "media" / "g" / "v.webm").read_bytes() == VIDEO


def test_checking_fetches_nothing(server: str, tmp_path: Path, capsys: Any) -> None:
    assert run(tmp_path, source(server + "/good"), source(server + "/gone", "x"), flags=("--check",)) == 1
    assert "answers (video/mp4)" in capsys.readouterr().out
    assert not (tmp_path / "media").exists()


def test_one_group_can_be_chosen(server: str, tmp_path: Path) -> None:
    assert run(tmp_path, source(server + "/gone"), flags=("--group", "other")) == 1
    assert not (tmp_path / "dead.txt").exists()


@pytest.mark.parametrize("name", ["plain", "a b", "../../x", "视频", "..", "-rf", "a/b"])
def test_names_lead_nowhere_and_are_those_of_the_release(name: str) -> None:
    safe = fetch_media.safe(name)
    assert "/" not in safe
    assert safe not in ("", ".", "..")
    assert media_name("g", name, ".mp4") == f"g/{safe}.mp4"


def test_the_script_stands_alone(tmp_path: Path, server: str) -> None:
    script = tmp_path / "fetch.py"
    script.write_bytes(Path(fetch_media.__file__).read_bytes())
    (tmp_path / "evidence.jsonl").write_text(json.dumps(source(server + "/good")) + "\n")
    command = [sys.executable, "-I", "-S", str(script), "--wait", "0"]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "media" / "g" / "v.mp4").read_bytes() == VIDEO


@pytest.mark.parametrize("content", [None, "{", "[1]\n", '{"url": "x"}\n', "\xff"])
def test_a_list_of_sources_that_cannot_be_read_is_told(tmp_path: Path, content: str | None, capsys: Any) -> None:
    path = tmp_path / "evidence.jsonl"
    if content is not None:
        path.write_bytes(content.encode("latin-1"))
    assert fetch_media.main(["--evidence", str(path)]) == 1
    assert f"{path} cannot be read: " in capsys.readouterr().err
