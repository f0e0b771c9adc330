"""From a request to the reply of the embedded model that it names.

``offline/extractive`` drafts (and rates, cuts and excerpts captions for the video track), ``offline/bm25``,
``offline/ngrams`` and ``offline/facts`` judge, ``offline/extractive-summary`` summarises. A reply is built through the
request's own reply model, so that both prompt layouts work.
"""

from collections.abc import Callable

from pydantic import BaseModel

from offline.reading import material, question, spec
from records.calls import Request
from records.errors import ConfigurationError

DRAFTER = "offline/extractive"
SUMMARIZER = "offline/extractive-summary"
SOLVERS = ("offline/bm25", "offline/ngrams", "offline/facts")
MODELS = (DRAFTER, *SOLVERS, SUMMARIZER)

_CHOICES = ("solvability", "difficulty", "blind", "evaluate")


def answer(request: Request) -> BaseModel:
    """The reply to a request, an instance of its reply model; the same request always gets the same reply.

    Raises ConfigurationError for a model that is not embedded or a task that the named model does not serve.
    """
    name = request.model.model
    if name not in MODELS:
        raise ConfigurationError(f"There is no embedded model {name}.", hint=f"The models are: {', '.join(MODELS)}.")
    serve = _served(name).get(request.task)
    if serve is None:
        tasks = ", ".join(_served(name))
        raise ConfigurationError(
            f"The embedded model {name} does not serve the task {request.task}.",
            hint=f"It serves: {tasks}. Name a model with weights for {request.task} in the panel, or leave it out.",
        )
    return request.reply_model.model_validate(serve(request))


def _served(name: str) -> dict[str, Callable[[Request], dict[str, object]]]:
    if name == DRAFTER:
        return {"draft": _draft, "transcript-quality": _rate, "segment": _cut, "annotate-event": _excerpt}
    if name == SUMMARIZER:
        return {"summarize": _summarize}
    return {**dict.fromkeys(_CHOICES, _choose), "ambiguity": _severity}


def _rate(request: Request) -> dict[str, object]:
    from offline.notes import rate

    return rate(spec(request))


def _cut(request: Request) -> dict[str, object]:
    from offline.notes import cut

    return cut(spec(request))


def _excerpt(request: Request) -> dict[str, object]:
    from offline.notes import excerpt

    said = [sentence for sentences in material(request).sentences.values() for sentence in sentences]
    return excerpt(spec(request), said)


def _draft(request: Request) -> dict[str, object]:
    from offline.drafting import draft
    from offline.timeline import write

    if "form" in spec(request):
        return write(spec(request))
    return draft(material(request), spec(request))


def _summarize(request: Request) -> dict[str, object]:
    from offline.summary import summarize

    return summarize(material(request), spec(request))


def _choose(request: Request) -> dict[str, object]:
    from offline.solvers import choose

    return choose(request.model.model, question(request), material(request))


def _severity(request: Request) -> dict[str, object]:
    from offline.solvers import severity

    return severity(request.model.model, question(request), material(request))
