"""The run: what is put comes back, resumes only on an equal configuration, and has one writer."""

from pathlib import Path

import pytest

from records.errors import RunError
from records.questions import DraftRecord
from store.run import Run, RunManifest


def draft(reason: str = "no conflict exists") -> DraftRecord:
    return DraftRecord(
        slot="calder/T7/1", group_id="calder", type_id="T7", drafter="d", outcome="declined", reason=reason
    )


def test_an_equal_record_is_left_alone_and_another_becomes_a_revision(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", RunManifest(seed=7)) as run:
        assert run.put("draft", "calder/T7/1", draft(), group_id="calder")
        assert not run.put("draft", "calder/T7/1", draft(), group_id="calder")
        assert run.put("draft", "calder/T7/1", draft("other"), group_id="calder")
        assert run.get("draft", "calder/T7/1", DraftRecord) == draft("other")
        assert run.history("draft", "calder/T7/1", DraftRecord) == (draft(), draft("other"))
        assert run.all("draft", DraftRecord) == (draft("other"),)
        assert run.get("draft", "calder/T8/1", DraftRecord) is None


def test_a_second_writer_is_refused_and_a_reader_is_not(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with Run.create(folder, RunManifest(seed=7), command="graphs.generate --seed 7") as run:
        run.put("draft", "calder/T7/1", draft())
        with pytest.raises(RunError, match=r"written by process \d+ on .* since 2.*: graphs.generate --seed 7"):
            Run.open(folder, write=True)
        with Run.open(folder) as reader:
            assert reader.all("draft", DraftRecord) == (draft(),)
            with pytest.raises(RunError, match="opened for reading"):
                reader.put("draft", "x", draft())


def test_another_configuration_is_refused_with_the_list_of_what_differs(tmp_path: Path) -> None:
    Run.create(tmp_path / "run", RunManifest(seed=7)).close()
    with pytest.raises(RunError, match="seed: 7 in the run, 8 now"):
        Run.open_or_create(tmp_path / "run", RunManifest(seed=8))
    with Run.open_or_create(tmp_path / "run", RunManifest(seed=7)) as run:
        assert len(run.sessions()) == 2
