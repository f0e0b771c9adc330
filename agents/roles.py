"""Which model of a panel does which step of the video track.

``model_for(panel, "annotator")`` is the model that the panel names under `roles:`; without an entry the captioner does
what must be seen and the first drafter all else. An embedded model does only what it is named for.
"""

from typing import Literal

from records.config import ModelSpec, Panel

Role = Literal[
    "quality", "segmenter", "refiner", "annotator", "classifier", "extractor", "presence", "grounder", "describer",
    "concepts", "science-drafter",
]  # fmt: skip
ROLES: tuple[Role, ...] = Role.__args__  # type: ignore[attr-defined]
SEEING: frozenset[Role] = frozenset(("annotator", "classifier", "extractor", "presence", "grounder", "describer"))
"""Steps that are done by looking."""

LOOKING: frozenset[Role] = frozenset(("presence", "grounder"))
"""Steps that mean nothing to a model that takes no images."""


def blind_roles(panel: Panel) -> tuple[str, ...]:
    """Entries under `roles:` that give a step of looking to a model that takes no images."""
    return tuple(sorted(role for role in LOOKING & set(panel.roles) if not panel.model(panel.roles[role]).images))


def model_for(panel: Panel, role: Role) -> ModelSpec | None:
    """The model that does a step; None where the panel has none that can."""
    if role in panel.roles:
        return panel.model(panel.roles[role])
    names = [panel.captioner] if role in SEEING else []
    for name in (*names, *panel.drafters[:1]):
        if name and not (model := panel.model(name)).is_offline and (model.images or role not in SEEING):
            return model
    return None


def missing(panel: Panel, role: Role) -> str:
    """Why a step cannot be done, in words for the run's notes."""
    eyes = " that takes images" if role in SEEING else ""
    return f"panel {panel.name} names no model{eyes} for the step {role}; name one under `roles: {{{role}: …}}`"


def unknown_roles(panel: Panel) -> tuple[str, ...]:
    """Entries under `roles:` that are no step of the video track."""
    return tuple(sorted(set(panel.roles) - set(ROLES)))
