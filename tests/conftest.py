"""Shared by all tests: the data that lies beside the repository, and a rule against the network."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def shared_data(*parts: str) -> Path:
    """A path in the shared data folder; skips the test where that folder is not there."""
    folder = Path(os.environ.get("BENCHWRIGHT_DATA", ROOT.parent / "shared" / "data"))
    path = folder.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs {'/'.join(parts)} in the data folder (set BENCHWRIGHT_DATA)")
    return path


@pytest.fixture
def data() -> Path:
    """The shared data folder."""
    return shared_data()
