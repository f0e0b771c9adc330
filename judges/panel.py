"""Who sits on a panel: families, the order of asking, warnings, independence, and what guessing alone would remove.

Example: ``warnings(panel)`` says that GPT-5 drafts and judges; ``contaminated(model, panel.models)`` names the judge
that a candidate model is.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from records.base import Record
from records.config import ModelSpec, Panel, SeatSpec
from records.model_names import canonical_name
from records.questions import Question
from records.verdicts import ChoiceVerdict, Verdict

_FAMILIES: tuple[tuple[str, str], ...] = (
    ("offline", r"^offline/"),
    ("deepseek", r"deepseek"),
    ("internvl", r"intern-?vl|intern-?lm|interns1"),
    ("minicpm", r"minicpm"),
    ("llava", r"llava"),
    ("videollama", r"video-?llama"),
    ("vila", r"\bn?vila"),
    ("phi", r"\bphi-?\d"),
    ("gemma", r"gemma"),
    ("gemini", r"gemini"),
    ("claude", r"claude|anthropic"),
    ("qwen", r"qwen|qwq|qvq|tongyi"),
    ("glm", r"\bglm|chatglm|cogvlm|zhipu|z-ai"),
    ("mistral", r"mistral|pixtral|ministral|magistral|mixtral"),
    ("grok", r"grok"),
    ("kimi", r"kimi|moonshot"),
    ("nova", r"\bnova-(?:micro|lite|pro|premier)"),
    ("command", r"command-|aya-|cohere"),
    ("ernie", r"ernie"),
    ("doubao", r"doubao|seed-?\d"),
    ("hunyuan", r"hunyuan"),
    ("step", r"\bstep-?\d"),
    ("yi", r"\byi-"),
    ("molmo", r"molmo|olmo"),
    ("gpt", r"gpt|\bo[1-9](?:-|$)|chatgpt|davinci"),
    ("llama", r"llama"),
)
_OUTPUT_SHARE = 0.05
"""Tokens that a judge writes for each token that it reads, about."""


# --- families and names ----------------------------------------------------------------------------------------------


def family(model: ModelSpec) -> str:
    """The model's family (``gpt``, ``gemini``, ``qwen``, …): as configured, else guessed from its model string.

    A name that no pattern knows is its own family: two unknown models are never taken for relatives.
    """
    return model.family.strip().casefold() or family_of_name(model.model)


def family_of_name(name: str) -> str:
    """The family of a model string or display name; the bare name itself where no pattern matches."""
    text = name.casefold()
    if text.startswith("offline/"):
        return "offline"
    bare = text.rpartition("/")[2]
    for whole in (bare, text):
        for known, pattern in _FAMILIES:
            if re.search(pattern, whole):
                return known
    return canonical_name(name)


def names(model: ModelSpec) -> frozenset[str]:
    """Every canonical name under which a model may be known: its string, its name in the file, its aliases."""
    return frozenset(canonical_name(name) for name in (model.model, model.name, *model.aliases))


def contaminated(candidate: ModelSpec, used: Iterable[ModelSpec]) -> tuple[str, ...]:
    """Why a candidate may not be scored on a result that these models drafted or judged; empty if it may.

    The same model is found by canonical name and by alias, whatever the provider. Relatives of the same family are
    named by `related`, apart: they may be scored.
    """
    mine = names(candidate)
    return tuple(f"{candidate.name} is {model.name} ({model.model})" for model in used if mine & names(model))


def related(candidate: ModelSpec, used: Iterable[ModelSpec]) -> tuple[str, ...]:
    """Models of the candidate's family that are not the candidate itself: worth a note in the tables."""
    mine = names(candidate)
    return tuple(
        f"{candidate.name} and {model.name} are of one family ({family(model)})"
        for model in used
        if family(model) == family(candidate) and not mine & names(model)
    )


# --- the order of asking ---------------------------------------------------------------------------------------------


def seat_order(panel: Panel) -> tuple[SeatSpec, ...]:
    """The seats, cheapest first: by `cost_rank` where given (those first), then by price, then by order in the file.

    A model without a price in the file comes after all that have one.
    """
    return tuple(sorted(panel.judges, key=lambda seat: _cost_key(panel, seat)))


def _cost_key(panel: Panel, seat: SeatSpec) -> tuple[bool, int, float, int]:
    rank = seat.cost_rank
    return (rank is None, rank or 0, _cost(panel.model(seat.model)), panel.judges.index(seat))


def _cost(model: ModelSpec) -> float:
    """US dollars for a million prompt tokens and the reply that goes with them; free for embedded models."""
    if model.is_offline:
        return 0.0
    return float("inf") if model.price is None else model.price.input + _OUTPUT_SHARE * model.price.output


# --- warnings --------------------------------------------------------------------------------------------------------


def warnings(panel: Panel) -> tuple[str, ...]:
    """What makes this panel weaker than it looks, one line each; empty for a sound one."""
    return (*_drafter_warnings(panel), *_family_warnings(panel), *_seat_warnings(panel))


def _drafter_warnings(panel: Panel) -> list[str]:
    found = []
    for drafter in (panel.model(name) for name in panel.drafters):
        for seat in (*panel.judges, *panel.reserves):
            judge = panel.model(seat.model)
            if names(drafter) & names(judge):
                found.append(
                    f"{drafter.name} drafts and sits on the panel as {seat.seat}: it judges its own questions."
                )
            elif family(drafter) == family(judge) and family(judge) != "offline":
                found.append(f"{seat.seat} is of the drafter's family ({family(judge)}) and may share its blind spots.")
    return found


def _family_warnings(panel: Panel) -> list[str]:
    families = [family(panel.model(seat.model)) for seat in panel.judges]
    twins = _same_models(panel)
    found = [f"{' and '.join(seats)} are the same model: it votes {len(seats)} times." for seats in twins]
    if len(families) > 1 and len(set(families)) == 1:
        if families[0] == "offline":
            found.append("Every judge is an embedded lexical method: no language model is asked.")
        else:
            found.append(f"All judges are of one family ({families[0]}): their mistakes are likely to be the same.")
    return found


def _same_models(panel: Panel) -> list[list[str]]:
    groups: list[tuple[frozenset[str], list[str]]] = []
    for seat in panel.judges:
        mine = names(panel.model(seat.model))
        same = next((seats for known, seats in groups if known & mine), None)
        if same is None:
            groups.append((mine, [seat.seat]))
        else:
            same.append(seat.seat)
    return [seats for _, seats in groups if len(seats) > 1]


def _seat_warnings(panel: Panel) -> list[str]:
    found = []
    seats = len(panel.judges)
    if not seats:
        found.append("The panel has no judges: every question will stay undecided.")
    elif seats == 1:
        found.append("One judge is no panel: its mistakes are decisions.")
    elif seats % 2 == 0:
        found.append(f"An even number of judges ({seats}): a tie of confident answers keeps the question.")
    blind = [seat.seat for seat in panel.judges if not panel.model(seat.model).images]
    if blind and panel.views.judge.frames and not all(panel.model(seat.model).is_offline for seat in panel.judges):
        found.append(f"{', '.join(blind)} cannot see frames: what is only shown is hidden from them.")
    return found


# --- guessing --------------------------------------------------------------------------------------------------------


class GuessRate(Record):
    """What guessing alone would remove by the solvability check, at this panel's confidences."""

    seats: dict[str, float]
    """Share (0.0–1.0) of each seat's single-source answers that reached the confidence, right or wrong."""
    per_source: float
    """Probability that a source with nothing to say is taken for one that solves the question."""
    per_question: float
    """Probability that some source of a question is; questions weigh alike."""
    questions: int
    expected: float
    """Expected number of questions that guessing alone removes."""


def guess_rate(
    panel: Panel, n_options: int, confidences: Mapping[str, float], *, sources: Sequence[int] = (1,)
) -> GuessRate:
    """Expected solvability removals if every judge guessed.

    `confidences` maps a seat to the share of its answers that are confident (`confident_shares`); a seat that is
    missing counts as always confident, which is the upper bound. `sources` has one number of sources a question.

    A guess is the key with probability 1/`n_options`, and counts only if it is confident: a seat votes for removal
    with q = share / n_options. Seats guess independently, so the votes of a source are a sum of Bernoulli trials (a
    binomial where the shares are equal), and the source removes the question when they reach the strict majority.
    Sources are independent, so a question of k sources goes with probability 1 - (1 - p)^k. The independence of guess
    and confidence is what makes it a floor: judges that are sure only when they know give fewer.

    Raises ValueError for fewer than two options or a share outside 0.0–1.0.
    """
    if n_options < 2:
        raise ValueError(f"a question has at least two options, not {n_options}")
    shares = {seat.seat: confidences.get(seat.seat, 1.0) for seat in panel.judges}
    if any(not 0 <= share <= 1 for share in shares.values()):
        raise ValueError("shares of confident answers lie between 0.0 and 1.0")
    per_source = at_least(panel.majority, [share / n_options for share in shares.values()])
    removed = [1 - (1 - per_source) ** number for number in sources]
    expected = sum(removed)
    return GuessRate(
        seats=shares,
        per_source=per_source,
        per_question=expected / len(removed) if removed else 0.0,
        questions=len(removed),
        expected=expected,
    )


def at_least(successes: int, probabilities: Sequence[float]) -> float:
    """Probability of at least so many successes among independent trials (Poisson binomial, exact)."""
    mass = [1.0]
    for chance in probabilities:
        mass = [
            (mass[count] if count < len(mass) else 0.0) * (1 - chance) + (mass[count - 1] * chance if count else 0.0)
            for count in range(len(mass) + 1)
        ]
    return min(1.0, sum(mass[successes:]))


def confident_shares(panel: Panel, verdicts: Iterable[Verdict]) -> dict[str, float]:
    """For each seat, the share of its single-source answers that reach the solvability confidence, right or wrong.

    Seats without an answer are left out. Reserves count under their own name.
    """
    threshold = panel.checks.solvability.confidence
    sure: dict[str, list[bool]] = {}
    for verdict in verdicts:
        if isinstance(verdict, ChoiceVerdict) and verdict.check == "solvability":
            confident = verdict.confidence is not None and verdict.confidence >= threshold
            sure.setdefault(verdict.seat, []).append(confident)
    return {seat: sum(answers) / len(answers) for seat, answers in sure.items()}


def drafters_of(questions: Iterable[Question]) -> tuple[str, ...]:
    """The drafters of some questions, each once, in the order of first appearance."""
    return tuple(dict.fromkeys(question.provenance.drafter for question in questions))
