"""The sentences that say what a run cost and what its funnel means; shared by terminal, Markdown and page."""

from report.funnel import CHECK_STEPS, TITLES, Funnel
from report.words import count, number_of, share, usd

OFFLINE = "No language model was used: every draft and every judgement comes from the embedded offline models."
OFFLINE_JUDGES = "No language model judged: every judgement comes from the embedded offline models."


def summary_lines(funnel: Funnel) -> tuple[str, ...]:
    """One sentence each on yield, cost, calls and guessing."""
    return (*_yield(funnel), _cost(funnel), *_calls(funnel), *_crossed(funnel), *_guessing(funnel), *_off(funnel))


def offline_words(funnel: Funnel) -> str:
    """What is to be said of embedded models: nothing where a language model judged."""
    if not funnel.offline_judges:
        return ""
    return OFFLINE if funnel.offline else OFFLINE_JUDGES


def _yield(funnel: Funnel) -> tuple[str, ...]:
    total = funnel.total
    if not total.drafted:
        return ("Nothing was drafted yet.",)
    words = f"{total.kept} of {total.drafted} drafts kept ({share(total.kept, total.drafted)})"
    undecided = total.steps["undecided"]
    return (f"{words}; {undecided} undecided, which --retry-failed completes." if undecided else f"{words}.",)


def _cost(funnel: Funnel) -> str:
    spent = funnel.ledger
    tokens = f"{count(spent.prompt_tokens)} prompt and {count(spent.completion_tokens)} reply tokens"
    each = f", {usd(funnel.kept_cost_usd)} a kept question" if funnel.kept_cost_usd is not None else ""
    return f"Cost {usd(spent.cost_usd)}{each}; {tokens}."


def _calls(funnel: Funnel) -> tuple[str, ...]:
    spent = funnel.ledger
    failed = ", ".join(f"{number} {outcome}" for outcome, number in spent.failed.items())
    words = number_of(spent.calls, "call") + (f" ({failed})" if failed else "")
    saved = f" {count(funnel.calls_saved)} judge calls saved by the frugal schedule;"
    shown = saved if funnel.calls_saved or funnel.schedule != "full" else ""
    return (f"{words};{shown} {count(spent.cache_hits)} replies from the cache.",)


def _crossed(funnel: Funnel) -> tuple[str, ...]:
    total = funnel.total
    judged = number_of(
        sum(total.steps[step] for step in (*CHECK_STEPS.values(), "undecided", "kept")), "judged question"
    )
    found = (
        (total.not_crossed, "options that are not crossed"),
        (total.warned, "warnings of the rules, which are reported and remove nothing"),
    )
    return tuple(f"Of {judged}, {number} with {what}." for number, what in found if number)


def _guessing(funnel: Funnel) -> tuple[str, ...]:
    if not funnel.expected_by_guessing:
        return ()
    found = (
        f"{expected:.1f} {TITLES[CHECK_STEPS[check]]} (found {funnel.total.steps[CHECK_STEPS[check]]})"
        for check, expected in funnel.expected_by_guessing.items()
    )
    return (f"Guessing alone, at these judges' confidences, would remove about {', '.join(found)}.",)


def _off(funnel: Funnel) -> tuple[str, ...]:
    off = [check for check in funnel.checks_off if check != "crossed"]
    switched_off = (f"Checks that are off: {', '.join(off)}.",) if off else ()
    return tuple(filter(None, (*switched_off, offline_words(funnel))))
