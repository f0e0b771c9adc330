"""What ``graphs.annotate`` does: set up, run the videos side by side, and write down what came of it."""

import argparse
import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agents.roles import ROLES, blind_roles, unknown_roles
from graphs import cli, configuration
from graphs.closing import close_run
from graphs.generation import check_panel, chosen_types, is_decided, side_by_side
from graphs.progress import Progress
from graphs.setup import make_gateway, manifest_for
from graphs.slots import Slot, plan_slots
from graphs.video import VideoState, build_video_graph
from graphs.video_session import Tools, VideoSession
from judges.panel import warnings as panel_warnings
from media.videos import VideoFiles, find_videos
from prompts.taskheads import TaskHead, load_taskheads
from records.annotation import VideoAnnotation, VideoSettings
from records.config import Panel, Track
from records.errors import BenchwrightError, ConfigurationError, RunStopped
from records.questions import DraftRecord
from store.run import Run


@dataclass(frozen=True)
class VideoPlan:
    """Everything about a run that is known before anything is read or asked."""

    panel: Panel
    track: Track
    settings: VideoSettings
    heads: dict[str, TaskHead]
    videos: dict[str, VideoFiles]
    slots: tuple[Slot, ...]
    offline_by_default: bool = False

    @property
    def folders(self) -> Mapping[str, Path]:
        """Video id → folder, for the manifest."""
        return {video_id: video.folder for video_id, video in self.videos.items()}

    @property
    def families(self) -> tuple[str, ...]:
        """The families that the slots need."""
        return tuple(dict.fromkeys(self.heads[slot.type_id].family for slot in self.slots))

    def slots_of(self, video_id: str) -> tuple[Slot, ...]:
        """The slots of one video, in order."""
        return tuple(slot for slot in self.slots if slot.group_id == video_id)


def annotate(arguments: argparse.Namespace) -> int:
    """The command behind ``graphs.annotate``; returns its exit status."""
    configuration.read_environment()
    plan = make_plan(arguments)
    if arguments.dry_run:
        from graphs.video_forecast import dry_run

        return dry_run(plan, arguments)
    folder = cli.run_folder(arguments, default_run_name(plan))
    manifest = manifest_for("annotate", plan, arguments)
    options = {**manifest.options, "tasks": list(arguments.tasks), "lang": arguments.lang}
    manifest = manifest.model_copy(update={"options": options})
    with Run.open_or_create(folder, manifest, database_url=arguments.database, command=cli.resume_command()) as run:
        return asyncio.run(run_videos(run, plan, arguments))


def make_plan(arguments: argparse.Namespace) -> VideoPlan:
    """Panel, track, heads, videos and slots from the flags. Raises ConfigurationError or InputError."""
    panel = configuration.choose_panel(arguments.panel, arguments.set)
    panel = configuration.with_speed(panel, arguments.max_connections, arguments.timeout)
    check_panel(panel, drafting=True)
    check_roles(panel)
    track = with_flags(configuration.load_track(arguments.track), arguments)
    settings = video_settings(track)
    heads = load_taskheads(tuple(arguments.taskheads), kind="video")
    types = wanted_types(arguments, track, heads)
    videos = find_videos(arguments.video)
    slots = plan_slots(videos, types, arguments.per_type or panel.drafts_per_type, panel.drafters, arguments.limit)
    return VideoPlan(
        panel=panel, track=track, settings=settings, heads=heads, videos=videos,
        slots=tuple(written_by(slot, heads[slot.type_id], panel) for slot in slots),
        offline_by_default=arguments.panel is None,
    )  # fmt: skip


def check_roles(panel: Panel) -> None:
    """Raises ConfigurationError for an entry under `roles:` that is no step, or that its model cannot do."""
    unknown = unknown_roles(panel)
    if unknown:
        raise ConfigurationError(
            f"panel {panel.name!r}: no step named {', '.join(unknown)} under roles.", hint=f"Steps: {', '.join(ROLES)}."
        )
    blind = blind_roles(panel)
    if blind:
        raise ConfigurationError(
            f"panel {panel.name!r}: roles {', '.join(blind)} must see, but their models take no images.",
            hint="Name a model with images: true.",
        )


def with_flags(track: Track, arguments: argparse.Namespace) -> Track:
    """The track with what the command line says of its models and folders."""
    options = {name: dict(value) if isinstance(value, dict) else value for name, value in track.options.items()}
    if arguments.wikipedia:
        options.setdefault("culture", {})["wikipedia"] = arguments.wikipedia
    if arguments.speech:
        options.setdefault("speech", {})["model"] = arguments.speech
    return track.model_copy(update={"options": options})


def video_settings(track: Track) -> VideoSettings:
    """The track's own settings. Raises ConfigurationError naming the field and the valid keys."""
    return configuration.validated(VideoSettings, track.options, Path(f"track {track.name}"), "options")


def wanted_types(arguments: argparse.Namespace, track: Track, heads: Mapping[str, TaskHead]) -> tuple[str, ...]:
    """The subtasks of the tasks that were asked for. Raises ConfigurationError where none is left."""
    types = chosen_types(arguments.types or track.types, heads)
    wanted = tuple(name for name in types if heads[name].family in arguments.tasks)
    if not wanted:
        raise ConfigurationError(
            f"--types: none of {', '.join(types)} belongs to {', '.join(arguments.tasks)}.",
            hint="Name the task under --tasks as well.",
        )
    return wanted


def written_by(slot: Slot, head: TaskHead, panel: Panel) -> Slot:
    """Science questions go to the panel's science drafter, where it names one."""
    own = panel.roles.get("science-drafter")
    return slot.model_copy(update={"drafter": own}) if own and head.family == "science" else slot


def default_run_name(plan: VideoPlan) -> str:
    """A name that the same command finds again: the first video and how many more, and the panel."""
    first, *more = plan.videos
    return f"{first}{f'-and-{len(more)}-more' if more else ''}-{plan.panel.name}"


async def run_videos(run: Run, plan: VideoPlan, arguments: argparse.Namespace) -> int:
    """Runs what is left of the run and closes it; returns the exit status."""
    out = cli.console(quiet=arguments.quiet or arguments.json)
    wanted = dict.fromkeys(slot.group_id for slot in plan.slots)
    pending = [video_id for video_id in wanted if not is_finished(run, plan, video_id, arguments.retry_failed)]
    say_beginning(out, run, plan, len(pending))
    problems: list[BenchwrightError] = []
    if pending:
        show = sys.stderr.isatty() and not arguments.quiet
        progress = Progress().show(len(pending), visible=show, spent_usd=run.spent_usd())
        async with make_gateway(run, arguments, progress) as gateway:
            session = VideoSession(
                run=run, gateway=gateway, panel=plan.panel, track=plan.track, heads=plan.heads,
                judgement_set=run.manifest.judgement_set, seed=arguments.seed, retry_failed=arguments.retry_failed,
                progress=progress, settings=plan.settings, language=arguments.lang, families=plan.families,
                tools=Tools(plan.settings),
            )  # fmt: skip
            await look_ahead(session, plan, pending, arguments, out)
            with progress:
                problems = await each_video(session, plan, pending, arguments.jobs)
    code = close_run(run, run.manifest.judgement_set, problems, out, as_json=arguments.json)
    stop = next((problem for problem in problems if isinstance(problem, RunStopped)), None)
    if stop:
        cli.tell_stop(stop)
    return code


async def look_ahead(
    session: VideoSession, plan: VideoPlan, videos: list[str], arguments: argparse.Namespace, out: Any
) -> None:
    """Forecast and preflight before the first paid call; nothing of it for the offline models."""
    if configuration.is_offline(plan.panel):
        return
    from graphs.forecast import one_line
    from graphs.video_forecast import forecast_videos, needs_of

    chosen = replace(plan, videos={video_id: plan.videos[video_id] for video_id in videos})
    found = await asyncio.to_thread(forecast_videos, chosen, arguments)
    out.print(one_line(found.forecast))
    report = await session.gateway.preflight(needs_of(plan.panel, found), probe=not arguments.skip_preflight)
    for line in (*report.warnings, *panel_warnings(plan.panel)):
        out.print(f"warning: {line}", style="yellow", markup=False)


def is_finished(run: Run, plan: VideoPlan, video_id: str, retry_failed: bool) -> bool:
    """Whether nothing is left to do on a video: every slot has its end, every accepted question its decision."""
    drafts = {draft.slot: draft for draft in run.all("draft", DraftRecord, group_id=video_id)}
    if any(slot.key not in drafts for slot in plan.slots_of(video_id)):
        return False
    annotation = run.get("annotation", video_id, VideoAnnotation)
    if annotation is None or (retry_failed and annotation.failed):
        return False
    if retry_failed and any(draft.outcome == "failed" for draft in drafts.values()):
        return False
    accepted = [draft.question for draft in drafts.values() if draft.outcome == "accepted" and draft.question]
    return all(is_decided(run, question, retry_failed) for question in accepted)


def say_beginning(out: Any, run: Run, plan: VideoPlan, pending: int) -> None:
    """A few lines: what runs, with whom, where."""
    if plan.offline_by_default:
        out.print(
            "No --panel given: the embedded [bold]offline[/] models read the captions. No language model is used, and "
            "most subtasks are declined. See docs/video-track.md."
        )
    seats = ", ".join(seat.seat for seat in plan.panel.judges)
    out.print(f"Panel [bold]{plan.panel.name}[/] · writers {', '.join(plan.panel.drafters)} · judges {seats}")
    count = len({slot.group_id for slot in plan.slots})
    done = count - pending
    left = f"{done} of {count} videos were finished before" if done else f"{count} videos"
    out.print(f"{left}, {len(plan.slots)} drafting slots · run {run.folder}")


async def each_video(session: VideoSession, plan: VideoPlan, videos: list[str], jobs: int) -> list[BenchwrightError]:
    """Runs videos side by side; one that cannot be used does not end the others. Returns what went wrong."""
    graph = build_video_graph()

    async def one(video_id: str) -> None:
        state: VideoState = {
            "video": plan.videos[video_id], "slots": plan.slots_of(video_id), "events": (), "stages": (),
            "branches": (), "drafts": (), "items": (),
        }  # fmt: skip
        await graph.ainvoke(state, context=session)

    return await side_by_side(session, videos, jobs, one)
