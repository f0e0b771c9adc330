"""The run: what is put comes back, resumes only on an equal configuration, and has one writer."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from records.config import Panel
from records.errors import ConfigurationError, RunError
from records.questions import DraftRecord
from records.verdicts import ChoiceVerdict, JudgeFailure, Verdict
from store.lock import holder, is_held
from store.manifest import read_manifest
from store.run import Run, RunManifest
from tests.store.building import SET, build_run, call, choice, failure, manifest, panel, question

ROOT = Path(__file__).resolve().parents[2]


def draft(reason: str = "no conflict exists", slot: str = "calder/T7/1") -> DraftRecord:
    return DraftRecord(slot=slot, group_id="calder", type_id="T7", drafter="d", outcome="declined", reason=reason)


def test_an_equal_record_is_left_alone_and_another_becomes_a_revision(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", RunManifest(seed=7)) as run:
        assert run.put("draft", "calder/T7/1", draft(), group_id="calder")
        assert not run.put("draft", "calder/T7/1", draft(), group_id="calder")
        assert run.put("draft", "calder/T7/1", draft("other"), group_id="calder")
        assert run.put("draft", "calder/T7/1", draft(), group_id="calder")
        assert run.get("draft", "calder/T7/1", DraftRecord) == draft()
        assert run.history("draft", "calder/T7/1", DraftRecord) == (draft(), draft("other"), draft())
        assert run.all("draft", DraftRecord) == (draft(),)
        assert run.get("draft", "calder/T8/1", DraftRecord) is None


def test_group_and_set_are_part_of_the_key(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", RunManifest()) as run:
        for group in ("a", "b"):
            for set_name in ("main", "second"):
                run.put("draft", "k", draft(f"{group} {set_name}"), group_id=group, set_name=set_name)
        assert run.get("draft", "k", DraftRecord, set_name="main", group_id="a") == draft("a main")
        assert [one.reason for one in run.all("draft", DraftRecord, set_name="second")] == ["a second", "b second"]
        assert [one.reason for one in run.all("draft", DraftRecord, group_id="b")] == ["b main", "b second"]
        assert run.get("draft", "k", DraftRecord) is None, "the empty set is a set of its own"


def test_a_union_is_read_through_its_adapter(tmp_path: Path) -> None:
    asked = question("When (TAG_A vs TAG_B)?")
    kept: list[Verdict] = [
        choice(asked, "difficulty", "qwen", "all", "C", None),
        failure(asked, "difficulty", "gpt-4o", "all"),
    ]
    verdicts: TypeAdapter[Verdict] = TypeAdapter(Verdict)
    with Run.create(tmp_path / "run", RunManifest()) as run:
        for one in kept:
            run.put("verdict", one.seat, one)
        assert set(run.all("verdict", verdicts)) == set(kept)
        assert isinstance(run.get("verdict", "gpt-4o", verdicts), JudgeFailure)
        assert isinstance(run.get("verdict", "qwen", verdicts), ChoiceVerdict)


def test_the_table_of_contents_knows_type_and_outcome(tmp_path: Path) -> None:
    with build_run(tmp_path / "run") as run:
        outcomes = sorted(entry.outcome for entry in run.index("item", set_name=SET))
        assert outcomes == ["kept", "kept", "removed", "removed", "removed", "undecided"]
        assert {entry.type_id for entry in run.index("item")} == {"T2", "T7"}
        assert run.sets() == (SET,)


def test_a_second_writer_is_refused_and_a_reader_is_not(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with Run.create(folder, RunManifest(seed=7), command="graphs.generate --seed 7") as run:
        run.put("draft", "calder/T7/1", draft())
        assert is_held(folder)
        with pytest.raises(RunError, match=r"written by process \d+ on .* since 2.*: graphs.generate --seed 7"):
            Run.open(folder, write=True)
        with Run.open(folder) as reader:
            assert reader.all("draft", DraftRecord) == (draft(),)
            run.put("draft", "calder/T7/2", draft(slot="calder/T7/2"))
            assert len(reader.all("draft", DraftRecord)) == 2, "a reader sees what is written after it opened"
            with pytest.raises(RunError, match="opened for reading"):
                reader.put("draft", "x", draft())
            with pytest.raises(RunError, match="opened for reading"):
                reader.finished(call("r-1", "draft"))
    assert not is_held(folder)
    assert holder(folder) is None


def test_a_killed_writer_leaves_no_lock(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    code = (
        "import sys, time; from pathlib import Path; from store.run import Run, RunManifest\n"
        "run = Run.create(Path(sys.argv[1]), RunManifest(seed=7), command='first'); print('open', flush=True)\n"
        "time.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert child.stdout is not None
    assert child.stdout.readline() == "open\n"
    with pytest.raises(RunError, match=rf"process {child.pid} on .*: first"):
        Run.open_or_create(folder, RunManifest(seed=7))
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    with Run.open_or_create(folder, RunManifest(seed=7)) as run:
        first, second = run.sessions()
        assert (first.pid, first.ended, first.exit_code) == (child.pid, "", None)
        assert second.pid == os.getpid()


def test_another_configuration_is_refused_with_the_list_of_what_differs(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with Run.create(folder, manifest(seed=7)) as run:
        run.put("draft", "calder/T7/1", draft())
    other = manifest(seed=8).model_copy(update={"panel": panel().model_copy(update={"schedule": "full"})})
    with pytest.raises(
        RunError, match=r"panel.schedule: 'frugal' in the run, 'full' now; seed: 7 in the run, 8 now.*graphs.judge"
    ):
        Run.open_or_create(folder, other)
    with Run.open_or_create(folder, manifest(seed=7)) as run:
        assert len(run.sessions()) == 2


def test_a_run_that_asked_and_kept_nothing_takes_other_settings(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with Run.create(folder, manifest(seed=7)) as run:
        run.finished(call("probe", "preflight"))
    with Run.open_or_create(folder, manifest(seed=8)) as run:
        assert run.manifest.seed == 8
    with Run.open_or_create(folder, manifest(seed=9)) as run:
        run.finished(call("first", "draft"))
    assert read_manifest(folder).seed == 9
    with pytest.raises(RunError, match="seed: 9 in the run, 7 now"):
        Run.open_or_create(folder, manifest(seed=7))


def test_create_never_overwrites(tmp_path: Path) -> None:
    Run.create(tmp_path / "run", RunManifest()).close()
    with pytest.raises(RunError, match="already holds a run"):
        Run.create(tmp_path / "run", RunManifest())
    Run.open(tmp_path / "run", write=True).close()


def test_a_folder_without_a_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"holds no run: run.yaml is missing"):
        Run.open(tmp_path)


def test_the_end_of_a_session_is_recorded(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with Run.create(folder, RunManifest()):
        pass
    with Run.open(folder, write=True) as run:
        run.end(2, "3 undecided items")
    with pytest.raises(ZeroDivisionError), Run.open(folder, write=True):
        _ = 1 / 0
    with Run.open(folder) as run:
        ends = [(one.exit_code, one.note) for one in run.sessions()]
    assert ends == [(0, ""), (2, "3 undecided items"), (1, "ZeroDivisionError: division by zero")]


def put_and_fail(run: Run) -> None:
    with run.transaction():
        run.put("draft", "a", draft())
        run.finished(call("r-1", "draft"))
        raise ZeroDivisionError


def test_a_transaction_is_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", RunManifest()) as run:
        with pytest.raises(ZeroDivisionError):
            put_and_fail(run)
        assert run.all("draft", DraftRecord) == ()
        assert run.trace("r-1") == ()
        assert run.spent_usd() == 0.0
        run.finished(call("r-1", "draft"))
        assert run.trace("r-1") == (call("r-1", "draft"),), "texts of the lost transaction are stored again"
        assert run.spent_usd() == pytest.approx(0.01)


def put_around_a_swallowed_failure(run: Run) -> None:
    with run.transaction():
        run.put("draft", "before", draft())
        with contextlib.suppress(ZeroDivisionError):
            put_and_fail(run)
        run.put("draft", "after", draft())


def test_an_error_swallowed_inside_a_transaction_does_not_keep_half(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", RunManifest()) as run:
        with pytest.raises(RunError, match="nothing of it was kept"):
            put_around_a_swallowed_failure(run)
        assert run.all("draft", DraftRecord) == ()
        assert run.put("draft", "c", draft())
        assert len(run.all("draft", DraftRecord)) == 1


def test_a_damaged_database_is_said_and_gives_the_lock_back(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    Run.create(folder, RunManifest()).close()
    (folder / "run.sqlite").write_bytes(b"this is no database" * 400)
    for _ in range(2):
        with pytest.raises(RunError, match=r"is damaged: file is not a database.*recover"):
            Run.open(folder, write=True)
    with pytest.raises(RunError, match="is damaged"):
        Run.open(folder)


def test_tables_of_a_later_version_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    Run.create(folder, RunManifest()).close()
    with sqlite3.connect(folder / "run.sqlite") as connection:
        connection.execute("UPDATE meta SET value = '99'")
    connection.close()
    for write in (False, True):
        with pytest.raises(RunError, match=r"later version \(tables 99"):
            Run.open(folder, write=write)


def test_a_missing_frame_is_named(tmp_path: Path) -> None:
    with build_run(tmp_path / "run") as run:
        sha = next(run.frames_dir.glob("*.jpg")).stem
        assert run.image(sha).startswith(b"\xff\xd8")
        with pytest.raises(RunError, match=r"frames/ffff.jpg cannot be read"):
            run.image("ffff")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_run_on_a_read_only_medium_can_be_read(tmp_path: Path) -> None:
    build_run(tmp_path / "run").close()
    (tmp_path / "run").chmod(0o500)
    with Run.open(tmp_path / "run") as run:
        assert len(run.index("item")) == 6


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    with pytest.raises(RunError, match=r"file/run cannot be made: Not a directory"):
        Run.create(tmp_path / "file" / "run", RunManifest())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    build_run(tmp_path / "run").close()
    (tmp_path / "run").chmod(0o500)
    (tmp_path / "run" / "writer.lock").chmod(0o400)
    with pytest.raises(RunError, match="cannot be written"):
        Run.open(tmp_path / "run", write=True)


def test_each_set_has_its_panel(tmp_path: Path) -> None:
    with build_run(tmp_path / "run") as run:
        other = panel().model_copy(update={"name": "mixed"})
        run.put("panel", "second", other, set_name="second")
        assert run.panel("second") == other
        assert run.panel(SET) == panel()
        assert run.panel("third") is None
        assert isinstance(run.get("panel", "second", Panel, set_name="second"), Panel)


def test_an_address_that_does_not_belong_to_the_run_is_refused(tmp_path: Path) -> None:
    Run.create(tmp_path / "run", RunManifest()).close()
    with pytest.raises(RunError, match="records in a file of its own"):
        Run.open(tmp_path / "run", database_url="postgresql://localhost/none")


def test_thousands_of_items_open_fast(tmp_path: Path) -> None:
    with build_run(tmp_path / "run") as run:
        body = run.all("draft", DraftRecord)[0]
        with run.transaction():
            for n in range(4000):
                run.put("draft", f"more/{n}", body)
    started = time.process_time()
    with Run.open(tmp_path / "run") as run:
        assert run.index("item", set_name=SET)
    assert time.process_time() - started < 0.25


def test_the_folder_explains_itself(tmp_path: Path) -> None:
    with build_run(tmp_path / "run") as run:
        text = (run.folder / "run.yaml").read_text(encoding="utf-8")
        assert Run.open(run.folder).manifest == run.manifest
    for word in ("seed: 7", "commit: abc1234", "name: paper", "pydantic:", "drafter.md:", "graphs.generate", "python:"):
        assert word in text


def test_no_driver_for_postgres_is_a_configuration_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ConfigurationError, match="psycopg"):
        Run.create(tmp_path / "run", RunManifest(), database_url="postgresql://localhost/none")
    assert not (tmp_path / "run" / "run.yaml").exists()
