"""The command lines of review: who gets what, and errors that say what to do."""

import socket
import sqlite3
from pathlib import Path

import pytest

from records.review import Reviewer
from review import __main__ as app
from review import assign, sheet
from review.journal import Journal
from tests.review.conftest import ANN, BOB, MEI
from tests.review.synthetic import make_users

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def flags(run_folder: Path, tmp_path: Path) -> list[str]:
    users = make_users(tmp_path / "users.json", ANN, BOB, MEI, Reviewer(name="eve", languages=("en",)))
    return ["--run", str(run_folder), "--users", str(users)]


def test_items_are_dealt_out_once(flags: list[str], capsys: Capture) -> None:
    assert assign.main([*flags, "--share", "0.4"]) == 0
    first = capsys.readouterr().out
    assert [line.split(":")[0] for line in first.splitlines()] == ["ann", "bob", "eve", "mei"]
    assert assign.main([*flags, "--share", "0.4"]) == 0
    assert capsys.readouterr().out == first


def test_a_missing_native_is_warned_about(run_folder: Path, tmp_path: Path, capsys: Capture) -> None:
    users = make_users(tmp_path / "users.json", ANN, BOB)
    assert assign.main(["--run", str(run_folder), "--users", str(users)]) == 0
    assert "nobody is marked as native to chinese" in capsys.readouterr().err


def test_an_item_is_given_to_an_adjudicator(flags: list[str], run_folder: Path, capsys: Capture) -> None:
    assign.main(flags)
    with Journal.open(run_folder) as journal:
        held = journal.assignments()
    item_id = held[0].item_id
    free = next(
        name for name in ("ann", "bob", "mei") if name not in {o.reviewer for o in held if o.item_id == item_id}
    )
    assert assign.main([*flags, "--item", item_id, "--to", free]) == 0
    assert f"1 item(s) given to {free}" in capsys.readouterr().out
    assert assign.main([*flags, "--item", item_id, "--to", free]) == 0
    assert "0 item(s)" in capsys.readouterr().out
    with Journal.open(run_folder) as journal:
        assert [one.role for one in journal.assignments(item_id=item_id, reviewer=free)] == ["adjudicator"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--item", "q-none", "--to", "ann"], "the run has no item q-none"),
        (["--item", "q-none", "--to", "zoe"], "there is no user 'zoe'"),
        (["--each", "0"], "--each: "),
        (["--sheet", "none"], "no score sheet named 'none'"),
        (["--set", "none"], "has no judgement set 'none'. It has: mixed"),
    ],
)
def test_errors_say_what_is_wrong(flags: list[str], capsys: Capture, more: list[str], message: str) -> None:
    assert assign.main([*flags, *more]) == 1
    assert message in capsys.readouterr().err


def test_an_item_in_a_language_that_somebody_does_not_read(flags: list[str], run_folder: Path, capsys: Capture) -> None:
    from records.verdicts import Item
    from store.run import Run

    with Run.open(run_folder) as run:
        item_id = next(one.item_id for one in run.all("item", Item) if one.question.language == "zh")
    assert assign.main([*flags, "--item", item_id, "--to", "eve"]) == 1
    assert "eve does not read zh" in capsys.readouterr().err


def test_the_app_needs_users_and_a_run(tmp_path: Path, run_folder: Path, capsys: Capture) -> None:
    assert app.main(["--run", str(run_folder), "--users", str(tmp_path / "none.json")]) == 1
    assert "python -m review.users add NAME" in capsys.readouterr().err
    users = make_users(tmp_path / "users.json", ANN)
    assert app.main(["--run", str(tmp_path / "none"), "--users", str(users)]) == 1
    assert "holds no run" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        app.main(["--run", "x", "--share", "3"])
    assert "a share from 0 to 1" in capsys.readouterr().err


def test_the_app_listens_on_this_machine_alone_unless_told(
    flags: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    import uvicorn

    places = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda _, sockets: places.append(sockets[0].getsockname()))
    assert app.build_parser().parse_args(flags).port == 7860
    assert app.main([*flags, "--port", "0"]) == 0
    assert app.main([*flags, "--host", "0.0.0.0", "--port", "0"]) == 0
    assert [host for host, _ in places] == ["127.0.0.1", "0.0.0.0"]
    out = capsys.readouterr().out
    assert [f"Review: http://{host}:{port}/" in out for host, port in places] == [True, True]


def test_a_place_that_is_taken_is_told_before_an_address_is_printed(flags: list[str], capsys: Capture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for more, why in (
            (["--port", port], "Address already in use"),
            (["--port", "99999"], "port must be 0-65535"),
            (["--host", "192.0.2.1", "--port", "0"], "Cannot assign requested address"),
        ):
            assert app.main([*flags, *more]) == 1
            told = capsys.readouterr()
            assert f"cannot listen on {more[1] if '--host' in more else '127.0.0.1'}" in told.err
            assert why in told.err
            assert "Review: http" not in told.out


def test_included_items_are_reviewed_too(flags: list[str], run_folder: Path) -> None:
    assert assign.main([*flags, "--include", "removed"]) == 0
    with Journal.open(run_folder) as journal:
        assert len({one.item_id for one in journal.assignments()}) == 12


def test_a_run_of_which_nothing_was_kept_says_so(
    flags: list[str], run_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    import uvicorn

    from graphs.release import main as release
    from records.verdicts import Item
    from store.run import Run

    with Run.open(run_folder) as run:
        kept = [one for one in run.all("item", Item) if one.outcome == "kept"]
    with sqlite3.connect(run_folder / "run.sqlite") as database:
        for item in kept:
            database.execute("DELETE FROM records WHERE kind = 'item' AND \"key\" = ?", (item.item_id,))
    monkeypatch.setattr(uvicorn.Server, "run", lambda *_, **__: None)
    exported = ["--run", str(run_folder), "--export", str(tmp_path / "work.csv")]
    for main, words in ((assign.main, flags), (app.main, [*flags, "--port", "0"]), (sheet.main, exported)):
        assert main(words) == 0
        assert "has nothing to review: its panel kept no item. --include undecided" in capsys.readouterr().err
    assert release(["--run", str(run_folder), "--out", str(tmp_path / "o"), "--unreviewed"]) == 1
    told = capsys.readouterr().err
    assert "the panel kept no item" in told
    assert "add --unreviewed" not in told
