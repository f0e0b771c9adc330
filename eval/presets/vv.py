"""VideoVista-CulturalLingo: Tables 2, 5, 6 and 7 and Figure 9, each on the paper's own subset of the items.

All accuracies are pooled over questions: the paper's percentages in Tables 6 and 7 are whole fractions of one number of
questions (553 Chinese ones, 224 short ones), so they are not means over subtasks.
"""

from collections.abc import Callable

from eval.groupings import duration_bin, language
from eval.metrics import ModelScores
from eval.presets.base import Preset, PresetInput, finished, pick, rows, scored
from eval.presets.vnu import by_code
from eval.reply_rates import accuracy_cell
from eval.tables.table import Cell, Column, Table, with_best
from eval.taxonomy import TYPES, family_of, type_info
from records.benchmark import BenchmarkItem

_FAMILIES = ("event", "object", "culture", "science")
_CODES = tuple(info.code for info in TYPES if info.track == "video")
_LACKING = "no item is of the families event, object, culture or science, which this table is about."


def family(item: BenchmarkItem) -> str:
    """The item's family as the file or its type says."""
    return item.family or family_of(item.type_id, item.category)


def _in(*families: str) -> Callable[[BenchmarkItem], bool]:
    return lambda item: family(item) in families


def _table2(given: PresetInput) -> Table:
    scores = scored(given, _in(*_FAMILIES), ["family"], lacking=_LACKING)
    columns = (
        Column(header="Model", kind="text"),
        Column(header="LLM", kind="text"),
        Column(header="Frames", kind="text"),
        *(Column(header=name, compare=True) for name in ("Overall", "Event", "Object", "Culture", "Science")),
    )

    def cells(s: ModelScores) -> tuple[Cell, ...]:
        families = s.by.get("family", {})
        return (
            *_facts(s, given),
            accuracy_cell(s.overall),
            *(pick(families, name, "no item of this family") for name in _FAMILIES),
        )

    title = "Accuracy (%) overall and by task family"
    return with_best(finished("vv-table2", title, columns, rows(scores, given, cells), scores, given))


def _facts(s: ModelScores, given: PresetInput) -> tuple[Cell, Cell]:
    info = given.infos.get(s.model)
    why = "not given (file for --models)"
    return (
        Cell(value=(info and info.llm) or None, note=why),
        Cell(value=(info and info.frames) or None, note=why),
    )


def _table5(given: PresetInput) -> Table:
    scores = scored(given, lambda item: _is_subtask(item), ["type"], lacking="no item is of one of the 14 subtasks.")
    subtasks = tuple(
        Column(header=info.code, group=info.family.title(), compare=True) for info in TYPES if info.track == "video"
    )

    def cells(s: ModelScores) -> tuple[Cell, ...]:
        types = by_code(s.by.get("type", {}))
        return tuple(pick(types, code, "no item of this subtask") for code in _CODES)

    columns = (Column(header="Model", kind="text"), *subtasks)
    title = "Accuracy (%) by subtask"
    return with_best(finished("vv-table5", title, columns, rows(scores, given, cells), scores, given))


def _is_subtask(item: BenchmarkItem) -> bool:
    info = type_info(item.type_id)
    return info is not None and info.track == "video"


def _table6(given: PresetInput) -> Table:
    scores = scored(given, _in("culture", "science"), ["language"], lacking="no item is of culture or science.")
    names = {"Chinese": "zh", "English": "en"}

    def cells(s: ModelScores) -> tuple[Cell, ...]:
        languages = s.by.get("language", {})
        return tuple(pick(languages, code, "no item in this language") for code in names.values())

    columns = (Column(header="Model", kind="text"), *(Column(header=name, compare=True) for name in names))
    others = sum(_in("culture", "science")(i) and language(i) not in names.values() for i in given.items)
    notes = (f"{others} items are in other languages and left out.",) if others else ()
    title = "Accuracy (%) by language, on culture and science questions"
    table = finished("vv-table6", title, columns, rows(scores, given, cells), scores, given, notes=notes, decimals=2)
    return with_best(table)


def _table7(given: PresetInput) -> Table:
    scores = scored(given, _in("event"), ["duration"], lacking="no item is of the event family.")
    missing = sum(_in("event")(item) and not duration_bin(item.duration_s) for item in given.items)

    def cells(s: ModelScores) -> tuple[Cell, ...]:
        bins = s.by.get("duration", {})
        why = "no duration is known (--metadata FILE joins it by video id)" if not bins else "no item of this length"
        return tuple(pick(bins, name, why) for name in ("short", "medium", "long"))

    names = ("Short", "Medium", "Long")
    columns = (Column(header="Model", kind="text"), *(Column(header=name, compare=True) for name in names))
    notes = ["Short is under 2 minutes, Long over 10."]
    notes += [f"{missing} event items are left out: their video's duration is not known."] if missing else []
    title = "Accuracy (%) by video duration, on event questions"
    table = finished("vv-table7", title, columns, rows(scores, given, cells), scores, given, notes=notes, decimals=2)
    return with_best(table)


_DISCIPLINES = ("Math", "Physics", "Chemistry", "Computer Science")
_MATH = ("Calculus (English)", "Linear Algebra (English)", "Statistics and Probability (English)", "Calculus (Chinese)")
_SYNONYMS = {
    "math": "Math", "mathematics": "Math", "maths": "Math", "physics": "Physics", "chemistry": "Chemistry",
    "computer science": "Computer Science", "cs": "Computer Science", "数学": "Math", "物理": "Physics",
    "化学": "Chemistry", "计算机": "Computer Science", "计算机科学": "Computer Science",
}  # fmt: skip
_MATH_FIELDS = {
    "calculus": "Calculus", "advanced mathematics": "Calculus", "高等数学": "Calculus", "微积分": "Calculus",
    "linear algebra": "Linear Algebra", "statistics and probability": "Statistics and Probability",
    "probability and statistics": "Statistics and Probability", "statistics": "Statistics and Probability",
}  # fmt: skip


def _discipline(item: BenchmarkItem) -> str:
    return _SYNONYMS.get(item.discipline.strip().casefold(), item.discipline)


def _math_field(item: BenchmarkItem) -> str:
    field = _MATH_FIELDS.get(item.sub_discipline.strip().casefold(), "")
    tongue = {"en": "English", "zh": "Chinese"}.get(language(item), "")
    return f"{field} ({tongue})" if field and tongue and _discipline(item) in ("", "Math") else ""


def _disciplines(given: PresetInput) -> Table:
    science = [item for item in given.items if family(item) == "science"]
    renamed = tuple(
        item.model_copy(update={"discipline": _discipline(item), "sub_discipline": _math_field(item)})
        for item in given.items
    )
    given = PresetInput(renamed, given.predictions, given.infos, given.seed, given.intervals)
    scores = scored(
        given, _in("science"), ["discipline", "sub_discipline"], lacking="no item is of the science family."
    )

    absent = "no science item of this discipline"
    unknown = "no discipline is known (--metadata FILE with video_id, discipline, sub_discipline joins it)"
    why = absent if any(item.discipline for item in science) else unknown

    def cells(s: ModelScores) -> tuple[Cell, ...]:
        disciplines, fields = s.by.get("discipline", {}), s.by.get("sub_discipline", {})
        return (*(pick(disciplines, d, why) for d in _DISCIPLINES), *(pick(fields, f, why) for f in _MATH))

    columns = (
        Column(header="Model", kind="text"),
        *(Column(header=name, group="Discipline", compare=True) for name in _DISCIPLINES),
        *(Column(header=name, group="Math", compare=True) for name in _MATH),
    )
    missing = sum(not item.discipline for item in science)
    notes = [f"{missing} science items are left out: their discipline is not known."] if missing else []
    title = "Accuracy (%) by discipline and mathematical field, on science questions"
    return with_best(finished("vv-discipline", title, columns, rows(scores, given, cells), scores, given, notes=notes))


VV_TABLE2 = Preset(
    "vv-table2", "VideoVista-CulturalLingo, Table 2", "overall accuracy and by family, with LLM and frames", _table2
)
VV_TABLE5 = Preset("vv-table5", "VideoVista-CulturalLingo, Tables 3 and 5", "accuracy by the 14 subtasks", _table5)
VV_TABLE6 = Preset(
    "vv-table6", "VideoVista-CulturalLingo, Table 6", "Chinese and English, culture and science only", _table6
)
VV_TABLE7 = Preset("vv-table7", "VideoVista-CulturalLingo, Table 7", "short, medium, long videos, event only", _table7)
VV_DISCIPLINE = Preset(
    "vv-discipline", "VideoVista-CulturalLingo, Figure 9", "disciplines and fields of mathematics, science only",
    _disciplines,
)  # fmt: skip
