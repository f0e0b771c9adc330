"""Tokens and cost of a request before it is sent, for forecasts, budgets and limits.

Text is counted by script, as byte-pair tokenizers split it on average; images at the model's stated `image_tokens`;
replies by what each task usually takes. A pilot's measured means replace the usual lengths.
"""

from gateway.pricing import rates_of
from gateway.render import DATA_NOTICE
from gateway.schema import schema_in_words
from records.base import Record
from records.calls import (
    ImagePart,
    Part,
    QuestionPart,
    QuotedPart,
    Request,
    Task,
    TextPart,
    TranscriptPart,
    Usage,
    VideoPart,
)

_USUAL_REPLY: dict[Task, int] = {
    "draft": 700, "caption": 900, "summarize": 260, "solvability": 110, "ambiguity": 90, "difficulty": 120, "blind": 80,
    "type-fit": 110, "evaluate": 60, "preflight": 20, "annotate-event": 200, "segment": 400, "refine": 400,
}  # fmt: skip
_OTHER_REPLY = 250
_VIDEO_TOKENS_A_SECOND = 300
"""One frame and one second of sound, as Gemini counts video."""
SAFETY = 1.3
"""A budget counts calls in flight at this much more than the best guess of their prompt."""


class Estimate(Record):
    """What one request will probably take. Costs are None where no price is known."""

    prompt_tokens: int
    images: int
    shared_tokens: int
    """Tokens of the prefix that other requests share; a prefix cache may serve them."""
    completion_tokens: int
    """The usual length of such a reply."""
    cost_low_usd: float | None
    """The usual reply, the shared prefix served from the cache."""
    cost_usd: float | None
    """The usual reply, nothing cached."""
    cost_high_usd: float | None
    """A somewhat longer prompt and the longest reply that the model may give."""


def estimate(request: Request, *, usual_reply: int | None = None) -> Estimate:
    """Tokens and cost of a request. `usual_reply` overrides the task's usual reply length, in tokens."""
    prompt, images, shared = _prompt(request)
    reply = usual_reply if usual_reply is not None else _USUAL_REPLY.get(request.task, _OTHER_REPLY)
    reply = min(reply, request.model.max_output_tokens)
    usages = (
        Usage(prompt_tokens=prompt, completion_tokens=reply, cached_tokens=shared, images=images),
        Usage(prompt_tokens=prompt, completion_tokens=reply, images=images),
        Usage(
            prompt_tokens=round(prompt * SAFETY), completion_tokens=request.model.max_output_tokens, images=images
        ),
    )  # fmt: skip
    rates = rates_of(request.model)
    low, usual, high = (rates.cost(usage) if rates else None for usage in usages)
    return Estimate(
        prompt_tokens=prompt, images=images, shared_tokens=shared, completion_tokens=reply,
        cost_low_usd=low, cost_usd=usual, cost_high_usd=high,
    )  # fmt: skip


def prompt_tokens(request: Request) -> int:
    """Tokens of the rendered prompt, images included."""
    return _prompt(request)[0]


def images_in(request: Request) -> int:
    """How many images a request carries."""
    return sum(isinstance(part, ImagePart) for part in request.parts)


def text_tokens(text: str) -> int:
    """Tokens of a text, from how many bytes of each kind it has.

    Fitted by least squares to the mean of OpenAI's cl100k and o200k tokenizers on transcripts, prompts, JSON and
    Markdown in English and Chinese; within a tenth of them for nine in ten texts. A word costs about one token (with
    the space before it), a digit one, a punctuation mark half, an ideograph a little over one.
    """
    data = text.encode("utf-8", "surrogatepass")
    counts = (len(data) - len(data.translate(None, kind)) for kind, _ in _KINDS)
    return round(sum(count * weight for count, (_, weight) in zip(counts, _KINDS, strict=True)))


_LETTERS = bytes([*range(65, 91), *range(97, 123)])
_DIGITS = b"0123456789"
_KINDS: tuple[tuple[bytes, float], ...] = (
    (b" \n\t\r", 0.854),
    (_LETTERS, 0.061),
    (_DIGITS, 1.085),
    (bytes(byte for byte in range(33, 127) if byte not in _LETTERS + _DIGITS), 0.469),
    (bytes(range(128, 256)), 1.116 / 3),
)
"""Bytes of a kind, and tokens for each."""


def _prompt(request: Request) -> tuple[int, int, int]:
    """(tokens of the prompt, images, tokens of the shared prefix)."""
    parts, shared_parts = request.parts, request.parts[: request.prefix_parts]
    system = text_tokens(f"{request.system}{DATA_NOTICE}") + 8
    shared = _parts_tokens(shared_parts, request.model.image_tokens)
    rest = _parts_tokens(parts[len(shared_parts) :], request.model.image_tokens)
    spoken = request.model.json_mode == "prompt" and not request.plain
    words = text_tokens(schema_in_words(request.reply_model)) if spoken else 0
    return system + shared + rest + words, images_in(request), system + shared if shared_parts else 0


def _parts_tokens(parts: tuple[Part, ...], image_tokens: int) -> int:
    """Tokens of parts as they are rendered: their words counted in one go; images, tags and labels by the piece."""
    words: list[str] = []
    total = 0
    for part in parts:
        if isinstance(part, ImagePart):
            total += image_tokens + 9
        elif isinstance(part, VideoPart):
            total += round(_VIDEO_TOKENS_A_SECOND * (part.duration_s or 60.0)) + 9
        elif isinstance(part, TextPart):
            words.append(part.text)
        elif isinstance(part, TranscriptPart):
            words.append(part.text)
            total += 18 + (6 * len(part.sentences) if part.timed else 0)
        elif isinstance(part, QuotedPart):
            words.append(part.text)
            total += 12
        elif isinstance(part, QuestionPart):
            words += [part.stem, *part.options.values()]
            total += 26 + 13 * len(part.options)
    return total + (text_tokens(" ".join(words)) if words else 0)
