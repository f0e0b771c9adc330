"""A multiple-choice question as it is kept, and what may happen to a draft before a judge sees it.

Question = stem + options A, B, C, D (each two claims) + key + evidence + support map. `question_id` is a hash of
what is asked, whatever the order of the options, so that reviews survive a re-judging.
"""

from typing import Literal

from pydantic import Field

from records.base import Record, content_id
from records.media import Tag

Letter = str
"""A, B, C, D (E and beyond in foreign benchmarks)."""

Modality = Literal["spoken", "shown", "both"]
Joiner = Literal["while", "whereas", "and", "but", "then", "although"]

_JOINTS: dict[str, dict[Joiner, str]] = {
    "en": {
        "while": ", while ", "whereas": ", whereas ", "and": ", and ",
        "but": ", but ", "then": ", then ", "although": ", although ",
    },
    "zh": {"while": "，而", "whereas": "，而", "and": "，并且", "but": "，但", "then": "，随后", "although": "，尽管"},
}  # fmt: skip


class Claim(Record):
    """One of an option's two sub-claims."""

    text: str
    tags: tuple[Tag, ...]
    """The sources whose content the claim is about."""
    modality: Modality


class Option(Record):
    """One option. `claims` is empty for questions that came without this structure."""

    text: str
    claims: tuple[Claim, ...] = ()
    role: str = ""
    """Science items of the video track: correct, comprehension-error, knowledge-error or dual-error."""


class Provenance(Record):
    """Where a question came from."""

    drafter: str
    """Model name as configured, ``offline/extractive``, or ``people`` for questions from a file."""
    family: str = ""
    """Model family of the drafter, for the independence checks."""
    prompt_sha256: str = ""
    attempt: int = 1
    """1 for a first draft, 2 and 3 after violations were sent back."""
    request_id: str = ""
    """The gateway's id of the call; its trace holds prompt, raw reply and reasoning."""
    external_id: str = ""
    """Id in the file that the question was read from."""


class Question(Record):
    """A four-option question (VNU-Bench C.3, output format) in the order in which it is judged and released."""

    question_id: str
    group_id: str
    track: str = "news"
    layer: str = "hard"
    type_id: str
    language: str
    stem: str
    options: dict[Letter, Option]
    key: Letter
    evidence: str = ""
    support_map: dict[Letter, tuple[Tag, ...]] = Field(default_factory=dict)
    evidence_frames: tuple[str, ...] = ()
    """Such as ``TAG_A #3``."""
    sources: dict[Tag, str] = Field(default_factory=dict)
    """Tag → video id, of every source of the group."""
    pinned: bool = False
    """The options' meaning depends on their order; never permuted."""
    provenance: Provenance
    extra: dict[str, str] = Field(default_factory=dict)
    """Facts that tables need: event span, culture, discipline, article title, …"""

    @property
    def named_tags(self) -> tuple[Tag, ...]:
        """The group's tags that occur in the stem."""
        return tuple(tag for tag in self.sources if tag in self.stem)


def question_id(group_id: str, type_id: str, stem: str, options: tuple[str, ...], key_text: str) -> str:
    """The id of what is asked: independent of option order, decisions, drafter and panel."""
    return content_id("q", [group_id, type_id, stem, sorted(options), key_text])


def render_option(claims: tuple[Claim, ...], joiner: Joiner, language: str) -> str:
    """One sentence from an option's claims; the joiner is the same for all options of a question."""
    ends = "。.．;；,， "
    joints = _JOINTS["zh" if language.startswith("zh") else "en"]
    first, *rest = (claim.text.strip().rstrip(ends) for claim in claims)
    sentence = joints[joiner].join([first, *rest])
    return sentence + ("。" if language.startswith("zh") else ".")


class Violation(Record):
    """A rule that a draft breaks. `where` is stem, options, A–D, key, evidence, support_map or evidence_frames."""

    rule_id: str
    where: str
    message: str
    """What is wrong and how to mend it, in words that go back to the drafter."""


class RuleReport(Record):
    """What the rules say about one question."""

    violations: tuple[Violation, ...] = ()
    not_checkable: tuple[str, ...] = ()
    """Rule ids that need structure which this question does not have."""
    warnings: tuple[Violation, ...] = ()
    """Reported in the funnel (such as options that are not crossed), never a reason to reject by themselves."""


DraftOutcome = Literal["accepted", "rejected-by-rules", "declined", "failed", "duplicate"]


class DraftRecord(Record):
    """The end of one drafting slot (group, type, number): an accepted question or the reason why there is none."""

    slot: str
    """``<group_id>/<type_id>/<n>``, n from 1."""
    group_id: str
    type_id: str
    drafter: str
    outcome: DraftOutcome
    question: Question | None = None
    """Also given for a draft rejected by rules, as far as it could be read."""
    attempts: tuple[RuleReport, ...] = ()
    """One report an attempt, in order."""
    reason: str = ""
    """Why declined, rejected or failed."""
    request_ids: tuple[str, ...] = ()
