"""When a lint run fails: ``error`` (any error), ``warning:0.05`` (more than 5 % of the items), ``never``."""

from collections.abc import Sequence

from eval.lint.finding import SEVERITIES, WHOLE_FILE, Finding, Severity
from records.base import Record
from records.errors import ConfigurationError


class Threshold(Record):
    """What is too much."""

    level: Severity | None
    """Findings of this severity or worse count; None never fails."""
    share: float = 0.0
    """Fails where more than this share of the items is concerned."""


def read_threshold(text: str) -> Threshold:
    """Read ``LEVEL``, ``LEVEL:SHARE``, ``SHARE`` (of errors) or ``never``; ConfigurationError for other texts."""
    level, _, share = text.partition(":")
    if text == "never":
        return Threshold(level=None)
    if level not in SEVERITIES:
        level, share = "error", text
    try:
        number = float(share or 0)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise ConfigurationError(
            f"--fail-on {text!r} is not understood.",
            hint="Give error, warning, info or never, with a share of the items if wanted: warning:0.05.",
        )
    return Threshold(level=level, share=number)


def exceeded(findings: Sequence[Finding], items: int, threshold: Threshold) -> bool:
    """Whether the findings are too much. One about the whole file is, whatever the share."""
    if threshold.level is None:
        return False
    worst = SEVERITIES[: SEVERITIES.index(threshold.level) + 1]
    concerned = {finding.item_id for finding in findings if finding.severity in worst}
    return WHOLE_FILE in concerned or len(concerned) > threshold.share * items
