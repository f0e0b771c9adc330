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


@pytest.mark.parametrize(
    "text", ["", "{}", "[{}]", '[{"name": "a"}]', '[{"name": "a", "password": "x", "x": 1}]', "\xff"]
)
def test_a_damaged_file_is_told_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "users.json"
    path.write_text(text, encoding="utf-8")
    if text == "{}":
        assert read_users(path).users == ()
        return
    with pytest.raises(ConfigurationError, match=r"users\.json"):
        read_users(path)


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
