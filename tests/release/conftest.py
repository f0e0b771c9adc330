"""The review tests' run, reviewed once: what releases are made from."""

import shutil
from pathlib import Path

import pytest

from graphs.release import main
from records.review import Reviewer, Score
from review.assigning import AssignmentSettings
from review.desk import Desk
from review.edits import form_of
from review.journal import Journal
from review.material import LiveMaterial
from review.sheets import load_sheet
from store.run import Run
from tests.review.conftest import ANN, BOB, MEI, made_run, run_folder

__all__ = ["made_run", "out", "reviewed", "run_folder"]
LEVELS = {"p": "pass", "u": "uncertainty", "f": "fail"}


def score(desk: Desk, reviewer: Reviewer, item_id: str, scores: str, revision: int = 0) -> None:
    for dimension, level in zip(desk.sheet.dimensions, scores, strict=True):
        desk.journal.save_score(
            Score(
                item_id=item_id, revision=revision, reviewer=reviewer.name, dimension=dimension.id, level=LEVELS[level]
            )
        )


@pytest.fixture(scope="session")
def reviewed(made_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three people have reviewed everything; one item is failed by one of them, one corrected, one not finished."""
    folder = Path(shutil.copytree(made_run, tmp_path_factory.mktemp("reviewed") / made_run.name))
    with Run.open(folder) as run, Journal.open(folder) as journal:
        desk = Desk(run, journal, load_sheet("vnu"), LiveMaterial(run))
        desk.plan((ANN, BOB, MEI), AssignmentSettings(share=1.0))
        items = list(desk.material.items)
        for number, item_id in enumerate(items):
            for reviewer in (ANN, BOB, MEI):
                if (number, reviewer) != (4, BOB):
                    score(desk, reviewer, item_id, "pfp" if (number, reviewer) == (1, ANN) else "ppu")
        stem = "Which figures do TAG_A and TAG_B give for it?"
        desk.save_edit(MEI, items[2], 0, form_of(desk.question(items[2], 0)).model_copy(update={"stem": stem}))
        score(desk, MEI, items[2], "ppp", revision=1)
    return folder


@pytest.fixture(scope="session")
def made_out(reviewed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One release of the reviewed run."""
    folder = tmp_path_factory.mktemp("made") / "out"
    words = ["--license", "CC-BY-4.0", "--name", "Calder", "--version", "2.1"]
    assert main(["--run", str(reviewed), "--out", str(folder), *words]) == 2
    return folder


@pytest.fixture
def out(made_out: Path, tmp_path: Path) -> Path:
    """A copy of the release."""
    return Path(shutil.copytree(made_out, tmp_path / "out"))
