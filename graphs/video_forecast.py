"""What annotating videos will probably take, before anything is asked: calls, tokens and cost, low, expected and high.

The real requests are built around stand-ins: a segment for so many seconds, notes of usual length. Which families a
video serves is not known before its classifiers answer: low assumes none but events, expected half of the others, high
all of them with every redraft.
"""

import argparse
import json
import sys
from dataclasses import dataclass, field
from typing import Any

from agents import classifiers, concepts, event_annotator, object_finder, refiner, segmenter, transcript_quality
from agents.object_finder import NamedObject
from agents.question_facts import Material, obstacle
from agents.question_writer import write_request
from agents.roles import Role, model_for
from gateway.estimate import estimate
from gateway.preflight import Need
from graphs import cli
from graphs.forecast import CASES, Amount, Case, Forecast, add_judges, add_request, likely_frames, show
from graphs.slots import Slot
from graphs.video_session import has_vision
from media.evidence import build_evidence
from media.objects import look_times
from media.videos import VideoFiles, read_video
from prompts.taskheads import TaskHead
from records.annotation import (
    CultureFinding,
    ObjectDescription,
    ScienceFinding,
    Stage,
    VideoAnnotation,
    VideoSettings,
)
from records.calls import Request
from records.config import ModelSpec, Panel, Track
from records.errors import InputError
from records.media import Frame, FrameSignals, Group, Sentence, Transcript
from records.video import Article, Box, EventAnnotation, ObjectTrack, Segment, Sighting

SEGMENT_S = 45.0
"""Usual length of a segment; half and double of it are the cases low and high."""
_SHORTEST_S = 5.0
"""A video of four times this has four segments at least: short reports are cut more finely."""
_SEGMENTS: dict[Case, float] = {"low": 0.5, "expected": 1.0, "high": 2.0}
_FAMILY: dict[Case, float] = {"low": 0.0, "expected": 0.5, "high": 1.0}
"""Share of a family's calls that are made once its classifier has answered."""
_ALWAYS: dict[Case, float] = dict.fromkeys(CASES, 1.0)
_WORDS_A_SECOND = 2.3
_LOG = {
    "en": "The speaker holds a glass up to the light, reads a label, and writes two numbers on a board. ",
    "zh": "讲解者把杯子举到光下，读出标签，并在板上写下两个数字。",
}


@dataclass
class VideoForecast:
    """The forecast, and what each role needs of its model at most."""

    lines: dict[str, dict[Case, Amount]] = field(default_factory=dict)
    needs: dict[tuple[str, str], Need] = field(default_factory=dict)
    videos: int = 0
    drafts: int = 0

    @property
    def forecast(self) -> Forecast:
        """Calls, tokens and cost."""
        return Forecast(groups=self.videos, drafts=self.drafts, lines=self.lines)

    def add(self, role: str, request: Request, weights: dict[Case, float]) -> None:
        """Counts a request, and keeps the largest of each role."""
        add_request(self.lines, request, weights)
        guess = estimate(request)
        known = self.needs.get((role, request.model.name))
        if known is None or guess.prompt_tokens > known.prompt_tokens:
            self.needs[(role, request.model.name)] = Need(
                role=role, model=request.model, images=max(guess.images, known.images if known else 0),
                prompt_tokens=guess.prompt_tokens, where=request.group_id,
            )  # fmt: skip


def forecast_videos(plan: Any, arguments: argparse.Namespace) -> VideoForecast:
    """The forecast of a plan over the videos that can be read; the others say why when their turn comes."""
    found = VideoForecast()
    for video_id, video in plan.videos.items():
        group = _readable(video, arguments.lang)
        if group is not None:
            add_video(found, group, plan, plan.slots_of(video_id), arguments.seed)
    return found


def needs_of(panel: Panel, found: VideoForecast) -> list[Need]:
    """What each role will ask of its model at most."""
    needs = list(found.needs.values())
    seats = (*panel.judges, *panel.reserves)
    return needs + [Need(role=f"judge {seat.seat}", model=panel.model(seat.model)) for seat in seats]


def dry_run(plan: Any, arguments: argparse.Namespace) -> int:
    """The forecast of the whole plan, without asking or writing anything."""
    found = forecast_videos(plan, arguments)
    if arguments.json:
        totals = {case: found.forecast.total(case).model_dump() for case in CASES}
        sys.stdout.write(json.dumps({**found.forecast.model_dump(), "total": totals}, indent=1) + "\n")
    else:
        show(found.forecast, cli.console(quiet=arguments.quiet))
    missing = len(plan.videos) - found.videos
    if missing:
        sys.stderr.write(f"error: {missing} videos cannot be used; run without --dry-run to see why.\n")
    return cli.ERROR if missing else cli.DONE


def add_video(found: VideoForecast, group: Group, plan: Any, slots: tuple[Slot, ...], seed: int) -> None:
    """Everything that one video takes."""
    panel, settings = plan.panel, plan.settings
    source = group.sources[0]
    found.videos, found.drafts = found.videos + 1, found.drafts + len(slots)
    language = "en" if group.language == "und" else group.language
    transcript = source.transcript if source.transcript.text else likely_words(source.duration_s or 60.0, language)
    notes = likely_notes(group, transcript, language, plan.track, settings)
    _add_notes(found, notes, transcript, panel, settings)
    _add_families(found, notes, transcript, plan, source.duration_s or 60.0)
    material = Material(annotation=notes, source=source, domain=group.domain, settings=settings)
    written = _add_drafts(found, slots, material, plan, seed)
    _add_judges(found, written, group, transcript, plan, seed)


def likely_words(duration_s: float, language: str) -> Transcript:
    """As much speech as a video of this length usually holds, for videos that have yet to be heard."""
    count = max(1, round(duration_s * _WORDS_A_SECOND / 10))
    text = (
        "这里是大约二十个汉字的一句话，用来估算长度。"
        if language == "zh"
        else "Here are ten plain words to measure the length by."
    )
    step = duration_s / count
    sentences = tuple(Sentence(start_s=n * step, end_s=(n + 1) * step, text=text) for n in range(count))
    return Transcript(
        language=language, origin="speech-recognition", sentences=sentences, text=" ".join([text] * count)
    )


def likely_notes(
    group: Group, transcript: Transcript, language: str, track: Track, settings: VideoSettings
) -> VideoAnnotation:
    """Notes of usual length, as if every family served."""
    source = group.sources[0]
    duration = source.duration_s or 60.0
    count = max(4 if duration >= 4 * _SHORTEST_S else 1, round(duration / SEGMENT_S))
    step = duration / count
    said = transcript.text
    segments = tuple(
        Segment(
            video_id=source.video_id, index=n, start_s=n * step, end_s=(n + 1) * step, origin="speech",
            text=said[n * len(said) // count : (n + 1) * len(said) // count],
        )
        for n in range(count)
    )  # fmt: skip
    log = _LOG["zh" if language == "zh" else "en"]
    events = tuple(
        EventAnnotation(event=log * 2, audio=log, start_s=each.start_s, end_s=each.end_s) for each in segments
    )
    signals = FrameSignals(text_density=0.0, sharpness=0.0, novelty=0.0)
    side = track.images.longer_side
    frames = tuple(
        Frame(
            sha256=f"{n:064d}", video_id=source.video_id, number=n + 1, time_s=n * duration / (count * 8), width=side,
            height=side * 9 // 16, rank=n + 1, signals=signals,
        )
        for n in range(count * settings.events.frames if source.video_file else 0)
    )  # fmt: skip
    names = ("event", "object", "culture", "science", "events")
    return VideoAnnotation(
        video_id=source.video_id, language=language, duration_s=duration, segments=segments, events=events,
        frames=frames, objects=_likely_objects(duration), cultures=_likely_cultures(settings),
        science=ScienceFinding(relevance=5, density=5, kind="both"),
        stages=tuple(Stage(name=name, outcome="done") for name in names),
    )  # fmt: skip


def _likely_objects(duration: float) -> tuple[ObjectDescription, ...]:
    box = Box(x0=0.2, y0=0.2, x1=0.5, y1=0.6)
    return tuple(
        ObjectDescription(
            track=ObjectTrack(
                name=f"thing {n}", sightings=(Sighting(time_s=n * duration / 5, box=box),), first_s=n * duration / 5
            ),
            text=_LOG["en"] * 2,
        )
        for n in range(1, 5)
    )


def _likely_cultures(settings: VideoSettings) -> tuple[CultureFinding, ...]:
    text = (_LOG["en"] * 100)[: settings.culture.article_characters]
    article = Article(title="An article", url="", lead="", text=text, language="en")
    return tuple(
        CultureFinding(culture=culture, reason=_LOG["en"], articles=(article,)) for culture in settings.culture.cultures
    )


def _add_notes(
    found: VideoForecast, notes: VideoAnnotation, transcript: Transcript, panel: Panel, settings: VideoSettings
) -> None:
    video_id, count = notes.video_id, len(transcript.sentences)
    model = _asked(panel, "quality")
    if model:
        request = transcript_quality.quality_request(
            transcript, model, settings.quality, duration_s=notes.duration_s, group_id=video_id
        )
        found.add("quality", request, _ALWAYS)
    if model := _asked(panel, "segmenter"):
        high = {**_ALWAYS, "high": 1.0 + settings.cutting.attempts}
        for window in segmenter.windows(count, settings.cutting.window_sentences):
            found.add("segmenter", segmenter.segment_request(transcript, window, model, group_id=video_id), high)
    if (model := _asked(panel, "refiner")) and notes.language in settings.cutting.refine_languages:
        high = {**_ALWAYS, "high": 1.0 + settings.cutting.attempts}
        for window in segmenter.windows(count, settings.cutting.refine_sentences):
            found.add("refiner", refiner.refine_request(transcript, window, model, group_id=video_id), high)
    model = _asked(panel, "annotator")
    if model is None:
        return
    for place, segment in enumerate(notes.segments):
        frames = notes.frames[place * settings.events.frames : (place + 1) * settings.events.frames]
        request = event_annotator.event_request(
            segment, len(notes.segments), notes.events[:place], frames, model, language=notes.language,
            most_history=settings.events.history,
        )  # fmt: skip
        found.add("annotator", request, _SEGMENTS)


def _add_families(
    found: VideoForecast, notes: VideoAnnotation, transcript: Transcript, plan: Any, duration_s: float
) -> None:
    panel, settings = plan.panel, plan.settings
    model = _asked(panel, "classifier")
    if model and "science" in plan.families:
        found.add("classifier", classifiers.science_class_request(notes, transcript, model, settings.science), _ALWAYS)
    if model and "culture" in plan.families and settings.culture.wikipedia:
        found.add("classifier", classifiers.culture_class_request(notes, transcript, model), _ALWAYS)
        if asked := _asked(panel, "concepts"):
            for finding in notes.cultures:
                request = concepts.concepts_request(finding, notes, transcript, asked, settings.culture.concepts)
                found.add("concepts", request, _FAMILY)
    if model and "object" in plan.families and notes.frames:
        found.add("classifier", classifiers.object_class_request(notes, model), _ALWAYS)
        _add_objects(found, notes, panel, settings, duration_s)


def _add_objects(
    found: VideoForecast, notes: VideoAnnotation, panel: Panel, settings: VideoSettings, duration_s: float
) -> None:
    named = tuple(NamedObject(name=each.track.name, phrase=each.track.name) for each in notes.objects)
    looks = len(look_times(min(duration_s, settings.object_stages.most_seconds), settings.objects))
    size = settings.object_stages.presence_frames
    if model := _asked(panel, "extractor"):
        found.add("extractor", object_finder.objects_request(notes, model), _FAMILY)
    if model := _asked(panel, "presence"):
        batch = (notes.frames * size)[:size]
        request = object_finder.presence_request(named, batch, model, group_id=notes.video_id)
        found.add("presence", request, {case: share * -(-looks // size) for case, share in _FAMILY.items()})
    if (model := _asked(panel, "grounder")) and not _has_detector(settings):
        request = object_finder.ground_request(named, notes.frames[0], model, group_id=notes.video_id)
        found.add("grounder", request, {case: share * looks for case, share in _FAMILY.items()})
    if model := _asked(panel, "describer"):
        found.add("describer", object_finder.describe_request(notes.objects, notes, model), _FAMILY)


def _add_drafts(
    found: VideoForecast, slots: tuple[Slot, ...], material: Material, plan: Any, seed: int
) -> dict[Case, float]:
    """Adds the drafting calls; returns how many questions they give under each case."""
    written: dict[Case, float] = dict.fromkeys(CASES, 0.0)
    for slot in slots:
        head: TaskHead = plan.heads[slot.type_id]
        model: ModelSpec = plan.panel.model(slot.drafter)
        if obstacle(head, material) or (head.family == "culture" and not plan.settings.culture.wikipedia):
            continue
        share = _ALWAYS if head.family == "event" else _FAMILY
        request = write_request(head, material, model, plan.panel, plan.track, plan.heads, n=slot.number, seed=seed)
        redrafts = {**share, "high": share["high"] * (1.0 + plan.panel.redrafts)}
        found.add("question writer", request, redrafts)
        for case in CASES:
            written[case] += share[case]
    return written


def _add_judges(
    found: VideoForecast, written: dict[Case, float], group: Group, transcript: Transcript, plan: Any, seed: int
) -> None:
    source = group.sources[0].model_copy(update={"transcript": transcript})
    frames = {source.video_id: likely_frames(source, plan.panel, plan.track)}
    evidence = build_evidence(group.model_copy(update={"sources": (source,)}), frames, {}, seed)
    add_judges(found.lines, written, evidence, plan.panel, seed)


def _asked(panel: Panel, role: Role) -> ModelSpec | None:
    return model_for(panel, role)


def _has_detector(settings: VideoSettings) -> bool:
    stages = settings.object_stages
    return stages.detector == "grounding-dino" or (stages.detector == "auto" and has_vision())


def _readable(video: VideoFiles, language: str) -> Group | None:
    try:
        return read_video(video, language)
    except InputError:
        return None
