"""Money in flight counts at its most; nothing is sent that might exceed the budget."""

import asyncio

import pytest

from gateway.budget import Budget, BudgetSpent


async def test_what_does_not_fit_waits_for_others_to_settle() -> None:
    budget = Budget(1.0, 0.0)
    first = await budget.reserve(0.6)
    second = asyncio.create_task(budget.reserve(0.6))
    await asyncio.sleep(0)
    assert not second.done()
    budget.settle(first, 0.1)
    assert await second == 0.6
    budget.settle(0.6, 0.6)
    assert budget.spent_usd == pytest.approx(0.7)


async def test_with_nothing_in_flight_and_no_room_the_budget_is_spent() -> None:
    budget = Budget(1.0, 0.7)
    with pytest.raises(BudgetSpent):
        await budget.reserve(0.31)
    assert await budget.reserve(0.3) == 0.3


async def test_the_last_waiter_is_told_as_well() -> None:
    budget = Budget(1.0, 0.0)
    held = await budget.reserve(0.9)
    waiting = [asyncio.create_task(budget.reserve(0.5)) for _ in range(3)]
    await asyncio.sleep(0)
    budget.settle(held, 0.9)
    for task in waiting:
        with pytest.raises(BudgetSpent):
            await task


async def test_without_a_limit_it_only_adds_up() -> None:
    budget = Budget(None, 2.0)
    budget.settle(await budget.reserve(1e6), 3.0)
    assert budget.spent_usd == 5.0


async def test_many_at_once_never_exceed_it() -> None:
    budget = Budget(1.0, 0.0)
    peak = 0.0

    async def call(cost: float) -> None:
        nonlocal peak
        reserved = await budget.reserve(0.1)
        await asyncio.sleep(0.001)
        budget.settle(reserved, cost)
        peak = max(peak, budget.spent_usd)

    done = await asyncio.gather(*(call(0.09) for _ in range(40)), return_exceptions=True)
    assert peak <= 1.0
    assert sum(isinstance(item, BudgetSpent) for item in done) == 40 - 11
