"""Whether a question from elsewhere keeps the rules of its type, asked of a model where code cannot tell.

A foreign question comes as plain sentences, so that "two claims an option" or "two visual claims" cannot be counted:
`rules.check` lists these as not checkable, and this request asks about them. Wording only, no evidence is shown.
"""

from prompts import render
from prompts.taskheads import TaskHead
from records.base import Record
from records.calls import CallFailure, QuestionPart, Reply, Request, SpecPart, TextPart
from records.config import ModelSpec
from records.questions import Question, RuleReport
from records.replies import TypeFitReply
from rules import RuleContext
from rules.checking import rule

TYPE = "type"
"""Name of the rule that the line of reasoning is that of the type."""

_BY_WORDING = ("two-claims", "visual-claims", "one-focus")


class TypeFit(Record):
    """What a model says about a question's form."""

    question_id: str
    model: str
    fits: bool
    broken_rules: tuple[str, ...]
    rationale: str
    request_id: str


def asked_rules(report: RuleReport, head: TaskHead) -> tuple[str, ...]:
    """The rules that a model is asked about: those of form that code left open, and one focus."""
    open_rules = [name for name in _BY_WORDING if name in report.not_checkable]
    needed = [name for name in open_rules if name != "visual-claims" or head.visual_claims]
    return (*needed, "one-focus")


def typefit_request(
    question: Question, head: TaskHead, model: ModelSpec, report: RuleReport, *, seat: str = ""
) -> Request:
    """A request on one question; `report` is what code already said about it."""
    names = asked_rules(report, head)
    context = RuleContext(visual_options=head.visual_claims, min_sources=head.min_sources)
    task = render(
        "typefit/task",
        type_id=head.id,
        type_name=head.name,
        body=head.body,
        rules=[(name, rule(name).sentence("en", context)) for name in names],
    )
    shown = QuestionPart(stem=question.stem, options={letter: o.text for letter, o in question.options.items()})
    spec = SpecPart(values={"type_id": head.id, "rules": [*names, TYPE], "language": question.language})
    return Request(
        task="type-fit",
        model=model,
        system=render("typefit/system"),
        parts=(TextPart(text=task), shown, spec),
        prefix_parts=1,
        reply_model=TypeFitReply,
        group_id=question.group_id,
        item_id=question.question_id,
        seat=seat,
    )


def read_typefit(reply: Reply, question: Question, request: Request) -> TypeFit | CallFailure:
    """The reply as a record; a failure where it names a rule that was not asked, or contradicts itself."""
    value = reply.value
    if not isinstance(value, TypeFitReply):
        raise TypeError(f"a type fit is read from a TypeFitReply, not from a {type(value).__name__}")
    asked = next(part.values["rules"] for part in request.parts if isinstance(part, SpecPart))
    broken = tuple(dict.fromkeys(name.strip().lower().replace("_", "-") for name in value.broken_rules))
    problem = _problem(value.fits, broken, asked)
    if problem:
        return CallFailure(
            request_id=reply.request_id, outcome="unparsed", message=problem, raw=reply.raw, model=reply.model
        )
    return TypeFit(
        question_id=question.question_id,
        model=reply.model,
        fits=value.fits,
        broken_rules=broken,
        rationale=value.rationale,
        request_id=reply.request_id,
    )


def _problem(fits: bool, broken: tuple[str, ...], asked: list[str]) -> str:
    unknown = [name for name in broken if name not in asked]
    if unknown:
        return f"the reply names rules that were not asked about: {', '.join(unknown)}"
    if fits == bool(broken):
        said = "fits" if fits else "does not fit"
        return f"the reply contradicts itself: it {said}, with {len(broken)} broken rules"
    return ""
