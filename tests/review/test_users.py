"""The users file: what it holds, who gets in, and that nobody else reads it."""

import io
import json
import stat
from pathlib import Path

import pytest

from records.errors import ConfigurationError, InputError
from records.review import Reviewer
from review.users import Users, hash_password, main, new_user, read_users, verify, write_users


@pytest.fixture
def users(tmp_path: Path) -> Path:
    path = tmp_path / "users.json"
    write_users(path, Users(users=(new_user(Reviewer(name="mei", native=("chinese",)), "tall green tree"),)))
    return path


def test_the_right_password_lets_in_and_no_other(users: Path) -> None:
    found = read_users(users)
    assert found.signed_in("mei", "tall green tree") == Reviewer(name="mei", native=("chinese",))
    for name, password in (("mei", "tall green tre"), ("mei", ""), ("", ""), ("ann", "tall green tree")):
        assert found.signed_in(name, password) is None


def test_the_file_holds_no_password_and_is_its_owners_alone(users: Path) -> None:
    assert "tall green tree" not in users.read_text()
    assert stat.S_IMODE(users.stat().st_mode) == 0o600
    assert json.loads(users.read_text())[0]["password"].startswith("scrypt$16384$8$1$")


def test_two_hashes_of_one_password_differ_and_both_verify() -> None:
    one, two = hash_password("same password"), hash_password("same password")
    assert one != two
    assert verify("same password", one)
    assert verify("same password", two)


def test_a_password_typed_in_another_normal_form_is_the_same() -> None:
    assert verify("cafe\u0301 noir", hash_password("caf\u00e9 noir"))


@pytest.mark.parametrize("name", ["", "a b", "../x", "<b>", "x" * 65, "\n"])
def test_names_that_cannot_be_names(name: str) -> None:
    with pytest.raises(InputError, match="cannot be a name"):
        new_user(Reviewer(name=name), "long enough")


def test_a_short_password_is_refused() -> None:
    with pytest.raises(InputError, match="shorter than 8"):
        new_user(Reviewer(name="ann"), "short")


GOOD = {"name": "a", "password": hash_password("long enough")}


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ("{}", "it holds no list of users"),
        ("", "line 1"),
        ("\xff", "line 1"),
        (None, "no list"),
        ({"a": 1}, "no list"),
        ([1], "entry 1 is no user"),
        ([None], "entry 1 is no user"),
        ([{}], "entry 1: name: Field required"),
        ([{"name": "a"}], "entry 1: the password of a is no hash"),
        ([{**GOOD, "x": 1}], "entry 1: x: Extra inputs"),
        ([{**GOOD, "native": "chinese"}], "entry 1: native: "),
        ([{**GOOD, "native": [1]}], r"entry 1: native\.0: "),
        ([{**GOOD, "name": ""}], "entry 1: '' cannot be a name"),
        ([GOOD, {**GOOD, "name": "<b>"}], "entry 2: '<b>' cannot be a name"),
        ([GOOD, GOOD], "a stands there twice"),
        *(
            ([{**GOOD, "password": password}], "entry 1: the password of a is no hash")
            for password in (None, 5, "plain", "scrypt$3$8$1$AAAA$AAAA", f"scrypt${'9' * 30}$8$1${'A' * 24}${'A' * 44}")
        ),
    ],
)
def test_a_damaged_file_is_told_by_name_and_entry(tmp_path: Path, found: object, why: str) -> None:
    path = tmp_path / "users.json"
    path.write_text(found if isinstance(found, str) else json.dumps(found), encoding="utf-8")
    with pytest.raises(ConfigurationError, match=rf"users\.json is no users file: .*{why}"):
        read_users(path)


def test_words_written_by_hand_mean_the_same(tmp_path: Path) -> None:
    path = tmp_path / "users.json"
    path.write_text(json.dumps([{**GOOD, "native": [" Chinese"], "languages": ["ZH"]}]), encoding="utf-8")
    (reviewer,) = read_users(path).reviewers
    assert (reviewer.native, reviewer.languages) == (("chinese",), ("zh",))


def test_a_hash_that_cannot_be_read_says_what_to_do() -> None:
    with pytest.raises(ConfigurationError, match="Set it again"):
        verify("x", "plain-text")


def test_the_command_adds_lists_and_removes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = ["--users", str(tmp_path / "u.json")]
    for name in ("梅", "ann"):
        monkeypatch.setattr("sys.stdin", io.StringIO("long enough\n"))
        assert main(["add", name, "--native", "Chinese, zh", "--languages", "zh", "--password-stdin", *file]) == 0
    assert main(["list", *file]) == 0
    assert "梅  native: chinese, zh  reads: zh" in capsys.readouterr().out
    assert main(["remove", "ann", *file]) == 0
    assert [one.name for one in read_users(tmp_path / "u.json").reviewers] == ["梅"]
    assert main(["remove", "ann", *file]) == 1
    assert "there is no user 'ann'" in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("long enough\n"))
    assert main(["add", "ann", "--password-stdin", "--users", str(tmp_path / "none" / "u.json")]) == 1
    assert "cannot be written (No such file or directory)" in capsys.readouterr().err
