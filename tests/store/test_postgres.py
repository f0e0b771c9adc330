"""The same run in a PostgreSQL schema. Needs BENCHWRIGHT_POSTGRES, the address of a server that may be written to."""

import contextlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

from records.errors import RunError
from store.database import schema_of
from store.exports import FILES, write_exports
from store.ledger import total
from store.lock import LOCK_FILE
from store.run import Run
from tests.store.building import SET, build_run, call, fill_group, manifest

URL = os.environ.get("BENCHWRIGHT_POSTGRES", "")
pytestmark = pytest.mark.skipif(not URL, reason="needs a PostgreSQL server (set BENCHWRIGHT_POSTGRES)")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / f"run-{uuid.uuid4().hex[:8]}"
    yield path
    engine = create_engine(URL.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(text(f'DROP SCHEMA IF EXISTS "{schema_of(path.name)}" CASCADE'))
    engine.dispose()


def test_a_run_on_a_server_is_the_same_run(folder: Path, tmp_path: Path) -> None:
    build_run(tmp_path / "file").close()
    with Run.create(folder, manifest(), database_url=URL) as run:
        with run.transaction():
            fill_group(run)
        run.cache_hit(call("r-1", "draft"))
        run.cache_hit(call("r-1", "draft"))
        write_exports(run, SET)
        assert total(run).cache_hits == 2
        assert run.failure_of("r-1") is None
    with Run.open(tmp_path / "file") as file_run:
        write_exports(file_run, SET, tmp_path)
    for name in FILES.values():
        assert (folder / name).read_bytes() == (tmp_path / name).read_bytes()


def test_the_server_refuses_a_second_writer_whose_folder_lock_does_not_reach(folder: Path) -> None:
    with Run.create(folder, manifest(), database_url=URL, command="first") as run:
        (folder / LOCK_FILE).unlink()
        with pytest.raises(RunError, match=r"written by process \d+ on .*: first"):
            Run.open(folder, write=True, database_url=URL)
        with Run.open(folder, database_url=URL) as reader:
            run.finished(call("r-1", "draft"))
            assert reader.trace("r-1") == (call("r-1", "draft"),)
            with pytest.raises(RunError, match="opened for reading"):
                reader.finished(call("r-2", "draft"))
    with contextlib.closing(Run.open(folder, write=True, database_url=URL)) as again:
        assert again.spent_usd() == pytest.approx(0.01)


def test_the_password_is_in_no_file_and_the_address_is_asked_for(folder: Path) -> None:
    Run.create(folder, manifest(), database_url=URL).close()
    text_kept = (folder / "run.yaml").read_text(encoding="utf-8")
    assert "database: postgresql" in text_kept
    assert (make_url(URL).password or "no password given") not in text_kept
    with pytest.raises(RunError, match="keeps its records in postgresql"):
        Run.open(folder)
