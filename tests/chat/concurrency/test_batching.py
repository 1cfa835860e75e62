import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest
from django.db import OperationalError

from chat.concurrency.batching import Batched


class Desk:
    """Answers every question with its square, when it is let; notes which were asked together."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []
        self.let = asyncio.Event()

    async def ask(self, questions: Sequence[int]) -> list[int]:
        self.asked.append(list(questions))
        await self.let.wait()
        if 13 in questions:
            raise ValueError
        if 17 in questions:
            raise OperationalError
        return [question**2 for question in questions]


def run(test: Callable[[Desk], Awaitable[None]]) -> None:
    async def with_desk() -> None:
        await test(Desk())

    asyncio.run(with_desk())


async def begun(batched: Batched[int, int], *questions: int) -> list["asyncio.Task[int]"]:
    tasks = [asyncio.create_task(batched.answer(question)) for question in questions]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return tasks


def test_who_comes_while_a_question_is_under_way_shares_the_next_one() -> None:
    async def test(desk: Desk) -> None:
        batched = Batched(desk.ask, most=3)
        tasks = await begun(batched, 1) + await begun(batched, 2, 3, 4, 5)
        desk.let.set()
        assert await asyncio.gather(*tasks) == [1, 4, 9, 16, 25]
        assert desk.asked == [[1], [2, 3, 4], [5]]
        assert await batched.answer(6) == 36

    run(test)


def test_it_asks_for_nobody_who_left() -> None:
    async def test(desk: Desk) -> None:
        batched = Batched(desk.ask)
        first, left, stays = await begun(batched, 1) + await begun(batched, 2, 3)
        left.cancel()
        await asyncio.sleep(0)
        desk.let.set()
        assert await asyncio.gather(first, stays) == [1, 9]
        assert desk.asked == [[1], [3]]

    run(test)


def test_what_went_wrong_reaches_only_who_asked_it() -> None:
    async def test(desk: Desk) -> None:
        batched = Batched(desk.ask)
        first, *beside, broken, last = await begun(batched, 1) + await begun(batched, 2, 3, 13, 4)
        desk.let.set()
        assert await asyncio.gather(first, *beside, last) == [1, 4, 9, 16]
        with pytest.raises(ValueError):
            await broken
        assert desk.asked == [[1], [2, 3, 13, 4], [2, 3], [13, 4], [13], [4]]
        assert await batched.answer(3) == 9
        with pytest.raises(ValueError):
            await batched.answer(13)

    run(test)


def test_while_the_database_is_away_everybody_learns_it_from_one_question() -> None:
    async def test(desk: Desk) -> None:
        batched = Batched(desk.ask)
        fine, *away = await begun(batched, 1) + await begun(batched, 17, 2)
        desk.let.set()
        assert await fine == 1
        for task in away:
            with pytest.raises(OperationalError):
                await task
        assert desk.asked == [[1], [17, 2]]
        assert await batched.answer(3) == 9

    run(test)
