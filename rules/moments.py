"""Options that are moments of the video: the right one within what is asked about, the wrong ones clearly outside it.

Event localization: the key lies within the event's segment. Object temporal localization: the key is the look at which
the object was first large enough to notice. Source: VideoVista-CulturalLingo 3.2 and E.
"""

from itertools import combinations

from records.questions import Letter, Question, Violation
from rules.base import Found, Rule, RuleContext, violation
from rules.clock import clock, seconds_of
from rules.facts import form_of, number, span


def _moments(question: Question, context: RuleContext) -> Found:
    if form_of(question) != "moment":
        return ()
    answer = span(question.extra, "answer_start_s", "answer_end_s")
    if answer is None:
        return None
    times = {letter: seconds_of(option.text) for letter, option in question.options.items()}
    unread = [letter for letter, time in times.items() if time is None]
    if unread:
        return tuple(_wrong(letter, f"Option {letter} is no moment such as 0:01:35.") for letter in unread)
    known = {letter: time for letter, time in times.items() if time is not None}
    gap = number(question.extra, "least_gap_s") or context.time_gap_s
    duration = number(question.extra, "duration_s")
    return (
        *_outside(known, duration),
        *_key(question.key, known, answer, context),
        *_wrong_ones(question.key, known, answer, gap),
        *_apart(known, gap),
    )


def _outside(times: dict[Letter, float], duration: float | None) -> tuple[Violation, ...]:
    if duration is None:
        return ()
    late = [letter for letter, time in times.items() if time > duration + 0.5]
    return tuple(
        _wrong(letter, f"The video ends at {clock(duration)}; move option {letter} into it.") for letter in late
    )


def _key(
    key: Letter, times: dict[Letter, float], answer: tuple[float, float], context: RuleContext
) -> tuple[Violation, ...]:
    slack = context.time_tolerance_s
    if key not in times or answer[0] - slack <= times[key] <= answer[1] + slack:
        return ()
    where = f"{clock(answer[0])} to {clock(answer[1])}" if answer[1] - answer[0] >= 1 else clock(answer[1])
    return (_wrong(key, f"The right moment is {where}; the key says {clock(times[key])}."),)


def _wrong_ones(
    key: Letter, times: dict[Letter, float], answer: tuple[float, float], gap: float
) -> tuple[Violation, ...]:
    near = [t for t in times if t != key and answer[0] - gap < times[t] < answer[1] + gap]
    return tuple(
        _wrong(letter, f"Option {letter} lies within {gap:g} s of what is asked about; move it further away.")
        for letter in near
    )


def _apart(times: dict[Letter, float], gap: float) -> tuple[Violation, ...]:
    close = [(a, b) for a, b in combinations(sorted(times), 2) if abs(times[a] - times[b]) < gap]
    return tuple(_wrong("options", f"Options {a} and {b} are less than {gap:g} s apart.") for a, b in close)


def _wrong(where: str, message: str) -> Violation:
    return violation("moments", where, message)


MOMENTS = Rule(
    "moments",
    {
        "en": "The options are moments, in seconds from the start of the video and within it. The right one lies "
        "within what is asked about; every wrong one lies at least {time_gap_s:g} seconds outside it, and any two "
        "options are at least {time_gap_s:g} seconds apart.",
        "zh": "选项是视频中的时刻（从视频开头计的秒数，不得超出视频）。正确时刻落在所问内容之内；错误时刻与它至少相隔 "
        "{time_gap_s:g} 秒，任意两个选项也至少相隔 {time_gap_s:g} 秒。",
    },
    _moments,
    source="VideoVista-CulturalLingo E (localization)",
    applies=lambda context: context.form == "moment",
)
