"""Objects of a video: when each first comes into view, where it stands, and what a fair question about it is.

``find_objects(path, ("red kite", "dog"), detector)`` looks once a second and gives an ObjectTrack for each name that is
found. Detectors and segmenters are protocols (`media.vision_models` has two); detections by a vision model
go through `tracks_of` alike. Method: VideoVista-CulturalLingo 3.2 (Object) and appendix E.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from media.probe import probe
from records.errors import InputError
from records.video import Box, Detection, Mask, ObjectSettings, ObjectTrack, Sighting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from media.decoding import Picture, Pixels

    Bits = NDArray[np.bool_]
    """Height × width: which pixels an object covers."""


class Detector(Protocol):
    """Finds objects by name."""

    @property
    def name(self) -> str:
        """What a user should read about which detector was used."""

    def detect(self, pixels: Pixels, names: Sequence[str]) -> tuple[Detection, ...]:
        """Everything of these names in a picture (height × width × 3, blue-green-red), in any order."""


class Segmenter(Protocol):
    """Finds the outline of what a box holds."""

    @property
    def name(self) -> str:
        """What a user should read about which segmenter was used."""

    def segment(self, pixels: Pixels, boxes: Sequence[Box]) -> tuple[Bits, ...]:
        """One mask a box, of the picture's size."""


# --- from a video to tracks


def find_objects(
    path: Path,
    names: Sequence[str],
    detector: Detector,
    settings: ObjectSettings | None = None,
    *,
    segmenter: Segmenter | None = None,
    present: Mapping[str, Collection[float]] | None = None,
) -> tuple[ObjectTrack, ...]:
    """Tracks of the objects that are found, in the order of `names`.

    `present` limits each name to the looks (times of `look`, in seconds) at which another model saw the object; names
    that it lacks are looked for everywhere. One picture is held at a time. Raises InputError if the video cannot be
    read.
    """
    settings = settings or ObjectSettings()
    seen: dict[float, tuple[Detection, ...]] = {}
    masks: dict[tuple[float, str], Mask] = {}
    for picture in look(path, settings):
        wanted = [name for name in names if _may_be_at(present, name, picture.time_s, settings)]
        found = detector.detect(picture.pixels, wanted) if wanted else ()
        seen[picture.time_s] = tuple(detection for detection in found if detection.name in wanted)
        if segmenter:
            masks |= _masks_of(picture, best_of(seen[picture.time_s], settings), segmenter)
    return tracks_of(names, seen, settings, masks)


def _may_be_at(
    present: Mapping[str, Collection[float]] | None, name: str, time_s: float, settings: ObjectSettings
) -> bool:
    if present is None or name not in present:
        return True
    return any(abs(time_s - other) < 0.5 / settings.per_second for other in present[name])


def _masks_of(picture: Picture, best: Mapping[str, Detection], segmenter: Segmenter) -> dict[tuple[float, str], Mask]:
    if not best:
        return {}
    bits = segmenter.segment(picture.pixels, [detection.box for detection in best.values()])
    return {(picture.time_s, name): mask_of(one) for name, one in zip(best, bits, strict=True) if one.any()}


def look(path: Path, settings: ObjectSettings | None = None) -> Iterator[Picture]:
    """The pictures in which objects are looked for: `per_second`, from the first one on.

    Raises InputError if the video cannot be read.
    """
    import av

    from media.decoding import pictures

    settings = settings or ObjectSettings()
    found = probe(path)
    if found.problem or not found.has_picture:
        raise InputError(f"{path}: {found.problem or 'has no picture'}.", hint=found.action or "Download it again.")
    try:
        yield from pictures(path, settings.longer_side, 1.0 / settings.per_second)
    except (av.error.FFmpegError, OSError) as error:
        raise InputError(f"{path}: cannot be decoded ({error}).", hint="Download it again.") from error


def look_times(duration_s: float, settings: ObjectSettings | None = None) -> tuple[float, ...]:
    """The times at which frames for a vision model are taken (`media.sampling.frames_at`), in seconds from 0."""
    settings = settings or ObjectSettings()
    return tuple(round(number / settings.per_second, 3) for number in range(int(duration_s * settings.per_second) + 1))


def best_of(detections: Sequence[Detection], settings: ObjectSettings) -> dict[str, Detection]:
    """The surest detection of each name, where it is sure enough; the larger one where two are as sure."""
    best: dict[str, Detection] = {}
    for detection in detections:
        known = best.get(detection.name)
        if detection.score >= settings.least_score and (known is None or _merit(detection) > _merit(known)):
            best[detection.name] = detection
    return best


def _merit(detection: Detection) -> tuple[float, float]:
    return detection.score, detection.box.area


def tracks_of(
    names: Sequence[str],
    seen: Mapping[float, Sequence[Detection]],
    settings: ObjectSettings | None = None,
    masks: Mapping[tuple[float, str], Mask] | None = None,
) -> tuple[ObjectTrack, ...]:
    """Tracks from what was detected at each look (time in seconds → detections), in the order of `names`.

    A name that was never detected surely enough has no track. An object is first noticed where it covers
    `notice_share` of the frame, by its mask where there is one.
    """
    settings = settings or ObjectSettings()
    tracks = []
    for name in dict.fromkeys(names):
        sightings = tuple(
            _sighting(time_s, best[name], seen[time_s], settings, (masks or {}).get((time_s, name)))
            for time_s in sorted(seen)
            if name in (best := best_of(seen[time_s], settings))
        )
        if sightings:
            first = next((one.time_s for one in sightings if one.share >= settings.notice_share), None)
            tracks.append(ObjectTrack(name=name, sightings=sightings, first_s=first, every_s=1.0 / settings.per_second))
    return tuple(tracks)


def _sighting(
    time_s: float, best: Detection, all_seen: Sequence[Detection], settings: ObjectSettings, mask: Mask | None
) -> Sighting:
    others = tuple(
        other.box
        for other in all_seen
        if other.name == best.name
        and other is not best
        and other.score >= settings.least_score
        and iou(other.box, best.box) < _SAME_BOX
    )
    return Sighting(time_s=time_s, box=best.box, score=best.score, mask=mask, others=others)


_SAME_BOX = 0.7
"""Boxes that overlap this much are two finds of one object."""

# --- boxes and masks


def iou(one: Box, other: Box) -> float:
    """Intersection over union of two boxes, 0.0 (apart) to 1.0 (the same)."""
    wide = min(one.x1, other.x1) - max(one.x0, other.x0)
    high = min(one.y1, other.y1) - max(one.y0, other.y0)
    shared = max(0.0, wide) * max(0.0, high)
    return shared / (one.area + other.area - shared)


def box_from_pixels(xyxy: Sequence[float], width: int, height: int) -> Box:
    """A box from pixel coordinates (x0, y0, x1, y1); what lies outside the picture is cut off.

    Raises ValueError unless four finite numbers leave an area inside the picture.
    """
    return _box(xyxy, (width, height))


def box_from_thousandths(xyxy: Sequence[float]) -> Box:
    """A box from coordinates in thousandths of width and height, as many vision models give them.

    Raises ValueError as `box_from_pixels` does.
    """
    return _box(xyxy, (1000, 1000))


def _box(xyxy: Sequence[float], size: tuple[float, float]) -> Box:
    if len(xyxy) != 4 or not all(math.isfinite(value) for value in xyxy):
        raise ValueError(f"a box needs four numbers x0, y0, x1, y1, not {list(xyxy)}")
    x0, y0, x1, y1 = (
        round(min(1.0, max(0.0, float(value) / side)), 4) for value, side in zip(xyxy, (*size, *size), strict=True)
    )
    return Box(x0=x0, y0=y0, x1=x1, y1=y1)


def mask_of(bits: Bits) -> Mask:
    """Run lengths of a mask (height × width)."""
    import numpy as np

    flat = np.concatenate([[False], bits.ravel(order="F"), [not bits.ravel(order="F")[-1]]])
    borders = np.flatnonzero(flat[1:] != flat[:-1])
    counts = np.diff(np.concatenate([[0], borders]))
    return Mask(height=bits.shape[0], width=bits.shape[1], counts=tuple(int(count) for count in counts))


def bits_of(mask: Mask) -> Bits:
    """A mask's pixels, height × width."""
    import numpy as np

    values = np.arange(len(mask.counts)) % 2 == 1
    bits: Bits = np.repeat(values, mask.counts).reshape((mask.height, mask.width), order="F")
    return bits


def box_of(mask: Mask) -> Box:
    """The smallest box around a mask. Raises ValueError for an empty one."""
    import numpy as np

    rows, columns = np.nonzero(bits_of(mask))
    if not len(rows):
        raise ValueError("an empty mask has no box")
    edges = (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
    return box_from_pixels([float(edge) for edge in edges], mask.width, mask.height)


# --- what a fair question about an object is


def box_problems(
    options: Sequence[Box], key: int, sighting: Sighting, settings: ObjectSettings | None = None
) -> tuple[str, ...]:
    """What is unfair about the boxes of a spatial-localization question; empty if nothing is.

    `key` is the right option's place, from 0. The right box is the sighting's; wrong ones overlap it, and any other
    object of its name, less than `most_iou`; no two are the same.
    """
    settings = settings or ObjectSettings()
    problems = []
    if sighting.others:
        problems.append(f"there are {len(sighting.others) + 1} objects of this name in the frame; no one box is right")
    if iou(options[key], sighting.box) < _RIGHT_IOU:
        problems.append(f"the right box must be {_written(sighting.box)}, where the object is")
    for number, option in enumerate(options):
        if number != key and (overlap := _overlap(option, sighting)) >= settings.most_iou:
            limit = f"it must be below {settings.most_iou:g}"
            problems.append(f"option {number + 1} overlaps the right box by {overlap:.2f} (IoU); {limit}")
    if len({option.xyxy for option in options}) < len(options):
        problems.append("two options are the same")
    return tuple(problems)


_RIGHT_IOU = 0.9
"""A box that was rounded for an option is still this much the same."""


def _overlap(box: Box, sighting: Sighting) -> float:
    return max(iou(box, other) for other in (sighting.box, *sighting.others))


def _written(box: Box) -> str:
    return "[" + ", ".join(f"{value:.2f}" for value in box.xyxy) + "]"


def distractor_boxes(
    sighting: Sighting,
    count: int,
    seed: int,
    settings: ObjectSettings | None = None,
    candidates: Sequence[Box] = (),
) -> tuple[Box, ...]:
    """Wrong boxes for a question: first `candidates` (other objects of the frame), then the right box moved about.

    All overlap the right box, and one another, less than `most_iou`. Moved ones have the size of the right box, give or
    take a quarter, so that size does not give it away. Fewer than `count` come back where the frame has no room.
    """
    settings, chance = settings or ObjectSettings(), random.Random(seed)
    chosen: list[Box] = []
    offers = [*candidates, *(_moved(sighting.box, chance) for _ in range(_TRIES))]
    for offer in offers:
        apart = all(iou(offer, other) < settings.most_iou for other in chosen)
        if len(chosen) < count and apart and _overlap(offer, sighting) < settings.most_iou:
            chosen.append(offer)
    return tuple(chosen)


_TRIES = 400


def _moved(box: Box, chance: random.Random) -> Box:
    wide = min(0.99, (box.x1 - box.x0) * chance.uniform(0.75, 1.25))
    high = min(0.99, (box.y1 - box.y0) * chance.uniform(0.75, 1.25))
    x0, y0 = chance.uniform(0.0, 1.0 - wide), chance.uniform(0.0, 1.0 - high)
    return _box((x0, y0, x0 + wide, y0 + high), (1, 1))


def first_time_problems(
    options_s: Sequence[float], key: int, track: ObjectTrack, duration_s: float, settings: ObjectSettings | None = None
) -> tuple[str, ...]:
    """What is unfair about the times of a question on an object's first appearance; empty if nothing is.

    The right time is when the object is first noticed, to within one look; wrong ones are `least_gap_s` or more away
    from it and from one another, and within the video. An object that is seen, too small, long before it is noticed has
    no clear first appearance.
    """
    settings = settings or ObjectSettings()
    if track.first_s is None:
        return (f"{track.name} never covers {settings.notice_share:.0%} of the frame; it cannot be asked about",)
    problems = [
        f"option {number} ({time_s:g} s) lies outside the video (0-{duration_s:g} s)"
        for number, time_s in enumerate(options_s, 1)
        if not 0 <= time_s <= duration_s
    ]
    if track.first_s - track.seen_s >= settings.least_gap_s:
        problems.append(f"{track.name} can be seen, small, from {track.seen_s:g} s on; its first appearance is unclear")
    if not -track.every_s - 0.5 <= options_s[key] - track.first_s <= 0.5:
        problems.append(f"the right time is {track.first_s:g} s, not {options_s[key]:g} s")
    ordered = sorted(options_s)
    problems += [
        f"{earlier:g} s and {later:g} s are less than {settings.least_gap_s:g} s apart"
        for earlier, later in pairwise(ordered)
        if later - earlier < settings.least_gap_s
    ]
    return tuple(problems)


def order_problems(
    order: Sequence[str], tracks: Sequence[ObjectTrack], settings: ObjectSettings | None = None
) -> tuple[str, ...]:
    """What is wrong with an order of first appearances (names, earliest first); empty if nothing is.

    Each name must have a track that is noticed, and each must be noticed `least_gap_s` or more before the next.
    """
    settings = settings or ObjectSettings()
    firsts = {track.name: track.first_s for track in tracks}
    problems = [f"{name} is never clearly seen" for name in order if firsts.get(name) is None]
    if len(set(order)) < len(order):
        problems.append("an object is named twice")
    if problems:
        return tuple(problems)
    for earlier, later in pairwise(order):
        gap = (firsts[later] or 0.0) - (firsts[earlier] or 0.0)
        if gap < settings.least_gap_s:
            said = "after" if gap < 0 else f"less than {settings.least_gap_s:g} s before"
            problems.append(f"{earlier} comes into view {said} {later}")
    return tuple(problems)
