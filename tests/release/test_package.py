"""A release from a reviewed run: what is in it, that it is the same twice, and that damage is found."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from eval.importers import load_items
from graphs.release import main
from records.errors import InputError
from release.package import verify
from tests.review.synthetic import MARKUP


def release(run: Path, out: Path, *flags: str) -> int:
    return main(["--run", str(run), "--out", str(out), *flags])


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def test_what_people_failed_or_left_open_is_not_released(out: Path) -> None:
    decisions = {(line["group_id"], line["type_id"]): line for line in lines(out, "decisions")}
    assert len(decisions) == 9
    failed = decisions["calder", "T2"]
    assert (failed["outcome"], failed["reason"]) == ("discarded", "failed in naturalness (1 of 3)")
    open_one = decisions["redmarsh", "T2"]
    assert open_one["outcome"] == "person"
    assert re.fullmatch(r"\['(reviewer-\d|a reviewer) to review'\]", str(open_one["needs"]))
    released = {(line["group_id"], line["type_id"]) for line in lines(out, "items")}
    assert released == set(decisions) - {("calder", "T2"), ("redmarsh", "T2")}


def test_lines_are_what_their_schemas_and_harnesses_say(out: Path) -> None:
    for name in ("items", "evidence", "decisions", "reviews"):
        schema = json.loads((out / "schema" / f"{name}.schema.json").read_text())
        validator = jsonschema.Draft202012Validator(schema)
        found = lines(out, name)
        assert found
        for line in found:
            validator.validate(line)
    for line in lines(out, "items"):
        assert {"question_id", "question", "options", "answer", "answer_index", "category", "src"} <= line.keys()
        assert sorted(line["options"])[line["answer_index"]] == line["answer"] == line["correct_answer"]
        assert list(line["support_map"]) == [line["answer"]]
        assert line["judges"] == ["m1", "m2"]


def test_our_own_evaluation_reads_it(out: Path) -> None:
    items = load_items(out / "items.jsonl").items
    assert [item.item_id for item in items] == [line["item_id"] for line in lines(out, "items")]
    assert [item.key for item in items] == [line["answer"] for line in lines(out, "items")]


def test_a_corrected_question_comes_with_its_new_text(out: Path) -> None:
    (line,) = [line for line in lines(out, "items") if line["revision"]]
    assert line["question"] == "Which figures do TAG_A and TAG_B give for it?"
    assert line["question_id"] != line["item_id"]
    assert line["reviewers"] == 1


def test_key_letters_are_even(out: Path) -> None:
    summary = json.loads((out / "release.json").read_text())
    assert sum(summary["letters"].values()) == 7
    assert max(summary["letters"].values()) - min(summary["letters"].values()) <= 1


def test_people_are_numbers_and_comments_stay_at_home(out: Path) -> None:
    text = "".join(
        path.read_text(encoding="utf-8") for path in out.rglob("*") if path.suffix in (".jsonl", ".md", ".html")
    )
    for name in ("ann", "bob", "mei"):
        assert not re.search(rf"\b{name}\b", text)
    assert {line["reviewer"] for line in lines(out, "reviews")} == {"reviewer-1", "reviewer-2", "reviewer-3"}


def test_by_default_only_hashes_times_and_links_go_out(out: Path) -> None:
    sources = lines(out, "evidence")
    assert len(sources) == 6
    for source in sources:
        assert source["url"].startswith("https://")
        assert re.fullmatch(r"[0-9a-f]{64}", source["media_sha256"])
        assert (source["media_file"], source["transcript_file"]) == ("", "")
        assert all(frame["file"] == "" and frame["time_s"] >= 0 for frame in source["frames"])
    assert not any((out / name).exists() for name in ("frames", "media", "transcripts"))
    text = "".join(path.read_text(encoding="utf-8") for path in out.rglob("*.jsonl"))
    assert "The crew are 24." not in text
    assert "ARTICLE-TEXT" not in text
    assert "普洱茶" in text
    assert {source["license"] for source in sources} == {"CC0", "CC BY 4.0", "unknown"}


def test_the_datasheet_has_numbers_plots_and_warnings(out: Path) -> None:
    page = (out / "datasheet.html").read_text(encoding="utf-8")
    sheet = (out / "datasheet.md").read_text(encoding="utf-8")
    for text in (page, sheet):
        for word in (
            "Calder",
            "2.1",
            "CC-BY-4.0",
            "offline/extractive",
            "any-fail",
            "naturalness",
            "declined",
            "test/m1",
        ):
            assert word in text
    assert page.count("<svg") == len(list((out / "figures").glob("*.svg"))) == 7
    assert "<script" not in page
    assert "http" not in re.sub(r"http://www\.w3\.org/[\w/.#]+", "", page), "nothing is fetched from outside"
    summary = json.loads((out / "release.json").read_text())
    assert any("Orbis24 gives 60% of the videos" in warning for warning in summary["warnings"])
    assert any("1 of 6 sources state no licence" in warning for warning in summary["warnings"])
    assert MARKUP not in page
    assert "Krippendorff" in page


def test_the_same_input_gives_the_same_bytes(reviewed: Path, out: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    release(reviewed, again, "--license", "CC-BY-4.0", "--name", "Calder", "--version", "2.1")
    assert (again / "SHA256SUMS").read_bytes() == (out / "SHA256SUMS").read_bytes()


@pytest.mark.parametrize(("level", "folders"), [("frames", {"frames"}), ("full", {"frames", "media", "transcripts"})])
def test_evidence_can_go_along(reviewed: Path, tmp_path: Path, level: str, folders: set[str]) -> None:
    folder = tmp_path / level
    assert release(reviewed, folder, "--evidence", level) == 2
    assert {path.name for path in folder.iterdir() if path.is_dir()} == folders | {"figures", "schema"}
    assert verify(folder) == ()
    for source in lines(folder, "evidence"):
        assert all((folder / frame["file"]).is_file() for frame in source["frames"])
        assert bool(source["media_file"]) == (level == "full" and source["media"] == "video")
    if level == "full":
        assert any(
            "although some sources state no licence" in one
            for one in json.loads((folder / "release.json").read_text())["warnings"]
        )


def test_a_changed_video_is_not_released(reviewed: Path, tmp_path: Path, made_run: Path, capsys: Any) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(made_run.parent / "videos", moved)
    (moved / "calder" / "calder-a.mp4").write_bytes(b"another")
    assert release(reviewed, tmp_path / "o", "--evidence", "full", "--groups", str(moved)) == 1
    assert "is not the file that was used: its hash differs" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def test_a_whole_release_is_proven(out: Path, capsys: Any) -> None:
    assert main(["--verify", str(out)]) == 0
    assert "whole" in capsys.readouterr().out
    done = subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=out, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def resum(folder: Path) -> None:
    """What somebody would do who changes a release on purpose."""
    from release.package import sha256

    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    text = "".join(f"{sha256(folder / name)}  {name}\n" for name in names if name != "SHA256SUMS")
    (folder / "SHA256SUMS").write_text(text)


def edit_line(folder: Path, name: str, **fields: Any) -> None:
    found = lines(folder, name)
    found[0].update(fields)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in found)
    (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda f: (f / "datasheet.md").unlink(), "datasheet.md: is missing"),
        (lambda f: (f / "extra.txt").write_text("x"), "extra.txt: is not in SHA256SUMS"),
        (lambda f: edit_line(f, "items", question="changed"), "items.jsonl: its checksum differs"),
        (lambda f: (edit_line(f, "items", colour="red"), resum(f)), "items.jsonl: line 1: colour"),
        (lambda f: (edit_line(f, "items", answer_index=9), resum(f)), "do not agree"),
        (lambda f: (edit_line(f, "items", item_id=lines(f, "items")[1]["item_id"]), resum(f)), "occurs 2 times"),
        (lambda f: (edit_line(f, "items", sources={"TAG_A": "gone"}), resum(f)), "has no source calder/gone"),
        (lambda f: (edit_line(f, "decisions", outcome="discarded"), resum(f)), "are not those of items.jsonl"),
        (lambda f: (edit_line(f, "evidence", media_file="../../etc/passwd"), resum(f)), "is missing"),
        (lambda f: (f / "SHA256SUMS").write_text("nonsense\n"), "line 1 cannot be read"),
        (lambda f: (f / "SHA256SUMS").write_bytes(b"\xff\xfe\n"), "line 1 cannot be read"),
        (lambda f: (f / "SHA256SUMS").write_text(f"{'0' * 64}  a\0b\n"), "line 1 cannot be read"),
        (lambda f: (f / "SHA256SUMS").write_text(f"{'0' * 64}  /etc/passwd\n"), "line 1 cannot be read"),
        (lambda f: (f / "dangling").symlink_to("/nonexistent"), "dangling: is not in SHA256SUMS"),
        (lambda f: os.mkfifo(f / "pipe"), "pipe: is not in SHA256SUMS"),
        (lambda f: ((f / "datasheet.md").unlink(), os.mkfifo(f / "datasheet.md")), "datasheet.md: is no file"),
        (lambda f: (f / "items.jsonl").write_bytes(b"\xff\n"), "items.jsonl: line 1"),
        (lambda f: (f / "release.json").write_text("["), "release.json: "),
        (lambda f: ((f / "items.jsonl").write_text(""), resum(f)), "says 7 items, the files have 0"),
    ],
)  # fmt: skip
def test_damage_is_found(out: Path, damage: Any, problem: str) -> None:
    damage(out)
    problems = verify(out)
    assert any(problem in one for one in problems), problems
    assert main(["--verify", str(out)]) == 1


def test_what_was_fetched_does_not_count_as_damage(out: Path) -> None:
    (out / "media").mkdir()
    (out / "media" / "x.mp4").write_bytes(b"x")
    (out / "dead.txt").write_text("x")
    assert verify(out) == ()


def test_a_folder_is_never_overwritten_by_accident(reviewed: Path, out: Path, tmp_path: Path, capsys: Any) -> None:
    assert release(reviewed, out) == 1
    assert "holds a release. Add --overwrite" in capsys.readouterr().err
    assert release(reviewed, out, "--overwrite", "--json") == 2
    assert json.loads(capsys.readouterr().out)["items"] == 7
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").write_text("mine")
    assert release(reviewed, full, "--overwrite") == 1
    assert (full / "mine.txt").read_text() == "mine"
    with pytest.raises(InputError, match="holds no release"):
        verify(full)


def test_a_folder_that_cannot_be_written_is_told(
    reviewed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    (tmp_path / "file").write_text("mine")
    assert release(reviewed, tmp_path / "file" / "o") == 1
    assert "the release cannot be written (Not a directory" in capsys.readouterr().err
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert release(reviewed, Path()) == 2
    assert verify(tmp_path / "here") == ()


def test_without_any_review_nothing_is_released_unless_told(run_folder: Path, tmp_path: Path, capsys: Any) -> None:
    assert release(run_folder, tmp_path / "o") == 1
    told = capsys.readouterr()
    assert "no item can be released" in told.err
    assert "9 items wait for a person" in told.out
    assert release(run_folder, tmp_path / "o", "--unreviewed") == 0
    page = (tmp_path / "o" / "datasheet.html").read_text()
    assert "Not reviewed by people" in page
    assert not (tmp_path / "o" / "reviews.jsonl").exists()
    assert verify(tmp_path / "o") == ()


def test_another_policy_decides_otherwise(reviewed: Path, tmp_path: Path, capsys: Any) -> None:
    policy = tmp_path / "majority.yaml"
    policy.write_text("rule: majority\n")
    assert release(reviewed, tmp_path / "o", "--policy", str(policy)) == 2
    assert len(lines(tmp_path / "o", "items")) == 8
    policy.write_text("rule: total\n")
    assert release(reviewed, tmp_path / "p", "--policy", str(policy)) == 1
    assert "needs policy.accept" in capsys.readouterr().err
    policy.write_text("rule: best-of-three\n")
    assert release(reviewed, tmp_path / "p", "--policy", str(policy)) == 1
    assert "rule" in capsys.readouterr().err


def test_the_command_wants_a_run_or_a_release(capsys: Any) -> None:
    with pytest.raises(SystemExit):
        main(["--out", "x"])
    assert "give --run RUN and --out DIR" in capsys.readouterr().err
