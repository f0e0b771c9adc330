"""The catalogue of rules for questions about one video: which of the common rules hold, and what is added.

Rules on tags, claims and crossed sources have no meaning with one source. Adding a rule is one file and one line here.
"""

from records.questions import Question
from rules import boxes, duplicates, evidence, giveaway, moments, options, orders, position, prediction, roles
from rules import wording_video as wording
from rules.base import Check, Found, Rule, RuleContext
from rules.facts import form_of


def _in_words(check: Check) -> Check:
    """A check of what options say, for questions whose options are sentences."""

    def only(question: Question, context: RuleContext) -> Found:
        return check(question, context) if form_of(question) in ("text", "roles") else ()

    return only


ONE_TRUE = Rule(
    "one-key",
    {
        "en": "For who has seen the whole video exactly one option is true. Before you settle, name for each of the "
        "three wrong options what in the video rules it out; if you cannot, rewrite it.",
        "zh": "看过整段视频的人应认定恰有一个选项为真。定稿前为三个错误选项逐一写出视频中排除它的依据；"
        "写不出，就改写。",
    },
    options.ONE_KEY.check,
)

NEEDS_THE_VIDEO = Rule(
    "needs-the-video",
    {
        "en": "Who has not seen the video must not find the key, neither by knowledge of the world nor by the wording: "
        "the wrong options are as likely in themselves.",
        "zh": "没看过视频的人，凭常识或措辞都不应能选出正确选项：错误选项本身要同样可信。",
    },
    source="VideoVista-CulturalLingo 3.2 and 3.3",
)

NOTHING_INVENTED = Rule(
    "no-invention",
    {
        "en": "The key rests on the events, objects and articles given and on nothing else; numbers and names stand as "
        "they stand there.",
        "zh": "正确选项只依据所给的事件、物体和条目；数字和名称照录。",
    },
)

DISTINCT_OPTIONS = Rule(
    duplicates.DISTINCT_OPTIONS.rule_id,
    duplicates.DISTINCT_OPTIONS.sentences,
    _in_words(duplicates.DISTINCT_OPTIONS.check) if duplicates.DISTINCT_OPTIONS.check else None,
    source=duplicates.DISTINCT_OPTIONS.source,
    applies=lambda context: context.form in ("text", "roles"),
)

KEY_LENGTH = Rule(
    giveaway.KEY_LENGTH.rule_id,
    giveaway.KEY_LENGTH.sentences,
    _in_words(giveaway.KEY_LENGTH.check) if giveaway.KEY_LENGTH.check else None,
    level="warning",
    source=giveaway.KEY_LENGTH.source,
    applies=lambda context: context.form in ("text", "roles"),
)

VIDEO_RULES: tuple[Rule, ...] = (
    options.OPTION_LETTERS,
    ONE_TRUE,
    NEEDS_THE_VIDEO,
    NOTHING_INVENTED,
    wording.ABOUT_THE_VIDEO,
    wording.IN_LANGUAGE,
    moments.MOMENTS,
    orders.ORDERS,
    boxes.BOXES,
    roles.OPTION_ROLES,
    prediction.PREDICTION_CUT,
    DISTINCT_OPTIONS,
    KEY_LENGTH,
    giveaway.STEM_GIVES_KEY,
    position.POSITION_FREE,
    evidence.EVIDENCE_LENGTH,
    evidence.EVIDENCE_SENTENCES,
    wording.ASKED_ANEW,
)
