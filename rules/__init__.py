"""The common rules: each one both a sentence that the drafter reads and a check that code runs."""

from rules.base import RuleContext
from rules.checking import check, sentences
from rules.crossing import crossed

__all__ = ["RuleContext", "check", "crossed", "sentences"]
