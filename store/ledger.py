"""What calls cost: counts, tokens, dollars and seconds, by model, task, seat, group, item or any mix of them.

Example: ``ledger(run, by=("model", "task"))`` gives one row a pair with calls, failures by outcome, tokens, cost,
latency percentiles and cache hits. A call is one finished request; its retries and repairs are its exchanges.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field
from sqlalchemy import case, func, select

from records.base import Record
from store import tables
from store.run import Run

Column = Literal["model", "task", "seat", "group_id", "item_id", "unit", "transport", "session"]

JUDGE_TASKS = frozenset({"solvability", "ambiguity", "difficulty", "blind", "type-fit"})
"""Tasks whose calls belong to a judgement set."""

_COUNTED = ("prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens", "images", "exchanges")
_SHARED = ("model", "task", "seat", "group_id", "item_id", "unit", "session")


class LedgerRow(Record):
    """One line of the ledger. Tokens are counted as providers count them; seconds are of whole calls."""

    key: dict[str, str]
    """The columns that were asked for, such as ``{"model": "gpt-5", "task": "ambiguity"}``."""
    calls: int = 0
    ok: int = 0
    failed: dict[str, int] = Field(default_factory=dict)
    """Outcome → calls, for every outcome but ok."""
    cache_hits: int = 0
    """Replies that came from the cache instead of a call."""
    exchanges: int = 0
    """Requests that reached the provider, retries and repairs included."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    """Prompt tokens that the provider read from its prefix cache."""
    images: int = 0
    cost_usd: float = 0.0
    latency_p50_s: float | None = None
    latency_p95_s: float | None = None
    latency_max_s: float | None = None
    """None where no call was made."""


def ledger(
    run: Run,
    by: Sequence[Column] = (),
    *,
    request_ids: Collection[str] | None = None,
    tasks: Collection[str] | None = None,
) -> tuple[LedgerRow, ...]:
    """The ledger split by columns, sorted by them; without columns one row for all.

    `request_ids` keeps only those requests, among `tasks` only; calls of other tasks stay. So
    ``ledger(run, request_ids=asked, tasks=JUDGE_TASKS)`` is drafting plus one judgement set.
    """
    return ledgers(run, by, request_ids=request_ids, tasks=tasks)[0]


def ledgers(
    run: Run,
    *splits: Sequence[Column],
    request_ids: Collection[str] | None = None,
    tasks: Collection[str] | None = None,
) -> tuple[tuple[LedgerRow, ...], ...]:
    """Several splits of the same calls, which are read once."""
    wanted = None if request_ids is None else frozenset(request_ids)
    calls = [row for row in _calls(run) if _belongs(row, wanted, tasks)]
    hits = [row for row in _hits(run) if _belongs(row, wanted, tasks)]
    return tuple(_split(calls, hits, by) for by in splits)


def total(run: Run, **filters: Any) -> LedgerRow:
    """The whole ledger in one row; takes the filters of `ledger`."""
    return ledger(run, (), **filters)[0]


def quick_total(run: Run) -> tuple[int, int, float]:
    """Calls, failed calls and US dollars of the whole run, added up by the database."""
    column = tables.calls.c
    failed = func.coalesce(func.sum(case((column.outcome != "ok", 1), else_=0)), 0)
    query = select(func.count(), failed, func.coalesce(func.sum(column.cost_usd), 0.0)).select_from(tables.calls)
    with run.reading() as connection:
        calls, without, spent = connection.execute(query).one()
    return int(calls), int(without), float(spent)


def item_costs(run: Run) -> dict[str, float]:
    """Item id → US dollars of the calls that were made for this item alone."""
    return {row.key["item_id"]: row.cost_usd for row in ledger(run, ("item_id",)) if row.key["item_id"]}


def request_costs(run: Run) -> dict[str, float]:
    """Request id → US dollars, over every time that it was asked."""
    costs: dict[str, list[float]] = defaultdict(list)
    for row in _read(run, [tables.calls.c.request_id, tables.calls.c.cost_usd], tables.calls.c.id):
        costs[row["request_id"]].append(row["cost_usd"])
    return {request_id: math.fsum(parts) for request_id, parts in costs.items()}


def cost_of(run: Run, request_ids: Collection[str]) -> float:
    """US dollars of these requests, over every time that they were asked."""
    wanted = tables.calls.c.request_id.in_(sorted(set(request_ids)))
    with run.reading() as connection:
        rows = connection.execute(select(tables.calls.c.cost_usd).where(wanted).order_by(tables.calls.c.id))
        return math.fsum(row.cost_usd for row in rows)


def percentile(values: Sequence[float], share: float) -> float | None:
    """The nearest-rank percentile (`share` from 0.0 to 1.0), None of nothing."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _split(
    calls: Iterable[Mapping[str, Any]], hits: Iterable[Mapping[str, Any]], by: Sequence[Column]
) -> tuple[LedgerRow, ...]:
    grouped: dict[tuple[str, ...], tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]] = {}
    for place, rows in enumerate((calls, hits)):
        for row in rows:
            key = tuple(str(row.get(column, "")) for column in by)
            grouped.setdefault(key, ([], []))[place].append(row)
    if not by and not grouped:
        return (LedgerRow(key={}),)
    return tuple(_row(dict(zip(by, key, strict=True)), *grouped[key]) for key in sorted(grouped))


def _row(key: dict[str, str], calls: Iterable[Mapping[str, Any]], hits: Iterable[Mapping[str, Any]]) -> LedgerRow:
    calls = list(calls)
    outcomes = Counter(str(row["outcome"]) for row in calls)
    seconds = [row["latency_s"] for row in calls]
    return LedgerRow(
        key=key,
        calls=len(calls),
        ok=outcomes.pop("ok", 0),
        failed=dict(sorted(outcomes.items())),
        cache_hits=sum(row["count"] for row in hits),
        cost_usd=math.fsum(row["cost_usd"] for row in calls),
        latency_p50_s=percentile(seconds, 0.5),
        latency_p95_s=percentile(seconds, 0.95),
        latency_max_s=max(seconds, default=None),
        **{name: sum(row[name] for row in calls) for name in _COUNTED},
    )


def _belongs(row: Mapping[str, Any], request_ids: frozenset[str] | None, tasks: Collection[str] | None) -> bool:
    if request_ids is None or (tasks is not None and row["task"] not in tasks):
        return True
    return row["request_id"] in request_ids


def _calls(run: Run) -> list[dict[str, Any]]:
    names = ("request_id", "outcome", "transport", "cost_usd", "latency_s", *_SHARED, *_COUNTED)
    return _read(run, [tables.calls.c[name] for name in names], tables.calls.c.id)


def _hits(run: Run) -> list[dict[str, Any]]:
    return _read(run, [tables.hits.c[name] for name in ("request_id", "count", *_SHARED)], tables.hits.c.id)


def _read(run: Run, columns: list[Any], order: Any) -> list[dict[str, Any]]:
    names = [column.name for column in columns]
    return [dict(zip(names, row, strict=True)) for row in run.rows(select(*columns).order_by(order))]
