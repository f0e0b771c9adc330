"""Sessions of signed-in reviewers and the brake on wrong passwords; both live in the memory of one process."""

import hashlib
import secrets
import threading
import time
from collections.abc import Callable

Clock = Callable[[], float]


class Sessions:
    """Random tokens, kept only as hashes, each good for half a day from its last use."""

    SECONDS = 12 * 3600

    def __init__(self, clock: Clock = time.monotonic) -> None:
        """`clock` gives seconds."""
        self._clock = clock
        self._mutex = threading.Lock()
        self._open: dict[str, tuple[str, float]] = {}

    def begin(self, name: str) -> str:
        """A new session's token; 256 random bits."""
        token = secrets.token_urlsafe(32)
        with self._mutex:
            now = self._clock()
            self._open = {key: one for key, one in self._open.items() if one[1] > now}
            self._open[_hash(token)] = (name, now + self.SECONDS)
        return token

    def name(self, token: str) -> str:
        """Whose session a token opens; empty for an unknown or a stale one."""
        key = _hash(token)
        with self._mutex:
            name, until = self._open.get(key, ("", 0.0))
            if until <= self._clock():
                self._open.pop(key, None)
                return ""
            self._open[key] = (name, self._clock() + self.SECONDS)
            return name

    def end(self, token: str) -> None:
        """Close a session."""
        with self._mutex:
            self._open.pop(_hash(token), None)


class Throttle:
    """After five wrong passwords for a name within five minutes, that name waits a minute."""

    TRIES, WINDOW_S, WAIT_S = 5, 300.0, 60.0

    def __init__(self, clock: Clock = time.monotonic) -> None:
        """`clock` gives seconds."""
        self._clock = clock
        self._mutex = threading.Lock()
        self._wrong: dict[str, list[float]] = {}

    def wait(self, name: str) -> int:
        """Seconds until this name may try again; 0 if it may now."""
        with self._mutex:
            recent = self._recent(name)
            if len(recent) < self.TRIES:
                return 0
            return max(0, round(recent[-1] + self.WAIT_S - self._clock()))

    def tried(self, name: str, *, succeeded: bool) -> None:
        """Remember a try; a right password clears the name."""
        with self._mutex:
            if succeeded:
                self._wrong.pop(name, None)
                return
            self._wrong = {key: times for key in self._wrong if (times := self._recent(key))}
            self._wrong.setdefault(name, []).append(self._clock())

    def _recent(self, name: str) -> list[float]:
        return [at for at in self._wrong.get(name, []) if self._clock() - at < self.WINDOW_S]


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
