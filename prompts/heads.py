"""Task heads: one Markdown file a question type, with front matter that code reads and a body that the drafter reads.

``load_taskheads()["T7"].family`` is ``"integration"``. A user's own folder of heads is added with
``load_taskheads((Path("my-types"),))``; a head there replaces a packaged one of the same id.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, ValidationInfo, field_validator

from records.base import Record, digest
from records.errors import ConfigurationError
from records.questions import Joiner

FOLDER = Path(__file__).resolve().parent / "taskheads"
FOLDERS = {"news": FOLDER, "video": FOLDER / "video"}
"""Packaged heads by kind of track."""
Family = Literal["comparison", "integration", "event", "object", "culture", "science"]
FAMILY_TITLES: dict[Family, str] = {
    "comparison": "Comparison of several sources",
    "integration": "Integration across sources",
    "event": "Events of the video",
    "object": "Objects in the video",
    "culture": "Culture behind the video",
    "science": "Science taught in the video",
}
Needs = Literal["nothing", "chinese", "american", "european", "course", "experiment"]
Form = Literal["claims", "text", "roles", "moment", "order", "box"]
SECTIONS = (
    "Goal",
    "Core concept",
    "Focus",
    "Must not become",
    "Transcripts and frames",
    "Option structure",
    "Source usage",
    "Style example",
)


class TaskHead(Record):
    """One question type (VNU-Bench C.1 and C.2; VideoVista-CulturalLingo E): how it is drafted, what code checks."""

    id: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9-]*$")
    name: str = Field(min_length=1)
    family: Family
    """The two halves of the news track's taxonomy, or one of the video track's four."""
    summary: str = Field(min_length=1)
    """One or two sentences for the taxonomy that every drafter and captioner reads."""
    min_sources: int = Field(default=2, ge=1, le=26)
    """Distinct sources that a question of this type uses at least."""
    needs: Needs = "nothing"
    """What a video must offer: the culture that it deals with, a course, or an experiment. Video track."""
    needs_frames: bool = False
    """True: a group (or a drafter) without frames cannot be asked for this type."""
    visual_claims: int = Field(default=0, ge=0, le=4)
    """Options that need a claim about what is shown."""
    form: Form = "claims"
    """What an option is: two claims (news track); text, text with a role, a moment, an order or a box (video track)."""
    joiners: tuple[Joiner, ...]
    """Words that may join an option's two claims, the usual one first; none for options that are no claims."""
    option_shape: str = Field(min_length=1)
    """The two claims of an option in a line, such as ``what TAG_X reports; what TAG_Y reports``."""
    decline_when: str = Field(min_length=1)
    """When the drafter should rather give no question."""
    body: str
    """The Markdown below the front matter."""
    sha256: str
    """Of the file's bytes."""
    path: str = ""
    """The file's name, for messages."""

    @field_validator("joiners")
    @classmethod
    def _claims_are_joined(cls, value: tuple[Joiner, ...], info: ValidationInfo) -> tuple[Joiner, ...]:
        if bool(value) != (info.data.get("form", "claims") == "claims"):
            raise ValueError("options of two claims need at least one joiner, and other options have none")
        return value


def load_taskheads(extra: tuple[Path, ...] = (), *, kind: str = "news") -> dict[str, TaskHead]:
    """All task heads of a kind of track by id, then those of the folders in `extra`, which win over equal ids.

    `kind` is ``news`` (T1–T10), ``video`` (the fourteen subtasks) or ``all``. Raises ConfigurationError naming the
    file and the key, section or folder that is wrong.
    """
    packaged = tuple(FOLDERS.values()) if kind == "all" else (FOLDERS[kind],)
    heads: dict[str, TaskHead] = {}
    for folder in (*packaged, *extra):
        heads.update(_load_folder(Path(folder)))
    return dict(sorted(heads.items(), key=lambda item: _natural(item[0])))


def read_taskhead(path: Path) -> TaskHead:
    """One task head from its file. Raises ConfigurationError naming the file and what is wrong in it."""
    data = path.read_bytes()
    matter, body = _split(path, data)
    _require_sections(path, body)
    try:
        return TaskHead(**{**matter, "body": body, "sha256": digest(data), "path": path.name})
    except ValidationError as error:
        raise ConfigurationError(f"task head {path.name}: {_first_problem(error)}.", hint=_KEYS_HINT) from error


def taxonomy(heads: Mapping[str, TaskHead]) -> str:
    """All types in a line each, by family: what keeps one type from sliding into another (VNU-Bench C.1)."""
    blocks = []
    for family, title in FAMILY_TITLES.items():
        lines = [f"- {head.id} {head.name}: {head.summary}" for head in heads.values() if head.family == family]
        blocks += [f"{title}\n" + "\n".join(lines)] if lines else []
    return "\n\n".join(blocks)


_OWN_KEYS = tuple(name for name in TaskHead.model_fields if name not in ("body", "sha256", "path"))
_KEYS_HINT = f"The front matter's keys are: {', '.join(_OWN_KEYS)}; docs/adding-a-type.md says what they mean."


@cache
def _load_folder(folder: Path) -> dict[str, TaskHead]:
    if not folder.is_dir():
        raise ConfigurationError(f"there is no folder of task heads {folder}.", hint="Give a folder with .md files.")
    heads: dict[str, TaskHead] = {}
    for path in sorted(folder.glob("*.md")):
        if path.name.lower() == "readme.md":
            continue
        head = read_taskhead(path)
        if head.id in heads:
            raise ConfigurationError(
                f"task heads {heads[head.id].path} and {path.name} both have the id {head.id}.",
                hint="Give each type an id of its own.",
            )
        heads[head.id] = head
    return heads


def _split(path: Path, data: bytes) -> tuple[dict[str, object], str]:
    import frontmatter
    import yaml

    try:
        post = frontmatter.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"task head {path.name}: not UTF-8 text.", hint="Save the file as UTF-8.") from error
    except yaml.YAMLError as error:
        raise ConfigurationError(f"task head {path.name}: the front matter is no YAML: {error}.") from error
    own = set(post.metadata) & {"body", "sha256", "path"}
    if not post.metadata or own:
        problem = f"unknown key {', '.join(sorted(own))}" if own else "no front matter between two lines of ---"
        raise ConfigurationError(f"task head {path.name}: {problem}.", hint=_KEYS_HINT)
    return dict(post.metadata), post.content.strip()


def _require_sections(path: Path, body: str) -> None:
    found = re.findall(r"^##\s+(.+?)\s*$", body, re.MULTILINE)
    missing = [section for section in SECTIONS if section not in found]
    if missing:
        raise ConfigurationError(
            f"task head {path.name}: no section '## {missing[0]}'.",
            hint=f"A head has the sections: {', '.join(SECTIONS)}.",
        )


def _first_problem(error: ValidationError) -> str:
    problem = error.errors()[0]
    key = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"unknown key {key}"
    if problem["type"] == "missing":
        return f"the key {key} is missing"
    return f"key {key}: {problem['msg']}"


def _natural(head_id: str) -> tuple[tuple[int, int, str], ...]:
    """T2 before T10."""
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.findall(r"\d+|\D+", head_id))
