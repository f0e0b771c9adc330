"""Evidence of three invented reports on a ferry, and what a drafter may say about it."""

from typing import Any

from records.calls import Reply
from records.config import ModelSpec, Panel, View, Views
from records.media import Evidence, Frame, FrameSignals, Group, Sentence, Source, SourceEvidence, Transcript
from records.replies import ClaimReply, DraftReply, OptionReply, QuestionReply
from tests.rules.samples import A_FALSE, A_TRUE, B_FALSE, B_TRUE

MODEL = ModelSpec(name="writer", model="test/writer", family="test")
BLIND = ModelSpec(name="reader", model="test/reader", images=False)
PANEL = Panel(name="test", models=(MODEL, BLIND), drafters=("writer",), draft_temperature=0.3)
WORDS = {
    "TAG_A": ("The ferry had 22 people aboard.", "It left in the evening."),
    "TAG_B": ("The storm warning came at six.", "The ferry left at five past seven."),
    "TAG_C": ("Nobody was hurt.",),
}


def transcript(tag: str, language: str = "en") -> Transcript:
    sentences = tuple(
        Sentence(start_s=4.0 * place, end_s=4.0 * place + 3.5, text=text) for place, text in enumerate(WORDS[tag])
    )
    return Transcript(language=language, origin="captions", sentences=sentences, text=" ".join(WORDS[tag]))


def frame(video_id: str, number: int, rank: int) -> Frame:
    return Frame(
        sha256=f"{video_id}-{number}", video_id=video_id, number=number, time_s=number * 5.0, width=540, height=304,
        rank=rank, signals=FrameSignals(text_density=0.1, sharpness=0.5, novelty=0.2), caption=f"frame {number}",
    )  # fmt: skip


def evidence(language: str = "en", **changes: Any) -> Evidence:
    ranks = {"TAG_A": (2, 1, 3), "TAG_B": (4, 3, 2, 1), "TAG_C": ()}
    sources = tuple(
        SourceEvidence(
            tag=tag,
            video_id=f"v{place}",
            transcript=transcript(tag, language),
            summary=f"Summary of {tag}." if tag == "TAG_B" else "",
            frames=tuple(frame(f"v{place}", number, rank) for number, rank in enumerate(ranks[tag], start=1)),
        )
        for place, tag in enumerate(WORDS, start=1)
    )
    made = Evidence(
        evidence_id="e-1", group_id="ferry", topic="Ferry", domain="World", language=language, sources=sources
    )
    return made.model_copy(update=changes)


def panel(**view: Any) -> Panel:
    return PANEL.model_copy(update={"views": Views(draft=View(**view))})


def option(first: str, second: str) -> OptionReply:
    claims = [ClaimReply(text=text, tags=[text[:5]], modality="spoken") for text in (first, second)]
    return OptionReply(claims=claims, fails_because="")


def draft(**changes: Any) -> DraftReply:
    question = QuestionReply(
        stem="How do the number aboard and the hour of departure compare (TAG_A vs TAG_B)?",
        joiner="while",
        options={
            "A": option(A_TRUE, B_TRUE),
            "B": option(A_TRUE, B_FALSE),
            "C": option(A_FALSE, B_TRUE),
            "D": option(A_FALSE, B_FALSE),
        },
        correct_answer="A",
        evidence="TAG_A says 22 aboard; the ferry's clock in TAG_B reads 19:05 [FRAME: TAG_B #4].",
        support_map={"A": ["TAG_A", "TAG_B"]},
        evidence_frames=["TAG_B #4"],
    )
    return DraftReply(reasoning="22 and the hour.", question=question.model_copy(update=changes))


def reply(value: Any, request_id: str = "r-1") -> Reply:
    return Reply(request_id=request_id, value=value, raw=value.model_dump_json(), model="test/writer")


def source(video_id: str = "v1") -> Source:
    return Source(video_id=video_id, transcript=transcript("TAG_A"))


def group(language: str = "en") -> Group:
    return Group(
        group_id="ferry", folder="ferry", topic="Ferry", domain="World", language=language, sources=(source(),)
    )
