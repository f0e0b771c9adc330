"""Every word of the page in English and Chinese: ``words("zh")["next"]`` is 下一题.

A third language is one more column; the texts of questions, sheets and errors come from elsewhere.
"""

from collections.abc import Mapping
from types import MappingProxyType

LANGUAGES: Mapping[str, str] = MappingProxyType({"en": "English", "zh": "中文"})

_WORDS: dict[str, tuple[str, str]] = {
    "title": ("Benchwright review", "Benchwright 题目审核"),
    "sign_in": ("Sign in", "登录"),
    "sign_out": ("Sign out", "退出"),
    "name": ("Name", "姓名"),
    "password": ("Password", "密码"),
    "refused": ("Name or password is wrong.", "姓名或密码错误。"),
    "wait": (
        "Too many wrong tries. Wait {seconds} seconds.",
        "错误次数过多，请等待 {seconds} 秒。",
    ),
    "review": ("Review", "审核"),
    "progress": ("Progress", "进度"),
    "help": ("Help", "帮助"),
    "run": ("Run", "批次"),
    "item": ("Item", "题目"),
    "of": ("of", "/"),
    "done": ("done", "已完成"),
    "started": ("started", "进行中"),
    "assigned": ("assigned", "分配"),
    "left": ("left", "剩余"),
    "reviewer": ("Reviewer", "审核人"),
    "nothing": ("No item is assigned to you in this run.", "本批次没有分配给您的题目。"),
    "all_done": ("All your items are done. Thank you!", "您的题目已全部完成，谢谢！"),
    "status_todo": ("to do", "待审核"),
    "status_started": ("started", "进行中"),
    "status_again": ("score the new revision", "需对新版本评分"),
    "status_revise": ("to be corrected", "待修改"),
    "status_done": ("done", "已完成"),
    "role_agreement": ("shared item: several people score it", "共审题：由多人分别评分"),
    "role_culture": ("culture item: two people score it", "文化题：由两人分别评分"),
    "role_adjudicator": ("you settle this item", "由您裁定本题"),
    "role_extra": ("not assigned to you", "未分配给您"),
    "native": ("as native", "母语文化者"),
    "revision": ("Revision", "版本"),
    "of_author": ("by", "作者"),
    "videos": ("Videos", "视频"),
    "play_all": ("Play all", "全部播放"),
    "pause_all": ("Pause all", "全部暂停"),
    "speed": ("Speed", "倍速"),
    "watched": ("watched", "已观看"),
    "no_video": ("Text only, no video", "仅文本，无视频"),
    "no_captions": ("No captions", "无字幕"),
    "cannot_play": (
        "This browser cannot play the file. Open it in a player: ",
        "浏览器无法播放该文件，请用播放器打开：",
    ),
    "missing_video": ("The video file is not where the run found it.", "视频文件不在原位置。"),
    "frames": ("Frames that models saw", "模型看到的画面"),
    "no_frames": ("Models saw no frames.", "模型没有看到画面。"),
    "captions": ("Captions", "字幕"),
    "original": ("Original page", "原始网页"),
    "question": ("Question", "题目"),
    "type": ("Type", "题型"),
    "what_type": ("What this type asks for", "该题型的要求"),
    "entry": ("Background article", "背景词条"),
    "search_entry": ("look it up", "查阅"),
    "key": ("Key", "答案"),
    "show_key": ("Show the key", "显示答案"),
    "hide_key": ("Hide the key", "隐藏答案"),
    "key_is": ("The key is", "标准答案是"),
    "evidence": ("Evidence", "依据"),
    "support": ("Sources that support the key", "支持答案的来源"),
    "scores": ("Your scores", "您的评分"),
    "total": ("Total", "总分"),
    "comment": ("Comment", "备注"),
    "comment_hint": ("What should the next person know?", "有什么需要说明？"),
    "saved": ("Saved", "已保存"),
    "saving": ("Saving …", "保存中……"),
    "not_saved": ("Not saved yet: trying again …", "尚未保存：正在重试……"),
    "refused_score": ("Not saved:", "未保存："),
    "unwatched": (
        "Saved, but you have not watched all videos of this group:",
        "已保存，但您尚未看完本组所有视频：",
    ),
    "newer": ("A newer revision of this item exists; reload to see it.", "本题已有更新的版本，请刷新查看。"),
    "advice_accept": ("Your scores accept this item.", "按您的评分，本题通过。"),
    "advice_discard": ("Your scores discard this item.", "按您的评分，本题舍弃。"),
    "advice_person": ("Your scores leave this item open.", "按您的评分，本题尚无定论。"),
    "advice_revise": (
        "Your scores ask for a correction, then for new scores:",
        "按您的评分，本题需修改后重新评分：",
    ),
    "score_first": ("Give all scores first; then this opens.", "请先完成全部评分，然后即可查看。"),
    "after": ("Judges and drafter", "评审模型与出题模型"),
    "show_after": ("Show verdicts", "显示评审意见"),
    "hide_after": ("Hide verdicts", "隐藏评审意见"),
    "verdicts": ("What the judges said", "评审模型的意见"),
    "no_verdicts": ("No judge was asked.", "没有询问评审模型。"),
    "check": ("Check", "检查"),
    "seat": ("Seat", "席位"),
    "asked_of": ("Asked of", "对象"),
    "answer": ("Answer", "作答"),
    "confidence": ("Confidence", "置信度"),
    "severity": ("Severity", "严重度"),
    "rationale": ("Rationale", "理由"),
    "failed": ("failed", "失败"),
    "decision": ("Decision", "判定"),
    "reasoning": ("The drafter's reasoning", "出题模型的推理"),
    "no_reasoning": ("The run keeps no reasoning for this question.", "本题没有保存出题推理。"),
    "others": ("What others scored", "其他人的评分"),
    "no_others": ("Nobody else has scored this revision.", "此版本尚无其他人评分。"),
    "history": ("Revisions", "历史版本"),
    "check_solvability": ("single-source solvability", "单一来源可解性"),
    "check_ambiguity": ("ambiguity", "歧义"),
    "check_difficulty": ("difficulty", "难度"),
    "check_blind": ("blind", "无证据作答"),
    "check_crossed": ("crossed options", "选项交叉"),
    "edit": ("Correct this item", "修改本题"),
    "close_edit": ("Close", "关闭"),
    "save_edit": ("Save as a new revision", "保存为新版本"),
    "edit_first": ("Score this revision first; then you can correct it.", "请先对此版本评分，然后再修改。"),
    "edit_saved": (
        "Saved as revision {revision}. Please score it.",
        "已保存为版本 {revision}，请对其评分。",
    ),
    "edit_stale": (
        "Somebody else has saved a revision meanwhile. Your text is kept below; the current one is above.",
        "期间已有他人保存了新版本。您的文本保留在下方，当前版本见上方。",
    ),
    "stem": ("Question", "题干"),
    "option": ("Option", "选项"),
    "reason": ("Why", "修改原因"),
    "rules_kept": ("No rule is broken.", "未违反任何规则。"),
    "rules_broken": ("Rules that the new text breaks:", "新文本违反的规则："),
    "rules_warn": ("Warnings:", "提示："),
    "rules_unknown": ("Not checkable without the options' structure:", "因选项无结构而无法检查："),
    "previous": ("Previous", "上一题"),
    "next": ("Next", "下一题"),
    "next_open": ("Next to do", "下一道待办"),
    "go_to": ("Go to", "跳转"),
    "shortcuts": ("Keyboard", "快捷键"),
    "key_scores": ("the score with that key on its button", "按钮上标注的评分"),
    "key_next": ("next item, previous item", "下一题、上一题"),
    "key_open": ("next item that is still to do", "下一道待办题"),
    "key_key": ("show or hide the key", "显示或隐藏答案"),
    "key_verdicts": ("verdicts and reasoning, after scoring", "评分后查看评审意见与推理"),
    "key_edit": ("correct the item", "修改本题"),
    "key_comment": ("write a comment (Esc leaves it)", "填写备注（Esc 离开）"),
    "key_play": ("play or pause all videos", "播放或暂停全部视频"),
    "key_rewind": ("all videos back to the start", "全部视频回到开头"),
    "key_help": ("this list", "显示本列表"),
    "agreement": ("Agreement", "一致性"),
    "agreement_hint": (
        "Computed over revision 0 of the items that several people have scored.",
        "按多人评分题目的初始版本计算。",
    ),
    "agreement_later": (
        "How far people agree is shown when you have done all your items.",
        "完成您的全部题目后，将显示一致性结果。",
    ),
    "no_agreement": (
        "Not enough items have been scored by two people.",
        "由两人以上评分的题目还不够。",
    ),
    "dimension": ("Dimension", "维度"),
    "items": ("Items", "题数"),
    "row_overall": ("Overall (mean over dimensions)", "总体（各维度平均）"),
    "row_pooled": ("Pooled (all ratings as one table)", "合并（全部评分视为一表）"),
    "observed": ("Observed agreement", "观察一致率"),
}


def words(language: str) -> Mapping[str, str]:
    """All words in a language; in English for a language that the page does not speak."""
    column = list(LANGUAGES).index(language) if language in LANGUAGES else 0
    return {name: texts[column] for name, texts in _WORDS.items()}


def language_for(wanted: str, accepted: str = "") -> str:
    """The language to show: the wanted one, else the first of an Accept-Language header that the page speaks."""
    if wanted in LANGUAGES:
        return wanted
    for part in accepted.split(","):
        tag = part.split(";")[0].strip().lower().split("-")[0]
        if tag in LANGUAGES:
            return tag
    return "en"
