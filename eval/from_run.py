"""A run's kept questions as BenchmarkItems, with what the groups' metadata say about their videos."""

from collections.abc import Iterable, Mapping

from eval.enrich import enriched
from records.benchmark import BenchmarkItem
from records.media import Group, Source
from records.questions import Question
from records.verdicts import Item
from store.run import Run

_FACTS = ("culture", "discipline", "sub_discipline", "domain")


def items_of_run(run: Run, set_name: str, *, judges: Iterable[str] = ()) -> tuple[BenchmarkItem, ...]:
    """The items that a judgement set kept, sorted by group, type and id. `judges` are the panel's model names."""
    groups = {group.group_id: group for group in run.all("group", Group)}
    kept = (item for item in run.all("item", Item, set_name=set_name) if item.outcome == "kept")
    found = [benchmark_item(item.question, groups.get(item.question.group_id), judges=judges) for item in kept]
    return tuple(sorted(found, key=lambda item: (item.group_id, item.type_id, item.item_id)))


def benchmark_item(question: Question, group: Group | None = None, *, judges: Iterable[str] = ()) -> BenchmarkItem:
    """One question of ours, ready to be asked."""
    sources = {source.video_id: source for source in group.sources} if group else {}
    used = [sources[video] for video in question.sources.values() if video in sources]
    durations = [source.duration_s for source in used]
    whole = len(used) == len(question.sources) and None not in durations
    files = tuple(source.video_file for source in used if source.video_file)
    extra = dict(question.extra)
    facts = {name: extra.pop(name, "") for name in _FACTS}
    return enriched(
        BenchmarkItem(
            item_id=question.question_id,
            group_id=question.group_id,
            video_ids=tuple(question.sources.values()),
            video_files=files if len(files) == len(question.sources) else (),
            sources=question.sources,
            stem=question.stem,
            options={letter: option.text for letter, option in question.options.items()},
            key=question.key,
            track=question.track,
            type_id=question.type_id,
            language=question.language,
            domain=facts["domain"] or (group.domain if group else ""),
            duration_s=sum(seconds for seconds in durations if seconds is not None) if whole and used else None,
            culture=facts["culture"],
            discipline=facts["discipline"],
            sub_discipline=facts["sub_discipline"],
            platforms=_named(used, "platform"),
            outlets=_named(used, "outlet"),
            event_start_s=_seconds(extra, "event_start_s"),
            event_end_s=_seconds(extra, "event_end_s"),
            sources_used=len(question.named_tags) or len(question.support_map.get(question.key, ())) or None,
            frames_used=len(question.evidence_frames),
            drafter=question.provenance.drafter,
            drafter_family=question.provenance.family,
            judges=tuple(judges),
            extra=extra,
        )
    )


def _named(sources: Iterable[Source], field: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (getattr(source, field) for source in sources))))


def _seconds(extra: Mapping[str, str], name: str) -> float | None:
    try:
        return float(extra[name])
    except (KeyError, ValueError):
        return None
