"""The checks of a panel in the paper's order. A new check is one file beside this one and one line in `CHECKS`."""

from judges import ambiguity, blind, difficulty, solvability
from judges.base import PanelCheck
from records.verdicts import Check

CHECKS: tuple[PanelCheck, ...] = (solvability.CHECK, ambiguity.CHECK, difficulty.CHECK, blind.CHECK)
"""In the order in which they are asked, and in which the first that proves removal is named."""


def check_named(name: Check) -> PanelCheck:
    """The check of a name. Raises KeyError for ``crossed``, which is code and asks nobody."""
    return {check.name: check for check in CHECKS}[name]
