"""Three to five objects of a video: chosen, looked for once a second, boxed, described (VideoVista-CulturalLingo 3.2).

objects_request → read_objects; presence_request → read_presence (batch by batch); ground_request → read_boxes (frame by
frame, where no detector is installed); describe_request → read_descriptions. Tracks are made by `media.objects`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from agents.classifiers import FRAMES, VIDEO, spread, video_parts
from agents.listing import objects_part
from agents.mending import Faults
from agents.showing import image_part, language_name
from prompts import render
from records.annotation import ObjectDescription, VideoAnnotation
from records.base import Record
from records.calls import QuotedPart, Reply, Request, SpecPart, TextPart
from records.config import ModelSpec
from records.media import Frame
from records.text import normalized
from records.video import Box, Detection, ObjectTrack
from records.video_replies import DescriptionsReply, GroundReply, ObjectsReply, PresenceReply


class NamedObject(Record):
    """An object to look for."""

    name: str
    """In the video's language."""
    phrase: str
    """In English, for a detector."""


def objects_request(annotation: VideoAnnotation, model: ModelSpec) -> Request:
    """A request to choose three to five objects."""
    shown = video_parts(annotation, model)
    task = render("video/extract-objects", language=language_name(annotation.language))
    return Request(
        task="extract-objects",
        model=model,
        system=render("video/objects-system"),
        parts=(*shown, TextPart(text=task), SpecPart(values={"language": annotation.language})),
        prefix_parts=len(shown),
        reply_model=ObjectsReply,
        group_id=annotation.video_id,
        unit="objects",
    )


def read_objects(reply: Reply) -> tuple[NamedObject, ...] | Faults:
    """The objects; faults where two have one name or one phrase."""
    value = reply.value
    if not isinstance(value, ObjectsReply):
        raise TypeError(f"objects are read from an ObjectsReply, not from a {type(value).__name__}")
    found = tuple(NamedObject(name=_line(each.name), phrase=_line(each.phrase).rstrip(".")) for each in value.objects)
    if not all(each.name and each.phrase for each in found):
        return Faults(problems=("give each object a name and a phrase",))
    counts = Counter(normalized(text) for each in found for text in {each.name, each.phrase})
    doubled = sorted(text for text, count in counts.items() if count > 1)
    if doubled:
        return Faults(
            problems=(f"each object needs a name and a phrase of its own; given twice: {', '.join(doubled)}",)
        )
    return found


def presence_request(
    objects: Sequence[NamedObject], frames: Sequence[Frame], model: ModelSpec, *, group_id: str
) -> Request:
    """A request to say for each frame of a batch which objects are in view; frames are numbered from 1 within it."""
    return Request(
        task="presence",
        model=model,
        system=render("video/objects-system"),
        parts=(
            _names(objects),
            TextPart(text=render("video/presence", count=len(objects), frames=len(frames))),
            *(image_part(VIDEO, frame, number) for number, frame in enumerate(frames, start=1)),
            SpecPart(values={"objects": [each.phrase for each in objects], "frames": len(frames)}),
        ),
        reply_model=PresenceReply,
        group_id=group_id,
        unit=f"from {frames[0].time_s:.0f} s",
    )


def read_presence(
    reply: Reply, objects: Sequence[NamedObject], frames: Sequence[Frame]
) -> dict[str, list[float]] | Faults:
    """Phrase → times at which the object is in view; faults where frames are missing, doubled, or objects unknown."""
    value = reply.value
    if not isinstance(value, PresenceReply):
        raise TypeError(f"presence is read from a PresenceReply, not from a {type(value).__name__}")
    counts = Counter(entry.frame for entry in value.frames)
    wrong = sorted(number for number in {*counts, *range(1, len(frames) + 1)} if counts[number] != 1)
    beyond = [number for number in counts if not 1 <= number <= len(frames)]
    strange = sorted({number for entry in value.frames for number in entry.present} - set(range(1, len(objects) + 1)))
    problems = [f"give each of the {len(frames)} frames exactly once; see {wrong}"] if wrong or beyond else []
    problems += [f"there are {len(objects)} objects; no number {strange}"] if strange else []
    if problems:
        return Faults(problems=tuple(problems))
    seen: dict[str, list[float]] = {each.phrase: [] for each in objects}
    for entry in sorted(value.frames, key=lambda entry: entry.frame):
        for number in sorted(set(entry.present)):
            seen[objects[number - 1].phrase].append(frames[entry.frame - 1].time_s)
    return seen


def ground_request(objects: Sequence[NamedObject], frame: Frame, model: ModelSpec, *, group_id: str) -> Request:
    """A request for the boxes of objects in one frame, of a vision model in place of a detector."""
    return Request(
        task="ground",
        model=model,
        system=render("video/objects-system"),
        parts=(
            _names(objects),
            TextPart(text=render("video/ground")),
            image_part(VIDEO, frame, 1),
            SpecPart(values={"objects": [each.phrase for each in objects]}),
        ),
        reply_model=GroundReply,
        group_id=group_id,
        unit=f"at {frame.time_s:.0f} s",
    )


def read_boxes(reply: Reply, objects: Sequence[NamedObject]) -> tuple[Detection, ...] | Faults:
    """The boxes as detections of score 1.0; faults where a box has no area or an object is unknown."""
    value = reply.value
    if not isinstance(value, GroundReply):
        raise TypeError(f"boxes are read from a GroundReply, not from a {type(value).__name__}")
    problems: list[str] = []
    found: list[Detection] = []
    for entry in value.boxes:
        x0, y0, x1, y1 = entry.box
        if not 1 <= entry.object <= len(objects):
            problems.append(f"there are {len(objects)} objects; no number {entry.object}")
        elif not (x0 < x1 and y0 < y1):
            problems.append(f"the box {entry.box} of object {entry.object} has no area; give x0 < x1 and y0 < y1")
        else:
            box = Box(x0=x0, y0=y0, x1=x1, y1=y1)
            found.append(Detection(name=objects[entry.object - 1].phrase, box=box, score=1.0))
    return Faults(problems=tuple(problems)) if problems else tuple(found)


def named_tracks(tracks: Sequence[ObjectTrack], objects: Sequence[NamedObject]) -> tuple[ObjectDescription, ...]:
    """Tracks, which are called by their phrases, under the names of the video's language; no description yet."""
    names: Mapping[str, str] = {each.phrase: each.name for each in objects}
    renamed = (track.model_copy(update={"name": names.get(track.name, track.name)}) for track in tracks)
    return tuple(ObjectDescription(track=track) for track in renamed)


def describe_request(objects: Sequence[ObjectDescription], annotation: VideoAnnotation, model: ModelSpec) -> Request:
    """A request to describe the objects in time and space."""
    frames = spread(annotation.frames, FRAMES) if model.images else ()
    task = render(
        "video/describe-objects", count=len(objects), frames=len(frames), language=language_name(annotation.language)
    )
    return Request(
        task="describe-objects",
        model=model,
        system=render("video/objects-system"),
        parts=(
            objects_part(objects),
            *(image_part(VIDEO, frame) for frame in frames),
            TextPart(text=task),
            SpecPart(values={"language": annotation.language, "count": len(objects)}),
        ),
        reply_model=DescriptionsReply,
        group_id=annotation.video_id,
        unit="descriptions",
    )


def read_descriptions(reply: Reply, objects: Sequence[ObjectDescription]) -> tuple[ObjectDescription, ...] | Faults:
    """The objects with their descriptions; faults where one is missing, doubled or unknown."""
    value = reply.value
    if not isinstance(value, DescriptionsReply):
        raise TypeError(f"descriptions are read from a DescriptionsReply, not from a {type(value).__name__}")
    numbers = sorted(entry.object for entry in value.objects)
    if numbers != list(range(1, len(objects) + 1)):
        return Faults(problems=(f"describe each of the {len(objects)} objects exactly once, by its number",))
    texts = {entry.object: " ".join(entry.description.split()) for entry in value.objects}
    return tuple(each.model_copy(update={"text": texts[n]}) for n, each in enumerate(objects, start=1))


def _line(text: str) -> str:
    return " ".join(text.split())


def _names(objects: Sequence[NamedObject]) -> QuotedPart:
    lines = [f"{number}. {each.name} ({each.phrase})" for number, each in enumerate(objects, start=1)]
    return QuotedPart(name="objects", text="\n".join(lines))
