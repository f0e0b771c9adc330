"""Notes on one invented video, with everything that the fourteen subtasks need."""

from records.annotation import CULTURES, CultureFinding, ObjectDescription, ScienceFinding, Stage, VideoAnnotation
from records.video import Article, Box, EventAnnotation, ObjectTrack, Sighting


def annotation(language: str = "en", **changes: object) -> VideoAnnotation:
    """Four events of fifteen seconds, three objects, three cultures, a course with experiments."""
    said = (
        ("打开木盒", "系上细线", "挂上木板", "放手")
        if language == "zh"
        else ("opens a box", "ties a thread", "hangs a board", "lets go")
    )
    events = tuple(
        EventAnnotation(event=f"The host {what}.", audio="A word.", start_s=15.0 * n, end_s=15.0 * (n + 1))
        for n, what in enumerate(said)
    )
    article = Article(
        title="Lantern dance", url="https://example.org", lead="A dance.", text="A dance for rain.", language="en"
    )
    names = ("speech", "quality", "segments", "events", "object", "culture", "science")
    values: dict[str, object] = {
        "video_id": "v",
        "language": language,
        "duration_s": 60.0,
        "events": events,
        "objects": tuple(
            described(name, start) for name, start in (("a kettle", 5.0), ("a map", 20.0), ("a hat", 40.0))
        ),
        "cultures": tuple(CultureFinding(culture=culture, articles=(article,)) for culture in CULTURES),
        "science": ScienceFinding(relevance=5, density=4, kind="both", discipline="physics"),
        "stages": tuple(Stage(name=name, outcome="done") for name in names),
    }
    return VideoAnnotation.model_validate({**values, **changes})


def described(
    name: str, first_s: float, *, small_before: float = 0.0, others: tuple[Box, ...] = ()
) -> ObjectDescription:
    """An object that comes into view at `first_s`, or that much earlier but too small to notice."""
    box = Box(x0=0.1, y0=0.1, x1=0.4, y1=0.5)
    early = [Sighting(time_s=first_s - small_before, box=Box(x0=0.1, y0=0.1, x1=0.12, y1=0.12))] if small_before else []
    seen = (*early, Sighting(time_s=first_s, box=box, others=others))
    return ObjectDescription(track=ObjectTrack(name=name, sightings=seen, first_s=first_s), text="It stands still.")
