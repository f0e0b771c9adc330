"""Small runs made from records, with real videos of a few seconds: what generate leaves, without asking a model.

Two English groups of two videos each, and one Chinese culture group with a video and a text.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from records.calls import CallRecord
from records.config import ModelSpec, Panel, SeatSpec, Track
from records.media import (
    Evidence,
    Frame,
    FrameSignals,
    Group,
    Sentence,
    Source,
    SourceEvidence,
    Transcript,
)
from records.questions import Claim, DraftRecord, Option, Provenance, Question, question_id, render_option
from records.review import Reviewer
from records.verdicts import ChoiceVerdict, Decision, Item, JudgeFailure, SeverityVerdict, UnitDecision
from review.users import Users, new_user, write_users
from store.run import Run, RunManifest

MARKUP = """<img src=x onerror="document.title='owned'"> {{constructor}} ${alert(1)} <b>bold</b>"""
CULTURE = {
    "culture": "chinese",
    "article_title": "Pu'er tea",
    "article_url": "https://zh.wikipedia.org/wiki/普洱茶",
    "article": "ARTICLE-TEXT of the encyclopedia",
}
SET = "mixed"
PASSWORD = "correct horse"
SIGNALS = FrameSignals(text_density=0.1, sharpness=0.5, novelty=0.5)


def make_video(path: Path, *, seconds: float = 3.0, shade: int = 0) -> Path:
    """A silent H.264 video of 160×90 pixels at 10 frames a second whose grey moves."""
    import av
    import numpy as np

    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 160, 90, "yuv420p"
        stream.options = {"preset": "ultrafast", "g": "5"}
        for index in range(int(seconds * 10)):
            picture = np.full((90, 160, 3), (shade + index * 5) % 256, dtype=np.uint8)
            for packet in stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    return path


def make_frame(run: Run, video_id: str, number: int, time_s: float) -> Frame:
    """A still of 64×36 pixels, written where the run keeps its frames."""
    import io

    from PIL import Image

    buffer = io.BytesIO()
    shade = int(hashlib.sha256(f"{video_id}{number}".encode()).hexdigest()[:2], 16)
    Image.new("RGB", (64, 36), (shade, 40, 90)).save(buffer, "JPEG", quality=65)
    sha256 = hashlib.sha256(buffer.getvalue()).hexdigest()
    run.frame_path(sha256).write_bytes(buffer.getvalue())
    return Frame(
        sha256=sha256, video_id=video_id, number=number, time_s=time_s, width=64, height=36, rank=number,
        signals=SIGNALS, caption=f"Still {number} of {video_id}",
    )  # fmt: skip


def make_source(
    folder: Path, video_id: str, outlet: str, texts: Sequence[str], *, title: str = "", language: str = "en",
    has_video: bool = True, shade: int = 0, license: str = "CC0",  # noqa: A002
) -> Source:  # fmt: skip
    """A source with one sentence a second; its video is rendered where it has one."""
    sentences = tuple(Sentence(start_s=float(i), end_s=i + 0.9, text=text) for i, text in enumerate(texts))
    path = make_video(folder / f"{video_id}.mp4", shade=shade) if has_video else folder / f"{video_id}.txt"
    if not has_video:
        path.write_text(" ".join(texts), encoding="utf-8")
    return Source(
        video_id=video_id,
        title=title or f"{outlet} reports",
        outlet=outlet,
        date="2025-03-11",
        url=f"https://video.example.org/watch?v={video_id}",
        license=license,
        duration_s=3.0 if has_video else None,
        video_file=str(path) if has_video else None,
        media_sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        transcript=Transcript(
            language=language,
            origin="captions" if has_video else "text-file",
            sentences=sentences,
            text=" ".join(texts),
        ),
    )


def make_question(
    group: Group,
    number: int,
    type_id: str,
    *,
    key: str = "B",
    structured: bool = True,
    extra: dict[str, str] | None = None,
) -> Question:
    """A question whose options are two claims each, about TAG_A and TAG_B."""
    chinese = group.language == "zh"
    stem = (
        f"第{number}题：TAG_A 与 TAG_B 对数字的说法如何比较？"
        if chinese
        else f"How do the figures number {number} compare in TAG_A and TAG_B?"
    )
    pairs = [(22, 4), (24, 6), (22, 6), (24, 4)]
    options = {}
    for letter, (first, second) in zip("ABCD", pairs, strict=True):
        words = (
            (f"TAG_A 说有 {first + number} 人", f"TAG_B 说有 {second + number} 公里")
            if chinese
            else (f"TAG_A counts {first + number} crew", f"TAG_B puts it {second + number} km off")
        )
        claims = (
            Claim(text=words[0], tags=("TAG_A",), modality="spoken"),
            Claim(text=words[1], tags=("TAG_B",), modality="shown"),
        )
        text = render_option(claims, "while", group.language)
        options[letter] = Option(text=text, claims=claims if structured else ())
    sources = {f"TAG_{chr(65 + i)}": source.video_id for i, source in enumerate(group.sources)}
    texts = tuple(option.text for option in options.values())
    return Question(
        question_id=question_id(group.group_id, type_id, stem, texts, options[key].text),
        group_id=group.group_id,
        type_id=type_id,
        language=group.language,
        stem=stem,
        options=options,
        key=key,
        evidence="TAG_A counts the crew; the map in TAG_B gives the distance [FRAME: TAG_B #1].",
        support_map={key: ("TAG_A", "TAG_B")},
        evidence_frames=("TAG_B #1",),
        sources=sources,
        provenance=Provenance(
            drafter="offline/extractive", family="offline", request_id=f"draft-{group.group_id}-{number}"
        ),
        extra=extra or {},
    )


def make_item(question: Question, *, outcome: str = "kept", set_name: str = SET) -> Item:
    """An item as a panel of two seats leaves it, one of whose calls failed."""
    removed = outcome == "removed"
    unit = UnitDecision(
        unit="TAG_A", outcome="removed" if removed else "passed", statistic=2.0 if removed else 0.0, threshold=2.0,
        votes=2, seats=2, explanation="2 of 2 seats answered B (the key)" if removed else "0 of 2 seats answered B",
    )  # fmt: skip
    return Item(
        item_id=question.question_id,
        judgement_set=set_name,
        question=question,
        verdicts=(
            ChoiceVerdict(check="solvability", seat="one", model="m1", unit="TAG_A", answer="A", confidence=0.4,
                          rationale="TAG_A alone leaves two open."),
            ChoiceVerdict(check="difficulty", seat="one", model="m1", unit="all", answer="B", confidence=None),
            SeverityVerdict(seat="two", model="m2", unit="C", severity=0.25, rationale="SECRET-RATIONALE of the judge"),
            JudgeFailure(check="difficulty", seat="two", model="m2", unit="all", outcome="unavailable", message="503"),
        ),
        decisions=(Decision(check="solvability", outcome="removed" if removed else "passed", units=(unit,)),),
        outcome=outcome,  # type: ignore[arg-type]
        removed_by="solvability" if removed else None,
        schedule="full",
        cost_usd=0.01,
    )  # fmt: skip


def make_panel() -> Panel:
    """Two judges and a drafter."""
    models = tuple(ModelSpec(name=name, model=f"test/{name}", family=name) for name in ("m1", "m2", "drafter"))
    seats = (SeatSpec(seat="one", model="m1"), SeatSpec(seat="two", model="m2"))
    return Panel(name=SET, models=models, drafters=("drafter",), judges=seats)


def make_run(folder: Path, *, per_group: int = 3, track: str = "news", culture: bool = True) -> Path:
    """A run folder with judged items; group ``calder`` has a title with markup. Returns the folder."""
    videos = folder.parent / "videos"
    manifest = RunManifest(
        kind="generate", panel=make_panel(), judgement_set=SET, track=Track(name=track, types=("T1", "T2")), seed=7
    )
    run = Run.create(folder, manifest, command="test")
    languages = {"calder": "en", "redmarsh": "en", **({"tea": "zh"} if culture else {})}
    for shade, (name, language) in enumerate(languages.items()):
        place = videos / name
        place.mkdir(parents=True)
        group = _group(place, name, language, shade * 40)
        _put_group(run, group)
        for number in range(1, per_group + 1):
            extra = dict(CULTURE) if name == "tea" else {}
            question = make_question(group, number, f"T{number}", key="ABCD"[number % 4], extra=extra)
            question = question.model_copy(update={"track": track})
            _put_item(run, question, make_item(question))
        refused = make_question(group, 99, "T9")
        _put_item(run, refused, make_item(refused, outcome="removed"))
    run.put("draft", "calder/T10/1", DraftRecord(slot="calder/T10/1", group_id="calder", type_id="T10",
            drafter="drafter", outcome="declined", reason="no conflict exists"), group_id="calder")  # fmt: skip
    run.end(0)
    run.close()
    return folder


def make_users(path: Path, *reviewers: Reviewer) -> Path:
    """A users file in which everybody has the same password."""
    users = Users()
    for reviewer in reviewers:
        users = users.with_user(new_user(reviewer, PASSWORD))
    write_users(path, users)
    return path


def _group(place: Path, name: str, language: str, shade: int) -> Group:
    chinese = language == "zh"
    first = (
        ["船员共有 24 人。", "地点在 4 公里外。", "第三句。"]
        if chinese
        else ["The crew are 24.", "It is 4 km off.", "End."]
    )
    second = (
        ["另有说法 22 人。", "其实是 6 公里。", "结束。"]
        if chinese
        else ["Others count 22.", "The map says 6 km.", "End."]
    )
    title = MARKUP if name == "calder" else f"Title of {name}"
    sources = (
        make_source(place, f"{name}-a", "Orbis24", first, title=title, language=language, shade=shade),
        make_source(place, f"{name}-b", "Tideline", second, language=language, has_video=not chinese, shade=shade + 20,
                    license="" if chinese else "CC BY 4.0"),
    )  # fmt: skip
    return Group(
        group_id=name, folder=str(place), topic=f"Topic of {name}", domain="Culture" if chinese else "World",
        language=language, sources=sources,
    )  # fmt: skip


def _put_group(run: Run, group: Group) -> None:
    run.put("group", group.group_id, group, group_id=group.group_id)
    sources = tuple(
        SourceEvidence(
            tag=f"TAG_{chr(65 + index)}",
            video_id=source.video_id,
            transcript=source.transcript,
            frames=tuple(make_frame(run, source.video_id, n, n - 0.5) for n in (1, 2)) if source.video_file else (),
            ranking="signals",
        )
        for index, source in enumerate(group.sources)
    )
    evidence = Evidence(
        evidence_id=f"e-{group.group_id}", group_id=group.group_id, topic=group.topic, domain=group.domain,
        language=group.language, sources=sources,
    )  # fmt: skip
    run.put("evidence", group.group_id, evidence, group_id=group.group_id)


def _put_item(run: Run, question: Question, item: Item) -> None:
    slot = f"{question.group_id}/{question.type_id}/1"
    request_id = question.provenance.request_id
    draft = DraftRecord(
        slot=slot, group_id=question.group_id, type_id=question.type_id, drafter="drafter", outcome="accepted",
        question=question, request_ids=(request_id,),
    )  # fmt: skip
    run.put("draft", slot, draft, group_id=question.group_id)
    run.put("item", item.item_id, item, group_id=question.group_id, set_name=item.judgement_set)
    reply = json.dumps({"reasoning": "SECRET-REASONING of the drafter", "declined": "", "question": None})
    run.finished(CallRecord(
        request_id=request_id, task="draft", model="drafter", transport="offline", outcome="ok", messages=(),
        reply_json=reply, group_id=question.group_id, started="2026-11-29T10:00:00Z", cost_usd=0.001,
    ))  # fmt: skip
