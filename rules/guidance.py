"""Common rules that no code can check: same story, one line of reasoning, no invention, distractors that tempt."""

from rules.base import Rule

SAME_STORY = Rule(
    "same-story",
    {
        "en": "All sources that you use must speak of the same story: the same event, or stages of one development.",
        "zh": "所用来源必须讲述同一事件或同一进展中的不同阶段。",
    },
)

ONE_FOCUS = Rule(
    "one-focus",
    {
        "en": "You may join several sides of the event (time, actor, size, stance, picture, place), but the reasoning "
        "keeps to a single line, that of this type.",
        "zh": "可以结合事件的多个方面（时间、人物、规模、立场、画面、地点），但推理须围绕本题型的单一主线。",
    },
)

NO_INVENTION = Rule(
    "no-invention",
    {
        "en": "State nothing as true that transcripts or frames do not hold, and quote numbers, names and signs "
        "exactly. World knowledge may neither be needed nor suffice.",
        "zh": "不得把文字稿或画面中没有的内容当作事实；数字、人名、标识须照录。解题既不应依赖、也不应仅凭常识。",
    },
)

TEMPTING_DISTRACTORS = Rule(
    "tempting-distractors",
    {
        "en": "Each wrong option looks right to somebody who attended to one source, and falls only when all sources "
        "are compared. No absurd options, no invented topics.",
        "zh": "每个错误选项对只看了某个来源的人都显得正确，只有比较全部来源才会被排除。不要荒谬选项，不要凭空的话题。",
    },
)

VISUAL_CUE = Rule(
    "visual-cue",
    {
        "en": "This type rests on pictures: let the answer hang on at least one small cue that is only to be seen, "
        "such as the text of a lower third, a ticker value, the name of a place on a map, a logo or a time stamp. Only "
        "where no picture decides anything may words alone decide.",
        "zh": "本题型依赖画面：答案至少取决于一个只能看到的细节，如字幕条文字、滚动条数值、地图地名、标志或时间戳。"
        "只有在没有任何决定性画面时，才可只依据文字稿。",
    },
    applies=lambda context: context.visual_options > 0 and context.has_frames,
)
