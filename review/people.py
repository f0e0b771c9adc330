"""How far people agree with each other and with the panel: reviews as ratings for `judges.agreement`.

Only revision 0 counts: a correction is another text. An adjudicator's review comes after the others and is left out.
"""

from collections.abc import Iterable, Mapping, Sequence

from judges.agreement import AgreementReport, DimensionAgreement, Rating, agreement
from judges.coefficients import Coefficient
from records.review import AgreementRow, Measure, Review, Sheet, said
from records.verdicts import Item
from review.desk import Desk
from review.words import words


def ratings(reviews: Iterable[Review], groups: Mapping[str, str]) -> tuple[Rating, ...]:
    """Every score of revision 0 as a rating; `groups` gives the group of an item, whose items are not independent."""
    return tuple(
        Rating(
            item=review.item_id,
            rater=review.reviewer,
            value=value,
            dimension=dimension,
            cluster=groups.get(review.item_id, ""),
        )
        for review in reviews
        if review.revision == 0 and review.role != "adjudicator"
        for dimension, value in review.scores.items()
    )


def people_agreement(
    sheet: Sheet, reviews: Sequence[Review], groups: Mapping[str, str], *, resamples: int = 1000, seed: int = 0
) -> tuple[AgreementRow, ...]:
    """One row a dimension of the sheet, then ``overall`` and ``pooled``; empty where no item has two reviewers."""
    given = ratings(reviews, groups)
    rows = []
    for dimension in sheet.dimensions:
        own = [rating for rating in given if rating.dimension == dimension.id]
        report = agreement(own, scale=dimension.values, resamples=resamples, seed=seed) if own else None
        if report and report.dimensions and report.dimensions[0].fleiss.ratings:
            rows.append(_row(report.dimensions[0]))
    if not rows:
        return ()
    whole = agreement(given, resamples=resamples, seed=seed)
    return (*rows, _summary("overall", whole.overall, whole), _summary("pooled", whole.pooled, whole))


def panel_agreement(items: Iterable[Item], decided: Mapping[str, str], *, seed: int = 0) -> AgreementRow | None:
    """People's decision about revision 0 (item id → keep or discard) beside the panel's; None without such items.

    Says something only where items that the panel removed were reviewed too (``--include removed``).
    """
    pairs = [(item, decided[item.item_id]) for item in items if item.item_id in decided and item.outcome != "undecided"]
    made = [
        Rating(item=item.item_id, rater=rater, value=value, dimension="panel", cluster=item.question.group_id)
        for item, people in pairs
        for rater, value in (("people", people), ("panel", "keep" if item.outcome == "kept" else "discard"))
    ]
    return _row(agreement(made, seed=seed).dimensions[0]) if made else None


def agreement_rows(desk: Desk, language: str) -> tuple[tuple[str, ...], ...]:
    """The table of the progress page, headings first; empty where no item has two reviewers."""
    groups = {item_id: item.question.group_id for item_id, item in desk.material.items.items()}
    rows = people_agreement(desk.sheet, desk.reviews(), groups, resamples=300)
    if not rows:
        return ()
    texts = words(language)
    names = {one.id: said(one.name, language) for one in desk.sheet.dimensions}
    head = (texts["dimension"], texts["items"], texts["observed"], "Fleiss κ", "Krippendorff α", "α (ordinal)")
    return (
        head,
        *(
            (
                names.get(row.dimension, texts.get(f"row_{row.dimension}", row.dimension)),
                str(row.items),
                *(shown(one) for one in (row.pairwise, row.fleiss, row.alpha, row.alpha_ordinal)),
            )
            for row in rows
        ),
    )


def shown(measure: Measure | None) -> str:
    """A coefficient in words: ``0.62 [0.48, 0.75]``, ``undefined (…)``, a dash where it was not computed."""
    if measure is None:
        return "–"
    if measure.value is None:
        return f"undefined ({measure.note})" if measure.note else "undefined"
    interval = "" if measure.low is None or measure.high is None else f" [{measure.low:.2f}, {measure.high:.2f}]"
    return f"{measure.value:.2f}{interval}"


def _row(found: DimensionAgreement) -> AgreementRow:
    kappas = [pair.kappa.value for pair in found.pairs if pair.items and pair.kappa.value is not None]
    cohen = Measure(value=sum(kappas) / len(kappas), note=f"mean of {len(kappas)} pairs") if kappas else None
    return AgreementRow(
        dimension=found.dimension,
        items=found.fleiss.items,
        ratings=found.fleiss.ratings,
        reviewers=len(found.raters),
        pairwise=_measure(found.pairwise),
        fleiss=_measure(found.fleiss),
        alpha=_measure(found.alpha),
        alpha_ordinal=_measure(found.alpha_ordinal) if found.alpha_ordinal else None,
        cohen=cohen,
    )


def _summary(name: str, found: Coefficient, report: AgreementReport) -> AgreementRow:
    observed = Measure(value=found.observed) if found.observed is not None else None
    reviewers = {rater for dimension in report.dimensions for rater in dimension.raters}
    return AgreementRow(
        dimension=name,
        items=found.items,
        ratings=found.ratings,
        reviewers=len(reviewers),
        pairwise=observed,
        fleiss=_measure(found),
    )


def _measure(found: Coefficient) -> Measure:
    note = found.undefined or found.no_interval
    if found.undefined and found.observed is not None:
        note = f"{found.undefined}; observed agreement {found.observed:.2f}"
    return Measure(value=found.value, low=found.low, high=found.high, note=note)
