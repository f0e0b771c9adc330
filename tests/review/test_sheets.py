"""Score sheets: both papers' sheets, a team's own, and every way in which one can be wrong."""

from pathlib import Path

import pytest

from records.errors import ConfigurationError
from records.review import Policy, Sheet
from review.sheets import load_policy, load_sheet, sheet_for, sheet_names

OWN = """
title: My sheet
dimensions:
  - id: truth
    name: Truth
    levels:
      - {value: 0, name: no, points: 0, fails: true}
      - {value: 1, name: "yes", points: 1}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "own.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_news_sheet_has_the_papers_dimensions_and_labels() -> None:
    sheet = sheet_for("news")
    assert [one.id for one in sheet.dimensions] == ["correctness", "naturalness", "task_compliance"]
    assert {one.values for one in sheet.dimensions} == {("fail", "uncertainty", "pass")}
    assert [level.key for one in sheet.dimensions for level in one.levels] == list("123456789")
    assert sheet.policy.rule == "any-fail"


def test_the_video_sheet_adds_up_to_five() -> None:
    sheet = sheet_for("video")
    assert [one.values for one in sheet.dimensions] == [("0", "1"), ("0", "1", "2"), ("0", "1", "2")]
    assert sheet.best == 5
    assert (sheet.policy.accept, sheet.policy.revise) == (5, 4)


@pytest.mark.parametrize("name", sheet_names())
def test_every_text_is_there_in_both_languages(name: str) -> None:
    sheet = load_sheet(name)
    texts = [sheet.title, *(advice.say for advice in sheet.policy.advice)]
    for dimension in sheet.dimensions:
        texts += [dimension.name, dimension.question, *(level.name for level in dimension.levels)]
        texts += [level.criteria for level in dimension.levels]
    assert all(set(text) == {"en", "zh"} and all(text.values()) for text in texts)


def test_an_own_sheet_needs_little(tmp_path: Path) -> None:
    sheet = load_sheet(write(tmp_path, OWN.replace("name: no", 'name: "no"')))
    assert sheet.name == "own"
    assert sheet.title == {"en": "My sheet"}
    assert sheet.dimensions[0].values == ("0", "1")
    assert [level.key for level in sheet.dimensions[0].levels] == ["1", "2"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("title: My sheet", "title: My sheet\ncolour: red", "colour: unknown field .*title.*dimensions"),
        ("points: 1", "point: 1", r"dimensions.0.levels.1.point: unknown field .*criteria"),
        ("value: 1", "value: 0", "values of truth must differ; used twice: 0"),
        ("points: 1", "points: 0", "from worst to best"),
        ("points: 1}", "points: 1, key: n}", "shortcut keys n belong to the page"),
        ("points: 1}", "points: 1, key: ab}", "a shortcut key is one character"),
        ("points: 0, fails: true", "points: 0", "needs a level with `fails: true`"),
        ("title: My sheet", "title: My sheet\npolicy: {rule: total}", "needs policy.accept"),
        ("title: My sheet", "title: My sheet\npolicy: {rule: total, accept: 7}", "best total is 1"),
        ("title: My sheet", "title: My sheet\npolicy: {rule: mean, accept: 3}", "a share from 0 to 1"),
        ("title: My sheet", "title: My sheet\npolicy: {rule: total, accept: 1, revise: 2}", "must not be above"),
        ("title: My sheet", "title: x\npolicy: {advice: [{dimension: style, say: x}]}", "names no dimension.*style"),
        ("title: My sheet", "title: [", "not valid YAML"),
        ("  - id: truth", "  - id: truth\n    levels: []\n  - id: other", "levels"),
    ],
)
def test_a_wrong_sheet_is_told_by_file_and_field(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = OWN.replace("name: no", 'name: "no"')
    assert old in text
    path = write(tmp_path, text.replace(old, new, 1))
    with pytest.raises(ConfigurationError, match=message) as caught:
        load_sheet(path)
    assert str(path) in str(caught.value)


def test_an_unknown_name_lists_the_sheets() -> None:
    with pytest.raises(ConfigurationError, match="videovista, vnu"):
        load_sheet("nothing")
    with pytest.raises(ConfigurationError, match="no score sheet is made for the track 'radio'"):
        sheet_for("radio")


def test_a_policy_may_stand_alone_or_in_a_sheet(tmp_path: Path) -> None:
    news, video = load_sheet("vnu"), load_sheet("videovista")
    alone = write(tmp_path, "rule: majority\ntie: discard\n")
    assert load_policy(alone, news) == Policy(rule="majority", tie="discard")
    assert load_policy(Path("configs/sheets/videovista.yaml").resolve(), video).rule == "total"
    with pytest.raises(ConfigurationError, match=r"unknown field .*rule.*accept"):
        load_policy(write(tmp_path, "rules: majority\n"), news)


@pytest.mark.parametrize(
    ("sheet", "text", "why"),
    [
        ("vnu", "rule: total", "total needs policy.accept"),
        ("vnu", "rule: mean", "mean needs policy.accept"),
        ("vnu", "rule: total\naccept: 60", "best total is 6"),
        ("vnu", "rule: mean\naccept: 4", "a share from 0 to 1"),
        ("vnu", "rule: any-fail\naccept: 5", "policy.accept means nothing"),
        ("vnu", "rule: mean\naccept: 0.5\nrevise: 0.4", "policy.revise means nothing"),
        ("vnu", "rule: total\naccept: 3\nrevise: 4", "must not be above"),
        ("videovista", "rule: majority", "needs a level with `fails: true`"),
        ("videovista", "rule: any-fail", "needs a level with `fails: true`"),
        ("vnu", (Path("configs/sheets/videovista.yaml")), "names no dimension of this sheet"),
    ],
)
def test_a_policy_that_cannot_decide_on_the_sheet_is_refused(
    tmp_path: Path, sheet: str, text: str | Path, why: str
) -> None:
    path = text if isinstance(text, Path) else write(tmp_path, text)
    with pytest.raises(ConfigurationError, match=why):
        load_policy(path, load_sheet(sheet))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        *(("id: truth", f'id: "{name}"', "cannot be a dimension's id") for name in ("", "a b", "<i>", "comment")),
        *(("id: truth", f"id: {name}", "a column of") for name in ("reviewer", "edit_key", "option_A", "overall")),
        ("value: 0", 'value: ""', "cannot be a value"),
        ("value: 0", 'value: " no "', "cannot be a value"),
        ("points: 1", "points: .inf", "needs a number of points"),
        ("points: 1", "points: .nan", "needs a number of points"),
        ("points: 0", "points: -1", "mean needs points of 0 or more"),
    ],
)
def test_what_tables_and_sums_cannot_hold_is_refused(tmp_path: Path, old: str, new: str, why: str) -> None:
    text = OWN.replace("name: no", 'name: "no"') + ("policy: {rule: mean, accept: 0.5}\n" if "mean" in why else "")
    with pytest.raises(ConfigurationError, match=why):
        load_sheet(write(tmp_path, text.replace(old, new)))


def scores(sheet: Sheet, *values: str) -> dict[str, str]:
    return dict(zip([one.id for one in sheet.dimensions], values, strict=False))


@pytest.mark.parametrize(
    ("name", "values", "verdict"),
    [
        ("vnu", ("pass", "pass"), "incomplete"),
        ("vnu", ("pass", "pass", "pass"), "accept"),
        ("vnu", ("uncertainty", "uncertainty", "uncertainty"), "accept"),
        ("vnu", ("pass", "fail", "pass"), "discard"),
        ("videovista", ("1", "2", "2"), "accept"),
        ("videovista", ("0", "2", "2"), "revise"),
        ("videovista", ("1", "1", "2"), "revise"),
        ("videovista", ("1", "1", "1"), "discard"),
        ("videovista", ("0", "2", "1"), "discard"),
    ],
)
def test_what_one_review_asks_for(name: str, values: tuple[str, ...], verdict: str) -> None:
    sheet = load_sheet(name)
    assert sheet.verdict(scores(sheet, *values)) == verdict


@pytest.mark.parametrize(
    ("policy", "values", "verdict"),
    [
        (Policy(uncertain="person"), ("pass", "uncertainty", "pass"), "person"),
        (Policy(uncertain="discard"), ("pass", "uncertainty", "pass"), "discard"),
        (Policy(rule="mean", accept=0.5), ("uncertainty", "pass", "pass"), "accept"),
        (Policy(rule="mean", accept=0.6), ("uncertainty", "pass", "pass"), "discard"),
    ],
)
def test_another_policy_decides_otherwise(policy: Policy, values: tuple[str, ...], verdict: str) -> None:
    sheet = load_sheet("vnu")
    assert sheet.verdict(scores(sheet, *values), policy) == verdict
