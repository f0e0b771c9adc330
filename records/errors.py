"""The project's error tree: each error is named by the boundary that failed and says what to do next.

BenchwrightError            anything a user can act on; shown as one line, exit code 1
├── ConfigurationError      a panel, track or candidate file, a command-line flag, or the environment
├── InputError              a file or folder that the user gave: group, captions, video, items
├── RunError                a run folder: locked, of another configuration, damaged
└── RunStopped              a clean stop before the end (budget, lasting rate limit); resumable, nothing is lost

A failed model call is no exception here: it is a value, `records.calls.CallFailure`.
"""

from typing import Literal


class BenchwrightError(Exception):
    """Base of all errors meant for the user: `message` says what is wrong and where, `hint` what to do."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(f"{message} {hint}".strip())
        self.message = message
        self.hint = hint


class ConfigurationError(BenchwrightError):
    """A configuration file, flag or environment variable is wrong."""


class InputError(BenchwrightError):
    """A file or folder that the user gave cannot be used."""


class RunError(BenchwrightError):
    """A run folder cannot be used as asked."""


StopReason = Literal["budget", "rate-limit", "misconfigured", "call-limit"]


class RunStopped(BenchwrightError):
    """The run ends before its work is done, cleanly; the same command continues it."""

    def __init__(self, reason: StopReason, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.reason = reason
