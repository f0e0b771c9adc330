import re
from collections.abc import Callable

import pytest

from eval.metrics import evaluate
from eval.presets.base import PresetInput
from eval.presets.early_late import match_pairs
from eval.presets.registry import PRESETS, preset
from eval.tables.table import Table
from records.benchmark import BenchmarkItem
from records.errors import ConfigurationError, InputError
from tests.eval import samples
from tests.eval.samples import item


def built(name: str, items: tuple[BenchmarkItem, ...]) -> Table:
    return preset(name).build(PresetInput(items, samples.panel_of_models(items), samples.INFOS))


def headers(table: Table) -> list[str]:
    return [column.header for column in table.columns]


SHAPES = {
    "vnu-table2": ["Model", *(f"T{n}" for n in range(1, 11)), "Avg"],
    "vnu-domains": ["Model", *(f"T{n}" for n in range(1, 11)), "Avg"],
    "vv-table2": ["Model", "LLM", "Frames", "Overall", "Event", "Object", "Culture", "Science"],
    "vv-table5": [
        "Model", "ED", "EP", "ES", "EL", "OTL", "OTS", "OSL", "CC", "AC", "EC", "SS", "COM", "AP", "SP",
    ],
    "vv-table6": ["Model", "Chinese", "English"],
    "vv-table7": ["Model", "Short", "Medium", "Long"],
    "vv-discipline": [
        "Model", "Math", "Physics", "Chemistry", "Computer Science", "Calculus (English)", "Linear Algebra (English)",
        "Statistics and Probability (English)", "Calculus (Chinese)",
    ],
    "vv-early-late": ["Model", "Early", "Late", "Late − Early"],
}  # fmt: skip


def both() -> tuple[BenchmarkItem, ...]:
    return (*samples.news(12), *samples.videos(12))


@pytest.mark.parametrize("name", PRESETS)
def test_each_preset_has_the_papers_shape(name: str) -> None:
    table = built(name, both())
    assert headers(table) == SHAPES[name]
    assert all(len(line.cells) == len(table.columns) for line in table.lines)
    rates = next(note for note in table.notes if note.startswith("Open 8B: "))
    assert re.search(r"over answered \d.*refused [1-9].*truncated.*unparsed.*unavailable 0.0 %", rates)
    assert any(note.startswith("‡ Judge: judged these items") for note in table.notes)


SUBSETS: dict[str, Callable[[BenchmarkItem], bool]] = {
    "vnu-table2": lambda i: i.track == "news",
    "vv-table2": lambda i: i.track == "video",
    "vv-table6": lambda i: i.family in ("culture", "science"),
    "vv-table7": lambda i: i.family == "event",
}


@pytest.mark.parametrize("name", SUBSETS)
def test_each_preset_is_on_the_papers_subset(name: str) -> None:
    items = both()
    table = built(name, items)
    chosen = [one for one in items if SUBSETS[name](one)]
    note = next(note for note in table.notes if note.startswith("Open_7B"))
    assert f"{len(chosen)} items" in note


@pytest.mark.parametrize(
    ("name", "column", "keep"),
    [
        ("vnu-table2", "T7", lambda i: i.type_id == "T7"),
        ("vnu-table2", "Avg", lambda i: i.track == "news"),
        ("vv-table2", "Overall", lambda i: i.track == "video"),
        ("vv-table2", "Culture", lambda i: i.family == "culture"),
        ("vv-table5", "SP", lambda i: i.type_id == "Science Principle"),
        ("vv-table6", "Chinese", lambda i: i.family in ("culture", "science") and i.language == "zh"),
        ("vv-table7", "Long", lambda i: i.family == "event" and (i.duration_s or 0) > 600),
        ("vv-discipline", "Math", lambda i: i.family == "science" and i.discipline == "Mathematics"),
        ("vv-discipline", "Calculus (Chinese)", lambda i: i.sub_discipline == "Calculus" and i.language == "zh"),
    ],
)
def test_cells_are_pooled_over_the_questions_of_their_subset(
    name: str, column: str, keep: Callable[[BenchmarkItem], bool]
) -> None:
    items = both()
    table = built(name, items)
    place = headers(table).index(column)
    chosen = [one for one in items if keep(one)]
    predictions = [p for p in samples.panel_of_models(items) if p.item_id in {one.item_id for one in chosen}]
    expected = {s.model: s.overall.accuracy for s in evaluate(chosen, predictions, groupings=())}
    for line in table.lines:
        model = {"Open_7B & co": "open7", "Open 8B": "open8", "Closed One": "closed", "Judge ‡": "judge"}
        assert line.cells[place].value == pytest.approx(expected[model[str(line.cells[0].value)]])


def test_rows_stand_in_the_sections_of_the_papers() -> None:
    table = built("vv-table2", samples.videos(6))
    assert [line.section for line in table.lines] == ["Open-source Video LMMs"] * 2 + ["Proprietary LMMs"] * 2


def test_the_7b_class_is_underlined_and_the_best_is_bold() -> None:
    table = built("vv-table2", samples.videos(12))
    overall = {str(line.cells[0].value): line.cells[3].emphasis for line in table.lines}
    assert overall == {"Open_7B & co": "", "Open 8B": "both", "Closed One": "", "Judge ‡": ""}
    sound = {**samples.INFOS, "judge": samples.INFOS["judge"].model_copy(update={"contaminated": ""})}
    items = samples.videos(12)
    again = preset("vv-table2").build(PresetInput(items, samples.panel_of_models(items), sound))
    overall = {str(line.cells[0].value): line.cells[3].emphasis for line in again.lines}
    assert overall == {"Open_7B & co": "", "Open 8B": "second", "Closed One": "", "Judge": "best"}


def test_neither_a_suspect_nor_an_incomplete_score_is_called_the_best() -> None:
    table = built("vv-table2", samples.videos(12))
    by_name = {str(line.cells[0].value): line.cells[3] for line in table.lines}
    assert by_name["Judge ‡"].value == max(v.value for k, v in by_name.items() if k != "Closed One")  # type: ignore[type-var]
    assert (by_name["Judge ‡"].emphasis, by_name["Closed One"].emphasis) == ("", "")
    assert by_name["Closed One"].mark == "†"


def test_domains_are_sections_and_items_without_one_are_told() -> None:
    bare = samples.news(1)[0].model_copy(update={"item_id": "bare", "domain": ""})
    items = (*samples.news(6), bare)
    table = built("vnu-domains", items)
    assert list(dict.fromkeys(line.section for line in table.lines)) == ["Business & Economy", "Health", "World"]
    assert "1 items are left out" in table.notes[0]


LACKING = {
    "vnu-table2": "no item has one of the types T1–T10",
    "vv-table2": "no item is of the families",
    "vv-table5": "no item is of one of the 14 subtasks",
    "vv-table6": "no item is of culture or science",
    "vv-table7": "no item is of the event family",
    "vv-discipline": "no item is of the science family",
    "vv-early-late": "no item is of event localization",
}


@pytest.mark.parametrize("name", LACKING)
def test_items_that_a_table_is_not_about_are_refused_with_the_reason(name: str) -> None:
    with pytest.raises(InputError, match=LACKING[name]):
        built(name, (item("q1", type_id="Riddle"),))


def test_unknown_facts_are_na_with_a_reason() -> None:
    items = tuple(one.model_copy(update={"duration_s": None}) for one in samples.videos(4))
    table = built("vv-table7", items)
    assert [cell.value for cell in table.lines[0].cells[1:]] == [None] * 3
    assert any("n/a in Short, Medium, Long: no duration is known (--metadata FILE" in note for note in table.notes)


@pytest.mark.parametrize(
    ("name", "items", "unknown", "reason"),
    [
        (
            "vv-discipline",
            samples.videos(4),
            {"discipline": "", "sub_discipline": ""},
            "no discipline is known (--metadata",
        ),
        ("vv-early-late", samples.videos(4), {"duration_s": None}, "no early and late questions could be paired"),
        ("vnu-domains", samples.news(2), {"domain": ""}, "no domain is known (--metadata"),
    ],
)
def test_a_table_whose_facts_nobody_knows_is_na_throughout(
    name: str, items: tuple[BenchmarkItem, ...], unknown: dict[str, object], reason: str
) -> None:
    table = built(name, tuple(one.model_copy(update=unknown) for one in items))
    assert headers(table) == SHAPES[name]
    assert len(table.lines) == 4
    assert {cell.value for line in table.lines for cell in line.cells[1:]} == {None}
    assert any(note.startswith("n/a in ") and reason in note for note in table.notes)


@pytest.mark.parametrize("name", PRESETS)
def test_a_table_can_be_tried_before_anything_was_asked(name: str) -> None:
    assert preset(name).build(PresetInput(both(), ())).lines == ()


def test_a_model_that_never_replied_is_na_and_says_so() -> None:
    items = samples.news(2)
    found = samples.failed(samples.answers(items, "m", 0.5), "unavailable", 1)
    table = preset("vnu-table2").build(PresetInput(items, found))
    assert {cell.value for cell in table.lines[0].cells[1:]} == {None}
    assert any(note.startswith("n/a in T1, ") and note.endswith("Avg: no reply came.") for note in table.notes)


def test_an_unknown_preset_lists_the_known_ones() -> None:
    with pytest.raises(ConfigurationError, match="no preset 'table9'.*vnu-table2, vnu-domains, vv-table2"):
        preset("table9")


def localization(number: int, duration: float, event: float, video: str = "") -> BenchmarkItem:
    return item(
        f"el{number}", type_id="Event Localization", video_ids=(video or f"v{number}",), duration_s=duration,
        event_start_s=event, event_end_s=event,
    )  # fmt: skip


def test_pairs_are_matched_by_duration() -> None:
    items = [
        localization(1, 100, 10), localization(2, 300, 10), localization(3, 303, 200), localization(4, 101, 90),
        localization(5, 900, 800), localization(6, 99, 80),
    ]  # fmt: skip
    pairs = [(pair.early.item_id, pair.late.item_id) for pair in match_pairs(items)]
    assert pairs == [("el1", "el4"), ("el2", "el3")] or pairs == [("el2", "el3"), ("el1", "el4")]
    assert all(
        max(p.early.duration_s or 0, p.late.duration_s or 0)
        <= 1.1 * min(p.early.duration_s or 0, p.late.duration_s or 0)
        for p in match_pairs(items)
    )


def test_as_many_pairs_as_possible_are_made_then_the_closest() -> None:
    items = [localization(1, 100, 10), localization(2, 108, 10), localization(3, 100, 90), localization(4, 93, 90)]
    assert {(p.early.item_id, p.late.item_id) for p in match_pairs(items)} == {("el1", "el4"), ("el2", "el3")}


def test_a_video_is_not_paired_with_itself_and_pairs_are_limited() -> None:
    same = [localization(1, 100, 10, "v"), localization(2, 100, 90, "v")]
    assert match_pairs(same) == ()
    many = [localization(n, 100 + n / 100, 10 if n % 2 else 90) for n in range(200)]
    assert len(match_pairs(many)) == 75
    assert len({one.item_id for pair in match_pairs(many) for one in pair}) == 150
    other = [one.model_copy(update={"type_id": "Event Sequence"}) for one in many]
    assert match_pairs(other) == ()
