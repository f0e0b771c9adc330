"""How a command opens the road to the models: gateway with its transports, the run's manifest, preflight."""

import argparse
import hashlib
import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from gateway.core import Gateway
from gateway.preflight import Need
from gateway.transports import FunctionTransport
from graphs import cli
from graphs.progress import Progress
from prompts.taskheads import TaskHead
from records.config import Panel, Track
from store.manifest import RunManifest
from store.run import Run

ROOT = Path(__file__).resolve().parents[1]


class Settings(Protocol):
    """What a manifest needs of a plan."""

    @property
    def panel(self) -> Panel:
        """Who drafts and judges."""

    @property
    def track(self) -> Track:
        """Kind of benchmark."""

    @property
    def folders(self) -> Mapping[str, Path]:
        """Group id → folder."""

    @property
    def slots(self) -> Sequence[object]:
        """Drafting slots."""

    @property
    def heads(self) -> Mapping[str, TaskHead]:
        """Question types, a user's own included."""


def make_gateway(run: Run, arguments: argparse.Namespace, progress: Progress) -> Gateway:
    """The gateway of a run, with the offline models as one more transport."""
    return Gateway(
        run,
        run.cache_dir,
        run.image,
        transports={"offline": FunctionTransport(offline_answer())},
        budget_usd=arguments.budget_usd,
        retry_failed=arguments.retry_failed,
        max_asks=arguments.max_asks,
        on_event=progress.on_event,
    )


def offline_answer() -> Callable[..., Any]:
    """The function that answers for the embedded models; imported late."""
    from offline import answer

    return answer


def manifest_for(kind: str, plan: Settings, arguments: argparse.Namespace) -> RunManifest:
    """What this run is, for `run.yaml` and for the comparison when it is resumed."""
    options = {
        name: value for name in ("types", "per_type", "limit") if (value := getattr(arguments, name, None)) is not None
    }
    drafts = getattr(arguments, "drafts", None)
    if drafts:
        options["drafts_sha256"] = hashlib.sha256(Path(drafts).read_bytes()).hexdigest()
    return RunManifest(
        kind=kind,
        command=tuple(shlex.split(cli.resume_command())),
        seed=arguments.seed,
        groups={name: str(folder) for name, folder in plan.folders.items()},
        panel=plan.panel,
        track=plan.track,
        options=options,
        prompts=prompts_of(kind, plan.heads),
        planned_drafts=len(plan.slots),
        judgement_set=plan.panel.name,
        commit=code_commit(),
    )


PROMPTS = {
    "generate": ("captioner", "drafter", "judges", "summarizer"),
    "judge": ("captioner", "judges", "summarizer", "typefit"),
    "annotate": ("captioner", "judges", "summarizer", "video"),
}
"""Kind of run → folders of `prompts/` that its models read: a change to any other prompt leaves the run as it is."""


def prompts_of(kind: str, heads: Mapping[str, TaskHead]) -> dict[str, str]:
    """SHA-256 of every prompt file that a run of a kind can send to a model, its task heads included."""
    packaged = {name: value for name, value in prompt_hashes().items() if name.partition("/")[0] in PROMPTS[kind]}
    return packaged | {f"taskheads/{head.id}": head.sha256 for head in heads.values()}


def prompt_hashes() -> dict[str, str]:
    """SHA-256 of every packaged prompt file, by its path under `prompts/`."""
    folder = ROOT / "prompts"
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*.md"))
    }


def code_commit() -> str:
    """The commit of the code, with ``+changes`` where the tree was not clean; empty for an installed wheel."""
    if not (ROOT / ".git").exists():
        return ""
    try:
        commit = _git("rev-parse", "HEAD")
        return commit + ("+changes" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return ""


def _git(*words: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True, timeout=10)  # noqa: S603, S607
    return done.stdout.strip()


def preflight_needs(panel: Panel, longest: Mapping[str, tuple[int, int, str]]) -> list[Need]:
    """What each role of a panel will ask of its model at most."""
    needs = []
    for seat in (*panel.judges, *panel.reserves):
        images, tokens, where = longest.get(seat.seat, (0, 0, ""))
        needs.append(
            Need(
                role=f"judge {seat.seat}",
                model=panel.model(seat.model),
                images=images,
                prompt_tokens=tokens,
                where=where,
            )
        )
    most = max(longest.values(), default=(0, 0, ""))
    for name in panel.drafters:
        images, tokens, where = most
        needs.append(
            Need(
                role=f"drafter {name}", model=panel.model(name), images=images, prompt_tokens=tokens + 2500, where=where
            )
        )
    if panel.captioner:
        needs.append(Need(role="captioner", model=panel.model(panel.captioner), images=8, must_see=True))
    if panel.summarizer:
        needs.append(Need(role="summarizer", model=panel.model(panel.summarizer)))
    return needs
