"""The summarizer: a transcript too long for a stage in, at most so many characters out (VNU-Bench F.2).

summary_request → (gateway) → read_summary; too long is asked once more with the length stated, then cut at a sentence.
"""

from agents.showing import language_name
from media.summaries import cut_at_sentence, unknown_facts
from prompts import render
from records.calls import QuotedPart, Reply, Request, SpecPart, TextPart, TranscriptPart
from records.config import ModelSpec
from records.media import Transcript, tag_of
from records.replies import SummaryReply
from records.text import language_of

TOO_LONG = "too-long"
CUT = "cut"


def summary_request(
    transcript: Transcript, model: ModelSpec, limit: int, *, group_id: str = "", previous: str = ""
) -> Request:
    """A request for a summary of at most `limit` characters; `previous` is an earlier one that was too long."""
    language = transcript.language if transcript.language != "und" else language_of(transcript.text)
    task = render(
        "summarizer/task", language=language_name(language), limit=limit, previous_length=len(previous.strip())
    )
    earlier = (QuotedPart(name="too-long-summary", text=previous.strip()),) if previous.strip() else ()
    words = TranscriptPart(
        tag=tag_of(0), text=transcript.text, sentences=transcript.sentences, language=transcript.language
    )
    spec = SpecPart(values={"language": language, "limit": limit, "previous_length": len(previous.strip())})
    return Request(
        task="summarize",
        model=model,
        system=render("summarizer/system"),
        parts=(words, *earlier, TextPart(text=task), spec),
        prefix_parts=1,
        reply_model=SummaryReply,
        group_id=group_id,
    )


def read_summary(reply: Reply, transcript: Transcript, limit: int, *, last: bool) -> tuple[str, tuple[str, ...]]:
    """The summary and its flags.

    Longer than `limit` characters, it comes back whole with the flag ``too-long``, to be asked again; at the `last`
    attempt it is cut at a sentence and flagged ``cut``. Numbers and names that the transcript does not have are
    flagged ``unknown-number: …`` and ``unknown-name: …``.
    """
    value = reply.value
    if not isinstance(value, SummaryReply):
        raise TypeError(f"a summary is read from a SummaryReply, not from a {type(value).__name__}")
    text = " ".join(value.summary.split())
    if len(text) > limit and not last:
        return text, (TOO_LONG,)
    kept = cut_at_sentence(text, limit) if len(text) > limit else text
    flags = (CUT,) if kept != text else ()
    return kept, (*flags, *unknown_facts(kept, transcript.text))
