"""The sentences of a drafted question: claims, topics of the stem, evidence; in English and Chinese.

A clause in the third person is reported ("TAG_A reports that …"); one in which somebody says *we* or *you*, or which
has no verb that can be recognised, is quoted ("TAG_A has the words “…”"). Chinese clauses are always quoted.
"""

import re

from offline.clauses import has_verb, is_spoken_in_person, opens_unresolved
from offline.findings import Finding
from offline.numerals import read_numeral
from offline.reading import Material
from offline.words import stem, words
from records.base import digest
from records.media import Tag


def claim(finding: Finding, clause: str, verb: str = "reports") -> str:
    """A claim about what the finding's source says, with `clause` as the source's words."""
    if finding.language == "zh":
        return f"{finding.tag} 提到“{clause}”"
    if is_spoken_in_person(clause) or opens_unresolved(clause) or not has_verb(clause):
        quoted = f"{finding.lead} {clause}" if finding.lead else clause
        return f"{finding.tag} has the words “{quoted}”"
    return f"{finding.tag} {verb} that {clause if finding.opens_with_name else uncapitalised(clause)}"


def uncapitalised(clause: str) -> str:
    """The clause as it stands after *that*; a first word in capitals throughout, and *I*, stay."""
    first = re.match(r"[A-Za-z'’-]+", clause)
    if not first or (first.group().isupper() and (len(first.group()) > 1 or first.group() == "I")):
        return clause
    return clause[:1].lower() + clause[1:]


def topic(finding: Finding) -> str:
    """What is asked about a finding, as the beginning of a question: ``how many crew members``."""
    if finding.language == "zh":
        return _topic_zh(finding)
    fixed = {
        "percent": "what percentage", "money": "what sum of money", "time": "what time of day", "date": "what date",
        "year": "what year", "place": "what place",
    }.get(finding.family)  # fmt: skip
    if fixed:
        return fixed
    if finding.unit == "times":
        return "what factor"
    form = read_numeral(finding.value)
    measured = finding.noun or (form.after.strip(" -") if form else "")
    return f"how many {measured}" if measured and measured not in ("million", "thousand", "billion") else "what number"


_ZH_UNITS = {
    "m": "长度或高度", "km": "长度或高度", "cm": "长度", "mm": "长度", "degree": "度数", "°C": "温度",
    "jin": "重量", "kg": "重量", "g": "重量", "t": "重量", "day": "天数", "week": "周数", "month": "月数",
    "year": "年数", "h": "小时数", "min": "分钟数", "s": "秒数", "age": "年龄", "%": "百分比", "times": "倍数",
    "km/h": "速度", "mu": "面积", "ha": "面积",
}  # fmt: skip
_ZH_FAMILIES = {"percent": "百分比", "money": "金额", "time": "时刻", "date": "日期", "year": "年份"}


def _topic_zh(finding: Finding) -> str:
    if finding.unit == "degree" and "温" in finding.clause:
        return "温度"
    counted = "人数" if finding.noun[:1] in ("名", "位", "人") else "数量"
    return _ZH_FAMILIES.get(finding.family) or _ZH_UNITS.get(finding.unit, counted)


def comparison_stem(left: Finding, right: Finding, seed: str) -> str:
    """The question of a type 2 item."""
    tags = sorted((left.tag, right.tag))
    if left.language == "zh":
        parts = "、".join(f"{one.tag} 提到的{_about_zh(one)}{topic(one)}" for one in (left, right))
        return f"对照各来源的说法，{parts}分别是多少（{tags[0]} 对比 {tags[1]}）？"
    asked = f"{_asked(left)}, and {_asked(right)}"
    openings = ("{}", "Compare the reported details: {}", "Going by both reports, {}")
    sentence = openings[int(digest(seed)[:8], 16) % len(openings)].format(asked)
    return f"{sentence[:1].upper()}{sentence[1:]} ({tags[0]} vs {tags[1]})?"


def _asked(finding: Finding) -> str:
    verb = "mention" if finding.family in ("count", "amount") else "give"
    about = f" in connection with {finding.about}" if finding.about else ""
    return f"{topic(finding)} does {finding.tag} {verb}{about}"


def _about_zh(finding: Finding) -> str:
    return f"与“{finding.about}”有关的" if finding.about else ""


def evidence(found: tuple[Finding, ...], material: Material, limit: int) -> tuple[str, tuple[str, ...]]:
    """One sentence of at most `limit` characters with the nearest frame of each fact, and the list of these frames."""
    frames = {one.tag: nearest_frame(one.tag, one.time_s, material) for one in found}
    room = limit
    while True:
        pieces, cited = [], []
        for one in found:
            number = frames[one.tag]
            marker = f" [FRAME: {one.tag} #{number}]" if number is not None else ""
            pieces.append(f"{one.tag}: “{snippet(one, room)}”{marker}")
            cited += [f"{one.tag} #{number}"] if number is not None else []
        line = "; ".join(pieces) + "." if found[0].language == "en" else "；".join(pieces) + "。"
        if len(line) <= limit or room <= 12:
            return line, tuple(dict.fromkeys(cited))
        room -= 4


def snippet(finding: Finding, room: int) -> str:
    """The value with the words around it, at most `room` characters, cut at words."""
    text, start, end = finding.clause, finding.start, finding.start + len(finding.value)
    if len(text) <= room:
        return text
    step = re.compile(r"\s" if finding.language == "en" else r"")
    while True:
        right = next((m.start() for m in step.finditer(text, end + 1)), len(text)) if end < len(text) else end
        if right != end and right - start <= room:
            end = right
            continue
        left = max((m.end() for m in step.finditer(text, 0, max(0, start - 1))), default=0) if start else start
        if left != start and end - left <= room:
            start = left
            continue
        return text[start:end].strip(" ,;:，；：")


def nearest_frame(tag: Tag, time_s: float, material: Material) -> int | None:
    """The number of the source's frame that stands nearest in time; None where no frame is shown."""
    frames = material.frames.get(tag, ())
    if not frames:
        return None
    return min(frames, key=lambda frame: (abs((frame.time_s or 0.0) - time_s), frame.number)).number


def conflict_stem(claimed: Finding, tested: Finding) -> str:
    """The question of a type 7 item about a figure."""
    tags = sorted((claimed.tag, tested.tag))
    about = shared_word(claimed, tested)
    if claimed.language == "zh":
        return (
            f"{claimed.tag} 关于“{about}”的{topic(claimed)}的说法，用 {tested.tag} 的内容来检验是否站得住，"
            f"哪一组说法与证据的搭配属实（{tags[0]} 对比 {tags[1]}）？"
        )
    return (
        f"{claimed.tag} makes a claim about {_with_article(about, claimed)} and says {topic(claimed)}. "
        f"Does it hold up against what {tested.tag} reports, and "
        f"which pairing of claim and evidence is right ({tags[0]} vs {tags[1]})?"
    )


def shared_word(left: Finding, right: Finding) -> str:
    """The longest word that both clauses share, as the left one writes it."""
    shared = set(left.context) & set(right.context)
    written = [word for word in words(left.clause, left.language) if stem(word) in shared]
    return max(written, key=len, default=left.noun or left.value)


def _with_article(word: str, finding: Finding) -> str:
    return f"the {word}" if re.search(rf"\b[Tt]he (?:\w+ )?{re.escape(word)}\b", finding.clause) else word


def denial_stem(noun: str, claimed: Tag, denying: Finding) -> str:
    """The question of a type 7 item about a denial."""
    tags = sorted((claimed, denying.tag))
    about = _with_article(noun, denying)
    return (
        f"{claimed} makes a statement that bears on {about}. Does it hold up against what {denying.tag} has to say, "
        f"and which pairing of claim and evidence is right ({tags[0]} vs {tags[1]})?"
    )


def order_stem(facts: tuple[Finding, ...]) -> str:
    """The question of a type 8 item."""
    tags = sorted({fact.tag for fact in facts})
    if facts[0].language == "zh":
        return f"按各来源给出的时间，这些事情真正发生的先后是怎样的（{'、'.join(tags)}）？"
    listed = f"{', '.join(tags[:-1])} and {tags[-1]}" if len(tags) > 2 else " vs ".join(tags)
    return f"Going by the times that the reports give, in what real order do these events fall ({listed})?"


def order_claim(left: Finding, right: Finding, *, earlier: bool) -> str:
    """A claim that puts what two sources tell in order, their times left out."""
    ours, theirs = without_value(left), without_value(right)
    if left.language == "zh":
        return f"{left.tag} 的“{ours}”{'早于' if earlier else '晚于'} {right.tag} 的“{theirs}”"
    side = "earlier" if earlier else "later"
    return f"what {left.tag} tells in “{ours}” comes {side} than what {right.tag} tells in “{theirs}”"


def without_value(finding: Finding) -> str:
    """The clause with dots in place of its value."""
    return finding.with_value("…")
