"""Who may sign in: a small JSON file with scrypt hashes, and ``python -m review.users add NAME`` to keep it.

A record of the file: ``{"name": "mei", "password": "scrypt$16384$8$1$<salt>$<hash>", "native": ["chinese"], …}``.
The file is written for its owner alone (mode 600). It holds no password, and none is ever printed.
"""

import argparse
import base64
import getpass
import hashlib
import hmac
import json
import os
import re
import secrets
import sys
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from records.base import Record
from records.errors import BenchwrightError, ConfigurationError, InputError
from records.review import Reviewer

DEFAULT_FILE = Path("users.json")
LEAST_LETTERS = 8
_COST, _BLOCK, _LANES = 2**14, 8, 1
_NAME = re.compile(r"[^\W_][\w.@+-]{0,63}")
_HASHED = re.compile(r"scrypt\$[1-9]\d{0,7}\$[1-9]\d?\$[1-9]\d?\$[A-Za-z0-9+/]{8,}=*\$[A-Za-z0-9+/]{40,}=*")


class User(Record):
    """A reviewer and the hash of their password."""

    reviewer: Reviewer
    password: str
    """``scrypt$N$r$p$salt$hash``, salt and hash in base64."""


class Users(Record):
    """Everybody in a users file, sorted by name."""

    users: tuple[User, ...] = ()

    def find(self, name: str) -> User | None:
        """The user of a name, or None."""
        wanted = unicodedata.normalize("NFC", name)
        return next((user for user in self.users if user.reviewer.name == wanted), None)

    @property
    def reviewers(self) -> tuple[Reviewer, ...]:
        """Everybody, without the hashes."""
        return tuple(user.reviewer for user in self.users)

    def signed_in(self, name: str, password: str) -> Reviewer | None:
        """The reviewer if the password is theirs, else None; takes as long for a name that does not exist."""
        user = self.find(name)
        matches = verify(password, user.password if user else _NOBODY)
        return user.reviewer if user and matches else None

    def with_user(self, user: User) -> "Users":
        """The same users with one added or replaced."""
        others = [each for each in self.users if each.reviewer.name != user.reviewer.name]
        return Users(users=tuple(sorted([*others, user], key=lambda each: each.reviewer.name)))

    def without(self, name: str) -> "Users":
        """The same users without one. Raises ConfigurationError if there is none of that name."""
        if self.find(name) is None:
            raise ConfigurationError(f"there is no user {name!r}.", hint=f"There are: {self.names or 'none'}.")
        return Users(users=tuple(user for user in self.users if user.reviewer.name != name))

    @property
    def names(self) -> str:
        """All names, for messages."""
        return ", ".join(user.reviewer.name for user in self.users)


def hash_password(password: str, salt: bytes | None = None) -> str:
    """The text that the file holds for a password (scrypt, RFC 7914; 16 MiB of memory a try)."""
    salt = secrets.token_bytes(16) if salt is None else salt
    digest = _scrypt(password, salt, _COST, _BLOCK, _LANES)
    return "$".join(["scrypt", str(_COST), str(_BLOCK), str(_LANES), _text(salt), _text(digest)])


def verify(password: str, hashed: str) -> bool:
    """Whether a password belongs to a hash. Raises ConfigurationError for a hash that cannot be read."""
    try:
        name, cost, block, lanes, salt, digest = hashed.split("$")
        found = _scrypt(password, base64.b64decode(salt), int(cost), int(block), int(lanes))
        wanted = base64.b64decode(digest)
    except ValueError as error:
        raise ConfigurationError(
            "a password hash in the users file cannot be read.", hint="Set it again: python -m review.users add NAME."
        ) from error
    return name == "scrypt" and hmac.compare_digest(found, wanted)


def read_users(path: Path) -> Users:
    """The users of a file. Raises ConfigurationError naming the file and what is wrong."""
    if not path.is_file():
        raise ConfigurationError(
            f"there is no users file {path}.", hint=f"Make one: python -m review.users add NAME --users {path}."
        )
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _no_users_file(path, str(error).splitlines()[0]) from error
    if not isinstance(found, list):
        raise _no_users_file(path, "it holds no list of users")
    users = tuple(_user(path, number, entry) for number, entry in enumerate(found, start=1))
    names = [user.reviewer.name for user in users]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise _no_users_file(path, f"{', '.join(doubled)} stands there twice")
    return Users(users=users)


def write_users(path: Path, users: Users) -> None:
    """Write the file in one step, for its owner alone. Raises ConfigurationError where that is not possible."""
    entries = [{**user.reviewer.model_dump(mode="json"), "password": user.password} for user in users.users]
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(json.dumps(entries, indent=2, ensure_ascii=False) + "\n")
        temporary.replace(path)
    except OSError as error:
        raise ConfigurationError(
            f"{path} cannot be written ({error.strerror or error}).", hint="Name a file in a folder that is there."
        ) from error


def new_user(reviewer: Reviewer, password: str) -> User:
    """A user with a hashed password. Raises InputError for an unusable name or a short password."""
    name = unicodedata.normalize("NFC", reviewer.name)
    if not _NAME.fullmatch(name):
        raise InputError(f"{reviewer.name!r} cannot be a name.", hint="Up to 64 letters, digits and . _ @ + - .")
    if len(password) < LEAST_LETTERS:
        raise InputError(f"the password is shorter than {LEAST_LETTERS} characters.", hint="Choose a longer one.")
    return User(reviewer=reviewer.model_copy(update={"name": name}), password=hash_password(password))


def _user(path: Path, number: int, entry: object) -> User:
    """The user of one entry, as the command would have written it; a file may have been edited by hand."""
    if not isinstance(entry, dict):
        raise _no_users_file(path, f"entry {number} is no user")
    fields = {key: value for key, value in entry.items() if key != "password"}
    for name in ("native", "languages"):
        if isinstance(fields.get(name), list):
            fields[name] = [word.strip().casefold() if isinstance(word, str) else word for word in fields[name]]
    try:
        found = Reviewer.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise _no_users_file(path, f"entry {number}: {place}: {first['msg']}") from error
    name = unicodedata.normalize("NFC", found.name)
    if not _NAME.fullmatch(name):
        raise _no_users_file(path, f"entry {number}: {name!r} cannot be a name")
    password = entry.get("password")
    if not isinstance(password, str) or not _HASHED.fullmatch(password):
        raise _no_users_file(path, f"entry {number}: the password of {name} is no hash that can be read")
    return User(reviewer=found.model_copy(update={"name": name}), password=password)


def _no_users_file(path: Path, why: str) -> ConfigurationError:
    return ConfigurationError(
        f"{path} is no users file: {why}.", hint=f"Set it again: python -m review.users add NAME --users {path}."
    )


def _scrypt(password: str, salt: bytes, cost: int, block: int, lanes: int) -> bytes:
    plain = unicodedata.normalize("NFKC", password).encode()
    return hashlib.scrypt(plain, salt=salt, n=cost, r=block, p=lanes, maxmem=64 * 2**20, dklen=32)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


_NOBODY = f"scrypt${_COST}${_BLOCK}${_LANES}${_text(bytes(16))}${_text(bytes(32))}"


def build_parser() -> argparse.ArgumentParser:
    """All flags of ``python -m review.users``."""
    parser = argparse.ArgumentParser(prog="python -m review.users", description="Keep the file of people who review.")
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add", help="add somebody, or set a new password and new facts")
    add.add_argument("name")
    add.add_argument("--lead", action="store_true", help="may open every item and sees everybody's progress")
    add.add_argument("--native", default="", metavar="A,B", help="cultures or languages that this person is native to")
    add.add_argument("--languages", default="", metavar="en,zh", help="languages that this person reads (default: all)")
    add.add_argument("--password-stdin", action="store_true", help="read the password from standard input")
    remove = commands.add_parser("remove", help="take somebody out; their reviews stay")
    remove.add_argument("name")
    show = commands.add_parser("list", help="show everybody")
    for each in (add, remove, show):
        each.add_argument("--users", type=Path, default=DEFAULT_FILE, metavar="FILE", help="default: users.json")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit status."""
    arguments = build_parser().parse_args(argv)
    try:
        _COMMANDS[arguments.command](arguments)
    except BenchwrightError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    return 0


def _add(arguments: argparse.Namespace) -> None:
    path: Path = arguments.users
    users = read_users(path) if path.exists() else Users()
    reviewer = Reviewer(
        name=arguments.name, lead=arguments.lead, native=_words(arguments.native), languages=_words(arguments.languages)
    )
    password = sys.stdin.readline().rstrip("\r\n") if arguments.password_stdin else _ask_password(arguments.name)
    user = new_user(reviewer, password)
    write_users(path, users.with_user(user))
    print(f"{user.reviewer.name} can sign in ({path}).")


def _remove(arguments: argparse.Namespace) -> None:
    write_users(arguments.users, read_users(arguments.users).without(arguments.name))
    print(f"{arguments.name} can no longer sign in; their reviews stay in the runs.")


def _list(arguments: argparse.Namespace) -> None:
    for reviewer in read_users(arguments.users).reviewers:
        facts = [
            "lead" if reviewer.lead else "",
            f"native: {', '.join(reviewer.native)}" if reviewer.native else "",
            f"reads: {', '.join(reviewer.languages)}" if reviewer.languages else "",
        ]
        print("  ".join([reviewer.name, *filter(None, facts)]))


_COMMANDS = {"add": _add, "remove": _remove, "list": _list}


def _ask_password(name: str) -> str:
    first = getpass.getpass(f"Password for {name}: ")
    if first != getpass.getpass("Once more: "):
        raise InputError("the two passwords differ.", hint="Run the command again.")
    return first


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip().casefold() for word in text.split(",") if word.strip())


if __name__ == "__main__":
    sys.exit(main())
