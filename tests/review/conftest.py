"""Runs and servers for the review tests."""

import shutil
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from records.review import Reviewer
from review.assigning import AssignmentSettings
from review.desk import Desk
from review.journal import Journal
from review.material import LiveMaterial
from review.sheets import load_sheet
from store.run import Run
from tests.review import synthetic

MEI = Reviewer(name="mei", native=("chinese",), lead=True)
ANN = Reviewer(name="ann")
BOB = Reviewer(name="bob")


@pytest.fixture(scope="session")
def made_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One run for all tests; take a copy with `run_folder` before writing to it."""
    return synthetic.make_run(tmp_path_factory.mktemp("made") / "calder-run")


@pytest.fixture
def run_folder(made_run: Path, tmp_path: Path) -> Path:
    """A copy of the run; its videos stay where they are."""
    return Path(shutil.copytree(made_run, tmp_path / made_run.name))


@pytest.fixture
def desk(run_folder: Path) -> Iterator[Desk]:
    """A desk on a copy of the run, with the news sheet and nobody assigned yet."""
    with Run.open(run_folder) as run, Journal.open(run_folder) as journal:
        yield Desk(run, journal, load_sheet("vnu"), LiveMaterial(run))


@dataclass
class Served:
    """A running review server."""

    address: str
    desk: Desk
    users: Path


@pytest.fixture(scope="module")
def served(made_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The whole app on a free port of this machine, for mei (lead, native), ann and bob; every item is for all."""
    pytest.importorskip("gradio")
    import uvicorn

    from review.server import Door, build_server

    folder = tmp_path_factory.mktemp("served")
    copy = Path(shutil.copytree(made_run, folder / made_run.name))
    users = synthetic.make_users(folder / "users.json", MEI, ANN, BOB)
    with Run.open(copy) as run, Journal.open(copy) as journal:
        desk = Desk(run, journal, load_sheet("vnu"), LiveMaterial(run))
        desk.plan((MEI, ANN, BOB), AssignmentSettings(share=1.0))
        config = uvicorn.Config(build_server(desk, Door(users)), host="127.0.0.1", port=0, log_level="warning")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        for _ in range(200):
            if server.started:
                break
            time.sleep(0.05)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield Served(f"http://127.0.0.1:{port}", desk, users)
        server.should_exit = True
        thread.join(timeout=10)
