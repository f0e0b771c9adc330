"""The shape of configuration: models, panels, tracks, candidates. Files are read by `graphs.configuration`.

Every decision that the papers leave open is a field here with a default, and the resolved values are written into
the run. A field's docstring is the documentation that `docs/configuration.md` is generated from.
"""

from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from records.base import Record


class Price(Record):
    """US dollars for a million tokens. Leave a model's price out to use LiteLLM's own price list."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached_input: float | None = Field(default=None, ge=0)
    per_image: float = Field(default=0.0, ge=0)
    """US dollars an image, where a provider bills images apart from tokens."""


class ModelSpec(Record):
    """How one model is reached and what it can take."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=(), use_attribute_docstrings=True)

    name: str
    """Name in this file; seats and roles refer to it."""
    model: str
    """LiteLLM model string, such as ``openai/gpt-5``, ``hosted_vllm/Qwen/Qwen3-VL-30B-A3B-Instruct``,
    ``offline/bm25``."""
    family: str = ""
    """Model family for the independence checks (``gpt``, ``gemini``, ``qwen``); guessed from the name if empty."""
    aliases: tuple[str, ...] = ()
    """Other names of the same model, for the independence checks."""
    transport: Literal["litellm", "proxy", "offline"] = "litellm"
    """``proxy`` asks a LiteLLM proxy through langchain-openai; ``offline`` needs no network."""
    api_base: str | None = None
    """Address of a local or proxied server, with ``/v1``. ``${VAR}`` and ``${VAR:-default}`` are expanded."""
    api_key_env: str | None = None
    """Environment variable that holds the key; the provider's usual one if unset. Keys are never written in files."""
    price: Price | None = None
    """Needed for ``--budget-usd`` where LiteLLM knows no price. A local server is free: ``{input: 0, output: 0}``."""
    images: bool = True
    """False for a text-only model: it gets no frames, and seats that must see frames refuse it."""
    max_images: int | None = None
    """Most images a request may carry; a group that needs more is refused before the first paid call, never cut."""
    image_tokens: int = Field(default=400, ge=0)
    """Prompt tokens that one 540-pixel frame costs, for forecasts."""
    context_tokens: int | None = None
    """Context window. A request that is too long for it fails before it is sent."""
    max_output_tokens: int = Field(default=4096, ge=1)
    """Longest reply, reasoning included where the provider counts it so."""
    json_mode: Literal["schema", "prompt", "auto"] = "auto"
    """``schema``: the provider's JSON schema; ``prompt``: the schema in the prompt; ``auto``: what is supported."""
    temperature: float | None = 0.0
    """None leaves the provider's own default, for models that refuse the parameter."""
    top_p: float | None = 1.0
    """None leaves it out."""
    drop_params: tuple[str, ...] = ()
    """Parameters that this model does not take, such as ``top_p``."""
    extra_params: dict[str, Any] = Field(default_factory=dict)
    """Passed on as they are: ``reasoning_effort``, ``thinking``, ``extra_body``."""
    concurrency: int = Field(default=16, ge=1)
    """Most requests in flight."""
    requests_per_minute: int | None = None
    """None: no limit."""
    tokens_per_minute: int | None = None
    """None: no limit. Prompt and reply together, estimated before and corrected after each call."""
    timeout_s: float = Field(default=300.0, gt=0)
    """For one exchange."""
    retries: int = Field(default=5, ge=0)
    """Transport retries of a call after its first try, for outcomes that can heal."""
    prefix_cache: bool = True
    """The server caches prefixes: the first call of a group's prefix goes ahead of the others."""

    @property
    def is_offline(self) -> bool:
        """True for the embedded models that need no network."""
        return self.transport == "offline" or self.model.startswith("offline/")


class SeatSpec(Record):
    """A judge: a name on the panel and the model that sits there."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=(), use_attribute_docstrings=True)

    seat: str
    """Name in traces, tables and verdicts."""
    model: str
    """Name of a model in this file."""
    cost_rank: int | None = None
    """Order of asking in the frugal schedule, cheapest first; by price if unset, then by order in the file."""


Combiner = Literal["median", "mean", "max"]


class SolvabilitySettings(Record):
    """Single-source solvability (VNU-Bench 2.4 and E.2)."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    enabled: bool = True
    """Off: the check is skipped and the funnel says so."""
    sources: Literal["each", "random"] = "each"
    """``random``: one draw per item, the same for all seats (the letter of E.2)."""
    confidence: float = Field(default=0.8, ge=0, le=1)
    """An answer counts as confident from here on."""


class AmbiguitySettings(Record):
    """Pairwise ambiguity (VNU-Bench 2.4 and E.3)."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    enabled: bool = True
    """Off: the check is skipped and the funnel says so."""
    combine: Combiner = "median"
    """How seats are combined per pair; with an even number the lower median. Pairs are combined by maximum."""
    severity: float = Field(default=0.6, ge=0, le=1)
    """Removed from here on: E.3's band "potentially correct"."""


class DifficultySettings(Record):
    """Difficulty (VNU-Bench 2.4 and E.1)."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    enabled: bool = True
    """Off: the check is skipped and the funnel says so."""
    confidence: float = Field(default=0.8, ge=0, le=1)
    """Too easy when every configured seat is right with at least this confidence."""


class BlindSettings(Record):
    """Answerable without any evidence (VideoVista-CulturalLingo 3.3, CircularEval)."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    enabled: bool = False
    """On: options are rotated through all positions; removed when a majority of seats is right in every rotation."""
    with_article: bool = False
    """Culture items: a second round with the article alone."""


class Checks(Record):
    """All checks of a panel."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    solvability: SolvabilitySettings = SolvabilitySettings()
    """Single-source solvability."""
    ambiguity: AmbiguitySettings = AmbiguitySettings()
    """Pairwise ambiguity."""
    difficulty: DifficultySettings = DifficultySettings()
    """Difficulty."""
    blind: BlindSettings = BlindSettings()
    """Without evidence."""
    crossed_removes: bool = False
    """True: a question whose options are not crossed over its sources is removed before any judge is asked."""
    min_votes: int | None = Field(default=None, ge=1)
    """Verdicts that a source, pair or check needs to prove anything; a majority of the seats if unset."""


class View(Record):
    """What a stage shows a model of each source."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    transcript: Literal["full", "summary", "none"] = "full"
    """``summary``: transcripts longer than `summary_characters` are summarised."""
    frames: int = Field(default=8, ge=0)
    """Top-ranked frames a source."""
    summary_characters: int = Field(default=1000, ge=100)
    """Longest summary; a transcript that is not longer is shown as it is."""


class Views(Record):
    """The view of each stage (VNU-Bench 3.2 and F.1)."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    draft: View = View()
    """Drafter."""
    judge: View = View()
    """Every check of the panel."""
    evaluate: View = View(transcript="summary", frames=4)
    """Candidate models."""


class Panel(Record):
    """Who drafts, who judges, and by which rules. One YAML file."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=(), use_attribute_docstrings=True)

    name: str
    """Name in runs and reports; the file's name if left out."""
    description: str = ""
    """One line, shown by ``graphs.list --panels``."""
    models: tuple[ModelSpec, ...]
    """In YAML a mapping from name to settings."""
    drafters: tuple[str, ...] = ()
    """One or more model names; several take turns by slot."""
    captioner: str | None = None
    """Captions and ranks frames; without one, frames are ranked by what can be seen without a model."""
    summarizer: str | None = None
    """Needed only where a view asks for summaries of long transcripts."""
    roles: dict[str, str] = Field(default_factory=dict)
    """Video track: which model does which step (quality, segmenter, refiner, annotator, classifier, extractor,
    presence, grounder, describer, concepts, science-drafter). A step without an entry is done by the captioner (where
    it must see) or the first drafter, unless these are embedded ones."""
    judges: tuple[SeatSpec, ...] = ()
    """Seats; each may also be written as the bare model name."""
    reserves: tuple[SeatSpec, ...] = ()
    """Seats that stand in for a judge whose call failed; the use of one is recorded."""
    checks: Checks = Checks()
    """Checks and their thresholds."""
    schedule: Literal["frugal", "full"] = "frugal"
    """``full`` asks everything; ``frugal`` stops when no outcome of the remaining calls could change the decision."""
    layout: Literal["shared-prefix", "paper"] = "shared-prefix"
    """Prompt layout: evidence first so that servers can cache it, or the order and reply fields of the paper."""
    views: Views = Views()
    """What each stage sees."""
    drafts_per_type: int = Field(default=1, ge=1)
    """Questions a type and group where ``--per-type`` is not given."""
    draft_temperature: float = Field(default=0.0, ge=0, le=2)
    """Drafting may be warmer than judging."""
    redrafts: int = Field(default=2, ge=0, le=5)
    """How often a draft that breaks rules goes back."""
    mask_outlets: bool = False
    """Replace outlet names that are spoken in transcripts by the source's tag."""

    @model_validator(mode="after")
    def _names_exist(self) -> "Panel":
        known = {model.name for model in self.models}
        roles = [*self.drafters, *(s.model for s in (*self.judges, *self.reserves))]
        roles += [name for name in (self.captioner, self.summarizer, *self.roles.values()) if name]
        missing = sorted(set(roles) - known)
        if missing:
            raise ValueError(
                f"no model named {', '.join(missing)} under models: (there are: {', '.join(sorted(known))})"
            )
        seats = [seat.seat for seat in (*self.judges, *self.reserves)]
        doubled = sorted({seat for seat in seats if seats.count(seat) > 1})
        if doubled:
            raise ValueError(f"seat names must differ; used twice: {', '.join(doubled)}")
        min_votes = self.checks.min_votes
        if min_votes is not None and min_votes > len(self.judges):
            raise ValueError(f"checks.min_votes is {min_votes}, but the panel has {len(self.judges)} judges")
        return self

    def model(self, name: str) -> ModelSpec:
        """The model of a name. Raises KeyError if there is none."""
        for spec in self.models:
            if spec.name == name:
                return spec
        raise KeyError(name)

    @property
    def majority(self) -> int:
        """Strict majority of the configured seats."""
        return len(self.judges) // 2 + 1

    @property
    def min_votes(self) -> int:
        """Verdicts needed to prove anything."""
        return self.checks.min_votes or self.majority


class ImageSettings(Record):
    """How frames are stored and sent (VNU-Bench 3.2 and F.1)."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    longer_side: int = Field(default=540, ge=64)
    """Pixels; frames are never enlarged."""
    jpeg_quality: int = Field(default=65, ge=1, le=100)
    """JPEG quality."""
    candidates: int = Field(default=32, ge=1)
    """Most frames of a video that are captioned and ranked."""
    caption_batch: int = Field(default=8, ge=1)
    """Frames a captioner call."""


class Track(Record):
    """What kind of benchmark is built. One YAML file."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: str
    """Name in runs and reports."""
    description: str = ""
    """One line."""
    types: tuple[str, ...]
    """Question types, by the ids of their task heads."""
    domains: tuple[str, ...] = ()
    """Vocabulary of `domain` in group.json; another value warns. Empty: anything goes."""
    min_sources: int = Field(default=2, ge=1)
    """Usable sources that a group needs."""
    images: ImageSettings = ImageSettings()
    """Frames."""
    evidence_characters: int = Field(default=160, ge=1)
    """Longest evidence."""
    evidence_sentences: int = Field(default=2, ge=1)
    """Most sentences of evidence."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Settings of this track's own stages (video track: classifiers, segmenters, retrieval)."""
