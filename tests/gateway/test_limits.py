"""Rates, concurrency, pauses and the circuit, each on its own."""

import asyncio
import time

import pytest

from gateway.limits import CircuitOpen, Entry, Gate, Line, Provider, Rate, Window
from gateway.transports import ExchangeFailed
from tests.gateway.support import spec


def busy(retry_after_s: float | None = None, *, lasting: bool = False) -> ExchangeFailed:
    return ExchangeFailed("rate-limited", "slow down", status=429, retry_after_s=retry_after_s, lasting=lasting)


def test_a_window_counts_what_is_in_it() -> None:
    window = Window(3, 60)
    for moment in (0.0, 1.0, 2.0):
        assert window.wait(1, moment) == 0
        window.add(Entry(moment, 1))
    assert window.wait(1, 10.0) == 50.0
    assert window.wait(2, 10.0) == 51.0
    assert window.wait(1, 60.0) == 0.0


def test_an_amount_above_the_limit_waits_for_an_empty_window() -> None:
    window = Window(100, 60)
    assert window.wait(500, 0.0) == 0.0
    window.add(Entry(5.0, 10))
    assert window.wait(500, 6.0) == 59.0


def test_an_estimate_is_corrected() -> None:
    window = Window(100, 60)
    entry = Entry(0.0, 90)
    window.add(entry)
    assert window.wait(50, 1.0) > 0
    window.correct(entry, 20)
    entry.amount = 20
    assert window.wait(50, 1.0) == 0.0
    assert window.wait(90, 61.0) == 0.0


async def test_a_rate_holds_over_any_minute_and_over_its_sixths() -> None:
    rate, minute = Rate(12, minute=0.6), 0.6
    moments: list[float] = []

    async def one() -> None:
        moments.append((await rate.take(1)).time)

    await asyncio.gather(*(one() for _ in range(26)))
    assert moments == sorted(moments)
    for index, moment in enumerate(moments):
        assert sum(moment - minute < other <= moment for other in moments[: index + 1]) <= 12
        assert sum(moment - minute / 6 < other <= moment for other in moments[: index + 1]) <= 2
    assert moments[-1] - moments[0] < 3 * minute


async def test_a_gate_is_fair_and_never_too_full() -> None:
    gate = Gate(3)
    inside, most, order = 0, 0, []

    async def visit(number: int) -> None:
        nonlocal inside, most
        await gate.enter()
        order.append(number)
        inside += 1
        most = max(most, inside)
        await asyncio.sleep(0.001)
        inside -= 1
        gate.leave()

    await asyncio.gather(*(visit(number) for number in range(12)))
    assert order == list(range(12))
    assert most == 3


async def test_a_cancelled_visitor_leaves_no_place_taken() -> None:
    gate = Gate(1)
    await gate.enter()
    waiting = asyncio.create_task(gate.enter())
    await asyncio.sleep(0)
    gate.leave()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await asyncio.wait_for(gate.enter(), 0.1)


def test_a_gate_halves_on_refusal_and_grows_back_one_by_one() -> None:
    gate = Gate(16)
    gate.shrink()
    assert gate.allowed == 8
    for _ in range(9):
        gate.grow()
    assert gate.allowed == 9
    for _ in range(10):
        gate.shrink()
    assert gate.allowed == 1
    for _ in range(200):
        gate.grow()
    assert gate.allowed == 16


async def test_calls_that_fail_together_make_one_pause() -> None:
    provider = Provider("p", first_pause_s=0.02)
    pauses = [provider.refused(busy()) for _ in range(8)]
    assert 0.014 < pauses[0] < 0.026
    assert pauses[1:] == [0.0] * 7


async def test_a_pause_obeys_retry_after() -> None:
    provider = Provider("p")
    assert provider.refused(busy(0.05)) == 0.05
    began = time.monotonic()
    await provider.ready()
    assert 0.045 <= time.monotonic() - began < 0.2


async def test_a_longer_wish_lengthens_a_pause() -> None:
    provider = Provider("p")
    provider.refused(busy(0.02))
    provider.refused(busy(0.08))
    began = time.monotonic()
    await provider.ready()
    assert time.monotonic() - began >= 0.07


async def test_refusals_for_long_enough_open_the_circuit_and_a_success_begins_anew() -> None:
    provider = Provider("p", lasting_s=0.05)
    for _ in range(2):
        began = time.monotonic()
        while time.monotonic() - began < 0.04:
            provider.refused(busy(0.0))
            await asyncio.sleep(0.005)
        provider.answered()
    for _ in range(3):
        provider.refused(busy(0.0))
    await asyncio.sleep(0.06)
    with pytest.raises(CircuitOpen, match="has refused every call for 0 s, over 3 pauses"):
        provider.refused(busy(0.0))


async def test_a_few_pauses_are_no_lasting_limit_however_long() -> None:
    provider = Provider("p", lasting_s=0.0)
    for _ in range(3):
        provider.refused(busy(0.0))


@pytest.mark.parametrize("failed", [busy(86_400), busy(lasting=True)])
async def test_a_limit_that_lasts_opens_the_circuit_at_once(failed: ExchangeFailed) -> None:
    with pytest.raises(CircuitOpen):
        Provider("p").refused(failed)


async def test_a_slow_line_does_not_hold_up_another() -> None:
    slow = Line(spec(concurrency=1, requests_per_minute=1), Provider("a"), minute=30)
    quick = Line(spec(model="hosted_vllm/other", concurrency=1), Provider("b"))

    async def use(line: Line) -> None:
        async with line.place(10):
            pass

    await use(slow)
    stuck = asyncio.create_task(use(slow))
    await asyncio.wait_for(asyncio.gather(*(use(quick) for _ in range(50))), 1)
    assert not stuck.done()
    stuck.cancel()


async def test_tokens_a_minute_are_estimated_and_corrected() -> None:
    line = Line(spec(tokens_per_minute=600), Provider("a"), minute=0.6)
    async with line.place(100) as entry:
        line.correct(entry, 10)
    began = time.monotonic()
    async with line.place(90):
        pass
    assert time.monotonic() - began < 0.05
    async with line.place(90):
        pass
    assert time.monotonic() - began > 0.05
