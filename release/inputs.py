"""What a release is made from: plain records, gathered by `graphs.release` from a run and its reviews."""

from typing import Literal

from pydantic import Field

from records.base import Record
from records.config import Panel
from records.media import Evidence, Group
from records.review import AgreementRow, Assignment, Policy, Review, ReviewEdit, Sheet
from records.verdicts import Item

EvidenceLevel = Literal["none", "frames", "full"]
"""What of the sources goes in: only hashes, times and links; also the stills; also transcripts and media."""


class FunnelLine(Record):
    """One line of the funnel: how many drafts fell at each step, in the order of the steps."""

    label: str
    """``all`` or a question type."""
    drafted: int
    steps: tuple[tuple[str, int], ...]


class ModelUse(Record):
    """One model and where it was used."""

    model: str
    """LiteLLM model string."""
    family: str = ""
    roles: tuple[str, ...]
    """drafter, captioner, summarizer, judge (seat), reserve (seat)."""
    calls: int = 0
    """Calls that came back with an answer."""


class RunFacts(Record):
    """What the run says about itself."""

    run: str
    judgement_set: str
    track: str = ""
    seed: int = 0
    commit: str = ""
    created: str = ""
    packages: dict[str, str] = Field(default_factory=dict)
    panel: str = ""
    schedule: str = ""
    checks_off: tuple[str, ...] = ()
    """Checks that the panel did not make."""
    offline: bool = False
    """Every model was an embedded one: no language model was used."""
    cost_usd: float = 0.0


class ReleaseInput(Record):
    """Everything that shapes a release; the same input gives the same bytes."""

    name: str
    version: str = "1.0"
    license: str = ""
    """Of questions, options and annotations; the sources keep their own."""
    description: str = ""
    evidence: EvidenceLevel = "none"
    outlet_share: float = Field(default=0.3, gt=0, le=1)
    """An outlet with more than this share of the videos is warned about."""
    reviewed: bool = True
    """False: what the panel kept is released without review, and every page says so."""
    items: tuple[Item, ...]
    groups: tuple[Group, ...] = ()
    evidences: tuple[Evidence, ...] = ()
    sheet: Sheet
    policy: Policy
    reviews: tuple[Review, ...] = ()
    edits: tuple[ReviewEdit, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    agreement: tuple[AgreementRow, ...] = ()
    funnel: tuple[FunnelLine, ...] = ()
    models: tuple[ModelUse, ...] = ()
    facts: RunFacts

    def domain(self, group_id: str) -> str:
        """The domain of a group; empty if unknown."""
        return next((group.domain for group in self.groups if group.group_id == group_id), "")


def models_used(panel: Panel | None, calls: dict[str, int] | None = None) -> tuple[ModelUse, ...]:
    """The panel's models with their roles; `calls` counts answers by the name in the panel's file."""
    if panel is None:
        return ()
    roles: dict[str, list[str]] = {name: ["drafter"] for name in panel.drafters}
    for name, role in ((panel.captioner, "captioner"), (panel.summarizer, "summarizer")):
        if name:
            roles.setdefault(name, []).append(role)
    for seats, role in ((panel.judges, "judge"), (panel.reserves, "reserve")):
        for seat in seats:
            roles.setdefault(seat.model, []).append(f"{role} ({seat.seat})")
    return tuple(
        ModelUse(
            model=panel.model(name).model,
            family=panel.model(name).family,
            roles=tuple(found),
            calls=(calls or {}).get(name, 0),
        )
        for name, found in roles.items()
    )
