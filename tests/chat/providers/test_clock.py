"""Limits of waits: each one, and all together; a wait that ended in time is never blamed."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from chat.providers.clock import Clock
from chat.providers.provider import ProviderConfig

IDLE_S = 0.2
CONFIG = ProviderConfig("any", "openai", "", "any", 1000, None, idle_timeout_s=IDLE_S, total_timeout_s=30)


def run(test: Callable[[Clock], Awaitable[None]], deadline_s: float = math.inf, idle_s: float = IDLE_S) -> None:
    async def main() -> None:
        config = replace(CONFIG, idle_timeout_s=idle_s)
        clock = Clock(config, asyncio.get_running_loop().time() + deadline_s)
        async with asyncio.timeout(20):
            await test(clock)
        clock.close()

    asyncio.run(main())


async def never() -> None:
    await asyncio.Event().wait()


def test_it_gives_what_comes_in_time() -> None:
    async def test(clock: Clock) -> None:
        assert await clock.wait(asyncio.sleep(0, "here")) == "here"

    run(test)


def test_it_ends_a_wait_that_is_too_long() -> None:
    async def test(clock: Clock) -> None:
        await clock.wait(asyncio.sleep(0.01))
        with pytest.raises(TimeoutError):
            await clock.wait(never())
        assert "nothing came" in clock.error().detail
        assert asyncio.current_task().cancelling() == 0  # type: ignore[union-attr]

    run(test)


def test_many_short_waits_may_take_long_together() -> None:
    async def test(clock: Clock) -> None:
        for _ in range(12):
            await clock.wait(asyncio.sleep(IDLE_S / 4))

    run(test)


def test_what_happens_between_two_waits_takes_as_long_as_it_likes() -> None:
    async def test(clock: Clock) -> None:
        await clock.wait(asyncio.sleep(0))
        await asyncio.sleep(3 * IDLE_S)
        await clock.wait(asyncio.sleep(0))
        with pytest.raises(TimeoutError):
            await clock.wait(never())

    run(test)


def test_all_together_have_a_limit_too() -> None:
    async def test(clock: Clock) -> None:
        async def go_on() -> None:
            while True:
                await clock.wait(asyncio.sleep(IDLE_S / 4))

        with pytest.raises(TimeoutError):
            await go_on()
        assert "longer than" in clock.error().detail

    run(test, deadline_s=2 * IDLE_S, idle_s=15)


def test_a_wait_may_be_given_less_than_the_one_before() -> None:
    async def test(clock: Clock) -> None:
        loop = asyncio.get_running_loop()
        await clock.wait(asyncio.sleep(0))
        began = loop.time()
        with pytest.raises(TimeoutError):
            await clock.wait(never(), IDLE_S / 10)
        assert loop.time() - began < 15

    run(test, idle_s=15)


def test_a_cancellation_from_outside_stays_one() -> None:
    async def test(clock: Clock) -> None:
        waiting = asyncio.ensure_future(clock.wait(never()))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    run(test, idle_s=15)


def test_a_failure_is_passed_on() -> None:
    async def fail() -> None:
        raise ValueError("broken")

    async def test(clock: Clock) -> None:
        with pytest.raises(ValueError, match="broken"):
            await clock.wait(fail())

    run(test)
