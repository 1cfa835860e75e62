"""Calls that wait for others on the internet: a few at a time of a process, of a workspace and of a person."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from chat.concurrency import outgoing
from chat.concurrency.outgoing import MOST, MOST_OF_PERSON, MOST_OF_WORKSPACE, Asker, NoPlace, Places

#: Of a workspace, the first three people that ask.
OF = [[Asker(workspace, 10 * workspace + person) for person in range(3)] for workspace in range(4)]
ALICE, BOB, CHARLIE = OF[0]


class Slow:
    """Stands for hosts that do not answer until they are `free`; keeps for whom one was asked."""

    def __init__(self) -> None:
        self.asked: list[Asker] = []
        self.free = threading.Semaphore(0)

    def __call__(self, asker: Asker) -> Asker:
        self.asked.append(asker)
        self.free.acquire(timeout=20)
        return asker


@pytest.fixture
def slow() -> Iterator[Slow]:
    found = Slow()
    yield found
    found.free.release(1_000)


async def asked(places: Places, slow: Slow, askers: list[Asker], most: int) -> list["asyncio.Task[Asker]"]:
    """All of them ask; as many as have room are served once this returns, `most` in all."""
    tasks = [asyncio.create_task(places.call(asker, slow, asker)) for asker in askers]
    await asyncio.sleep(0)
    await eventually(lambda: len(slow.asked) == most)
    return tasks


async def eventually(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():
            await asyncio.sleep(0.005)


def test_a_person_a_workspace_and_the_process_have_so_many_places(slow: Slow) -> None:
    async def test() -> None:
        places = Places("test")
        tasks = await asked(places, slow, [ALICE] * 5, MOST_OF_PERSON)
        tasks += await asked(places, slow, [BOB] * 5 + [CHARLIE] * 5, MOST_OF_WORKSPACE)
        tasks += await asked(places, slow, OF[1] * 2 + OF[2] * 2, MOST)
        slow.free.release(1_000)
        assert sorted(map(hash, await asyncio.gather(*tasks))) == sorted(map(hash, slow.asked))
        assert len(slow.asked) == 27

    asyncio.run(test())
    assert (MOST_OF_PERSON, MOST_OF_WORKSPACE, MOST) == (2, 4, 8)


def test_the_next_place_goes_to_the_workspace_that_has_fewest_whoever_came_first(slow: Slow) -> None:
    async def test() -> None:
        places = Places("test")
        full = [asker for workspace in OF[:2] for asker in (*workspace[:2], *workspace[:2])]
        tasks = await asked(places, slow, full + OF[0] * 3 + OF[1] * 3, MOST)
        tasks += await asked(places, slow, [OF[2][0]], MOST)
        slow.free.release()
        await eventually(lambda: len(slow.asked) == MOST + 1)
        assert slow.asked[-1] == OF[2][0]
        slow.free.release(1_000)
        await asyncio.gather(*tasks)

    asyncio.run(test())


def test_who_finds_no_place_in_time_is_told_so_and_nothing_was_asked(
    slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outgoing, "WAIT_S", 0.05)

    async def test() -> None:
        places = Places("test")
        tasks = await asked(places, slow, [ALICE] * (MOST_OF_PERSON + 1), MOST_OF_PERSON)
        with pytest.raises(NoPlace):
            await tasks[-1]
        slow.free.release(1_000)
        await asyncio.gather(*tasks[:-1])
        assert slow.asked == [ALICE] * MOST_OF_PERSON
        assert await places.call(ALICE, slow, ALICE) == ALICE

    asyncio.run(test())


def test_who_leaves_while_waiting_takes_no_place(slow: Slow) -> None:
    async def test() -> None:
        places = Places("test")
        *tasks, leaves, last = await asked(places, slow, [ALICE] * (MOST_OF_PERSON + 2), MOST_OF_PERSON)
        leaves.cancel()
        slow.free.release(1_000)
        assert await asyncio.gather(*tasks, last) == [ALICE] * (MOST_OF_PERSON + 1)

    asyncio.run(test())


def test_a_call_that_was_given_up_on_keeps_its_place_until_its_thread_has_ended(slow: Slow) -> None:
    """Also where its loop is gone by then: another one of the process finds the place free, and not before."""
    places = Places("test")

    async def given_up() -> None:
        tasks = await asked(places, slow, [ALICE] * MOST_OF_PERSON, MOST_OF_PERSON)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def later() -> Any:
        (task,) = await asked(places, slow, [ALICE], MOST_OF_PERSON)
        await asyncio.sleep(0.05)
        assert len(slow.asked) == MOST_OF_PERSON
        slow.free.release(1_000)
        return await task

    asyncio.run(given_up())
    assert asyncio.run(later()) == ALICE


def test_a_call_that_fails_gives_its_place_back(slow: Slow) -> None:
    def fails() -> None:
        raise ZeroDivisionError

    async def test() -> None:
        places = Places("test")
        for _ in range(MOST_OF_PERSON + 1):
            with pytest.raises(ZeroDivisionError):
                await places.call(ALICE, fails)

    asyncio.run(test())
