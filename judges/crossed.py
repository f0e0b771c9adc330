"""The check that costs no call: are a question's options crossed over its sources? (beyond the paper)

Code decides it (`rules`); here is only what a panel makes of it: a removal before any judge is asked where
``checks.crossed_removes`` is set, otherwise a line in the funnel.
"""

from records.config import Panel
from records.questions import Question, RuleReport, Violation
from records.verdicts import Decision
from rules.base import is_structured
from rules.crossing import crossed

RULE_ID = "crossed"


def removed_as_uncrossed(question: Question, panel: Panel, report: RuleReport | None = None) -> bool:
    """Whether the panel removes this question before any judge is asked."""
    return panel.checks.crossed_removes and finding(question, report) is not None


def decide_crossed(question: Question, panel: Panel, report: RuleReport | None = None) -> Decision:
    """The check's decision; ``off`` where the panel does not remove by it or the options came without claims."""
    found = finding(question, report)
    if not panel.checks.crossed_removes:
        note = f"not a reason to remove on this panel; found: {found.message}" if found else "switched off in the panel"
        return Decision(check="crossed", outcome="off", explanation=note)
    if found:
        return Decision(check="crossed", outcome="removed", explanation=found.message)
    if not is_structured(question):
        return Decision(check="crossed", outcome="off", explanation="the options came without claims to check")
    words = "each half of the key stands in a wrong option too, and no claim is the same in all options"
    return Decision(check="crossed", outcome="passed", explanation=words)


def finding(question: Question, report: RuleReport | None = None) -> Violation | None:
    """What is wrong with the crossing of the options, from the report of the rules or by running the rule."""
    if report is not None:
        reported = (*report.violations, *report.warnings)
        return next((violation for violation in reported if violation.rule_id == RULE_ID), None)
    return crossed(question)
