"""Science options play four roles, each exactly once: right, wrong about the video, about the subject, about both.

Source: VideoVista-CulturalLingo 3.2 (Science).
"""

from collections import Counter

from records.questions import Question
from rules.base import Found, Rule, RuleContext, violation
from rules.facts import form_of

CORRECT = "correct"
ROLES = (CORRECT, "comprehension-error", "knowledge-error", "dual-error")


def _roles(question: Question, context: RuleContext) -> Found:
    if form_of(question) != "roles":
        return ()
    counts = Counter(option.role for option in question.options.values())
    wrong = [role for role in ROLES if counts[role] != 1]
    strange = [role for role in counts if role not in ROLES]
    found = []
    if wrong or strange:
        said = ", ".join(f"{role} {counts[role]} times" for role in wrong) or f"unknown: {', '.join(strange)}"
        message = f"Each of the four roles stands for exactly one option; here: {said}."
        found.append(violation("option-roles", "options", message))
    key = question.options.get(question.key)
    if key and key.role != CORRECT:
        found.append(violation("option-roles", "key", f"The key has the role {key.role}; it must be the correct one."))
    return tuple(found)


OPTION_ROLES = Rule(
    "option-roles",
    {
        "en": "Each option plays one of four roles, and each role is played once. correct: right about the video and "
        "about the subject. comprehension-error: sound science, but not what this video shows or says. "
        "knowledge-error: rests on what the video shows, but draws a scientifically wrong conclusion. dual-error: "
        "wrong about both.",
        "zh": "四个选项各担一个角色，每个角色恰好一次。correct：对视频和学科都正确；comprehension-error：学科上成立，"
        "但不是本视频所展示或所说；knowledge-error：依据视频内容，却得出学科上错误的结论；dual-error：两方面都错。",
    },
    _roles,
    source="VideoVista-CulturalLingo 3.2 (Science)",
    applies=lambda context: context.form == "roles",
)
