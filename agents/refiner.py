"""Corrects a Chinese transcript's homophones, terms and fluency, sentence by sentence (VideoVista-CulturalLingo 3.1).

refine_request → (gateway) → read_refined. Code checks each sentence by itself: numbers, names and length stay
(`media.refinement`); one that fails goes back, and keeps its old words in the end.
"""

from agents.listing import numbered_sentences
from agents.mending import Faults
from media.refinement import refinement_problems
from prompts import render
from records.base import Record
from records.calls import QuotedPart, Reply, Request, SpecPart, TextPart
from records.config import ModelSpec
from records.media import Transcript
from records.video_replies import RefineReply

Range = tuple[int, int]
_CONTEXT = 3
"""Sentences before a window that are shown with it."""


class Refined(Record):
    """The sentences of a window by number, and what is still wrong with some of them."""

    texts: dict[int, str]
    """Of the sentences that may be used."""
    problems: tuple[str, ...] = ()
    """Why the others may not, each with its number."""


def refine_request(transcript: Transcript, window: Range, model: ModelSpec, *, group_id: str) -> Request:
    """A request to correct the sentences of one window."""
    first, last = window
    sentences = transcript.sentences[first - 1 : last]
    before = transcript.sentences[max(0, first - 1 - _CONTEXT) : first - 1]
    context = (QuotedPart(name="before", text="\n".join(each.text for each in before)),) if before else ()
    task = render("video/refine", count=len(sentences), before=bool(before))
    listed = numbered_sentences("sentences", enumerate(sentences, start=first), timed=False)
    spec = {"language": transcript.language, "first": first, "sentences": [each.text for each in sentences]}
    return Request(
        task="refine",
        model=model,
        system=render("video/refine-system"),
        parts=(*context, listed, TextPart(text=task), SpecPart(values=spec)),
        reply_model=RefineReply,
        group_id=group_id,
        unit=f"sentences {first}-{last}",
    )


def read_refined(reply: Reply, transcript: Transcript, window: Range) -> Refined | Faults:
    """The sentences that may be used and the problems of the others; faults where sentences are missing or strange."""
    value = reply.value
    if not isinstance(value, RefineReply):
        raise TypeError(f"sentences are read from a RefineReply, not from a {type(value).__name__}")
    numbers = [sentence.number for sentence in value.sentences]
    wanted = range(window[0], window[1] + 1)
    wrong = [number for number in wanted if numbers.count(number) != 1]
    strange = sorted(set(numbers) - set(wanted))
    if wrong or strange:
        listed = ", ".join(map(str, [*wrong, *strange]))
        return Faults(problems=(f"give each of the sentences {window[0]}-{window[1]} exactly once; see {listed}",))
    texts: dict[int, str] = {}
    problems: list[str] = []
    for sentence in value.sentences:
        found = refinement_problems(transcript.sentences[sentence.number - 1].text, sentence.text)
        if found:
            problems += [f"sentence {sentence.number}: {problem}" for problem in found]
        else:
            texts[sentence.number] = sentence.text.strip()
    return Refined(texts=texts, problems=tuple(problems))
