import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from bench import counted_server
from bench.counted_server import _counted, _in, _timed, counts


@pytest.fixture(autouse=True)
def from_nothing() -> Iterator[None]:
    counts.clear()
    yield
    counts.clear()


def work(ms: float) -> None:
    """Uses so much CPU of this thread."""
    end = time.thread_time_ns() + ms * 1e6
    while time.thread_time_ns() < end:
        pass


def ms_of(phase: str) -> float:
    return counts[f"cpu {phase}"] / 1e6


def test_cpu_of_a_phase_within_another_counts_once() -> None:
    with _in("finish"):
        work(2)
        with _in("settle"):
            work(4)
    assert 2 <= ms_of("finish") < 4
    assert ms_of("settle") >= 4
    assert set(counts) == {"cpu finish", "cpu settle"}


def test_statements_belong_to_the_inner_phase() -> None:
    execute = counted_server._noting(lambda: None, "statements")
    execute()
    with _in("finish"):
        execute()
        with _in("settle"):
            execute()
    assert [counts[f"statements {phase}"] for phase in ("elsewhere", "finish", "settle")] == [1, 1, 1]
    assert counted_server._statements() == 3


def test_steps_of_a_coroutine_are_in_its_phase_and_what_it_waits_for_is_not() -> None:
    async def scenario() -> None:
        async def inner() -> str:
            work(2)
            return "written"

        async def outer() -> str:
            work(2)
            await asyncio.sleep(0.02)
            return await _counted(inner, "events")()

        async def others() -> None:
            await asyncio.sleep(0.005)
            work(40)

        answer, _ = await asyncio.gather(_counted(outer, "call")(), others())
        assert answer == "written"
        assert 2 <= ms_of("call") < 20
        assert 2 <= ms_of("events") < 20

    asyncio.run(scenario())


def test_a_coroutine_that_is_cancelled_can_still_say_so() -> None:
    async def scenario() -> None:
        async def waiting() -> str:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                return "ended early"
            return "slept"

        task = asyncio.create_task(_counted(waiting, "publish")())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        assert await task == "ended early"

    asyncio.run(scenario())


def test_what_a_coroutine_raises_is_raised() -> None:
    async def scenario() -> None:
        async def broken() -> None:
            await asyncio.sleep(0)
            raise ValueError("no vendor")

        with pytest.raises(ValueError, match="no vendor"):
            await _counted(broken, "call")()
        assert counted_server._phases.open == []

    asyncio.run(scenario())


def test_a_job_in_a_thread_belongs_to_who_asked_for_it() -> None:
    with ThreadPoolExecutor(1) as pool:
        with _in("context"):
            job = _timed(lambda: (work(2), threading.get_ident()))
        assert pool.submit(job).result()[1] != threading.get_ident()
    assert ms_of("context") >= 2
    assert "cpu elsewhere" not in counts


def test_all_that_is_counted_is_there() -> None:
    """A function that was renamed is noticed here, not after an hour of measuring."""
    from importlib import import_module

    named = {"accept", "claim", "context", "prompt", "call", "events", "finish", "settle", "publish", "answer"}
    assert named <= set(counted_server.PHASES)
    for places in counted_server.PHASES.values():
        for place in places:
            module, _, path = place.partition(":")
            owner = import_module(module)
            for name in path.split("."):
                owner = getattr(owner, name)
            assert callable(owner)
