"""What of a video a question may be judged on: for event prediction only the clip that ends before the event.

``evidence_of(question, evidence)`` cuts words and frames at `clip_end_s`; other questions get the evidence itself.
"""

from records.media import Evidence, SourceEvidence
from records.questions import Question
from rules.facts import span


def evidence_of(question: Question, evidence: Evidence) -> Evidence:
    """The evidence as solvers of this question may see it."""
    clip = span(question.extra, "clip_start_s", "clip_end_s")
    if clip is None:
        return evidence
    sources = tuple(cut_source(source, *clip) for source in evidence.sources)
    return evidence.model_copy(update={"sources": sources})


def cut_source(source: SourceEvidence, start_s: float, end_s: float) -> SourceEvidence:
    """What is said and shown within a stretch. A summary, which tells of the whole video, is left out."""
    from media.transcripts import paragraph

    said = tuple(s for s in source.transcript.sentences if s.start_s >= start_s and s.end_s <= end_s)
    transcript = source.transcript.model_copy(update={"sentences": said, "text": paragraph(said)})
    frames = tuple(frame for frame in source.frames if start_s <= frame.time_s < end_s)
    return source.model_copy(update={"transcript": transcript, "frames": frames, "summary": "", "summary_flags": ()})
