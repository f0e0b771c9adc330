"""The numbers of a datasheet: counts, distributions, warnings and known limits, from the content of a release. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence

from records.base import Record
from release.contents import Contents
from release.inputs import ReleaseInput
from release.lines import SourceLine
from store.exports import natural

Bars = tuple[tuple[str, int], ...]
"""Labels with counts, in the order in which they are drawn."""
LENGTHS = ((60, "< 1"), (120, "1–2"), (240, "2–4"), (360, "4–6"), (600, "6–10"), (1200, "10–20"))
"""Upper bounds in seconds and their names in minutes (after Figure 3 of VNU-Bench)."""
BANDS = ((120, "short (< 2 min)"), (600, "medium (2–10 min)"))
"""Duration bands (VideoVista-CulturalLingo, Figure 4)."""
_MOST_OUTLETS = 15


class Facts(Record):
    """Everything that the datasheet counts."""

    groups: int
    videos: int
    texts: int
    items: int
    reviewed_items: int
    """Items that people decided on (released or discarded)."""
    released_share: float | None
    """Released items over the decided ones."""
    hours: float
    mean_minutes: float | None
    """Mean length of the videos whose length is known."""
    lengths: Bars
    bands: Bars
    outlets: Bars
    """Videos by outlet, most first; all beyond the fifteenth as one."""
    domains: Bars
    """Items by domain."""
    types: Bars
    languages: Bars
    sources_per_group: Bars
    licenses: Bars
    decisions: Bars
    reasons: Bars
    """Why items were discarded: by the dimensions that failed them."""
    question_length: "Spread"
    option_length: "Spread"
    transcript_length: "Spread"
    key_longest: float | None
    """Share of items whose key is the longest option: 0.25 would be chance with four."""
    by_people: bool
    """Every question was written by people, none by a model."""
    corrected: int
    reviewers: int
    reviews: int
    warnings: tuple[str, ...]
    limits: tuple[str, ...]


class Spread(Record):
    """A distribution of lengths in characters."""

    least: int = 0
    median: float = 0.0
    mean: float = 0.0
    most: int = 0


def facts(given: ReleaseInput, made: Contents) -> Facts:
    """The numbers of a release."""
    videos = [source for source in made.sources if source.media == "video"]
    seconds = [source.duration_s for source in videos if source.duration_s is not None]
    outcomes = Counter(line.outcome for line in made.decisions)
    decided = outcomes["released"] + outcomes["discarded"]
    options = [len(text) for line in made.items for text in line.options.values()]
    return Facts(
        groups=len({line.group_id for line in made.items}),
        videos=len(videos),
        texts=len(made.sources) - len(videos),
        items=len(made.items),
        reviewed_items=decided,
        released_share=outcomes["released"] / decided if decided else None,
        hours=sum(seconds) / 3600,
        mean_minutes=sum(seconds) / len(seconds) / 60 if seconds else None,
        lengths=binned(seconds, LENGTHS, "> 20"),
        bands=binned(seconds, BANDS, "long (> 10 min)"),
        outlets=_outlets(videos),
        domains=_counted(line.domain or "not stated" for line in made.items),
        types=tuple(sorted(Counter(line.type_id for line in made.items).items(), key=lambda one: natural(one[0]))),
        languages=_counted(line.language for line in made.items),
        sources_per_group=_sizes(made.sources),
        licenses=_counted(source.license for source in made.sources),
        decisions=tuple(
            (name, outcomes[name]) for name in ("released", "discarded", "revise", "person") if outcomes[name]
        ),
        reasons=_reasons(made),
        question_length=spread([len(line.question) for line in made.items]),
        option_length=spread(options),
        transcript_length=spread([source.transcript_characters for source in made.sources]),
        key_longest=_key_longest(made),
        by_people=all(line.drafter == "people" for line in made.items),
        corrected=sum(line.revision > 0 for line in made.items),
        reviewers=len({review.reviewer for review in made.reviews}),
        reviews=len(made.reviews),
        warnings=tuple(_warnings(given, made, videos)),
        limits=tuple(_limits(given, made)),
    )


def binned(values: Iterable[float], bounds: Sequence[tuple[float, str]], last: str) -> Bars:
    """How many values lie below each bound and not below the one before; `last` names those beyond."""
    counts = Counter(next((name for bound, name in bounds if value < bound), last) for value in values)
    return tuple((name, counts[name]) for name in (*(name for _, name in bounds), last))


def spread(lengths: Sequence[int]) -> Spread:
    """Least, median, mean and most of some lengths; zeros for none."""
    if not lengths:
        return Spread()
    ordered = sorted(lengths)
    middle = len(ordered) // 2
    median = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    mean = round(sum(ordered) / len(ordered), 1)
    return Spread(least=ordered[0], median=float(median), mean=mean, most=ordered[-1])


def _counted(values: Iterable[str]) -> Bars:
    return tuple(sorted(Counter(values).items(), key=lambda one: (-one[1], one[0])))


def _outlets(videos: Sequence[SourceLine]) -> Bars:
    counted = _counted(source.outlet or "not stated" for source in videos)
    rest = sum(count for _, count in counted[_MOST_OUTLETS:])
    return (*counted[:_MOST_OUTLETS], *((("others", rest),) if rest else ()))


def _sizes(sources: Iterable[SourceLine]) -> Bars:
    sizes = Counter(Counter(source.group_id for source in sources).values())
    return tuple((str(size), count) for size, count in sorted(sizes.items()))


def _reasons(made: Contents) -> Bars:
    """The rule's own words up to the numbers: ``failed in correctness``."""
    return _counted(
        part for line in made.decisions if line.outcome == "discarded" for part in _named_dimensions(line.reason)
    )


def _named_dimensions(reason: str) -> list[str]:
    if reason.startswith("failed in "):
        return [f"failed in {part.split(' (')[0]}" for part in reason.removeprefix("failed in ").split(", ")]
    return ["".join(char for char in reason if not char.isdigit()).replace("  ", " ").strip()]


def _key_longest(made: Contents) -> float | None:
    longest = [
        len(line.options[line.answer]) == max(map(len, line.options.values()))
        and sum(len(text) == len(line.options[line.answer]) for text in line.options.values()) == 1
        for line in made.items
    ]
    return sum(longest) / len(longest) if longest else None


def _warnings(given: ReleaseInput, made: Contents, videos: Sequence[SourceLine]) -> Iterable[str]:
    if not given.reviewed:
        yield "No person has reviewed these questions: everything that the panel kept is in here."
    for outlet, count in Counter(source.outlet for source in videos if source.outlet).most_common():
        if count / len(videos) > given.outlet_share:
            share, most = count / len(videos), given.outlet_share
            yield f"{outlet} gives {share:.0%} of the videos (more than {most:.0%}): models may learn its habits."
    unknown = [source for source in made.sources if source.license == "unknown"]
    if unknown:
        yield f"{len(unknown)} of {len(made.sources)} sources state no licence; clear them before you publish media."
    if given.evidence == "full" and unknown:
        yield "Media and transcripts are part of this release although some sources state no licence."
    lost = [source for source in made.sources if not source.url]
    if lost:
        yield f"{len(lost)} of {len(made.sources)} sources have no address and cannot be fetched again."
    unhashed = [source for source in made.sources if not source.media_sha256]
    if unhashed:
        yield f"{len(unhashed)} sources were not hashed, so a copy that is fetched again cannot be verified."
    if not given.license:
        yield "No licence is stated for the questions themselves (--license)."


def _limits(given: ReleaseInput, made: Contents) -> Iterable[str]:
    waiting = sum(line.outcome in ("person", "revise") for line in made.decisions)
    if waiting:
        yield f"{waiting} items still wait for a person and are left out (decisions.jsonl says for what)."
    corrected = sum(line.revision > 0 for line in made.items)
    if corrected:
        yield f"{corrected} questions were corrected by people after the panel had judged their first text."
    models = sorted({name for line in made.items for name in (line.drafter, *line.judges)} - {"people"})
    if models:
        yield (
            "Models that drafted or judged cannot be scored fairly on this benchmark: "
            f"{', '.join(models)}, and their relatives."
        )
    if given.facts.offline:
        yield "No language model was used: drafter and judges are the embedded offline methods."
    if given.facts.checks_off:
        yield f"The panel did not make these checks: {', '.join(given.facts.checks_off)}."
    if given.reviewed and not given.agreement:
        yield "No item was scored by two people, so nothing is known about the reviewers' agreement."
    once = sum(line.reviewers == 1 for line in made.items)
    if once:
        yield f"{once} questions rest on one reviewer."
    yield "Videos can change or vanish at their source; fetch.py lists dead links and files that differ."
    yield "The reports show what outlets chose to report; a key is right with respect to these sources."
